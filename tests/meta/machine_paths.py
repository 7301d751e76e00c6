#!/usr/bin/env python3
"""No file names a place on one machine: home folders, checkouts, drives.

Paths that are the same on every Linux machine (below usr, dev, proc, sys,
etc, tmp) are fine. Exemptions, with reasons:
tests/meta/path_exemptions.txt.
"""

import re

import repo

# A slash after a word, dot or slash is not the start of an absolute path.
PLACES = re.compile(
    r"(?<![\w./*~-])/(?:home|root|work|Users|mnt|media|data|scratch|workspace)"
    r"/[\w./-]+|\b[A-Z]:\\\\?[A-Za-z]")


def check(root):
    exempt = repo.Exemptions(root, "path_exemptions.txt")
    for path in repo.files(root):
        if b"\0" in (root / path).read_bytes()[:4096]:
            continue
        for number, line in enumerate(repo.read(root, path).splitlines(), 1):
            place = PLACES.search(line)
            if place and not exempt.covers(path):
                yield f"{path}:{number}", f"names {place.group()}"
    yield from exempt.findings()


def self_test(tree):
    bad = "/" + "home/me/x"  # in two pieces: this file is judged too
    tree.accepts({"a.md": "see /usr/bin/env, a/home/b, ./work/c, https://x/y, "
                          "$HOME/work/x, file:line, /tmp/x, /dev/null"})
    tree.rejects({"a.md": f"in {bad}"}, f"a.md:1: names {bad}")
    tree.rejects({"a.cc": f'"{bad}"'}, "names")
    tree.rejects({"CMakeLists.txt": "\nset(X /" + "work/main)"}, ":2: names")
    tree.rejects({"a.py": "C:" + "\\Users"}, "names C:")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
