#!/usr/bin/env python3
"""What a launch of very many CTAs takes that do nothing, or meet the others of
their cluster.

    launches.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl
    launches.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import json
import pathlib
import sys
import tempfile

import loops

LAUNCHES, CTAS = 25, 65536
# The model may be so far off, and on average.
SHARE, MEAN = 0.3, 0.12
PROGRAM = """kernel many target sm_90a {{
  param K : 1.. = 64
  global Y : u32[64]
  grid (K * {cluster})
  cluster ({cluster})
  block {threads}
  shared x : u8[{shared}]
  {meet}
  thread 0 {{ if K == 1 {{ st.relaxed.gpu Y[0], 1 }} }}
}}
"""


def asked():
    """CTAs of a cluster, threads, KB of shared memory, whether they meet."""
    for cluster in (1, 2, 4, 8):
        for threads in (32, 128, 256):
            yield cluster, threads, 0, 0
            yield cluster, threads, 64, 0
            if cluster > 1:
                yield cluster, threads, 0, 1
                yield cluster, threads, 64, 1
        yield cluster, 128, 24, 0


def time_of(command, case, name, *args):
    cluster, threads, shared, meets = case
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/many.tile"
        pathlib.Path(file).write_text(PROGRAM.format(
            cluster=cluster, threads=threads, shared=max(16, shared * 1024),
            meet="barrier.cluster.arrive\n  barrier.cluster.wait" if meets
            else "bar.sync 0"), encoding="utf-8")
        times = loops.said(command, file, CTAS // cluster, *args)[name]
    return sorted(times if isinstance(times, list) else [times])


def measure(command, out):
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(out) / "readings.jsonl", "a",
              encoding="utf-8") as file:
        for case in asked():
            each = time_of(command, case, "plain_us", "hw", "--spans", "--seed",
                           "1", "--runs", str(LAUNCHES), "--timeout", "20")
            print(json.dumps({
                "name": "launch.many",
                "parameters": dict(zip(("cluster", "threads", "shared_kb",
                                        "barrier"), case)),
                "unit": "us", "median": each[len(each) // 2],
                "p10": each[len(each) // 10], "p90": each[len(each) * 9 // 10],
                "repeats": LAUNCHES}), file=file, flush=True)


def show(command):
    rows = json.loads(loops.DATA.read_text())["readings"]["launch.many"]["rows"]
    measured = {tuple(row[:4]): row[4] for row in rows}
    errors, wrong = [], set(measured) ^ set(asked())
    for case in asked():
        model = time_of(command, case, "time_us", "run", "--timing-only")[0]
        here = measured.get(case, 0)
        error = model / here - 1 if here else 1
        errors.append(abs(error))
        if abs(error) > SHARE:
            wrong.add(case)
        print(f"{here:6.1f} {model:6.1f} {100 * error:+4.0f} %  "
              f"{' '.join(map(str, case))}")
    print(f"mean {100 * sum(errors) / len(errors):.1f} %")
    if wrong or sum(errors) > MEAN * len(errors):
        sys.exit(f"off, or not recorded: {sorted(wrong)}")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "measure":
        measure(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        show(sys.argv[2])
    else:
        sys.exit(__doc__)
