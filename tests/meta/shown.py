#!/usr/bin/env python3
"""What the pages show is what the command does.

    shown.py BINARY        # e.g. build/tilesim
    shown.py --self-test

In the code blocks of every Markdown file:

* `$ build/tilesim ARGUMENTS` and the lines below it: the command prints those
  lines, in that order; `...` stands for any lines. It may find something.
* `tilesim ARGUMENTS` that name a file of the tree: the command ends well.
* A block that begins with `kernel`: a program that runs and finds nothing.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import repo

# Indented, or between fences.
BLOCK = re.compile(r"(?:^    [^\n]*\n)+|^```[^\n]*\n(.*?)^```", re.S | re.M)
ENDS_WELL = (0,)
MAY_FIND = (0, 1)


def blocks(text):
    for match in BLOCK.finditer(text):
        if match[1] is not None:
            yield match[1].splitlines()
        else:
            yield [line[4:] for line in match[0].splitlines()]


def difference(shown, printed):
    """The first shown line that is not printed where it should be, or None."""
    at, anywhere = 0, False
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        end = len(printed) if anywhere else min(at + 1, len(printed))
        hit = next((i for i in range(at, end) if printed[i] == line), None)
        if hit is None:
            return line
        at, anywhere = hit + 1, False
    return None


def examples(page):
    """(arguments, program or None, shown lines, exit codes) of a page."""
    for lines in blocks(page):
        if lines[0].startswith("kernel "):
            yield ["run", "-"], "\n".join(lines) + "\n", [], ENDS_WELL
        elif lines[0].startswith("$ build/tilesim "):
            words = shlex.split(lines[0])[2:]
            yield words, None, lines[1:], MAY_FIND
        else:
            for line in lines:
                if not line.startswith("tilesim "):
                    continue
                words = shlex.split(line, comments=True, posix=False)
                if words[:1] == ["tilesim"] and \
                        any(word.endswith(".tile") for word in words):
                    yield words[1:], None, [], ENDS_WELL


def run(binary, root, arguments, program):
    """Exit code, standard output and errors; files it writes are dropped."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(root / "examples", f"{folder}/examples")
        if program is not None:
            pathlib.Path(folder, "shown.tile").write_text(program)
            arguments = [a if a != "-" else "shown.tile" for a in arguments]
        done = subprocess.run([binary] + arguments, cwd=folder, timeout=300,
                              capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr


def findings(page, run_one):
    for arguments, program, shown, codes in examples(page):
        name = "the program" if program else f"`{' '.join(arguments)}`"
        code, out, errors = run_one(arguments, program)
        if code not in codes:
            yield f"{name} ends with {code}: {errors.strip()[:500]}"
        line = difference(shown, [l.rstrip() for l in out.splitlines()])
        if line is not None:
            yield f"{name} does not print: {line}"


def self_test():
    def said(page, code=0, out="a\nb\nc\n"):
        return list(findings(page, lambda arguments, program: (code, out, "")))

    shows = "    $ build/tilesim run x.tile\n    {}\n".format
    assert said(shows("a\n    b")) == [] and said(shows("...\n    c")) == []
    assert said(shows("b")) == ["`run x.tile` does not print: b"]
    assert said(shows("a\n    c")) == ["`run x.tile` does not print: c"]
    assert said(shows("...\n    c\n    a")) == ["`run x.tile` does not print: a"]
    assert said(shows("a"), code=1) == [] and len(said(shows("a"), code=2)) == 1
    assert len(said("    tilesim run x.tile -D M=1  # why\n", code=1)) == 1
    assert said("    tilesim run FILE  what it does\n", code=1) == []
    assert len(said("```\nkernel k target sm_90a {\n}\n```\n", code=2)) == 1
    print("self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    binary, root = os.path.abspath(sys.argv[1]), repo.HERE.parents[1]
    found = [f"{path}: {what}" for path in repo.files(root, ".md")
             for what in findings(repo.read(root, path),
                                  lambda *one: run(binary, root, *one))]
    print("\n".join(found) if found else "nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
