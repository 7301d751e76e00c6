#!/usr/bin/env python3
"""Each header is compiled by itself somewhere, so that it names what it needs.

A header that a .cc includes before anything else is: nothing came before that
could make up for an include that it lacks. Headers that no .cc includes first
stand in headers.txt; a file with nothing but its #include is compiled for each
(tests/meta/CMakeLists.txt).
"""

import re

import repo

LIST = "tests/meta/headers.txt"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def check(root):
    headers = {str(path) for path in repo.files(root, ".h")}
    first = set()
    for path in repo.files(root, ".cc"):
        found = INCLUDE.search(repo.read(root, path))
        if found:
            first.add(found.group(1))
    listed = []
    if (root / LIST).is_file():
        lines = (root / LIST).read_text(encoding="utf-8").splitlines()
        listed = [line for line in lines if line and not line.startswith("#")]
    for header in sorted(headers - first - set(listed)):
        yield header, f"no .cc includes it first; list it in {LIST}"
    for header in listed:
        if header not in headers:
            yield LIST, f"{header} is no header"
        elif header in first:
            yield LIST, f"{header} need not be listed: a .cc includes it first"
    if listed != sorted(listed):
        yield LIST, "not sorted"


def self_test(tree):
    header = "#ifndef A\n#define A\n#endif\n"
    good = {"a/a.h": header, "a/a.cc": '#include "a/a.h"\n#include <map>\n',
            "a/b.h": header, LIST: "# alone\na/b.h\n"}
    tree.accepts(good)
    tree.rejects({**good, LIST: "# none\n"}, "a/b.h: no .cc includes it first")
    tree.rejects({**good, "a/a.cc": '#include <map>\n#include "a/a.h"\n'},
                 "a/a.h: no .cc includes it first")
    tree.rejects({**good, LIST: "a/a.h\na/b.h\n"}, "need not be listed")
    tree.rejects({**good, LIST: "a/b.h\na/c.h\n"}, "is no header")
    tree.rejects({**good, "a/c.h": header, LIST: "a/c.h\na/b.h\n"},
                 "not sorted")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
