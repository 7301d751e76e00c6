#!/usr/bin/env python3
"""What it takes to load a tile from the shared memory of another CTA of the
cluster, by fragment, of kernels as `tilesim lower` writes them.

    peers.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    peers.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import json
import pathlib
import statistics
import sys
import tempfile

import loops

LAUNCHES, FEW, MANY = 15, 16, 144
# The model may be so far off, and on average.
SHARE, MEAN = 0.35, 0.15
PROGRAM = """kernel peers target sm_90a {{
  param K : 1.. = 16
  const C = {cluster}, ROWS = {rows}, COLS = {columns}
  global Y : f32[{grid} * ROWS, COLS]
  grid ({grid})
  cluster (C)
  block 128
  shared x : {dtype}[ROWS, COLS]{swizzle}
  shared pad : u8[{pad}]
  reg v : {dtype}[ROWS, COLS] fragment {fragment}
  reg w, sum : f32[ROWS, COLS] fragment {fragment}
  mov w, 1.0
  mov sum, 0.0
  cvt v, w
  st.shared x, v
  barrier.cluster.arrive
  barrier.cluster.wait
  for k in 0..K {{
    ld.shared v, x{peer}
    cvt w, v
    add sum, sum, w
    bar.sync 0
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
  st.global Y[cta.x * ROWS :+ ROWS, :], sum
}}
"""
# fragment, type, rows, columns, swizzle
TILES = (("wgmma", "f32", 64, 64, ""), ("wgmma", "f32", 64, 32, "128B"),
         ("wgmma", "f16", 64, 64, "128B"), ("row", "f32", 128, 32, ""),
         ("row", "f16", 128, 64, "128B"), ("blocked(4)", "f32", 64, 64, ""),
         ("blocked(1)", "f32", 64, 64, ""))
# CTAs of a cluster, CTAs of the grid, of an SM
GRIDS = ((2, 2, 1), (2, 132, 1), (2, 528, 4), (4, 4, 1), (4, 120, 1),
         (4, 480, 4))


def asked():
    for tile in TILES:
        for grid in GRIDS:
            yield tile + grid
    for tile in TILES[:2] + TILES[3:4]:
        yield tile + (1, 1, 1)


def turn_of(command, case, *args):
    fragment, dtype, rows, columns, swizzle, cluster, grid, ctas = case
    source = PROGRAM.format(
        fragment=fragment, dtype=dtype, rows=rows, columns=columns,
        swizzle=swizzle and f" swizzle {swizzle}", cluster=cluster, grid=grid,
        pad=190 * 1024 // ctas - 18 * 1024,
        peer=" @ cta (cluster.rank + 1) % C" if cluster > 1 else "")
    if dtype == "f32":
        source = source.replace("cvt w, v", "mov w, v").replace(
            "cvt v, w", "mov v, w")
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/peers.tile"
        pathlib.Path(file).write_text(source, encoding="utf-8")
        few, many = (loops.said(command, file, turns, *args)["cycles"]
                     for turns in (FEW, MANY))
    few, many = (x if isinstance(x, list) else [x] for x in (few, many))
    return sorted((b - statistics.median(few)) / (MANY - FEW) for b in many)


def measure(command, out):
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(out) / "readings.jsonl", "a",
              encoding="utf-8") as file:
        for case in asked():
            each = turn_of(command, case, "hw", "--spans", "--seed", "1",
                           "--runs", str(LAUNCHES), "--timeout", "20")
            print(json.dumps({
                "name": "peer.turn",
                "parameters": dict(zip(("fragment", "dtype", "rows", "columns",
                                        "swizzle", "cluster", "grid", "ctas"),
                                       case)),
                "unit": "cycles", "median": each[len(each) // 2],
                "p10": each[len(each) // 10], "p90": each[len(each) * 9 // 10],
                "repeats": LAUNCHES}), file=file, flush=True)


def show(command):
    rows = json.loads(loops.DATA.read_text())["readings"]["peer.turn"]["rows"]
    measured = {tuple(row[:8]): row[8] for row in rows}
    errors, wrong = [], set(measured) ^ set(asked())
    for case in asked():
        model = turn_of(command, case, "run", "--timing-only")[0]
        here = measured.get(case, 0)
        error = model / here - 1 if here else 1
        errors.append(abs(error))
        if abs(error) > SHARE:
            wrong.add(case)
        print(f"{here:7.0f} {model:7.0f} {100 * error:+4.0f} %  "
              f"{' '.join(map(str, case))}")
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
