#!/usr/bin/env python3
"""Which opcodes there are in PTX files, what they are there for, and what `check` does with them.

    opcodes.py TILESIM FOLDER... > tests/ptx/opcodes.md

All .ptx files of the folders. A row is an opcode of ptx/isa/isa.def: in how many
files it stands; how often as an operation or access, as a value that decides
control or addresses, as payload; and which spellings `check` does not execute
where they are no payload.
"""
import collections
import json
import pathlib
import subprocess
import sys


def kernels_of(tilesim, path):
    done = subprocess.run([tilesim, "ptx", str(path), "--format", "json"],
                          capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout).get("kernels", [])
    except ValueError:
        return []


def main():
    files = sorted(p for folder in sys.argv[2:]
                   for p in pathlib.Path(folder).rglob("*.ptx"))
    counts = collections.defaultdict(collections.Counter)
    refused = collections.defaultdict(set)
    unread = 0
    for path in files:
        kernels = kernels_of(sys.argv[1], path)
        unread += not kernels
        there = set()
        for kernel in kernels:
            for opcode, planes in kernel["opcodes"].items():
                there.add(opcode)
                counts[opcode].update(planes)
            for opcode, spellings in kernel["refused"].items():
                refused[opcode].update(spellings)
        for opcode in there:
            counts[opcode]["files"] += 1
    print("# Opcodes of PTX that were seen\n\nWritten by `opcodes.py`: "
          f"{len(files)} files (Triton's, recorded ones, programs of tests and "
          f"examples as nvcc compiles them), of which {unread} have no kernel. "
          "All parse.\n")
    print("| opcode | files | operation | control | payload | not executed |")
    print("|---|--:|--:|--:|--:|---|")
    for opcode in sorted(counts):
        c = counts[opcode]
        spelled = ", ".join(f"`{s}`" for s in sorted(refused[opcode])[:4])
        more = len(refused[opcode]) - 4
        if more > 0:
            spelled += f" and {more} more"
        print(f"| `{opcode}` | {c['files']} | {c['operation']} | "
              f"{c['control']} | {c['payload']} | {spelled} |")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
