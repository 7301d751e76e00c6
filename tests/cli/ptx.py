"""`tilesim ptx`: what it says, prints and refuses."""
import json
import pathlib

import harness
from harness import Case

TRITON = pathlib.Path("tests/ptx/testdata/triton")
KERNEL = TRITON / "mm_tma_ws1_sm90.ptx"
HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"


class Summary(Case):
    def test_json(self):
        done = self.run_it("ptx", KERNEL, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["schema"], 1)
        self.assertEqual(said["targets"], ["sm_90a"])
        kernel, = said["kernels"]
        self.assertEqual(kernel["kernel"], "mm_tma")
        self.assertEqual(kernel["directives"]["reqntid"], [384])
        self.assertEqual(len(kernel["parameters"]), 8)
        self.assertEqual(kernel["instructions"],
                         sum(kernel[key] for key in ("operations", "memory",
                                                     "control", "payload")))
        self.assertEqual(kernel["not_known"], [])
        # Each wait is a loop of its own, and the line is that of a try_wait.
        lines = KERNEL.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(kernel["waits"]), 8)
        for number in kernel["waits"]:
            self.assertIn("mbarrier.try_wait", lines[number - 1])
        # The partition id that Triton passes through shared memory.
        for number in kernel["loads_that_decide"]:
            self.assertIn("ld.shared", lines[number - 1])
        self.assertEqual(len(kernel["loads_that_decide"]), 1)

    def test_text(self):
        done = self.run_it("ptx", KERNEL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kernel mm_tma\n", done.stdout)
        self.assertIn("mm_tma_param_0  u64 pointer to global", done.stdout)

    def test_an_instruction_that_is_not_known(self):
        path = self.file(HEAD + ".entry k() {\nfrobnicate.b32 1;\nret;\n}\n")
        done = self.run_it("ptx", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"not known +frobnicate\.b32")

    def test_a_body_of_nothing(self):
        done = self.run_it("ptx", self.file(HEAD + ".entry k() {}\n"))
        self.assertEqual(done.returncode, 0, done.stderr)


class Print(Case):
    def test_printing_again_changes_nothing(self):
        once = self.run_it("ptx", KERNEL, "--print")
        self.assertEqual(once.returncode, 0, once.stderr)
        again = self.run_it("ptx", self.file(once.stdout), "--print")
        self.assertEqual(once.stdout, again.stdout)
        self.assertNotIn("//", once.stdout)

    def test_never_over_its_input(self):
        path = self.file(HEAD)
        self.refuses("ptx", path, "--print", "-o", path, says="would overwrite")


class BadInput(Case):
    def test_no_such_file(self):
        self.refuses("ptx", "no.ptx", says="cannot read no.ptx")

    def test_a_tile_program(self):
        self.refuses("ptx", harness.GEMM,
                     says=["error[syntax/", "a PTX module begins with"])

    def test_an_undeclared_predicate(self):
        path = self.file(HEAD + ".entry k() {\n@%p1 bra L;\nL: ret;\n}\n")
        self.refuses("ptx", path, says=[f"{path}:5:6", "`%p1` is not declared"])


if __name__ == "__main__":
    harness.main()
