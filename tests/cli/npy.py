"""Files for --in that are not what the program declares: exit 2, saying what
was found and what was expected."""
import os
import struct

import harness
from harness import Case, GEMM, SMALL

SHAPE = (128, 64)
BYTES = 128 * 64 * 2


def npy(header, data=bytes(BYTES), version=1, length=None):
    size = struct.pack("<H" if version == 1 else "<I",
                       len(header) if length is None else length)
    return (b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() +
            data)


def header(descr="<f2", fortran=False, shape=SHAPE):
    return (f"{{'descr': '{descr}', 'fortran_order': {fortran}, "
            f"'shape': {shape}, }}")


class Npy(Case):
    def refused(self, path, *says):
        option = f"A={path}"
        self.refuses("run", *SMALL, "--in", option,
                     says=[f"--in {option}: ", *says])

    def refused_content(self, content, *says):
        path = self.file(content, "a.npy")
        self.refused(path, path, *says)

    def test_one_that_fits(self):
        path = self.file(npy(header()), "a.npy")
        done = self.run_it("run", *SMALL, "--in", f"A={path}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_type(self):
        self.refused_content(npy(header("<f4")),
                             "dtype is '<f4', expected '<f2' for f16")
        self.refused_content(npy(header(">f2")), "big-endian")
        self.refused_content(npy(header("|O")), "dtype is '|O'")

    def test_order(self):
        self.refused_content(npy(header(fortran=True)),
                             "Fortran order, expected C order")

    def test_shape(self):
        self.refused_content(npy(header(shape=(64, 128))),
                             "shape is (64, 128), expected (128, 64)")
        self.refused_content(npy(header(shape=(8192,))),
                             "shape is (8192,), expected (128, 64)")

    def test_elements_that_are_one(self):
        program = self.file("""kernel k target sm_90a {
  param N : 128..128 = 128
  global B : f32[4, N] stride (0, 1)
  global D : f32[4, N]
  computes D = B + 0
  grid (1)
  block 128
  reg x : f32[4, N] fragment blocked(4)
  ld.global x, B[0 :+ 4, 0 :+ 128]
  st.global D[0 :+ 4, 0 :+ 128], x
}
""".replace("f32[4, N] fragment", "f32[4, 128] fragment"), "k.tile")
        row = struct.pack("<128f", *range(128))
        for shape in ((128,), (1, 128)):
            path = self.file(npy(header("<f4", shape=shape), row), "b.npy")
            out = self.folder / "d.npy"
            done = self.run_it("run", program, "--in", f"B={path}", "--out",
                               f"D={out}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(out.read_bytes()[-4 * len(row):], 4 * row)
        path = self.file(npy(header("<f4", shape=(64,)), row[:256]), "b.npy")
        self.refuses("run", program, "--in", f"B={path}",
                     says="shape is (64,), expected (4, 128)")

    def test_truncated(self):
        whole = npy(header())
        for size in (0, 5, 9, 40, len(whole) - BYTES, len(whole) - 1):
            self.refused_content(whole[:size])
        self.refused_content(whole[:-1], "needs 16384 bytes of data, the file "
                             "has 16383 (truncated)")

    def test_more_than_its_shape(self):
        self.refused_content(npy(header()) + b"x", "left over")

    def test_huge_header(self):
        self.refused_content(npy(header(), version=2, length=0xffffffff),
                             "ends inside its header")
        self.refused_content(npy(header() + " " * 100_000_000, version=2),
                             "more than")

    def test_huge_shape(self):
        self.refused_content(npy(header(shape=(1 << 62, 1 << 62))),
                             "overflows a 64-bit size")
        self.refused_content(npy(header(shape=(10 ** 30, 1))),
                             "unreadable NPY header")

    def test_a_terabyte(self):
        path = self.file(npy(header()), "a.npy")
        os.truncate(path, 1 << 40)
        self.refused(path, path, "more than")

    def test_no_file(self):
        self.refused("no/such.npy", "cannot read no/such.npy: No such file")
        self.refused(self.folder, "it is a directory")
        self.refused_content(b"PK\x03\x04 not npy", "not an NPY file")

    def test_no_such_tensor(self):
        path = self.file(npy(header()), "a.npy")
        self.refuses("run", GEMM, "--in", f"Q={path}", says="no global `Q`")
        self.refuses("run", GEMM, "--in", path, says="expected NAME=file.npy")


if __name__ == "__main__":
    harness.main()
