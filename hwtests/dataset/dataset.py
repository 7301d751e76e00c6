#!/usr/bin/env python3
"""The data set: its seal, its records, and whether they hold.

    dataset.py check COMMAND          the points are whole and sealed, the
                                      programs clean, no record stale (ctest)
    dataset.py record FILE... COMMAND makes h200.json of what measure.py left:
                                      records.jsonl files, later ones first;
                                      machine.json lies beside them
    dataset.py add FILE... COMMAND    likewise; records of other points stay
    dataset.py seal                   writes seal.json; only as long as nothing
                                      is recorded
    dataset.py self-test              shows that the check can fail
"""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "results")]
import points as table  # noqa: E402
from programs import fingerprint, hopper_examples, sizes  # noqa: E402

ROOT = table.ROOT
SEAL, RECORDS = HERE / "seal.json", HERE / "h200.json"
AT_LEAST = {"points": 260, "sweeps": 10, "own programs": 6}
# Name in a record: list of the measurement, factor.
LISTS = {"us": ("plain_us", 1), "stamped_us": ("stamped_us", 1),
         "host_us": ("host_us", 1), "span_us": ("span_ns", 0.001),
         "cycles": ("cycles", 1), "mhz": ("clock_mhz", 1),
         "cta_cycles": ("cta_cycles", 1),
         "longest_cta_cycles": ("longest_cycles", 1),
         "ramp_us": ("ramp_ns", 0.001), "drain_us": ("drain_ns", 0.001)}
# Their values depend on who comes first, or on a race.
UNSTABLE = ("split_reduce", "matmul_warp_specialized")
# Workspaces of which not all is used.
PARTLY_WRITTEN = ("Partial",)


# --- the points ---------------------------------------------------------------

def seal_of(parts):
    lines = "\n".join(f"{key}\t{part}" for key, part in sorted(parts.items()))
    fit = sum(part == "fit" for part in parts.values())
    return {"points": len(parts), "fit": fit, "held_out": len(parts) - fit,
            "sha256": hashlib.sha256(lines.encode()).hexdigest()}


def constants(file):
    """Those that are an integer of the text; others follow from them."""
    text = re.sub(r"//.*", "", (ROOT / file).read_text())
    found = []
    for line in re.findall(r"^ *const (.*)$", text, re.M):
        found += re.findall(r"(\w+) = (?:0b|0x)?\d+ *(?:,|$)", line)
    return found


# Measured at shapes of its own, beside cuBLAS: hwtests/choice.
ELSEWHERE = {"examples/gemm/gemm.tile"}
# Written after the seal.
ELSEWHERE |= {"examples/gemm/bias_activation.tile",
              "examples/memory/layer_norm.tile", "examples/memory/rms_norm.tile",
              "examples/gemm/bias_columns.tile"}


def wrong_with_points(points, sweeps, parts, seal):
    if seal_of(parts) != seal:
        yield "seal.json is of other points or other parts"
    own = {p.file for p in points if p.file.startswith("hwtests/")}
    for name, there in (("points", points), ("sweeps", sweeps),
                        ("own programs", own)):
        if len(there) < AT_LEAST[name]:
            yield f"{len(there)} {name}"
    for file in set(hopper_examples()) - {p.file for p in points} - ELSEWHERE:
        yield f"{file} has no point"
    if len({p.key for p in points}) != len(points):
        yield "two points have the same key"
    for name, found in sweeps.items():
        change = {n for p in found for n, v in p.values
                  if dict(found[0].values)[n] != v}
        if not 5 <= len(found) <= 8:
            yield f"sweep {name} has {len(found)} points"
        if len(change) != 1 and not change == {"S", "BH"}:
            yield f"sweep {name} changes {sorted(change)}"
    named = {}
    for p in points:
        if p.file not in named:
            named[p.file] = set(table.parameters(p.file) + constants(p.file))
        if set(dict(p.values)) != named[p.file]:
            yield (f"{p.key}: the program has "
                   f"{' '.join(sorted(named[p.file]))}")


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, cwd=ROOT,
                          check=False)


def lowered(command, point):
    return run(command, "lower", point.file,
               *[x for d in point.defines for x in ("-D", d)])


def wrong_with_programs(command, points):
    """Each point is lowered without a warning, our programs are clean."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for p, done in zip(points, pool.map(lambda p: lowered(command, p),
                                            points)):
            if done.returncode != 0 or done.stderr:
                yield f"{p.key}: {done.stderr}"
    for path in sorted((HERE / "programs").glob("*.tile")):
        done = run(command, "check", str(path.relative_to(ROOT)))
        if done.returncode != 0:
            yield f"{path.name}: check: {done.stdout}{done.stderr}"


# --- the records --------------------------------------------------------------

def middle(values, factor):
    """Median, 10th and 90th percentile."""
    v = sorted(x * factor for x in values)
    at = [v[round(q * (len(v) - 1))] for q in (0.1, 0.9)]
    return [round(x, 4) for x in (statistics.median(v), *at)]


def record_of(said, part, sweeps):
    """A record of one line of records.jsonl."""
    kept = {name: said[name] for name in
            ("key", "file", "sizes", "defines", "l2", "emitted", "seed",
             "sms")}
    own = [name for name, found in sweeps.items()
           if said["key"] in {p.key for p in found}]
    measured = {name: middle(said[of], factor)
                for name, (of, factor) in LISTS.items()}
    # By launches that are neighbours in time.
    cost = statistics.median(
        a / b for a, b in zip(said["stamped_us"], said["plain_us"]))
    return {**kept, "part": part, "sweeps": own,
            "launches": len(said["plain_us"]), **measured,
            "time_with_stamps": round(cost, 4)}


def wrong_measurement(said):
    """Why what was measured is no record."""
    if "error" in said:
        return said["error"]
    program = pathlib.Path(said["file"]).stem
    if not said["same_outputs"] and program not in UNSTABLE:
        return "the code with stamps writes other values"
    for name, share in said["unwritten"].items():
        if share > 0 and name not in PARTLY_WRITTEN:
            return f"{100 * share:.2f} % of {name} are not written"
    if len(said["plain_us"]) < 20 or min(said["span_ns"]) <= 0 or \
            min(said["clock_mhz"]) < 300 or max(said["clock_mhz"]) > 2100:
        return "too few launches, or impossible stamps"
    return ""


def stale(record, command):
    if sizes(record["file"], record["defines"]) != record["sizes"]:
        return "stale: the program has other sizes now"
    point = table.Point(record["file"], tuple(
        tuple(d.split("=")) for d in record["defines"]), record["l2"])
    code = lowered(command, point).stdout
    if fingerprint(code.encode()) != record["emitted"]:
        return "stale: it is lowered to other code now"
    return ""


def wrong_with_records(command, parts):
    if not RECORDS.exists():
        print("nothing is recorded")
        return
    data = json.loads(RECORDS.read_text())
    for r in data["records"]:
        if parts.get(r["key"]) != r["part"]:
            yield f"{r['key']}: is {parts.get(r['key'])}, not {r['part']}"
        elif why := stale(r, command):
            yield f"{r['key']}: {why}"
    print(f"{len(data['records'])} of {len(parts)} points are recorded")


def write_records(data):
    """A record a line."""
    head = json.dumps(data["machine"], indent=1)
    lines = ",\n".join(json.dumps(r) for r in data["records"])
    RECORDS.write_text(f'{{"machine": {head},\n'
                       f'"statistics": ["median", "p10", "p90"],\n'
                       f'"records": [\n{lines}\n]}}\n')


def record(files, command, add=False):
    parts, sweeps, found, machines = table.parts(), table.sweeps(), {}, []
    before = json.loads(RECORDS.read_text()) if add else {}
    for file in map(pathlib.Path, files):
        machines.append(json.loads((file.parent / "machine.json").read_text()))
        for line in file.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            if said["key"] not in parts or said["key"] in found:
                continue
            why = wrong_measurement(said)
            if why:
                print(f"{said['key']}: {why[-300:]}")
                continue
            found[said["key"]] = record_of(said, parts[said["key"]], sweeps)
    machines += before.get("machine", [])
    for r in before.get("records", []):
        found.setdefault(r["key"], r)
    kept = [found[p.key] for p in table.points() if p.key in found]
    if not kept:
        sys.exit("nothing of it can be recorded")
    for r in kept:
        if why := stale(r, command):
            sys.exit(f"{r['key']}: {why}")
    write_records({"machine": machines, "records": kept})
    print(f"{len(kept)} of {len(parts)} points are recorded")


# --- commands -----------------------------------------------------------------

def check(command):
    points, parts = table.points(), table.parts()
    wrong = [*wrong_with_points(points, table.sweeps(), parts,
                                json.loads(SEAL.read_text())),
             *wrong_with_programs(command, points),
             *wrong_with_records(command, parts)]
    print(f"{len(points)} points, {len(table.sweeps())} sweeps, "
          f"{len(wrong)} findings")
    if wrong:
        sys.exit("\n".join(wrong))


def seal():
    if RECORDS.exists():
        sys.exit("points are recorded: what is held out stays as it is")
    SEAL.write_text(json.dumps(seal_of(table.parts()), indent=1) + "\n")


def self_test():
    points, sweeps, parts = table.points(), table.sweeps(), table.parts()
    sealed = json.loads(SEAL.read_text())
    assert not list(wrong_with_points(points, sweeps, parts, sealed))

    def finds(text, *args):
        assert any(text in w for w in wrong_with_points(*args)), text
    key = next(k for k, part in parts.items() if part != "fit")
    finds("seal", points, sweeps, {**parts, key: "fit"}, sealed)
    less = points[0]
    less = table.Point(less.file, less.values[1:], less.l2)
    finds("the program has", [*points, less], sweeps, parts, sealed)
    finds("has no point", points[20:], sweeps, parts, sealed)
    name, sweep = next(iter(sweeps.items()))
    finds("has 4 points", points, {**sweeps, name: sweep[:4]}, parts, sealed)
    two = [p for n in ("v08 stages, 4096-cubed", "v08 stages, 1024-cubed")
           for p in sweeps[n][:3]]
    finds("changes", points, {**sweeps, name: two}, parts, sealed)
    said = {"key": points[0].key, "file": points[0].file, "same_outputs": True,
            "unwritten": {"D": 0.0}, "plain_us": [2.0] * 20,
            "span_ns": [1000.0] * 20, "clock_mhz": [1980.0] * 20}
    assert wrong_measurement(said) == ""
    for other in ({"error": "hang"}, {"same_outputs": False},
                  {"unwritten": {"D": 0.5}}, {"plain_us": [2.0]},
                  {"clock_mhz": [0.0] * 20}):
        assert wrong_measurement({**said, **other}), other
    assert middle([3, 1, 2], 10) == [20, 10, 30]
    print("self-test passed")


def main():
    word, *rest = sys.argv[1:] or [""]
    if word == "check" and len(rest) == 1:
        return check(str(pathlib.Path(rest[0]).resolve()))
    if word in ("record", "add") and len(rest) >= 2:
        return record(rest[:-1], str(pathlib.Path(rest[-1]).resolve()),
                      add=word == "add")
    if word in ("seal", "self-test") and not rest:
        return {"seal": seal, "self-test": self_test}[word]()
    return sys.exit(__doc__)


if __name__ == "__main__":
    main()
