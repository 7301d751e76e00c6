#!/usr/bin/env python3
"""How far the clock is from the data set: cycles, time and clock of the model
against the records, by program and by sweep, fitted and held-out points apart.

    accuracy.py record COMMAND [--without NAME=COMMAND ...]
                                      all points: accuracy.json, .md and .svg;
                                      builds without a fitted parameter beside
    accuracy.py check COMMAND         some points again, a program two or three
                                      (ctest): no error has grown
    accuracy.py check COMMAND --all   all points again
    accuracy.py show COMMAND [--part fit|held|all] [--only TEXT] [--points]
    accuracy.py self-test             shows that the check can fail

A prediction is `tilesim run --timing-only` with what the point names, also
whether L2 is warm. Cycles are from the first CTA's start to the last one's end,
the time is that between events.
"""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import accuracy_text  # noqa: E402
import points as table  # noqa: E402

RECORDS, KEPT = HERE / "h200.json", HERE / "accuracy.json"
COMMAND_SAYS = table.ROOT / "sim/arch/accuracy.def"
SAME = 0.02      # pairs that silicon separates by less are not ranked
GROWTH = 0.005   # of a mean error that the check forgives
UNITS = ("cycles", "us", "mhz")
# What no reading says by itself, and by what it was chosen. `record --without`
# takes a build without it.
FITTED = {"kTogether": "60 cycles of sim/timing/memory_path.cc, for which two SMs "
                       "of a TPC that ask for one tile still share it: chosen by "
                       "`ring.turn` among what `pair.latency` leaves (40 to 120)",
          "GpcUnits::crowd": "0.97 of its time (sim/timing/units.h), beyond which the "
                             "way to a GPC has a queue: chosen by `ring.turn`, four "
                             "stages of shared tiles. Beside it: 0.95, as HBM has",
          "kHandedOn": "700 cycles of sim/timing/memory_path.cc, after which what was "
                       "asked for is not handed on to the GPC's other SMs: chosen by "
                       "`ring.turn`, 132 to 528 CTAs, in step and some k-steps ahead"}


# --- the model ----------------------------------------------------------------

def predict(command, record, arch=None):
    args = [command, "run", record["file"], "--timing-only", "--format", "json",
            "--l2", record["l2"], *(["--arch", arch] if arch else [])]
    for d in record["defines"]:
        args += ["-D", d]
    done = subprocess.run(args, capture_output=True, text=True, cwd=table.ROOT,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{record['key']}: {done.stdout}{done.stderr}")
    said = json.loads(done.stdout)["files"][0]
    return {"cycles": said["cycles"], "us": said["time_us"],
            "mhz": said["clock_mhz"]}


def predictions(command, records, jobs=2):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda r: predict(command, r), records)
        return {r["key"]: p for r, p in zip(records, found)}


# --- errors -------------------------------------------------------------------

def error(model, record, unit):
    return model[record["key"]][unit] / record[unit][0] - 1


def errors(model, records):
    """{unit: [mean of absolute errors, mean, worst]}"""
    out = {}
    for unit in UNITS:
        e = [error(model, r, unit) for r in records]
        out[unit] = [statistics.mean(map(abs, e)), statistics.mean(e),
                     max(e, key=abs)]
    return out


def kendall(pairs):
    """Rank correlation of (modelled, measured), and how many pairs count."""
    score = count = 0
    for (a, x), (b, y) in itertools.combinations(pairs, 2):
        if abs(x - y) > SAME * min(x, y):
            count += 1
            score += 0 if a == b else 1 if (a < b) == (x < y) else -1
    return (score / count if count else None), count


def ranking(model, records):
    """Rank correlation in time, counted pairs, and how much longer than the
    best the one takes that the model calls best."""
    tau, count = kendall([(model[r["key"]]["us"], r["us"][0]) for r in records])
    chosen = min(records, key=lambda r: model[r["key"]]["us"])
    return tau, count, chosen["us"][0] / min(r["us"][0] for r in records)


def groups(records):
    """Points by program, and by sweep."""
    programs, sweeps = {}, {}
    for r in records:
        programs.setdefault(r["key"].split()[0], []).append(r)
        for name in r["sweeps"]:
            sweeps.setdefault(name, []).append(r)
    return programs, sweeps


def is_fit(record):
    return record["part"] == "fit"


def parts(records):
    return {"fitted": [r for r in records if is_fit(r)],
            "held out": [r for r in records if not is_fit(r)],
            "all": records}


# --- commands -----------------------------------------------------------------

def load():
    return json.loads(RECORDS.read_text())["records"]


def gpu():
    """Which was measured."""
    machine = json.loads(RECORDS.read_text())["machine"]
    names, = {m["nvidia_smi"].split(", ")[1] for m in machine}
    return names


def record(command, o):
    records = load()
    kept = {"points": predictions(command, records), "without": {}}
    for name, other in (w.split("=") for w in o.without):
        model = predictions(str(pathlib.Path(other).resolve()), records)
        kept["without"][name] = {part: errors(model, of)
                                 for part, of in parts(records).items()}
    KEPT.write_text(as_text(kept))
    COMMAND_SAYS.write_text(for_command(kept["points"], records))
    accuracy_text.write(HERE, records, kept, sys.modules[__name__])
    for name, of in parts(records).items():
        print(name, len(of), errors(kept["points"], of))


def for_command(model, records):
    """What the command says of its clock, as sim/arch has it."""
    e = errors(model, records)
    numbers = [f"{100 * x:.1f}" for unit in ("us", "cycles")
               for x in (e[unit][0], e[unit][2])]
    return ("// Written by hwtests/dataset/accuracy.py record: arch, GPU, points,"
            " mean\n// and worst error of times, and of cycles, in percent.\n"
            f'ACCURACY("h200", "{gpu()}", {len(records)}, '
            f'{", ".join(numbers)})\n')


def as_text(kept):
    """A point a line."""
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(p)}"
                       for k, p in kept["points"].items())
    return (f'{{"without": {json.dumps(kept["without"])},\n'
            f'"points": {{\n{lines}\n}}}}\n')


def some(records):
    """The shortest two points of each program, and of each part: quick."""
    programs, _ = groups(records)
    out = []
    for of in programs.values():
        for fit in (True, False):
            able = [r for r in of if is_fit(r) == fit and r["us"][0] < 60]
            out += sorted(able, key=lambda r: r["us"][0])[:2]
    return out


def grown(records, before, now):
    """What has become worse."""
    programs, _ = groups(records)
    for name, of in [*programs.items(), ("all of these", records)]:
        for unit in UNITS:
            a, b = (errors(m, of)[unit][0] for m in (before, now))
            if b > a + GROWTH:
                yield (f"{name}: mean error of {unit} is {100 * b:.1f} %, was "
                       f"{100 * a:.1f} %")


def check(command, o):
    records = load() if o.all else some(load())
    kept = json.loads(KEPT.read_text())
    now = predictions(command, records)
    worse = list(grown(records, kept["points"], now))
    if COMMAND_SAYS.read_text() != for_command(kept["points"], load()):
        worse.append(f"{COMMAND_SAYS.name} is not what `record` wrote")
    if o.all and not worse:
        with tempfile.TemporaryDirectory() as out:
            accuracy_text.write(pathlib.Path(out), records,
                                {**kept, "points": now},
                                sys.modules[__name__])
            for name in ("accuracy.md", "accuracy.svg"):
                if (pathlib.Path(out) / name).read_text() != (
                        HERE / name).read_text():
                    worse.append(f"{name} is not what `record` writes now")
    print(f"{len(records)} points, {len(worse)} findings")
    if worse:
        sys.exit("\n".join(worse))


def show(command, o):
    records = [r for r in load() if re.search(o.only, r["key"]) and
               (o.part == "all" or is_fit(r) == (o.part == "fit"))]
    model = predictions(command, records)
    if o.points:
        for r in records:
            print(f"{r['key']:75}", *(
                f"{r[u][0]:9.0f} {model[r['key']][u]:9.0f} "
                f"{100 * error(model, r, u):+6.1f}%" for u in UNITS))
    programs, sweeps = groups(records)
    for name, of in [*programs.items(), ("all of these", records)]:
        print(f"{name:30} {len(of):4}", *(
            f" {u} {100 * m:5.1f} ({100 * s:+6.1f}) {100 * w:+6.1f}"
            for u, (m, s, w) in errors(model, of).items()))
    for name, of in sweeps.items():
        tau, count, cost = ranking(model, of)
        if tau is not None:
            print(f"{name:50} {len(of)} tau {tau:5.2f} of {count:2} pairs, "
                  f"best {cost:5.2f}")


def self_test(_, o):
    records = some(load())
    model = json.loads(KEPT.read_text())["points"]
    assert not list(grown(records, model, model))
    key = records[0]["key"]
    off = {u: 2 * records[0][u][0] for u in UNITS}
    assert list(grown(records, model, {**model, key: off}))
    assert kendall([(1, 1), (2, 2), (3, 3)]) == (1, 3)
    assert kendall([(3, 1), (2, 2), (1, 3)]) == (-1, 3)
    assert kendall([(1, 1), (2, 1.01)]) == (None, 0)
    print("self-test passed")


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("word", choices=["record", "check", "show", "self-test"])
    p.add_argument("command", nargs="?", default="")
    p.add_argument("--all", action="store_true")
    p.add_argument("--part", default="all", choices=["fit", "held", "all"])
    p.add_argument("--without", action="append", default=[])
    p.add_argument("--only", default="")
    p.add_argument("--points", action="store_true")
    o = p.parse_args()
    command = str(pathlib.Path(o.command).resolve())
    {"record": record, "check": check, "show": show,
     "self-test": self_test}[o.word](command, o)


if __name__ == "__main__":
    main()
