"""What run, check and sweep return. `raw` has all that the command printed."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional

import numpy

from . import tables
from .command import FindingsError


@dataclasses.dataclass(frozen=True)
class Finding:
    """What is wrong, and where. line and column count from 1; 0: nowhere."""
    code: str
    severity: str
    message: str
    file: str
    line: int
    column: int
    help: str = ""
    raw: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False,
                                            compare=False)

    @classmethod
    def of(cls, row: Dict[str, Any]) -> "Finding":
        at = row.get("location", row)
        return cls(row["code"], row["severity"], row["message"],
                   at.get("file", ""), at.get("line", 0) or 0,
                   at.get("column", 0) or 0, row.get("help", ""), row)

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    @property
    def hidden(self) -> bool:
        """A comment or a baseline allows it."""
        return "hidden" in self.raw

    def __str__(self) -> str:
        return (f"{self.file}:{self.line}:{self.column}: {self.severity}"
                f"[{self.code}]: {self.message}")


def _findings(rows: List[Dict[str, Any]]) -> List[Finding]:
    return [Finding.of(row) for row in rows]


class _WithFindings:
    findings: List[Finding]

    def raise_for_findings(self) -> None:
        """FindingsError if there is an error that nothing allows."""
        wrong = [f for f in self.findings if f.is_error and not f.hidden]
        if wrong:
            raise FindingsError("\n".join(map(str, wrong)), wrong)


@dataclasses.dataclass(frozen=True)
class Wait:
    """What a role waited for: its share of the role's lifetime."""
    on: str
    fraction: float
    cycles: int


@dataclasses.dataclass(frozen=True)
class Role:
    """busy: share of its lifetime in which it issued."""
    name: str
    busy: float
    lifetime_cycles: int
    waits: List[Wait]


@dataclasses.dataclass(frozen=True)
class RunResult(_WithFindings):
    """One launch on the modelled GPU."""
    file: str
    program: str
    arch: str
    cycles: int
    time_us: float
    clock_mhz: float
    tflops: Optional[float]
    bound_by: str
    roles: List[Role]
    units: Dict[str, float]  # share of the time in which each was busy
    findings: List[Finding]
    outputs: Dict[str, numpy.ndarray]
    raw: Dict[str, Any] = dataclasses.field(repr=False)

    @classmethod
    def of(cls, row: Dict[str, Any],
           outputs: Dict[str, numpy.ndarray]) -> "RunResult":
        roles = [Role(r["name"], r["busy"], r["lifetime_cycles"],
                      [Wait(w["on"], w["fraction"], w["cycles"])
                       for w in r["waits"]]) for r in row["roles"]]
        return cls(row["file"], row["program"], row["arch"], row["cycles"],
                   row["time_us"], row["clock_mhz"], row.get("tflops"),
                   row["bound_by"], roles,
                   {u["name"]: u["busy"] for u in row["units"]},
                   _findings(row["findings"]), outputs, row)

    @property
    def bit_exact(self) -> Optional[bool]:
        """Against the slow rule of the tensor core; None: no MMA."""
        return self.raw["result"].get("bit_exact")

    def _repr_html_(self) -> str:
        return tables.run(self)


@dataclasses.dataclass(frozen=True)
class CheckResult(_WithFindings):
    """The verdict on one file: clean, findings or incomplete."""
    file: str
    verdict: str
    findings: List[Finding]
    warnings: List[Finding]
    open: List[str]  # why it is no proof
    raw: Dict[str, Any] = dataclasses.field(repr=False)

    @classmethod
    def of(cls, row: Dict[str, Any]) -> "CheckResult":
        return cls(row["file"], row["verdict"], _findings(row["findings"]),
                   _findings(row.get("warnings", [])), row.get("open", []),
                   row)

    @property
    def clean(self) -> bool:
        """Proved for every schedule and every permitted size."""
        return self.verdict == "clean"

    def _repr_html_(self) -> str:
        return tables.check(self)


@dataclasses.dataclass(frozen=True)
class Point:
    """One choice of values. state: "timed", or why it was not ranked."""
    values: Dict[str, int]
    state: str
    time_us: Optional[float]
    cycles: Optional[int]
    tflops: Optional[float]
    bound_by: Optional[str]


@dataclasses.dataclass(frozen=True)
class SweepResult:
    """Points of a sweep, the best first, then those that are not ranked."""
    file: str
    arch: str
    metric: str
    best: Optional[Dict[str, int]]
    points: List[Point]
    raw: Dict[str, Any] = dataclasses.field(repr=False)

    @classmethod
    def of(cls, row: Dict[str, Any]) -> "SweepResult":
        by_number = {p["number"]: p for p in row["points"]}
        order = list(row["ranking"])
        order += [n for n in by_number if n not in set(order)]
        points = [Point(p["values"], p["state"], p.get("time_us"),
                        p.get("cycles"), p.get("tflops"), p.get("bound_by"))
                  for p in (by_number[n] for n in order)]
        return cls(row["file"], row["arch"], row["metric"], row.get("best"),
                   points, row)

    def _repr_html_(self) -> str:
        return tables.sweep(self)
