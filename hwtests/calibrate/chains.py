#!/usr/bin/env python3
"""What an iteration of register arithmetic takes, of one to three warps of each
sub-core, of kernels as `tilesim lower` writes them.

    chains.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    chains.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import concurrent.futures
import json
import pathlib
import sys
import tempfile

import loops

DATA, LAUNCHES, TOGETHER = loops.DATA, 15, 8
FEW, MANY, STEPS = 64, 1088, 8
# The model may be so far off, and on average.
SHARE, MEAN = 0.65, 0.12

GROUPS = """kernel chain target sm_90a {{
  param K : 8.. = 64
  const W = {warps}
  global X : f32[{rows}, {columns}]
  global Y : f32[W * {rows}, {columns}]
  grid (1)
  block W * 128
  reg s, o, z : f32[{rows}, {columns}] fragment {fragment}
  reg p : f16[{rows}, {columns}] fragment {fragment}
  reg m, t, u, al, mn : f32[{rows}, 1] fragment {fragment}
  ld.global s, X
  ld.global o, X
  ld.global z, X
  mov m, 0.0
  mov t, 0.5
  mov u, 0.25
  mov al, 0.125
  mov mn, 0.0
  cvt p, s
  bar.sync 0
  for k in 0..K {{
{ops}
  }}
  cvt z, p
  add s, s, o
  add s, s, z
  mul s, s, m
  mul s, s, t
  mul s, s, u
  mul s, s, al
  mul s, s, mn
  warpgroups 0..W {{ st.global Y[warpgroup * {rows} :+ {rows}, :], s }}
}}
"""
# Warps, each of which has a tile in shared memory; the loop moves along it, eight
# steps a turn.
WARPS = """kernel inner target sm_90a {{
  param K : 1.. = 8
  const WARPS = {warps} * 4
  global X : {fragment}[16, 512]
  global Y : f32[WARPS * 16, 64]
  grid (1)
  block WARPS * 32
  shared x[WARPS] : {fragment}[16, 512] swizzle 128B
  reg raw, rb : {fragment}[16, 64] fragment mma
  reg v, sum, top, o : f32[16, 64] fragment mma
  reg shift, total : f32[16, 1] fragment mma
  mov shift, 0.5
  mov total, 0.5
  mov sum, 0.0
  mov top, 0.0
  mov o, 1.0
  role rows = warps 0..WARPS {{
    for c in 0..512 step 64 {{
      ld.global raw, X[:, c :+ 64]
      st.shared x[warp][:, c :+ 64], raw
    }}
    cvt v, raw
    mov rb, 0.25
    bar.warp.sync
    for k in 0..K {{
      for c in 0..512 step 64 {{
{ops}
      }}
    }}
    cvt top, rb
    add sum, sum, top
    add sum, sum, v
    add sum, sum, o
    mul sum, sum, total
    mul sum, sum, shift
    st.global Y[warp * 16 :+ 16, :], sum
  }}
}}
"""
SOFTMAX = ("mul s, s, 1.25;row.max t, s;max mn, m, t;sub al, m, mn;ex2 al, al;"
           "mov m, mn;sub s, s, mn;ex2 s, s;row.sum t, s;fma u, u, al, t;"
           "mul o, o, al;cvt p, s;max s, s, o")
CHAINS = (
    "ex2 s, s", "ex2 s, s;fma s, s, 0.5, o", "ex2 s, s;mul o, o, 1.001",
    "ex2 s, s;ex2 o, o", "fma s, s, 0.5, o", "max s, s, o;fma s, s, 0.5, o",
    "cvt p, s;cvt s, p;fma s, s, 0.5, o", "row.max m, s;fma s, s, 0.5, m",
    "row.sum m, s;fma s, s, 0.5, m",
    "row.max m, s;fma s, s, 0.5, m;row.max t, o;fma o, o, 0.5, t",
    "row.max m, s;mul o, o, 1.001;fma s, s, 0.5, m",
    "row.max m, s;ex2 o, o;fma s, s, 0.5, m",
    "ex2 s, s;row.sum t, s;fma u, u, 0.5, t",
    "sub s, s, m;ex2 s, s;row.sum m, s",
    "row.max m, s;mul o, o, 1.001;fma s, s, 0.5, m;ex2 s, s;cvt p, s", SOFTMAX)
LOAD = "ld.shared raw, x[warp][:, c :+ 64];"
INNER = (
    "ex2 v, v;add sum, sum, v", "fma v, v, 1.4, shift;ex2 v, v;add sum, sum, v",
    "cvt rb, v;cvt v, rb;fma v, v, 1.4, shift",
    "fma v, v, 1.4, shift;cvt rb, v;cvt o, rb;add sum, sum, o",
    LOAD + "cvt v, raw;add sum, sum, v", LOAD + "cvt v, raw;max o, o, v",
    LOAD + "cvt v, raw;fma v, v, 1.4, shift;add sum, sum, v",
    LOAD + "cvt v, raw;fma v, v, 1.4, shift;ex2 v, v;add sum, sum, v",
    LOAD + "cvt v, raw;fma v, v, 1.4, shift;ex2 v, v;cvt raw, v;"
    "st.shared x[warp][:, c :+ 64], raw",
    LOAD + "st.shared x[warp][:, c :+ 64], raw")


def asked():
    """(ops, fragment or type, columns, warps of a sub-core), and the program."""
    for ops in CHAINS:
        for fragment, columns, most in (("wgmma", 64, 3), ("wgmma", 128, 2),
                                        ("row", 64, 2)):
            if columns == 128 and ops.count("row.max") == 2:
                continue  # three tiles do not fit into the registers
            for warps in range(1, most + 1):
                yield (ops, fragment, columns, warps), GROUPS
    for ops in INNER:
        for dtype in ("bf16", "f16"):
            for warps in (1, 2, 3):
                yield (ops, dtype, 64, warps), WARPS


def turn_of(command, case, *args):
    (ops, fragment, columns, warps), program = case
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/chain.tile"
        pathlib.Path(file).write_text(program.format(
            ops="\n".join(f"      {op}" for op in ops.split(";")),
            fragment=fragment, columns=columns, warps=warps,
            rows=128 if fragment == "row" else 64), encoding="utf-8")
        steps = STEPS if program is WARPS else 1
        few, many = (
            loops.said(command, file, turns // steps, *args)["cycles"]
            for turns in (FEW, MANY))
    few, many = (x if isinstance(x, list) else [x] for x in (few, many))
    return sorted((b - sorted(few)[len(few) // 2]) / (MANY - FEW) for b in many)


def measure(command, out):
    def one(case):
        return case[0], turn_of(command, case, "hw", "--spans", "--seed", "1",
                                "--runs", str(LAUNCHES), "--timeout", "20")
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(out) / "readings.jsonl", "a",
              encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        for (ops, fragment, columns, warps), each in pool.map(one, asked()):
            print(json.dumps({
                "name": "chain.step",
                "parameters": {"ops": ops, "fragment": fragment,
                               "columns": columns, "warps": warps},
                "unit": "cycles", "median": each[len(each) // 2],
                "p10": each[len(each) // 10], "p90": each[len(each) * 9 // 10],
                "repeats": LAUNCHES}), file=file, flush=True)


def show(command):
    rows = json.loads(DATA.read_text())["readings"]["chain.step"]["rows"]
    measured = {tuple(row[:4]): row[4] for row in rows}
    errors, wrong = [], set(measured) ^ {case[0] for case in asked()}
    for case in asked():
        model = turn_of(command, case, "run", "--timing-only")[0]
        here = measured.get(case[0], 0)
        error = model / here - 1 if here else 1
        errors.append(abs(error))
        if abs(error) > SHARE:
            wrong.add(case[0])
        print(f"{here:6.0f} {model:6.0f} {100 * error:+4.0f} %  "
              f"{' '.join(map(str, case[0][1:]))}: {case[0][0]}")
    print(f"mean {100 * sum(errors) / len(errors):.1f} %")
    if wrong or sum(errors) > MEAN * len(errors):
        sys.exit(f"off, or not recorded: {sorted(wrong)}")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "measure":
        measure(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        show(sys.argv[2])
    else:
        sys.exit(__doc__)
