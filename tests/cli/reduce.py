"""`reduce`: the answer is a test of its own, whatever ends the search."""
import pathlib
import signal
import subprocess

import harness
from harness import Case

BUG = "tests/catalogue/R26_leader_loads_while_others_read.tile"
LONG = "tests/catalogue/P14_parity_of_the_trip_in_a_ring.tile"
OPEN = "tests/verify/data_behind_a_flag_of_another_kernel.tile"


class Reduce(Case):
    def told(self, path):
        """The codes of a file's expectations, and of what is told of it."""
        text = pathlib.Path(path).read_text()
        expected = [line.split("[")[1].split("]")[0]
                    for line in text.splitlines()
                    if "//! error[" in line or "//! warning[" in line]
        done = self.run_it("check", path)
        codes = [line.split("[")[1].split("]")[0]
                 for line in done.stdout.splitlines()
                 if line.startswith(("error[", "warning["))]
        return sorted(expected), sorted(codes)

    def test_the_answer_is_a_test(self):
        out = self.folder / "out.tile"
        done = self.run_it("reduce", BUG, "--code", "race/war", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tokens after", done.stderr)
        text = out.read_text()
        self.assertTrue(text.startswith("//! verdict: findings\n"))
        self.assertLess(len(text), len(pathlib.Path(BUG).read_text()))
        expected, codes = self.told(out)
        self.assertIn("race/war", codes)
        self.assertEqual(expected, codes)
        self.assertEqual(self.run_it("fmt", "--check", out).returncode, 0)

    def test_twice_the_same(self):
        one, two = (self.run_it("reduce", BUG, "--code", "race/war").stdout
                    for _ in range(2))
        self.assertEqual(one, two)

    def test_bounded(self):
        done = self.run_it("reduce", BUG, "--code", "race/war", "--tries", "3")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--tries", done.stderr)
        self.assertIn("//! error[race/war]", done.stdout)

    def test_sizes_of_the_command_become_constants(self):
        path = self.file(harness.kernel(
            "param N : 1.. = 9\nconst M = 2\n"
            "for i in 0..N / M {\nwarp 0 {\nbar.sync 1, 64\n}\n}\n"))
        done = self.run_it("reduce", path, "--code", "barrier/participants",
                           "-D", "N=4", "-D", "M=1", "--tries", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("param", done.stdout)

    def test_a_verdict(self):
        out = self.folder / "out.tile"
        done = self.run_it("reduce", OPEN, "--verdict", "incomplete", "-o", out,
                           "--tries", "150")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(out.read_text().startswith("//! verdict: incomplete\n"))
        self.assertEqual(self.run_it("check", out).returncode, 3)

    def test_a_command_decides_too(self):
        done = self.run_it("reduce", BUG, "--verdict", "clean", "--keep", "true")
        self.assertEqual(done.returncode, 2)
        clean = BUG.replace(".tile", ".fixed.tile")
        done = self.run_it("reduce", clean, "--verdict", "clean", "--keep",
                           "grep -q mbarrier", "--tries", "60")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mbarrier", done.stdout)
        self.assertIn("//! verdict: clean", done.stdout)

    def test_refuses(self):
        self.refuses("reduce", BUG, "--code", "race/what", says="no code")
        self.refuses("reduce", BUG, "--code", "init/twice", says="does not have")
        self.refuses("reduce", BUG, says="--code")
        self.refuses("reduce", BUG, "--verdict", "clean", says="--keep")
        self.refuses("reduce", "no.tile", "--code", "race/raw", says="no.tile")
        path = self.file(pathlib.Path(BUG).read_text())
        self.refuses("reduce", path, "--code", "race/war", "-o", path,
                     says="overwrite")

    def test_ctrl_c_keeps_the_smallest_so_far(self):
        out = self.folder / "out.tile"
        run = subprocess.Popen(
            [harness.COMMAND, "reduce", LONG, "--code", "uninit/shared", "-o",
             out, "--tries", "100000"], stderr=subprocess.PIPE, text=True)
        run.stderr.readline()
        run.stderr.readline()
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=harness.SECONDS)[1]
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("interrupted", said)
        self.assertIn("uninit/shared", out.read_text())


if __name__ == "__main__":
    harness.main()
