#!/usr/bin/env python3
"""The litmus programs: what each allows, what the model says, what a GPU did.

    litmus.py check COMMAND     no GPU: `check` and `run` agree with what each
                                program allows, and each lowers

A program says in comments how a launch of it may end:

    //! allows 1 0        R holds these numbers (several lines: any of them)
    //! allows one        R holds the same numbers at the end of every launch
    //! allows any        R may hold anything
    //! allows hang       it does not end; alone: it never ends
    //! allows fault      the GPU refuses something
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FEWEST = 40
# Errors that say that a program does not end, and those that say that it need
# not: warps that have ended may count at a barrier for all, and where more bytes
# come than expected, in several steps, a phase may end between two of them.
ENDLESS = ("deadlock/", "registers/pool")
HANGS = (*ENDLESS, "barrier/", "tx-count/over")
# Whose outcomes are those of its interleavings, in none of which anything is
# wrong: fence.sc keeps its words in order, and which comes first is open.
INTERLEAVED = {"store_buffering_with_fence_sc"}
FORMATS = {"<u4": "I", "<i4": "i", "<f4": "f"}


def programs():
    return sorted(HERE.glob("*.tile"))


def allowed(path):
    outcomes = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not line.startswith("//!"):
            continue
        word, *rest = line[3:].split()
        if word != "allows" or not rest:
            sys.exit(f"{path}:{number}: unknown: {line}")
        words = ("one", "any", "hang", "fault")
        outcomes.append(rest[0] if rest[0] in words
                        else tuple(float(x) for x in rest))
    if not outcomes:
        sys.exit(f"{path}: allows nothing")
    return outcomes


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + length].decode()
    kind = next(k for k in FORMATS if f"'{k}'" in head)
    body = data[10 + length:]
    return tuple(struct.unpack(f"<{len(body) // 4}{FORMATS[kind]}", body))


def model_outcome(command, path):
    """How the model's own run ends: numbers of R, "hang", or "finding"."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/R.npy"
        done = subprocess.run(
            [command, "run", str(path), "--values", "all", "--format", "json",
             "--out", f"R={out}"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{path}: exit {done.returncode}\n{done.stderr}")
        codes = [f["code"] for f in
                 json.loads(done.stdout)["files"][0]["findings"]]
        if any(code.startswith(HANGS) for code in codes):
            return "hang"
        return "finding" if codes else read_npy(out)


def allows(outcomes, seen):
    if seen == "finding":
        return "any" in outcomes or "fault" in outcomes
    if seen in ("hang", "fault"):
        return seen in outcomes
    return seen in outcomes or "any" in outcomes or "one" in outcomes


def with_follow_ups(report):
    """Those that are told; what follows from one comes as often as it does."""
    told = report["findings"]
    return told + [{**f, "occurs": t["occurs"]} for t in told
                   for f in t.get("follows", [])]


def judge_verdict(outcomes, report):
    """In what the verdict of `check` contradicts what a program allows."""
    errors = [f for f in with_follow_ups(report) if f["severity"] == "error"]
    hangs = [f for f in errors if f["code"].startswith(HANGS)]
    always = [f["code"] for f in errors if f["occurs"] == "every"]
    if outcomes == ["hang"]:
        if not hangs:
            return "never ends, but check finds no deadlock"
        if not any(code.startswith(HANGS) and code != "tx-count/over"
                   for code in always):
            return "never ends, but check finds a deadlock in some schedules"
    elif "hang" in outcomes:
        if any(code.startswith(ENDLESS) for code in always):
            return "may end, but check finds a deadlock in every schedule"
        if not hangs and not any(f["code"].startswith("parity/")
                                 for f in errors):
            return "may hang, but check does not say so"
    elif hangs:
        return f"always ends, but check says {hangs[0]['code']}"
    if report["verdict"] == "clean" and (
            len(outcomes) > 1 or outcomes[0] == "any"):
        return "has several outcomes, but check calls it clean"
    return ""


def check_report(command, path):
    done = subprocess.run([command, "check", "--format", "json", str(path)],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{path}: check: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["files"][0]


def check_program(command, path):
    outcomes = allowed(path)
    report = check_report(command, path)
    problem = judge_verdict(outcomes, report)
    if path.stem in INTERLEAVED:
        clean = report["verdict"] == "clean"
        problem = "" if clean else "fences keep it in order: not clean"
    if problem:
        return problem
    seen = model_outcome(command, path)
    if not allows(outcomes, seen):
        return f"the model's run ends with {seen}"
    return ""


def check(command):
    failures = []
    for path in programs():
        problem = check_program(command, path)
        if problem:
            failures.append(f"{path.name}: {problem}")
    print(f"{len(programs())} programs, {len(failures)} contradicted")
    if failures or len(programs()) < FEWEST:
        sys.exit("\n".join(failures) or f"fewer than {FEWEST} programs")


# --- what a GPU did -----------------------------------------------------------

def seen_as(outcome, outcomes):
    """An outcome of `tilesim hw --schedules` in the words of the programs. Of a
    large R it has only the fingerprint: R is of u32 then."""
    if outcome["kind"] != "values":
        return outcome["kind"]
    tensor = outcome["outputs"]["R"]
    if "values" in tensor:
        return tuple(tensor["values"])
    known = {f"{zlib.crc32(struct.pack(f'<{len(o)}I', *map(int, o))):08x}": o
             for o in outcomes if isinstance(o, tuple)}
    return known.get(tensor["fingerprint"], (tensor["fingerprint"],))


def unnamed_waits(waits, report):
    """Those of (line, barrier) that no finding names, nor one that follows from
    it. One of too many bytes stands at the load, and names the barrier."""
    lines, overfull = set(), set()
    for finding in with_follow_ups(report):
        lines |= {p["line"] for p in [finding["location"], *finding["labels"]]}
        if finding["code"] == "tx-count/over":
            overfull.add(re.match(r"`(\w+)", finding["message"])[1])
    return {(line, barrier) for line, barrier in waits
            if line not in lines and barrier not in overfull}


def judge_record(record, command):
    """What of a record its program does not allow; empty: nothing. A wait that
    a GPU reports must be one that `check` names."""
    path = ROOT / record["file"]
    outcomes = allowed(path)
    seen = [seen_as(o, outcomes) for o in record["outcomes"]]
    for one in seen:
        if not allows(outcomes, one):
            return f"{one} is not allowed"
    values = [s for s in seen if s not in ("hang", "fault")]
    if outcomes == ["one"] and len(values) > 1:
        return f"{len(values)} results where there may be one"
    waits = {(o["line"], o.get("barrier")) for o in record["outcomes"]
             if "line" in o}
    if waits:
        unnamed = unnamed_waits(waits, check_report(command, path))
        if unnamed:
            return f"check does not name the waits {unnamed}"
    return "" if seen else "no outcome"


def table(data):
    """The recorded outcomes, in markdown."""
    lines = ["| program | allows | seen |", "|---|---|---|"]
    for record in data["records"]:
        path = ROOT / record["file"]
        wanted = "; ".join(a if isinstance(a, str) else
                           " ".join(f"{x:g}" for x in a)
                           for a in allowed(path))
        told = [record["error"].strip().split("\n")[0]] if "error" in record \
            else []
        for outcome in record.get("outcomes", []):
            what = seen_as(outcome, allowed(path))
            if not isinstance(what, str):
                what = " ".join(x if isinstance(x, str) else f"{x:g}"
                                for x in what)
            told.append(f"{what} x {outcome['count']}")
        lines.append(f"| {path.stem} | {wanted} | {'; '.join(told)} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        check(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
