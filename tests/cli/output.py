"""What a command writes is whole or not there; a reader who leaves early is no
error of ours."""
import json
import os
import signal
import stat
import subprocess

import harness
from harness import Case, GEMM

RUN = ["run", *harness.SMALL]


class Output(Case):
    def test_a_pipe_that_nobody_reads(self):
        for form in ("text", "json"):
            out = self.folder / f"{form}.npy"
            run = subprocess.Popen(
                [harness.COMMAND, *RUN, "--format", form, "--out",
                 f"D={out}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            run.stdout.close()
            said = run.stderr.read().decode()
            run.stderr.close()
            code = run.wait(harness.SECONDS)
            self.assertEqual(code, -signal.SIGPIPE, said)
            self.assertEqual(said, "")
            self.assertTrue(out.exists())

    # At the defaults and at the sizes asked for.
    def test_a_warning_about_the_text_is_said_once(self):
        path = self.file(harness.kernel("", head="grid (1)\n  block 128\n"
                                        "  reg a[2] : f32[64, 256] fragment wgmma"))
        for args in (["run", path], ["run", path, "--timing-only"],
                     ["lower", path]):
            said = self.run_it(*args).stderr
            self.assertEqual(said.count("registers/spill"), 1, said)
            self.assertIn("help: let more warps hold it", said)

    def test_a_full_disk(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([harness.COMMAND, *RUN], stdout=full,
                                  stderr=subprocess.PIPE, text=True,
                                  timeout=harness.SECONDS, check=False)
        self.assertEqual(done.returncode, harness.BAD_INPUT, done.stderr)
        self.assertIn("No space left on device", done.stderr)

    def test_files_that_cannot_be_written(self):
        for path in ("no/such/d", "/dev/full", self.folder):
            for args in ([*RUN, "--out", f"D={path}"],
                         [*RUN, "--trace", path],
                         ["lower", GEMM, "-o", path]):
                self.refuses(*args, says=f"cannot write {path}")

    def test_inputs_are_spared(self):
        with open(GEMM, encoding="utf-8") as text:
            program = text.read()
        source = self.file(program)
        link, hard = self.folder / "link.tile", self.folder / "hard.tile"
        link.symlink_to(source)
        os.link(source, hard)
        values = self.file(b"", "a.npy")
        sizes = RUN[2:]
        above = self.folder / "sub" / ".." / "x.tile"
        os.mkdir(self.folder / "sub")
        for other in (source, link, hard, above):
            for args in (["lower", source, "-o", other],
                         ["run", source, *sizes, "--trace", other],
                         ["run", source, *sizes, "--out", f"D={other}"],
                         ["run", source, "--replay", other, "--trace", other],
                         ["hw", source, "--trace", other]):
                self.refuses(*args, says="would overwrite")
        self.refuses("run", source, *sizes, "--in", f"A={values}", "--trace",
                     values, says="would overwrite")
        with open(source, encoding="utf-8") as text:
            self.assertEqual(text.read(), program)
        self.assertEqual(self.run_it("lower", source, "-o",
                                     self.folder / "x.cu").returncode, 0)

    def test_what_is_printed_goes_to_a_file(self):
        sweep = ["sweep", GEMM, "-D", "K=64,128", "--format"]
        for args in (RUN, [*RUN, "--format", "json"], [*RUN, "--values-only"],
                     ["check", GEMM], ["check", GEMM, "--format", "json"],
                     ["check", GEMM, "--format", "sarif"],
                     [*sweep, "csv"], [*sweep, "json"]):
            shown = self.run_it(*args)
            path = self.folder / "said"
            kept = self.run_it(*args, "-o", path)
            self.assertEqual(kept.stdout, "")
            self.assertEqual(kept.returncode, shown.returncode, kept.stderr)
            self.assertEqual(path.read_text(), shown.stdout)
            path.unlink()
        self.assertEqual(self.run_it(*RUN, "-o", "-").returncode, 0)
        earlier = self.folder / "old.json"
        self.run_it(*RUN, "--format", "json", "--output", earlier)
        again = self.run_it(*RUN, "--baseline", earlier)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_findings_are_an_answer_and_bad_input_is_none(self):
        path = self.folder / "said.json"
        raced = "tests/attacks/asked_once_decides_an_arrival.tile"
        done = self.run_it("check", raced, "--format", "json", "-o", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        before = path.read_text()
        self.assertTrue(json.loads(before)["files"][0]["findings"])
        done = self.run_it("run", "no.tile", "--format", "json", "-o", path)
        self.assertEqual(done.returncode, harness.BAD_INPUT)
        self.assertIn("failure", json.loads(done.stdout)["files"][0])
        self.assertEqual(path.read_text(), before)

    def test_what_is_printed_spares_what_the_line_names(self):
        with open(GEMM, encoding="utf-8") as text:
            program = text.read()
        source = self.file(program)
        trace = self.folder / "t.json"
        for args in (["run", source, "-o", source],
                     ["run", source, "--trace", trace, "-o", trace],
                     ["check", source, "-o", source],
                     ["check", GEMM, source, "-o", source],
                     ["sweep", source, "-D", "K=64", "-o", source],
                     ["hw", source, "-o", source]):
            self.refuses(*args, says="names this file, too")
        with open(source, encoding="utf-8") as text:
            self.assertEqual(text.read(), program)
        self.assertFalse(trace.exists())
        for path in ("no/such/d", "/dev/full", self.folder):
            self.refuses(*RUN, "-o", path, says=f"cannot write {path}")

    def test_outputs_are_computed_whole(self):
        out = self.folder / "d.npy"
        many = [GEMM, "-D", "M=512", "-D", "N=512", "-D", "K=64", "--out",
                f"D={out}"]
        for args in (["--timing-only"], ["--values", "1"]):
            self.refuses("run", *many, *args,
                         says=["--out D=", "`D`", "--values all"])
            self.assertFalse(out.exists())
        done = self.run_it("run", *many)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, data = out.read_bytes()[:128], out.read_bytes()[128:]
        self.assertIn(b"(512, 512)", head)
        for at in range(0, len(data), 4):
            self.assertNotEqual(data[at:at + 4], b"\xff\xff\xff\xff")

    def test_an_input_may_be_written_of_any_run(self):
        out = self.folder / "a.npy"
        done = self.run_it(*RUN, "--timing-only", "--out", f"A={out}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(out.exists())

    def test_check_says_for_which_gpus(self):
        persistent = "tests/verify/parity_of_a_tile_of_many.fixed.tile"
        for args, sms in (([], [132]), (["--sms", 7], [7])):
            done = self.run_it("check", persistent, *args)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f" clusters run on GPUs of {sms[0]} SMs", done.stdout)
            done = self.run_it("check", persistent, *args, "--format", "json")
            scope = json.loads(done.stdout)["files"][0]["scope"]
            self.assertEqual(scope["sms"], sms)
        done = self.run_it("check", GEMM, "--format", "json")
        self.assertEqual(json.loads(done.stdout)["files"][0]["scope"]["sms"],
                         [])
        self.refuses("check", persistent, "--sms", 0, says="--sms")

    def test_scope_says_what_was_shown_of_a_parameter(self):
        program = self.file("""
kernel k target sm_90a {
  param M : 1..3 = 2
  param N : 1.. = 4
  global W : u32[M, N]
  grid (N)
  block 32
  thread 0 { st W[M - 1, cta.x], 1 }
}
""")

        def scope(*args):
            done = self.run_it("check", program, *args, "--format", "json")
            return json.loads(done.stdout)["files"][0]["scope"]

        every = scope()
        self.assertEqual({p["shown"] for p in every["params"].values()},
                         {"all"})
        self.assertEqual(every["between_ctas"], "all sizes")
        self.assertEqual(every["assumes"], [])
        given = scope("-D", "N=9")["params"]
        self.assertEqual(given["N"], {"shown": "given", "values": [9]})
        self.assertEqual(given["M"]["shown"], "all")
        # In words: what the verdict is about, and what stands for it.
        for args, says in (((), r": clean: all interleavings, all sizes \(\d+ "
                            r"of \d+ clusters run, at M = "),
                           (("-D", "N=9"), "all sizes with N = 9 "),
                           (("-D", "N=9", "-D", "M=2"),
                            r"all interleavings, M = 2; N = 9; \d+ of ")):
            self.assertRegex(self.run_it("check", program, *args).stdout, says)
        some = scope("--trips", "2")
        self.assertEqual(some["params"]["N"]["shown"], "run")
        one = scope("-D", "N=9", "-D", "M=1")
        self.assertEqual(one["between_ctas"], "every CTA")

    def test_a_verdict_names_sizes_that_cannot_be_launched(self):
        def not_launched(param, grid, *args):
            program = self.file(f"""
kernel k target sm_90a {{
  param {param}
  global W : u32[64]
  {grid}
  block 32
  thread 0 {{
    red.add.relaxed.gpu W[0], 1
  }}
}}
""")
            done = self.run_it("check", program, *args, "--format", "json")
            said = json.loads(done.stdout)["files"][0]
            self.assertEqual(said["verdict"], "clean")
            text = self.run_it("check", program, *args).stdout
            named = said["scope"]["not_launched"]
            self.assertEqual("cannot be launched" in text, named != {})
            return named

        empty = {"k": "N = 1: the grid is empty"}
        self.assertEqual(not_launched("N : 1.. = 4", "grid (N / 2)"), empty)
        self.assertEqual(not_launched("N : 2.. = 4", "grid (N / 2)"), {})
        self.assertEqual(
            not_launched("N : 1.. = 4", "grid (N)\n  cluster (2)"),
            {"k": "N = 1: the grid is not whole clusters"})
        two = "N : 1.. = 4\n  param M : 1.. = 2"
        self.assertEqual(not_launched(two, "grid (N / 2, M)", "-D", "N=6"), {})
        # Operators of which the solver knows little.
        self.assertEqual(not_launched("N : 0..9 = 4", "grid (1000 >> N)"), {})

    def test_a_verdict_says_what_it_assumes(self):
        program = "tests/verify/waits_for_ctas_without_room.fixed.tile"
        whole = "the GPU holds all CTAs of the grid at once"
        in_turn = "CTAs start in the order of the grid"
        for args, assumed, code in (
                ([], [whole], 0), (["-D", "CTAS=100"], [], 0),
                (["-D", "CTAS=140"], [in_turn], 0),
                (["-D", "CTAS=140", "--sms", 140], [], 0),
                (["-D", "CTAS=300"], [in_turn], 0),
                (["-D", "CTAS=4000"], [whole], 3)):
            done = self.run_it("check", program, *args)
            self.assertEqual(done.returncode, code, done.stdout)
            for text in (whole, in_turn):
                self.assertEqual(f"; if {text}\n" in done.stdout,
                                 text in assumed, done.stdout)
            done = self.run_it("check", program, *args, "--format", "json")
            said = json.loads(done.stdout)["files"][0]["scope"]["assumes"]
            self.assertEqual(said, assumed)
        self.assertIn("the GPU holds at most 132 of the 4000 clusters",
                      self.run_it("check", program, "-D", "CTAS=4000").stdout)

    def test_a_store_of_part_says_of_how_many_warps(self):
        path = self.file(harness.kernel(
            "param N : 1..4 = 2\nglobal A : f32[64, 64]\n"
            "global D : f32[64, 64]\ncomputes D = A\n"
            "reg x : f32[64, 64] fragment wgmma\nld.global x, A\n"
            "if warp < N {\nst.global D, x\n}\n"))
        done = self.run_it("check", path)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn(
            "open: it is not shown that all of `D` is stored: in line 11 `x`, of "
            "which 4 warps hold a part each, is stored by 2 of them, and "
            "which elements those have is not followed", done.stdout)

    def test_scratch_of_a_grid_that_was_not_run_is_open_at_a_given_size(self):
        text = harness.kernel(
            "global H : u32[G] undefined\n"
            "global Out : u32[G]\nglobal A : u32[1] zero\n"
            "lane 0 {\nvar x = 0\nif cta.x != 100 { st H[cta.x], 1 }\n"
            "red.add.release.gpu A[0], 1\nvar n = 0\n"
            "while n < G { ld.acquire.gpu n, A[0] }\n"
            "ld x, H[(cta.x + 1) % G]\nst Out[cta.x], x\n}\n",
            head="param G : 1..132 = 132\n  grid (G)\n  block 32")
        path, said = self.file(text), "not judged: whether all that is read of `H`"
        self.assertIn(said, self.run_it("check", path).stdout)
        self.assertIn(said, self.run_it("check", path, "-D", "G=132").stdout)
        path = self.file(text.replace("!= 100", "!= 30"))
        self.assertIn("uninit/global",
                      self.run_it("check", path, "-D", "G=40").stdout)

    def test_a_search_says_that_lanes_are_taken_to_wait(self):
        text = "lanes of a warp wait for each other at the end of a block"
        for program, searched, assumed in (
                # All lanes ask.
                ("tests/attacks/asked_once_decides_an_arrival.fixed.tile",
                 True, [text]),
                # One lane does all.
                ("tests/attacks/turn_handed_on_relaxed.fixed.tile", True, []),
                ("examples/gemm/gemm.tile", False, [])):
            done = self.run_it("check", program)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(f"; if {text}\n" in done.stdout, assumed != [],
                             done.stdout)
            done = self.run_it("check", program, "--format", "json")
            scope = json.loads(done.stdout)["files"][0]["scope"]
            self.assertEqual(scope["states"] > 0, searched)
            self.assertEqual(scope["assumes"], assumed)

    def test_what_is_rejected_has_a_verdict_line(self):
        one = self.file("kernel k target sm_90a {\n  gird (1)\n}\n")
        done = self.run_it("check", one)
        self.assertEqual(done.returncode, harness.BAD_INPUT)
        self.assertRegex(done.stdout, rf"^{one}: rejected: \d+ errors?\n$")

    def test_a_hole_says_at_which_sizes(self):
        program = self.file("""
kernel k target sm_90a {
  global X : u32[4]
  global Y : u32[4]
  computes Y = X
  grid (3)
  block 32
  thread 0 {
    var x = 0
    ld x, X[cta.x]
    st Y[cta.x], x
  }
}
""")
        done = self.run_it("check", program)
        self.assertIn("error[result/hole]", done.stdout)
        self.assertIn("note: at the sizes of the text", done.stdout)
        self.assertIn("who stores the last tile of a row", done.stdout)

    def test_a_hole_names_the_store_that_nobody_comes_to(self):
        program = self.file("""kernel k target sm_90a {
  param S : 1..2 = 1
  global X : u32[4]
  global Y : u32[4]
  computes Y = X
  grid (4)
  block 32
  thread 0 {
    var x = 0
    ld x, X[cta.x]
    if S == 1 { st Y[cta.x], x }
  }
}
""")
        for done in (self.run_it("check", program),
                     self.run_it("run", program, "-D", "S=2")):
            self.assertIn("error[result/hole]", done.stdout)
            self.assertIn("no CTA comes to this store", done.stdout)
            self.assertIn("conditions and loops around", done.stdout)

    def test_a_story_ends_with_what_cannot_be_done(self):
        path = self.file(harness.kernel("""
  mbarrier b
  thread 0 {
    mbarrier.init b, 1
    for i in 0..17 { mbarrier.expect_tx b, 65536 }
  }"""))
        done = self.run_it("check", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[tx-count/range]", done.stdout)
        self.assertIn("mbarrier.expect_tx cannot be executed", done.stdout)

    def test_fmt_keeps_what_it_cannot_improve(self):
        broken = self.file("kernel k {")
        self.refuses("fmt", broken, says=f"{broken}:1:")
        with open(broken, encoding="utf-8") as text:
            self.assertEqual(text.read(), "kernel k {")

    def test_fmt_keeps_permissions(self):
        path = self.file(harness.kernel("let  x  =  1"))
        os.chmod(path, 0o640)
        self.assertEqual(self.run_it("fmt", path).returncode, 0)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
        with open(path, encoding="utf-8") as text:
            self.assertIn("let x = 1\n", text.read())
        self.assertEqual(os.listdir(self.folder), [os.path.basename(path)])


if __name__ == "__main__":
    harness.main()
