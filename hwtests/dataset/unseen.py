#!/usr/bin/env python3
"""How far the clock is from programs that it was not made with: kernels written
by somebody who had not seen the data set, measured after the model.

    unseen.py record COMMAND     unseen/README.md and sim/arch/accuracy_unseen.def
    unseen.py check COMMAND      some of them again (ctest): these say the same

A mechanism of the model that is chosen by one of these programs makes it a seen
one: its record says so ("seen": by which), and it counts no more.
"""
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import accuracy  # noqa: E402
import points as table  # noqa: E402

FOLDER = HERE / "unseen"
PAGE, COMMAND_SAYS = FOLDER / "README.md", table.ROOT / "sim/arch/accuracy_unseen.def"
CHECKED = 4  # every so many, in the test
TEXT = """# Programs that the model was not made with

Written by `unseen.py record`. {count} kernels for sm_90a, written from the README and the
language page alone by somebody who had not seen the [data set](../README.md), then measured
on an {device} ({date}, {launches} launches each, L2 warm; again where `lower` writes
other code since). No mechanism and no
parameter was chosen by them. This is what a program of one's own may expect; the error at the
data set's points, by which mechanisms were chosen, is [smaller](../accuracy.md).

Errors in percent, modelled over measured less one.

| | mean | median | worst |
|---|--:|--:|--:|
{parts}

{rows}

## Seen since

These were among them until a mechanism of the model was chosen by them. They do not count.

{seen}
"""
HEAD = """| program | sizes | cycles, modelled | measured | error | time, us, modelled | measured | error |
|---|---|--:|--:|--:|--:|--:|--:|
"""


def load():
    kept = json.loads((FOLDER / "h200.json").read_text())
    for r in kept["records"]:
        r["key"] = r["file"] + " " + " ".join(r["defines"])
        r["file"] = str((FOLDER / r["file"]).relative_to(table.ROOT))
    return kept["measured"], kept["records"]


def spread(model, records, unit):
    e = [accuracy.error(model, r, unit) * 100 for r in records]
    return (statistics.mean(map(abs, e)), statistics.median(map(abs, e)),
            max(e, key=abs))


def table_of(model, records):
    rows = []
    for r in sorted(records, key=lambda r: -abs(accuracy.error(model, r, "us"))):
        said, name = model[r["key"]], pathlib.Path(r["file"]).name
        cells = [f"[{name[:-5]}]({name})", ", ".join(r["defines"]).replace("=", " = ")]
        for unit, digits in (("cycles", 0), ("us", 1)):
            cells += [f"{said[unit]:,.{digits}f}", f"{r[unit][0]:,.{digits}f}",
                      f"{100 * accuracy.error(model, r, unit):+.1f}"]
        rows.append("| " + " | ".join(cells) + " |")
    return HEAD + "\n".join(rows)


def texts(model, measured, records):
    parts, unseen = [], [r for r in records if "seen" not in r]
    for unit, name in (("cycles", "cycles"), ("us", "time")):
        mean, median, worst = spread(model, unseen, unit)
        parts.append(f"| {name} | {mean:.1f} | {median:.1f} | {worst:+.1f} |")
    page = TEXT.format(count=len(unseen), parts="\n".join(parts),
                       rows=table_of(model, unseen),
                       seen=table_of(model, [r for r in records if "seen" in r]),
                       **measured)
    mean, _, worst = spread(model, unseen, "us")
    cycles, _, worst_cycles = spread(model, unseen, "cycles")
    row = (f'ACCURACY("h200", "{measured["device"]}", {len(unseen)}, {mean:.1f}, '
           f"{worst:.1f}, {cycles:.1f}, {worst_cycles:.1f})\n")
    command = ("// Written by hwtests/dataset/unseen.py record: arch, GPU, programs, mean\n"
               "// and worst error of times, and of cycles, in percent.\n" + row)
    return page, command


def row_of(page, record):
    name = pathlib.Path(record["file"]).name
    sizes = ", ".join(record["defines"]).replace("=", " = ")
    start = f"| [{name[:-5]}]({name}) | {sizes} |"
    return next((l for l in page.splitlines() if l.startswith(start)), "")


def check(command):
    measured, records = load()
    some = records[::CHECKED]
    page = texts(accuracy.predictions(command, some), measured, some)[0]
    kept = PAGE.read_text()
    other = [r["file"] for r in some if row_of(page, r) != row_of(kept, r)]
    for name in other:
        print(f"{name}: the model says something else than {PAGE.name}; "
              "`unseen.py record COMMAND` writes it anew")
    unknown = {p.name for p in FOLDER.glob("*.tile")} ^ {
        pathlib.Path(r["file"]).name for r in records}
    for name in sorted(unknown):
        print(f"{name}: a program without a record, or a record without a program")
    return 1 if other or unknown else 0


def main():
    command = str(pathlib.Path(sys.argv[2]).resolve())
    if sys.argv[1] == "check":
        return check(command)
    measured, records = load()
    page, said = texts(accuracy.predictions(command, records), measured, records)
    PAGE.write_text(page)
    COMMAND_SAYS.write_text(said)
    print(page.split("| program")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
