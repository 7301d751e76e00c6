#!/usr/bin/env python3
"""The rule table is whole, and what it says of the command is true.

    rules_test.py BINARY        # e.g. build/tilesim
    rules_test.py --self-test   # shows that each check can fail

Every sentence of sentences.tsv is in one row or has one reason; so is every op
of ir/ops.def, in rows or with a reason. Ops, codes and
programs exist; bug and repair differ in one op. `check` finds the row's code in
the bug, at the row's line, and nothing in the repair; of a rule that is not
enforced it says the same of both, so that the row is taken off the list of open
ones when that changes: that the verdict is open, and because of which lines. Prints how many rows there are, by who enforces them.
"""
import argparse
import collections
import copy
import difflib
import json
import re
import subprocess
import sys

import rules

PROGRAMS = "tests/rules"
SECONDS = 300
# Where each enforcer's sources are: folders and files.
SOURCES = {"parser": ["frontend"], "legality": ["frontend", "ir"],
           "run": ["sim/machine", "ir/operand_rules.cc"]}


def unmapped(table):
    """Sentences in no row and no reason; in several; ids that are none."""
    uses = collections.Counter(
        s for rule in table.rules for s in rule.sentences)
    for ids in table.reasons.values():
        uses.update(ids)
    for name in table.sentences:
        if uses[name] == 0:
            yield f"sentence {name} is in no row and has no reason"
        if uses[name] > 1:
            yield f"sentence {name} is named {uses[name]} times"
    for name in uses:
        if name not in table.sentences:
            yield f"there is no sentence {name} in sentences.tsv"


def op_problems(table):
    """Ops with no row and no reason, with both; reasons of ops that are none."""
    ruled = {op for rule in table.rules for op in rule.ops}
    free = [op for ops in table.free_ops.values() for op in ops]
    for op in table.ops:
        if op not in ruled and op not in free:
            yield f"op {op} is in no row and has no reason"
    for op in free:
        if op in ruled or op not in table.ops:
            yield f"op {op} has a reason, and " + (
                "rows" if op in ruled else "is not in ir/ops.def")


def sources_of(rule, root):
    if rule.by != "checker":
        places = [root / name for name in SOURCES[rule.by]]
        return [p for f in places
                for p in (f.rglob("*.cc") if f.is_dir() else [f])]
    name = rule.what
    return (list((root / "checkers").glob(f"*/{name}.cc")) +
            list((root / "checkers" / name).glob("*.cc")))


def enforcer_problems(rule, root):
    by_tool = rule.by in rules.TOOL
    if not by_tool and rule.by not in (rules.OPEN, rules.SAYS_NO):
        yield f"nobody is called `{rule.enforced}`"
        return
    if rule.by in (rules.OPEN, rules.SAYS_NO) and not rule.what:
        yield f"`{rule.enforced}` does not say how"
    if by_tool != bool(rule.code):
        yield "a code is for a rule that the tool enforces, and for no other"
        return
    if not by_tool:
        return
    files = sources_of(rule, root)
    if not files:
        yield f"there is no checker `{rule.what}`"
    elif not any(f'"{rule.code}"' in rules.read(f) for f in files):
        yield f"{rule.enforced} never says {rule.code}"


def row_problems(rule, table, root):
    yield from enforcer_problems(rule, root)
    for op in rule.ops:
        if op not in table.ops:
            yield f"{op} is not in ir/ops.def"
    if not rule.ops:
        yield "it is of no op"
    if rule.code and rule.code not in table.codes:
        yield f"{rule.code} is not in ir/codes.def"
    if bool(rule.bug) != bool(rule.repair):
        yield "a bug comes with a repair"
    if (rule.line is not None) != bool(rule.code and rule.bug):
        yield "a line is where the code is found in the bug"
    for name in filter(None, (rule.bug, rule.repair)):
        if not (root / name).is_file():
            yield f"{name} does not exist"


def ptx_problems(rule, demotions, exempt):
    """What the row is in PTX, and which of it is a warning there."""
    kind, _, why = rule.ptx.partition(":")
    other = re.fullmatch(r"as ([a-z0-9-]+/[a-z0-9-]+)", rule.ptx)
    if not other and kind + (":" if why else "") not in rules.PTX:
        yield f"what it is in PTX is no `{rule.ptx}`"
    left_out = exempt.get(rule.bug, set()) | exempt["every program"]
    if rule.ptx == rules.AS_HERE and rule.code in left_out:
        yield f"the round trip leaves {rule.code} out of {rule.bug}"
    for name in rule.practice:
        if name not in demotions:
            yield f"no `{name}` is in practice.toml"
        elif demotions[name].code.split("/")[0] != rule.code.split("/")[0]:
            yield f"{name} is of {demotions[name].code}, not of {rule.code}"


def round_trip_leaves_out(root):
    """Program -> codes in which its PTX is rightly judged otherwise."""
    out = collections.defaultdict(set)
    folder = root / "tests/ptx/roundtrip"
    for name, words in (("codes.txt", 1), ("exempt.txt", 2)):
        for line in rules.read(folder / name).splitlines():
            parts = line.split()
            if parts and parts[0] != "#":
                program = parts[0] if words == 2 else "every program"
                out[program].add(parts[words - 1])
    return out


def practice_problems(table, root):
    seen = collections.Counter(d.id for d in table.practice)
    for d in table.practice:
        if seen[d.id] > 1:
            yield f"{d.id}: {seen[d.id]} demotions have this id"
        if d.code not in table.codes:
            yield f"{d.id}: {d.code} is not in ir/codes.def"
        if not d.why:
            yield f"{d.id}: it has no reason"
        if not any(d.id in rule.practice for rule in table.rules):
            yield f"{d.id}: no row of rules.toml names it"
        page = root / d.page
        if not page.is_file() or f"`{d.code}`" not in rules.read(page):
            yield f"{d.id}: its page {d.page} does not speak of {d.code}"
        if not (root / d.test).is_file():
            yield f"{d.id}: its test {d.test} does not exist"


def ops_of(text):
    """The ops of a program a line each, without comments and layout."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r",\s*\n", ", ", text)             # an op goes on
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def one_op_apart(bug, repair):
    """At most one line is taken away and one put in."""
    steps = difflib.SequenceMatcher(None, ops_of(bug), ops_of(repair),
                                    autojunk=False).get_opcodes()
    steps = [s for s in steps if s[0] != "equal"]
    gone = sum(s[2] - s[1] for s in steps)
    come = sum(s[4] - s[3] for s in steps)
    return gone <= 1 and come <= 1 and gone + come > 0


def table_problems(table, root):
    yield from unmapped(table)
    yield from op_problems(table)
    seen = collections.Counter(rule.id for rule in table.rules)
    for name, times in seen.items():
        if times > 1:
            yield f"{name}: {times} rows have this id"
    yield from practice_problems(table, root)
    demotions = {d.id: d for d in table.practice}
    exempt = round_trip_leaves_out(root)
    for rule in table.rules:
        found = list(row_problems(rule, table, root))
        if not found and rule.bug and not one_op_apart(
                rules.read(root / rule.bug), rules.read(root / rule.repair)):
            found = ["bug and repair differ in more than one op"]
        found += ptx_problems(rule, demotions, exempt)
        yield from (f"{rule.id}: {what}" for what in found)
    named = {name for rule in table.rules for name in (rule.bug, rule.repair)}
    for path in sorted((root / PROGRAMS).glob("*.tile")):
        if path.relative_to(root).as_posix() not in named:
            yield f"{path.relative_to(root)}: no row names it"


def verdicts(binary, table, root):
    """Program -> what `check` says of it."""
    names = sorted({name for rule in table.rules
                    for name in (rule.bug, rule.repair) if name})
    done = subprocess.run([binary, "check", "--format", "json", *names],
                          cwd=root, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    if not done.stdout:
        sys.exit(f"{binary} ended with {done.returncode} and said nothing")
    return {f["file"]: f for f in json.loads(done.stdout)["files"]}


def demotion_problems(binary, demotion, root):
    """It is a warning at its launch, for its reason, and strictly an error."""
    launch = root / demotion.test
    ptx = launch.parent / json.loads(rules.read(launch))["launches"][0]["ptx"]
    for strict, severity in ((False, "warning"), (True, "error")):
        command = [binary, "check", ptx, "--launch", launch, "--format", "json"]
        done = subprocess.run(command + ["--strict", "ptx"] * strict,
                              capture_output=True, text=True, check=False,
                              timeout=SECONDS)
        told = findings(json.loads(done.stdout)["files"][0])
        other = strict and demotion.strictly
        is_it = [f for f in told if f["code"] == (other or demotion.code) and
                 f["severity"] == severity and (other or demotion.of in f["message"])]
        if not strict:
            is_it = [f for f in is_it if any(demotion.why in note
                                             for note in f.get("notes", []))]
        if not is_it:
            yield (f"{demotion.id}: no {severity} {demotion.code} is told at "
                   f"{demotion.test}" + " with --strict ptx" * strict)


def findings(said):
    """Those that follow from another, and are told with it, too."""
    told = said.get("findings", []) + said.get("errors", [])
    return told + [f for one in told for f in one.get("follows", [])]


def is_told(said, rule):
    return any(f["code"] == rule.code and
               any(place["line"] == rule.line
                   for place in [f["location"], *f.get("labels", [])])
               for f in findings(said))


def codes(said):
    return sorted({f["code"] for f in findings(said)})


def verdict_problems(rule, said):
    bug, repair = said[rule.bug], said[rule.repair]
    if rule.by == rules.OPEN:
        if (bug["verdict"], codes(bug)) != (repair["verdict"], codes(repair)):
            yield (f"{rule.bug} is told now ({bug['verdict']}: {codes(bug)}): "
                   "say in the row who enforces it")
        elif (bug["verdict"] != "incomplete" or
              not any(re.search(r"\blines? \d", why) for why in bug["open"])):
            yield (f"{rule.bug} is {bug['verdict']}, and no line is named that "
                   "breaks what is not enforced")
        return
    if not is_told(bug, rule):
        yield (f"{rule.bug} is not told {rule.code} at line {rule.line}, but "
               f"{bug['verdict']}: {codes(bug)}")
    if findings(repair) or repair["verdict"] != "clean":
        yield f"{rule.repair} is {repair['verdict']}: {codes(repair)}"


def print_counts(table):
    by = collections.Counter(rule.by for rule in table.rules)
    mapped = sum(len(rule.sentences) for rule in table.rules)
    print(f"{len(table.sentences)} sentences: {mapped} in rows, "
          f"{len(table.sentences) - mapped} not applicable")
    print(f"{len(table.rules)} rows: " +
          ", ".join(f"{n} {who}" for who, n in by.most_common()))


def self_test(root):
    """Each way to spoil the table is noticed."""
    good = rules.load()
    assert not list(table_problems(good, root)), "spoil a table that is right"
    told = next(r for r in range(len(good.rules)) if good.rules[r].line)
    still_open = next(r for r in range(len(good.rules))
                      if good.rules[r].by == rules.OPEN)

    def rejects(spoil, text):
        bad = copy.deepcopy(good)
        spoil(bad)
        found = list(table_problems(bad, root))
        assert any(text in f for f in found), (text, found)

    def row(key, value, at=told):
        return lambda t: setattr(t.rules[at], key, value)

    rejects(lambda t: t.sentences.update({"1.1/1-00000000": "1.1"}),
            "in no row")
    rejects(lambda t: t.reasons.update({"twice": t.rules[0].sentences}),
            "named 2 times")
    rejects(row("sentences", ["1.1/1-00000000"]), "there is no sentence")
    rejects(lambda t: t.ops.append("Nop"), "op Nop is in no row")
    rejects(lambda t: t.free_ops.update({"none": ["Nop"]}), "op Nop has a reason")
    rejects(lambda t: t.free_ops.update({"none": t.rules[0].ops}), "and rows")
    rejects(row("id", good.rules[told + 1].id), "rows have this id")
    rejects(row("ops", ["Nop"]), "Nop is not in")
    rejects(row("ops", []), "of no op")
    rejects(row("code", "race/rwa"), "never says race/rwa")
    rejects(row("code", ""), "a code is for")
    rejects(row("code", "race/war", still_open), "a code is for")
    rejects(row("enforced", "hope"), "nobody is called")
    rejects(row("enforced", "checker: hope"), "no checker `hope`")
    rejects(row("enforced", "not enforced", still_open), "does not say how")
    rejects(row("repair", ""), "a bug comes with")
    rejects(row("repair", "tests/rules/none.tile"), "does not exist")
    rejects(row("repair", good.rules[still_open].repair), "more than one op")
    rejects(row("line", None), "a line is where")
    rejects(row("ptx", ""), "what it is in PTX")
    rejects(row("ptx", "open"), "what it is in PTX")
    rejects(row("practice", ["hope"]), "is in practice.toml")
    rejects(row("practice", ["cp-async-multiplied"]), "is of proxy-fence/raw")
    left_out = next(r for r in range(len(good.rules))
                    if good.rules[r].ptx.startswith("no form") and
                    good.rules[r].code)
    rejects(row("ptx", rules.AS_HERE, left_out), "the round trip leaves")

    def demotion(key, value):
        return lambda t: setattr(t.practice[0], key, value)

    rejects(demotion("id", good.practice[1].id), "demotions have this id")
    rejects(demotion("id", "new"), "no row of rules.toml names it")
    rejects(demotion("why", ""), "it has no reason")
    rejects(demotion("code", "race/rwa"), "is not in ir/codes.def")
    rejects(demotion("page", "docs/cli.md"), "does not speak of")
    rejects(demotion("test", "tests/none.json"), "does not exist")
    clean = {"verdict": "clean", "findings": []}
    rule, gap = good.rules[told], good.rules[still_open]
    wrong = {"verdict": "findings", "findings": [
        {"code": rule.code, "location": {"line": rule.line}}]}
    elsewhere = {"verdict": "findings", "findings": [
        {"code": rule.code, "location": {"line": rule.line + 1}}]}

    def says(r, bug, repair):
        return list(verdict_problems(r, {r.bug: bug, r.repair: repair}))

    unsure = {"verdict": "incomplete", "open": ["weak memory (lines 2, 4)"]}
    unnamed = {"verdict": "incomplete", "open": ["weak memory"]}
    assert not says(rule, wrong, clean) and not says(gap, unsure, unsure)
    assert says(gap, clean, clean) and says(gap, unnamed, unnamed)
    assert says(rule, clean, clean) and says(rule, elsewhere, clean)
    assert says(rule, wrong, wrong) and says(gap, wrong, clean)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test(rules.ROOT)
    table = rules.load()
    found = list(table_problems(table, rules.ROOT))
    if not found and options.binary:
        said = verdicts(options.binary, table, rules.ROOT)
        found = [f"{rule.id}: {what}" for rule in table.rules if rule.bug
                 for what in verdict_problems(rule, said)]
        for demotion in table.practice:
            found += demotion_problems(options.binary, demotion, rules.ROOT)
    print_counts(table)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
