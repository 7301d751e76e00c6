"""A run that would take too long says so, and what bounds it."""
import harness
from harness import Case, GEMM, kernel


class Limits(Case):
    def test_a_grid_of_billions(self):
        path = self.file(kernel("  thread 0 { let x = cta.x }",
                                head=f"grid ({(1 << 31) - 1})\n  block 32"))
        self.refuses("run", path,
                     says=["of 2147483647 CTAs", "hours", "-D",
                           "--max-cycles N"])

    def test_a_bound_on_the_clock(self):
        done = self.run_it("run", GEMM, "--max-cycles", "10000")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("stopped after 10000 modelled cycles", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.run_it("run", *harness.SMALL, "--max-cycles", "10000000")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_too_few_trips_name_a_size_that_may_do(self):
        path = self.file("""kernel k target sm_90a {
  param N : 1.. = 4
  grid (1)
  block 64
  mbarrier b
  thread 0 {
    mbarrier.init b, 1
    fence.mbarrier_init
  }
  bar.sync 0
  for k in 0..N {
    thread 0 { mbarrier.arrive b }
    mbarrier.wait b, parity = k & 1
    bar.sync 0
  }
}
""")
        done = self.run_it("check", "--trips", "1000000", path)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("33 of 1000000 trips", done.stdout)
        self.assertIn("with N up to 33; try -D N=1000000\n", done.stdout)
        # What can be run is run.
        done = self.run_it("check", "--trips", "100", path)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("up to 100 trips", done.stdout)

    def test_what_polls_and_counts_needs_the_bound(self):
        path = self.file(kernel("""
  global Flag : u32[1] zero
  thread 0 {
    var set = 0
    var asked = 0
    while !set {
      ld.relaxed.gpu set, Flag[0]
      asked = asked + 1
    }
  }"""))
        done = self.run_it("run", path, "--max-cycles", "100000")
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    harness.main()
