"""Every option of every command, as its `--help` lists them: numbers out of
range and empty texts are refused in a line, and so is what has no effect."""
import re

import harness
from harness import Case, SMALL

COMMAND = re.compile(r"^  ([a-z]+) {2,}\S", re.M)
OPTION = re.compile(r"^  (?:-\w,)?(--?[\w-]+) ([A-Z]+)", re.M)
NUMBERS = ("INT", "UINT", "FLOAT")


class Options(Case):
    def options(self, kinds, words=()):
        """(words of the command, option, kind) of all commands below."""
        usage = self.run_it(*words, "--help").stdout
        _, _, below = usage.partition("\nSubcommands:\n")
        for name in COMMAND.findall(below.partition("\n\n")[0]):
            if name != "help":
                yield from self.options(kinds, (*words, name))
        for option, kind in OPTION.findall(usage):
            if kind in kinds:
                yield words, option, kind

    def test_numbers_out_of_range(self):
        seen = 0
        for words, option, kind in self.options(NUMBERS):
            bad = ["-1", "nan", "inf", "x"]
            for text in bad if kind == "FLOAT" else bad + ["1.5", "9" * 30]:
                done = self.refuses(*words, f"{option}={text}",
                                    says=[option, f"`{text}` is no "])
                self.assertLess(len(done.stderr), 200, done.stderr)
                self.assertIn("number", done.stderr)
            seen += 1
        self.assertGreater(seen, 20)

    def test_empty_texts(self):
        seen = set()
        for words, option, _ in self.options((*NUMBERS, "TEXT")):
            done = self.refuses(*words, option, "", says=option)
            self.assertLess(len(done.stderr), 400, done.stderr)
            seen.add((*words, option))
        self.assertGreater(len(seen), 70)
        for one in (("run", "--baseline"), ("run", "--replay"),
                    ("report", "--sweep"), ("report", "--beside"),
                    ("check", "--cache"), ("check", "--launch"),
                    ("lower", "-o"), ("sweep", "merge", "--plot")):
            self.assertIn(one, seen)
        for words in (["run", ""], ["check", ""], ["explain", ""],
                      ["trace", "diff", "", ""], ["reduce", ""]):
            self.refuses(*words, says="the text is empty")

    def test_without_effect(self):
        out = self.folder / "x"
        for words, says in (
                (["run", *SMALL, "--trace-sm", "1"], "--trace"),
                (["run", *SMALL, "--trace-cta", "1"], "--trace"),
                (["run", *SMALL, "--trace-events", "1"], "--trace"),
                (["run", *SMALL, "--values-only", "--lines"], "--lines"),
                (["run", *SMALL, "--values-only", "--hints"], "--hints"),
                (["run", *SMALL, "--timing-only", "--values", "1"], "--values"),
                (["run", SMALL[0], "--replay", out, "--l2", "cold"], "--l2"),
                (["run", *SMALL, "--timing-only", "--expect", f"D={out}"],
                 "--timing-only computes no values"),
                (["check", *SMALL, "--help-uri", "https://x"],
                 "--help-uri is for --format sarif"),
                (["hw", *SMALL, "--failures", "2"], "--schedules"),
                (["hw", *SMALL, "--schedules", "2", "--trace", out], "--trace"),
                (["calibrate", "--readings", out, "--programs", out],
                 "--programs")):
            self.refuses(*words, says=says)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    harness.main()
