#!/usr/bin/env python3
"""What it takes to load a tile from the shared memory of another CTA of the
cluster, by fragment, of kernels as `tilesim lower` writes them.

    peers.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    peers.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import cases

FEW, MANY = 16, 144
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
    return cases.turn_of(command, source, FEW, MANY, *args)


if __name__ == "__main__":
    cases.main(cases.Reading(
        name="peer.turn",
        parameters=("fragment", "dtype", "rows", "columns", "swizzle",
                    "cluster", "grid", "ctas"),
        unit="cycles", asked=asked, said=turn_of, launches=15, share=0.35,
        mean=0.15), __doc__)
