"""What is typed wrong is told with what was meant; numbers are in range; every
command answers in JSON, what it cannot do as well; `-` is stdin."""
import json
import pathlib

import harness
from harness import Case, GEMM, SMALL, kernel

RACY = "tests/verify/elected_lane_releases_for_its_warp.tile"


class DidYouMean(Case):
    def test_what_was_meant(self):
        for words, near in (
                (["chekc", "x.tile"], "`check`"),
                (["run", GEMM, "--timing-onyl"], "`--timing-only`"),
                (["check", GEMM, "--format", "jsno"], "json"),
                (["help", "chekc"], "`check`"),
                (["man", "chekc"], "`check`"),
                (["run", GEMM, "--arch", "h20"], "`h200`"),
                (["explain", "race/rwa"], "`race/raw`"),
                (["explain", "op/tma.laod"], "`op/tma.load`"),
                (["explain", "arch/h20"], "`arch/h200`"),
                (["explain", "swizle"], "`swizzle`"),
                (["explain", "op/elect"], "`elect`"),
                (["expln", "op"], "`explain`"),
                (["trace", "dif", "a", "b"], "`diff`"),
                (["run", GEMM, "--set", "hbm_bandwith=1"], "`hbm_bandwidth`"),
                (["sweep", GEMM, "-D", "STAGS=2..3"], "`STAGES`"),
                (["run", GEMM, "-D", "STAGS=2"], "-D STAGS; did you mean "
                 "`STAGES`?"),
                (["explain", "fragment/wgma"], "`fragment/wgmma`")):
            self.refuses(*words, says=near)

    def test_where_nothing_is_near(self):
        done = self.refuses("frobnicate", says="no command `frobnicate`")
        self.assertNotIn("did you mean", done.stderr)
        done = self.refuses("run", GEMM, "--zzz", says="no option `--zzz`")
        self.assertNotIn("did you mean", done.stderr)
        self.refuses("run", GEMM, "more.tile", says="`more.tile` is one")
        self.refuses("run", says="FILE is required")


class Ptx(Case):
    def test_who_takes_it(self):
        ptx = self.file(".version 8.0\n.target sm_90a\n", "k.ptx")
        for words in (["report", ptx, "-o", self.folder / "x.html"],
                      ["lower", ptx], ["sweep", ptx, "-D", "N=1"],
                      ["fmt", ptx], ["hw", ptx],
                      ["reduce", ptx, "--code", "race/war"]):
            done = self.refuses(*words, says=[
                ptx, "run and check take PTX with --launch"])
            self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertNotIn(".ptx", self.run_it("report", "--help").stdout)
        self.assertIn(".ptx", self.run_it("run", "--help").stdout)


class Numbers(Case):
    def test_out_of_range(self):
        for words in (["check", GEMM, "--jobs", "0"],
                      ["check", GEMM, "-j", "100000000000"],
                      ["check", GEMM, "--sms", "-1"],
                      ["check", GEMM, "--max-states", "1.5"],
                      ["run", *SMALL, "--seed", "-1"],
                      ["run", *SMALL, "--seed", "x"],
                      ["run", *SMALL, "--max-cycles", "0"],
                      ["run", *SMALL, "--trace", "t", "--trace-events", "-5"],
                      ["sweep", *SMALL, "--jobs", "0"],
                      ["hw", *SMALL, "--runs", "-1"]):
            done = self.refuses(*words, says="is no whole number from ")
            self.assertLess(len(done.stderr), 200)
            self.assertIn(words[-2].split("-")[-1], done.stderr)

    def test_what_there_is_not(self):
        self.refuses("run", *SMALL, "--trace", "t.json", "--trace-sm", "9999",
                     says="--trace-sm 9999: they are numbered from 0 to 131")
        for command in ("run", "report"):
            to = ["--trace", "t.json"] if command == "run" else ["-o", "t.html"]
            self.refuses(command, *SMALL, *to, "--trace-cta", "0-3",
                         says="--trace-cta 1: they are numbered from 0 to 0")

    def test_empty_texts(self):
        for option in ("--arch", "--trace"):
            self.refuses("run", *SMALL, option, "", says=option)
        self.refuses("check", GEMM, "--baseline", "", says="--baseline")


class Json(Case):
    def answer(self, *words, code, **options):
        done = self.run_it(*words, "--format", "json", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        out = json.loads(done.stdout)
        self.assertEqual(out["schema"], 1)
        return out

    def test_bad_input_is_an_answer(self):
        bad = self.file(kernel("  bra.sync 0"))
        for words in (["run", bad], ["check", bad], ["sweep", bad, "-D", "N=1"],
                      ["lower", bad]):
            file = self.answer(*words, code=2)["files"][0]
            self.assertEqual((file["file"], file["verdict"]),
                             (bad, "rejected"), words)
            self.assertEqual(file["errors"][0]["code"], "name/op")
            self.assertEqual(file["errors"][0]["location"]["line"], 4)

    def test_a_wrong_line_is_an_answer(self):
        for words, told in ((["run", "no.tile"], "no.tile"),
                            (["run", GEMM, "--arch", "h20"], "h200"),
                            (["run", GEMM, "-D", "M"], "NAME=VALUE"),
                            (["run", GEMM, "--jbos", "3"], "--jbos"),
                            (["explain", "nonsense"], "nonsense"),
                            (["trace", "diff", "a", "b"], "a"),
                            (["ptx", "no.ptx"], "no.ptx")):
            file = self.answer(*words, code=2)["files"][0]
            self.assertIn(told, file["failure"], words)
        file = self.answer("trace", "diff", "a.json", "b", code=2)["files"][0]
        self.assertEqual(file["file"], "a.json")

    def test_no_device_is_an_answer(self):
        done = self.run_it("hw", *SMALL, "--format", "json")
        if done.returncode != 4:
            self.skipTest("there is a GPU here")
        file = json.loads(done.stdout)["files"][0]
        self.assertEqual(file["file"], GEMM)
        self.assertIn("CUDA", file["failure"])

    def test_every_command_answers(self):
        self.assertEqual(self.answer("explain", "op/tma.load", code=0)["topic"],
                         "op/tma.load")
        ops = {row["op"]: row for row in
               self.answer("explain", "op", code=0)["ops"]}
        self.assertEqual(ops["tma.load"]["operands"][0]["name"], "dst")
        words = {row["word"]: row for row in
                 self.answer("explain", "word", code=0)["words"]}
        self.assertEqual(words["elect"]["kind"], "scope")
        formatted = self.answer("fmt", "--check", GEMM, code=0)["files"][0]
        self.assertEqual(formatted, {"file": GEMM, "formatted": True})
        lowered = self.answer("lower", GEMM, code=0)["files"][0]
        self.assertIn("__global__", lowered["cuda"])

    # By the list of commands itself, so that a new one is not forgotten.
    def test_no_command_is_without_json(self):
        commands = {c["command"]: c
                    for c in self.answer("help", code=0)["commands"]}
        self.assertIn("trace diff", commands)
        for name, command in commands.items():
            # lsp speaks JSON of its own; the others name one below them.
            if name == "lsp" or command["commands"] and name != "sweep":
                continue
            options = {n: o for o in command["options"] for n in o["names"]}
            self.assertIn("--format", options, name)
            self.assertIn("json", options["--format"]["values"], name)
        for name in commands:
            row = self.answer(*name.split(), "--help", code=0)["commands"][0]
            self.assertEqual(row, commands[name])
            self.assertEqual(
                self.answer("help", *name.split(), code=0)["commands"][0], row)
            page = self.answer("man", *name.split(), code=0)["page"]
            self.assertIn(".SH SYNOPSIS", page)
        for shell in ("bash", "zsh", "fish"):
            told = self.answer("completion", shell, code=0)
            self.assertEqual(told["shell"], shell)
            self.assertEqual(told["script"],
                             self.run_it("completion", shell).stdout)
        pages = self.answer("man", "--all", self.folder, code=0)["files"]
        self.assertEqual({pathlib.Path(f["file"]).name for f in pages},
                         {"-".join(["tilesim", *c.split()]) + ".1"
                          for c in commands})
        for words in (["help", "rnu"], ["man", "rnu"], ["completion", "elvish"],
                      ["rnu"], [], ["lsp"]):
            self.assertTrue(self.answer(*words, code=2)["files"][0]["failure"])
        for option, key in (("--version", "version"), ("--licenses", "licenses")):
            self.assertTrue(self.answer(option, code=0)[key])

    def test_commands_that_write_a_file_answer(self):
        page = self.folder / "page.html"
        told = self.answer("report", *SMALL, "-o", page, code=0)["files"][0]
        self.assertEqual((told["page"], told["check"]["verdict"]),
                         (str(page), "clean"))
        ran = self.answer("run", *SMALL, code=0)["files"][0]
        self.assertEqual(told["cycles"], ran["cycles"])
        told = self.answer("report", *SMALL, "-o", page, "--no-check",
                           code=0)["files"][0]
        self.assertIsNone(told["check"])
        racy = self.file(pathlib.Path(RACY).read_text(encoding="utf-8"))
        to = self.folder / "small.tile"
        for out in (None, str(to)):
            told = self.answer("reduce", racy, "--code", "race/war",
                               *(["-o", out] if out else []),
                               code=0)["files"][0]
            self.assertEqual((told["file"], told["looks_for"], told["output"]),
                             (racy, "race/war", out))
            self.assertIn("//! error[race/war]", told["program"])
            self.assertLess(told["to"]["tokens"], told["from"]["tokens"])
            self.assertIs(told["smallest"], True)
        self.assertEqual(to.read_text(encoding="utf-8"), told["program"])
        readings = "hwtests/results/h200/calibration.json"
        to = self.folder / "mine.toml"
        told = self.answer("calibrate", "--readings", readings, "-o", to,
                           code=0)["files"][0]
        self.assertEqual(to.read_text(encoding="utf-8"), told["arch"])
        self.assertEqual((told["file"], told["base"]), (readings, "h200"))
        self.assertGreater(told["from_readings"], 0)
        self.assertLessEqual(
            told["from_readings"] + len(told["without_readings"]),
            told["parameters"])
        wide = self.file("kernel k target sm_90a {\n grid (1)\n block 32\n}\n")
        told = self.answer("fmt", wide, code=0)["files"][0]
        self.assertEqual(told, {"file": wide, "formatted": False})
        told = self.answer("fmt", wide, code=0)["files"][0]
        self.assertEqual(told, {"file": wide, "formatted": True})

    def test_a_run_that_is_stopped_answers(self):
        for command, out in (("run", []),
                             ("report", ["-o", self.folder / "p.html"])):
            file = self.answer(command, GEMM, *out, "--max-cycles", "10",
                               code=3)["files"][0]
            self.assertEqual(file["verdict"], "incomplete")
            self.assertIn("--max-cycles", file["failure"])
        programs = self.folder / "none"
        file = self.answer("calibrate", "--programs", programs,
                           code=4)["files"][0]
        self.assertIn(str(programs), file["failure"])
        self.assertNotIn("verdict", file)
        file = self.answer("reduce", GEMM, "--code", "race/what",
                           code=2)["files"][0]
        self.assertIn("race/what", file["failure"])


class Stdin(Case):
    def test_a_program_comes_on_stdin(self):
        text = pathlib.Path(RACY).read_text(encoding="utf-8")
        done = self.run_it("check", "-", input=text)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--> <stdin>:22:7", done.stdout)
        gemm = pathlib.Path(GEMM).read_text(encoding="utf-8")
        for words in (["run", "-", *SMALL[1:]], ["lower", "-"],
                      ["sweep", "-", "-D", "K=64", "-D", "M=128",
                       "-D", "N=128"]):
            done = self.run_it(*words, input=gemm)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.run_it("run", "-", *SMALL[1:], input=gemm)
                        .stdout.startswith("<stdin>: "))
        lowered = self.run_it("lower", "-", input=gemm).stdout
        self.assertIn("Lowered from <stdin> by", lowered)
        self.assertIn(" FILE.cu -c", lowered)

    def test_fmt_is_a_filter(self):
        text = pathlib.Path(GEMM).read_text(encoding="utf-8")
        wide = text.replace("\n  ", "\n        ")
        done = self.run_it("fmt", "-", input=wide)
        self.assertEqual((done.returncode, done.stdout), (0, text))
        done = self.run_it("fmt", "--check", "-", input=wide)
        self.assertEqual((done.returncode, done.stdout), (1, "<stdin>\n"))

    def test_no_stdin(self):
        self.refuses("check", "-", says="stdin", input="kernel {")


if __name__ == "__main__":
    harness.main()
