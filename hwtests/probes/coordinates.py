#!/usr/bin/env python3
"""Where along a row a tensor copy may begin: 134 programs, and what an H200 says.

    coordinates.py write DIR             # the programs
    coordinates.py check TILESIM         # each verdict against coordinates.json

coordinates.json has of each program "runs" or "illegal instruction", as
`tilesim hw` saw it in its first launch.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_name("coordinates.json")
BYTES = {"u8": 1, "f16": 2, "f32": 4}
ROWS = {"none": 128, "32B": 32, "64B": 64, "128B": 128}
LOAD = """    mbarrier.arrive.expect_tx full, bytes(a)
    tma.load a, {}, full
  }}
  mbarrier.wait full, parity = 0
  thread 0 {{
"""
DONE = "    bulk.commit_group\n    bulk.wait_group 0\n  }\n}\n"


def program(op, swizzle, dtype, start):
    """A copy that begins `start` bytes behind the begin of its rows."""
    columns = ROWS[swizzle] // BYTES[dtype]
    at = start // BYTES[dtype]
    box = f"X[0 :+ 64, cta.x {'-' if at < 0 else '+'} {abs(at)} :+ {columns}]"
    whole = f"[0 :+ 64, 0 :+ {columns}]"
    if op == "load":
        body = LOAD.format(box) + f"    tma.store Y{whole}, a\n"
    elif op == "prefetch":
        body = (f"    tma.prefetch {box}\n" + LOAD.format("X" + whole) +
                f"    tma.store Y{whole}, a\n")
    else:
        body = LOAD.format("Y" + whole) + f"    tma.{op} {box}, a\n"
    return f"""kernel p target sm_90a {{
  global X : {dtype}[64, {4 * columns}]
  global Y : {dtype}[64, {columns}]
  grid (1)
  block 128
  mbarrier full
  shared a : {dtype}[64, {columns}]{'' if swizzle == 'none' else ' swizzle ' + swizzle}
  thread 0 {{
    mbarrier.init full, 1
    fence.mbarrier_init
  }}
  bar.sync 0
  thread 0 {{
""" + body + DONE


def cases():
    for swizzle in ROWS:
        for dtype, size in BYTES.items():
            for start in (1, 2, 4, 8, 16, -8, -16):
                if start % size:
                    continue
                yield "load", swizzle, dtype, start
                if swizzle in ("none", "128B") and start > 0:
                    for op in ("store", "reduce.add", "prefetch"):
                        if op != "reduce.add" or dtype != "u8":
                            yield op, swizzle, dtype, start


def name_of(case):
    return "_".join(map(str, case)).replace(".", "_")


def write(folder):
    for case in cases():
        path = pathlib.Path(folder) / f"{name_of(case)}.tile"
        path.write_text(program(*case), encoding="utf-8")


def check(tilesim):
    record = json.loads(RECORD.read_text(encoding="utf-8"))["programs"]
    wrong = [f"{name}: not recorded" for name in map(name_of, cases())
             if name not in record]
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        paths = sorted(pathlib.Path(folder).glob("*.tile"))
        done = subprocess.run([tilesim, "check", "--format", "json", *paths],
                              capture_output=True, text=True, check=False)
        for file in json.loads(done.stdout)["files"]:
            name = pathlib.Path(file["file"]).stem
            told = {f["code"] for f in file.get("findings", [])
                    if f["severity"] == "error"}
            told |= {e["code"] for e in file.get("errors", [])}
            runs = record[name] == "runs"
            if told != (set() if runs else {"layout/alignment"}):
                wrong.append(f"{name}: an H200 says {record[name]}, "
                             f"check {sorted(told) or 'clean'}")
    print("\n".join(wrong) or f"{len(paths)} programs as recorded")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(write(sys.argv[2]) if sys.argv[1] == "write" else
             check(sys.argv[2]))
