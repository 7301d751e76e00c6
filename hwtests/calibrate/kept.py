#!/usr/bin/env python3
"""How much of what is read again L2 has lost, by how much is read in between.

    kept.py measure COMMAND OUT    on the GPU: OUT/kept.jsonl, a line a point

CTAs that share a slice of a tensor read it, all slices together `mb`, round after
round; ncu counts what HBM delivers. Of the rounds behind the first, which brings
everything: the share of their bytes that came from HBM.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS, LAUNCHES = 6, 3
PROGRAM = """kernel reread target sm_90a {
  const BN = 64, S = 4
  param ROWS : 128.. step 128 = 67584
  param SHARERS : 1..132 = 1
  param ROUNDS : 1.. = 6
  global X : f16[ROWS, BN]
  let tiles = ROWS / 128 / cdiv(132, SHARERS)
  let first = cta.x / SHARERS * tiles
  grid (132)
  block 128
  mbarrier full[S], empty[S]
  shared a[S] : f16[128, BN] swizzle 128B
  thread 0 {
    for s in 0..S {
      mbarrier.init full[s], 1
      mbarrier.init empty[s], 1
    }
    fence.mbarrier_init
  }
  bar.sync 0
  warp 0, elect {
    for i in 0..tiles * ROUNDS {
      let s = i % S
      mbarrier.wait empty[s], parity = (i / S & 1) ^ 1
      mbarrier.arrive.expect_tx full[s], bytes(a)
      tma.load a[s], X[(first + i % tiles) * 128 :+ 128, :], full[s]
    }
  }
  warp 1, elect {
    for i in 0..tiles * ROUNDS {
      let s = i % S
      mbarrier.wait full[s], parity = i / S & 1
      mbarrier.arrive empty[s]
    }
  }
}
"""
POINTS = [(12, mb) for mb in (32, 36, 38, 40, 42, 44, 48, 60)] + \
         [(4, mb) for mb in (36, 40, 44, 48)] + \
         [(1, mb) for mb in (40, 44, 48, 52, 60)] + \
         [(all_of, mb) for all_of in (33, 66, 132) for mb in (24, 28, 32, 36, 40)]


def from_hbm(command, file, sharers, mb):
    """MB that HBM delivers, of each launch."""
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--launch-skip", "2",
         "--launch-count", str(LAUNCHES), "--print-units", "base", "--metrics",
         "dram__bytes_read.sum", command, "hw", file, "-D",
         f"ROWS={mb * 8192}", "-D", f"SHARERS={sharers}", "-D",
         f"ROUNDS={ROUNDS}", "--runs", str(LAUNCHES + 2), "--timeout", "20"],
        capture_output=True, text=True, check=False)
    found = re.findall(r"dram__bytes_read\.sum\s+byte\s+([\d,.]+)", done.stdout)
    if not found:
        sys.exit(f"{sharers} {mb}: {done.stdout}{done.stderr}")
    return [float(x.replace(",", "")) / 2**20 for x in found]


def measure(command, folder):
    with tempfile.TemporaryDirectory() as here, \
         open(folder / "kept.jsonl", "w", encoding="utf-8") as out:
        file = pathlib.Path(here) / "reread.tile"
        file.write_text(PROGRAM)
        for sharers, mb in POINTS:
            share = sorted((x / mb - 1) / (ROUNDS - 1)
                           for x in from_hbm(command, str(file), sharers, mb))
            print(json.dumps({
                "name": "l2.reread", "parameters": {"sharers": sharers, "mb": mb},
                "unit": "fraction", "median": statistics.median(share),
                "p10": share[0], "p90": share[-1], "repeats": len(share)}),
                file=out, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "measure":
        sys.exit(__doc__)
    measure(sys.argv[2], pathlib.Path(sys.argv[3]))
