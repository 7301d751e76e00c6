"""`run --jobs N` says the same for every N: text, JSON and the arrays."""
import hashlib
import pathlib

import harness
from harness import Case

# Programs of one kernel and two, of one result and several kinds of it; a
# reduction, broadcast rows, narrow operands, and one whose values are wrong.
PROGRAMS = (
    ("examples/hopper/hgemm_v07.tile", ["M=256", "N=256", "K=128"], ["D"]),
    ("examples/gemm/mxf8.tile", ["M=256", "N=256", "K=512"], ["D"]),
    ("examples/gemm/nvf4.tile", ["M=256", "N=256", "K=512"], ["D"]),
    ("examples/gemm/pdl_pair.tile", ["M=128", "D=256", "F=256"], ["Y", "H"]),
    ("examples/memory/softmax.tile", ["ROWS=64", "COLS=256", "CTAS=2"], ["Y"]),
    ("examples/memory/rms_norm.tile", ["ROWS=64"], ["Y"]),
)
WRONG = """kernel k target sm_90a {
  param M : 64.. step 64 = 512
  global A : f32[M, 64]
  global D : f32[M, 64]
  computes D = A + A
  grid (M / 64)
  block 128
  reg x : f32[64, 64] fragment wgmma
  ld.global x, A[cta.x * 64 :+ 64, 0 :+ 64]
  st.global D[cta.x * 64 :+ 64, 0 :+ 64], x
}
"""
JOBS = (1, 2, 3, 8)
# Memory decides what these do: flags, draws of CTAs, additions in no order.
DECIDED = (
    ("examples/gemm/clc_persistent.tile", ["M=256", "N=512", "K=192"], ["D"]),
    ("examples/gemm/split_k.tile", ["M=128", "N=256", "K=1024"], ["D"]),
    ("examples/gemm/stream_k.tile", ["M=256", "N=768", "K=512", "CTAS=5"],
     ["D"]),
)


class Jobs(Case):
    def said(self, file, sizes, outputs, jobs, form):
        defines = [word for size in sizes for word in ("-D", size)]
        paths = {name: self.folder / f"{name}.npy" for name in outputs}
        arrays = [word for name, path in paths.items()
                  for word in ("--out", f"{name}={path}")]
        done = self.run_it("run", file, *defines, *arrays, "--values", "all",
                           "--jobs", jobs, "--format", form)
        hashes = [hashlib.sha256(path.read_bytes()).hexdigest()
                  for path in paths.values()]
        return done.returncode, done.stdout, done.stderr, hashes

    def same(self, file, sizes, outputs, code):
        for form in ("text", "json"):
            one = self.said(file, sizes, outputs, 1, form)
            self.assertEqual(one[0], code, one[2])
            for jobs in JOBS[1:]:
                with self.subTest(file=file, form=form, jobs=jobs):
                    self.assertEqual(
                        self.said(file, sizes, outputs, jobs, form), one)

    def test_programs(self):
        for file, sizes, outputs in PROGRAMS:
            self.same(file, sizes, outputs, 0)

    def test_values_that_decide(self):
        for file, sizes, outputs in DECIDED:
            self.same(file, sizes, outputs, 0)

    # What values show is found as late as they are computed, and told as if
    # they were not: data nobody wrote, boxes outside, deadlocks.
    def test_whatever_is_found(self):
        files = sorted(pathlib.Path("tests/run").glob("*.tile"))
        self.assertGreater(len(files), 40)
        for file in files:
            one, two = (self.said(file, [], [], jobs, "json")
                        for jobs in (1, 2))
            self.assertEqual(two, one, file)

    # Which element differs first, and by how much, does not depend on it.
    def test_a_wrong_result(self):
        self.same(self.file(WRONG), ["M=512"], ["D"], 1)


if __name__ == "__main__":
    harness.main()
