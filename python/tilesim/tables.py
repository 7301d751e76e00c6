"""Results as HTML, for notebooks."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, List, Sequence


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = [[str(c) for c in row] for row in rows]
    # Notebooks put cells to the right, which is meant for numbers.
    right = [bool(cells) and all(c == "" or c[0].isdigit() for c in column)
             for column in zip(*cells)] or [False] * len(head)

    def line(kind: str, row: Sequence[str]) -> str:
        out = "".join(
            f'<{kind} style="text-align:{"right" if r else "left"}">'
            f"{escape(c)}</{kind}>" for c, r in zip(row, right))
        return f"<tr>{out}</tr>"

    body = "".join(line("td", row) for row in cells)
    return (f"<table><thead>{line('th', head)}</thead>"
            f"<tbody>{body}</tbody></table>")


def _number(value: Any, digits: int = 2) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _findings(findings: Sequence[Any]) -> str:
    if not findings:
        return ""
    return _table(["code", "line", "message"],
                  [(f.code, f.line, f.message) for f in findings])


def run(r: Any) -> str:
    head = [("program", f"{r.program} ({r.file})"), ("architecture", r.arch),
            ("duration", f"{_number(r.time_us)} us"),
            ("cycles", f"{r.cycles:,}"),
            ("bound by", r.bound_by)]
    if r.tflops is not None:
        head.insert(-1, ("throughput", f"{_number(r.tflops)} TFLOP/s"))
    roles: List[Sequence[Any]] = []
    for role in r.roles:
        waits = ", ".join(f"{w.on} {100 * w.fraction:.0f} %"
                          for w in role.waits[:3])
        roles.append((role.name, f"{100 * role.busy:.0f} %", waits))
    units = [(name, f"{100 * busy:.1f} %") for name, busy in r.units.items()]
    return (_table(["", "run"], head) +
            _table(["role", "busy", "waits for"], roles) +
            _table(["unit", "busy"], units) + _findings(r.findings))


def check(r: Any) -> str:
    head = [("file", r.file), ("verdict", r.verdict)]
    head += [("open", why) for why in r.open]
    return _table(["", "check"], head) + _findings(r.findings + r.warnings)


def sweep(r: Any) -> str:
    names = sorted({name for p in r.points for name in p.values})
    ranked = all(p.state == "timed" for p in r.points)
    return _table([*names, "us", "TFLOP/s", "bound by",
                   *([] if ranked else ["not ranked"])],
                  [(*(p.values.get(n, "") for n in names), _number(p.time_us),
                    _number(p.tflops), p.bound_by or "",
                    *([] if ranked else
                      ["" if p.state == "timed" else p.state]))
                   for p in r.points])
