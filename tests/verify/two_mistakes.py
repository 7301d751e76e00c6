#!/usr/bin/env python3
"""Two mistakes in one program are two findings.

usage: two_mistakes.py TILESIM [--all]

Puts pairs of bugs of the corpora into one kernel, one behind the other with a
barrier of all threads between, and asks that of each a finding is told that
stands for itself: no mistake may be taken for what follows from the other. A
bug that ends the run (a deadlock, a fault) may only come second.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["tests/catalogue", "tests/peers", "tests/verify"]
DECLARES = re.compile(
    r"^\s*(?:param|const|let|var|global|shared|mbarrier|tmem|reg|role)\b(.*)$")
SKIPPED = re.compile(r"\b(include|fn|regs|requires|setmaxnreg|launch_dependents|"
                     r"griddepcontrol|clc|sm\.count|while|inval|exit)\b")
ENDS = ("deadlock", "arrival-count", "tx-count", "init", "barrier", "tmem",
        "scope", "registers", "exit", "control", "bounds")


class Kernel:
    """A bug that is one kernel: its launch, its lines, what it declares."""

    def __init__(self, path):
        self.name = path.name
        text = re.sub(r"//.*", "", path.read_text())
        self.lines = [line.rstrip() for line in text.split("\n") if line.strip()]
        self.alone = (sum(line.startswith("kernel ") for line in self.lines) == 1
                      and self.lines[0].startswith("kernel ")
                      and not SKIPPED.search(text))
        self.target = re.search(r"target (\w+)", text)[1] if self.alone else ""
        self.launch = tuple(sorted(
            line.strip() for line in self.lines
            if re.match(r"\s*(grid|cluster|block)\b", line)))
        self.body = [line for line in self.lines[1:-1]
                     if not re.match(r"  (grid|cluster|block|computes)\b", line)]

    def names(self):
        out = set()
        for line in self.body:
            if found := DECLARES.match(line):
                head = found[1].split("=")[0].split(" : ")[0]
                head = re.sub(r"\[[^\]]*\]", "", head)
                out.update(re.findall(r"[A-Za-z_]\w*", head))
            out.update(re.findall(r"\bfor (\w+) in", line))
        return out

    def renamed(self, suffix):
        names = self.names()
        return [re.sub(r"(?<![\w.])([A-Za-z_]\w*)(?![\w.])",
                       lambda m: m[1] + suffix if m[1] in names else m[1], line)
                for line in self.body]


def together(a, b):
    """The text, and the lines of each."""
    head = [f"kernel both target {a.target} {{"] + ["  " + x for x in a.launch]
    first, second = a.renamed("_a"), b.renamed("_b")
    lines = head + first + ["  bar.sync 0"] + second + ["}"]
    start = len(head) + 1
    middle = start + len(first)
    return "\n".join(lines) + "\n", range(start, middle), range(
        middle + 1, middle + 1 + len(second))


def check(tilesim, path):
    done = subprocess.run([tilesim, "check", "--format", "json", str(path)],
                          capture_output=True, text=True, check=False, cwd=ROOT)
    return json.loads(done.stdout)["files"][0]


def roots(found):
    return [f for f in found["findings"] if f["severity"] == "error"]


def places(finding):
    return {finding["location"]["line"],
            *(label["line"] for label in finding["labels"])}


def bugs(tilesim):
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.tile")):
            if "//! verdict: findings" not in path.read_text():
                continue
            kernel = Kernel(path)
            if kernel.alone:
                found = check(tilesim, path)
                if found["verdict"] == "findings" and roots(found):
                    kernel.codes = {f["code"] for f in roots(found)}
                    yield kernel


def judged(tilesim, a, b):
    """What is wrong with the answer on a pair; None: it is no program, or only
    one of the two shows."""
    text, first, second = together(a, b)
    with tempfile.NamedTemporaryFile("w", suffix=".tile", delete=False) as file:
        file.write(text)
    try:
        found = check(tilesim, file.name)
    finally:
        os.unlink(file.name)
    if found["verdict"] == "rejected":
        return None
    told = roots(found) + [x for f in roots(found)
                           for x in f.get("follows", [])]
    for kernel, lines in (a, first), (b, second):
        # One may hide the other: the first ends the run.
        if not any(places(f) & set(lines) for f in told):
            return None
        if not any(places(f) & set(lines) for f in roots(found)):
            said = [(f["code"], f["location"]["line"],
                     [(x["code"], x["location"]["line"]) for x in f.get("follows", [])])
                    for f in roots(found)]
            return (f"{a.name} + {b.name}: nothing is told of {kernel.name} "
                    f"(lines {lines.start} to {lines.stop}): {said}\n{text}")
    return ""


def pairs(kernels, every):
    """Each bug behind some others of its launch."""
    for i, a in enumerate(kernels):
        if any(code.startswith(ENDS) for code in a.codes):
            continue
        alike = [b for b in kernels if b.target == a.target and b is not a and
                 b.launch == a.launch]
        step = 1 if every else max(1, len(alike) // 4)
        for b in alike[i % step::step]:
            yield a, b


def main():
    tilesim = sys.argv[1]
    kernels = list(bugs(tilesim))
    todo = list(pairs(kernels, "--all" in sys.argv))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda pair: judged(tilesim, *pair), todo))
    wrong = [answer for answer in answers if answer]
    right = sum(answer == "" for answer in answers)
    for answer in wrong:
        print(answer)
    print(f"{right} pairs of {len(kernels)} bugs are two findings, {len(wrong)} "
          "are not")
    if wrong or right < 40:
        sys.exit(1)


if __name__ == "__main__":
    main()
