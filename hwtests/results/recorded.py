"""What an H200 computed, kept as hashes, against what the model computes now.

    recorded.py check COMMAND             every record still holds (ctest)
    recorded.py times COMMAND             measured and modelled times, a table
    recorded.py record DIR COMMAND        makes h200/values.json and times.json
                                          from the outputs of hw_probe in DIR

A record names the program, a hash of its text, the parameters, the seed and
the SHA-256 of each output's bytes as the GPU wrote them. The model must give
the same bytes. A record whose program has changed since is stale and fails.
"""
import glob
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VALUES = os.path.join(HERE, "h200", "values.json")
TIMES = os.path.join(HERE, "h200", "times.json")


def sha(data):
    return hashlib.sha256(data).hexdigest()


def program_hash(file):
    """Of the text without comments and blank lines: they change nothing."""
    kept = []
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        for line in text:
            line = line.split("//")[0].rstrip()
            if line:
                kept.append(line)
    return sha("\n".join(kept).encode())


def payload(path):
    with open(path, "rb") as file:
        data = file.read()
    return data[data.index(b"\n") + 1:]


def model_outputs(command, record, folder):
    args = [command, "run", record["file"], "--values", "all", "--seed",
            str(record["seed"])]
    for name, value in sorted(record["parameters"].items()):
        args += ["-D", f"{name}={value}"]
    for name in record["sha256"]:
        args += ["--out", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        return None, done.stderr
    return {name: sha(payload(f"{folder}/{name}.npy"))
            for name in record["sha256"]}, ""


def check(command):
    with open(VALUES, encoding="utf-8") as file:
        data = json.load(file)
    failures = []
    for record in data["records"]:
        name = f"{record['file']} {record['parameters']}"
        if program_hash(record["file"]) != record["program"]:
            failures.append(f"{name}: stale: the program has changed since")
            continue
        with tempfile.TemporaryDirectory() as folder:
            got, problem = model_outputs(command, record, folder)
        if got is None:
            failures.append(f"{name}: {problem}")
        elif got != record["sha256"]:
            failures.append(f"{name}: the model's bytes are not the GPU's")
    print(f"{len(data['records'])} records, {len(failures)} do not hold")
    if failures or not data["records"]:
        sys.exit("\n".join(failures) or "no records")


def record_values(folder, command):
    records, left_out = [], []
    for path in sorted(glob.glob(f"{folder}/*/probe.json")):
        with open(path, encoding="utf-8") as file:
            probe = json.load(file)
        outputs = sorted(p for p in glob.glob(f"{os.path.dirname(path)}/*.npy")
                         if not os.path.basename(p).startswith("in_"))
        kernels = probe["kernels"]
        parameters = {a["name"]: a["value"] for k in kernels
                      for a in k["args"] if a["kind"] == 2}
        # A param that the kernel does not need is no kernel argument.
        extra = os.path.join(os.path.dirname(path), "parameters.json")
        if os.path.exists(extra):
            with open(extra, encoding="utf-8") as file:
                parameters |= json.load(file)
        record = {"file": probe["file"], "parameters": parameters,
                  "seed": probe["seed"],
            "program": program_hash(probe["file"]),
            "sha256": {os.path.basename(p)[:-4]: sha(payload(p))
                       for p in outputs}}
        with tempfile.TemporaryDirectory() as scratch:
            got, problem = model_outputs(command, record, scratch)
        if got == record["sha256"]:
            records.append(record)
        else:
            left_out.append([record["file"], problem or "bytes differ"])
    return records, left_out


def record_times(folder):
    rows = []
    for path in sorted(glob.glob(f"{folder}/big_*.json")):
        with open(path, encoding="utf-8") as file:
            probe = json.load(file)
        if "times_us" not in probe:
            continue
        parameters = {a["name"]: a["value"] for k in probe["kernels"]
                      for a in k["args"] if a["kind"] == 2}
        rows.append({"file": probe["file"], "run": os.path.basename(path)[4:-5],
                     "parameters": parameters,
                     "program": program_hash(probe["file"]),
                     "median_us": round(statistics.median(
                         probe["times_us"]), 2),
                     "min_us": round(min(probe["times_us"]), 2),
                     "runs": len(probe["times_us"]),
                     "clock_mhz": probe["clock_mhz"]})
    return rows


def modelled_us(command, record):
    args = [command, "run", record["file"], "--timing-only", "--arch", "h200",
            "--format", "json"]
    for name, value in sorted(record["parameters"].items()):
        args += ["-D", f"{name}={value}"]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT,
                          check=True)
    return json.loads(done.stdout)["files"][0]["time_us"]


def times(command):
    with open(TIMES, encoding="utf-8") as file:
        records = json.load(file)["records"]
    print("| run | measured us | modelled us | modelled / measured |")
    print("|---|--:|--:|--:|")
    for record in records:
        model, real = modelled_us(command, record), record["median_us"]
        stale = program_hash(record["file"]) != record["program"]
        print(f"| {record['run']}{' (stale)' if stale else ''} | {real:.0f} "
              f"| {model:.0f} | {model / real:.2f} |")


def record(folder, command, machine):
    records, left_out = record_values(folder, command)
    for path, data in ((VALUES, {"records": records}),
                       (TIMES, {"records": record_times(folder)})):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, **data}, file, indent=1)
            file.write("\n")
    for name, why in left_out:
        print(f"left out: {name}: {why[:200]}")
    print(f"{len(records)} records")


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(sys.argv[2])
    elif sys.argv[1] == "times":
        times(sys.argv[2])
    else:
        record(sys.argv[2], sys.argv[3], {
            "gpu": "NVIDIA H200", "driver": "580.159.04", "cuda": "13.0",
            "date": "2026-11-21", "max_sm_clock_mhz": 1980})
