#!/usr/bin/env python3
"""What `check` says of a program, and of the PTX that nvcc makes of it.

    roundtrip.py TILESIM                 those of quick.txt
    roundtrip.py TILESIM --all           every program that lowers; minutes
    roundtrip.py TILESIM FILE...         these

A program is lowered at its sizes (`//! run`, `//! define`, else its own
defaults), compiled by nvcc, and checked with `--strict ptx` at the launch that
`lower --launch` describes; the program itself is checked at the same sizes.
The verdicts are to be the same, and the codes with their severities: what one
tells, the other tells too, by itself or as what follows from another finding (which
of two that is, depends on names and roles that PTX does not have). Left out are
codes.txt (codes that have no form in PTX) and exempt.txt (programs). --keep DIR
keeps what nvcc made, and is read the next time. A whole run may be cut:

    roundtrip.py TILESIM --all --part 0/6 --json 0.json    every sixth program
    roundtrip.py --table [01].json > results.md            all of them together
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 120
PARAM = re.compile(r"^\s*param\s+(\w+)\s*:[^={]*=\s*(-?\w+)", re.M)
SIZES = re.compile(r"^\s*//!\s*(run|define)\b(.*)$", re.M)
STRICT = re.compile(r"^\s*//!\s*strict\s+(\S+)", re.M)


@dataclasses.dataclass
class Said:
    """What `check` answered."""
    verdict: str  # clean, findings, incomplete; refused; or why there is none
    codes: frozenset = frozenset()
    why: str = ""
    follows: frozenset = frozenset()  # codes of what follows from a finding
    # A wait is missing: of compiled code, what comes of it is told.
    no_wait: bool = False


@dataclasses.dataclass
class Outcome:
    program: str
    kind: str  # a key of the table
    target: str = ""
    text: Said = None
    ptx: Said = None

    def more(self):
        return sorted(self.ptx.codes - self.text.codes)

    def fewer(self):
        return sorted(self.text.codes - self.ptx.codes)


def run(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", f"more than {SECONDS} s"
    return done.returncode, done.stdout, done.stderr


def sizes_of(text):
    """-D words at which a program is lowered and checked."""
    values = dict(PARAM.findall(text))
    first = {"run": None, "define": None}
    for word, rest in SIZES.findall(text):
        pairs = dict(re.findall(r"(\w+)=(-?\w+)", rest))
        if first[word] is None:
            first[word] = pairs
        elif word == "define":
            first[word].update(pairs)
    for pairs in first.values():
        values.update(pairs or {})
    words = []
    for name, value in values.items():
        if re.fullmatch(r"-?\d+", value):
            words += ["-D", f"{name}={value}"]
    return words


def check(tilesim, path, *words):
    code, out, err = run(tilesim, "check", str(path), "--format", "json",
                         *words)
    try:
        said = json.loads(out)["files"][0]
    except (ValueError, KeyError, IndexError):
        return Said("crash", why=f"exit {code}: {err.strip()[:300]}")
    verdict = said.get("verdict", "failure")
    if verdict == "rejected" or code == 2:
        errors = said.get("findings", []) + said.get("errors", []) + \
            said.get("diagnostics", [])
        why = "; ".join(sorted({e.get("message", "") for e in errors})) or err
        return Said("refused", why=why.strip()[:300])
    codes = {(f["code"], f["severity"])
             for part in ("findings", "warnings") for f in said[part]}
    follows = {(f["code"], f["severity"])
               for part in ("findings", "warnings") for told in said[part]
               for f in told.get("follows", [])}
    no_wait = any(f["message"].startswith("nothing waits for")
                  for f in said["findings"])
    return Said(verdict, frozenset(codes), "; ".join(
        str(o) for o in said.get("open", []))[:300], frozenset(follows),
        no_wait)


def compiled(cuda, target, ptx):
    """None, or what nvcc says."""
    if ptx.exists():
        return None
    code, _, err = run("nvcc", "-ptx", f"-arch={target}", str(cuda), "-o",
                       str(ptx))
    return None if code == 0 else err.strip()[:300]


def made_of(tilesim, program, sizes, folder):
    """The PTX of a program, its launch, its target; or the Outcome that says
    why there is none."""
    name = name_of(program)
    stem = re.sub(r"\W", "_", name.removesuffix(".tile"))
    cuda, launch = folder / f"{stem}.cu", folder / f"{stem}.json"
    code, _, err = run(tilesim, "lower", str(program), "-o", str(cuda),
                       "--launch", str(launch), *sizes)
    if code != 0:
        return Outcome(name, "does not lower", ptx=Said("", why=err[:300]))
    target = json.loads(launch.read_text())["target"]
    key = hashlib.sha256(cuda.read_bytes()).hexdigest()[:16]
    ptx = folder / f"{stem}.{key}.ptx"
    why = compiled(cuda, target, ptx)
    if why:
        return Outcome(name, "nvcc refuses it", target, ptx=Said("", why=why))
    described = json.loads(launch.read_text())
    for entry in described["launches"]:
        entry.pop("ptx", None)
    launch.write_text(json.dumps(described))
    return ptx, launch, target


def name_of(program):
    return str(program.relative_to(ROOT)) \
        if program.is_relative_to(ROOT) else str(program)


def judge(tilesim, program, folder):
    name = name_of(program)
    text = program.read_text(errors="replace")
    sizes = sizes_of(text)
    made = made_of(tilesim, program, sizes, folder)
    if isinstance(made, Outcome):
        return made
    ptx, launch, target = made
    strict = [w for s in STRICT.findall(text) for w in ("--strict", s)]
    of_text = check(tilesim, program, *sizes, *strict)
    of_ptx = check(tilesim, ptx, "--launch", str(launch), "--strict", "ptx",
                   *strict)
    return Outcome(name, kind_of(name, of_text, of_ptx), target, of_text, of_ptx)


def listed(name, words):
    """Lines of so many words and a reason."""
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            parts = line.split(None, words)
            assert len(parts) == words + 1, f"{name}: {line}"
            yield parts


FORMLESS = {code for code, _ in listed("codes.txt", 1)}
EXEMPT = collections.defaultdict(set)  # program: codes, or "incomplete"
for program_, code_, _ in listed("exempt.txt", 2):
    EXEMPT[program_].add(code_)


def judged(said, without):
    """Verdict and codes, without those codes."""
    codes = {(c, s) for c, s in said.codes if c not in without}
    if any(s == "error" for _, s in codes):
        return "findings", codes
    if said.verdict == "incomplete" and "incomplete" not in without:
        return "incomplete", codes
    return "clean", codes


def agree(text, ptx, without):
    """The same verdict, and neither tells what the other does not."""
    (of_text, before), (of_ptx, after) = (judged(s, without)
                                          for s in (text, ptx))
    return of_text == of_ptx and before <= after | ptx.follows and \
        after <= before | text.follows


def kind_of(name, text, ptx):
    if ptx.verdict in ("crash", "refused"):
        return ptx.verdict
    if text.verdict == "refused":
        return "the program is refused"
    plain = agree(text, ptx, FORMLESS)
    if name in EXEMPT:
        if plain:
            return "exempt without need"
        without = FORMLESS | EXEMPT[name]
        if agree(text, ptx, without):
            return "exempt"
    found = judged(ptx, FORMLESS)[0] == "findings"
    if plain or (text.no_wait and found):
        return "same"
    (of_text, before), (of_ptx, after) = (judged(s, FORMLESS)
                                          for s in (text, ptx))
    if before == after:
        return "open" if of_ptx == "incomplete" else "decided"
    if of_ptx == "clean":
        return "clean, wrongly"
    if of_ptx == "incomplete" and after < before:
        return "open, findings lost"
    if before < after:
        return "more codes"
    return "fewer codes" if after < before else "other codes"


def told(outcome):
    def codes(pairs):
        return " ".join(f"{c}" + ("" if s == "error" else f" ({s})")
                        for c, s in pairs)
    o = outcome
    if o.text is None:
        return o.ptx.why.replace("\n", " ") if o.ptx else ""
    parts = [f"{o.text.verdict} -> {o.ptx.verdict}"]
    if o.fewer():
        parts.append(f"only of the text: {codes(o.fewer())}")
    if o.more() and o.ptx.verdict != "refused":
        parts.append(f"only of PTX: {codes(o.more())}")
    if o.ptx.why:
        parts.append(o.ptx.why.replace("\n", " "))
    return "; ".join(parts)


def all_programs():
    return [p for part in ("examples", "tests")
            for p in sorted((ROOT / part).rglob("*.tile"))
            if "frontend" not in p.parts]


def inputs(args):
    if args.files:
        return [pathlib.Path(f).resolve() for f in args.files]
    if not args.all:
        return [ROOT / line for line in
                (HERE / "quick.txt").read_text().split()]
    programs = all_programs()
    if args.part:
        at, of = map(int, args.part.split("/"))
        programs = programs[at::of]
    return programs


RIGHT = ("same", "exempt", "decided", "does not lower")


def table(rows):
    """The results of a whole run as a page."""
    rows = [r for r in rows if r["kind"] != "does not lower"]
    targets = sorted({r["target"] for r in rows}, reverse=True)
    kinds = collections.Counter(r["kind"] for r in rows)
    lines = ["# The round trip, as it is", "",
             "Written by `roundtrip.py --table`; what the words mean is in "
             "[README.md](README.md).", "",
             f"{len(rows)} programs that lower were tried.", "",
             "| outcome | " + " | ".join(targets) + " | all |",
             "|---|" + "--:|" * (len(targets) + 1)]
    for kind, count in kinds.most_common():
        of = [sum(r["kind"] == kind and r["target"] == t for r in rows)
              for t in targets]
        lines.append(f"| {kind} | {' | '.join(map(str, of))} | {count} |")
    of = [sum(r["target"] == t for r in rows) for t in targets]
    lines += [f"| all | {' | '.join(map(str, of))} | {len(rows)} |", ""]
    for kind, _ in kinds.most_common():
        if kind in RIGHT:
            continue
        lines += [f"## {kind[0].upper() + kind[1:]}", "",
                  "| program | what is said |", "|---|---|"]
        for r in sorted(rows, key=lambda r: r["program"]):
            if r["kind"] == kind:
                said = r["told"].replace("|", "\\|")[:160]
                lines.append(f"| {r['program'].removesuffix('.tile')} "
                             f"| {said} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilesim", nargs="?")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--part")
    parser.add_argument("--json")
    parser.add_argument("--table", nargs="+")
    parser.add_argument("-j", type=int, default=1)
    args = parser.parse_args()
    if args.table:
        print(table([r for name in args.table
                     for r in json.loads(pathlib.Path(name).read_text())]))
        return 0
    tilesim = str(pathlib.Path(args.tilesim).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(args.keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            outcomes = list(pool.map(
                lambda p: judge(tilesim, p, folder), inputs(args)))
    counts = collections.Counter(o.kind for o in outcomes)
    wrong = [o for o in outcomes if o.kind not in RIGHT]
    for o in wrong:
        print(f"{o.kind}: {o.program}: {told(o)}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(
            [dict(dataclasses.asdict(o), told=told(o)) for o in outcomes],
            default=sorted, indent=1))
    print(dict(counts))
    return 1 if wrong or counts["same"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
