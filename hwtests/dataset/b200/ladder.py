#!/usr/bin/env python3
"""GEMMs that others have measured on a B200, beside the model.

    ladder.py record COMMAND      runs the model, writes README.md
    ladder.py check COMMAND       README.md says what the model says; a test

The programs have the published tiles, stages and roles. No B200 was run for
this. Others' clocks are not known, so times are compared as multiples of the
time of the last step (docs/published-times.md 2 and 3).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE = HERE / "README.md"
FLOP = 2 * 4096 ** 3

# Step: program and what is published, TFLOP/s of December 2025 and of 2026.
LEARN = [("swizzled copies", "hwtests/dataset/b200/v2b.tile", [695.4, 721.0]),
         ("two stages", "hwtests/dataset/b200/v3.tile", [939.6, 914.4]),
         ("warp roles", "hwtests/dataset/b200/v4.tile", [1208.8, 1053.6]),
         ("pairs of CTAs", "hwtests/dataset/b200/v5.tile", [1302.3, 1169.7]),
         ("persistent", "hwtests/dataset/b200/v6.tile", [1475.9, 1273.3])]
# The same of milliseconds.
TIRX = [("4: tensor copies", "examples/tirx/hgemm_v04.tile", [0.493814]),
        ("7: warp roles, persistent", "examples/tirx/hgemm_v07.tile",
         [0.226613]),
        ("8: pairs of CTAs", "examples/tirx/hgemm_v09.tile", [0.103529]),
        ("9: two consumers", "examples/tirx/hgemm_v10.tile", [0.094139])]
# Program, and how long its phases take, ns.
PHASES = [("v5", {"set-up": 672, "first wait for a load": 928,
                  "between products": 338, "epilogue": 2496}),
          ("v6", {"set-up": 576, "first wait for a load": 1600,
                  "between products": 354, "epilogue": 2752})]
TIE = 0.03  # steps whose published times differ by less


def run(command, file, *more):
    done = subprocess.run(
        [command, "run", str(ROOT / file), "-D", "M=4096", "-D", "N=4096", "-D", "K=4096",
         "--arch", "b200", "--timing-only", "--format", "json", *more],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout)["files"][0]


# --- steps --------------------------------------------------------------------

def ratios(times):
    return [t / times[-1] for t in times]


def table(command, ladder, times_of):
    """Rows and the mean error of the ratios, by column of what is published."""
    model = ratios([run(command, file)["time_us"] for _, file, _ in ladder])
    columns = list(zip(*[times_of(p) for _, _, p in ladder]))
    published = [ratios(c) for c in columns]
    rows = []
    for i, (name, file, _) in enumerate(ladder):
        cells = [f"{p[i]:.2f} | {100 * (model[i] / p[i] - 1):+.1f} %"
                 for p in published]
        link = f"[{name}](../../../{file})"
        rows.append(f"| {link} | {model[i]:.2f} | {' | '.join(cells)} |")
    errors = [sum(abs(m / q - 1) for m, q in zip(model[:-1], p)) /
              (len(p) - 1) for p in published]
    order = all((a < b) == (p < q) for p_ in published
                for a, b, p, q in zip(model, model[1:], p_, p_[1:])
                if abs(p / q - 1) >= TIE)
    return rows, errors, order


# --- phases -------------------------------------------------------------------

def slices(command, name):
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch) / "trace.json"
        told = run(command, f"hwtests/dataset/b200/{name}.tile", "--trace",
                   str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    track = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    out = {}
    for e in events:
        if e["ph"] == "X" and e["pid"] == 1:
            role = track[e["pid"], e["tid"]].split(" (")[0]
            out.setdefault(role, []).append(
                (e["args"]["cycle"], e["args"]["cycles"], e["name"]))
    for role in out.values():
        role.sort()
    return out, told["clock_mhz"]


def median(values):
    return sorted(values)[len(values) // 2]


def phases(command, name):
    """ns; set-up until the roles begin."""
    by_role, clock = slices(command, name)
    mma = by_role["mma"]
    products = [at for at, _, what in mma if what == "tcgen05.mma"]
    wait = next(n for _, n, what in mma if what.startswith("WAIT full"))
    loads = by_role["tma"]
    copied = next(at for at, _, what in loads if what == "tma.load")
    setup = max((at + n for at, n, what in loads
                 if what == "barrier.cluster.wait" and at < copied),
                default=loads[0][0])
    # Warps that write, from their first load of the accumulator to the end of
    # the last store of that tile.
    writing = next(r for r in by_role.values()
                   if any(what == "st.global" for _, _, what in r))
    first = next(at for at, _, what in writing if what == "tcgen05.ld")
    behind = (x for x in writing if x[0] >= first)
    end = next(at for at, _, what in behind if what.startswith(
        ("tcgen05.fence::before", "mbarrier.arrive", "WAIT done")))
    cycles = {"set-up": setup, "first wait for a load": wait,
              "between products": median([b - a for a, b in
                                          zip(products, products[1:])]),
              "epilogue": end - first}
    return {k: v * 1000 / clock for k, v in cycles.items()}


# --- the page -----------------------------------------------------------------

def page(command):
    learn, of_learn, order_learn = table(
        command, LEARN, lambda p: [FLOP / tflops for tflops in p])
    tirx, of_tirx, order_tirx = table(command, TIRX, lambda p: p)
    def percent(errors):
        return " and ".join(f"{100 * e:.1f} %" for e in errors)

    def ordered(right):
        return "right" if right else "not right"

    rows = []
    for name, published in PHASES:
        said = phases(command, name)
        rows += [f"| {name} | {phase} | {said[phase]:.0f} | {ns} | "
                 f"{100 * (said[phase] / ns - 1):+.0f} % |"
                 for phase, ns in published.items()]
    return "\n".join([
        "# hwtests/dataset/b200: ladders that others measured on a B200", "",
        "**No B200 was run for this.** The programs have the tiles, stages and",
        "roles that their authors published; the model's arch is",
        "[b200.toml](../../../sim/arch/b200.toml). A time is a multiple of the",
        "last step's, 4096-cubed: of different clocks only ratios compare.",
        "[What is published](../../../docs/published-times.md).", "",
        "    hwtests/dataset/b200/ladder.py record build/tilesim", "",
        "## gau-nernst/learn-cuda, 02e_matmul_sm100", "",
        "| step | model | Dec 2025 | error | 2026 | error |",
        "|---|--:|--:|--:|--:|--:|", *learn, "",
        f"Mean error {percent(of_learn)}; the order is {ordered(order_learn)}.",
        "Left out: the step without a swizzle (a copy of 16-byte rows), which the",
        "language does not have for operands of tcgen05.mma.", "",
        "## mlc-ai/modern-gpu-programming-for-mlsys", "",
        "| step | model | published | error |",
        "|---|--:|--:|--:|", *tirx, "",
        f"Mean error {percent(of_tirx)}; the order is {ordered(order_tirx)}.", "",
        "The steps that wait for each copy and each product are too fast in the",
        "model, as rings of one stage are on the H200",
        "([accuracy](../accuracy.md)).", "",
        "## Phases", "",
        "Of the traces that learn-cuda has committed: medians of probes that slow",
        "the kernel down, so that the interval between products is an upper",
        "bound. The model's are of the first CTA; its set-up has a cluster barrier",
        "more, before the allocation (`check` asks for it).", "",
        "| kernel | phase | model, ns | published, ns | error |",
        "|---|---|--:|--:|--:|", *rows, ""])


def main(what, command):
    text = page(command)
    if what == "record":
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("README.md is not what the model says now: run ladder.py record")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("record", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
