"""`check --format sarif` is SARIF 2.1.0 as code-scanning views read it."""
import json
import pathlib

import jsonschema

import harness
from harness import Case

SCHEMA = pathlib.Path(__file__).parent / "testdata/sarif-2.1.0-rtm.5.json"
STUCK = "tests/verify/waits_for_each_other.tile"
RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
CLEAN = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
OPEN = "tests/cli/testdata/open.tile"
NO_PROGRAM = "tests/frontend/errors/op_unknown.tile"
# Nothing of these texts may be lost, and all of them must be escaped.
AWKWARD = "a file {0} %41.tile"


class Sarif(Case):
    def sarif(self, *files):
        done = self.run_it("check", *files, "--format", "sarif")
        log = json.loads(done.stdout)
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft4Validator(schema).validate(log)
        self.assertEqual(len(log["runs"]), 1)
        run = log["runs"][0]
        self.assertEqual(run["invocations"][0]["exitCode"], done.returncode)
        return run, done.returncode

    def notifications(self, run):
        return run["invocations"][0]["toolExecutionNotifications"]

    def test_many_files_are_one_run(self):
        run, code = self.sarif(RACY, NO_PROGRAM, "no.tile", OPEN, CLEAN, STUCK)
        self.assertEqual(code, harness.BAD_INPUT)
        files = [r["locations"][0]["physicalLocation"]["artifactLocation"]
                 ["uri"] for r in run["results"]]
        self.assertEqual(list(dict.fromkeys(files)),
                         [RACY, NO_PROGRAM, OPEN, STUCK])
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"],
                             result["ruleId"])
        words = " ".join(n["message"]["text"]
                         for n in self.notifications(run))
        self.assertIn("cannot read no.tile", words)

    def test_rules_say_what_explain_says(self):
        run, _ = self.sarif(RACY)
        rule = run["tool"]["driver"]["rules"][0]
        self.assertEqual(rule["id"], "race/war")
        self.assertIn(rule["shortDescription"]["text"],
                      self.run_it("explain", "race/war").stdout)
        self.assertIn("```diff", rule["help"]["markdown"])

    def test_incomplete_is_no_success(self):
        run, code = self.sarif(OPEN)
        self.assertEqual(code, 3)
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertTrue(self.notifications(run))
        for note in self.notifications(run):
            self.assertEqual(note["level"], "warning")
            self.assertTrue(note["message"]["text"].startswith("no proof: "))
        # Views show results, not notifications.
        self.assertEqual({(r["ruleId"], r["level"]) for r in run["results"]},
                         {("check/incomplete", "note")})
        self.assertEqual(len(run["results"]), len(self.notifications(run)))

    def test_a_rule_holds_its_page_and_no_address_that_leads_nowhere(self):
        run, _ = self.sarif(RACY, STUCK, OPEN)
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual({rule["id"] for rule in rules},
                         {"race/war", "deadlock/cycle", "check/incomplete"})
        for rule in rules:
            self.assertNotIn("helpUri", rule)
            self.assertGreater(len(rule["help"]["text"]), 200)
            self.assertEqual(rule["help"]["text"], rule["help"]["markdown"])

    def test_a_rule_has_its_page(self):
        for base in ("https://x.org/explain", "https://x.org/explain/"):
            done = self.run_it("check", RACY, "--format", "sarif",
                               "--help-uri", base)
            rule = json.loads(done.stdout)["runs"][0]["tool"]["driver"][
                "rules"][0]
            self.assertEqual(rule["helpUri"],
                             "https://x.org/explain/race.war.md")
        self.assertTrue(pathlib.Path("checkers/explain/race.war.md").exists())

    def test_a_verdict_that_is_no_proof_has_a_page(self):
        done = self.run_it("check", OPEN, "--format", "sarif", "--help-uri",
                           "https://x.org/explain")
        rules = json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]
        self.assertEqual([(r["id"], r["helpUri"]) for r in rules],
                         [("check/incomplete",
                           "https://x.org/explain/README.md")])
        self.assertIn("`check/incomplete`", pathlib.Path(
            "checkers/explain/README.md").read_text(encoding="utf-8"))

    def test_clean_is_success(self):
        run, code = self.sarif(CLEAN)
        self.assertEqual(code, 0)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(run["results"], [])
        self.assertEqual(self.notifications(run), [])

    def test_a_label_is_a_related_location(self):
        run, _ = self.sarif(RACY)
        result = run["results"][0]
        lines = pathlib.Path(RACY).read_text(encoding="utf-8").splitlines()
        for place in result["locations"] + result["relatedLocations"]:
            self.assertTrue(place["message"]["text"])
            region = place["physicalLocation"]["region"]
            words = lines[region["startLine"] - 1][
                region["startColumn"] - 1:region["endColumn"] - 1]
            self.assertRegex(words, r"^(tma\.load|ld\.shared) ")

    def test_a_thread_flow_a_role(self):
        run, _ = self.sarif(STUCK)
        result = run["results"][0]
        flows = result["codeFlows"][0]["threadFlows"]
        self.assertLessEqual({"a", "b"}, {f["id"] for f in flows})
        self.assertEqual(len({f["id"] for f in flows}), len(flows))
        orders = [[s["executionOrder"] for s in f["locations"]]
                  for f in flows]
        for order in orders:
            self.assertEqual(order, sorted(order))
        together = sorted(sum(orders, []))
        self.assertEqual(together, list(range(1, len(together) + 1)))
        ends = [f["locations"][-1]["location"] for f in flows
                if f["id"] in ("a", "b")]
        for end in ends:
            self.assertIn("never passes", end["message"]["text"])

    def test_an_operation_is_nested_in_its_role(self):
        run, _ = self.sarif(RACY)
        steps = [s for f in run["results"][0]["codeFlows"][0]["threadFlows"]
                 for s in f["locations"]]
        done = [s for s in steps
                if "tma.load is done" in s["location"]["message"]["text"]]
        self.assertTrue(done)
        self.assertEqual({s["nestingLevel"] for s in done}, {1})

    def test_fingerprints_stay_when_lines_move(self):
        text = pathlib.Path(RACY).read_text(encoding="utf-8")
        prints = []
        for name, content in (("a.tile", text), ("b.tile", "\n\n" + text)):
            run, _ = self.sarif(self.file(content, name))
            prints.append([r["partialFingerprints"] for r in run["results"]])
        self.assertTrue(prints[0])
        self.assertEqual(*prints)

    def test_names_are_escaped(self):
        text = pathlib.Path(RACY).read_text(encoding="utf-8")
        run, _ = self.sarif(self.file(text, AWKWARD))
        uri = run["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"]["uri"]
        self.assertTrue(uri.startswith("file:///"))
        self.assertTrue(uri.endswith("/a%20file%20%7B0%7D%20%2541.tile"), uri)
        run, _ = self.sarif("no {0}.tile")
        self.assertIn("no {{0}}.tile",
                      self.notifications(run)[0]["message"]["text"])


if __name__ == "__main__":
    harness.main()
