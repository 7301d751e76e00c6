#!/usr/bin/env python3
"""Modelled times of Triton's launches against those that a GPU took.

    measured.py TILESIM         the short launches again, as far off as recorded;
                                and what was recorded is what the command says
    measured.py TILESIM record  all: modelled.json, results.md, and
                                sim/arch/accuracy_ptx.def

h100.json has what on_gpu.py measured. The GPU was an H100 SXM. `h200`, for
which PTX is taken unless told otherwise, has an H200's numbers, which were read
on one: SMs, their clock and L2 are the same, HBM is not, which these launches
hardly use. `h100_sxm` has what is published of an H100.
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

KEPT, TABLE = HERE / "modelled.json", HERE / "results.md"
COMMAND_SAYS = HERE.parents[2] / "sim/arch/accuracy_ptx.def"
ARCHS = ("h200", "h100_sxm")
LARGE = (".1024", ".2048", ".4096")
MOST_MEAN = 15.0  # percent, of all that were recorded, by the first of ARCHS
CHANGED = 0.5     # percent: what was recorded is to be recorded again
MEASURED = json.loads((HERE / "h100.json").read_text())


def modelled(tilesim, arch, ptx, launch):
    """Time, and what bounds it; or None and why there is none."""
    done = subprocess.run(
        [tilesim, "run", str(ptx), "--launch", str(launch), "--timing-only",
         "--arch", arch, "--format", "json"], capture_output=True,
        text=True, check=False)
    try:
        said = json.loads(done.stdout)["files"][0]
        return {"us": float(said["time_us"]), "bound_by": said["bound_by"]}
    except (ValueError, KeyError, TypeError, IndexError):
        return {"us": None, "bound_by": done.stderr.strip()[:120]}


def predictions(tilesim, arch, wanted):
    """By launch."""
    out = {}
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "launch.json"
        for launch, folder, described in launches.all_launches():
            if launch not in MEASURED["launches"] or not wanted(launch):
                continue
            described["launches"][0]["registers"] = \
                MEASURED["launches"][launch]["registers"]
            path.write_text(json.dumps(described))
            out[launch] = modelled(tilesim, arch,
                                   launches.ptx_of(described, folder), path)
    return out


def short(launch):
    return not launch.endswith(LARGE)


def error(launch, model):
    """In percent."""
    return 100 * (model["us"] / MEASURED["launches"][launch]["us"] - 1)


def summary(models):
    """Launches, mean of absolute errors, the worst error."""
    errors = [error(*m) for m in models.items()]
    mean = sum(map(abs, errors)) / len(errors)
    return len(errors), mean, max(errors, key=abs)


def for_command(kept):
    """What the command says of the times of PTX, as sim/arch has it."""
    lines = ["// Written by tests/ptx/timing/measured.py record: arch, GPU, "
             "launches, mean and", "// worst error of times, in percent."]
    for arch, models in kept.items():
        count, mean, worst = summary(models)
        lines.append(f'ACCURACY_PTX("{arch}", "{MEASURED["gpu"]}", {count}, '
                     f'{mean:.1f}, {worst:.1f})')
    return "\n".join(lines) + "\n"


def table(kept):
    lines = ["# Times of PTX", "",
             "Written by `measured.py record`; what is compared, "
             "[README.md](README.md) says.", "",
             "| launch | measured us | modelled us | error % | bound by |",
             "|---|--:|--:|--:|---|"]
    for launch, model in kept[ARCHS[0]].items():
        us = MEASURED["launches"][launch]["us"]
        lines.append(f"| {launch} | {us:.1f} | {model['us']:.1f} "
                     f"| {error(launch, model):+.0f} | {model['bound_by']} |")
    for arch, models in kept.items():
        count, mean, worst = summary(models)
        lines += ["", f"`--arch {arch}`: the mean of absolute errors of "
                  f"{count} launches is {mean:.1f} %, the worst {worst:+.0f} %."]
    return "\n".join(lines) + "\n"


def without_time(models):
    return [f"{launch}: {model['bound_by']}"
            for launch, model in models.items() if model["us"] is None]


def record(tilesim):
    kept = {arch: predictions(tilesim, arch, lambda _: True)
            for arch in ARCHS}
    wrong = [w for models in kept.values() for w in without_time(models)]
    if wrong:
        return wrong
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    TABLE.write_text(table(kept))
    COMMAND_SAYS.write_text(for_command(kept))
    return []


def stated(tilesim):
    """What an answer says of its error, in JSON and in text."""
    launch = "recorded/0001_mm_tma"
    _, folder, described = next(
        known for known in launches.all_launches() if known[0] == launch)
    words = [tilesim, "run", str(launches.ptx_of(described, folder)),
             "--launch", str(launches.DATA / f"{launch}.json"),
             "--timing-only"]
    said = [subprocess.run(words + more, capture_output=True, text=True,
                           check=False).stdout
            for more in (["--format", "json"], [])]
    return json.loads(said[0])["files"][0]["clock_error"], said[1]


def check_stated(tilesim, kept):
    count, mean, worst = summary(kept[ARCHS[0]])
    as_json, text = stated(tilesim)
    wanted = {"points": count, "of": "launches of PTX",
              "gpu": MEASURED["gpu"], "mean_time_percent": round(mean, 1),
              "worst_time_percent": round(worst, 1),
              "mean_cycles_percent": None, "worst_cycles_percent": None,
              "unseen": None}
    if as_json != wanted:
        yield f"an answer in JSON says {as_json}, measured was {wanted}"
    # The command knows a decimal of each.
    mean, worst = round(mean, 1), round(worst, 1)
    row = (f"{mean:.0f} %   of the duration, mean of {count} launches of PTX "
           f"on an {MEASURED['gpu']}; worst {worst:+.0f} %")
    if row not in text:
        yield f"an answer in text does not say {row}"


def check(tilesim):
    kept = json.loads(KEPT.read_text())
    for path, text in ((TABLE, table(kept)),
                       (COMMAND_SAYS, for_command(kept))):
        if path.read_text() != text:
            yield f"{path.name} is not what `record` writes"
    yield from check_stated(tilesim, kept)
    if summary(kept[ARCHS[0]])[1] > MOST_MEAN:
        yield f"the mean error is more than {MOST_MEAN} %"
    now = predictions(tilesim, ARCHS[0], short)
    wrong = without_time(now)
    yield from wrong
    for launch, model in [] if wrong else now.items():
        before = kept[ARCHS[0]][launch]["us"]
        if abs(model["us"] / before - 1) > CHANGED / 100:
            yield (f"{launch}: {model['us']:.2f} us, recorded were "
                   f"{before:.2f}: `measured.py record`")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tilesim")
    p.add_argument("record", nargs="?", choices=["record"])
    o = p.parse_args()
    tilesim = str(pathlib.Path(o.tilesim).resolve())
    wrong = record(tilesim) if o.record else list(check(tilesim))
    print("\n".join(wrong) or "as recorded")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
