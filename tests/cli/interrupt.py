"""Ctrl-C ends a long run soon, says so, and leaves no file half written."""
import os
import signal
import subprocess
import time

import harness
from harness import Case, LONG

INTERRUPTED = 130


class Interrupt(Case):
    def interrupted(self, *options, program=LONG):
        run = subprocess.Popen([harness.COMMAND, "run", *program, *options],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        time.sleep(2)
        self.assertIsNone(run.poll(), "the run was over before Ctrl-C")
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=harness.SECONDS)
        self.assertEqual(run.returncode, INTERRUPTED, said)
        self.assertIn("interrupted after", said)
        self.assertEqual(out, "")

    def test_values(self):
        self.interrupted("--values", "1")

    def test_timing_only(self):
        self.interrupted("--timing-only")

    def test_files(self):
        output = self.folder / "d.npy"
        output.write_text("as it was")
        # All of D is computed, so that its inputs must fit.
        long = [harness.GEMM, "-D", "M=4096", "-D", "N=4096", "-D", "K=65536"]
        self.interrupted("--out", f"D={output}", "--trace",
                         self.folder / "trace.json", "--trace-sm", "131",
                         program=long)
        self.assertEqual(os.listdir(self.folder), ["d.npy"])
        self.assertEqual(output.read_text(), "as it was")

    def test_a_loop_that_never_ends(self):
        path = self.file(harness.kernel(
            "var n = 0\nwhile n >= 0 {\nbar.warp.sync\nn = n + 1\n}"))
        run = subprocess.Popen([harness.COMMAND, "run", path],
                               stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=harness.SECONDS)[1]
        self.assertEqual(run.returncode, INTERRUPTED, said)


if __name__ == "__main__":
    harness.main()
