#!/usr/bin/env python3
"""What the microbenchmarks read on an H200, as data and as tables.

    record.py record DIR   makes ../results/h200/calibration.json and .md of what
                           run.sh left in DIR, if it agrees with what is known
    record.py add DIR      adds to them what some of the programs, or loops.py,
                           left in DIR, in place of what was read under that name
                           with the same parameters
    record.py check        the data is whole, README.md names each reading, and
                           the tables say what the data does (ctest)
    record.py self-test    shows that the check can fail

calibration.json: of each reading its unit, the names of its parameters, and a
row for each point: the parameters, then median, p10, p90 and number of samples.
"""
import json
import math
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent / "results/h200"
DATA, TABLES = FOLDER / "calibration.json", FOLDER / "calibration.md"
STATISTICS = ("median", "p10", "p90", "repeats")

# What other programs read on such a GPU before. Who disagrees was disturbed, or
# measures something else. Name, parameters, value, tolerance.
KNOWN = (
    ("machine.sm_clock", {"when": "before l2_load"}, 1980, 0.01),
    ("wgmma.interval", {"n": 256, "a": "k", "b": "k", "warpgroups": 1,
                        "beside": "nothing"}, 128, 0.01),
    ("wgmma.interval", {"n": 64, "a": "k", "b": "k", "warpgroups": 1,
                        "beside": "nothing"}, 32, 0.01),
    ("start.tile", {"step": "second use", "maps": "parameter", "data": "l2",
                    "sms": 1}, 474, 0.05),
    ("start.tile", {"step": "second use", "maps": "parameter", "data": "hbm",
                    "sms": 1}, 1355, 0.1),
    ("ring.step", {"stages": 7, "work": "none", "tiles": "own", "data": "l2",
                   "sms": 1}, 32768 / 108, 0.02),
    ("l2.line", {"sm": 0, "op": "ld"}, 292, 0.05),
)


def load(path):
    """Readings of a file of lines, by name."""
    readings = {}
    for line in path.read_text().splitlines():
        one = json.loads(line)
        at = readings.setdefault(one["name"], {
            "unit": one["unit"], "parameters": list(one["parameters"]),
            "rows": []})
        if at["parameters"] != list(one["parameters"]) or \
                at["unit"] != one["unit"]:
            sys.exit(f"{one['name']}: not all have the same parameters")
        at["rows"].append([*one["parameters"].values(),
                           *(one[key] for key in STATISTICS)])
    return readings


def rows(data, name, /, **where):
    """(parameters, statistics) of the rows of a reading that match."""
    reading = data["readings"][name]
    count = len(reading["parameters"])
    for row in reading["rows"]:
        parameters = dict(zip(reading["parameters"], row[:count]))
        if all(parameters[key] in (value if isinstance(value, tuple)
                                   else (value,))
               for key, value in where.items()):
            yield parameters, dict(zip(STATISTICS, row[count:]))


def disagreements(data):
    for name, where, value, tolerance in KNOWN:
        found = [s["median"] for _, s in rows(data, name, **where)]
        if len(found) != 1:
            yield f"{name} {where}: {len(found)} readings"
        elif abs(found[0] - value) > tolerance * value:
            yield f"{name} {where}: {found[0]}, known as {value:.6g}"


def dump(data):
    """One row a line."""
    parts = []
    for name, reading in data["readings"].items():
        lines = ",\n".join("   " + json.dumps(row) for row in reading["rows"])
        parts.append(f'  {json.dumps(name)}: {{\n'
                     f'   "unit": {json.dumps(reading["unit"])},\n'
                     f'   "parameters": {json.dumps(reading["parameters"])},\n'
                     f'   "rows": [\n{lines}]}}')
    return ('{\n "machine": ' + json.dumps(data["machine"]) +
            ',\n "statistics": ' + json.dumps(data["statistics"]) +
            ',\n "readings": {\n' + ",\n".join(parts) + "\n }\n}\n")


def record(folder):
    readings = load(folder / "readings.jsonl")
    stamp, gpu, driver, watts = (
        folder / "machine.csv").read_text().strip().split(", ")
    clock = readings["machine.sm_clock"]["rows"]
    write({
        "machine": {"gpu": gpu, "driver": driver,
                    "date": stamp.split()[0].replace("/", "-"),
                    "sm_clock_mhz": statistics.median(r[1] for r in clock),
                    "power_limit": watts},
        "statistics": list(STATISTICS), "readings": readings})


def add(folder):
    data, more = json.loads(DATA.read_text()), load(folder / "readings.jsonl")
    stamp, gpu, driver, _ = (
        folder / "machine.csv").read_text().strip().split(", ")
    if (gpu, driver) != (data["machine"]["gpu"], data["machine"]["driver"]):
        sys.exit(f"read on {gpu}, {driver}: record all of them")
    clocks = more.pop("machine.sm_clock", {"rows": []})["rows"]
    if any(abs(row[1] / data["machine"]["sm_clock_mhz"] - 1) > 0.01
           for row in clocks):
        sys.exit(f"read at other clocks: {clocks}")
    added = data["machine"].setdefault("added", {})
    for name in more:
        added[name] = stamp.split()[0].replace("/", "-")
    more["machine.sm_clock"] = {**data["readings"]["machine.sm_clock"],
                                "rows": clocks}
    for name, reading in more.items():
        # What was read before and not again stays.
        known = data["readings"].get(name, {"rows": []})
        width = len(reading.get("parameters", known.get("parameters", [])))
        again = {tuple(row[:width]) for row in reading["rows"]}
        reading["rows"] = [row for row in known["rows"]
                           if tuple(row[:width]) not in again] + reading["rows"]
        data["readings"][name] = reading
    write(data)


def write(data):
    readings = data["readings"]
    found = list(disagreements(data))
    if found:
        sys.exit("\n".join(found))
    DATA.write_text(dump(data))
    TABLES.write_text(tables(data))
    print(f"{sum(len(r['rows']) for r in readings.values())} rows of "
          f"{len(readings)} readings")


# --- tables ------------------------------------------------------------------

# Title, what it says, reading, the parameter that makes columns, which rows.
SHOWN = (
    ("Tensor loads, bytes a cycle and SM", "boxes of 16 KB; `own`: each SM its "
     "own 128 KB, `shared`: tiles of a GEMM, `hbm`: each byte once",
     "l2.load.port", "in_flight_kb",
     {"pattern": ("own", "shared", "hbm"), "box_kb": 16}),
    ("Tensor loads, cycles from issue to arrival", "the same",
     "l2.load.latency", "in_flight_kb",
     {"pattern": ("own", "shared", "hbm"), "box_kb": 16}),
    ("Tensor loads of all SMs, GB/s", "", "l2.load.rate", "in_flight_kb",
     {"sms": 132}),
    ("Sets of SMs, bytes a cycle and SM", "own tiles, 192 KB in flight",
     "l2.neighbours.port", "set", {}),
    ("Who shares a fetch, bytes a cycle and SM", "all SMs; those that read the "
     "same tiles do so in step", "l2.merge.port", "in_flight_kb", {}),
    ("A stage of a GEMM's ring, cycles", "32 KB a stage, SMs in step",
     "ring.step", "stages", {}),
    ("The same: issue to arrival", "", "ring.latency", "stages", {}),
    ("The first tile, cycles", "box of 16 KB; from the kernel's first "
     "instruction on, each step after the one before", "start.tile", "step", {}),
    ("The first four stages of a ring, cycles since the first was asked for", "",
     "ring.first", "stage", {}),
    ("Beyond the kernel, ns", "events around a launch, less the time from the "
     "first CTA's start to the last one's end", "launch.beyond_span",
     "kernel_ns", {}),
    ("Between two kernels, ns", "", "launch.gap", "kernel_ns", {}),
    ("From the end of a CTA to the next on its SM, cycles", "",
     "launch.replacement", "threads", {}),
    ("Fragments of a tile [128 x 128] to global memory, cycles a tile",
     "eight tiles one after another, one warpgroup", "store.fragment.round",
     "ctas", {"warpgroups": 1, "tiles": ("new", "again")}),
    ("A box through the tensor copy engine, cycles until read",
     "", "store.tma.read", "ctas", {}),
    ("The same, a box after the other", "", "store.tma.round", "ctas", {}),
    ("Atomics on one word, cycles each", "", "atomic.word", "ctas", {}),
    ("wgmma beside other things, cycles each", "f16, both operands K-major or "
     "A from registers, one warpgroup", "wgmma.interval", "n",
     {"warpgroups": 1, "a": ("k", "registers"), "b": "k"}),
    ("Shared memory beside wgmma, bytes a cycle", "the same",
     "wgmma.beside.shared", "n", {"a": ("k", "registers"), "b": "k"}),
    ("Arithmetic beside wgmma, lanes a cycle", "", "unit.rate", "beside", {}),
    ("wgmma m64n128 beside arithmetic, cycles each", "64 alone",
     "unit.wgmma_interval", "warpgroups", {}),
    ("Tiles by cp.async and ld.global, cycles a stage", "", "copy.step",
     "stages", {"work": 0}),
    ("Multicast, cycles a stage of 32 KB", "", "multicast.step", "stages", {}),
    ("Multicast, cycles from issue to arrival", "", "multicast.latency",
     "stages", {}),
    ("Rows that begin elsewhere than at a multiple of 128 bytes, bytes a cycle "
     "and SM", "boxes of 128 rows of 128 bytes, 64 KB in flight; `pitch_rest`: "
     "each row begins so much farther than the one before", "rows.port",
     "begin", {}),
    ("A ring whose pairs of CTAs share B, cycles a stage", "rows of 128 bytes",
     "slices.step", "stages", {}),
    ("Releases and fences beyond the CTA, cycles", "one lane a warp executes it "
     "again and again, at once or with rests", "scope.issue", "warps", {}),
    ("Plain reads and writes of arrays, GB/s", "all SMs, 16 bytes a lane",
     "stream.rate", "mb", {}),
    ("Small loops as they are lowered, cycles a turn", "", "loop.step", "loop",
     {}),
    ("Rings as they are lowered, cycles a turn", "nothing but loads",
     "ring.turn", "stages", {}),
    ("Wake-ups, cycles a hop", "", "wake.hop", "signal", {}),
    ("The clock under load, MHz, by milliseconds since its start", "",
     "power.clock", "from_ms", {}),
)


def number(x):
    return f"{x:.0f}" if abs(x) >= 100 or x == int(x) else f"{x:.3g}"


def cell(statistic):
    low, high = number(statistic["p10"]), number(statistic["p90"])
    middle = number(statistic["median"])
    return middle if low == high else f"{middle} ({low}-{high})"


def table(data, name, column, where):
    columns, lines = [], {}
    for parameters, statistic in rows(data, name, **where):
        # What is the same in all rows is not shown.
        key = tuple((k, v) for k, v in parameters.items() if k != column)
        at = parameters[column]
        if at not in columns:
            columns.append(at)
        lines.setdefault(key, {})[at] = cell(statistic)
    if all(isinstance(c, (int, float)) for c in columns):
        columns.sort()
    if not next(iter(lines)):  # nothing but the columns: one a line
        return (f"| {column} | |\n|---|--:|\n" + "".join(
            f"| `{c}` | {lines[()][c]} |\n" for c in columns))
    varying = [i for i in range(len(next(iter(lines))))
               if len({key[i] for key in lines}) > 1]
    heads = [next(iter(lines))[i][0] for i in varying]
    text = "| " + " | ".join(
        [*heads, *(str(c) for c in columns)]) + " |\n"
    text += "|" + "---|" * len(heads) + "--:|" * len(columns) + "\n"
    for key, cells in lines.items():
        text += "| " + " | ".join(
            [*(str(key[i][1]) for i in varying),
             *(cells.get(c, "-") for c in columns)]) + " |\n"
    return text


def tables(data):
    machine = data["machine"]
    text = (f"# Microbenchmarks on an H200\n\n{machine['gpu']}, driver "
            f"{machine['driver']}, {machine['date']}, SM clock "
            f"{machine['sm_clock_mhz']:.0f} MHz but for the last table, where "
            "load sets it. Medians, with the 10th and 90th percentile where "
            "they differ. Written by `hwtests/calibrate/record.py`; [its README]"
            "(../../calibrate/README.md) says how each was measured, [the one "
            "here](README.md) what they mean.\n")
    for title, note, name, column, where in SHOWN:
        note = f"; {note}" if note else ""
        text += f"\n## {title}\n\n`{name}` by `{column}`{note}.\n\n"
        text += table(data, name, column, where)
    return text


# --- check -------------------------------------------------------------------

def broken_rows(data):
    for name, reading in data["readings"].items():
        width = len(reading["parameters"]) + len(STATISTICS)
        seen = set()
        for row in reading["rows"]:
            key = json.dumps(row[:-len(STATISTICS)])
            median, low, high, repeats = row[-len(STATISTICS):]
            if len(row) != width or key in seen:
                yield f"{name}: {row} has a wrong width, or is there twice"
            elif not low <= median <= high or not math.isfinite(high) or \
                    repeats < 1:
                yield f"{name}: {row} is no median between two percentiles"
            seen.add(key)


def findings(data, readme, shown):
    named = set(re.findall(r"^\| `([\w.]+)`",
                           readme.partition("## Readings")[2], re.M))
    for name in sorted(named ^ set(data["readings"])):
        where = "not recorded" if name in named else "not in README.md"
        yield f"{name}: {where}"
    yield from broken_rows(data)
    yield from disagreements(data)
    if shown != tables(data):
        yield f"{TABLES.name} is not what {DATA.name} says"


def check():
    data = json.loads(DATA.read_text())
    found = list(findings(data, (HERE / "README.md").read_text(),
                          TABLES.read_text()))
    print("\n".join(found) if found else
          f"{len(data['readings'])} readings, nothing found")
    return 1 if found else 0


def self_test():
    text, readme = DATA.read_text(), (HERE / "README.md").read_text()

    def found(change, page=readme):
        data = json.loads(text)
        change(data["readings"])
        return " ".join(findings(data, page, tables(data)))

    def first(readings):
        return readings["ring.step"]["rows"][0]

    assert found(lambda r: None) == ""
    assert "no median" in found(lambda r: first(r).__setitem__(-3, 1e9))
    assert "twice" in found(lambda r: r["ring.step"]["rows"].append(first(r)))
    assert "known as 128" in found(lambda r: r["wgmma.interval"].update(
        rows=[[*row[:-4], 64, 64, 64, 1]
              for row in r["wgmma.interval"]["rows"]]))
    assert "not in README" in found(lambda r: r.update(new=r["gpc.sms"]))
    assert "not recorded" in found(lambda r: None, readme + "\n| `x.y` | z |\n")
    assert "not what" in " ".join(findings(json.loads(text), readme, ""))
    print("self-test passed")
    return 0


def main():
    word, *rest = sys.argv[1:] or [""]
    if word == "record" and len(rest) == 1:
        return record(pathlib.Path(rest[0]))
    if word == "add" and len(rest) == 1:
        return add(pathlib.Path(rest[0]))
    if word == "check" and not rest:
        return check()
    if word == "self-test" and not rest:
        return self_test()
    return sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
