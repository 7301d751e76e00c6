#!/usr/bin/env python3
"""What an H200 did, as recorded, against what the model says now.

    recorded.py check COMMAND        every record still holds (ctest)
    recorded.py times COMMAND        measured and modelled times, a table
    recorded.py record DIR COMMAND   judges the files that measure.py left in
                                     DIR, and makes records of them,
                                     with tables of them for people (h200/*.md)
    recorded.py add DIR COMMAND      likewise; records of other runs stay

A record names the program, a hash of the code it was lowered to, its sizes and
what it was run with, and what was seen. It is stale, and fails, once the code or
the sizes have changed; the text may change. (What a sanitizer said is about the
text: its records have a hash of that.)
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "hwtests/litmus")]
import litmus  # noqa: E402
from programs import fingerprint, program_hash, sha, sizes  # noqa: E402

FOLDER = HERE / "h200"
PARTS = ("litmus", "values", "standalone", "times", "corpus", "sanitizer",
         "trace")
# How the code of a part was lowered.
LOWERED = {"litmus": ["--debug", "--delays"], "corpus": ["--debug", "--delays"],
           "values": [], "times": [], "trace": [],
           "standalone": ["--standalone"]}


def load(part, folder=FOLDER):
    path = pathlib.Path(folder) / f"{part}.json"
    return json.loads(path.read_text()) if path.exists() else None


def payload(path):
    data = pathlib.Path(path).read_bytes()
    return data[data.index(b"\n") + 1:]


def defines_of(record):
    if "defines" in record:
        return record["defines"]
    return [f"{name}={value}" for name, value in
            sorted(record["parameters"].items())]


def options(record):
    return [x for define in defines_of(record) for x in ("-D", define)]


def name_of(record):
    return " ".join([record["file"], *map(str, defines_of(record))])


def stale(part, record, command):
    """Why a record is about another program, or about other code."""
    if not (ROOT / record["file"]).exists():
        return "stale: the program is gone"
    if part not in LOWERED:
        same = program_hash(record["file"]) == record["program"]
        return "" if same else "stale: the program has changed since"
    if sizes(record["file"], defines_of(record)) != record["sizes"]:
        return "stale: the program has other sizes now"
    if not record.get("emitted"):
        return "it does not say what code was measured"
    done = subprocess.run(
        [command, "lower", record["file"], *LOWERED[part], *options(record)],
        capture_output=True, cwd=ROOT, check=False)
    if fingerprint(done.stdout) != record["emitted"]:
        return "stale: it is lowered to other code now"
    return ""


# --- values ------------------------------------------------------------------

def wrong_values(record, command):
    """In what the model's bytes are not the GPU's."""
    hashes, of = (record["sha256"], sha) if "sha256" in record else \
        (record["outputs"], fingerprint)
    with tempfile.TemporaryDirectory() as folder:
        args = [command, "run", record["file"], "--values", "all", "--seed",
                str(record["seed"]), *options(record)]
        for name in hashes:
            args += ["--out", f"{name}={folder}/{name}.npy"]
        done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT,
                              check=False)
        if done.returncode != 0:
            return done.stderr
        got = {name: of(payload(f"{folder}/{name}.npy")) for name in hashes}
    return "" if got == hashes else "the model's bytes are not the GPU's"


def judge_values(record, command):
    if record.get("findings"):
        return f"finds {record['findings'][0]['message']}"
    if record.get("result", {}).get("bit_exact") is False:
        return ""  # within the bound, where the program is not exact
    return wrong_values(record, command)


# --- traces ------------------------------------------------------------------

def role_words(path):
    """What warps do in a trace, by the names of their roles."""
    events = json.loads(gzip.open(path).read())["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
              if e.get("name") == "thread_name"}
    words = {}
    for e in events:
        track = re.match(r"(\w+) \(warps? \d",
                         tracks.get((e["pid"], e.get("tid")), ""))
        if e.get("ph") == "X" and track:
            word = re.sub(r"\[\d+\]", "", e["name"])
            words.setdefault(track[1], set()).add(word)
    return words


def trace_diff(record, command, folder):
    """(the model's trace of now, where it and the GPU's part)"""
    model = f"{folder}/model.json.gz"
    subprocess.run([command, "run", record["file"], "--timing-only", "--arch",
                    "h200", "--trace", model, "--trace-cta", "0,1,2,3",
                    *options(record)], capture_output=True, cwd=ROOT, check=True)
    gpu = FOLDER / record["trace"]
    done = subprocess.run([command, "trace", "diff", model, str(gpu)],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: they part
        raise RuntimeError(done.stderr)
    return model, done.stdout.replace(model, "the model").replace(
        str(gpu), "the GPU")


def judge_trace(record, command):
    with tempfile.TemporaryDirectory() as folder:
        model, _ = trace_diff(record, command, folder)
        ours, gpus = role_words(model), role_words(FOLDER / record["trace"])
    if not gpus or not set(gpus) <= set(ours):
        return f"roles {sorted(ours)} here, {sorted(gpus)} there"
    # Before a role begins, what its warps do may stand in another's track.
    strange = set().union(*gpus.values()) - set().union(*ours.values())
    strange.discard("other")
    return f"the model has no {sorted(strange)}" if strange else ""


JUDGES = {
    "litmus": litmus.judge_record,
    "values": judge_values,
    "trace": judge_trace,
    "standalone": lambda record, _: "" if record["passed"] else "does not pass",
}


def problem_of(part, record, command):
    if "error" in record:
        return "" if part in ("corpus", "sanitizer") else record["error"]
    judge = JUDGES.get(part, lambda *_: "")
    return stale(part, record, command) or judge(record, command)


def check(command):
    failures = []
    for part in PARTS:
        data = load(part)
        if data is None:
            print(f"{part}: not recorded")
            continue
        found = [(r, problem_of(part, r, command)) for r in data["records"]]
        bad = [f"{part}: {name_of(r)}: {why}" for r, why in found if why]
        print(f"{part}: {len(found)} records, {len(bad)} do not hold")
        failures += bad or ([] if found else [f"{part}: no records"])
    for path, text in tables(command):
        if not path.exists() or path.read_text() != text:
            failures.append(f"{path.name} is not what the records say")
    if failures:
        sys.exit("\n".join(failures))


# --- tables ------------------------------------------------------------------

def modelled_us(command, record):
    done = subprocess.run(
        [command, "run", record["file"], "--timing-only", "--arch", "h200",
         "--format", "json", *options(record)],
        capture_output=True, text=True, cwd=ROOT, check=True)
    return json.loads(done.stdout)["files"][0]["time_us"]


def run_name(record):
    """hgemm_v10 8192x4096x1024: the program and its sizes."""
    sizes = "x".join(d.split("=")[1] for d in defines_of(record))
    return " ".join([pathlib.Path(record["file"]).stem, sizes]).strip()


def times(command):
    print("| run | measured us | modelled us | modelled / measured |")
    print("|---|--:|--:|--:|")
    for record in load("times")["records"]:
        name = run_name(record)
        model, real = modelled_us(command, record), record["median_us"]
        mark = " (stale)" if stale("times", record, command) else ""
        print(f"| {name}{mark} | {real:.0f} | {model:.0f} "
              f"| {model / real:.2f} |")


def on_the_gpu(record, repair):
    """hangs, faults, different results, other values; else it gets away."""
    if record is None or "error" in record:
        return "not lowered"
    outcomes = record["outcomes"]
    total = sum(o["count"] for o in outcomes)
    told = []
    for kind in ("hang", "fault"):
        of_kind = [o for o in outcomes if o["kind"] == kind]
        count = sum(o["count"] for o in of_kind)
        if count == total:
            return f"{kind}s"
        if count:
            told.append(f"{kind}s in {count} of {total}{delayed(of_kind)}")
    values = [o for o in outcomes if o["kind"] == "values"]
    texts = [json.dumps(o["outputs"], sort_keys=True) for o in values]
    right = None
    if repair and len(repair.get("outcomes", [])) == 1:
        right = json.dumps(repair["outcomes"][0].get("outputs"), sort_keys=True)
    wrong = [o for o, text in zip(values, texts) if text != right]
    if right is not None and wrong:
        count = sum(o["count"] for o in wrong)
        told.append(f"wrong values in {count} of {total}{delayed(wrong)}")
    elif len(values) > 1:
        rare = sorted(values, key=lambda o: o["count"])[:-1]
        told.append(f"{len(values)} different results{delayed(rare)}")
    return ", ".join(told) or "gets away with it"


def delayed(outcomes):
    return "" if any(o["undelayed"] for o in outcomes) else ", only with delays"


TOOLS = ("racecheck", "synccheck", "memcheck")
CORPUS_HEAD = f"""# Bugs on an H200

What the GPU did with the bugs of the verifier's corpora, lowered as they are,
60 launches with and without injected delays (fewer after two hangs or faults),
and what compute-sanitizer said of the same program without delays; `timeout`: it
said nothing in 8 s, as of programs that hang. Written by `recorded.py record`.

| program | `tilesim check` expects | on the GPU | {" | ".join(TOOLS)} |
|---|---|---|{"---|" * len(TOOLS)}
"""


def expected_codes(file):
    codes = re.findall(r"//! error\[([^\]]*)\]", (ROOT / file).read_text())
    return ", ".join(f"`{c}`" for c in dict.fromkeys(codes)).replace(
        "|", "\\|") or "a warning"


def summary(said, repairs, peers):
    """What the table amounts to; `said`: of each bug, on the GPU."""
    always = sum(one in ("hangs", "faults") for one in said)
    away = sum(one == "gets away with it" for one in said)
    lines = [f"{len(said)} bugs: {always} hang or fault in each launch, "
             f"{len(said) - always - away} are seen in some launches, "
             f"{away} get away with it.",
             f"{len(repairs)} repairs: "
             f"{sum(on_the_gpu(r, r) == 'gets away with it' for r in repairs)} "
             "end alike in each launch."]
    for tool in TOOLS:
        found = [file.endswith(".fixed.tile") for file, r in peers.items()
                 if r.get(tool, {}).get("verdict") == "finds"]
        lines.append(f"{tool} finds something in {found.count(False)} bugs, "
                     f"and in {found.count(True)} repairs.")
    return "\n".join(f"* {line}" for line in lines) + "\n"


def corpus_table():
    recorded = {r["file"]: r for r in load("corpus")["records"]}
    peers = {r["file"]: r for r in (load("sanitizer") or
                                    {"records": []})["records"]}
    lines, outcomes = [], []
    for file, record in sorted(recorded.items()):
        if file.endswith(".fixed.tile"):
            continue
        repair = recorded.get(file.replace(".tile", ".fixed.tile"))
        said = [peers.get(file, {}).get(tool, {}).get("verdict", "-")
                for tool in TOOLS]
        name = file.removeprefix("tests/").removesuffix(".tile")
        outcomes.append(on_the_gpu(record, repair))
        lines.append(f"| {name} | {expected_codes(file)} "
                     f"| {outcomes[-1]} | " + " | ".join(said) + " |")
    repairs = [r for f, r in recorded.items() if f.endswith(".fixed.tile")]
    return (CORPUS_HEAD + "\n".join(lines) + "\n\n" +
            summary(outcomes, repairs, peers))


TIMES_HEAD = """# Times on an H200

Medians of timed launches, random normal inputs, L2 warm; cuBLAS in the same
process, timed by the same code, launch by launch in turns. TFLOP/s are of what
`computes` asks for. Written by `recorded.py record`.

| program | sizes | us | TFLOP/s | cuBLAS us | of its speed | SM MHz after |
|---|---|--:|--:|--:|--:|--:|
"""


def times_table():
    lines = []
    for r in load("times")["records"]:
        if "error" in r:
            lines.append(f"| {r['file']} | {' '.join(defines_of(r))} | - | - "
                         "| - | - | - |")
            continue
        rate = f"{r['tflops']:.3g}" if r.get("tflops") else "-"
        library = r.get("cublas_us")
        beside = (f"{library:.1f} | {100 * library / r['median_us']:.1f} %"
                  if library else "- | -")
        lines.append(f"| {r['file'].removeprefix('examples/')} "
                     f"| {' '.join(defines_of(r))} | {r['median_us']:.1f} "
                     f"| {rate} | {beside} | {r['clock_mhz']:.0f} |")
    return TIMES_HEAD + "\n".join(lines) + "\n"


LITMUS_HEAD = """# Litmus programs on an H200

How launches with injected delays ended, how often. Written by
`recorded.py record`.

"""


def trace_table(command):
    text = """# Traces of an H200 and of the model, side by side

What `tilesim trace diff` says of the recorded trace and of one that the model
makes of the same program now. Written by `recorded.py record`.
"""
    for r in load("trace")["records"]:
        with tempfile.TemporaryDirectory() as folder:
            _, diff = trace_diff(r, command, folder)
        text += (f"\n## {name_of(r)}\n\n[{r['trace']}]({r['trace']}) opens in "
                 f"Perfetto. With stamps the code took "
                 f"{r['time_with_stamps']:.2f} times as long.\n\n"
                 f"```\n{diff}```\n")
    return text


TABLES = {"corpus": lambda _: corpus_table(), "times": lambda _: times_table(),
          "litmus": lambda _: LITMUS_HEAD + litmus.table(load("litmus")),
          "trace": trace_table}


def tables(command):
    """(path, text) of each table whose part is recorded."""
    for part, table in TABLES.items():
        if load(part) is not None:
            yield FOLDER / f"{part}.md", table(command)


def joined(old, new):
    """The records of `old` with those of `new` added, or in their places. Each
    of another machine or day than the file's says so."""
    kept = {name_of(one): one for one in old["records"]}
    for one in new["records"]:
        if new["machine"] != old["machine"]:
            one = {**one, "machine": new["machine"]}
        kept[name_of(one)] = one
    return {**old, "records": list(kept.values())}


def record(folder, command, add=False):
    for part in PARTS:
        data = load(part, folder)
        if data is None:
            continue
        for one in data["records"]:
            if "trace" in one:
                shutil.copy(pathlib.Path(folder) / one["trace"], FOLDER)
            why = problem_of(part, one, command)
            if why:
                print(f"{part}: {name_of(one)}: {why[:300]}")
        count = len(data["records"])
        old = load(part) if add else None
        if old is not None:
            data = joined(old, data)
        path = FOLDER / f"{part}.json"
        path.write_text(json.dumps(data, indent=1) + "\n")
        print(f"{part}: {count} records made, {len(data['records'])} in all")
    for path, text in tables(command):
        path.write_text(text)


def main():
    word, *rest = sys.argv[1:] or [""]
    command = os.path.abspath(rest[-1]) if rest else ""
    if word == "check" and len(rest) == 1:
        return check(command)
    if word == "times" and len(rest) == 1:
        return times(command)
    if word in ("record", "add") and len(rest) == 2:
        return record(rest[0], command, add=word == "add")
    return sys.exit(__doc__)


if __name__ == "__main__":
    main()
