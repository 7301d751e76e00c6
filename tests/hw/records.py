"""The judges of what a GPU did can say no.

    records.py COMMAND
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "hwtests/results"), str(ROOT / "hwtests/litmus")]
import litmus  # noqa: E402
import programs  # noqa: E402
import recorded  # noqa: E402
from programs import fingerprint, key  # noqa: E402

COMMAND = "tilesim"
CLEAN = "hwtests/litmus/count_2_needs_two_arrivals.tile"
HANGS = "hwtests/litmus/one_arrival_missing_hangs.tile"
RACES = "hwtests/litmus/load_not_waited_for.tile"


def values(*numbers, count=1):
    return {"kind": "values", "count": count, "undelayed": count,
            "outputs": {"R": {"fingerprint": "0", "values": list(numbers)}}}


def hang(line=None):
    found = {"kind": "hang", "count": 1, "undelayed": 1}
    return found if line is None else {**found, "line": line}


def record(file, *outcomes, **more):
    code = subprocess.run([COMMAND, "lower", file, "--debug", "--delays"],
                          capture_output=True, cwd=ROOT, check=True).stdout
    return {**key(file, []),
            "emitted": fingerprint(code), "outcomes": list(outcomes), **more}


def wait_line():
    lines = (ROOT / HANGS).read_text().split("\n")
    return next(i for i, line in enumerate(lines, 1) if "mbarrier.wait" in line)


class Records(unittest.TestCase):
    def problem(self, one):
        return recorded.problem_of("litmus", one, COMMAND)

    def test_what_is_allowed_holds(self):
        self.assertEqual(self.problem(record(CLEAN, values(0, 1))), "")
        self.assertEqual(self.problem(record(HANGS, hang(wait_line()))), "")
        self.assertEqual(self.problem(record(RACES, values(9), values(5))), "")

    def test_what_is_not_allowed_does_not(self):
        for one in (record(CLEAN, values(1, 1)), record(CLEAN, hang()),
                    record(CLEAN, values(0, 1), hang()),
                    record(HANGS, values(1)), record(RACES, hang())):
            self.assertIn("is not allowed", self.problem(one))
        self.assertIn("no outcome", self.problem(record(CLEAN)))

    def test_a_hang_at_a_line_that_check_does_not_name(self):
        self.assertIn("does not name", self.problem(record(HANGS, hang(1))))

    def test_too_many_bytes_name_the_barrier_that_is_waited_for(self):
        over = {"code": "tx-count/over", "message": "`b` gets 16 bytes more",
                "location": {"line": 3}, "labels": []}
        waits = {(3, "a"), (4, "b"), (4, "c")}
        self.assertEqual(litmus.unnamed_waits(waits, {"findings": [over]}),
                         {(4, "c")})

    def test_stale(self):
        text = self.problem(record(CLEAN, values(0, 1), sizes={"N": "0"}))
        self.assertIn("stale: the program has other sizes", text)
        text = self.problem(record(CLEAN, values(0, 1), emitted="0"))
        self.assertIn("stale: it is lowered to other code", text)
        gone = {**record(CLEAN, values(0, 1)), "file": "no.tile"}
        self.assertIn("stale: the program is gone", self.problem(gone))

    def test_values_of_another_seed_are_not_the_gpus(self):
        old = next(r for r in recorded.load("values")["records"]
                   if r["result"]["bit_exact"])
        self.assertEqual(recorded.problem_of("values", old, COMMAND), "")
        other = {**old, "seed": old["seed"] + 1}
        self.assertIn("are not the GPU's",
                      recorded.problem_of("values", other, COMMAND))

    def test_a_trace_in_other_words(self):
        old = recorded.load("trace")["records"][0]
        self.assertEqual(recorded.problem_of("trace", old, COMMAND), "")
        with tempfile.TemporaryDirectory() as folder:
            for ours, other in (("producer (", "loader ("),
                                ("WAIT full[", "WAIT fuller[")):
                text = gzip.open(recorded.FOLDER / old["trace"], "rt").read()
                path = pathlib.Path(folder) / "trace.json.gz"
                with gzip.open(path, "wt") as out:
                    out.write(text.replace(ours, other))
                self.assertNotEqual(recorded.judge_trace(
                    {**old, "trace": str(path)}, COMMAND), "")

    def test_records_say_what_was_measured_where(self):
        for part in recorded.PARTS:
            data = recorded.load(part)
            for word in ("gpu", "driver", "max_sm_clock", "date"):
                self.assertTrue(data["machine"][word], part)
        old = recorded.load("times")["records"][0]
        self.assertIn("what code was measured", recorded.problem_of(
            "times", {**old, "emitted": None}, COMMAND))

    def test_every_example_is_measured_at_three_shapes(self):
        seen = collections.Counter(
            r["file"] for r in recorded.load("values")["records"])
        for file in programs.hopper_examples():
            # The unfixed port is there for its race.
            if not file.endswith("mlir/matmul_warp_specialized.tile"):
                self.assertGreaterEqual(seen[file], 3, file)
        for part in ("standalone", "times"):
            self.assertEqual({r["file"] for r in recorded.load(part)["records"]},
                             set(programs.hopper_examples()), part)

    def test_every_litmus_program_and_bug_is_measured(self):
        """But those that a list names, which holds no others."""
        waiting = set((ROOT / "hwtests/results/h200/not_measured.txt")
                      .read_text().split())
        for part, files in (
                ("litmus", [str(p.relative_to(ROOT)) for p in litmus.programs()]),
                ("corpus", [file for file, _ in programs.corpus_cases()])):
            there = {r["file"] for r in recorded.load(part)["records"]}
            self.assertEqual(there & waiting, set(), part)
            self.assertEqual(there | (waiting & set(files)), set(files), part)
            waiting -= set(files)
        self.assertEqual(waiting, set())

    def test_the_clock_is_compared_with_these_times(self):
        """sim/timing/README.md has what `recorded.py times` prints."""
        rows = re.findall(r"^\| (\w+(?: [\dx]+)?) \| (\d+) \|", (
            ROOT / "sim/timing/README.md").read_text(), re.M)
        self.assertEqual(rows, [
            (recorded.run_name(r), f"{r['median_us']:.0f}")
            for r in recorded.load("times")["records"]])

    def test_speed(self):
        """What the best GEMM must reach of cuBLAS's speed, and attention."""
        times = recorded.load("times")["records"]
        best = {}
        for r in times:
            if r.get("cublas_us"):
                sizes = tuple(int(d.split("=")[1]) for d in r["defines"])
                best[sizes] = max(best.get(sizes, 0),
                                  r["cublas_us"] / r["median_us"])
        for sizes, least in (((4096,) * 3, 0.97), ((8192,) * 3, 0.97),
                             ((2048,) * 3, 0.9), ((8192, 4096, 1024), 0.9)):
            self.assertGreaterEqual(best[sizes], least, sizes)
        attention = next(r for r in times if "fmha_sm90" in r["file"])
        self.assertGreaterEqual(attention["tflops"], 500)

    def test_a_polling_wait_that_hangs_is_reported(self):
        """The report is complete before the trap: each names line and barrier."""
        for r in recorded.load("litmus")["records"]:
            polls = "mbarrier.wait" in (ROOT / r["file"]).read_text()
            for o in r["outcomes"]:
                if o["kind"] == "hang" and polls:
                    self.assertIn("line", o, r["file"])

    def test_verdicts_that_contradict_a_program(self):
        def report(verdict, *findings):
            return {"verdict": verdict, "open": [], "findings": [
                {"severity": "error", "code": code, "occurs": occurs}
                for code, occurs in findings]}
        dead = ("deadlock/cycle", "every")
        for outcomes, said in (
                (["hang"], report("clean")),
                (["hang"], report("findings", ("deadlock/cycle", "some"))),
                (["hang"], report("findings", ("tx-count/over", "every"))),
                ([(1.0,), "hang"], report("findings", dead)),
                ([(1.0,)], report("findings", dead)),
                ([(1.0,), "hang"], report("findings", ("race/raw", "some"))),
                (["any"], report("clean"))):
            self.assertNotEqual(litmus.judge_verdict(outcomes, said), "")
        over = ("tx-count/over", "every")
        for outcomes, said in ((["hang"], dead), ([(1.0,), "hang"], over)):
            self.assertEqual(
                litmus.judge_verdict(outcomes, report("findings", said)), "")

    def test_bugs_are_run_at_sizes_that_show_them(self):
        for start, sizes in programs.BUG_SIZES.items():
            files = [file for file, _ in programs.corpus_cases()
                     if pathlib.Path(file).name.startswith(start)
                     and not file.endswith(".fixed.tile")]
            self.assertTrue(files, start)
            for file in files:
                self.assertEqual(dict(programs.corpus_cases())[file], sizes)
                args = [x for size in sizes for x in ("-D", size)]
                done = subprocess.run(
                    [COMMAND, "check", "--format", "json", file, *args],
                    capture_output=True, text=True, cwd=ROOT, check=False)
                codes = [f["code"] for f in
                         json.loads(done.stdout)["files"][0]["findings"]]
                wanted = re.search(r"//! error\[(\w+)/", (ROOT / file).read_text())
                self.assertTrue(any(code.startswith(wanted[1])
                                    for code in codes), f"{file}: {codes}")

    def test_what_is_said_of_bugs(self):
        right = {"outcomes": [values(1, count=9)]}
        late = {**values(2, count=3), "undelayed": 0}
        for outcomes, said in (
                ([hang()], "hangs"),
                ([values(1, count=3), hang()], "hangs in 1 of 4"),
                ([values(2)], "wrong values in 1 of 1"),
                ([values(1), late], "wrong values in 3 of 4, only with delays"),
                ([values(1)], "gets away with it")):
            self.assertEqual(recorded.on_the_gpu({"outcomes": outcomes}, right),
                             said)


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
