#!/usr/bin/env python3
"""What `run` of PTX answers about time: what it leaves out, where it stops.

    answers.py TILESIM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent.parent / "testdata"
LAUNCH = {
    "schema": 1, "target": "sm_90a", "tensormaps": [],
    "buffers": [{"name": "flag", "bytes": 4, "dtype": "s32", "start": "zero"}],
    "launches": [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
                  "params": [{"buffer": "flag"}]}]}
# It counts in memory for ever.
ENDLESS = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 .ptr .global k_0)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<3>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [k_0];
  mov.u32 %r1, %tid.x;
L:
  st.shared.u32 [s], %r1;
  bar.sync 0;
  bra L;
}
""".replace("{\n  .reg .b64", "{\n  .shared .align 4 .b8 s[4];\n  .reg .b64")


def run(tilesim, *words):
    done = subprocess.run([tilesim, "run", *map(str, words)],
                          capture_output=True, text=True, check=False,
                          timeout=100)
    return done.returncode, done.stdout, done.stderr


def check(what, holds, said):
    if not holds:
        print(f"{what}: {said}")
    return 0 if holds else 1


def main():
    tilesim = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = 0
    launch = DATA / "recorded" / "0001_mm_tma.json"
    ptx = DATA / "recorded" / "mm_tma-87f379ee.ptx"
    given = [ptx, "--launch", launch]

    said = run(tilesim, *given, "--timing-only", "--format", "json")
    answer = json.loads(said[1])["files"][0]
    wrong += check("JSON of the time", said[0] == 0 and answer["cycles"] > 0
                   and answer["time_us"] > 0 and answer["bound_by"]
                   and answer["units"] and answer["critical_path"]
                   and answer["not_covered"] and not answer["written"], said)
    again = run(tilesim, *given, "--timing-only", "--format", "json")
    wrong += check("the same time again", again[1] == said[1], again)
    said = run(tilesim, *given, "--timing-only", "--lines")
    wrong += check("text of the time", said[0] == 0 and "Duration" in said[1]
                   and "Not covered" in said[1] and "wgmma" in said[1], said)
    said = run(tilesim, *given, "--values-only", "--format", "json")
    answer = json.loads(said[1])["files"][0]
    wrong += check("JSON of values", said[0] == 0 and "time" in
                   answer["not_covered"] and answer["time_us"] is None
                   and answer["written"], said)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "trace.json"
        said = run(tilesim, *given, "--timing-only", "--trace", trace)
        wrong += check("trace", said[0] == 0 and
                       json.loads(trace.read_text())["traceEvents"], said)
        endless, described = folder / "k.ptx", folder / "k.json"
        endless.write_text(ENDLESS)
        described.write_text(json.dumps(LAUNCH))
        for only in ("--timing-only", "--values-only"):
            said = run(tilesim, endless, "--launch", described, only,
                       "--max-cycles", "100000")
            wrong += check(f"endless, {only}", said[0] == 3 and
                           "--max-cycles" in said[2], said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
