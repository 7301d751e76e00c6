#!/usr/bin/env python3
"""What a bulk copy of a row of a table takes, where each warp has two under way,
of kernels as `tilesim lower` writes them. Up to 32 of an SM at a time: of more
than 40, if they are longer than 256 bytes, each takes two to six times as long,
which the model does not have.

    tables.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    tables.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import cases

FEW, MANY = 16, 80
PROGRAM = """kernel tables target sm_90a {{
  param K : 2.. = 16
  const ROWS = {rows}, W = {words}, CTAS = {grid}
  global T : f32[ROWS, 32, W]
  global O : f32[CTAS * 4, 32]
  grid (CTAS)
  block 128
  shared ring[4, 2] : f32[32, W]
  shared pad : u8[{pad}]
  mbarrier full[4, 2]
  warp 0, elect {{
    for w in 0..4 {{
      mbarrier.init full[w, 0], 1
      mbarrier.init full[w, 1], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role gather = warps 0..4 {{
    reg row, tot : f32[1, 32] fragment blocked(1)
    mov tot, 0.0
    let own = cta.x * 4 + warp
    for j in 0..K + 1 {{
      if j < K {{
        elect {{
          let i = {index}
          mbarrier.arrive.expect_tx full[warp, j & 1], bytes(ring)
          bulk.load ring[warp, j & 1], T[i, :, :], full[warp, j & 1]
        }}
      }}
      if j > 0 {{
        let k = j - 1
        mbarrier.wait full[warp, k & 1], parity = (k / 2) & 1
        add tot, tot, 1.0
        bar.warp.sync
      }}
    }}
    st.global O[own :+ 1, :], tot
  }}
}}
"""
# Which row: of its own, one behind the other; any of the table; the same as all.
INDEX = {"own": "(own * 8 + j % 8) % ROWS",
         "any": "(own * 80 + j) * 7919 % 65521 % ROWS", "one": "j % 8"}


def asked():
    """Bytes of a copy, KB of the table, which rows, CTAs of the grid, of an SM."""
    for size in (256, 512, 1024, 2048, 4096):
        for ctas in (1, 4, 10) if size == 256 else (1, 4):
            for kb in (128, 2048):
                for index in INDEX:
                    if index != "one" or kb == 128:
                        yield size, kb, index, 132 * ctas, ctas
    for size in (512, 2048):
        yield size, 128, "any", 1, 1
        yield size, 2048, "own", 1, 1


def turn_of(command, case, *args):
    size, kb, index, grid, ctas = case
    source = PROGRAM.format(
        rows=kb * 1024 // size, words=size // 128, grid=grid,
        pad=max(200 * 1024 // ctas - 8 * size - 2048, 16), index=INDEX[index])
    return cases.turn_of(command, source, FEW, MANY, *args)


if __name__ == "__main__":
    cases.main(cases.Reading(
        name="table.turn",
        parameters=("bytes", "table_kb", "rows", "grid", "ctas"),
        unit="cycles", asked=asked, said=turn_of, launches=15, share=0.65,
        mean=0.15), __doc__)
