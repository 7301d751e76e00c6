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

    def test_a_file_for_what_is_not_printed(self):
        path = self.file("")
        for args in ([], ["--launch", path]):
            self.refuses("ptx", KERNEL, *args, "-o", path + ".out",
                         says="-o goes with --print or --skeleton")

    def test_never_over_its_input(self):
        path = self.file(HEAD)
        self.refuses("ptx", path, "--print", "-o", path, says="would overwrite")


def filled(value):
    """A skeleton with each gap filled by a one."""
    if isinstance(value, dict):
        return {key: filled(v) for key, v in value.items()}
    if isinstance(value, list):
        return [filled(v) for v in value]
    return 1 if value is None else value


class Launch(Case):
    def change(self, change, name="mm_tma_ws0_sm90"):
        """A description of that name with a change, as a file."""
        path = TRITON / f"{name}.launch.json"
        said = json.loads(path.read_text(encoding="utf-8"))
        change(said["launches"][0])
        return self.file(json.dumps(said), "launch.json")

    def test_those_of_triton_fit(self):
        for path in sorted(TRITON.glob("*.launch.json")):
            ptx = TRITON / path.name.replace(".launch.json", ".ptx")
            done = self.run_it("ptx", ptx, "--launch", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^launches\[0\] fits kernel mm_\w+; .* not "
                             r"checked\n$")

    def test_skeletons_of_triton_fit_once_filled_in(self):
        for ptx in sorted(TRITON.glob("*.ptx")):
            done = self.run_it("ptx", ptx, "--skeleton")
            self.assertEqual(done.returncode, 0, done.stderr)
            gaps = self.run_it("ptx", ptx, "--launch", self.file(done.stdout))
            self.assertEqual(gaps.returncode, harness.BAD_INPUT)
            self.assertIn("launches[0].grid[0]: a gap: give", gaps.stderr)
            whole = self.file(json.dumps(filled(json.loads(done.stdout))))
            fits = self.run_it("ptx", ptx, "--launch", whole)
            self.assertEqual(fits.returncode, 0, fits.stderr)

    def test_a_parameter_that_is_missing(self):
        ptx = TRITON / "mm_tma_ws0_sm90.ptx"
        path = self.change(lambda launch: launch["params"].pop())
        self.refuses("ptx", ptx, "--launch", path,
                     says=f"{path}: error: launches[0].params[7]: missing: the "
                          "PTX has param 7 `mm_tma_param_7 .u64`")

    def test_a_field_that_is_not_known(self):
        ptx = TRITON / "mm_tma_ws0_sm90.ptx"
        path = self.change(lambda launch: launch.update(blok=[1, 1, 1]))
        self.refuses("ptx", ptx, "--launch", path,
                     says="launches[0].blok: a launch has no such field; it "
                          "has kernel, ptx, grid,")

    def test_a_block_that_does_not_fit(self):
        ptx = TRITON / "mm_tma_ws0_sm90.ptx"
        path = self.change(lambda launch: launch.update(block=[128, 1, 1]))
        self.refuses("ptx", ptx, "--launch", path,
                     says="launches[0].block: the PTX says .reqntid "
                          "[256, 1, 1], found [128, 1, 1]")

    def test_no_launch_of_the_file(self):
        ptx = TRITON / "mm_tma_ws1_sm90.ptx"
        path = TRITON / "mm_cp_sm90.launch.json"
        self.refuses("ptx", ptx, "--launch", path,
                     says="launches: none is of mm_tma_ws1_sm90.ptx")

    def test_no_json(self):
        path = self.file(b"\xff{", "launch.json")
        self.refuses("ptx", KERNEL, "--launch", path, says="error: not JSON: ")


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
