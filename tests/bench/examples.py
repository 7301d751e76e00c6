#!/usr/bin/env python3
"""What `tilesim run` of each example costs at its defaults, as a table.

    tests/bench/examples.py build/tilesim > tests/bench/examples.md

CPU seconds of one process on one core; measure on a machine that does nothing else.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASKED = 5  # seconds


def cost(command, path):
    child = subprocess.Popen([command, "run", str(path)],
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(command):
    rows = []
    for path in sorted((ROOT / "examples").rglob("*.tile")):
        seconds, megabytes = cost(command, path)
        rows.append((seconds, megabytes, path.relative_to(ROOT)))
    rows.sort(reverse=True)
    print("# What `tilesim run` of each example costs at its defaults\n")
    print("Written by [examples.py](examples.py). "
          f"{len(rows)} examples, {sum(r[0] for r in rows):.0f} CPU seconds; "
          f"{sum(r[0] > ASKED for r in rows)} take more than {ASKED}.\n")
    print("| example | CPU s | MB |\n|---|--:|--:|")
    for seconds, megabytes, path in rows:
        print(f"| {path} | {seconds:.1f} | {megabytes:.0f} |")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
