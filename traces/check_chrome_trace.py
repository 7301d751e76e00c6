#!/usr/bin/env python3
"""Checks that trace files obey the rules that viewers rely on.

    check_chrome_trace.py FILE.json[.gz]...
    check_chrome_trace.py --self-test FILE.json   # each rule can fail

Reads the way Perfetto does: microseconds as a double, times 1000, cut to
whole nanoseconds. Prints every broken rule; exits 1 if there is one.
Independent of the writer on purpose: standard library only.
"""

import bisect
import collections
import copy
import gzip
import itertools
import json
import sys

OTHER_DATA = {
    "schema": int, "generator": str, "program": str, "arch": str,
    "clock_mhz": (int, float), "slices": int, "flows": int, "counters": int,
    "truncated": bool, "filter": str, "omitted_slices": int,
    "omitted_flows": int, "omitted_counters": int,
}
PHASES = {"M", "X", "s", "f", "C"}


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice in {dict(pairs)}")
    return dict(pairs)


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=no_duplicates)


def ns(microseconds):
    return int(microseconds * 1000.0)


def check_head(trace):
    if trace.get("displayTimeUnit") != "ns":
        yield "displayTimeUnit is not ns"
    other = trace.get("otherData", {})
    for key, kind in OTHER_DATA.items():
        if not isinstance(other.get(key), kind):
            yield f"otherData lacks {key}"
    events = trace["traceEvents"]
    for key, phase in (("slices", "X"), ("flows", "s"), ("counters", "C")):
        count = sum(event["ph"] == phase for event in events)
        if other.get(key) != count:
            yield f"otherData says {other.get(key)} {key}, there are {count}"


def check_names(events):
    named = {(e["name"], e["pid"], e.get("tid")) for e in events
             if e["ph"] == "M"}
    for event in events:
        pid, tid = event["pid"], event.get("tid")
        if event["ph"] not in PHASES:
            yield f"phase {event['ph']} is none of ours"
        for what in ("process_name", "process_sort_index"):
            if (what, pid, None) not in named:
                yield f"pid {pid} has no {what}"
        for what in ("thread_name", "thread_sort_index"):
            if tid is not None and (what, pid, tid) not in named:
                yield f"pid {pid} tid {tid} has no {what}"


def tracks_of(events):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    return tracks


def check_slices(events, mhz):
    for track, slices in tracks_of(events).items():
        open_ends = []
        for event in slices:  # in file order: by start, parents first
            start, end = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
            where = f"{track} {event['name']!r} at {event['ts']}"
            if event["dur"] < 0 or event["ts"] < 0:
                yield f"{where}: negative time"
            if event.get("cat") not in ("work", "wait", "idle"):
                yield f"{where}: category {event.get('cat')}"
            exact = event["args"]["cycle"] * 1000 / mhz
            if abs(start - exact) > 0.501:
                yield f"{where}: starts {start} ns, its cycle is at {exact}"
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                yield f"{where}: crosses the end of the slice that holds it"
            open_ends.append(end)


def coverage_of(events):
    """Track -> its slices' starts, and the latest end up to each start."""
    coverage = {}
    for track, slices in tracks_of(events).items():
        spans = sorted((ns(s["ts"]), ns(s["ts"]) + ns(s["dur"]))
                       for s in slices)
        ends = itertools.accumulate((end for _, end in spans), max)
        coverage[track] = [start for start, _ in spans], list(ends)
    return coverage


def covered(coverage, track, at):
    """Does some slice [start, end) of the track hold `at`?"""
    starts, ends = coverage.get(track, ([], []))
    before = bisect.bisect_right(starts, at)
    return before > 0 and ends[before - 1] > at


def check_flows(events):
    coverage = coverage_of(events)
    ends = collections.defaultdict(list)
    for event in events:
        if event["ph"] not in ("s", "f"):
            continue
        ends[event["id"]].append(event)
        track = event["pid"], event["tid"]
        if not covered(coverage, track, ns(event["ts"])):
            yield f"flow {event['id']}: no slice under its {event['ph']}"
    for flow, pair in ends.items():
        if [event["ph"] for event in pair] != ["s", "f"]:
            yield f"flow {flow} is not one s and one f"
        elif pair[0]["ts"] > pair[1]["ts"]:
            yield f"flow {flow} runs backwards"
        elif pair[1].get("bp") != "e":
            yield f"flow {flow} does not bind to the enclosing slice"


def check_counters(events):
    last = {}
    for event in events:
        if event["ph"] != "C":
            continue
        if not isinstance(event["args"].get("value"), (int, float)):
            yield f"counter {event['name']}: value is no number"
        key = event["pid"], event["name"]
        if last.get(key, 0) > event["ts"]:
            yield f"counter {event['name']}: time runs backwards"
        last[key] = event["ts"]


def check(trace):
    events = trace["traceEvents"]
    mhz = trace.get("otherData", {}).get("clock_mhz", 1)
    problems = [*check_head(trace), *check_names(events),
                *check_slices(events, mhz), *check_flows(events),
                *check_counters(events)]
    return sorted(set(problems))


def self_test(path):
    """Breaks one thing at a time in a good trace; each must be found."""
    good = load(path)
    assert check(good) == [], check(good)

    def first(trace, phase):
        return next(e for e in trace["traceEvents"] if e["ph"] == phase)

    def drop(trace, phase):
        trace["traceEvents"].remove(first(trace, phase))

    breakages = {
        "displayTimeUnit": lambda t: t.update(displayTimeUnit="ms"),
        "lacks schema": lambda t: t["otherData"].pop("schema"),
        "slices, there are": lambda t: drop(t, "X"),
        "no process_name": lambda t: drop(t, "M"),
        "no thread_name": lambda t: first(t, "X").update(tid=99),
        "negative time": lambda t: first(t, "X").update(dur=-1.0),
        "category": lambda t: first(t, "X").update(cat="nap"),
        "its cycle is at": lambda t: first(t, "X")["args"].update(cycle=99),
        "crosses": lambda t: first(t, "X").update(dur=0.3),
        "not one s and one f": lambda t: drop(t, "f"),
        "no slice under": lambda t: first(t, "s").update(ts=9.9),
        "runs backwards": lambda t: first(t, "f").update(ts=0.1),
        "does not bind": lambda t: first(t, "f").pop("bp"),
        "no number": lambda t: first(t, "C")["args"].update(value="1"),
        "time runs backwards": lambda t: first(t, "C").update(ts=9.0),
        "none of ours": lambda t: first(t, "C").update(ph="Z"),
    }
    for expected, damage in breakages.items():
        broken = copy.deepcopy(good)
        damage(broken)
        problems = check(broken)
        assert any(expected in p for p in problems), (expected, problems)
    print(f"{len(breakages)} breakages found")


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        self_test(arguments[1])
        return 0
    status = 0
    for path in arguments:
        problems = check(load(path))
        for problem in problems:
            print(f"{path}: {problem}")
        status = 1 if problems else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
