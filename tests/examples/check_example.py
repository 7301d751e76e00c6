"""Runs one example at the shapes it names and judges the answer.

    //! run M=256 N=128 K=192
    //! run M=256 N=128 K=192 -> result/mismatch     what a run finds

Every shape must run clean with all values computed: checked against
`computes`, bit exact against the reference arithmetic, every CTA covered. An
example names at least two shapes; the default shape is timed without values.
At every shape two traces are the same bytes, tile, and obey the rules of viewers.
With --self-test: a file that names none, and one whose result is wrong, fail.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TRACE_RULES = (pathlib.Path(__file__).parents[2] / "traces" /
               "check_chrome_trace.py")


def shapes(path):
    found = []
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if not line.lstrip().startswith("//!"):
                continue
            match = re.fullmatch(
                r"\s*//! run((?: +\w+=\d+)*)(?: -> ([\w/-]+))?\s*", line)
            if not match:
                raise SystemExit(f"{path}:{number}: unknown directive: {line}")
            found.append((match.group(1).split(), match.group(2)))
    return found


def run(command, path, defines, extra, finding=None):
    args = [command, "run", path, "--format", "json"] + extra
    for define in defines:
        args += ["-D", define]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode != (1 if finding else 0):
        return f"exit {done.returncode}\n{done.stderr}{done.stdout[-4000:]}"
    report = json.loads(done.stdout)["files"][0]
    if finding:
        codes = [f["code"] for f in report["findings"]
                 if f["severity"] == "error"]
        return "" if codes == [finding] else f"found {codes}"
    empty = [r["name"] for r in report["roles"] if r["warps"] == 0]
    if empty:
        return f"nobody was in the roles {empty}"
    if "--timing-only" in extra:
        return "" if report["cycles"] > 0 else "no cycles"
    result = report["result"]
    covered, total = re.match(r"(\d+) of (\d+)", result["coverage"]).groups()
    if not result["checked"]:
        return "result not checked"
    if result["bit_exact"] is False:
        return "arithmetic differs from the reference rule"
    if result["bit_exact"] is None and not result["bit_exact_note"]:
        return "nothing says why `bit_exact` is not known"
    if covered != total:
        return f"only {result['coverage']}"
    return ""


def trace(command, path, defines):
    """Two traces of one run are alike and obey the rules of traces."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.json.gz" for name in ("one", "two")]
        for file in files:
            problem = run(command, path, defines,
                          ["--timing-only", "--trace", file])
            if problem:
                return problem
        one, two = (open(file, "rb").read() for file in files)
        if one != two:
            return "two traces of one run differ"
        done = subprocess.run([sys.executable, "-B", TRACE_RULES, files[0]],
                              capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode else ""


def check(command, path):
    named = shapes(path)
    if len(named) < 2:
        return [f"{path}: names {len(named)} shapes, needs two: //! run M=..."]
    failures = []
    for defines, finding in named:
        problem = run(command, path, defines, ["--values", "all"], finding)
        problem = problem or trace(command, path, defines)
        if problem:
            failures.append(f"{path} {' '.join(defines)}: {problem}")
    problem = run(command, path, [], ["--timing-only"])
    if problem:
        failures.append(f"{path} at its default size: {problem}")
    return failures


WRONG = """kernel wrong target sm_90a {
  //! run N=32
  //! run N=64
  param N : 32.. step 32 = 32
  global X : f32[N, 4]
  global Y : f32[N, 4]
  computes Y = X + X
  grid (N / 32)
  block 32
  reg x : f32[32, 4] fragment row
  ld.global x, X[cta.x * 32 :+ 32, :]
  st.global Y[cta.x * 32 :+ 32, :], x
}
"""


def self_test(command):
    for text, want in ((WRONG, "result/mismatch"),
                       (WRONG.replace("//! run N=32\n", ""), "names 1")):
        with tempfile.NamedTemporaryFile("w", suffix=".tile") as file:
            file.write(text)
            file.flush()
            failures = "\n".join(check(command, file.name))
            assert want in failures, (want, failures)


def main():
    command, path = sys.argv[1:]
    if path == "--self-test":
        return self_test(command)
    failures = check(command, path)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
