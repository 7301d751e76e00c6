#!/usr/bin/env python3
"""ptxas makes one cubin of a PTX text and of what `tilesim ptx` prints of it.

    identity.py TILESIM                  the files of testdata, each option
    identity.py TILESIM --all [RESULT]   every program that lowers, too; minutes
    identity.py TILESIM FILE...          these, .ptx or .tile

Printed with registers renamed, and lines kept so that DWARF lines agree. ptxas
is not deterministic on some modules: where one text gives several cubins, the
other has to give one of them.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import cubin

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ("-O0", "-O3", "-O3 -lineinfo")
TRIES = 12  # until a pair of cubins agrees
SECONDS = 300


def run(*words, cwd=None):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    return done.returncode, done.stderr


def target_of(text):
    for line in text.splitlines():
        if line.strip().startswith(".target"):
            return line.split()[1].rstrip(",")
    raise ValueError("no .target")


def assemble(folder, target, options):
    code, errors = run("ptxas", f"-arch={target}", *options.split(), "k.ptx",
                       "-o", "k.cubin", cwd=folder)
    if code != 0:
        raise ValueError(errors.strip()[:500])
    return cubin.key(folder / "k.cubin")


def same_cubin(one, other, target, options):
    """None, or the sections in which the nearest pair differs."""
    seen = ([], [])
    for _ in range(TRIES):
        for found, folder in zip(seen, (one, other)):
            found.append(assemble(folder, target, options))
        if any(a == b for a in seen[0] for b in seen[1]):
            return None
    return min((cubin.different(a, b) for a in seen[0] for b in seen[1]),
               key=len)


def judge(tilesim, ptx, folder, options):
    """{option: "same" or why not} of a PTX file."""
    one, other = folder / "one", folder / "other"
    for place in (one, other):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    shutil.copy(ptx, one / "k.ptx")
    code, errors = run(tilesim, "ptx", str(one / "k.ptx"), "--print",
                       "--rename", "--keep-lines", "-o",
                       str(other / "k.ptx"))
    if code != 0:
        return {"parsed": errors.strip()[:500]}
    target = target_of((one / "k.ptx").read_text())
    verdict = {}
    for option in options:
        try:
            why = same_cubin(one, other, target, option)
        except ValueError as error:
            why = str(error)
        verdict[option] = "same" if why is None else f"differs: {why}"
    return verdict


def lowered(tilesim, program, folder):
    """The PTX of a program, with line information; None: it does not lower."""
    cuda, ptx = folder / "k.cu", folder / "k.ptx"
    code, _ = run(tilesim, "lower", str(program), "-o", str(cuda))
    if code != 0:
        return None
    text = program.read_text(errors="replace")
    target = "sm_100a" if "sm_100a" in text else "sm_90a"
    code, errors = run("nvcc", "-ptx", "-lineinfo", f"-arch={target}",
                       str(cuda), "-o", str(ptx))
    if code != 0:
        print(f"{program}: nvcc: {errors.strip()[:300]}", file=sys.stderr)
        return None
    return ptx


def inputs(args):
    if args.files:
        return [pathlib.Path(name) for name in args.files]
    triton = sorted((ROOT / "tests/ptx/testdata").rglob("*.ptx"))
    if args.all is None:
        return triton
    programs = [p for part in ("examples", "tests")
                for p in sorted((ROOT / part).rglob("*.tile"))]
    return triton + programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilesim")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", nargs="?", const="-")
    parser.add_argument("--option", action="append")
    args = parser.parse_args()
    tilesim = str(pathlib.Path(args.tilesim).resolve())
    counts, wrong = collections.Counter(), {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in inputs(args):
            ptx = path if path.suffix == ".ptx" else \
                lowered(tilesim, path, folder)
            if ptx is None:
                counts["not lowered"] += 1
                continue
            counts["files"] += 1
            found = judge(tilesim, ptx, folder, args.option or OPTIONS)
            for option, said in found.items():
                counts[option if said == "same" else f"{option} not"] += 1
                if said != "same":
                    wrong[f"{path} {option}"] = said
                    print(path, option, said, flush=True)
            if args.all not in (None, "-"):
                pathlib.Path(args.all).write_text(json.dumps(
                    {"counts": counts, "differ": wrong}, indent=1) + "\n")
    print(dict(counts))
    return 1 if wrong or counts["files"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
