"""run --expect NAME=file.npy --tolerance R: a global against numbers from
elsewhere."""
import json
import struct

import harness
from harness import Case

PROGRAM = """kernel k target sm_90a {
  global X : f32[32, 4]
  global Y : f16[32, 4]
  grid (1)
  block 32
  reg x : f32[32, 4] fragment row
  reg y : f16[32, 4] fragment row
  ld.global x, X
  mul x, x, 2.0
  cvt y, x
  st.global Y, y
}
"""
SHAPE = (32, 4)
GIVEN = [i / 8 for i in range(128)]
DOUBLED = [2 * x for x in GIVEN]


def npy(descr, code, numbers, shape=SHAPE):
    header = (f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, "
              "}").encode()
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
            data)


class Expect(Case):
    def setUp(self):
        super().setUp()
        self.given = self.file(npy("<f4", "f", GIVEN), "x.npy")
        self.program = self.file(PROGRAM.encode(), "k.tile")

    def run_with(self, numbers, *more, descr="<f4", code="f"):
        ref = self.file(npy(descr, code, numbers), "ref.npy")
        return self.run_it("run", self.program, "--in", f"X={self.given}",
                           "--expect", f"Y={ref}", *more)

    def test_the_same(self):
        for descr, code in (("<f4", "f"), ("<f2", "e")):
            done = self.run_with(DOUBLED, descr=descr, code=code)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Y as expected", done.stdout)
            self.assertIn("yes, in 128 of 128 elements", done.stdout)

    def test_nan_is_no_small_error(self):
        self.given = self.file(npy("<f4", "f", [float("nan")] + GIVEN[1:]),
                               "nan.npy")
        done = self.run_with(DOUBLED)
        self.assertEqual(done.returncode, 1)
        self.assertIn("largest error NaN in 1 elements, 0 in the others",
                      done.stdout)

    def test_one_differs(self):
        wrong = list(DOUBLED)
        wrong[7] += 0.01
        done = self.run_with(wrong)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[result/mismatch]: `Y` differs from", done.stdout)
        self.assertIn("in 1 of 128 elements; the first is [1, 3]", done.stdout)
        self.assertIn("global Y : f16", done.stdout)
        done = self.run_with(wrong, "--tolerance", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_json(self):
        done = self.run_with(DOUBLED, "--format", "json")
        [line] = json.loads(done.stdout)["files"][0]["result"]["expected"]
        self.assertEqual((line["tensor"], line["elements"], line["compared"],
                          line["failed"], line["tolerance"]),
                         ("Y", 128, 128, 0, 0))

    def refused(self, text, *says):
        self.refuses("run", self.program, "--expect", text,
                     says=[f"--expect {text}: ", *says])

    def test_bad_input(self):
        self.refused("Y", "expected NAME=file.npy")
        self.refused("Z=ref.npy", "`Z` is no global")
        short = self.file(npy("<f2", "e", DOUBLED[:4], (1, 4)), "short.npy")
        self.refused(f"Y={short}", "shape is (1, 4), expected (32, 4)")
        double = self.file(npy("<f8", "d", DOUBLED), "double.npy")
        self.refused(f"Y={double}", "dtype is '<f8'", "'<f2' for f16")

    def test_what_nobody_writes(self):
        ref = self.file(npy("<f4", "f", GIVEN), "x2.npy")
        done = self.run_it("run", self.program, "--expect", f"X={ref}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no CTA whose values were computed writes `X`",
                      done.stderr)

    def test_tolerance_alone(self):
        self.refuses("run", self.program, "--tolerance", "0.1",
                     says=["--tolerance requires --expect"])


if __name__ == "__main__":
    harness.main()
