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
