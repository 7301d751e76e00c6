"""The files of examples/ci are what they claim, and their commands run."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import yaml

import harness
from harness import Case

FOLDER = pathlib.Path("examples/ci")
RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
CLEAN = "tests/verify/elected_lane_releases_for_its_warp.fixed.tile"
OPEN = "tests/cli/testdata/open.tile"


def load(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


class Workflow(Case):
    def setUp(self):
        super().setUp()
        self.job = load("tilesim.yml")["jobs"]["check"]
        command = pathlib.Path(harness.COMMAND).resolve()
        place = self.folder / "tilesim/build"
        place.mkdir(parents=True)
        (place / "tilesim").symlink_to(command)

    def step(self, name):
        return next(s for s in self.job["steps"] if s.get("name") == name)

    def check(self, *programs):
        """The exit code of the step, and its SARIF."""
        kernels = self.folder / "kernels/deeper"
        shutil.rmtree(kernels, ignore_errors=True)
        kernels.mkdir(parents=True)
        for program in programs:
            shutil.copy(program, kernels)
        self.assertEqual(self.job["defaults"]["run"]["shell"], "bash")
        # As the runner calls it.
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c",
             self.step("Check")["run"]], cwd=self.folder, check=False,
            capture_output=True, text=True, timeout=harness.SECONDS)
        name = self.step("Show")["with"]["sarif_file"]
        text = (self.folder / name).read_text(encoding="utf-8")
        return done.returncode, json.loads(text)["runs"][0] if text else None

    def test_it_is_a_workflow(self):
        whole = load("tilesim.yml")
        # YAML 1.1 reads the key `on` as true.
        self.assertLessEqual({"push", "pull_request"}, set(whole[True]))
        self.assertEqual(whole["permissions"]["security-events"], "write")
        for step in self.job["steps"]:
            self.assertEqual(("uses" in step) + ("run" in step), 1, step)
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w/-]+@v\d+$")
        self.assertIn("cancelled", self.step("Show")["if"])

    def test_it_builds_with_a_word_that_dev_knows(self):
        path, word = shlex.split(self.step("Build")["run"])
        self.assertEqual(path, "tilesim/dev")
        usage = subprocess.run(["./dev", "help"], capture_output=True,
                               text=True, check=True).stdout
        self.assertIn(f"./dev {word} ", usage)

    def test_its_exit_code_is_the_verdict(self):
        code, run = self.check(CLEAN)
        self.assertEqual((code, run["results"]), (0, []))
        code, run = self.check(CLEAN, RACY)
        self.assertEqual(code, 1)
        uri = run["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"]["uri"]
        self.assertEqual(uri, f"kernels/deeper/{pathlib.Path(RACY).name}")
        code, run = self.check(OPEN)
        self.assertEqual(code, 3)
        self.assertTrue(run["invocations"][0]["toolExecutionNotifications"])

    def test_no_program_is_no_success(self):
        code, run = self.check()
        self.assertEqual((code, run), (harness.BAD_INPUT, None))


class Release(Case):
    def setUp(self):
        super().setUp()
        self.whole = load("release.yml")
        self.steps = self.whole["jobs"]["release"]["steps"]

    def runs(self):
        return {s["name"]: s["run"] for s in self.steps if "run" in s}

    def test_it_is_a_workflow(self):
        self.assertEqual(self.whole[True], {"push": {"tags": ["v*"]}})
        self.assertEqual(self.whole["permissions"], {"contents": "write"})
        for step in self.steps:
            self.assertEqual(("uses" in step) + ("run" in step), 1, step)
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w/-]+@v\d+$")
        for name, text in self.runs().items():
            done = subprocess.run(["bash", "-n"], input=text, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")

    def test_its_commands_exist(self):
        usage = subprocess.run(["./dev", "help"], capture_output=True,
                               text=True, check=True).stdout
        words = [w for text in self.runs().values()
                 for w in re.findall(r"\./dev (\w+)", text)]
        self.assertEqual(words, ["test", "package", "editor"])
        for word in words:
            self.assertIn(f"./dev {word} ", usage)
        scripts = json.loads(pathlib.Path("editors/vscode/package.json")
                             .read_text(encoding="utf-8"))["scripts"]
        for script in re.findall(r"npm run (\w+)", "\n".join(
                self.runs().values())):
            self.assertIn(script, scripts)

    def test_a_tag_is_compared_with_the_version(self):
        text = self.runs()["The tag is the version of the project"]
        [version] = re.findall(
            r"project\(tilesim VERSION ([\d.]+)",
            pathlib.Path("CMakeLists.txt").read_text(encoding="utf-8"))
        for tag, code in ((f"v{version}", 0), ("v99.9.9", 1)):
            done = subprocess.run(
                ["bash", "-e", "-c", text], check=False,
                env={**os.environ, "GITHUB_REF_NAME": tag})
            self.assertEqual(done.returncode, code, tag)


class PreCommit(Case):
    KEYS = {"id", "name", "description", "entry", "language", "files",
            "require_serial"}

    def setUp(self):
        super().setUp()
        (self.folder / "tilesim").symlink_to(
            pathlib.Path(harness.COMMAND).resolve())
        self.hooks = {h["id"]: h for h in load("pre-commit-hooks.yaml")}

    def run_hook(self, name, *files):
        path = f"{self.folder}:{os.environ['PATH']}"
        done = subprocess.run(
            [*shlex.split(self.hooks[name]["entry"]), *files],
            env={**os.environ, "PATH": path}, capture_output=True,
            timeout=harness.SECONDS, check=False)
        return done.returncode

    def test_they_are_hooks(self):
        for hook in self.hooks.values():
            self.assertLessEqual(set(hook), self.KEYS)
            self.assertLessEqual({"id", "name", "entry", "language"},
                                 set(hook))
            self.assertEqual(hook["language"], "system")
            self.assertTrue(re.search(hook["files"], RACY))
            self.assertFalse(re.search(hook["files"], "dev"))

    def test_the_local_hooks_are_the_same(self):
        repos = load("pre-commit-config.yaml")["repos"]
        self.assertEqual([r["repo"] for r in repos], ["local"])
        self.assertEqual(repos[0]["hooks"], list(self.hooks.values()))

    def test_check(self):
        self.assertEqual(self.run_hook("tilesim-check", CLEAN), 0)
        self.assertEqual(self.run_hook("tilesim-check", CLEAN, RACY), 1)

    def test_fmt(self):
        # pre-commit fails a hook that changes files.
        path = self.file(harness.kernel("let  x  =  1"))
        self.assertEqual(self.run_hook("tilesim-fmt", path), 0)
        self.assertIn("let x = 1\n",
                      pathlib.Path(path).read_text(encoding="utf-8"))


class Page(Case):
    def test_a_job_may_pass_without_a_proof(self):
        page = (FOLDER / "README.md").read_text(encoding="utf-8")
        unless = re.search(r"`(\|\| [^`]+)`", page)[1]
        for program, code in ((CLEAN, 0), (OPEN, 0), (RACY, 1)):
            done = subprocess.run(
                ["bash", "-c", f"{harness.COMMAND} check {program} {unless}"],
                timeout=harness.SECONDS, check=False, capture_output=True)
            self.assertEqual(done.returncode, code, program)


if __name__ == "__main__":
    harness.main()
