"""check --format json of the catalogue: each finding has a place, a schedule
that shows it or the reason why there is none; each warning stands once."""
import collections
import json
import pathlib

import harness
from harness import Case

FILES_A_RUN = 40


class Findings(Case):
    @classmethod
    def setUpClass(cls):
        cls.files = []
        programs = sorted(map(str, pathlib.Path("tests/catalogue").glob("*.tile")))
        for first in range(0, len(programs), FILES_A_RUN):
            done = cls.run_it(cls, "check", "--format", "json",
                              *programs[first:first + FILES_A_RUN])
            cls.files += json.loads(done.stdout)["files"]
        cls.findings = [(file["file"], f) for file in cls.files
                        for f in file.get("findings", [])]

    def test_there_are_some(self):
        self.assertGreater(len(self.findings), 100)

    def test_places(self):
        for file, f in self.findings:
            self.assertGreater(f["location"]["line"], 0, (file, f["code"]))

    def test_witness_or_reason(self):
        for file, f in self.findings:
            with self.subTest(file=file, code=f["code"]):
                if f.get("witness"):
                    self.assertNotIn("no_witness", f)
                else:
                    self.assertTrue(f.get("no_witness"))

    def test_freed_while_a_load_runs(self):
        done = self.run_it("check", "tests/verify/tensor_memory_freed_while_"
                           "a_load_of_it_runs.tile")
        self.assertIn("help: tcgen05.wait::ld right behind it", done.stdout)

    def test_values_of_signed_types(self):
        done = self.run_it("check", "tests/attacks/element_of_a_domain_below_"
                           "zero.tile")
        self.assertIn("where `Slot` is -1\n", done.stdout)

    def test_warnings_stand_once(self):
        for file in self.files:
            said = collections.Counter(
                (w["code"], w["location"]["line"], w["location"]["column"])
                for part in ("warnings", "findings")
                for w in file.get(part, []) if w["severity"] == "warning")
            self.assertEqual([w for w, n in said.items() if n > 1], [],
                             file["file"])


class Barriers(harness.Case):
    # Two warpgroups, each of which meant itself: who is waited for is told.
    def test_a_barrier_without_a_number_says_for_whom_it_is(self):
        text = harness.kernel("  warpgroups 0..2 {\n"
                              "    bar.sync 1 + warpgroup\n  }",
                              head="grid (1)\n  block 256")
        told = ("help: where no number of threads is named, all of the CTA "
                "that have not exited are waited for; `bar.sync ID, THREADS` "
                "waits for so many")
        path = self.file(text)
        for command in ("check", "run"):
            done = self.run_it(command, path)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(told, done.stdout + done.stderr)
        path = self.file(text.replace("warpgroup\n", "warpgroup, 160\n"))
        done = self.run_it("check", path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("no number of threads", done.stdout)


if __name__ == "__main__":
    harness.main()
