#!/usr/bin/env python3
"""Files and functions stay small.

C++ sources: median file <= 120 lines, 90th percentile <= 280, none > 600.
Tests and benchmarks: none > 600. Functions anywhere: none > 60 lines.
Prints the table. Exemptions, with reasons: tests/meta/budget_exemptions.txt
(`path` for a file, `path:function` for a function).
"""

import math
import re

import functions
import repo

FILE_MEDIAN, FILE_P90, FILE_MAX, FUNCTION_MAX = 120, 280, 600, 60
TEST = re.compile(r"(^tests/|_(test|bench|fuzz)\.(cc|h)$)")


def percentile(values, fraction):
    """The smallest value that `fraction` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(fraction * len(ordered)) - 1, 0)]


def row(name, values):
    if not values:
        return f"{name:<34}{0:>7}"
    return (f"{name:<34}{len(values):>7}{percentile(values, 0.5):>8}"
            f"{percentile(values, 0.9):>6}{max(values):>6}{sum(values):>8}")


def part(path):
    return "/".join(path.parts[:2] if path.parts[0] == "sim"
                    else path.parts[:1])


def print_table(files, lengths):
    print(f"{'':<34}{'count':>7}{'median':>8}{'p90':>6}{'max':>6}{'lines':>8}")
    sources = {p: n for p, n in files.items() if not TEST.search(p.as_posix())}
    tests = [n for p, n in files.items() if p not in sources]
    for name in sorted({part(p) for p in sources}):
        print(row(f"files in {name}",
                  [n for p, n in sources.items() if part(p) == name]))
    print(row("all source files", list(sources.values())))
    print(row("all test files", tests))
    print(row("functions", lengths))


def check(root):
    exempt = repo.Exemptions(root, "budget_exemptions.txt")
    files, lengths, findings = {}, [], []
    for path in repo.files(root, *repo.CPP):
        text = repo.read(root, path)
        size = len(text.splitlines())
        files[path] = size
        if size > FILE_MAX and not exempt.covers(path):
            findings.append((path, f"{size} lines, over {FILE_MAX}"))
        for name, line, length in functions.functions(text):
            lengths.append(length)
            if length > FUNCTION_MAX and not exempt.covers(f"{path}:{name}"):
                findings.append((f"{path}:{line}",
                                 f"{name} has {length} lines, over "
                                 f"{FUNCTION_MAX}"))
    print_table(files, lengths)
    yield from findings
    yield from exempt.findings()
    sources = [n for p, n in files.items() if not TEST.search(p.as_posix())]
    if sources and percentile(sources, 0.5) > FILE_MEDIAN:
        yield "source files", f"the median is over {FILE_MEDIAN} lines"
    if sources and percentile(sources, 0.9) > FILE_P90:
        yield "source files", f"the 90th percentile is over {FILE_P90} lines"


def self_test(tree):
    functions.self_test()
    short = {f"ir/{i}.h": "\n" for i in range(20)}
    body = "int F() {\n" + "  G();\n" * 60 + "}\n"
    exemptions = "tests/meta/budget_exemptions.txt"
    tree.accepts({**short, "ir/a.cc": "\n" * 600})
    tree.accepts({**short, "ir/a.cc": body.replace("  G();\n", "", 2)})
    tree.rejects({**short, "ir/a.cc": "\n" * 601}, "601 lines, over 600")
    tree.rejects({**short, "tests/a.cc": "\n" * 601}, "601 lines, over 600")
    tree.rejects({**short, "ir/a.cc": body}, "F has 62 lines")
    tree.accepts({**short, "ir/a.cc": body,
                  exemptions: "# why\nir/a.cc:F  generated\n"})
    tree.rejects({**short, "ir/a.cc": body, exemptions: "ir/a.cc:F\n"},
                 "without a reason")
    tree.rejects({**short, exemptions: "ir/gone.cc  it was large\n"},
                 "exempts nothing")
    tree.rejects({"ir/a.h": "\n" * 121, "ir/b.h": "\n" * 121}, "median")
    tree.rejects({**{f"ir/{i}.h": "\n" for i in range(8)},
                  "ir/a.h": "\n" * 281, "ir/b.h": "\n" * 281}, "percentile")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
