#!/usr/bin/env python3
"""How far the clock is from the data set.

    accuracy.py show COMMAND [--part fit|held|all] [--only TEXT] [--points]
                      errors by program and sweep, as text
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import points as table  # noqa: E402

RECORDS = HERE / "h200.json"
SAME = 0.02  # pairs that silicon separates by less are not ranked


def predict(command, record):
    """{cycles, us, mhz} of the model."""
    args = [command, "run", record["file"], "--timing-only", "--format",
            "json", "--l2", record["l2"]]
    for d in record["defines"]:
        args += ["-D", d]
    done = subprocess.run(args, capture_output=True, text=True, cwd=table.ROOT,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{record['key']}: {done.stderr}")
    said = json.loads(done.stdout)["files"][0]
    return {"cycles": said["cycles"], "us": said["time_us"],
            "mhz": said["clock_mhz"], "why": said["bound_by"]}


def predictions(command, records):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda r: predict(command, r), records)
        return {r["key"]: p for r, p in zip(records, found)}


def error(model, record, unit):
    return model[record["key"]][unit] / record[unit][0] - 1


def kendall(pairs):
    """Of (modelled, measured); None without a pair that is counted."""
    score = count = 0
    for (a, x), (b, y) in itertools.combinations(pairs, 2):
        if abs(x - y) <= SAME * min(x, y):
            continue
        count += 1
        score += 0 if a == b else 1 if (a < b) == (x < y) else -1
    return (score / count if count else None), count


def main():
    p = argparse.ArgumentParser()
    p.add_argument("word")
    p.add_argument("command")
    p.add_argument("--part", default="fit")
    p.add_argument("--only", default="")
    p.add_argument("--points", action="store_true")
    p.add_argument("--compare")
    o = p.parse_args()
    records = json.loads(RECORDS.read_text())["records"]
    records = [r for r in records if re.search(o.only, r["key"]) and
               (o.part == "all" or (r["part"] == "fit") == (o.part == "fit"))]
    model = predictions(str(pathlib.Path(o.command).resolve()), records)
    programs = {}
    for r in records:
        programs.setdefault(r["key"].split()[0], []).append(r)
    if o.points:
        for r in records:
            m = model[r["key"]]
            print(f"{r['key']:75} {r['cycles'][0]:9.0f} {m['cycles']:9d} "
                  f"{100*error(model,r,'cycles'):+6.1f}% "
                  f"{r['us'][0]:8.2f} {m['us']:8.2f} {100*error(model,r,'us'):+6.1f}% "
                  f"{r['mhz'][0]:5.0f} {m['mhz']:5.0f} {m['why']}")
    def line(name, rs):
        out = f"{name:32} {len(rs):4}"
        for unit in ("cycles", "us", "mhz"):
            e = [error(model, r, unit) for r in rs]
            out += (f"  {unit} {100*statistics.mean(map(abs, e)):5.1f} "
                    f"({100*statistics.mean(e):+6.1f}) "
                    f"{100*max(e, key=abs):+6.1f}")
        print(out)
    for name, rs in programs.items():
        line(name, rs)
    line("ALL", records)
    sweeps = {}
    for r in records:
        for s in r["sweeps"]:
            sweeps.setdefault(s, []).append(r)
    taus = []
    for name, rs in sweeps.items():
        if len(rs) < 3:
            continue
        tau, n = kendall([(model[r["key"]]["us"], r["us"][0]) for r in rs])
        best = min(rs, key=lambda r: model[r["key"]]["us"])
        cost = best["us"][0] / min(r["us"][0] for r in rs)
        if tau is not None:
            taus.append(tau)
        if tau is not None and (tau < 0.9 or cost > 1.03):
            print(f"{name:50} {len(rs)} tau {tau:5.2f} of {n:2} best {cost:5.2f}")
    print("sweeps", len(taus), "tau>=0.9:", sum(t >= 0.9 for t in taus))


if __name__ == "__main__":
    main()
