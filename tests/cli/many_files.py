"""`check` of many files: all of them are judged, in order, on any number of
threads, and the worst decides the exit code."""
import json
import pathlib

import harness
from harness import Case

RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
CLEAN = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
OPEN = "tests/cli/testdata/open.tile"
NO_PROGRAM = "tests/frontend/errors/op_unknown.tile"
SMALL = sorted(str(p) for p in pathlib.Path("tests/verify").glob("*.tile"))


class ManyFiles(Case):
    def test_threads_change_nothing(self):
        for form, some in (("json", SMALL), ("text", SMALL[::4]),
                           ("sarif", SMALL[1::4])):
            files = [*some, "no.tile", NO_PROGRAM, *some[:5]]
            runs = [self.run_it("check", *files, "--format", form, "--jobs", n)
                    for n in (1, 2, 7)]
            for run in runs[1:]:
                self.assertEqual(run.stdout, runs[0].stdout)
                self.assertEqual(run.stderr, runs[0].stderr)
                self.assertEqual(run.returncode, runs[0].returncode)

    def test_a_bad_file_hides_no_other(self):
        done = self.run_it("check", "no.tile", RACY, NO_PROGRAM, CLEAN)
        self.assertEqual(done.returncode, harness.BAD_INPUT)
        self.assertIn("cannot read no.tile", done.stderr)
        self.assertIn("error[name/op]", done.stderr)
        self.assertIn("error[race/war]", done.stdout)
        self.assertIn(f"{CLEAN}: clean", done.stdout)

    def test_json_names_every_file(self):
        done = self.run_it("check", "no.tile", RACY, NO_PROGRAM, CLEAN, OPEN,
                           "--format", "json")
        files = json.loads(done.stdout)["files"]
        self.assertEqual([(f["file"], f["verdict"]) for f in files],
                         [("no.tile", "rejected"), (RACY, "findings"),
                          (NO_PROGRAM, "rejected"), (CLEAN, "clean"),
                          (OPEN, "incomplete")])
        self.assertIn("No such file", files[0]["failure"])
        self.assertEqual(files[2]["errors"][0]["code"], "name/op")

    def test_the_worst_decides(self):
        for files, code in (((CLEAN,), 0), ((CLEAN, OPEN), 3),
                            ((OPEN, RACY, CLEAN), 1),
                            ((RACY, NO_PROGRAM), 2), ((CLEAN, "no.tile"), 2)):
            self.assertEqual(self.run_it("check", *files).returncode, code)

    def test_jobs_is_a_number(self):
        for jobs in ("0", "-1", "x"):
            self.refuses("check", CLEAN, "--jobs", jobs, says="--jobs")


if __name__ == "__main__":
    harness.main()
