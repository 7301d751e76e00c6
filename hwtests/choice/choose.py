#!/usr/bin/env python3
"""Which configuration of a product `tilesim sweep` picks, and what that is worth.

    choose.py predict COMMAND OUT.json
        ranks all points of all shapes with the model; no GPU, some minutes
    choose.py measure COMMAND OUT [--seconds N] [--resume FILE] [--points FILE]
                      [--runs N] [--workers N]
        times points on this GPU, cuBLAS in turns: OUT/records.jsonl, a line a
        point; all points, or those that a file has as lines of
        `FILE NAME=VALUE...`
    choose.py again PREDICTED RECORDS... > POINTS
        the point that the model picks and the three that ran fastest, a shape
    choose.py record PREDICTED AGAIN [RECORDS...]
        writes h200.json and h200.md; without RECORDS the first pass is that of
        h200.json as it is, as after a change of the model alone
    choose.py check
        h200.md says what h200.json does
"""
import argparse
import concurrent.futures
import hashlib
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "dataset"),
                str(HERE.parent / "results")]
import shapes  # noqa: E402
import table  # noqa: E402
from measure import machine, run  # noqa: E402  (of the data set)

RECORD, PAGE = HERE / "h200.json", HERE / "h200.md"
FASTEST = 3


def key(file, defines):
    return " ".join([file, *defines])


def named(shape):
    return "x".join(map(str, shape))


def all_points():
    return [(f, d) for s in shapes.SHAPES for f, d in shapes.points(s)]


# --- the model ----------------------------------------------------------------

def predicted(command, shape):
    """Points of a shape that are programs, the fastest first."""
    out = []
    for file, axes in shapes.grids(shape):
        done = run([command, "sweep", file, "--format", "json",
                    *[x for axis in axes for x in ("-D", axis)]], 600)
        for p in json.loads(done.stdout)["files"][0]["points"]:
            if p["state"] == "timed":
                out.append({"point": key(file, [f"{n}={v}" for n, v
                                                in p["values"].items()]),
                            "us": round(p["time_us"], 3)})
    return sorted(out, key=lambda p: p["us"])


def predict(asked):
    out = {}
    for shape in shapes.SHAPES:
        out[named(shape)] = predicted(asked.command, shape)
        asked.out.write_text(json.dumps(out, indent=0) + "\n")
        print(named(shape), out[named(shape)][0], flush=True)


# --- the GPU ------------------------------------------------------------------

def find_cublas():
    path = HERE.parent / "results" / "measure.py"  # a module of the same name
    spec = importlib.util.spec_from_file_location("results_measure", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.find_cublas()


def one(command, runs, point):
    record = {"point": point}
    file, *defines = point.split()
    args = [command, "hw", file, "--cublas", "--seed", "1", "--runs", str(runs),
            "--timeout", "20", "--format", "json"]
    done = run(args + [x for d in defines for x in ("-D", d)], 300)
    try:
        said = json.loads(done.stdout)["files"][0]
        got = said["measured"]
        return {**record, "emitted": got["emitted"],
                "times_us": got["times_us"],
                "cublas_us": (got.get("cublas") or {}).get("times_us"),
                "right": said["result"]["bit_exact"]}
    except (json.JSONDecodeError, KeyError, IndexError, TypeError):
        return {**record,
                "error": f"exit {done.returncode}: {done.stderr[-400:]}"}


def read(path):
    return [json.loads(line) for line in
            pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def measure(asked):
    there = {r["point"] for r in read(asked.resume)} if asked.resume else set()
    todo = (asked.points.read_text().split("\n") if asked.points
            else [key(*p) for p in all_points()])
    todo = [p for p in todo if p and p not in there]
    if not asked.points:
        # An order of no meaning: what is cut short is a sample of all.
        todo.sort(key=lambda p: hashlib.sha256(p.encode()).digest())
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "machine.json").write_text(json.dumps(machine(), indent=1))
    find_cublas()
    start, command = time.time(), os.path.abspath(asked.command)

    def timed(point):
        if time.time() - start > asked.seconds:
            return None
        return one(command, asked.runs, point)

    with open(asked.out / "records.jsonl", "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(asked.workers) as pool:
        done = [pool.submit(timed, p) for p in todo]
        for count, future in enumerate(concurrent.futures.as_completed(done)):
            if future.result() is not None:
                file.write(json.dumps(future.result()) + "\n")
                file.flush()
            if count % 50 == 49:
                print(f"{count + 1} of {len(todo)}, {time.time() - start:.0f} s",
                      flush=True)


# --- records ------------------------------------------------------------------

def summary(r):
    """Medians, and of cuBLAS's time over ours in turns with the quartiles."""
    ratios = sorted(c / t for c, t in zip(r["cublas_us"], r["times_us"]))
    quarter = len(ratios) // 4
    return {"us": round(statistics.median(r["times_us"]), 2),
            "cublas_us": round(statistics.median(r["cublas_us"]), 2),
            "of_cublas": round(statistics.median(ratios), 4),
            "quartiles": [round(ratios[quarter], 4),
                          round(ratios[-1 - quarter], 4)],
            "launches": len(ratios)}


def of_shape(shape, records):
    """What was timed of it and had right values: {point: summary}."""
    sizes = {f"{n}={v}" for n, v in zip("MNK", shape)}
    out = {}
    for r in records:
        if "error" in r or not sizes <= set(r["point"].split()):
            continue
        if not r["right"]:
            sys.exit(f"{r['point']}: wrong values")
        out[r["point"]] = summary(r)
    return out


def again(asked):
    ranked = json.loads(asked.predicted.read_text())
    records = [r for path in asked.records for r in read(path)]
    for shape in shapes.SHAPES:
        measured = of_shape(shape, records)
        fastest = sorted(measured, key=lambda p: measured[p]["us"])[:FASTEST]
        picked = ranked[named(shape)][0]["point"]
        print("\n".join(dict.fromkeys([picked, *fastest])))


def record(asked):
    ranked = json.loads(asked.predicted.read_text())
    records = [r for path in asked.records for r in read(path)]
    last = read(asked.again)
    before = {tuple(s["shape"]): s["measured_us"]
              for s in json.loads(RECORD.read_text())["shapes"]}
    out = []
    for shape in shapes.SHAPES:
        choice = ranked[named(shape)][0]
        finals = of_shape(shape, last)
        best = min(finals, key=lambda p: finals[p]["us"])
        first = {p: v["us"] for p, v in of_shape(shape, records).items()}
        if not records:
            first = {**{p: v["us"] for p, v in finals.items()}, **before[shape]}
        out.append({"shape": list(shape), "points": len(ranked[named(shape)]),
                    "measured_us": {p: first[p] for p in sorted(first)},
                    "chosen": {**choice, "model_us": choice["us"],
                               **finals[choice["point"]]},
                    "best": {"point": best, **finals[best]}})
    found = {"machine": json.loads(
        (asked.again.parent / "machine.json").read_text()), "shapes": out}
    RECORD.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(table.page(found))


def check(_):
    found = json.loads(RECORD.read_text())
    if {tuple(s["shape"]) for s in found["shapes"]} != set(shapes.SHAPES):
        sys.exit("h200.json: other shapes than shapes.py has")
    if PAGE.read_text() != table.page(found):
        sys.exit("h200.md does not say what h200.json does: choose.py record")
    print(f"{len(found['shapes'])} shapes as recorded")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(required=True)

    def command(f, *paths):
        p = sub.add_parser(f.__name__)
        p.set_defaults(call=f)
        for name in paths:
            optional = "*" if f is record else "+"
            many = {"nargs": optional} if name == "records" else {}
            p.add_argument(name, type=str if name == "command" else pathlib.Path,
                           **many)
        return p

    command(predict, "command", "out")
    m = command(measure, "command", "out")
    m.add_argument("--seconds", type=float, default=1e9)
    m.add_argument("--resume", type=pathlib.Path)
    m.add_argument("--points", type=pathlib.Path)
    m.add_argument("--runs", type=int, default=40)
    # A launch is timed from the host: few others may use its cores.
    m.add_argument("--workers", type=int, default=6)
    command(again, "predicted", "records")
    command(record, "predicted", "again", "records")
    command(check)
    asked = parser.parse_args()
    asked.call(asked)


if __name__ == "__main__":
    main()
