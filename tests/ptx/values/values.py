#!/usr/bin/env python3
"""What `run` computes of a program, and of the PTX that nvcc makes of it.

    values.py TILESIM                 those of programs.txt
    values.py TILESIM --all           every program that lowers; minutes
    values.py TILESIM FILE...         these

A program is lowered at its sizes, as for the round trip of `check`, and
compiled by nvcc. Both are run with all their CTAs and the same seed; every
buffer is to hold the same bits at the end. --keep DIR keeps what nvcc made, and
is read the next time. --json FILE writes the outcomes, --table FILE... prints
them as a page.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "roundtrip"))
import roundtrip  # noqa: E402  (its folder is not a package)


@dataclasses.dataclass
class Outcome:
    program: str
    kind: str
    target: str = ""
    why: str = ""


def differing(name, of_text, of_ptx):
    """What is not the same in two .npy files, or ""."""
    if not of_text.exists() or not of_ptx.exists():
        return f"{name} was not written"
    a, b = of_text.read_bytes(), of_ptx.read_bytes()
    head = [10 + int.from_bytes(x[8:10], "little") for x in (a, b)]
    a, b = a[head[0]:], b[head[1]:]
    if a == b:
        return ""
    if len(a) != len(b):
        return f"{name}: {len(a)} bytes, and {len(b)}"
    at = [i for i in range(len(a)) if a[i] != b[i]]
    return f"{name}: {len(at)} of {len(a)} bytes differ, the first at {at[0]}"


def compare(tilesim, program, folder):
    name = roundtrip.name_of(program)
    text = program.read_text(errors="replace")
    stem = re.sub(r"\W", "_", name.removesuffix(".tile"))
    sizes = roundtrip.sizes_of(text)
    made = roundtrip.made_of(tilesim, program, sizes, folder)
    if isinstance(made, roundtrip.Outcome):
        return Outcome(name, made.kind, made.target, made.ptx.why)
    ptx, launch, target = made
    described = json.loads(launch.read_text())
    buffers = [b for b in described["buffers"] if b.get("dtype")]

    def run_of(which, words):
        """Files of the buffers; or what `run` says."""
        outs = {b["name"]: folder / f"{stem}.{which}.{b['name']}.npy"
                for b in buffers}
        named = [w for n, f in outs.items() for w in ("--out", f"{n}={f}")]
        code, _, err = roundtrip.run(tilesim, "run", *words, "--values",
                                     "all", "--values-only", *named)
        lines = [l for l in err.splitlines() if l.strip()]
        return (outs, "") if code == 0 else (None, Outcome(
            name, f"`run` of the {which} ends with {code}", target,
            " ".join(lines[:2])[:300]))

    of_text, failed = run_of("text", [str(program), *sizes])
    if failed:
        return failed
    # What the program writes first begins as nothing; what it reads first, by
    # its seed. The description does not say which.
    started = launch.with_suffix(".values.json")
    for start in ("undefined", "seeded"):
        for b in described["buffers"]:
            if b.get("start") in (None, "undefined"):
                b["start"] = start
        started.write_text(json.dumps(described))
        of_ptx, failed = run_of("ptx", [str(ptx), "--launch", str(started)])
        if failed:
            return failed
        why = "; ".join(filter(None, (
            differing(b["name"], of_text[b["name"]], of_ptx[b["name"]])
            for b in buffers)))
        if not why:
            break
    for f in [*of_text.values(), *of_ptx.values()]:
        f.unlink(missing_ok=True)
    return Outcome(name, "differs" if why else "same bits", target, why)


def table(outcomes):
    """The page of a whole run."""
    kinds = collections.Counter(o["kind"] for o in outcomes)
    lines = ["# Values of PTX", "",
             "Generated: values.py --table. What values.py and recorded.py "
             "compare, [README.md](README.md) says.", "",
             "## Against the program that the PTX was made of", "",
             "| outcome | programs |", "|---|--:|"]
    lines += [f"| {kind} | {count} |" for kind, count in kinds.most_common()]
    lines += ["", "Programs that `run` does not finish as text have findings; "
              "so have those that differ, but for the reasons below.", "",
              "| program | what is said |", "|---|---|"]
    for o in sorted(outcomes, key=lambda o: o["program"]):
        if o["kind"] in ("same bits", "does not lower") or \
                "of the text" in o["kind"]:
            continue
        said = f"{o['kind']}: {o['why']}" if o["why"] else o["kind"]
        said = re.sub(r"/\S*/(?=\w)", "", said)
        lines.append(f"| {o['program'].removesuffix('.tile')} "
                     f"| {said[:150].replace('|', ' ')} |")
    recorded = json.loads((HERE / "h200.json").read_text())
    same = sum(len(r["buffers"]) for r in recorded.values())
    whole = sum("not_compared" not in r for r in recorded.values())
    lines += ["", "## Against an H200", "",
              f"{len(recorded)} launches of Triton's kernels: {same} buffers "
              f"have the same bits; all of {whole} launches have. The others:",
              "", "| launch | buffer | why not |", "|---|---|---|"]
    for launch, r in recorded.items():
        for name, why in r.get("not_compared", {}).items():
            lines.append(f"| {launch} | {name} | {why} |")
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tilesim", nargs="?", default="")
    p.add_argument("files", nargs="*")
    p.add_argument("--all", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--json")
    p.add_argument("--table", nargs="+")
    o = p.parse_args()
    if o.table:
        print(table([r for name in o.table
                     for r in json.loads(pathlib.Path(name).read_text())]))
        return 0
    if o.files:
        programs = [pathlib.Path(f).resolve() for f in o.files]
    elif o.all:
        programs = roundtrip.all_programs()
    else:
        programs = [ROOT / l for l in
                    (HERE / "programs.txt").read_text().split("\n")
                    if l and not l.startswith("#")]
    tilesim = str(pathlib.Path(o.tilesim).resolve())
    kinds = collections.Counter()
    outcomes = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(o.keep or temporary)
        for program in programs:
            out = compare(tilesim, program, folder)
            outcomes.append(out)
            kinds[out.kind] += 1
            if out.kind != "same bits":
                print(f"{out.program}: {out.kind}: {out.why}", flush=True)
    if o.json:
        pathlib.Path(o.json).write_text(
            json.dumps([dataclasses.asdict(x) for x in outcomes]))
    print(dict(kinds))
    return 0 if o.all or set(kinds) == {"same bits"} else 1


if __name__ == "__main__":
    sys.exit(main())
