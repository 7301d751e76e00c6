#!/usr/bin/env python3
"""What a launch of very many CTAs takes that do nothing, or meet the others of
their cluster.

    launches.py measure COMMAND OUT    on the GPU: OUT/readings.jsonl
    launches.py show COMMAND           the recorded ones, beside the model's (ctest)
"""
import pathlib
import tempfile

import cases
import loops

CTAS = 65536
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


def time_of(command, case, *args):
    cluster, threads, shared, meets = case
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/many.tile"
        pathlib.Path(file).write_text(PROGRAM.format(
            cluster=cluster, threads=threads, shared=max(16, shared * 1024),
            meet="barrier.cluster.arrive\n  barrier.cluster.wait" if meets
            else "bar.sync 0"), encoding="utf-8")
        said = loops.said(command, file, CTAS // cluster, *args)
    return sorted(cases.listed(said.get("plain_us", said.get("time_us"))))


if __name__ == "__main__":
    cases.main(cases.Reading(
        name="launch.many",
        parameters=("cluster", "threads", "shared_kb", "barrier"),
        unit="us", asked=asked, said=time_of, launches=25, share=0.3,
        mean=0.12), __doc__)
