#!/usr/bin/env python3
"""Measures on the GPU of this machine; recorded.py makes records of the files.

    measure.py COMMAND OUT [litmus] [values] [standalone] [times]
                           [corpus] [sanitizer] [trace] [--missing]

COMMAND is the tilesim binary; nothing else of the build is needed. Each part
writes OUT/PART.json: {"machine": ..., "records": [...]}. Programs are compiled
by many processes; tilesim itself lets only one at a time use the GPU. With
--missing litmus, corpus and sanitizer are the programs of
h200/not_measured.txt. Every launch is in a child that is killed when it takes
too long. The parts need, in the order above: NVRTC; NVRTC; nvcc; NVRTC, and
cuBLAS for what stands beside it; NVRTC; nvcc and compute-sanitizer; NVRTC.
`trace` writes trace files and where they part from the model's.
"""
import concurrent.futures
import datetime
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hwtests/results"))
from programs import (corpus_cases, fingerprint, hopper_examples,  # noqa: E402
                      key, program_hash, shapes)

WORKERS = min(16, os.cpu_count() or 1)
LAUNCHES = 200
SANITIZER_SECONDS = 8  # a run without an end is one without a verdict
SANITIZERS = 8         # at once: they share the GPU, their times mean nothing
FLUSH = 20  # records
SEEDS = (1, 2, 3)  # of the inputs, one a shape in turn
# Times, at sizes that fill the GPU: every GEMM at the first, the best at all.
GEMM_SIZES = [["M=4096", "N=4096", "K=4096"], ["M=8192", "N=8192", "K=8192"],
              ["M=2048", "N=2048", "K=2048"], ["M=8192", "N=4096", "K=1024"]]
BEST_GEMMS = ("examples/hopper/hgemm_v08.tile", "examples/hopper/hgemm_v09.tile",
              "examples/hopper/hgemm_v10.tile")
# The first is recorded, so it is small.
TRACED = (("examples/hopper/hgemm_v07.tile", ["M=512", "N=768", "K=448"]),
          ("examples/hopper/hgemm_v10.tile", GEMM_SIZES[0]),
          ("examples/attention/fmha_sm90.tile", []))


def run(args, seconds, **options):
    try:
        return subprocess.run(args, capture_output=True, text=True, cwd=ROOT,
                              timeout=seconds, check=False, **options)
    except subprocess.TimeoutExpired as late:
        def text(data):
            return data.decode(errors="replace") if data else ""
        return subprocess.CompletedProcess(args, 124, text(late.stdout),
                                           text(late.stderr))


def machine():
    if shutil.which("nvidia-smi") is None:
        sys.exit("measure.py: no nvidia-smi, so no GPU to measure on")
    done = run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm",
                "--format=csv,noheader"], 30)
    name, driver, clock = (done.stdout.strip().split("\n")[0].split(", ")
                           + ["", "", ""])[:3]
    return {"gpu": name, "driver": driver, "max_sm_clock": clock,
            "date": datetime.date.today().isoformat()}


def find_cublas():
    """Lets tilesim find the library where only a Python package has it."""
    folders = [f for pattern in ("/usr/local/cuda*/lib64",
                                 "/opt/*/.venv/lib/python3*/site-packages/"
                                 "nvidia/*/lib")
               for f in glob.glob(pattern)
               if glob.glob(f"{f}/libcublas.so.1*")]
    if folders:
        os.environ["LD_LIBRARY_PATH"] = ":".join(
            folders[:1] + [os.environ.get("LD_LIBRARY_PATH", "")])


def json_of(done):
    try:
        return json.loads(done.stdout)["files"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        return None


class Measure:
    def __init__(self, command, out, missing=False):
        self.command = os.path.abspath(command)
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.machine = machine()
        self.only = None if not missing else set(
            (ROOT / "hwtests/results/h200/not_measured.txt").read_text().split())

    def asked(self, file):
        return self.only is None or file in self.only

    def part(self, name, items, measure, workers=WORKERS):
        start, records = time.time(), []
        path = self.out / f"{name}.json"
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for record in pool.map(measure, items):
                records.append(record)
                # Whatever stops this later, what was measured stays.
                if len(records) % FLUSH == 0 or len(records) == len(items):
                    path.write_text(json.dumps(
                        {"machine": self.machine, "records": records},
                        indent=1) + "\n")
        failed = [r for r in records if "error" in r]
        print(f"{name}: {len(records)} records, {len(failed)} with errors, "
              f"{time.time() - start:.0f} s", flush=True)
        for record in failed[:5]:
            print(f"  {record['file']}: {record['error'][-300:]}", flush=True)

    def hw(self, record, args, seconds):
        """The record, with what `tilesim hw` says of its file."""
        done = run([self.command, "hw", record["file"], "--format", "json",
                    *args], seconds)
        said = json_of(done)
        if said is None:
            return {**record, "error": f"exit {done.returncode}: {done.stderr}"}
        return said

    # --- parts ----------------------------------------------------------------

    def schedules(self, file, defines=(), launches=LAUNCHES, failures=3):
        record = key(file, list(defines))
        args = ["--schedules", str(launches), "--failures", str(failures),
                "--timeout", "4"]
        for define in defines:
            args += ["-D", define]
        said = self.hw(record, args, 400)
        if "error" in said:
            return said
        if "outcomes" not in said:  # it is not lowered
            return {**record, "error": json.dumps(said)}
        return {**record, "emitted": said["emitted"],
                "outcomes": said["outcomes"]}

    def litmus(self):
        files = sorted(str(p.relative_to(ROOT))
                       for p in (ROOT / "hwtests/litmus").glob("*.tile"))
        self.part("litmus", [f for f in files if self.asked(f)],
                  self.schedules)

    def corpus(self):
        cases = [case for case in corpus_cases() if self.asked(case[0])]
        self.part("corpus", cases, lambda case: self.schedules(
            *case, launches=60, failures=2))

    def value_record(self, case):
        file, defines, seed = case
        record = {**key(file, defines), "seed": seed}
        args = ["--all-values", "--seed", str(seed), "--runs", "10"]
        for define in defines:
            args += ["-D", define]
        said = self.hw(record, args, 400)
        if "error" in said:
            return said
        m = said["measured"] or {}
        return {**record, "emitted": m.get("emitted"),
                "outputs": {name: t["fingerprint"]
                            for name, t in m.get("outputs", {}).items()},
                "result": said["result"], "findings": said["findings"],
                "median_us": m.get("median_us"),
                "clock_mhz": m.get("clock_mhz"),
                "cta_cycles": m.get("cta_cycles"),
                "predicted": said["predicted"]}

    def values(self):
        cases = [(file, defines, SEEDS[i % len(SEEDS)])
                 for file in hopper_examples()
                 for i, defines in enumerate(shapes(file))]
        self.part("values", cases, self.value_record)

    def build(self, file, folder, defines=(), flags=()):
        """A standalone program; the nvcc line is the file's first comment."""
        stem = re.sub(r"\W", "_", file)
        source = pathlib.Path(folder) / f"{stem}.cu"
        args = [self.command, "lower", file, "--standalone", "-o", str(source)]
        for define in defines:
            args += ["-D", define]
        done = run(args, 60)
        if done.returncode != 0:
            return None, done.stderr
        line = source.read_text().split("\n")[0].removeprefix("// ").split()
        binary = str(source.with_suffix(""))
        done = run([shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc",
                    *line[1:-1], *flags, str(source), "-o", binary], 300)
        return (binary, "") if done.returncode == 0 else (None, done.stderr)

    @staticmethod
    def emitted(binary):
        return fingerprint(pathlib.Path(binary + ".cu").read_bytes())

    def standalone(self):
        with tempfile.TemporaryDirectory() as folder:
            files = hopper_examples()
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                built = list(pool.map(lambda f: self.build(f, folder), files))

            def measure(pair):
                file, (binary, problem) = pair
                record = key(file, [])
                if binary is None:
                    return {**record, "error": problem}
                record["emitted"] = self.emitted(binary)
                done = run(self.turn([binary]), 60)
                rate = re.search(r"([\d.]+) us(?:, ([\d.]+) TFLOP/s)?", done.stdout)
                if done.returncode not in (0, 1):
                    record["error"] = f"exit {done.returncode}: {done.stdout}"
                return {**record, "passed": "\nPASS" in "\n" + done.stdout and
                        done.returncode == 0,
                        "us": float(rate[1]) if rate else None,
                        "tflops": float(rate[2]) if rate and rate[2] else None}
            self.part("standalone", list(zip(files, built)), measure)

    @staticmethod
    def turn(args):
        """The lock of tilesim's own runs, for other programs."""
        lock = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                            "tilesim_device.lock")
        return ["flock", lock, *args]

    def time_record(self, case):
        file, defines = case
        record = key(file, defines)
        args = ["--seed", "1", "--runs", "30", "--timeout", "60"]
        if "computes D = A * " in (ROOT / file).read_text():
            args.append("--cublas")
        for define in defines:
            args += ["-D", define]
        said = self.hw(record, args, 400)
        if "error" in said:
            return said
        m = said["measured"] or {}
        return {**record, "emitted": m.get("emitted"),
                "median_us": m.get("median_us"),
                "min_us": min(m.get("times_us") or [0]),
                "runs": m.get("runs"), "l2": m.get("l2"),
                "clock_mhz": m.get("clock_mhz"),
                "cta_cycles": m.get("cta_cycles"),
                "cublas_us": (m.get("cublas") or {}).get("median_us"),
                "tflops": said["tflops"],
                "result": said["result"], "predicted": said["predicted"]}

    def times(self):
        cases = []
        for file in hopper_examples():
            text = (ROOT / file).read_text()
            sized = all(re.search(rf"param {x}\b", text) for x in "MNK")
            sizes = GEMM_SIZES if file in BEST_GEMMS else GEMM_SIZES[:1]
            cases += [(file, size) for size in (sizes if sized else [[]])]
        self.part("times", cases, self.time_record)

    def trace(self):
        """Traces of the GPU, and where they and the model's part."""
        records = []
        for file, defines in TRACED:
            stem = pathlib.Path(file).stem
            sizes = [x for define in defines for x in ("-D", define)]
            gpu = str(self.out / f"trace_{stem}.json.gz")
            record = {**key(file, defines), "trace": f"trace_{stem}.json.gz"}
            said = self.hw(record, [*sizes, "--trace", gpu], 300)
            measured = said.get("measured") or {}
            records.append({**record, "emitted": measured.get("emitted"),
                            "time_with_stamps": measured.get("trace", {}).get(
                                "time_with_stamps")})
            with tempfile.TemporaryDirectory() as folder:
                model = f"{folder}/model.json.gz"
                run([self.command, "run", file, *sizes, "--timing-only",
                     "--trace", model, "--trace-cta", "0,1,2,3"], 300)
                done = run([self.command, "trace", "diff", model, gpu], 60)
            (self.out / f"trace_{stem}.txt").write_text(done.stdout +
                                                        done.stderr)
        (self.out / "trace.json").write_text(json.dumps(
            {"machine": self.machine, "records": records[:1]}, indent=1) + "\n")

    def sanitizer_record(self, case):
        file, defines, binary, problem = case
        record = {"file": file, "program": program_hash(file),
                  "defines": defines}
        if binary is None:
            return {**record, "error": problem}
        record["emitted"] = self.emitted(binary)
        tool = shutil.which("compute-sanitizer") or \
            "/usr/local/cuda/bin/compute-sanitizer"
        for check in ("racecheck", "synccheck", "memcheck"):
            done = run(["timeout", "-k", "1", str(SANITIZER_SECONDS), tool,
                        "--tool", check, "--error-exitcode", "86", binary], 60)
            text = done.stdout + done.stderr
            errors = re.search(
                r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)", text)
            record[check] = {
                "exit": done.returncode,
                "verdict": "timeout" if done.returncode in (124, 137) else
                "finds" if done.returncode == 86 else
                "silent" if errors and errors[1] == "0" else "fails",
                "says": (re.search(r"========= (?:Error|Warning|Invalid|"
                                   r"Barrier|Program|Race)[^\n]*", text)
                         or [""])[0][10:160]}
        return record

    def sanitizer(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = [c for c in corpus_cases() if self.asked(c[0])]
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                built = list(pool.map(
                    lambda c: self.build(c[0], folder, c[1], ["-lineinfo"]),
                    cases))
            self.part("sanitizer",
                      [(*c, *b) for c, b in zip(cases, built)],
                      self.sanitizer_record, SANITIZERS)


def main():
    parts = ("litmus", "values", "standalone", "times", "corpus", "sanitizer",
             "trace")
    words = [word for word in sys.argv[1:] if word != "--missing"]
    if len(words) < 3 or not set(words[2:]) <= set(parts):
        sys.exit(__doc__)
    find_cublas()
    measure = Measure(words[0], words[1], "--missing" in sys.argv)
    # Somebody who has the driver open, or every child waits for its start.
    with subprocess.Popen(["nvidia-smi", "--query-gpu=name", "--format=csv",
                           "-l", "20"], stdout=subprocess.DEVNULL) as holder:
        try:
            for part in words[2:]:
                getattr(measure, part)()
        finally:
            holder.terminate()


if __name__ == "__main__":
    main()
