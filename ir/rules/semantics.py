#!/usr/bin/env python3
"""What ops mean, from the op table and the rule table: `docs/semantics.md`.

    semantics.py > PAGE
    semantics.py --same PAGE    # fails unless the page says so
"""
import argparse
import collections
import pathlib
import re

import rules
import table

HEAD = """\
# Semantics: what ops mean, and what they ask of a program

Written by `ir/rules/semantics.py` from the op table ([ir/ops.md](../ir/ops.md)) and the rule
table ([ir/rules/rules.md](../ir/rules/rules.md)); do not edit. An op's effects, which machine and checkers
share, are in [ir/ops](../ir/ops/README.md).

Of each op: what it does, who executes it, on which targets it is, whether it is
asynchronous, and by whom how many rules of PTX about it are enforced.
"""
UNIT = re.compile(r"^// (.+)\n(?=TILE_OP)((?:TILE_OP\(\w+\)\n)+)", re.M)
PAGE = re.compile(r"^## (\S+)\n\n    [^\n]*\n(?:    [^\n]*\n)*\n([^\n]+)\n\n"
                  r"((?:\* [^\n]+\n)+)", re.M)


def anchor(name):
    return re.sub(r"[^\w-]", "", name.lower())


def pages(text):
    """mnemonic -> (what it does, {property: value}), of the op manual."""
    found = {}
    for name, doc, facts in PAGE.findall(text):
        found[name] = (doc, dict(fact[2:].split(": ", 1)
                                 for fact in facts.splitlines()))
    return found


def enforced(data, op):
    by = collections.Counter(rule.by for rule in data.rules if op in rule.ops)
    who = [f"{by[one]} {one}" for one in (*rules.TOOL, rules.SAYS_NO, rules.OPEN)
           if by[one]]
    return ", ".join(who) or "none"


def lines(data, root=rules.ROOT):
    yield HEAD
    manual = pages(rules.read(root / "ir/ops.md"))
    names = rules.mnemonics(data.ops, root)
    units = UNIT.findall(rules.read(root / "ir/ops.def"))
    for number, (unit, listed) in enumerate(units, 1):
        yield f"# {number} {unit}\n"
        yield "| op | does | by | asynchronous | on | rules |"
        yield "|---|---|---|---|---|---|"
        for op in re.findall(r"\((\w+)\)", listed):
            name = names[op]
            doc, facts = manual[name]
            at = anchor(name)
            yield (f"| [`{name}`](../ir/ops.md#{at}) | {table.cell(doc)} | "
                   f"{facts['executed by']} | {facts['asynchronous']} | "
                   f"{facts['targets']} | "
                   f"[{enforced(data, op)}](../ir/rules/rules.md#{at}) |")
        yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--same", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    text = "\n".join(lines(rules.load())).rstrip("\n") + "\n"
    if options.same:
        table.compare(text, options.same)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
