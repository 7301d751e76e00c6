#!/usr/bin/env python3
"""What `ptx_mutants` printed, as a page: table.py FILE.tsv... > results.md"""
import collections
import pathlib
import sys

KINDS = ("drop", "double", "swap", "count", "parity", "stage", "guard",
         "fence")
WAYS = ("certificate", "reduced", "plain")


def rows(paths):
    """A dict a mutant, each once."""
    seen = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            words = line.split("\t")
            if len(words) < 10:
                continue  # cut off
            file, kind, what, place, loop, *said, codes, text = words[:10]
            seen[file, kind, what, place, text] = {
                "kind": kind, "loop": loop == "loop", "said": said,
                "codes": codes.split() if said[0] == "findings" else []}
    return list(seen.values())


def differ(said):
    return len({word for word in said if word != "open"}) > 1


def table(of):
    yield ("| kind | mutants | refused | findings | clean | open | in a loop | "
           "differ |")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for kind in (*KINDS, "all"):
        all_of = [r for r in of if kind in (r["kind"], "all")]
        by = collections.Counter(r["said"][0] for r in all_of)
        numbers = [len(all_of), by["refused"], by["findings"], by["clean"],
                   by["open"], sum(r["loop"] for r in all_of),
                   sum(differ(r["said"]) for r in all_of
                       if r["said"][0] != "refused")]
        yield f"| {kind} | {' | '.join(map(str, numbers))} |"


def page(of):
    yield "# Mutants of PTX, as they are judged"
    yield ""
    yield ("Written by `table.py`; what the words mean is in "
           "[README.md](README.md).")
    yield ""
    yield from table(of)
    yield ""
    yield "| | " + " | ".join(WAYS) + " |"
    yield "|---|" + "--:|" * len(WAYS)
    judged = [r for r in of if r["said"][0] != "refused"]
    for word in ("findings", "clean", "open"):
        counts = [sum(r["said"][i] == word for r in judged)
                  for i in range(len(WAYS))]
        yield f"| {word} | {' | '.join(map(str, counts))} |"
    yield ""
    yield "Codes of what is wrong, by how many mutants have them:"
    yield ""
    codes = collections.Counter(c for r in of for c in r["codes"])
    yield ", ".join(f"`{code}` {n}" for code, n in codes.most_common())


if __name__ == "__main__":
    print("\n".join(page(rows(sys.argv[1:]))))
