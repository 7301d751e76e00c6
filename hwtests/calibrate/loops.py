#!/usr/bin/env python3
"""What a turn of a small loop takes, of kernels as `tilesim lower` writes them.

    loops.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl, a line a loop
    loops.py show COMMAND           the recorded turns, beside the model's (ctest)

Each loop is a program of one warp or warpgroup; its turn is what 2,048 more of
them take, by stamps of the SM's clock.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "results/h200/calibration.json"
FEW, MANY, LAUNCHES = 1024, 3072, 25
# The model may be so far off: cycles, and share of what was measured.
CYCLES, SHARE = 12, 0.25

PROGRAM = """kernel loop target sm_90a {{
  param K : 8.. = 1024
  param P : 1.. = 7
  const STAGES = 6
  grid ({ctas})
  {cluster}
  block {threads} regs 168
  mbarrier b[STAGES], c[STAGES]
  shared x[STAGES] : f16[64, 64] swizzle 128B
  shared y[STAGES] : f16[8, 64] swizzle 128B
  {declared}
  role setup = warp 0, elect {{
    for s in 0..STAGES {{
      mbarrier.init b[s], 1
      mbarrier.init c[s], 1
    }}
    fence.mbarrier_init
  }}
  {meet}
  role main = {role} {{
    {before}
    for k in 0..K {{
{turn}
    }}
    {after}
  }}
  {part}
}}
"""


def wait(index, parity="1"):
    return f"mbarrier.wait b[{index}], parity = {parity}"


def arrive(index, barrier="c"):
    return f"elect {{ mbarrier.arrive {barrier}[{index}] }}"


PRODUCT = ["wgmma.fence",
           "wgmma.mma_async acc, x[{0}], y[{0}], accumulate = k > 0",
           "wgmma.commit_group", "wgmma.wait_group 1"]
TOLD = ["if k > 0 {", "  warp 0, elect { mbarrier.arrive c[(k - 1) % 6] }", "}"]
TOLD_PEER = ["if k > 0 {", "  warps 0..2, elect {",
             "    mbarrier.arrive c[(k - 1) % 6] @ cta warp", "  }", "}"]
HANDED = ["warp 0, elect { mbarrier.arrive b[k % 6] }",
          wait("k % 6", "(k / 6) & 1")]


def product(index):
    return [line.format(index) for line in PRODUCT]


# A wait for the phase before the first never blocks.
ONE_WARP = {
    "wait": [wait("0")],
    "wait, wait": [wait("0"), wait("1")],
    "four waits": [wait(str(i)) for i in range(4)],
    "wait b[k % 4]": [wait("k % 4")],
    "wait b[k % 6]": [wait("k % 6")],
    "wait b[k % 6], b[(k + 1) % 6]": [wait("k % 6"), wait("(k + 1) % 6")],
    "wait, arrive": [wait("0"), arrive("0")],
    "wait b[k % 6], arrive c[k % 6]": [wait("k % 6"), arrive("k % 6")],
    "wait, arrive if k > 0": [wait("0"), f"if k > 0 {{ {arrive('0')} }}"],
    "wait, arrive if k % 6 > 0":
        [wait("0"), f"if k % 6 > 0 {{ {arrive('0')} }}"],
    "wait, arrive c[k % P % 6]": [wait("0"), arrive("k % P % 6")],
    "wait, bar.warp.sync": [wait("0"), "bar.warp.sync"],
    "wait, fence.proxy.async.shared::cta":
        [wait("0"), "fence.proxy.async.shared::cta"],
}
ONE_WARPGROUP = {
    "products, arrive if k > 0": product("k % 6") + TOLD,
    "hand over": HANDED,
    "hand over, products, arrive if k > 0": HANDED + product("k % 6") + TOLD,
}
PAIR = {"products, arrive at both CTAs if k > 0": product("k % 6") + TOLD_PEER}

# Warpgroups that wait for their products each turn, and then add so many columns
# of them to a sum.
SUMS = """kernel loop target sm_90a {{
  param K : 8.. = 1024
  grid (1)
  block {threads} regs 168
  shared x : f16[{threads} / 2, 64] swizzle 128B
  shared y : f16[128, 64] swizzle 128B
  shared scales : f32[1, {threads} / 2]
  global D : f32[{threads} / 2, 128]
  role main = warpgroups 0..{groups} {{
    let row = warpgroup * 64
    reg acc : f32[64, 128] fragment wgmma
    reg sum : f32[64, 128] fragment wgmma
    reg c : f32[64, 1] fragment wgmma
    mov sum, 0.0
    mov acc, 0.0
    ld.shared c, scales[0, row :+ 64]
    for k in 0..K {{
      wgmma.fence
      wgmma.mma_async acc, x[row :+ 64, :], y, accumulate = {accumulate}
      wgmma.commit_group
      wgmma.wait_group 0
{turn}
    }}
    add sum, sum, acc
    st.global D[row :+ 64, :], sum
  }}
}}
"""
# A warpgroup copies tiles of 16 KB and hands them over, another one multiplies.
COPIES = """kernel loop target sm_90a {{
  const STAGES = 4
  param K : 8.. = 1024
  global A : f16[128, 4096]
  global D : f32[64, 128]
  grid (1)
  block 256 regs 232
  mbarrier full[STAGES], empty[STAGES]
  shared a[STAGES] : f16[128, 64] swizzle 128B
  shared b[STAGES] : f16[128, 64] swizzle 128B
  role setup = warp 0, elect {{
    for s in 0..STAGES {{
      mbarrier.init full[s], 128
      mbarrier.init empty[s], 4
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role load = warpgroup 1 {{
    for k in 0..K + STAGES - 1 {{
      let j = k - (STAGES - 1)
      if k < K {{
        mbarrier.wait empty[k % STAGES], parity = (k / STAGES + 1) & 1
{copies}
      }}
      cp.async.commit_group
      if j >= 0 {{
        cp.async.wait_group STAGES - 1
        fence.proxy.async.shared::cta
        mbarrier.arrive full[j % STAGES]
      }}
    }}
  }}
  role math = warpgroup 0 {{
    reg acc : f32[64, 128] fragment wgmma
    mov acc, 0.0
    for k in 0..K {{
      let s = k % STAGES
      mbarrier.wait full[s], parity = (k / STAGES) & 1
{products}
      elect {{
        mbarrier.arrive empty[s]
      }}
    }}
    st.global D, acc
  }}
}}
"""


def sums(groups, columns):
    turn = "" if columns == 0 else (
        f"      fma sum[:, 0 :+ {columns}], acc[:, 0 :+ {columns}], c, "
        f"sum[:, 0 :+ {columns}]")
    return SUMS.format(groups=groups, threads=128 * groups, turn=turn,
                       accumulate="k > 0" if columns == 0 else "0")


def copies(tiles, multiplies):
    lines = [f"        cp.async {tile}[k % STAGES], A[:, k % 64 * 64 :+ 64]"
             for tile in tiles]
    products = "\n".join("      " + line for line in (
        "wgmma.fence",
        "wgmma.mma_async acc, a[s][0 :+ 64, :], b[s], accumulate = k > 0",
        "wgmma.commit_group", "wgmma.wait_group 0"))
    return COPIES.format(copies="\n".join(lines),
                         products=products if multiplies else "")


def text(turn, threads=32, ctas=1):
    products = any("wgmma" in line for line in turn)
    pair = ctas == 2
    return PROGRAM.format(
        ctas=ctas, threads=threads,
        cluster="cluster (2)" if pair else "",
        role="warp 0" if threads == 32 else "warpgroup 0",
        declared="global D : f32[64, 8]" if products else "",
        before="reg acc : f32[64, 8] fragment wgmma" if products else "",
        after="wgmma.wait_group 0\n    st.global D, acc" if products else "",
        meet="barrier.cluster.arrive\n  barrier.cluster.wait" if pair else
        "bar.sync 0",
        part="barrier.cluster.arrive\n  barrier.cluster.wait" if pair else "",
        turn="\n".join("      " + line for line in turn))


def programs():
    return {**{n: text(t) for n, t in ONE_WARP.items()},
            **{n: text(t, 128) for n, t in ONE_WARPGROUP.items()},
            **{n: text(t, 128, 2) for n, t in PAIR.items()},
            **{f"{g} x products, fma of {c} columns": sums(g, c)
               for g in (1, 2) for c in (0, 32, 64, 96, 128)},
            "a tile by cp.async": copies("a", False),
            "two tiles by cp.async": copies("ab", False),
            "two tiles by cp.async, products": copies("ab", True)}


def said(command, file, turns, *args):
    """The JSON of a command; remarks of the compiler may stand before it."""
    done = subprocess.run([command, *args, file, "-D", f"K={turns}",
                           "--format", "json"], capture_output=True, text=True,
                          check=False)
    if "{\n" not in done.stdout:
        sys.exit(f"{file}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{\n"):])["files"][0]


def turn_of(command, source, *args):
    """Cycles a turn: median, 10th and 90th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/loop.tile"
        pathlib.Path(file).write_text(source)
        few, many = (said(command, file, turns, *args)["cycles"]
                     for turns in (FEW, MANY))
    few, many = (x if isinstance(x, list) else [x] for x in (few, many))
    each = sorted((b - statistics.median(few)) / (MANY - FEW) for b in many)
    return [each[int(q * (len(each) - 1))] for q in (0.5, 0.1, 0.9)]


def measure(command, reading, loops, file):
    with open(file, "w", encoding="utf-8") as out:
        for name, source in loops.items():
            median, low, high = turn_of(
                command, source, "hw", "--spans", "--seed", "1", "--runs",
                str(LAUNCHES), "--timeout", "20")
            print(json.dumps({
                "name": reading, "parameters": {"loop": name},
                "unit": "cycles", "median": median, "p10": low, "p90": high,
                "repeats": LAUNCHES}), file=out, flush=True)


def show(command, reading, loops):
    rows = json.loads(DATA.read_text())["readings"][reading]["rows"]
    measured = {row[0]: row[1] for row in rows}
    wrong = set(measured) ^ set(loops)
    for name, source in loops.items():
        model = turn_of(command, source, "run", "--timing-only")[0]
        here = measured.get(name, 0)
        off = abs(model - here) > CYCLES + SHARE * here
        print(f"{name:58} {here:6.1f} {model:6.1f}{' !' if off else ''}")
        wrong |= {name} if off else set()
    if wrong:
        sys.exit(f"off, or not recorded: {', '.join(sorted(wrong))}")


def main(reading, loops, file, usage):
    if len(sys.argv) == 4 and sys.argv[1] == "measure":
        measure(sys.argv[2], reading, loops, pathlib.Path(sys.argv[3]) / file)
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        show(sys.argv[2], reading, loops)
    else:
        sys.exit(usage)


if __name__ == "__main__":
    main("loop.step", programs(), "readings.jsonl", __doc__)
