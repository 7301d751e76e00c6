#!/usr/bin/env python3
"""What a bulk copy of a row of a table takes, where each warp has two under way,
of kernels as `tilesim lower` writes them. Up to 32 of an SM at a time: of more
than 40, if they are longer than 256 bytes, each takes two to six times as long,
which the model does not have.

    tables.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    tables.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import json
import pathlib
import statistics
import sys
import tempfile

import loops

LAUNCHES, FEW, MANY = 15, 16, 80
# The model may be so far off, and on average.
SHARE, MEAN = 0.65, 0.15
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
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/tables.tile"
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
                "name": "table.turn",
                "parameters": dict(zip(("bytes", "table_kb", "rows", "grid",
                                        "ctas"), case)),
                "unit": "cycles", "median": each[len(each) // 2],
                "p10": each[len(each) // 10], "p90": each[len(each) * 9 // 10],
                "repeats": LAUNCHES}), file=file, flush=True)


def show(command):
    rows = json.loads(loops.DATA.read_text())["readings"]["table.turn"]["rows"]
    measured = {tuple(row[:5]): row[5] for row in rows}
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
