#!/usr/bin/env python3
"""The rule table as Markdown, by op.

    table.py > rules.md
    table.py --same rules.md    # fails unless the file says so
    table.py --practice > practice.def    # likewise with --same
"""
import argparse
import collections
import difflib
import json
import pathlib
import sys

import rules

HEAD = """\
# The rules of PTX, by op

Written by `table.py` from `rules.toml` and `practice.toml`; do not edit. What a row
has is in [README.md](README.md).
"""
PRACTICE_HEAD = """\

## Practice profile

Of compiled PTX these findings are warnings, `--strict ptx` makes them errors: compilers
break the rule by the letter, and hardware has not been seen to mind.

| rule | finding | where the message says | reason | page | test |
|---|---|---|---|---|---|"""
DEF_HEAD = """\
// The practice profile: PRACTICE(code, of, why). Written by table.py from
// practice.toml; do not edit.
// clang-format off"""
OPEN_HEAD = """\
## Not enforced

The verdict of a program that may break one of these is *incomplete*, and names the
lines. Each program here breaks one, its repair none.

| rule | PTX | what a program would have to do | program |
|---|---|---|---|"""


def cell(text):
    return text.replace("|", "\\|")


def program(path):
    if not path:
        return ""
    stem = pathlib.PurePath(path).stem
    return f"[{stem}](../../{path})"


def enforcer(rule):
    if rule.by == rules.SAYS_NO:
        return cell(rule.enforced)
    if rule.by == rules.OPEN:
        return "**not enforced**"
    return f"{rule.enforced}: `{rule.code}`"


def in_ptx(rule):
    said = [cell(rule.ptx)]
    said += [f"warning: [{name}](#practice-profile)" for name in rule.practice]
    return "; ".join(said)


def counts(table):
    by = collections.Counter(rule.by for rule in table.rules)
    mapped = sum(len(rule.sentences) for rule in table.rules)
    yield "| | |\n|---|--:|"
    yield f"| sentences of the PTX ISA | {len(table.sentences)} |"
    yield f"| in rows | {mapped} |"
    yield f"| not applicable | {len(table.sentences) - mapped} |"
    yield f"| rows | {len(table.rules)} |"
    for who in (*rules.TOOL, rules.SAYS_NO, rules.OPEN):
        yield f"| {who} | {by[who]} |"
    ptx = collections.Counter(rule.ptx.partition(":")[0]
                              for rule in table.rules)
    for what, count in ptx.most_common():
        yield f"| in PTX: {what} | {count} |"
    demoted = sum(bool(rule.practice) for rule in table.rules)
    yield f"| in PTX: part of it is a warning | {demoted} |"


def linked(path):
    return f"[{pathlib.PurePath(path).name}](../../{path})"


def practice_rows(table):
    for d in table.practice:
        rows = [rule.id for rule in table.rules if d.id in rule.practice]
        yield (f"| {d.id}, of {', '.join(rows)} | `{d.code}` | {cell(d.of)} | "
               f"{cell(d.why)} | {linked(d.page)} | {linked(d.test)} |")


def practice_def(table):
    yield DEF_HEAD
    for d in table.practice:
        yield f"PRACTICE({json.dumps(d.code)}, {json.dumps(d.of)},"
        yield f"         {json.dumps(d.why)})"


def open_rows(table):
    for rule in table.rules:
        if rule.by == rules.OPEN:
            yield (f"| {cell(rule.says)} | {rule.section} | {cell(rule.what)} "
                   f"| {program(rule.bug)} |")


def of_op(table, op, name):
    rows = [rule for rule in table.rules if op in rule.ops]
    yield f"\n## {name}\n"
    if not rows:
        why = next(why for why, ops in table.free_ops.items() if op in ops)
        yield f"No sentence that was read asks anything of a program: {why}."
        return
    yield ("| rule | PTX ISA | enforced by | in PTX | program |\n"
           "|---|---|---|---|---|")
    for rule in rows:
        yield (f"| {cell(rule.says)} | {rule.section} | {enforcer(rule)} | "
               f"{in_ptx(rule)} | {program(rule.bug)} |")


def lines(table):
    yield HEAD
    yield from counts(table)
    yield "\n" + OPEN_HEAD
    yield from open_rows(table)
    yield PRACTICE_HEAD
    yield from practice_rows(table)
    for op, name in rules.mnemonics(table.ops).items():
        yield from of_op(table, op, name)


def compare(text, path):
    recorded = rules.read(path) if path.exists() else ""
    diff = list(difflib.unified_diff(recorded.split("\n"), text.split("\n"),
                                     str(path), "now", lineterm="", n=0))
    if diff:
        sys.exit("\n".join(diff))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--same", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--practice", action="store_true")
    options = parser.parse_args()
    write = practice_def if options.practice else lines
    text = "\n".join(write(rules.load())) + "\n"
    if options.same:
        compare(text, options.same)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
