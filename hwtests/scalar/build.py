#!/usr/bin/env python3
"""Assembles what scalar_write wrote, without what the target does not have.

    build.py FOLDER TARGET

FOLDER has scalar.ptx and cases.txt; gets scalar.cubin, cases.TARGET.txt (the
cases that ptxas takes) and refused.TARGET.txt (the others, with its words).
"""
import pathlib
import re
import subprocess
import sys

ERROR = re.compile(r"line (\d+); error\s*: (.*)")
ENTRY = re.compile(r"\.visible \.entry (\w+)\(")


def kernels(lines):
    """[(name, first line, line after the last)], lines from 0."""
    starts = [(m.group(1), i) for i, line in enumerate(lines)
              if (m := ENTRY.match(line))]
    ends = [i for _, i in starts[1:]] + [len(lines)]
    return [(name, start, end) for (name, start), end in zip(starts, ends)]


def assemble(folder, target, text):
    source = folder / f"{target}.ptx"
    source.write_text(text)
    return subprocess.run(
        ["ptxas", f"-arch={target}", str(source), "-o",
         str(folder / "scalar.cubin")],
        capture_output=True, text=True, check=False)


def main():
    folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = (folder / "scalar.ptx").read_text()
    text = re.sub(r"\.target \w+", f".target {target}", text, count=1)
    refused = {}
    while True:
        done = assemble(folder, target, text)
        if done.returncode == 0:
            break
        lines = text.splitlines(keepends=True)
        wrong = {}
        for number, words in ERROR.findall(done.stdout + done.stderr):
            wrong.setdefault(int(number) - 1, words)
        kept, dropped = lines[:kernels(lines)[0][1]], 0
        for name, start, end in kernels(lines):
            errors = [wrong[i] for i in range(start, end) if i in wrong]
            if errors:
                refused[name] = errors[0]
                dropped += 1
            else:
                kept += lines[start:end]
        if dropped == 0:
            sys.exit(done.stdout + done.stderr)
        text = "".join(kept)
    cases = (folder / "cases.txt").read_text().splitlines()
    taken = [c for c in cases if c.split("\t")[0] not in refused]
    (folder / f"cases.{target}.txt").write_text("\n".join(taken) + "\n")
    (folder / f"refused.{target}.txt").write_text("".join(
        f"{name}\t{words}\n" for name, words in
        ((c.split("\t")[1], refused.get(c.split("\t")[0])) for c in cases)
        if words))
    print(f"{target}: {len(taken)} cases, {len(refused)} refused")


if __name__ == "__main__":
    main()
