"""What cannot be used as a program, an option or a size: exit 2, in words."""
import os
import random
import unittest

import harness
from harness import Case, GEMM, kernel

COMMANDS = ("run", "check", "lower", "fmt")


class Unreadable(Case):
    def test_no_such_file(self):
        for command in COMMANDS:
            self.refuses(command, "no/such.tile",
                         says="cannot read no/such.tile: No such file")

    def test_a_folder(self):
        for command in COMMANDS:
            self.refuses(command, self.folder,
                         says=f"cannot read {self.folder}: it is a directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_without_permission(self):
        path = self.file("")
        os.chmod(path, 0)
        self.refuses("run", path, says=f"cannot read {path}: Permission")

    def test_a_file_that_fails_when_read(self):
        self.refuses("run", "/proc/self/mem",
                     says="cannot read /proc/self/mem: Input/output error")

    def test_a_device_without_end(self):
        self.refuses("run", "/dev/zero", says="/dev/zero: more than")

    def test_a_pipe_is_a_file(self):
        with open(GEMM, encoding="utf-8") as program:
            done = self.run_it("run", "/dev/stdin", "-D", "M=128", "-D",
                               "N=128", "-D", "K=64", stdin=program)
        self.assertEqual(done.returncode, 0, done.stderr)


class Junk(Case):
    def test_binary(self):
        junk = random.Random(1).randbytes(1 << 20)
        for content in (junk, b"", b"\0" * 1000, b"\xff\xfe\x00"):
            path = self.file(content)
            for command in COMMANDS:
                self.refuses(command, path, says=[f"{path}:1:", "error["])

    def test_a_line_of_100_megabytes(self):
        for piece in ("(", "x+", "a"):
            size = 100_000_000 // len(piece)
            path = self.file(kernel("let x = " + piece * size))
            self.refuses("run", path, says=[path, "error["])

    def test_deep_nesting(self):
        deep = 100_000
        for body in ("let x = " + "(" * deep + "1" + ")" * deep,
                     "let x = " + "-" * deep + "1",
                     "if 1 {\n" * deep + "}\n" * deep,
                     "warp 0 {\n" * deep + "}\n" * deep,
                     "for i in 0..2 {\n" * deep + "}\n" * deep):
            path = self.file(kernel(body))
            self.refuses("run", path, says=[path, "error[syntax/"])


class Options(Case):
    def test_unknown_parameter(self):
        self.refuses("run", GEMM, "-D", "KK=64",
                     says=["-D KK=64 names no param", "parameters are M, N, K"])

    def test_not_a_number(self):
        for text in ("K", "K=", "K=x", "=1", "K=99999999999999999999",
                     "K=1.5", "K=--1"):
            self.refuses("run", GEMM, "-D", text,
                         says=[f"-D {text}: expected NAME=VALUE"])

    def test_unknown_architecture(self):
        self.refuses("run", GEMM, "--arch", "h2000",
                     says=["no architecture `h2000`", "h200, "])

    def test_architecture_of_another_target(self):
        self.refuses("run", GEMM, "--arch", "b200",
                     says=[GEMM, "sm_90a", "b200 is sm_100a"])

    def test_what_if_of_what_is_not_there(self):
        for command in (["run", GEMM], ["sweep", GEMM, "-D", "K=64,128"]):
            self.refuses(*command, "--set", "tma=4",
                         says="--set: h200 has no parameter `tma`")
            self.refuses(*command, "--set", "l2_gpc=0",
                         says="`l2_gpc` takes a number of B/cycle from 0.001")
            self.refuses(*command, "--set", "sms=1",
                         says="`sms` counts SMs")

    def test_values(self):
        for text in ("0", "-1", "some", "1.5"):
            self.refuses("run", GEMM, "--values", text,
                         says="--values takes `all` or a number")

    def test_trips(self):
        for text in ("0", "-1", "some", "1.5", "99999999999999999999"):
            self.refuses("check", GEMM, "--trips", text,
                         says="--trips takes `all` or a number")

    def test_unknown_option(self):
        self.refuses("run", GEMM, "--fast", says="--fast")

    def test_unknown_output(self):
        for text, words in (("Q=q.npy", "`Q` is no global"),
                            ("D", "expected NAME=file.npy")):
            self.refuses("run", *harness.LONG, "--out", text, says=words)


class Sizes(Case):
    def test_outside_the_domain(self):
        self.refuses("run", GEMM, "-D", "K=65",
                     says=["error[type/domain]", "K = 65 is outside", GEMM])
        self.refuses("run", GEMM, "-D", "K=-64", says="K = -64 is outside")
        # No finding: nothing is checked.
        self.refuses("check", GEMM, "-D", "K=65",
                     says=["K = 65 is outside", "the next below is 64"])

    def test_overflow_of_64_bits(self):
        path = self.file(
            "kernel k target sm_90a {\n  param N : 1.. step 1 = 1\n"
            "  global A : f32[N, N, N]\n  grid (1)\n  block 32\n}\n")
        self.assertEqual(self.run_it("run", path).returncode, 0)
        self.refuses("run", path, "-D", "N=2147483647",
                     says=["error[type/overflow]", "`A`", path])

    def test_what_a_kernel_requires_of_all_is_told_once(self):
        path = "tests/attacks/requires_of_another_kernel.tile"
        for command in ("check", "run"):
            done = self.run_it(command, path, "-D", "N=5")
            self.assertEqual(done.returncode, 2, command)
            self.assertEqual(done.stderr.count("error[type/requires]"), 1,
                             done.stderr)

    def test_overflow_in_an_expression(self):
        path = self.file(
            "kernel k target sm_90a {\n  param N : 1.. step 1 = 1\n"
            "  requires N * N * N > 0\n  grid (1)\n  block 32\n}\n")
        self.refuses("run", path, "-D", f"N={1 << 40}",
                     says=["error[type/overflow]", path])

    def test_a_grid_that_no_gpu_has(self):
        self.refuses("run", GEMM, "-D", f"M={1 << 38}",
                     says=["error[shape/", GEMM])


if __name__ == "__main__":
    harness.main()
