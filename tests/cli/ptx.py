"""`tilesim ptx`: what it says, prints and refuses."""
import json
import pathlib

import harness
from harness import Case

TRITON = pathlib.Path("tests/ptx/testdata/triton")
KERNEL = TRITON / "mm_tma_ws1_sm90.ptx"
HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"


# Inlined at 7:2, which was at 20:1.
INLINED = """  .loc 1 20 1
  .loc 1 7 2, function_name $L__s, inlined_at 1 20 1
  .loc 1 3 9, function_name $L__s, inlined_at 1 7 2
  red.shared"""


class Lines(Case):
    def test_where_a_line_was_inlined_out_to_the_first(self):
        folder = pathlib.Path("tests/ptx/check")
        text = (folder / "bins.ptx").read_text(encoding="utf-8")
        text = text.replace("  bar.sync 0;\n", "", 1).replace("  red.shared",
                                                             INLINED)
        path = self.file(text + '.file 1 "k.cu"\n', "bins.ptx")
        launch = self.file((folder / "bins.json").read_text(encoding="utf-8"),
                           "bins.json")
        done = self.run_it("check", path, "--launch", launch)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("is k.cu:3:9, inlined at k.cu:7:2, at k.cu:20:1\n",
                      done.stdout)
        # Whose launches they are.
        other = self.file(text, "other.ptx")
        self.refuses("check", other, "--launch", launch,
                     says="its launches are of bins.ptx (field `ptx`)")


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

    def test_a_description_by_itself_is_of_the_ptx_it_names(self):
        check = harness.pathlib.Path("tests/ptx/check")
        alone, both = (self.run_it("check", *args) for args in (
            [check / "bins.json"],
            [check / "bins.ptx", "--launch", check / "bins.json"]))
        self.assertEqual((alone.returncode, alone.stdout),
                         (both.returncode, both.stdout))
        self.refuses("check", check / "bins.json", check / "bins.ptx",
                     says="bins.json is a launch description: tilesim check "
                          "KERNEL.ptx --launch")
        nameless = self.change(lambda launch: launch.pop("ptx"))
        self.refuses("check", nameless, says='names no file ("ptx")')

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


def threads(name, body):
    """A kernel whose thread t has the addresses 4 t in two buffers."""
    return (HEAD + f".visible .entry {name}(.param .u64 from, .param .u64 to)\n"
            ".reqntid 32\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<6>;\n"
            "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\n"
            "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"
            "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
            + body + "ld.global.u32 %r2, [%rd4];\n"
            "st.global.u32 [%rd5], %r2;\nret;\n}\n")


class KernelsOfTwoFiles(Case):
    """The second kernel reads what the first has written, and may begin before
    that ends."""

    def check_both(self, waits, alone=False):
        first = self.file(threads("first", "griddepcontrol.launch_dependents;\n"),
                          "first.ptx")
        second = self.file(
            threads("second", "griddepcontrol.wait;\n" if waits else ""),
            "second.ptx")
        buffers = [{"name": name, "bytes": 128, "dtype": "u32", "start": start}
                   for name, start in (("A", "seeded"), ("W", "undefined"),
                                       ("C", "seeded"))]
        launches = [{"kernel": kernel, "ptx": f"{kernel}.ptx",
                     "grid": [1, 1, 1], "block": [32, 1, 1],
                     "programmatic": kernel == "second",
                     "params": [{"buffer": name} for name in names]}
                    for kernel, names in (("first", "AW"), ("second", "WC"))]
        launch = self.file(json.dumps({
            "schema": 1, "target": "sm_90a", "buffers": buffers,
            "tensormaps": [], "launches": launches}), "two.json")
        files = [second] if alone else [first, second]
        done = self.run_it("check", *files, "--launch", launch,
                           "--format", "json")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(done.stdout)["files"]

    def test_one_waits_for_the_other(self):
        for file in self.check_both(waits=True):
            self.assertEqual(file["verdict"], "clean", file)

    def test_one_does_not_wait(self):
        told = [(finding["code"], pathlib.Path(file["file"]).name)
                for file in self.check_both(waits=False)
                for finding in file["findings"]]
        self.assertEqual([code for code, _ in told], ["race/raw"])

    def test_one_is_not_there(self):
        file, = self.check_both(waits=False, alone=True)
        self.assertEqual((file["verdict"], file["findings"]),
                         ("incomplete", []))
        self.assertTrue(any("first.ptx: it was not checked" in text
                            for text in file["open"]), file["open"])


if __name__ == "__main__":
    harness.main()
