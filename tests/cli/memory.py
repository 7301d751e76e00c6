"""A run that does not fit in memory is refused, with how much it needs, before
it takes it."""
import resource

import harness
from harness import Case, GEMM

MIB = 1 << 20
# 512 GiB of D alone, on a grid that is still legal.
HUGE = ["-D", f"M={1 << 19}", "-D", f"N={1 << 19}", "-D", "K=64"]
# 2 GiB of D.
LARGE = ["-D", f"M={1 << 15}", "-D", f"N={1 << 15}", "-D", "K=64"]


def at_most(mib):
    """For preexec_fn: limits the address space of the command."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS,
                                      (mib * MIB, mib * MIB))


class Memory(Case):
    def test_more_than_the_machine_has(self):
        done = self.refuses("run", GEMM, *HUGE, "--values", "all",
                            says=["the values of this run need",
                                  "try smaller sizes (-D)"])
        words = done.stderr.split()
        needed = int(words[words.index("need") + 1])
        self.assertGreater(needed, (1 << 39) // MIB)
        self.assertEqual(words[words.index("need") + 2], "MiB")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak * 1024, 1024 * MIB)

    def test_more_than_the_process_may_have(self):
        self.refuses("run", GEMM, *LARGE, "--values", "all",
                     says=["need 2", "MiB of memory, and 2048 MiB are free"],
                     preexec_fn=at_most(2048))

    def test_more_than_there_are_addresses(self):
        path = self.file(
            "kernel k target sm_90a {\n  param N : 1.. step 1 = 1\n"
            "  global A : f32[N, N]\n  grid (1)\n  block 32\n}\n")
        for extent in (1 << 23, 1 << 27):
            self.refuses("run", path, "-D", f"N={extent}",
                         says="try smaller sizes (-D)")

    def test_an_output_that_cannot_be_copied(self):
        # 2 GiB of A, which nothing writes.
        tall = ["-D", f"M={1 << 15}", "-D", "N=128", "-D", f"K={1 << 15}"]
        self.refuses("run", GEMM, *tall, "--values", "1", "--out",
                     f"A={self.folder}/a.npy",
                     says=["--out A=", "MiB of memory"],
                     preexec_fn=at_most(3072))

    def test_memory_that_decides_control_cannot_be_reserved(self):
        self.refuses("check", "examples/gemm/stream_k.tile", "-D", "M=128",
                     "-D", "N=73728", "-D", "K=73728",
                     says=["out of memory", "try smaller sizes (-D)"],
                     preexec_fn=at_most(8192))


if __name__ == "__main__":
    harness.main()
