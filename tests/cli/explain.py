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
        self.refuses("explain", "hardware/A.55",
                     says="did you mean `hardware/A.5`?")
        self.refuses("explain", "hardware/tensor-copies",
                     says="there is a page `hardware`")
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

    def test_words_that_are_elsewhere(self):
        self.assertEqual(self.run_it("explain", "h200").stdout,
                         self.run_it("explain", "arch/h200").stdout)
        self.assertIn("`roof`: ", self.run_it("explain", "roofline").stdout)
        for word in ("allow", "baseline", "clock error"):
            self.assertEqual(self.run_it("explain", word).returncode, 0, word)
        self.refuses("explain", "sweep", says="`tilesim help sweep`")
        self.refuses("explain", "tma", says=["op/tma.load", "op/tma.store"])

    def test_what_is_none(self):
        self.refuses("explain", "race/rwa",
                     says="nothing is known about `race/rwa`")

    def test_words_of_the_language(self):
        page = self.run_it("explain", "swizzle").stdout
        self.assertTrue(page.startswith("`swizzle`: "), page)
        self.assertIn("## Memory", page)
        words = {line.split()[0] for line in
                 self.run_it("explain", "word").stdout.splitlines()}
        source = pathlib.Path("frontend/parser.cc").read_text(encoding="utf-8")
        table = source.split("kKeywords[] = {")[1].split("}")[0]
        keywords = set(re.findall(r'"(\w+)"', table))
        self.assertGreater(len(keywords), 30)
        self.assertLessEqual(keywords - {"sm"}, words)  # sm.count
        self.assertEqual(
            self.run_it("explain", "language").stdout,
            pathlib.Path("frontend/language.md").read_text(encoding="utf-8"))
        for word in words:
            page = self.run_it("explain", word)
            self.assertEqual(page.returncode, 0, word)
            self.assertTrue("\n## " in page.stdout or
                            page.stdout.startswith("## "), word)

    # What stands in the grammar of frontend/language.md, but for names that it
    # gives to parts (`expr`) and names of its examples.
    def test_all_that_the_language_page_writes(self):
        text = pathlib.Path("frontend/language.md").read_text(encoding="utf-8")
        quoted = {word.rstrip("(") for word in
                  re.findall(r'"([^"\s]+)"', text)}
        quoted -= {"file", "", ")", "{", "}", "[", "]"}
        self.assertLessEqual({"kernel", "sm_100a", "programmatic", "@", ":+"},
                             quoted)
        operators = text.split("## Expressions")[1].split("\n\n")[1].split()
        self.assertLessEqual({"?:", "&&", "~", "<<"}, set(operators))
        heads = {line.split()[0] for line in text.split("\n")
                 if re.match(r"    [a-z]+ +[A-Z]", line)}
        heads |= {words.split()[0] for words in
                  re.findall(r"(?:^|  |\[)([a-z][a-z. ]*) \{ \}", text, re.M)}
        heads |= set(re.findall(r"^    ([a-z]+) \(e", text, re.M))
        self.assertLessEqual({"param", "shared", "grid", "warp", "if"}, heads)
        for word in sorted(quoted | set(operators) | heads):
            self.assertEqual(self.run_it("explain", "--", word).returncode, 0,
                             word)

    def test_modifiers_and_signs_and_several_words(self):
        page = self.run_it("explain", "elect", "one").stdout
        self.assertTrue(page.startswith("`elect`: "), page)
        self.assertIn("\n`one`: elect one: one thread of all", page)
        self.assertEqual(page.count("## Who executes"), 1)
        self.assertEqual(self.run_it("explain", "elect one").stdout, page)
        self.assertEqual(self.run_it("explain", "elect,", "one").stdout, page)
        for word in ("acquire", ".acquire"):
            page = self.run_it("explain", word).stdout
            self.assertTrue(page.startswith("`.acquire` of "), page)
            self.assertIn(" of ld", page)
        self.assertIn("start :+ extent", self.run_it("explain", ":+").stdout)
        page = self.run_it("explain", "sm_100a").stdout
        self.assertIn("tcgen05.mma", page)
        self.assertNotIn("wgmma", page)
        self.assertIn("tilesim explain op/max",
                      self.run_it("explain", "max").stdout)
        self.refuses("explain", "elect", "noun", says="`elect noun`")
        signs = {line.split()[0] for line in
                 self.run_it("explain", "word").stdout.splitlines()
                 if line.split()[1] == "sign"}
        self.assertGreater(len(signs), 20)
        for sign in signs:
            self.assertTrue(self.run_it("explain", "--", sign).stdout
                            .startswith(f"`{sign}`: "), sign)

    # The rows of the glossary, among them what reports print.
    def test_words_of_the_glossary(self):
        text = (DOCS / "glossary.md").read_text(encoding="utf-8")
        rows = [line.strip("|").split(" |") for line in text.split("\n")
                if line.startswith("| ") and not line.startswith("| word")]
        self.assertGreater(len(rows), 60)
        topics = {line.split()[0]
                  for line in self.run_it("explain").stdout.splitlines()}
        for row in rows:
            # Some are the names of lists and documents, which say more.
            for word in set(row[0].strip().split(", ")) - topics:
                page = self.run_it("explain", word).stdout
                self.assertIn(row[1].strip(), page, word)
        for word in ("ring", "agents", "warps", "waves", "busy", "phase",
                     "stage", "tx-count", "critical path"):
            self.assertIn("(glossary/",
                          self.run_it("explain", word).stdout, word)

    def test_operands_of_ops(self):
        for word, ops in (("parity", ["mbarrier.wait"]),
                          ("accumulate", ["wgmma.mma_async", "tcgen05.mma"]),
                          ("multicast", ["tma.load"]),
                          ("vec", ["cp.async"]), ("count", ["mbarrier.init"]),
                          ("pending", []), ("mask", [])):
            page = self.run_it("explain", word)
            self.assertEqual(page.returncode, 0, word)
            self.assertTrue(page.stdout.startswith(f"`{word}` of "), page)
            for op in ops:
                self.assertIn(op, page.stdout)

    def test_layouts_are_drawn(self):
        rows = {}
        for name in ("wgmma", "row", "mma", "mma_a", "mma_b", "blocked"):
            text = self.run_it("explain", f"fragment/{name}").stdout
            rows[name] = [line.split()[2:] for line in text.splitlines()
                          if re.match(r"  row +\d", line)]
        # PTX 9.7.15.5.1.1, D of m64nNk16: row 8 of lane 0 is d2, d3.
        self.assertEqual(rows["wgmma"][0][:4], ["0.0", "0.1", "1.0", "1.1"])
        self.assertEqual(rows["wgmma"][8][:2], ["0.2", "0.3"])
        self.assertEqual(rows["wgmma"][0][8], "0.4")
        self.assertEqual(rows["row"][3][5], "3.5")
        self.assertEqual(rows["mma_b"][2][8], "8.2")
        swizzle = self.run_it("explain", "swizzle/128B").stdout
        line = next(x.split() for x in swizzle.splitlines()
                    if x.split()[:1] == ["384"])
        # Row 3: chunk c lies where c ^ 3 would.
        self.assertEqual(line[1:], [f"3.{c ^ 3}" for c in range(8)])
        self.assertIn("lanes  32 to  47, warp 1 of a warpgroup: rows  16 to",
                      self.run_it("explain", "tmem/F").stdout)
        self.assertIn("the right half of N",
                      self.run_it("explain", "tmem/B").stdout)
        self.assertEqual(self.run_it("explain", "tmem/scale").returncode, 0)


if __name__ == "__main__":
    harness.main()
