#!/usr/bin/env python3
"""What a turn takes in which one thread stores a tile from shared memory and
loads another one, of kernels as `tilesim lower` writes them: a load waits until
the store before it has left the SM.

    alternate.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    alternate.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import cases

FEW, MANY = 16, 144
PROGRAM = """kernel alternate target sm_90a {{
  param K : 1.. = 16
  const LOAD = {load}, STORE = {store}, CTAS = {grid}
  global X : f16[CTAS * 4 * LOAD, 64]
  global Y : f16[CTAS * 4 * STORE, 64]
  grid (CTAS)
  block 128
  shared x : f16[LOAD, 64] swizzle 128B
  shared y : f16[STORE, 64] swizzle 128B
  shared pad : u8[{pad}]
  mbarrier full
  reg v : f16[STORE, 64] fragment blocked(8)
  reg w : f32[STORE, 64] fragment blocked(8)
  mov w, 1.0
  cvt v, w
  st.shared y, v
  fence.proxy.async
  warp 0, elect {{
    mbarrier.init full, 1
    fence.mbarrier_init
  }}
  bar.sync 0
  role both = warp 0, elect {{
    for k in 0..K {{
      let slot = cta.x * 4 + k % 4
{turn}
    }}
    bulk.wait_group 0
  }}
}}
"""
LOAD = """      mbarrier.arrive.expect_tx full, bytes(x)
      tma.load x, X[slot * LOAD :+ LOAD, :], full
"""
LOADED = """      mbarrier.wait full, parity = k & 1
"""
STORE = """      tma.store Y[slot * STORE :+ STORE, :], y
      bulk.commit_group
"""
READ = """      bulk.wait_group.read 0
"""
DONE = """      bulk.wait_group 0
"""
ORDERS = {"load": LOAD + LOADED, "store": STORE + READ, "write": STORE + DONE,
          "store, load": STORE + READ + LOAD + LOADED,
          "both": STORE + LOAD + LOADED + READ}
GRIDS = ((1, 1), (132, 1), (264, 2))
SIZES = ((8, 8), (32, 32), (128, 128), (8, 128), (128, 8))


def asked():
    """Order, rows loaded, rows stored, CTAs of the grid, of an SM."""
    for order in ORDERS:
        for load, store in SIZES[:3] if "," not in order and order != "both" \
                else SIZES:
            for grid in GRIDS:
                yield (order, load, store) + grid


def turn_of(command, case, *args):
    order, load, store, grid, ctas = case
    source = PROGRAM.format(
        load=load, store=store, grid=grid, turn=ORDERS[order].rstrip("\n"),
        pad=180 * 1024 // ctas - 128 * (load + store) - 2048)
    return cases.turn_of(command, source, FEW, MANY, *args)


if __name__ == "__main__":
    cases.main(cases.Reading(
        name="alternate.turn",
        parameters=("order", "load", "store", "grid", "ctas"), unit="cycles",
        asked=asked, said=turn_of, launches=15, share=0.35, mean=0.12), __doc__)
