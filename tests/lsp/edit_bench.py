#!/usr/bin/env python3
"""How long after an edit that is not saved its diagnostics are there.

    edit_bench.py BINARY [EDITS]
"""
import pathlib
import statistics
import sys
import time

from session import Session

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("examples/hopper/hgemm_v08.tile", "examples/gemm/gemm.tile")


def files():
    """Those, and the longest of the examples."""
    longest = sorted((ROOT / "examples").rglob("*.tile"),
                     key=lambda p: -len(p.read_text(encoding="utf-8")))[:3]
    return [ROOT / name for name in FILES] + longest


def edits(session, path, count):
    text = path.read_text(encoding="utf-8")
    uri = path.as_uri()
    session.open(uri, text)
    session.diagnostics(uri)
    broken = text.rstrip().removesuffix("}") + "  bra.sync 0\n}\n"
    for i in range(count):
        begin = time.perf_counter()
        session.edit(uri, broken if i % 2 == 0 else text)
        found = session.diagnostics(uri)
        yield 1000 * (time.perf_counter() - begin)
        assert any(d["code"] == "name/op" for d in found) == (i % 2 == 0)


def main(binary, count="100"):
    print(f"{'file':45} {'lines':>5} {'median ms':>9} {'worst ms':>8}")
    for path in files():
        with Session(binary) as session:
            took = list(edits(session, path, int(count)))
        lines = len(path.read_text(encoding="utf-8").splitlines())
        print(f"{str(path.relative_to(ROOT)):45} {lines:5} "
              f"{statistics.median(took):9.1f} {max(took):8.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
