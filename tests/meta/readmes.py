#!/usr/bin/env python3
"""Every folder has a README.md that says what belongs there.

A folder is one that holds files of its own. Hidden folders and folders of
mere data (golden, testdata, corpus) need none. Exemptions, with reasons:
tests/meta/readme_exemptions.txt.
"""

import pathlib

import repo

DATA = {"golden", "testdata", "corpus"}


def check(root):
    exempt = repo.Exemptions(root, "readme_exemptions.txt")
    files = repo.files(root)
    folders = sorted({pathlib.PurePath(*path.parts[:n]) for path in files
                      for n in range(len(path.parts))})
    for folder in folders:
        hidden = any(p.startswith(".") for p in folder.parts)
        if hidden or DATA.intersection(folder.parts) or exempt.covers(folder):
            continue
        readme = folder / "README.md"
        if readme not in files:
            yield folder, "has no README.md"
        elif not repo.read(root, readme).strip():
            yield readme, "is empty"
    yield from exempt.findings()


def self_test(tree):
    root = {"README.md": "# r\n"}
    tree.accepts({**root, "a/README.md": "# a\n", "a/golden/x.json": "{}",
                  ".ci/run": ""})
    tree.rejects({"x": ""}, "has no README.md")
    tree.rejects({**root, "a/x.cc": ""}, "a: has no README.md")
    tree.rejects({**root, "a/README.md": "# a\n", "a/b/x.cc": ""},
                 "a/b: has no")
    tree.rejects({**root, "a/README.md": " \n"}, "is empty")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
