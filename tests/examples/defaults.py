"""`tilesim run` of every example answers soon at its defaults.

    defaults.py TILESIM

Five seconds are asked for, on a core of its own. A test runs beside others, on
any machine: it allows ASKED * SLACK seconds of CPU, at the better of two runs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASKED, SLACK = 5, 2


def cost(command, path):
    """Exit code, CPU seconds and what it says on stderr."""
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen([command, "run", path], cwd=ROOT,
                                 stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return (child.returncode, usage.ru_utime + usage.ru_stime,
                err.read().decode(errors="replace"))


def problem(command, path):
    """Why the example does not pass; "" if it does."""
    for last in (False, True):
        code, seconds, said = cost(command, path)
        if code != 0:
            return f"{path}: exit {code}\n{said}"
        if seconds <= ASKED * SLACK:
            return ""
        if last:
            return f"{path}: {seconds:.1f} s of CPU"
    return ""


def main(command):
    examples = sorted(str(p.relative_to(ROOT))
                      for p in (ROOT / "examples").rglob("*.tile"))
    if not examples:
        raise SystemExit("no example was found")
    problems = [p for p in (problem(command, e) for e in examples) if p]
    print("\n".join(problems) or f"{len(examples)} examples answer soon")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
