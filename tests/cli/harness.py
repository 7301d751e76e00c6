"""Runs the command for the tests of this folder.

    import harness
    class Test(harness.Case):
        def test_it(self):
            self.refuses("run", "no.tile", says="no.tile: No such file")
    harness.main()

Every run has a time limit; one that exceeds it is a failure, not a hang.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = "tilesim"
SECONDS = 60
BAD_INPUT = 2

# A GEMM of any size, for runs that are short or long at will. In SMALL, A is
# f16[128, 64].
GEMM = "examples/hopper/hgemm_v05.tile"
SMALL = [GEMM, "-D", "M=128", "-D", "N=128", "-D", "K=64"]
LONG = [GEMM, "-D", "M=8192", "-D", "N=8192", "-D", "K=1048576"]


def kernel(body, head="grid (1)\n  block 128"):
    return f"kernel k target sm_90a {{\n  {head}\n{body}\n}}\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="x.tile"):
        """Writes text or bytes to a file of the test's own."""
        path = self.folder / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return str(path)

    def run_it(self, *args, **options):
        return subprocess.run([COMMAND, *map(str, args)], capture_output=True,
                              text=True, errors="replace", timeout=SECONDS,
                              check=False, **options)

    def refuses(self, *args, says, **options):
        """It must exit with 2 and say every one of the words."""
        done = self.run_it(*args, **options)
        self.assertEqual(done.returncode, BAD_INPUT, done.stderr[-2000:])
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr)
        return done


def main():
    global COMMAND
    COMMAND = sys.argv.pop(1)
    unittest.main()
