"""`explain code` lists every code, for people and for programs."""
import json
import pathlib

import harness
from harness import Case

PAGES = pathlib.Path("checkers/explain")


class Explain(Case):
    def rows(self):
        done = self.run_it("explain", "code", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = json.loads(done.stdout)
        self.assertEqual(listed["schema"], 1)
        return listed["codes"]

    def test_both_lists_are_one(self):
        done = self.run_it("explain", "code")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            [line.split(None, 1) for line in done.stdout.splitlines()],
            [[row["code"], row["summary"]] for row in self.rows()])

    def test_rows_are_complete(self):
        rows = {row["code"]: row for row in self.rows()}
        self.assertEqual(
            rows["tcgen05/order"],
            {"code": "tcgen05/order", "family": "tcgen05",
             "severities": ["error", "warning"], "strict": "tensor-war",
             "summary": "two tcgen05 operations that do not run in order"})
        self.assertEqual(rows["registers/spill"]["severities"], ["warning"])
        self.assertEqual(rows["race/war"]["strict"], "")

    def test_strict_takes_the_switches_of_the_list(self):
        switches = sorted({row["strict"] for row in self.rows()} - {""})
        self.assertTrue(switches)
        self.refuses("check", "x.tile", "--strict", "no-such-switch",
                     says=switches)

    def test_a_page_begins_with_its_summary(self):
        row = next(r for r in self.rows() if r["code"] == "syntax/too-deep")
        text = (PAGES / "syntax.too-deep.md").read_text(encoding="utf-8")
        title, _, prose = text.partition("\n")
        self.assertEqual(title, "# syntax/too-deep")
        done = self.run_it("explain", row["code"])
        self.assertEqual(done.stdout,
                         f"{row['code']}: {row['summary']}\n{prose}")

    def test_what_is_none(self):
        self.refuses("explain", "race/rwa",
                     says="nothing is known about `race/rwa`")
        self.refuses("explain", "race/war", "--format", "json",
                     says="--format json is for `tilesim explain code`")


if __name__ == "__main__":
    harness.main()
