"""Results as HTML, for notebooks."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, List, Sequence


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = ["<table><thead><tr>"]
    out += [f"<th>{escape(h)}</th>" for h in head]
    out.append("</tr></thead><tbody>")
    for row in rows:
        cells = "".join(f"<td>{escape(str(c))}</td>" for c in row)
        out.append(f"<tr>{cells}</tr>")
    return "".join(out) + "</tbody></table>"


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
            ("throughput", f"{_number(r.tflops)} TFLOP/s"),
            ("bound by", r.bound_by)]
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
    return _table([*names, "us", "TFLOP/s", "bound by", ""],
                  [(*(p.values.get(n, "") for n in names), _number(p.time_us),
                    _number(p.tflops), p.bound_by or "",
                    "" if p.state == "timed" else p.state)
                   for p in r.points])
