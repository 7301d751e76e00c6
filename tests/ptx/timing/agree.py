#!/usr/bin/env python3
"""The time of a program, and of the PTX that nvcc makes of it.

    agree.py TILESIM                  those of programs.txt, within its percents
    agree.py TILESIM --table FILE...  a row each

A program is lowered at its sizes (../roundtrip/roundtrip.py), compiled by nvcc
and timed (`run --timing-only`), as the program itself is.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "roundtrip"))
import roundtrip  # noqa: E402  pylint: disable=wrong-import-position

ROOT = HERE.parents[2]


def timed(tilesim, *words):
    """Cycles and time; or why there are none."""
    done = subprocess.run([tilesim, "run", *map(str, words), "--timing-only",
                           "--format", "json"], capture_output=True,
                          text=True, check=False)
    try:
        said = json.loads(done.stdout)["files"][0]
        return int(said["cycles"]), float(said["time_us"])
    except (ValueError, KeyError, TypeError, IndexError):
        return f"exit {done.returncode}: {done.stderr.strip()[:200]}"


def sizes_of(program, given):
    words = []
    for pair in given:
        words += ["-D", pair]
    return words or roundtrip.sizes_of(program.read_text())


def compare(tilesim, program, folder, given=()):
    """Cycles of the program and of its PTX, or why there are none."""
    sizes = sizes_of(program, given)
    made = roundtrip.made_of(tilesim, program, sizes, folder)
    if isinstance(made, roundtrip.Outcome):
        return f"{made.kind}: {made.ptx.why}"
    ptx, launch, _ = made
    text = timed(tilesim, program, *sizes)
    if isinstance(text, str):
        return text
    of_ptx = timed(tilesim, ptx, "--launch", launch)
    return of_ptx if isinstance(of_ptx, str) else (text[0], of_ptx[0])


def listed():
    """Program, percent, sizes."""
    for line in (HERE / "programs.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, percent, *sizes = line.split()
            yield ROOT / name, float(percent), sizes


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tilesim")
    p.add_argument("files", nargs="*")
    p.add_argument("--table", action="store_true")
    p.add_argument("--keep")
    o = p.parse_args()
    tilesim = str(pathlib.Path(o.tilesim).resolve())
    wanted = [(pathlib.Path(f).resolve(), 1e9, []) for f in o.files] \
        or list(listed())
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(o.keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        for program, most, given in wanted:
            shown = roundtrip.name_of(program).removesuffix(".tile")
            said = compare(tilesim, program, folder, given)
            if isinstance(said, str):
                print(f"{shown}: {said}")
                wrong += 1
                continue
            text, ptx = said
            percent = 100 * (ptx / text - 1)
            far = abs(percent) > most
            wrong += far
            row = [shown, " ".join(given), f"{text:,}", f"{ptx:,}",
                   f"{percent:+.1f}"]
            print(f"| {' | '.join(row)} |" if o.table else
                  " ".join(row) + (f": more than {most} %" if far else ""),
                  flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
