#!/usr/bin/env python3
"""What the verifier says about every program of the corpora, as a table.

usage: table.py [--tilesim PATH] [--wrong | --not-yet | --findings]
                [--same | --write] [FOLDER|FILE]...

Prints markdown (results.md): corpus, program, what its comments expect, what
`tilesim check` says, and whether they agree. The words of the comments are
those of verify_test.cc, which is the judge; this is for reading. --wrong prints
only the programs that differ, each with how; --not-yet prints not_yet.txt;
--findings how many errors each bug has (findings.md), beside how many it had
when each showed by itself (errors_before.txt). --write writes results.md and
findings.md; --same fails unless they say so.
"""
import argparse
import concurrent.futures
import difflib
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["tests/verify", "tests/peers", "tests/catalogue", "tests/attacks",
           "tests/forms"]
NOT_YET = """\
# Files whose expectation the verifier does not meet yet, and how it differs.
# Printed by table.py --not-yet. A file that does meet it must be taken off."""
# Faults between equals: any of the places may be the one that is named first.
MUTUAL = ("race/*", "deadlock/cycle", "barrier/participants", "tcgen05/",
          "tmem/order")
FINDING = re.compile(
    r'(error|cause|warning|note|also)\[([^\]]*)\](?: (anywhere))?(?:\s+"(.*)")?$')


class Expectation:
    def __init__(self, path):
        self.verdict, self.findings, self.arguments = "", [], []
        self.causes = 0  # that are marked as the first to be told
        waiting = []
        for number, line in enumerate(path.read_text().split("\n"), 1):
            code, _, directive = line.partition("//!")
            alone = not code.split("//")[0].strip()
            if directive and "//" not in code:
                (waiting if alone else []).append(directive.strip())
                if not alone:
                    self.read(directive.strip(), number)
            if not alone:
                for text in waiting:
                    self.read(text, number)
                waiting = []
        for text in waiting:
            self.read(text, 0)

    def read(self, text, line):
        word, _, rest = text.partition(" ")
        if word == "verdict:":
            self.verdict = rest
        elif word == "strict":
            self.arguments += ["--strict", rest]
        elif word == "define":
            self.arguments += ["-D", rest]
        elif found := FINDING.match(text):
            anywhere = found[1] in ("also", "note") or found[3]
            self.causes += found[1] == "cause"
            kind = "error" if found[1] == "cause" else found[1]
            self.findings.append((kind, found[2], found[4] or "",
                                  0 if anywhere else line))


def same_code(wanted, code):
    return any(code == one or (one.endswith("/*") and
                               code.startswith(one[:-1]))
               for one in wanted.split("|"))


def takes_part(finding, line):
    places = [finding["location"]] + finding["labels"]
    return any(place["line"] == line for place in places)


def meets(finding, wanted):
    kind, code, text, line = wanted
    if not same_code(code, finding["code"]):
        return False
    if kind == "also":
        return True
    if kind == "note" or finding["follows_from_one"]:
        return (kind == "note" and finding["follows_from_one"] and
                text in finding["message"])
    here = line in (0, finding["location"]["line"])
    if line and code.startswith(MUTUAL):
        here = takes_part(finding, line)
    return (here and finding["severity"] == kind and
            text in finding["message"])


def check(tilesim, path, arguments):
    done = subprocess.run(
        [tilesim, "check", "--format", "json", *arguments, str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False)
    files = json.loads(done.stdout or '{"files": []}')["files"]
    if not files:
        return f"exit {done.returncode}", [], []
    found = files[0]
    told = found["findings"] + found.get("errors", [])
    follow = [f for finding in told for f in finding.get("follows", [])]
    for f in told + follow:
        f["follows_from_one"] = f in follow
    return found["verdict"], told + follow, found.get("open", [])


def differences(expected, verdict, findings, why):
    out = []
    if expected.verdict == "clean" == verdict and why:
        out.append(f"open: {why[0]}")
    if verdict != expected.verdict:
        out.append(f"verdict {verdict}, not {expected.verdict}")
    for wanted in expected.findings:
        if wanted[0] != "also" and not any(meets(f, wanted) for f in findings):
            out.append(f"no {wanted[0]}[{wanted[1]}] on line {wanted[3]}")
    for f in findings:
        if f["follows_from_one"]:
            continue
        if not any(meets(f, wanted) for wanted in expected.findings):
            out.append(f"unexpected {f['severity']}[{f['code']}] on line "
                       f"{f['location']['line']}")
    return out


def codes(pairs):
    return ", ".join(dict.fromkeys(f"`{code}`" for code in pairs)) or "-"


def judged(path, tilesim):
    """The file, what it expects, what is said, and how that differs."""
    expected = Expectation(path)
    verdict, findings, why = check(tilesim, path, expected.arguments)
    return (path, expected, verdict, findings,
            differences(expected, verdict, findings, why))


def rows(results):
    yield "# What `tilesim check` says of every program of the corpora\n"
    yield "Written by `table.py --write`; a test runs it again.\n"
    yield "| corpus | programs | as expected |\n|---|--:|--:|"
    for folder in dict.fromkeys(r[0].parent.name for r in results):
        of = [r for r in results if r[0].parent.name == folder]
        yield f"| {folder} | {len(of)} | {sum(not r[4] for r in of)} |"
    yield "\n| corpus | program | expected | got | |\n|---|---|---|---|---|"
    for path, expected, verdict, findings, wrong in results:
        wanted = [w[1] for w in expected.findings if w[0] != "also"]
        yield (f"| {path.parent.name} | {path.stem} | {expected.verdict}: "
               f"{codes(wanted)} | {verdict}: "
               f"{codes(f['code'] for f in findings if not f['follows_from_one'])} | "
               f"{'**differs**' if wrong else 'as expected'} |")


def before():
    lines = (ROOT / "tests/verify/errors_before.txt").read_text().split("\n")
    return {line.split()[0]: int(line.split()[1]) for line in lines
            if line and not line.startswith("#")}


def spread(counts):
    counts = sorted(counts)
    at = {"median": 0.5, "nine in ten": 0.9, "most": 1}
    return ", ".join(f"{name} {counts[max(0, math.ceil(p * len(counts)) - 1)]}"
                     for name, p in at.items())


def findings_rows(results):
    """Of each bug: errors before and now, what follows, and the first."""
    yield "# How many errors each bug has\n"
    yield ("Written by `table.py --write`; a test runs it again. Before: each "
           "finding by itself. What follows from an error is its note.\n")
    known, table, was, now = before(), [], [], []
    for path, expected, _, findings, _ in results:
        if expected.verdict != "findings":
            continue
        name = str(path.relative_to(ROOT))
        errors = [f for f in findings
                  if f["severity"] == "error" and not f["follows_from_one"]]
        notes = [f for f in findings if f["follows_from_one"]]
        was.append(known.get(name, 1))
        now.append(len(errors))
        first = (f"`{errors[0]['code']}` line {errors[0]['location']['line']}"
                 if errors else "-")
        table.append(f"| {path.parent.name} | {path.stem} | {was[-1]} | "
                     f"{now[-1]} | {codes(f['code'] for f in notes)} | {first} |")
    yield f"{len(table)} bugs. Before: {spread(was)}. Now: {spread(now)}.\n"
    yield ("| corpus | program | before | now | what follows | the first |\n"
           "|---|---|--:|--:|---|---|")
    yield from table


def pages(results):
    folder = ROOT / "tests/verify"
    yield folder / "results.md", "\n".join(rows(results)) + "\n"
    yield folder / "findings.md", "\n".join(findings_rows(results)) + "\n"


def compare(results):
    diff = []
    for path, text in pages(results):
        recorded = path.read_text() if path.exists() else ""
        diff += difflib.unified_diff(recorded.split("\n"), text.split("\n"),
                                     str(path), "now", lineterm="", n=0)
    if diff:
        sys.exit("\n".join(diff))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tilesim", default=str(ROOT / "build/tilesim"))
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--not-yet", action="store_true")
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("paths", nargs="*", default=FOLDERS)
    options = parser.parse_args()
    files = []
    for name in options.paths:
        path = (ROOT / name).resolve()
        files += sorted(path.glob("*.tile")) if path.is_dir() else [path]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda p: judged(p, options.tilesim), files))
    lines = list(findings_rows(results) if options.findings else rows(results))
    if options.not_yet or options.wrong:
        lines = [f"{r[0].relative_to(ROOT)} {'; '.join(r[4])}"
                 for r in results if r[4]]
    if options.not_yet:
        lines.insert(0, NOT_YET)
    text = "\n".join(lines) + "\n"
    if options.same:
        compare(results)
    elif options.write:
        for path, page in pages(results):
            path.write_text(page)
    else:
        print(text, end="")
    right = sum(not r[4] for r in results)
    print(f"\n{right} of {len(files)} as expected", file=sys.stderr)


if __name__ == "__main__":
    main()
