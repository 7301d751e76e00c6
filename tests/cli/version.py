"""The commit that `--version` names is that of the build, not of the last time
that CMake configured it (cli/write_commit.cmake)."""
import json
import pathlib
import re
import subprocess

import harness
from harness import Case

SCRIPT = pathlib.Path(__file__).parents[2] / "cli/write_commit.cmake"


class AsJson(Case):
    def test_what_is_printed(self):
        for option in ("version", "licenses"):
            text = self.run_it(f"--{option}").stdout
            said = json.loads(
                self.run_it(f"--{option}", "--format", "json").stdout)
            self.assertEqual(set(said), {"schema", option})
            self.assertEqual(said[option].strip(), text.strip())


class Commit(Case):
    def sh(self, *command):
        return subprocess.run(command, check=True, capture_output=True,
                              text=True, timeout=harness.SECONDS).stdout.strip()

    def written(self, folder):
        out = self.folder / "out/commit.h"
        self.sh("cmake", f"-DOUT={out}", f"-DDIR={folder}", "-P", SCRIPT)
        [text] = re.findall(r'^#define TILESIM_COMMIT "(.*)"$',
                            out.read_text(), re.M)
        return text, out.stat().st_mtime_ns

    commits = 0

    def commit(self, folder):
        self.commits += 1
        git = ["git", "-C", folder, "-c", "user.name=x", "-c",
               "user.email=x@localhost"]
        self.sh(*git, "commit", "-q", "--allow-empty", "-m", str(self.commits))
        return " (" + self.sh(*git, "rev-parse", "--short=12", "HEAD") + ")"

    def test_it_is_that_of_now(self):
        tree = self.folder / "tree"
        self.sh("git", "init", "-q", tree)
        first = self.commit(tree)
        was = self.written(tree)
        self.assertEqual(was[0], first)
        self.assertEqual(self.written(tree), was)  # nothing is written anew
        second = self.commit(tree)
        self.assertNotEqual(second, first)
        self.assertEqual(self.written(tree)[0], second)

    def test_a_tarball_has_none(self):
        tree = self.folder / "tree"
        tree.mkdir()
        self.assertEqual(self.written(tree)[0], "")
        # Nor that of the repository in which it was unpacked.
        self.sh("git", "init", "-q", self.folder)
        self.commit(self.folder)
        self.assertEqual(self.written(tree)[0], "")

    def test_version(self):
        said = self.run_it("--version").stdout
        self.assertRegex(said, r"^tilesim \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$")


if __name__ == "__main__":
    harness.main()
