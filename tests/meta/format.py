#!/usr/bin/env python3
"""C++ files are laid out as clang-format 14 does it (./dev format).

The version is pinned, because others break lines elsewhere.
"""

import re
import shutil
import subprocess

import repo

VERSION = "14"


def formatter():
    """The command, or None where that version is not installed."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        told = subprocess.run([path, "--version"], capture_output=True,
                              text=True, check=True).stdout
        if re.search(rf"version {VERSION}\.", told):
            return path
    return None


def check(root):
    command = formatter()
    if command is None:
        yield "clang-format", f"version {VERSION} is not installed"
        return
    files = [str(path) for path in repo.files(root, *repo.CPP)]
    if not files:
        return
    told = subprocess.run(
        [command, "--style=file", "--dry-run", *files], cwd=root,
        capture_output=True, text=True, check=True).stderr
    seen = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: warning", told, re.M):
        if path not in seen:
            seen.add(path)
            yield f"{path}:{line}", "not laid out as ./dev format does it"


def self_test(tree):
    style = {".clang-format": "BasedOnStyle: Google\n"}
    tree.accepts({**style, "a.cc": "int a = 1;\n"})
    tree.rejects({**style, "a.cc": "int  a=1;\n"}, "a.cc:1: not laid out")


if __name__ == "__main__":
    repo.main(__doc__, check, self_test)
