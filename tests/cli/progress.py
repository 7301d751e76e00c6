"""A run of more than a second says how far it is, on a terminal only."""
import os
import pty
import re
import signal
import subprocess
import time

import harness
from harness import Case, LONG, SMALL

LINE = re.compile(r"\r\x1b\[K\d+ of \d+ CTAs, \d+ s \[[#-]+\] cycle (\d+)")


SEARCH = re.compile(r"\r\x1b\[K0 of 1 files, \d+ s \[-+\] "
                    r"k: cluster 1 of 1, (\d+) states")
# Eight pairs of warps that answer each other by flags: the places they may be in
# together are many, and all are searched.
SEARCHED = harness.kernel("""
  global Ping : u32[8] zero
  global Pong : u32[8] zero
  lane 0 {
    let pair = warp / 2
    for i in 1..6 {
      var seen = 0
      if warp % 2 == 0 {
        st.release.gpu Ping[pair], i
        while seen != i { ld.acquire.gpu seen, Pong[pair] }
      } else {
        while seen != i { ld.acquire.gpu seen, Ping[pair] }
        st.release.gpu Pong[pair], i
      }
    }
  }""", head="grid (1)\n  block 512")


class Progress(Case):
    def openpty(self):
        try:
            return pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal to be had here: {why}")

    def test_on_a_terminal(self):
        terminal, stderr = self.openpty()
        self.addCleanup(os.close, terminal)
        run = subprocess.Popen([harness.COMMAND, "run", *LONG],
                               stdout=subprocess.PIPE, stderr=stderr)
        os.close(stderr)
        said, end = "", time.monotonic() + harness.SECONDS
        while len(LINE.findall(said)) < 2 and time.monotonic() < end:
            said += os.read(terminal, 4096).decode()
        run.send_signal(signal.SIGINT)
        out = run.communicate(timeout=harness.SECONDS)[0]
        self.assertGreaterEqual(len(LINE.findall(said)), 2, said)
        # It goes on, even while no CTA is done.
        cycles = [int(c) for c in LINE.findall(said)]
        self.assertLess(cycles[0], cycles[-1])
        self.assertEqual(out, b"")
        rest = os.read(terminal, 4096).decode()
        # The line is gone before something else is said.
        self.assertRegex(rest, r"\r\x1b\[Ktilesim: interrupted")

    # A file that is searched for long says what of it is being looked at.
    def test_check_says_what_it_does_within_a_file(self):
        terminal, stderr = self.openpty()
        self.addCleanup(os.close, terminal)
        words = [harness.COMMAND, "check", self.file(SEARCHED),
                 "--max-states", "1000000000"]
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=stderr)
        os.close(stderr)
        said, end = "", time.monotonic() + harness.SECONDS
        while len(SEARCH.findall(said)) < 2 and time.monotonic() < end:
            said += os.read(terminal, 4096).decode()
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=harness.SECONDS)
        self.assertGreaterEqual(len(SEARCH.findall(said)), 2, said)
        states = [int(n) for n in SEARCH.findall(said)]
        self.assertLess(states[0], states[-1])
        # No line is wider than the terminal, or it could not be taken away.
        for line in said.split("\r\x1b[K"):
            self.assertLess(len(line), 80, line)
        piped = subprocess.Popen(words, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        time.sleep(2.5)
        self.assertIsNone(piped.poll())
        piped.kill()
        self.assertEqual(piped.communicate(timeout=harness.SECONDS), ("", ""))

    def test_short_runs_say_nothing(self):
        terminal, stderr = self.openpty()
        self.addCleanup(os.close, terminal)
        done = subprocess.run(
            [harness.COMMAND, "run", *SMALL], stdout=subprocess.PIPE,
            stderr=stderr, check=False, timeout=harness.SECONDS)
        self.assertEqual(done.returncode, 0)
        os.set_blocking(terminal, False)
        with self.assertRaises(BlockingIOError):
            os.read(terminal, 1)
        os.close(stderr)

    def test_nothing_elsewhere(self):
        run = subprocess.Popen([harness.COMMAND, "run", *LONG],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        time.sleep(2.5)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=harness.SECONDS)[1]
        self.assertTrue(said.startswith("tilesim: interrupted"), said)


if __name__ == "__main__":
    harness.main()
