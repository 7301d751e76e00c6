"""Completion in bash, zsh and fish, manual pages, colour: as tables and
terminals have them. A shell that is not there is skipped by name."""
import os
import pty
import re
import shutil
import subprocess

import harness
from harness import Case

RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"
COMMANDS = ("run", "check", "sweep", "sweep merge", "trace diff", "hw",
            "lower", "ptx", "fmt", "explain", "lsp", "completion", "man")
BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
compopt() { :; }
_tilesim
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(Case):
    def script(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"there is no {shell}")
        done = self.run_it("completion", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.file(done.stdout, f"tilesim.{shell}")

    def bash(self, *words):
        done = subprocess.run(
            ["bash", "--norc", "-c", BASH, "bash", self.script("bash"),
             "tilesim", *words], capture_output=True, text=True, check=False,
            timeout=harness.SECONDS)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.bash("chec"), ["check"])
        self.assertIn("merge", self.bash("sweep", "m"))
        self.assertIn("--timing-only", self.bash("run", "x.tile", "--tim"))
        self.assertNotIn("--strict", self.bash("run", "--"))
        self.assertEqual(self.bash("check", "--format", ""),
                         ["text", "json", "sarif"])
        self.assertIn("proxy-war", self.bash("check", "--strict", "proxy"))
        self.assertEqual(self.bash("run", "--arch", "h2"), ["h200"])
        self.assertEqual(self.bash("explain", "race/wa"),
                         ["race/war", "race/waw"])
        self.assertEqual(self.bash("run", "--trace", ""), [])  # files
        self.assertEqual(self.bash("--col"), ["--color"])

    def test_zsh(self):
        script = self.script("zsh")
        done = subprocess.run(["zsh", "-n", script], capture_output=True,
                              text=True, check=False, timeout=harness.SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = subprocess.run(
            ["zsh", "-f", "-c",
             "autoload -U compinit && compinit -D -u && source $1 && "
             "print ${_comps[tilesim]}", "zsh", script],
            capture_output=True, text=True, check=False,
            timeout=harness.SECONDS)
        self.assertEqual(done.stdout.strip(), "_tilesim", done.stderr)

    def fish(self, line):
        done = subprocess.run(
            ["fish", "--no-config", "-c",
             f"source {self.script('fish')}; complete -C'{line}'"],
            capture_output=True, text=True, check=False,
            timeout=harness.SECONDS,
            env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def test_fish(self):
        self.assertEqual(self.fish("tilesim chec"), ["check"])
        self.assertIn("--timing-only", self.fish("tilesim run --tim"))
        self.assertEqual(self.fish("tilesim check --format s"), ["sarif"])

    def test_every_option_is_there(self):
        text = self.run_it("completion", "bash").stdout
        for command in ("run", "check", "sweep"):
            usage = self.run_it(command, "--help").stdout
            options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", usage, re.M))
            self.assertGreater(len(options), 5)
            for option in options:
                self.assertIn(option, text)


class Man(Case):
    def test_pages_are_what_mandoc_reads(self):
        if shutil.which("mandoc") is None:
            self.skipTest("there is no mandoc")
        for command in ("", *COMMANDS):
            page = self.run_it("man", *command.split())
            self.assertEqual(page.returncode, 0, command)
            done = subprocess.run(
                ["mandoc", "-T", "lint", "-W", "warning"], input=page.stdout,
                capture_output=True, text=True, check=False,
                timeout=harness.SECONDS)
            told = [line for line in done.stdout.splitlines()
                    if "missing date" not in line]
            self.assertEqual(told, [], command)

    def test_a_page_says_what_help_says(self):
        page = self.run_it("man", "check").stdout.replace("\\-", "-")
        for words in ("tilesim-check", "--write-baseline",
                      "make this warning an error", "EXIT STATUS",
                      "tilesim check gemm.tile"):
            self.assertIn(words, page)

    def test_all_pages_at_once(self):
        self.assertEqual(
            self.run_it("man", "--all", self.folder).returncode, 0)
        self.assertEqual(
            {f"tilesim-{c.replace(' ', '-')}.1" for c in COMMANDS} -
            {page.name for page in self.folder.glob("*.1")}, set())
        self.assertTrue((self.folder / "tilesim-sweep-merge.1").exists())


class Color(Case):
    def on_terminal(self, *words, **variables):
        try:
            terminal, out = pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal to be had here: {why}")
        self.addCleanup(os.close, terminal)
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        subprocess.run([harness.COMMAND, *words], stdout=out,
                       stderr=subprocess.DEVNULL, check=False,
                       timeout=harness.SECONDS,
                       env={**env, "TERM": "xterm", **variables})
        os.close(out)
        text = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                return text.decode()
            if not part:
                return text.decode()
            text += part

    def test_auto_is_for_terminals(self):
        self.assertIn("\x1b[1;31merror[race/war]\x1b[0m",
                      self.on_terminal("check", RACY))
        self.assertNotIn("\x1b[", self.run_it("check", RACY).stdout)
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b[1", self.on_terminal(
                "check", RACY, **variables))
        self.assertIn("\x1b[1", self.on_terminal("check", RACY, NO_COLOR=""))

    def test_always_and_never(self):
        done = self.run_it("check", RACY, "--color", "always")
        self.assertIn("\x1b[1;31merror[race/war]", done.stdout)
        plain = self.run_it("check", RACY, "--color", "never").stdout
        self.assertEqual(self.run_it("check", RACY).stdout, plain)
        self.assertNotIn("\x1b[", self.on_terminal(
            "check", RACY, "--color", "never"))
        bad = self.file("kernel {")
        done = self.run_it("--color", "always", "run", bad)
        self.assertIn("\x1b[1;31merror[", done.stderr)
        self.refuses("check", RACY, "--color", "maybe", says="--color")

    def test_colours_say_nothing_of_their_own(self):
        plain = self.run_it("check", RACY).stdout
        coloured = self.run_it("check", RACY, "--color", "always").stdout
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)


if __name__ == "__main__":
    harness.main()
