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
