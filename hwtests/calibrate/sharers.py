#!/usr/bin/env python3
"""How many SMs one request to L2 serves, by who shares tiles and how much is in
flight.

    sharers.py measure COMMAND OUT   on the GPU: OUT/readings.jsonl
    sharers.py show COMMAND          the recorded turns, beside the model's

Rings of tensor loads on all SMs, two boxes of 64 columns a turn. CTAs that follow
each other have the same tiles (near), or CTAs far from each other (far), or the
tiles of A and B of a GEMM whose rows or columns have so many tiles (rows, columns).
ncu counts what comes to the SMs and what L2 is read for; it runs a launch again for
that, so that both are means of runs that may differ.
"""
import csv
import io
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "results/h200/calibration.json"
TURNS, SMS, PART, LAUNCHES = 512, 132, 46, 3
CYCLES, TO_SMS, OF_L2 = ("sm__cycles_elapsed.max", "l1tex__m_xbar2l1tex_read_bytes.sum",
                         "lts__t_sectors_srcunit_tex_op_read.sum")
KERNEL = """kernel r{n} target sm_90a {{
  global A : f16[33792, 4096]
  grid ({ctas})
  block 64
  mbarrier full[{stages}], empty[{stages}]
  shared s[{stages}] : f16[{rows_a} + {rows_b}, 64] swizzle 128B
  role setup = warp 0, elect {{
    for i in 0..{stages} {{
      mbarrier.init full[i], 1
      mbarrier.init empty[i], 1
    }}
    fence.mbarrier_init
  }}
  bar.sync 0
  role load = warp 0, elect {{
    for k in 0..{turns} {{
      let t = k % {stages}
      let x = (k + {who} * {ahead}) % 16 * 64
      mbarrier.wait empty[t], parity = (k / {stages} + 1) & 1
      mbarrier.arrive.expect_tx full[t], bytes(s)
      tma.load s[t][0 :+ {rows_a}, :], A[{m} :+ {rows_a}, x :+ 64], full[t]
      tma.load s[t][{rows_a} :+ {rows_b}, :], A[{n0} :+ {rows_b}, x :+ 64], full[t]
    }}
  }}
  role see = warp 1 {{
    for k in 0..{turns} {{
      let t = k % {stages}
      mbarrier.wait full[t], parity = (k / {stages}) & 1
      elect {{
        mbarrier.arrive empty[t]
      }}
    }}
  }}
}}
"""


def points():
    def point(tiles, sharers, rows_a, rows_b, stages, ctas=SMS, ahead=0):
        return {"tiles": tiles, "sharers": sharers, "rows_a": rows_a, "rows_b": rows_b,
                "stages": stages, "ctas": ctas, "ahead": ahead}

    for rows, stages in ((64, 2), (64, 3), (64, 4), (64, 6), (64, 12), (128, 2), (128, 3), (128, 6)):
        for sharers in (2, 4, 11, 132):
            yield point("near", sharers, rows, rows, stages)
        for sharers in (2, 11, 22, 33):
            yield point("far", sharers, rows, rows, stages)
    for stages in (3, 4, 6):
        for sharers in (2, 11):
            for ahead in (1, 2, 3, 4):
                yield point("near", sharers, 64, 64, stages, ahead=ahead)
    for a, b, stages, ctas in ((64, 64, 4, 132), (128, 128, 4, 132), (128, 128, 2, 132),
                               (128, 128, 3, 132), (64, 128, 6, 132), (64, 64, 1, 528),
                               (64, 64, 2, 528), (64, 64, 4, 264), (128, 128, 3, 264),
                               (64, 128, 4, 264)):
        for tiles in (8, 12, 32, 64):
            yield point("rows", tiles, a, b, stages, ctas)
        yield point("columns", 32, a, b, stages, ctas)


def text_of(n, p):
    count, half = p["sharers"], 16896
    if p["tiles"] in ("near", "far"):
        groups = p["ctas"] // count
        group, who = (f"cta.x / {count}", f"(cta.x % {count})") if p["tiles"] == "near" \
            else (f"cta.x % {groups}", f"(cta.x / {groups})")
        m = f"({group}) * {2 * p['rows_a']}"
        n0 = f"{m} + {p['rows_a']}"
    else:
        i, j = f"cta.x / {count}", f"cta.x % {count}"
        if p["tiles"] == "columns":
            i, j = j, i
        who = "cta.x"
        m, n0 = f"({i}) * {p['rows_a']}", f"{half} + ({j}) * {p['rows_b']}"
    return KERNEL.format(n=n, turns=TURNS, who=who, m=m, n0=n0, **p)


def files():
    """Programs of some kernels each, and their points by kernel."""
    everyone = list(points())
    for at in range(0, len(everyone), PART):
        part = dict(enumerate(everyone[at:at + PART]))
        yield "".join(text_of(n, p) for n, p in part.items()), part


def counted(command, file, kernels):
    """By kernel and metric, of each launch behind the first round."""
    done = subprocess.run(
        ["ncu", "--csv", "--clock-control", "none", "--cache-control", "none", "--launch-skip",
         str(kernels), "--launch-count", str(LAUNCHES * kernels), "--metrics",
         ",".join((CYCLES, TO_SMS, OF_L2)), command, "hw", file, "--runs", str(LAUNCHES + 1),
         "--spans", "--timeout", "60"], capture_output=True, text=True, check=False)
    rows = [line for line in done.stdout.splitlines(keepends=True) if line.startswith('"')]
    out = {}
    for row in csv.DictReader(io.StringIO("".join(rows))):
        out.setdefault(row["Kernel Name"], {}).setdefault(row["Metric Name"], []).append(
            float(row["Metric Value"].replace(",", "")))
    if not out:
        sys.exit(done.stdout + done.stderr)
    return out


def measure(command, folder):
    with tempfile.TemporaryDirectory() as here, \
         open(folder / "readings.jsonl", "w", encoding="utf-8") as out:
        for text, part in files():
            file = pathlib.Path(here) / "rings.tile"
            file.write_text(text, encoding="utf-8")
            all_of_them = counted(command, str(file), len(part))
            for n, p in part.items():
                seen = all_of_them[f"r{n}"]
                turns = sorted(c / TURNS for c in seen[CYCLES])
                shares = sorted(b / (32 * s) for b, s in zip(seen[TO_SMS], seen[OF_L2]))
                for name, unit, values in (("l2.sharers.turn", "cycles", turns),
                                           ("l2.sharers", "SMs", shares)):
                    print(json.dumps({"name": name, "parameters": p, "unit": unit,
                                      "median": round(statistics.median(values), 3),
                                      "p10": round(values[0], 3), "p90": round(values[-1], 3),
                                      "repeats": len(values)}), file=out, flush=True)


def show(command):
    readings = json.loads(DATA.read_text())["readings"]
    known = {name: {tuple(r[:7]): r[7] for r in readings[name]["rows"]}
             for name in ("l2.sharers.turn", "l2.sharers")}
    errors = []
    for text, part in files():
        with tempfile.TemporaryDirectory() as here:
            file = pathlib.Path(here) / "rings.tile"
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([command, "run", str(file), "--timing-only", "--format", "json"],
                                  capture_output=True, text=True, check=True)
        for kernel in json.loads(done.stdout)["files"][0]["kernels"]:
            p = part[int(kernel["name"][1:])]
            key = tuple(p.values())
            model = (kernel["end_cycle"] - kernel["start_cycle"]) / TURNS
            turn, share = known["l2.sharers.turn"][key], known["l2.sharers"][key]
            errors.append(abs(model / turn - 1))
            said = " ".join(f"{k} {v}" for k, v in p.items())
            print(f"{said}: {turn:.0f} cycles, {share:.2f} SMs; modelled {model:.0f}, "
                  f"{100 * (model / turn - 1):+.0f} %")
    print(f"mean error {100 * statistics.mean(errors):.1f} %")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "measure":
        measure(sys.argv[2], pathlib.Path(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        show(sys.argv[2])
    else:
        sys.exit(__doc__)
