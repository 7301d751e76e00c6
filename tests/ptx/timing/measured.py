#!/usr/bin/env python3
"""Modelled times of Triton's launches against those that a GPU took.

    measured.py TILESIM              small launches; their mean error is bounded
    measured.py TILESIM --table      those of 1024-cubed, too, as a page

h100.json has what on_gpu.py measured. The GPU was an H100 SXM; the model's
numbers are an H200's (`--arch h200`), which were read on one: the SMs, their
clock and L2 are the same, HBM is not, which these launches hardly use.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import launches  # noqa: E402  pylint: disable=wrong-import-position

MOST_MEAN = 25.0  # percent, of the small ones


def modelled(tilesim, folder, described, path):
    path.write_text(json.dumps(described))
    ptx = launches.ptx_of(described, folder)
    done = subprocess.run(
        [tilesim, "run", str(ptx), "--launch", str(path), "--timing-only",
         "--arch", "h200", "--format", "json"], capture_output=True,
        text=True, check=False)
    try:
        said = json.loads(done.stdout)["files"][0]
        return float(said["time_us"]), said["bound_by"]
    except (ValueError, KeyError, TypeError, IndexError):
        return None, done.stderr.strip()[:120]


def rows(tilesim, small):
    """Name, measured, modelled, what bounds it."""
    measured = json.loads((HERE / "h100.json").read_text())["launches"]
    with tempfile.TemporaryDirectory() as name:
        for launch, folder, described in launches.all_launches():
            known = measured.get(launch)
            size = launch.partition(".")[2]
            if known is None or \
                    size not in ([""] if small else ["", "1024"]):
                continue
            described["launches"][0]["registers"] = known["registers"]
            time, bound = modelled(tilesim, folder, described,
                                   pathlib.Path(name) / "launch.json")
            yield launch, known["us"], time, bound


def mean(errors):
    return sum(errors) / len(errors) if errors else 0.0


def table(found):
    lines = ["# Times of PTX", "",
             "Generated: `measured.py --table`; what is compared, "
             "[README.md](README.md) says.", "",
             "| launch | measured us | modelled us | error % | bound by |",
             "|---|--:|--:|--:|---|"]
    errors = []
    for launch, us, time, bound in found:
        if time is None:
            lines.append(f"| {launch} | {us:.1f} | | | {bound} |")
            continue
        error = 100 * (time / us - 1)
        errors.append(abs(error))
        lines.append(f"| {launch} | {us:.1f} | {time:.1f} | {error:+.0f} "
                     f"| {bound} |")
    lines += ["", f"{len(errors)} launches; the mean of absolute errors is "
              f"{mean(errors):.1f} %."]
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tilesim")
    p.add_argument("--table", action="store_true")
    o = p.parse_args()
    tilesim = str(pathlib.Path(o.tilesim).resolve())
    found = list(rows(tilesim, not o.table))
    if o.table:
        print(table(found))
        return 0
    for launch, us, time, bound in found:
        print(launch, us, time, bound)
    without = [f[0] for f in found if f[2] is None]
    errors = [abs(100 * (f[2] / f[1] - 1)) for f in found if f[2] is not None]
    print(f"mean error {mean(errors):.1f} % of {len(errors)}, "
          f"{len(without)} without a time")
    return 1 if without or not errors or mean(errors) > MOST_MEAN else 0


if __name__ == "__main__":
    sys.exit(main())
