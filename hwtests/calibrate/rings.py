#!/usr/bin/env python3
"""What a turn of loads from L2 takes, on one SM and on all, of kernels as `tilesim
lower` writes them: l2_ring.cu, multicast.cu and copies.cu without stamps, so that
the model runs the very same program.

    rings.py measure COMMAND OUT [WHICH]  on the GPU: OUT/readings.jsonl, a line a
                                          ring, of those whose name has WHICH
    rings.py show COMMAND           the recorded turns, beside the model's
"""
import json
import pathlib
import sys
import tempfile

import loops

DATA, LAUNCHES = loops.DATA, 15
FEW, MANY = 64, 256
# Tiles of A and B as a GEMM's first CTAs have them, or each CTA its own; 128 or
# 64 rows each, of 128 bytes or 64. Each CTA may be some k-steps further than the
# one before it.
RING = """kernel ring target sm_90a {{
  const STAGES = 4, OWN = 0, CTAS = 132, ROWS = 128, AHEAD = 0, W = {width}
  param K : 8.. = 64
  global A : f16[67584, 4096]
  grid (CTAS)
  block 64
  mbarrier full[STAGES], empty[STAGES]
  shared s[STAGES] : f16[2 * ROWS, W] swizzle {swizzle}B
  role setup = warp 0, elect {{
    for i in 0..STAGES {{
      mbarrier.init full[i], 1
      mbarrier.init empty[i], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role load = warp 0, elect {{
    let m = cta.x * ROWS * OWN + (1 - OWN) * (cta.x % 8 * ROWS)
    let first = (CTAS + cta.x) * OWN + (1 - OWN) * (8 + cta.x / 8)
    let n = first * ROWS
    for k in 0..K {{
      let t = k % STAGES
      let at = k + cta.x * AHEAD
      let x = (at % 4 * OWN + at % 64 * (1 - OWN)) * W
      mbarrier.wait empty[t], parity = (k / STAGES + 1) & 1
      mbarrier.arrive.expect_tx full[t], bytes(s)
      tma.load s[t][0 :+ ROWS, :], A[m :+ ROWS, x :+ W], full[t]
      tma.load s[t][ROWS :+ ROWS, :], A[n :+ ROWS, x :+ W], full[t]
    }}
  }}
  role see = warp 1 {{
    for k in 0..K {{
      let t = k % STAGES
      mbarrier.wait full[t], parity = (k / STAGES) & 1
      elect {{
        mbarrier.arrive empty[t]
      }}
    }}
  }}
}}
"""
# CTAs of a cluster fetch a stage of 32 KB for one another.
MULTICAST = """kernel ring target sm_90a {{
  const STAGES = 4, C = 2, CTAS = 132
  param K : 8.. = 64
  global A : f16[67584, 4096]
  grid (CTAS)
  cluster (C)
  block 64
  mbarrier full[STAGES], empty[STAGES]
  shared s[STAGES] : f16[256, 64] swizzle 128B
  role setup = warp 0, elect {{
    for i in 0..STAGES {{
      mbarrier.init full[i], 1
      mbarrier.init empty[i], C
    }}
    fence.mbarrier_init
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
  role load = warp 0, elect {{
    let m = cta.x / C * 256 + cluster.rank * (256 / C)
    for k in 0..K {{
      let t = k % STAGES
      mbarrier.wait empty[t], parity = (k / STAGES + 1) & 1
      mbarrier.arrive.expect_tx full[t], bytes(s)
      tma.load s[t][cluster.rank * (256 / C) :+ 256 / C, :],
          A[m :+ 256 / C, k % 4 * 64 :+ 64], full[t], multicast = (1 << C) - 1
    }}
  }}
  role see = warp 1 {{
    for k in 0..K {{
      let t = k % STAGES
      mbarrier.wait full[t], parity = (k / STAGES) & 1
      for c in 0..C {{
        elect {{
          mbarrier.arrive empty[t] @ cta c
        }}
      }}
    }}
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
}}
"""
# Who sees a stage gives it back by so many releases at cluster scope.
RELEASES = """kernel ring target sm_90a {{
  const STAGES = 4, CTAS = 132, ROWS = 64, RELEASES = 1
  param K : 8.. = 64
  global A : f16[67584, 4096]
  grid (CTAS)
  cluster (2)
  block 64
  mbarrier full[STAGES], empty[STAGES]
  shared s[STAGES] : f16[2 * ROWS, 64] swizzle 128B
  role setup = warp 0, elect {{
    for i in 0..STAGES {{
      mbarrier.init full[i], 1
      mbarrier.init empty[i], max(RELEASES, 1)
    }}
    fence.mbarrier_init
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
  role load = warp 0, elect {{
    let m = cta.x % 8 * ROWS
    let n = (8 + cta.x / 8) * ROWS
    for k in 0..K {{
      let t = k % STAGES
      let x = k % 64 * 64
      mbarrier.wait empty[t], parity = (k / STAGES + 1) & 1
      mbarrier.arrive.expect_tx full[t], bytes(s)
      tma.load s[t][0 :+ ROWS, :], A[m :+ ROWS, x :+ 64], full[t]
      tma.load s[t][ROWS :+ ROWS, :], A[n :+ ROWS, x :+ 64], full[t]
    }}
  }}
  role see = warp 1 {{
    for k in 0..K {{
      let t = k % STAGES
      mbarrier.wait full[t], parity = (k / STAGES) & 1
      elect {{
        if RELEASES == 0 {{ mbarrier.arrive empty[t] }}
        if RELEASES > 0 {{ mbarrier.arrive.release.cluster empty[t] }}
        if RELEASES > 1 {{ mbarrier.arrive.release.cluster empty[t] }}
        if RELEASES > 2 {{ mbarrier.arrive.release.cluster empty[t] }}
      }}
    }}
  }}
  barrier.cluster.arrive
  barrier.cluster.wait
}}
"""
# Through registers to shared memory, with or without the products of hgemm_v03.
PLAIN = """kernel plain target sm_90a {{
  const CTAS = 132, PITCH = 4096, PRODUCTS = 0
  param K : 8.. = 64
  global A : f16[67584, PITCH]
  global D : f32[64, 128]
  grid (CTAS)
  block 128 regs 224
  shared a : f16[128, 64] swizzle 128B
  shared b : f16[128, 64] swizzle 128B
  let m = cta.x % 8 * 128
  let n = 1024 + cta.x / 8 * 128
  reg acc[2] : f32[64, 128] fragment wgmma
  mov acc[0], 0.0
  mov acc[1], 0.0
  for k in 0..K {{
    let x = k % (PITCH / 64) * 64
    reg va : f16[128, 64] fragment blocked(8)
    reg vb : f16[128, 64] fragment blocked(8)
    ld.global va, A[m :+ 128, x :+ 64]
    ld.global vb, A[n :+ 128, x :+ 64]
    bar.sync 0
    st.shared a, va
    st.shared b, vb
    fence.proxy.async.shared::cta
    bar.sync 0
    if PRODUCTS == 1 {{
      wgmma.fence
      wgmma.mma_async acc[0], a[0 :+ 64, :], b, accumulate = 1
      wgmma.mma_async acc[1], a[64 :+ 64, :], b, accumulate = 1
      wgmma.commit_group
      wgmma.wait_group 0
    }}
  }}
  if cta.x == 0 {{
    st.global D, acc[0]
  }}
}}
"""


RING, NARROW = (RING.format(width=w, swizzle=2 * w).replace("{", "{{").replace(
    "}", "}}") for w in (64, 32))
# CTAs, rows, whether each has its own, k-steps ahead, stages: SMs and CTAs of
# one SM that are not in step.
DRIFTING = (
    (1, 128, 0, 0, 4), (132, 128, 0, 0, 4), (132, 128, 1, 0, 4),
    (132, 64, 1, 0, 4), (132, 128, 0, 1, 4), (132, 128, 0, 5, 4),
    (264, 64, 0, 0, 2), (264, 64, 0, 0, 4), (264, 64, 1, 0, 4),
    (264, 64, 0, 5, 4), (528, 64, 0, 0, 2), (528, 64, 0, 0, 3),
    (528, 64, 1, 0, 3), (528, 64, 0, 5, 3))


def asked():
    """(ring, its text, constants)"""
    for rows in (128, 64):
        for own, ctas in ((0, 1), (0, 132), (1, 132)):
            for stages in (1, 2, 3, 4):
                yield ("own" if own else "shared", RING,
                       {"STAGES": stages, "OWN": own, "CTAS": ctas,
                        "ROWS": rows})
    for ctas, rows, own, ahead, stages in DRIFTING:
        name = "own" if own else f"{ahead} ahead" if ahead else "shared"
        constants = {"STAGES": stages, "OWN": own, "CTAS": ctas, "ROWS": rows,
                     "AHEAD": ahead}
        yield "narrow " + name, NARROW, constants
        if ahead or ctas > 132:  # the others stand above
            yield name, RING, constants
    for c in (2, 4):
        for ctas in (c, 132 if c == 2 else 120):
            for stages in (1, 2, 4):
                yield (f"multicast {c}", MULTICAST,
                       {"STAGES": stages, "C": c, "CTAS": ctas})
    for releases in (0, 1, 2, 3):
        for ctas in (2, 132, 264):
            for stages in (2, 4):
                yield (f"releases {releases}", RELEASES,
                       {"STAGES": stages, "CTAS": ctas, "ROWS": 64,
                        "RELEASES": releases})
    for products in (0, 1):
        for pitch in (1024, 4096):
            for ctas in (1, 16, 64, 132, 264):
                yield ("plain with products" if products else "plain", PLAIN,
                       {"CTAS": ctas, "PITCH": pitch, "PRODUCTS": products})


def turn_of(command, text, constants, *args):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/ring.tile"
        pathlib.Path(file).write_text(text.format(), encoding="utf-8")
        defines = [x for k, v in constants.items() for x in ("-D", f"{k}={v}")]
        few, many = (loops.said(command, file, turns, *args, *defines)["cycles"]
                     for turns in (FEW, MANY))
    few, many = (x if isinstance(x, list) else [x] for x in (few, many))
    return sorted((b - sorted(few)[len(few) // 2]) / (MANY - FEW) for b in many)


def parameters(name, constants):
    return {"ring": name, "stages": constants.get("STAGES", 1),
            "ctas": constants["CTAS"], "rows": constants.get("ROWS", 128),
            "pitch": constants.get("PITCH", 4096)}


def measure(command, out, which=""):
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(out) / "readings.jsonl", "a",
              encoding="utf-8") as file:
        for name, text, constants in asked():
            if which not in name:
                continue
            each = turn_of(command, text, constants, "hw", "--spans", "--seed",
                           "1", "--runs", str(LAUNCHES), "--timeout", "20")
            print(json.dumps({
                "name": "ring.turn", "parameters": parameters(name, constants),
                "unit": "cycles", "median": each[len(each) // 2],
                "p10": each[len(each) // 10], "p90": each[len(each) * 9 // 10],
                "repeats": LAUNCHES}), file=file, flush=True)


def show(command):
    reading = json.loads(DATA.read_text())["readings"].get("ring.turn")
    rows = reading["rows"] if reading else []
    measured = {tuple(row[:5]): row[5] for row in rows}
    for name, text, constants in asked():
        model = turn_of(command, text, constants, "run", "--timing-only")[0]
        key = tuple(parameters(name, constants).values())
        print(f"{' '.join(map(str, key)):40} {measured.get(key, 0):7.0f} "
              f"{model:7.0f}")


if __name__ == "__main__":
    if len(sys.argv) in (4, 5) and sys.argv[1] == "measure":
        measure(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        show(sys.argv[2])
    else:
        sys.exit(__doc__)
