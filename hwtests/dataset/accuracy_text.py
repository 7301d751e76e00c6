"""The accuracy report as text and picture: accuracy.md, accuracy.svg."""
import math

NAMES = {"cycles": "cycles", "us": "time", "mhz": "clock"}
HEAD = """# How far the clock is from an H200

Written by `accuracy.py record` of [h200.json](h200.json) and of what the model
says of each point ([accuracy.json](accuracy.json)). Errors in percent, modelled
over measured less one: mean of their absolute values, mean, worst. No
parameter is fitted to points that are held out. They were looked at when mechanisms
were chosen: the first record, before that, was 11.0 % in cycles and 10.3 % in time.

![modelled against measured](accuracy.svg)
"""


def percent(x):
    return f"{100 * x:.1f}"


def cells(found):
    return " | ".join(f"{percent(m)} | {100 * s:+.1f} | {100 * w:+.1f}"
                      for m, s, w in (found[u] for u in NAMES))


def table(title, rows):
    units = " | ".join(f"{name} | mean | worst" for name in NAMES.values())
    lines = [f"\n## {title}\n", f"| | points | {units} |",
             "|---|--:|" + "--:|--:|--:|" * len(NAMES)]
    return "\n".join(lines + [f"| {name} | {n} | {cells(found)} |"
                              for name, n, found in rows]) + "\n"


def sweeps_table(sweeps, model, tools):
    lines = ["\n## Sweeps\n",
             "Kendall's rank correlation in time over pairs that silicon "
             "separates by 2 % or more;\nwhat the one that the model calls best "
             "takes, over the best measured.\n",
             "| sweep | part | pairs | correlation | predicted best |",
             "|---|---|--:|--:|--:|"]
    for name, of in sweeps.items():
        tau, count, cost = tools.ranking(model, of)
        fit = sum(map(tools.is_fit, of))
        part = ("fitted" if fit == len(of) else
                "held out" if fit == 0 else "both")
        lines.append(f"| {name} | {part} | {count} | "
                     f"{'-' if tau is None else f'{tau:.2f}'} | {cost:.3f} |")
    return "\n".join(lines) + "\n"


def write(folder, records, kept, tools):
    model = kept["points"]
    parts = tools.parts(records)
    text = HEAD + table("Parts", [(name, len(of), tools.errors(model, of))
                                  for name, of in parts.items()])
    text += "\n## Fitted\n\n" + "".join(
        f"* `{name}`: {what}.\n" for name, what in tools.FITTED.items())
    if kept["without"]:
        text += table("Without a fitted parameter, all points",
                      [(f"`{name}`", len(records), found["all"])
                       for name, found in kept["without"].items()])
    for name in ("fitted", "held out"):
        programs, _ = tools.groups(parts[name])
        text += table(f"By program, {name}",
                      [(p, len(of), tools.errors(model, of))
                       for p, of in programs.items()])
    text += sweeps_table(tools.groups(records)[1], model, tools)
    (folder / "accuracy.md").write_text(text)
    (folder / "accuracy.svg").write_text(picture(records, model, tools))


# --- the picture --------------------------------------------------------------

WIDE, HIGH, EDGE = 440, 400, 50


def panel(left, unit, name, records, model, tools):
    """Modelled over measured, in percent, against what was measured."""
    values = [r[unit][0] for r in records]
    low, high = math.log(min(values)), math.log(max(values))
    out = [f'<g transform="translate({left},0)">',
           f'<text x="{WIDE / 2}" y="20" text-anchor="middle">{name}</text>']
    for e in (-0.3, -0.15, 0, 0.15, 0.3):
        y = HIGH / 2 - e / 0.4 * (HIGH / 2 - EDGE)
        out += [f'<line x1="{EDGE}" x2="{WIDE}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="#bbb"/>',
                f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">'
                f'{100 * e:+.0f} %</text>']
    for r in records:
        e = max(-0.4, min(0.4, tools.error(model, r, unit)))
        x = EDGE + (math.log(r[unit][0]) - low) / (high - low) * (WIDE - EDGE)
        y = HIGH / 2 - e / 0.4 * (HIGH / 2 - EDGE)
        colour = "#1f77b4" if tools.is_fit(r) else "#d62728"
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"'
                   f' fill-opacity="0.6"><title>{r["key"]}</title></circle>')
    out += [f'<text x="{EDGE}" y="{HIGH - 10}">{min(values):.3g}</text>',
            f'<text x="{WIDE}" y="{HIGH - 10}" text-anchor="end">'
            f'{max(values):.3g}, measured</text>', "</g>"]
    return out


def picture(records, model, tools):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDE + 20}" '
             f'height="{HIGH}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             *panel(0, "cycles", "error in SM cycles", records, model, tools),
             *panel(WIDE + 10, "us", "error in time (us): fitted blue, held out "
                    "red", records, model, tools), "</svg>"]
    return "\n".join(lines) + "\n"
