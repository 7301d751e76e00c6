#!/usr/bin/env python3
"""How long a launch takes that reads and writes what is in L2, or does not fit it.

    traffic.py measure COMMAND OUT   on the GPU: OUT/readings.jsonl
    traffic.py show COMMAND          the recorded cycles, beside the model's (ctest)

512 CTAs load tiles of 8 KB through a ring of tensor loads while another warp of each
stores a tile by tensor stores (traffic.tensor); or a kernel converts a matrix in
registers, a tile a CTA (traffic.registers: so many elements a load of a thread). The
same launch goes before each, so that L2 has of its tensors what it can keep.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "results/h200/calibration.json"
# The model may be so far off at one of them, and on average.
WORST, MEAN = 0.25, 0.10
TENSOR = """kernel traffic target sm_90a {{
  const C = 512
  global A : f32[C * 64 * {reads_or_one}, 64]
  global D : f32[C * 64 * {writes_or_one}, 64]
  grid (C)
  block 64
  mbarrier full[4]
  shared a[4] : f32[64, 32] swizzle 128B
  shared d : f32[64, 32] swizzle 128B
  role setup = warp 0, elect {{
    for s in 0..4 {{
      mbarrier.init full[s], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
{roles}}}
"""
STORE = """  role store = warp 1 {{
    reg z : f32[64, 32] fragment blocked(4)
    mov z, 1.0
    st.shared d, z
    fence.proxy.async.shared::cta
    bar.warp.sync
    elect {{
      for i in 0..2 * {writes} {{
        tma.store D[(cta.x * {writes} + i / 2) * 64 :+ 64, i % 2 * 32 :+ 32], d
        bulk.commit_group
      }}
      bulk.wait_group 0
    }}
  }}
"""
LOAD = """  role load = warp 0, elect {{
    for i in 0..2 * {reads} {{
      if i >= 4 {{
        mbarrier.wait full[i % 4], parity = (i / 4 + 1) & 1
      }}
      mbarrier.arrive.expect_tx full[i % 4], bytes(a)
      tma.load a[i % 4], A[(cta.x * {reads} + i / 2) * 64 :+ 64, i % 2 * 32 :+ 32],
          full[i % 4]
    }}
    for i in max(0, 2 * {reads} - 4)..2 * {reads} {{
      mbarrier.wait full[i % 4], parity = (i / 4) & 1
    }}
  }}
"""
REGISTERS = """kernel convert target sm_90a {{
  const M = {rows}, N = 1024
  global X : f32[M, N]
  global D : f16[M, N]
  grid (M / {each}, N / 128)
  block {threads}
  reg x : f32[{each}, 128] fragment blocked({vector})
  reg out : f16[{each}, 128] fragment blocked({vector})
  ld.global x, X[cta.x * {each} :+ {each}, cta.y * 128 :+ 128]
  cvt out, x
  st.global D[cta.x * {each} :+ {each}, cta.y * 128 :+ 128], out
}}
"""
MB_OF_ONE = 8  # of a tile each CTA
# That each CTA loads and stores: what fits L2, and what HBM reads and writes.
TILES = [(r, w) for r in (0, 1, 2, 4) for w in (0, 1, 2, 4) if r + w] + \
        [(0, 16), (2, 16), (4, 16), (8, 16), (16, 16), (16, 4), (16, 0)]


def points():
    """Name, parameters, program."""
    for reads, writes in TILES:
        roles = (STORE.format(writes=writes) if writes else "") + \
            (LOAD.format(reads=reads) if reads else "")
        yield "traffic.tensor", {
            "read_mb": reads * MB_OF_ONE, "written_mb": writes * MB_OF_ONE
        }, TENSOR.format(reads_or_one=max(reads, 1), writes_or_one=max(writes, 1),
                         roles=roles)
    for rows, vector, threads in ((512, 4, 128), (1024, 4, 128), (2048, 4, 128),
                                  (4096, 4, 128), (512, 1, 128), (2048, 1, 128),
                                  (512, 4, 512), (2048, 4, 512)):
        yield "traffic.registers", {"rows": rows, "vector": vector, "threads": threads}, \
            REGISTERS.format(rows=rows, vector=vector, threads=threads, each=threads // 16)


def said(command, args):
    done = subprocess.run([command, *args, "--format", "json"], capture_output=True, text=True,
                          check=False)
    try:
        return json.loads(done.stdout)["files"][0]
    except (ValueError, KeyError):
        sys.exit(f"{' '.join(args)}: {done.stdout}{done.stderr}")


def measure(command, folder):
    with tempfile.TemporaryDirectory() as here, \
         open(folder / "readings.jsonl", "w", encoding="utf-8") as out:
        file = pathlib.Path(here) / "traffic.tile"
        for name, parameters, text in points():
            file.write_text(text, encoding="utf-8")
            cycles = sorted(said(command, ["hw", str(file), "--spans", "--timeout",
                                           "20"])["cycles"])
            print(json.dumps({
                "name": name, "parameters": parameters, "unit": "cycles",
                "median": round(statistics.median(cycles), 1), "p10": round(cycles[2], 1),
                "p90": round(cycles[-3], 1), "repeats": len(cycles)}), file=out, flush=True)


def show(command):
    readings = json.loads(DATA.read_text())["readings"]
    errors = []
    with tempfile.TemporaryDirectory() as here:
        file = pathlib.Path(here) / "traffic.tile"
        for name, parameters, text in points():
            of = readings[name]
            key = [parameters[p] for p in of["parameters"]]
            measured = next(r for r in of["rows"] if r[:len(key)] == key)[len(key)]
            file.write_text(text, encoding="utf-8")
            cycles = said(command, ["run", str(file), "--timing-only"])["cycles"]
            errors.append(cycles / measured - 1)
            print(f"{name} {parameters}: {measured:.0f} measured, {cycles} modelled, "
                  f"{errors[-1]:+.1%}")
    mean = statistics.mean(map(abs, errors))
    worst = max(errors, key=abs)
    print(f"mean {mean:.1%}, worst {worst:+.1%}")
    return mean > MEAN or abs(worst) > WORST


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 4:
        measure(sys.argv[2], pathlib.Path(sys.argv[3]))
    elif sys.argv[1:2] == ["show"] and len(sys.argv) == 3:
        sys.exit(show(sys.argv[2]))
    else:
        sys.exit(__doc__)
