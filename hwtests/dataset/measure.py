#!/usr/bin/env python3
"""Measures the points of the data set on the GPU of this machine.

    measure.py COMMAND OUT [--only REGEX] [--resume FILE] [--seconds N]
               [--launches N] [--rounds N]

COMMAND is the tilesim binary; nothing else of the build is needed but NVRTC.
OUT/records.jsonl gets a line a point, as soon as it is measured, OUT/machine.json
what the GPU is, OUT/gpu.csv what nvidia-smi said of it every few seconds.

--only REGEX    points whose key matches, e.g. '^hgemm_v08 .*cold'
--resume FILE   leave out what this records.jsonl holds without an error
--seconds N     begin no point after so many seconds, so that a run that has a
                limit ends by itself; go on with --resume
--launches N    timed launches of each kind (25)
--rounds N      each point so often, in another order each time (1): how well do
                they repeat? Records have a "round"

Points come in an order that has nothing to do with their place in the table: a
run that was cut short leaves a sample of all. Exit code 1: a point failed; 3:
some are left.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "results")]
import points  # noqa: E402
from programs import key  # noqa: E402

ROOT = points.ROOT
# Two cores are left to the one process that launches.
WORKERS = max(1, min(14, (os.cpu_count() or 1) - 2))
ON_DEVICE = 20  # seconds that a point may take there before it is killed
IN_ALL = 240    # and with its compilation, and its turn
SMI = "timestamp,name,driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu"


def run(args, seconds):
    try:
        return subprocess.run(args, capture_output=True, text=True, cwd=ROOT,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, 124, "", f"{seconds} s passed")


def measure(command, launches, point):
    """The record of a point: what `tilesim hw --spans` says, or an error."""
    record = {"key": point.key, **key(point.file, point.defines),
              "l2": point.l2}
    args = [command, "hw", point.file, "--spans", "--seed", "1", "--runs",
            str(launches), "--timeout", str(ON_DEVICE), "--format", "json"]
    args += ["--cold"] if point.l2 == "cold" else []
    args += [x for define in point.defines for x in ("-D", define)]
    start = time.time()
    done = run(args, IN_ALL)
    record["seconds"] = round(time.time() - start, 2)
    try:
        said = json.loads(done.stdout)["files"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        said = {}
    if done.returncode != 0 or "plain_us" not in said:
        return {**record, "error": f"exit {done.returncode}: {done.stderr}"}
    for name in ("file", "program", "l2"):
        said.pop(name)
    record["log"] = done.stderr  # of the compiler: serialised wgmma, spills
    return {**record, **said}


def machine():
    done = run(["nvidia-smi", f"--query-gpu={SMI},clocks.max.sm,power.limit",
                "--format=csv,noheader"], 60) if shutil.which("nvidia-smi") \
        else None
    return {"date": datetime.date.today().isoformat(),
            "nvidia_smi": done.stdout.strip().split("\n")[0] if done else "",
            "fields": f"{SMI},clocks.max.sm,power.limit"}


def measured(path):
    if path is None:
        return set()
    records = [json.loads(line) for line in
               pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    return {r["key"] for r in records if "error" not in r}


def measure_all(asked, todo, out):
    start, failed, done = time.time(), [], 0
    out.mkdir(parents=True, exist_ok=True)
    (out / "machine.json").write_text(json.dumps(machine(), indent=1) + "\n")

    def one(turn):
        if time.time() - start > asked.seconds:
            return None
        number, point = turn
        record = measure(os.path.abspath(asked.command), asked.launches, point)
        return {**record, "round": number} if asked.rounds > 1 else record

    with open(out / "records.jsonl", "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for future in concurrent.futures.as_completed(
                [pool.submit(one, p) for p in todo]):
            record = future.result()
            if record is None:
                continue
            done += 1
            file.write(json.dumps(record) + "\n")
            file.flush()
            if "error" in record:
                failed.append(record)
                print(f"{record['key']}: {record['error'][-400:]}", flush=True)
            if done % 25 == 0:
                print(f"{done} of {len(todo)}, {time.time() - start:.0f} s",
                      flush=True)
    left = len(todo) - done
    print(f"{done} points, {len(failed)} failed, {left} left, "
          f"{time.time() - start:.0f} s", flush=True)
    return 1 if failed else 3 if left else 0


def order(number):
    return "order" if number == 0 else f"order {number}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--resume")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--launches", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    there = measured(asked.resume)
    todo = [p for p in points.points()
            if p.key not in there and re.search(asked.only, p.key)]
    todo = [(n, p) for n in range(asked.rounds) for p in
            sorted(todo, key=lambda p: points.digest(order(n), p.key))]
    if shutil.which("nvidia-smi") is None:
        return measure_all(asked, todo, asked.out)
    asked.out.mkdir(parents=True, exist_ok=True)
    # Who has the driver open, or every child waits for its start.
    with open(asked.out / "gpu.csv", "a", encoding="utf-8") as log, \
            subprocess.Popen(["nvidia-smi", f"--query-gpu={SMI}",
                              "--format=csv,noheader", "-l", "5"],
                             stdout=log) as holder:
        try:
            return measure_all(asked, todo, asked.out)
        finally:
            holder.terminate()


if __name__ == "__main__":
    sys.exit(main())
