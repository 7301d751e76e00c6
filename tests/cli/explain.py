"""`explain code` lists every code, for people and for programs."""
import json
import pathlib
import re

import harness
from harness import Case

PAGES = pathlib.Path("checkers/explain")
DOCS = pathlib.Path("docs")


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

    def test_documents_are_the_pages(self):
        done = self.run_it("explain", "certificate")
        self.assertEqual(done.stdout,
                         (DOCS / "certificate.md").read_text(encoding="utf-8"))

    def test_every_section_is_listed_and_printed(self):
        listed = self.run_it("explain")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        topics = [line.split()[0] for line in listed.stdout.splitlines()]
        pages = {page.stem for page in DOCS.glob("*.md")} - {"README"}
        self.assertLess(pages, set(topics))
        for page in sorted(pages):
            text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (\S+)", text, re.M)[1:]
            self.assertTrue(headings)
            self.assertEqual(
                [t for t in topics if t.startswith(f"{page}/")],
                [f"{page}/{section}" for section in headings])

    def test_a_section_ends_where_the_next_begins(self):
        done = self.run_it("explain", "hardware/A.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("## A.5 Tensor copies\n"))
        self.assertEqual(re.findall(r"^#.*", done.stdout, re.M),
                         ["## A.5 Tensor copies"])
        whole = self.run_it("explain", "hardware/E").stdout
        self.assertEqual(re.findall(r"^#+ (\S+)", whole, re.M),
                         ["E", "E.1", "E.2", "E.3"])

    def test_a_section_that_is_none(self):
        self.refuses("explain", "hardware/A.55", says="is `hardware/A.5`")
        self.refuses("explain", "hardware/tensor-copies",
                     says="the nearest is `hardware`")
        self.refuses("explain", "hardwear", says="nothing is known")

    def test_version_and_licences(self):
        done = self.run_it("--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r"^tilesim \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$")
        done = self.run_it("--licenses")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("Apache License", "Abseil", "fmt", "Boost", "isl", "GMP",
                     "CLI11", "nlohmann", "toml++", "zlib", "jemalloc",
                     "Eigen"):
            self.assertIn(name, done.stdout)

    def test_what_is_none(self):
        self.refuses("explain", "race/rwa",
                     says="nothing is known about `race/rwa`")
        self.refuses("explain", "race/war", "--format", "json",
                     says="--format json is for `tilesim explain code`")


if __name__ == "__main__":
    harness.main()
