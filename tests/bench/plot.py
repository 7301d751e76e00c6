#!/usr/bin/env python3
"""Draws what check_bench measured: the cost of a ring of warps as its warps,
its slots and its turns get more, each with the straight line through it.

    build/tests/check_bench --benchmark_filter=Grows \\
      --benchmark_repetitions=9 --benchmark_out=cost.json
    tests/bench/plot.py cost.json cost.svg
"""

import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "tilesim"
import matplotlib.pyplot as plt  # noqa: E402

PANELS = [
    ("GrowsWithRoles", "warps", "4 stages, 32 iterations"),
    ("GrowsWithStages", "stages", "16 warps, 32 iterations"),
    ("GrowsWithTurns", "iterations", "16 warps, 4 stages"),
]


def points(runs, name):
    """(argument, ms) of a benchmark: the quickest repetition of each."""
    best = {}
    for run in runs:
        base, _, argument = run["name"].partition("/")
        if base == name and run.get("run_type") != "aggregate":
            assert run["time_unit"] == "ms"
            x = int(argument)
            best[x] = min(best.get(x, run["cpu_time"]), run["cpu_time"])
    return sorted(best.items())


def line(found):
    """Slope, intercept and r^2 of the least-squares line."""
    n = len(found)
    mean_x = sum(x for x, _ in found) / n
    mean_y = sum(y for _, y in found) / n
    xx = sum((x - mean_x) ** 2 for x, _ in found)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in found)
    yy = sum((y - mean_y) ** 2 for _, y in found)
    slope = xy / xx
    return slope, mean_y - slope * mean_x, xy * xy / (xx * yy)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        runs = json.load(f)["benchmarks"]
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4))
    for axes, (name, what, rest) in zip(panels, PANELS):
        found = points(runs, name)
        if not found:
            sys.exit(f"{sys.argv[1]} has no {name}")
        xs, ys = zip(*found)
        slope, start, r2 = line(found)
        axes.plot(xs, ys, "o", color="#1f5fa8", markersize=5)
        axes.plot(xs, [start + slope * x for x in xs], "-", color="#c0504d",
                  linewidth=1, label=f"straight line, r² = {r2:.4f}")
        axes.set_xlabel(what)
        axes.set_title(rest, fontsize=10)
        axes.set_xlim(left=0)
        axes.set_ylim(0, 1.2 * max(ys))  # room for the legend
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", fontsize=8, frameon=False)
        print(f"{name}: {slope:.5f} ms each, r^2 = {r2:.4f}")
    panels[0].set_ylabel("check, ms of CPU")
    figure.suptitle("what tilesim check of a ring of warps costs (one size)",
                    fontsize=11)
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
