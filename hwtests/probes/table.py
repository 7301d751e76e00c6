#!/usr/bin/env python3
"""What the probes read, as a record and as tables.

    table.py record OUT   makes record.json of what run.sh left in OUT, and
                          writes the tables into README.md
    table.py write        writes the tables again
    table.py check        README.md says what the record does (ctest)
    table.py self-test    shows that the check can fail
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA, PAGE = HERE / "record.json", HERE / "README.md"
BEGIN, END = "<!-- table.py -->\n", "<!-- end -->\n"
KEYS = ("probe", "reader", "fence", "setup", "delay", "iterations", "checked",
        "wrong")
RIGHT = {"writers", "release.cluster to acquire.cluster",
         *(f"flag, fence {a} to {b}" for a in ("cluster", "gpu")
           for b in ("cluster", "gpu"))}


def is_broken(one):
    return one["fence"].startswith("broken") or \
        one["setup"].endswith("is missing")


def is_right(one):
    # Without a barrier of its warps no fence makes a wgmma right (proxy.cu).
    if one["reader"].startswith("wgmma") and one["setup"].startswith("own"):
        return False
    return one["fence"] in RIGHT or one["setup"] == "nobody ends"


def blind(readings):
    """Readers whose right variant fails, or whose broken one does not."""
    for probe, reader in unique((r["probe"], r["reader"] if r["probe"] !=
                                 "exits" else None) for r in readings):
        of = [r for r in readings if r["probe"] == probe and
              reader in (None, r["reader"])]
        right = [r for r in of if is_right(r) and not is_broken(r)]
        broken = [r for r in of if is_broken(r)]
        if not right or any(r["wrong"] for r in right):
            yield f"{probe}, {reader or 'barriers'}: the right variant fails"
        if not broken or not all(r["wrong"] for r in broken):
            yield f"{probe}, {reader or 'barriers'}: a broken variant passes"


def unique(values):
    return list(dict.fromkeys(values))


def cell(readings):
    """Wrong values of those checked, and the delays at which there were any."""
    if not readings:
        return "-"
    checked = sum(r["checked"] for r in readings)
    wrong = sum(r["wrong"] for r in readings)
    text = f"{wrong} of {checked:.2g}"
    delays = sorted({r["delay"] for r in readings if r["wrong"]})
    return f"**{text}** ({', '.join(map(str, delays))})" if wrong else text


def ends(readings):
    if not readings:
        return "-"
    hangs = any(r["wrong"] for r in readings)
    return "**hangs**" if hangs else f"ends, {readings[0]['checked']} times"


def matrix(readings, heads, row_of, column_of, show=cell):
    columns = unique(column_of(r) for r in readings)
    text = "| " + " | ".join([*heads, *columns]) + " |\n" + \
        "|" + "---|" * (len(heads) + len(columns)) + "\n"
    for row in unique(row_of(r) for r in readings):
        cells = (show([r for r in readings
                       if row_of(r) == row and column_of(r) == column])
                 for column in columns)
        text += "| " + " | ".join([*row, *cells]) + " |\n"
    return text


def tables(data):
    if data is None:
        return "Nothing is recorded yet.\n"
    readings = data["readings"]

    def of(probe):
        return [r for r in readings if r["probe"] == probe]

    found = list(blind(readings))
    sees = "Every reader sees failures." if not found else \
        "**Unable to see failures:** " + "; ".join(found) + "."
    machine = data["machine"]
    return (
        f"{machine['gpu']}, driver {machine['driver']}, {machine['date']}. "
        f"Wrong values of those checked; in parentheses the delays at which "
        f"there were any. {sees}\n\n"
        "Proxy fence, by who executes it:\n\n" +
        matrix(of("proxy"), ["reader", "writers"],
               lambda r: (r["reader"], r["setup"].split()[0]),
               lambda r: r["fence"]) +
        "\nScopes, by where the words are:\n\n" +
        matrix(of("scopes"), ["orders"], lambda r: (r["fence"],),
               lambda r: r["reader"]) +
        "\nThreads that have ended:\n\n" +
        matrix(of("exits"), ["barrier", "who"],
               lambda r: (r["reader"], r["setup"]),
               lambda r: "2 ms late" if r["delay"] else "early", ends))


def page_with(page, data):
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + tables(data) + "\n" + END + after


def findings(page, data):
    if BEGIN not in page or END not in page:
        yield f"{PAGE.name} has no place for tables"
    elif page != page_with(page, data):
        yield f"{PAGE.name} is not what {DATA.name} says: table.py write"
    for one in (data or {}).get("readings", []):
        if tuple(one) != KEYS or not 0 <= one["wrong"] <= one["checked"]:
            yield f"{one} is no reading"


def load():
    return json.loads(DATA.read_text()) if DATA.exists() else None


def merged(readings):
    """Sizes, conflicts and CTAs an SM added up: no table tells them apart."""
    sums = {}
    for r in readings:
        setup = r["setup"].split()[0] if r["probe"] == "proxy" else r["setup"]
        one = r | {"setup": setup}
        key = tuple(one[k] for k in KEYS[:5])
        known = sums.setdefault(key, one | dict.fromkeys(KEYS[5:], 0))
        for k in KEYS[5:]:
            known[k] += r[k]
    return list(sums.values())


def record(folder):
    readings = merged(json.loads((folder / "probes.json").read_text()))
    stamp, gpu, driver, _ = (
        folder / "machine.csv").read_text().strip().split(", ")
    machine = {"gpu": gpu, "driver": driver,
               "date": stamp.split()[0].replace("/", "-")}
    lines = ",\n".join("  " + json.dumps(r) for r in readings)
    DATA.write_text(f'{{\n "machine": {json.dumps(machine)},\n'
                    f' "readings": [\n{lines}\n ]\n}}\n')
    print(f"{len(readings)} readings", *blind(readings), sep="\n")


def check():
    found = list(findings(PAGE.read_text(), load()))
    print("\n".join(found) if found else "nothing found")
    return 1 if found else 0


def self_test():
    def one(fence, wrong, reader="x", setup="all of 128", probe="proxy"):
        return dict(zip(KEYS, (probe, reader, fence, setup, 0, 1, 10, wrong)))

    def data(*readings):
        return {"machine": {"gpu": "g", "driver": "d", "date": "t"},
                "readings": list(readings)}

    sound = [one("none", 3), one("writers", 0), one("broken: x", 5)]
    assert not list(blind(sound))
    assert "right variant fails" in next(blind([one("writers", 1),
                                                one("broken: x", 5)]))
    assert "broken variant passes" in next(blind([one("writers", 0),
                                                  one("broken: x", 0)]))
    assert not list(blind([*sound, one("writers", 9, setup="own of 128",
                                       reader="wgmma A"),
                           one("writers", 0, "wgmma A"),
                           one("broken: x", 1, "wgmma A")]))
    barriers = [one("none", 0, "b", "nobody ends", "exits"),
                one("none", 1, "c", "a warp is missing", "exits")]
    assert not list(blind(barriers))
    page = page_with("a\n" + BEGIN + END + "b\n", data(*sound))
    assert "**3 of 10** (0)" in page and page.endswith("b\n")
    assert not list(findings(page, data(*sound)))
    assert list(findings(page, data(*sound[1:])))
    assert list(findings(page, None)) and list(findings("", None))
    assert any("no reading" in f for f in findings(page, data(one("n", 11))))
    print("self-test passed")
    return 0


def main():
    word, *rest = sys.argv[1:] or [""]
    if word == "record" and len(rest) == 1:
        record(pathlib.Path(rest[0]))
    elif word == "check" and not rest:
        return check()
    elif word == "self-test" and not rest:
        return self_test()
    elif word != "write" or rest:
        return sys.exit(__doc__)
    PAGE.write_text(page_with(PAGE.read_text(), load()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
