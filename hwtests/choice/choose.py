#!/usr/bin/env python3
"""Measures every point that may be chosen, with cuBLAS in turns, on this GPU.

    measure.py COMMAND OUT [--seconds N] [--resume FILE] [--runs N] [--only TEXT]

OUT/records.jsonl gets a line a point; a point that is no program (too much
shared memory, sizes it does not permit) says so there.
"""
import argparse
import concurrent.futures
import hashlib
import importlib.util
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "dataset"),
                str(HERE.parent / "results")]
import shapes  # noqa: E402
from measure import machine, run, WORKERS  # noqa: E402  (of the data set)


def find_cublas():
    path = HERE.parent / "results" / "measure.py"  # a module of the same name
    spec = importlib.util.spec_from_file_location("results_measure", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.find_cublas()


def key(file, defines):
    return " ".join([pathlib.Path(file).stem, *defines])


def one(command, runs, file, defines):
    record = {"key": key(file, defines), "file": file, "defines": defines}
    args = [command, "hw", file, "--cublas", "--seed", "1", "--runs", str(runs),
            "--timeout", "20", "--format", "json"]
    done = run(args + [x for d in defines for x in ("-D", d)], 300)
    try:
        said = json.loads(done.stdout)["files"][0]
        got = said["measured"]
        return {**record, "emitted": got["emitted"],
                "times_us": got["times_us"], "median_us": got["median_us"],
                "cublas_us": (got.get("cublas") or {}).get("median_us"),
                "cublas_times_us": (got.get("cublas") or {}).get("times_us"),
                "clock_mhz": got.get("clock_mhz"), "l2": got.get("l2"),
                "result": said["result"], "exit": done.returncode}
    except (json.JSONDecodeError, KeyError, IndexError, TypeError):
        return {**record, "error": f"exit {done.returncode}: "
                                   f"{done.stderr[-400:]}"}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    there = set()
    if asked.resume:
        there = {json.loads(line)["key"]
                 for line in asked.resume.read_text().splitlines()}
    todo = [(f, d) for s in shapes.SHAPES for f, d in shapes.points(s)
            if key(f, d) not in there and asked.only in key(f, d)]
    # An order of no meaning: what is cut short is a sample of all.
    todo.sort(key=lambda p: hashlib.sha256(key(*p).encode()).digest())
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "machine.json").write_text(json.dumps(machine(), indent=1))
    find_cublas()
    start, command = time.time(), os.path.abspath(asked.command)

    def measure(point):
        if time.time() - start > asked.seconds:
            return None
        return one(command, asked.runs, *point)

    count = failed = 0
    with open(asked.out / "records.jsonl", "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for done in concurrent.futures.as_completed(
                [pool.submit(measure, p) for p in todo]):
            record = done.result()
            if record is None:
                continue
            count += 1
            failed += "error" in record
            file.write(json.dumps(record) + "\n")
            file.flush()
            if count % 50 == 0:
                print(f"{count} of {len(todo)}, {failed} without a time, "
                      f"{time.time() - start:.0f} s", flush=True)
    print(f"{count} of {len(todo)}, {failed} without a time, "
          f"{time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
