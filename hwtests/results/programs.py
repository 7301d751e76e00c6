"""Which programs are measured on a GPU, and how they are told apart."""
import hashlib
import pathlib
import re
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPORA = ("tests/verify", "tests/peers", "tests/catalogue")
# Sizes at which a bug shows that is none, or a lesser one, at the defaults;
# `check` finds such sizes by itself. By the start of the file's name.
BUG_SIZES = {"D02": ["K=64"], "D03": ["TILES=1"], "D05": ["N=5"],
             "D21": ["STEPS=4"], "R13": ["TASKS=2", "KT=3"],
             "one_k_tile": ["K=4", "TILES=3"], "element_of_a": ["N=40"],
             "box_beyond": ["K=3"], "registers_that_no_turn": ["N=0"],
             "breaks_in_large": ["A=8", "B=8"]}


def sha(data):
    return hashlib.sha256(data).hexdigest()


def fingerprint(data):
    """As tilesim says it of outputs and of emitted code."""
    return f"{zlib.crc32(data):08x}"


def program_hash(file):
    """Of the text without comments and blank lines: they change nothing."""
    kept = []
    for line in (ROOT / file).read_text(encoding="utf-8").split("\n"):
        line = line.split("//")[0].rstrip()
        if line:
            kept.append(line)
    return sha("\n".join(kept).encode())


def sizes(file, defines):
    """What each param is in a run with these -D, as the text says it. With the
    code that a program is lowered to, this is all that a run depends on."""
    given = dict(define.split("=", 1) for define in defines)
    text = (ROOT / file).read_text(encoding="utf-8")
    found = re.findall(r"^\s*param (\w+)\s*:[^=\n]*=\s*([^/\n]*)", text, re.M)
    return {name: given.get(name, value.strip()) for name, value in found}


def key(file, defines):
    """Which program and sizes a record is about. The text only where no code is
    compared: a program may say the same in other words."""
    return {"file": file, "sizes": sizes(file, defines), "defines": defines}


def is_hopper(path):
    return re.search(r"^kernel .*sm_90a", path.read_text(), re.M) is not None


def hopper_examples():
    return sorted(str(p.relative_to(ROOT))
                  for p in (ROOT / "examples").rglob("*.tile") if is_hopper(p))


def shapes(file):
    """The sets of -D that an example names, but those that show a finding."""
    lines = re.findall(r"^//! run((?: +\w+=\d+)*)\s*$",
                       (ROOT / file).read_text(), re.M)
    return [line.split() for line in lines]


def bug_sizes(name):
    return [size for start, sizes in BUG_SIZES.items()
            if name.startswith(start) for size in sizes]


def corpus_cases():
    """(file, -D ...) of the bugs of the verifier's corpora, then of repairs."""
    cases = []
    for folder in CORPORA:
        for path in sorted((ROOT / folder).glob("*.tile")):
            text = path.read_text()
            if not is_hopper(path) or "//! verdict: rejected" in text:
                continue
            bug = "//! verdict: findings" in text
            if not bug and not path.name.endswith(".fixed.tile"):
                continue
            defines = re.findall(r"^//! define (\S+)", text, re.M)
            cases.append((str(path.relative_to(ROOT)),
                          defines + bug_sizes(path.name)))
    return sorted(cases, key=lambda case: case[0].endswith(".fixed.tile"))
