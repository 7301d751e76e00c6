"""`tilesim sweep`: a grid timed, ranked, searched, divided and put together."""
import csv
import io
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

import harness
from harness import Case

V08 = "examples/hopper/hgemm_v08.tile"
SIZE = ["-D", "M=512", "-D", "N=512", "-D", "K=512"]
# Six stages fit; with seven there is too little shared memory.
GRID = [V08, *SIZE, "-D", "STAGES=2..7", "-D", "GROUP=2,4"]
INTERRUPTED = 130
NO_DEVICE = 4

class SweepCase(Case):
    def sweep(self, *args, code=0, **options):
        done = self.run_it("sweep", *args, **options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def json_of(self, *args, code=0):
        text = self.sweep(*args, "--format", "json", code=code).stdout
        whole = json.loads(text)
        self.assertEqual(whole["schema"], 1)
        return whole["files"][0]


class Ranking(SweepCase):
    def test_what_if_memory_were_slow(self):
        usual = self.json_of(*GRID)
        slow = self.json_of(*GRID, "--set", "l2_gpc=20")
        self.assertIn("l2_gpc=20", slow["arch"])
        for a, b in zip(usual["points"], slow["points"]):
            if a["state"] == "timed":
                self.assertGreater(b["time_us"], 1.5 * a["time_us"])

    def test_json(self):
        sweep = self.json_of(*GRID)
        self.assertEqual(sweep["program"], "hgemm_v08")
        self.assertEqual(sweep["arch"], "h200")
        self.assertEqual(sweep["size"], 12)
        points = sweep["points"]
        self.assertEqual([p["number"] for p in points], list(range(12)))
        self.assertEqual(points[3]["values"], {"M": 512, "N": 512, "K": 512,
                                               "STAGES": 3, "GROUP": 4})
        # What a point is worth is what `run` says of it.
        values = [f"-D{n}={v}" for n, v in points[3]["values"].items()]
        done = self.run_it("run", V08, *values, "--timing-only", "--format",
                           "json")
        run = json.loads(done.stdout)["files"][0]
        for key in ("cycles", "clock_mhz", "tflops", "bound_by"):
            self.assertEqual(points[3][key], run[key], key)
        ranked = [points[n]["time_us"] for n in sweep["ranking"]]
        self.assertEqual(ranked, sorted(ranked))  # all at one clock
        self.assertEqual(len(ranked), 10)
        self.assertEqual(sweep["best"], points[sweep["ranking"][0]]["values"])
        near = [t for t in ranked if t <= ranked[0] * 1.01]
        self.assertEqual(sweep["ties"], len(near))
        for n in (10, 11):
            self.assertEqual(points[n]["state"], "illegal")
            self.assertEqual(points[n]["code"], "shape/shared")
            self.assertIn("a CTA has 232448", points[n]["reason"])

    def test_text(self):
        text = self.sweep(*GRID, "--tie", "10", "--top", "3").stdout
        self.assertIn("hgemm_v08 on h200, by time", text)
        self.assertIn("STAGES=2,3,4,5,6,7 GROUP=2,4: 12 points", text)
        self.assertIn("fixed     M=512 N=512 K=512", text)
        self.assertIn("... and 7 more (--top 0 shows all)", text)
        self.assertRegex(text, r"best +-D M=512 -D N=512 -D K=512 -D STAGES=")
        self.assertRegex(text, r"first \d+ are within 10 % of each other")
        self.assertRegex(text, r"illegal shape/shared, 2 points; STAGES=7 ")

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(
            self.sweep(*GRID, "--format", "csv").stdout)))
        self.assertEqual(len(rows), 12)
        self.assertEqual([r["rank"] for r in rows[:10]],
                         [str(i) for i in range(1, 11)])
        self.assertEqual({r["state"] for r in rows[10:]}, {"illegal"})
        self.assertIn("`hgemm_v08` needs", rows[10]["reason"])

    def test_metric(self):
        by_time = self.json_of(*GRID)
        for metric in ("cycles", "tflops"):
            other = self.json_of(*GRID, "--metric", metric)
            # Of one size and one clock they say the same.
            self.assertEqual(other["ranking"], by_time["ranking"])
        mixed = [V08, "-D", "M=512,1024", "-D", "STAGES=3,4"]
        text = self.sweep(*mixed).stdout
        self.assertIn("--metric tflops ranks all of them", text)
        self.assertNotIn("  best  ", text)
        self.assertIn("best for each size", text)
        choices = self.json_of(*mixed)["best_by_size"]
        self.assertEqual([c["values"]["M"] for c in choices], [512, 1024])

    def test_the_order_of_threads_does_not_matter(self):
        one = self.sweep(*GRID, "--jobs", "1", "--format", "json").stdout
        self.assertEqual(
            self.sweep(*GRID, "--jobs", "5", "--format", "json").stdout, one)
        self.assertEqual(
            self.sweep(*GRID, "-j2", "--check").stdout,
            self.sweep(*GRID, "-j1", "--check").stdout)

    def test_a_range_of_a_param_goes_by_its_step(self):
        sweep = self.json_of(V08, "-D", "M=256..512", "-D", "K=64")
        self.assertEqual(sweep["grid"][0], {"name": "M", "kind": "param",
                                            "values": [256, 384, 512]})

    def test_names_that_go_together(self):
        squares = [V08, "-D", "M,N,K=512,1024", "-D", "STAGES=3,4"]
        points = self.json_of(*squares)["points"]
        self.assertEqual(points[2]["values"], {"M": 1024, "N": 1024, "K": 1024,
                                               "STAGES": 3})
        text = self.sweep(*squares).stdout
        self.assertRegex(text, r"\n +M,N,K +STAGES +us")
        one = self.sweep(V08, "-D", "M,N,K=512", "-D", "STAGES=3,4").stdout
        self.assertRegex(one, r"best +-D M=512 -D N=512 -D K=512 -D STAGES=")
        head = self.sweep(*squares, "--format", "csv").stdout
        self.assertTrue(head.startswith("rank,M,N,K,STAGES,state,time_us,"))
        self.assertIn("timed", head.splitlines()[1].split(",")[5])

    def test_kernels_of_one_file(self):
        sweep = self.json_of("examples/gemm/pdl_pair.tile", "-D", "STAGES=2,3")
        self.assertEqual(len(sweep["ranking"]), 2)


class LeftOut(SweepCase):
    CHOICE = ["tests/cli/testdata/choice.tile", "-D", "FAULT=0..3,5"]

    def states(self, *args):
        return [(p["state"], p.get("code")) for p in
                self.json_of(*self.CHOICE, *args)["points"]]

    def test_what_a_run_finds_is_not_ranked(self):
        self.assertEqual(self.states(), [
            ("timed", None), ("findings", "result/hole"),
            ("findings", "deadlock/missing-arrival"), ("timed", None),
            ("illegal", "type/requires")])

    def test_nor_what_the_check_finds(self):
        self.assertEqual(self.states("--check"), [
            ("timed", None), ("findings", "result/hole"),
            ("findings", "deadlock/missing-arrival"), ("findings", "race/waw"),
            ("illegal", "type/requires")])
        sweep = self.json_of(*self.CHOICE, "--check")
        self.assertEqual(sweep["points"][0]["check"], "clean")
        self.assertEqual(sweep["points"][3]["check"], "findings")

    def test_a_wrong_result_is_found_with_values(self):
        args = ["tests/cli/testdata/choice.tile", "-D", "FAULT=0,4", "-D",
                "N=128"]
        self.assertEqual(self.json_of(*args)["points"][1]["state"], "timed")
        sweep = self.json_of(*args, "--values")
        self.assertEqual([(p["state"], p.get("code")) for p in sweep["points"]],
                         [("timed", None), ("findings", "result/mismatch")])

    def test_nothing_but_findings(self):
        done = self.sweep(self.CHOICE[0], "-D", "FAULT=1,2", code=1)
        self.assertIn("no point that can be ranked, of 2", done.stderr)

    def test_an_unproved_point_says_so(self):
        with open("tests/cli/testdata/open.tile", encoding="utf-8") as text:
            path = self.file(text.read().replace(
                "grid (5)", "const PAD = 0\n  grid (5)"))
        sweep = self.json_of(path, "-D", "PAD=1,2", "--check")
        self.assertEqual([p["check"] for p in sweep["points"]],
                         ["incomplete", "incomplete"])
        text = self.sweep(path, "-D", "PAD=1,2", "--check").stdout
        self.assertIn("of 2 ranked points the check found nothing wrong, but "
                      "has no proof", text)

    def test_limits(self):
        sweep = self.json_of(V08, *SIZE, "-D", "STAGES=2,4", "--max-cycles",
                             "1000", code=3)
        self.assertEqual({p["state"] for p in sweep["points"]}, {"stopped"})
        self.assertIn("--max-cycles", sweep["points"][0]["reason"])

    def test_no_legal_point(self):
        done = self.sweep(V08, "-D", "STAGES=20..22", code=2)
        self.assertIn("no point that can be ranked, of 3", done.stderr)
        self.assertIn("shape/shared, 3 points", done.stdout)


class Search(SweepCase):
    def test_it_says_what_it_did(self):
        grid = [V08, *SIZE, "-D", "STAGES=2..6", "-D", "GROUP=1..8"]
        found = self.json_of(*grid, "--budget", "12")
        search = found["search"]
        self.assertEqual(search["method"], "coordinate descent")
        self.assertEqual(search["timed"], 12)
        self.assertEqual(len(found["points"]), 12)
        self.assertEqual(found["size"], 40)
        again = self.json_of(*grid, "--budget", "12", "--jobs", "1")
        self.assertEqual(again, found)
        text = self.sweep(*grid, "--budget", "12").stdout
        self.assertIn("coordinate descent from", text)
        whole = self.json_of(*grid)
        best = whole["points"][whole["ranking"][0]]["time_us"]
        chosen = next(p for p in found["points"]
                      if p["number"] == found["ranking"][0])
        self.assertLessEqual(chosen["time_us"], 1.02 * best)

    def test_a_grid_of_a_billion_points(self):
        grid = [V08, *SIZE, "-D", "STAGES=2..6", "-D", "GROUP=1..1000",
                "-D", "BM=1..1000", "-D", "BK=1..200"]
        self.refuses("sweep", *grid,
                     says=["the grid has 1,000,000,000 points", "--budget N"])
        found = self.json_of(*grid, "--budget", "3")
        self.assertEqual(found["search"]["timed"], 3)


class Refusals(SweepCase):
    def test_options(self):
        for args, says in [
                ([], "-D NAME=VALUES is required"),
                (["-D", "STAGE=2"], "no such param or const; there are M, N"),
                (["-D", "TILES_M=2"], "no such param or const"),
                (["-D", "STAGES=2", "-D", "STAGES=3"], "given twice"),
                (["-D", "STAGES=7..2"], "is empty; write 2..7"),
                (["-D", "STAGES=a"], "expected NAME=VALUES"),
                (["-D", "STAGES=2..3", "--shard", "3/2"], "are 1/2 to 2/2"),
                (["-D", "STAGES=2..3", "--shard", "x"], "expected I/N"),
                (["-D", "STAGES=2..3", "--arch", "h2000"],
                 "no architecture `h2000`"),
                (["-D", "STAGES=2", "--plot", "x.svg"], "nothing to draw"),
                (["-D", "STAGES=2..3", "--budget", "0"], "--budget"),
                (["-D", "STAGES=2..3", "--budget", "2", "--shard", "1/2"],
                 "excludes"),
                (["-D", "M=512,1024", "-D", "STAGES=3,4", "--hw"],
                 "of one size; give M one value"),
                (["-D", "STAGES=2..3", "--plot", V08], "would overwrite")]:
            with self.subTest(args=args):
                self.refuses("sweep", V08, *args, says=says)
        self.refuses("sweep", "examples/memory/copy.tile", "-D", "STAGES=2,3",
                     "--metric", "tflops", says="no `computes` of")
        self.refuses("sweep", says="FILE is required")
        self.refuses("sweep", "no.tile", "-D", "A=1", says="No such file")

    def test_a_file_that_is_no_program(self):
        self.refuses("sweep", self.file("kernel"), "-D", "A=1", says="error[")


class Shards(SweepCase):
    def part(self, number, of, *args):
        path = self.folder / f"{number}.json"
        path.write_text(self.sweep(*(args or GRID), "--shard", f"{number}/{of}",
                                   "--format", "json").stdout)
        return str(path)

    def test_put_together_they_say_what_one_run_says(self):
        parts = [self.part(i, 5) for i in range(1, 6)]
        for form in ("text", "csv", "json"):
            plots = [self.folder / "one.svg", self.folder / "merged.svg"]
            one = self.sweep(*GRID, "--format", form, "--plot", plots[0])
            merged = self.sweep("merge", *reversed(parts), "--format", form,
                                "--plot", plots[1])
            self.assertEqual(merged.stdout, one.stdout)
            self.assertEqual(plots[1].read_bytes(), plots[0].read_bytes())

    def test_more_parts_than_points(self):
        grid = [V08, *SIZE, "-D", "STAGES=3,4"]
        parts = [self.part(i, 3, *grid) for i in (1, 2, 3)]
        self.assertEqual(self.sweep("merge", *parts).stdout,
                         self.sweep(*grid).stdout)

    def test_a_part_without_a_point_to_rank(self):
        grid = [V08, *SIZE, "-D", "STAGES=4,20"]
        parts = [self.part(i, 2, *grid) for i in (1, 2)]
        self.assertEqual(self.sweep("merge", *parts).stdout,
                         self.sweep(*grid).stdout)
        grid = [V08, *SIZE, "-D", "STAGES=20,30"]
        parts = [self.part(i, 2, *grid) for i in (1, 2)]
        done = self.sweep("merge", *parts, code=2)
        self.assertIn("no point that can be ranked, of 2", done.stderr)

    def test_the_job_array(self):
        """Several processes at a time, as Slurm would start them."""
        parts = self.folder / "parts"
        env = dict(os.environ, PARTS=str(parts), SWEEP=" ".join(GRID),
                   TILESIM=harness.COMMAND, SLURM_ARRAY_TASK_COUNT="4")
        jobs = [subprocess.Popen(["bash", "examples/sweep/sweep.sbatch"],
                                 env=dict(env, SLURM_ARRAY_TASK_ID=str(i)))
                for i in range(1, 5)]
        self.assertEqual([j.wait(harness.SECONDS) for j in jobs], [0] * 4)
        self.assertEqual(
            sorted(p.name for p in parts.iterdir()),
            [f"part.{i}.json" for i in range(1, 5)])
        for form in ("text", "json"):
            self.assertEqual(
                self.sweep("merge", *parts.iterdir(), "--format", form).stdout,
                self.sweep(*GRID, "--format", form).stdout)
        bad = subprocess.run(
            ["bash", "examples/sweep/sweep.sbatch"], check=False,
            env=dict(env, SLURM_ARRAY_TASK_ID="5"), capture_output=True,
            text=True)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("--shard 5/4", bad.stderr)
        self.assertFalse((parts / "part.5.json").exists())

    def test_a_part_on_stdin(self):
        a, b = self.part(1, 2), self.part(2, 2)
        text = pathlib.Path(b).read_text()
        merged = self.run_it("sweep", "merge", a, "-", input=text)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertEqual(merged.stdout, self.sweep("merge", a, b).stdout)
        self.refuses("sweep", "merge", "-", "-", a, input=text,
                     says="<stdin>: part 2 is in <stdin> already")
        self.refuses("sweep", "merge", "-", a, input="{",
                     says="<stdin>: expected what `tilesim sweep")

    def test_refusals(self):
        a, b = self.part(1, 2), self.part(2, 2)
        self.refuses("sweep", "merge", a, says="parts are missing: 2/2")
        self.refuses("sweep", "merge", a, b, a, says="part 1 is in")
        self.refuses("sweep", "merge", a, V08, says="--format json")
        whole = self.folder / "whole.json"
        whole.write_text(self.sweep(*GRID, "--format", "json").stdout)
        self.refuses("sweep", "merge", a, str(whole), says="a whole sweep")
        for change, says in [(["--metric", "cycles"], "--metric `cycles`"),
                             (["--check"], "--check"),
                             (["--arch", "h100_sxm"], "--arch `h100_sxm`")]:
            other = self.part(2, 2, *GRID, *change)
            self.refuses("sweep", "merge", a, other,
                         says=["another sweep", says])
        other = self.part(2, 2, *GRID[:-1], "GROUP=2,8")
        self.refuses("sweep", "merge", a, other, says="the grid")

    def test_another_text(self):
        copy = self.folder / "v08.tile"
        shutil.copy(V08, copy)
        shutil.copy("examples/hopper/persistent.inc", self.folder)
        grid = [str(copy), *SIZE, "-D", "STAGES=2..5"]
        a = self.part(1, 2, *grid)
        with open(self.folder / "persistent.inc", "a") as inc:
            inc.write("// more\n")
        b = self.part(2, 2, *grid)
        self.refuses("sweep", "merge", a, b, says="the text of")

    def test_damaged_files(self):
        good = json.loads(pathlib.Path(self.part(1, 2)).read_text())
        def damaged(change):
            bad = json.loads(json.dumps(good))
            change(bad["files"][0])
            return self.file(json.dumps(bad), "bad.json")
        for change in [
                lambda f: f.pop("grid"),
                lambda f: f.update(grid=[{"name": "A", "kind": "const",
                                          "values": []}]),
                lambda f: f.update(shard="9/2"),
                lambda f: f["points"][0].update(number=77),
                lambda f: f["points"][0].update(state="fine"),
                lambda f: f["points"][0].update(cycles="many"),
                lambda f: f.update(points={"a": 1})]:
            self.refuses("sweep", "merge", damaged(change),
                         says="bad.json: expected what")
        self.refuses("sweep", "merge", damaged(lambda f: f["points"].pop()),
                     says="of 6 points there are 5")
        self.refuses("sweep", "merge",
                     damaged(lambda f: f.update(interrupted=True)),
                     says="interrupted; run it again")
        for text in ("", "[]", "{}", '{"files": [1, 2]}', '{"files": [1]}'):
            self.refuses("sweep", "merge", self.file(text, "bad.json"),
                         says="expected what `tilesim sweep --format json`")


class Picture(SweepCase):
    def plot(self, *args):
        path = self.folder / "sweep.svg"
        self.sweep(*args, "--plot", path)
        return xml.etree.ElementTree.parse(path).getroot()

    def texts(self, svg):
        return [t.text for t in svg.iter("{http://www.w3.org/2000/svg}text")]

    def test_a_line_and_maps(self):
        line = self.texts(self.plot(V08, *SIZE, "-D", "STAGES=2..7"))
        self.assertIn("STAGES", line)
        self.assertIn("time, us", line)
        two = self.texts(self.plot(*GRID))
        self.assertIn("1.00", two)
        self.assertIn("GROUP", two)
        sizes = [a for a in GRID if a != "M=512"]
        del sizes[1]
        three = self.texts(self.plot(*sizes, "-D", "M=512,640,768"))
        # The two axes with most values span a map; the third has two.
        self.assertLessEqual({"GROUP=2", "GROUP=4", "M", "STAGES"}, set(three))

    def test_a_million_points_are_not_drawn(self):
        self.refuses("sweep", V08, "-D", "STAGES=1..1000", "-D", "GROUP=1..90",
                     "--plot", "x.svg", says="at most 10,000 are drawn")


class World(SweepCase):
    LONG = [V08, "-D", "M=8192", "-D", "N=8192", "-D", "K=16384",
            "-D", "GROUP=1..40"]

    def test_interrupt_prints_what_is_done(self):
        run = subprocess.Popen(
            [harness.COMMAND, "sweep", *self.LONG, "-D", "STAGES=3", "--format",
             "json", "--jobs", "1"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        time.sleep(6)
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=harness.SECONDS)
        self.assertEqual(run.returncode, INTERRUPTED, said)
        sweep = json.loads(out)["files"][0]
        self.assertTrue(sweep["interrupted"])
        self.assertLess(len(sweep["points"]), 40)

    def test_progress_on_a_terminal(self):
        try:
            terminal, stderr = pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal to be had here: {why}")
        run = subprocess.Popen([harness.COMMAND, "sweep", *self.LONG],
                               stdout=subprocess.PIPE, stderr=stderr)
        os.close(stderr)
        line = re.compile(r"\r\x1b\[K\d+ of 40 points, \d+ s \[[#-]{20}\]")
        said, end = "", time.monotonic() + harness.SECONDS
        while not line.search(said) and time.monotonic() < end:
            said += os.read(terminal, 4096).decode()
        run.send_signal(signal.SIGINT)
        out = run.communicate(timeout=harness.SECONDS)[0].decode()
        self.assertRegex(said, line)
        self.assertIn("by Ctrl-C", out)

    def test_without_a_gpu(self):
        env = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        done = self.run_it("sweep", *GRID, "--hw", "--format", "json", env=env)
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assertEqual(done.returncode, NO_DEVICE, done.stderr)
        self.assertIn("tilesim: --hw: no CUDA", done.stderr)
        measured = json.loads(done.stdout)["files"][0]["measured"]
        self.assertEqual(measured["points"], [])
        self.assertIn("CUDA", measured["missing"])

    def test_help(self):
        text = self.run_it("help", "sweep").stdout
        for words in ("--budget", "--shard", "merge", "examples:"):
            self.assertIn(words, text)
        self.assertIn("Usage: tilesim sweep [OPTIONS]", text)
        self.assertEqual(self.run_it("help").stdout,
                         self.run_it("--help").stdout)
        self.refuses("help", "sweeps", says="no command `sweeps`")


if __name__ == "__main__":
    harness.main()
