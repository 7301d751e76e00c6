"""Findings that are known and kept: comments that allow them, baselines."""
import json
import pathlib

import harness
from harness import Case

RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
CLEAN = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
OPEN = "tests/cli/testdata/open.tile"
FOLLOWED = "tests/cli/testdata/followed.tile"
LINE = 22  # of the finding


class Known(Case):
    def racy(self, comment="", line=LINE, name="x.tile"):
        """The racy program with a comment above a line, or behind it."""
        lines = pathlib.Path(RACY).read_text(encoding="utf-8").splitlines()
        if comment.startswith("+"):
            lines[line - 1] += " // " + comment[1:]
        elif comment:
            lines.insert(line - 1, "// " + comment)
        return self.file("\n".join(lines) + "\n", name)

    def answer(self, *words):
        done = self.run_it("check", *words, "--format", "json")
        return done.returncode, json.loads(done.stdout)["files"]

    def test_a_comment_allows_a_finding(self):
        for comment in ("tilesim: allow(race/war) the ring is larger",
                        "+tilesim: allow(race/war) the ring is larger",
                        "tilesim: allow(race/raw, race/war) two"):
            path = self.racy(comment)
            code, files = self.answer(path)
            self.assertEqual(code, 0)
            # Nothing is called clean for it.
            self.assertEqual(files[0]["verdict"], "findings")
            hidden = files[0]["findings"][0]["hidden"]
            self.assertEqual(hidden["by"], "allow")
            self.assertIn(hidden["reason"], comment)
            done = self.run_it("check", path)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("race/war", done.stdout)
            self.assertIn(": known findings only (what they hide was not "
                          "judged): ", done.stdout)
            self.assertIn("not shown: 1 that a comment allows", done.stdout)

    def test_a_comment_that_does_not_fit_allows_nothing(self):
        for comment, says in (
                ("tilesim: allow(race/raw) other", "no finding `race/raw`"),
                ("tilesim: allow(race/war)", "gives no reason"),
                ("tilesim: allow(race/wra) why", "did you mean `race/war`?"),
                ("tilesim: alow(race/war) why", "no `allow(CODE)`")):
            done = self.run_it("check", self.racy(comment))
            self.assertEqual(done.returncode, 1, comment)
            self.assertIn("error[race/war]", done.stdout)
            self.assertIn("warning[lint/allow]", done.stderr)
            self.assertIn(says, done.stderr)
        done = self.run_it("check", self.racy(
            "tilesim: allow(race/war) elsewhere", LINE - 3))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"`race/war` is on line {LINE + 1}: move the comment there",
                      done.stderr)

    def test_an_allow_that_hides_nothing_is_told(self):
        text = pathlib.Path(CLEAN).read_text(encoding="utf-8").splitlines()
        text[LINE - 1] += " // tilesim: allow(race/war) it was repaired"
        done = self.run_it("check", self.file("\n".join(text) + "\n"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no finding `race/war` on line 22", done.stderr)

    def test_what_follows_from_an_allowed_finding_is_told(self):
        text = pathlib.Path(FOLLOWED).read_text(encoding="utf-8")
        allowed = text.replace(
            "arrive empty", "arrive empty // tilesim: allow("
            "parity/unconsumed) nobody waits, on purpose")
        done = self.run_it("check", FOLLOWED)
        self.assertIn("from this follows race/raw", done.stdout)
        done = self.run_it("check", self.file(allowed))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("error[race/raw]", done.stdout)
        self.assertIn("this follows from parity/unconsumed on line",
                      done.stdout)
        self.assertNotIn("x.tile:26:", done.stdout)

    def test_a_baseline_has_what_follows(self):
        known = self.folder / "known.json"
        self.run_it("check", FOLLOWED, "--write-baseline", known)
        rows = json.loads(known.read_text(encoding="utf-8"))["baseline"]
        self.assertIn("race/raw", [r["code"] for r in rows])
        done = self.run_it("check", FOLLOWED, "--baseline", known)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # One that has the cause alone does not hide what follows.
        rows = [r for r in rows if r["code"] == "parity/unconsumed"]
        known.write_text(json.dumps({"schema": 1, "baseline": rows}),
                         encoding="utf-8")
        done = self.run_it("check", FOLLOWED, "--baseline", known)
        self.assertEqual(done.returncode, 1)

    def test_a_lint_is_allowed(self):
        text = pathlib.Path(CLEAN).read_text(encoding="utf-8")
        unused = text.replace("  grid", "  const SPARE = 3\n  grid", 1)
        self.assertIn("lint/unused", self.run_it(
            "check", self.file(unused)).stderr)
        allowed = unused.replace(
            "SPARE = 3", "SPARE = 3 // tilesim: allow(lint/unused) for -D")
        self.assertEqual(self.run_it("check", self.file(allowed)).stderr, "")

    def test_what_is_open_stays_open(self):
        code, _ = self.answer(OPEN)
        self.assertEqual(code, 3)
        lines = pathlib.Path(OPEN).read_text(encoding="utf-8")
        path = self.file("// tilesim: allow(race/war) none\n" + lines)
        self.assertEqual(self.answer(path)[0], 3)

    def test_a_baseline_hides_what_it_has(self):
        path, known = self.racy(), self.folder / "known.json"
        done = self.run_it("check", path, CLEAN, "--write-baseline", known)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(known.read_text(encoding="utf-8"))["baseline"]
        self.assertEqual([(r["file"], r["code"], r["count"]) for r in rows],
                         [(path, "race/war", 1)])
        code, files = self.answer(path, CLEAN, "--baseline", known)
        self.assertEqual(code, 0)
        self.assertEqual(files[0]["findings"][0]["hidden"]["by"], "baseline")
        # Lines that move are the same finding, another file is not.
        text = pathlib.Path(path).read_text(encoding="utf-8")
        pathlib.Path(path).write_text("\n\n" + text, encoding="utf-8")
        self.assertEqual(self.answer(path, "--baseline", known)[0], 0)
        self.assertEqual(self.answer(RACY, "--baseline", known)[0], 1)

    def test_what_is_gone_is_told(self):
        path, known = self.racy(), self.folder / "known.json"
        self.run_it("check", path, "--write-baseline", known)
        pathlib.Path(path).write_text(
            pathlib.Path(CLEAN).read_text(encoding="utf-8"), encoding="utf-8")
        done = self.run_it("check", path, "--baseline", known)
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 findings of", done.stderr)
        # Not of files that were not looked at.
        self.assertEqual(
            self.run_it("check", CLEAN, "--baseline", known).stderr, "")

    def test_what_is_no_baseline(self):
        for text in ("", "{", "[]", '{"baseline": 3}',
                     '{"baseline": [{"file": 3}]}'):
            self.refuses("check", CLEAN, "--baseline",
                         self.file(text, "b.json"), says="is no baseline")
        self.refuses("check", CLEAN, "--baseline", "no.json", says="no.json")
        path = self.racy()
        self.refuses("check", path, "--write-baseline", path,
                     says="would overwrite")

    # What is one finding for the same thing at two places of the text.
    TWO = {
        "bounds/global": ("""
          thread 0 {
            st O[cta.x + 64], 1@
            st O[cta.x + 100], 1@
          }""", ""),
        "uninit/shared": ("""
          shared a : u32[4]
          thread 0 {
            var v = 0
            ld v, a[0]@
            st O[0], v
            ld v, a[1]@
            st O[1], v
          }""", ""),
        "race/raw": ("""
          shared a : u32[4]
          thread 0 { st a[0], 1 }
          thread 32 {
            var v = 0
            ld v, a[0]@
            st O[0], v
            ld v, a[0]@
            st O[1], v
          }""", ""),
        "proxy-fence/raw": ("""
          shared a : u32[64]
          warp 0 {
            reg r : u32[64] fragment blocked(2)
            mov r, 1
            st.shared a, r
          }
          bar.sync 0
          thread 0 {
            bulk.store O, a@
            bulk.commit_group
            bulk.wait_group 0
          }
          bar.sync 0
          warp 0 {
            reg r : u32[64] fragment blocked(2)
            mov r, 2
            st.shared a, r
          }
          bar.sync 0
          thread 0 {
            bulk.store O, a@
            bulk.commit_group
            bulk.wait_group 0
          }""", ""),
    }

    def at_two_places(self, code, first, second):
        """A program with those comments at the two places; their lines."""
        body, declares = self.TWO[code]
        parts = body.split("@")
        text = ("kernel k target sm_90a {\n  global O : u32[64]\n" + declares +
                "  grid (1)\n  block 64")
        lines = []
        for part, comment in zip(parts, (first, second)):
            text += part
            lines.append(text.count("\n") + 1)
            text += comment
        return self.file(text + parts[2] + "\n}\n", "two.tile"), lines

    def test_one_place_does_not_hide_another(self):
        for code in self.TWO:
            allow = f" // tilesim: allow({code}) known"
            for comments, told in (((allow, ""), 1), (("", allow), 0)):
                path, lines = self.at_two_places(code, *comments)
                done = self.run_it("check", path)
                self.assertEqual(done.returncode, 1, (code, done.stdout))
                self.assertIn(f"two.tile:{lines[told]}:", done.stdout)
                self.assertNotIn("lint/allow", done.stderr)
            path, _ = self.at_two_places(code, allow, allow)
            done = self.run_it("check", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), code)

    def test_a_place_that_is_told_instead_says_which_is_not(self):
        path, lines = self.at_two_places(
            "bounds/global", " // tilesim: allow(bounds/global) known", "")
        done = self.run_it("check", path)
        self.assertIn(f"the same on line {lines[0]} is known, and not shown",
                      done.stdout)
        finding, = self.answer(path)[1][0]["findings"]
        self.assertNotIn("hidden", finding)
        self.assertEqual(finding["witness"], [])

    def test_a_baseline_has_each_place(self):
        known = self.folder / "known.json"
        for code in self.TWO:
            path, _ = self.at_two_places(code, "", "")
            self.run_it("check", path, "--write-baseline", known)
            done = self.run_it("check", path, "--baseline", known)
            self.assertEqual((done.returncode, done.stderr), (0, ""), code)
        # A place that comes later is new, though it is one finding with the
        # known one.
        path = self.file("""kernel k target sm_90a {
  global O : u32[64]
  grid (1)
  block 32
  thread 0 {
    st O[cta.x + 64], 1
  }
}
""", "later.tile")
        self.run_it("check", path, "--write-baseline", known)
        text = pathlib.Path(path).read_text(encoding="utf-8")
        pathlib.Path(path).write_text(
            text.replace("1\n  }", "1\n    st O[cta.x + 70], 1\n  }"),
            encoding="utf-8")
        done = self.run_it("check", path, "--baseline", known)
        self.assertEqual(done.returncode, 1)
        self.assertIn("later.tile:7:", done.stdout)

    def test_sarif_says_who_hides_it(self):
        path = self.racy("tilesim: allow(race/war) the ring is larger")
        done = self.run_it("check", path, "--format", "sarif")
        result = json.loads(done.stdout)["runs"][0]["results"][0]
        self.assertEqual(result["suppressions"],
                         [{"kind": "inSource",
                           "justification": "the ring is larger"}])

    def test_many_files_end_with_a_total(self):
        done = self.run_it("check", RACY, CLEAN, OPEN, CLEAN)
        self.assertEqual(done.stdout.splitlines()[-1],
                         "4 files: 2 clean, 1 findings, 1 incomplete")
        self.assertNotIn("files: ", self.run_it("check", CLEAN).stdout)


if __name__ == "__main__":
    harness.main()
