#!/usr/bin/env python3
"""The launch description of a lowered program fits the PTX that nvcc makes of it.

    lowered_launch.py TILESIM                     examples
    lowered_launch.py TILESIM --all [KEEP]        every program that lowers; minutes
    lowered_launch.py TILESIM FILE...             these

KEEP is a folder in which PTX and descriptions stay. A description without an
error is read back as it was written: `tilesim ptx --launch` reads it.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 300


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def judge(tilesim, program, folder, stem):
    """"fits", "does not lower", or what is wrong."""
    cuda, launch, ptx = (folder / f"{stem}{end}"
                         for end in (".cu", ".json", ".ptx"))
    code, said = run(tilesim, "lower", str(program), "-o", str(cuda),
                     "--launch", str(launch))
    if code != 0:
        return "does not lower"
    described = json.loads(launch.read_text())
    if not ptx.exists():
        code, said = run("nvcc", "-ptx", f"-arch={described['target']}",
                         str(cuda), "-o", str(ptx))
        if code != 0:
            return f"nvcc: {said[:300]}"
    code, said = run(tilesim, "ptx", str(ptx), "--launch", str(launch))
    if code != 0:
        return said[:500]
    fits = said.count("fits kernel")
    if fits != len(described["launches"]) or fits == 0:
        return f"{fits} of {len(described['launches'])} launches were judged"
    return "fits"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilesim")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", nargs="?", const="-")
    args = parser.parse_args()
    parts = ("examples",) if args.all is None else ("examples", "tests")
    programs = [pathlib.Path(f) for f in args.files] or [
        p for part in parts for p in sorted((ROOT / part).rglob("*.tile"))]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        keep = args.all not in (None, "-")
        folder = pathlib.Path(args.all if keep else name)
        folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            stem = "_".join(program.resolve().relative_to(ROOT).with_suffix("")
                            .parts) if program.resolve().is_relative_to(ROOT) \
                else program.stem
            said = judge(args.tilesim, program, folder, stem)
            known = said in ("fits", "does not lower")
            counts[said if known else "wrong"] += 1
            if not known:
                print(f"{program}: {said}", flush=True)
    print(dict(counts))
    return 1 if counts["wrong"] or counts["fits"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
