"""Tile programs for Hopper and Blackwell, run, checked and swept without a GPU.

    import tilesim
    r = tilesim.run("gemm.tile", M=512, outputs=["D"])
    r.time_us, r.outputs["D"]

It drives the command `tilesim`; README.md says why.
"""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Dict, Iterable, List, Optional, Sequence, Union

import numpy

from .command import (BAD_INPUT, CLEAN, FINDINGS, INCOMPLETE, BadInput, Error,
                      FindingsError, Incomplete, InternalError, NoDevice, ask,
                      command, use)
from .results import (CheckResult, Finding, Point, Role, RunResult,
                      SweepResult, Wait)

__all__ = [
    "BadInput", "CheckResult", "Error", "Finding", "FindingsError",
    "Incomplete", "InternalError", "NoDevice", "Point", "Role", "RunResult",
    "SweepResult", "Wait", "check", "check_many", "command", "explain",
    "report", "run", "sweep", "use"]

Path = Union[str, "os.PathLike[str]"]
Values = Union[int, str, Iterable[int]]


def _defines(params: Dict[str, int]) -> List[str]:
    out: List[str] = []
    for name, value in params.items():
        out += ["-D", f"{name}={int(value)}"]
    return out


def run(path: Path, *, inputs: Optional[Dict[str, numpy.ndarray]] = None,
        outputs: Sequence[str] = (), arch: Optional[str] = None,
        seed: Optional[int] = None, timing_only: bool = False,
        values: Optional[Union[int, str]] = None,
        max_cycles: Optional[int] = None,
        options: Sequence[str] = (), timeout: Optional[float] = None,
        **params: int) -> RunResult:
    """Times a program on the modelled GPU, and computes its values.

    inputs: arrays for globals; others are seeded. outputs: globals to give
    back, for which all CTAs compute. values: how many CTAs compute values, or
    "all". options: more of the command's. params: params and consts.
    Raises BadInput, Incomplete (max_cycles), InternalError.
    """
    arguments = ["run", os.fspath(path), *_defines(params), *options]
    for option, value in (("--arch", arch), ("--seed", seed),
                          ("--values", values), ("--max-cycles", max_cycles)):
        if value is not None:
            arguments += [option, str(value)]
    if timing_only:
        arguments.append("--timing-only")
    with tempfile.TemporaryDirectory(prefix="tilesim-") as name:
        folder = pathlib.Path(name)
        for tensor, array in (inputs or {}).items():
            file = folder / f"in-{tensor}.npy"
            numpy.save(file, numpy.ascontiguousarray(array),
                       allow_pickle=False)
            arguments += ["--in", f"{tensor}={file}"]
        files = {tensor: folder / f"out-{tensor}.npy" for tensor in outputs}
        for tensor, file in files.items():
            arguments += ["--out", f"{tensor}={file}"]
        answer = ask(arguments, timeout=timeout)
        arrays = {tensor: numpy.load(file, allow_pickle=False)
                  for tensor, file in files.items() if file.exists()}
    return RunResult.of(answer["files"][0], arrays)


def check_many(paths: Sequence[Path], *, strict: Sequence[str] = (),
               baseline: Optional[Path] = None, options: Sequence[str] = (),
               timeout: Optional[float] = None,
               **params: int) -> List[Union[CheckResult, BadInput]]:
    """The verdict on each file, in order. One that is no program is a
    BadInput, which is returned and not raised, so that it hides no other.
    """
    arguments = ["check", *map(os.fspath, paths), *_defines(params), *options]
    for switch in strict:
        arguments += ["--strict", switch]
    if baseline is not None:
        arguments += ["--baseline", os.fspath(baseline)]
    answer = ask(arguments, (CLEAN, FINDINGS, BAD_INPUT, INCOMPLETE), timeout)
    out: List[Union[CheckResult, BadInput]] = []
    for row in answer["files"]:
        if row["verdict"] == "rejected":
            errors = row.get("errors", [])
            said = [row["failure"]] if row.get("failure") else []
            said += [str(Finding.of(e)) for e in errors]
            out.append(BadInput("\n".join(said), errors))
        else:
            out.append(CheckResult.of(row))
    return out


def check(path: Path, *, strict: Sequence[str] = (),
          baseline: Optional[Path] = None, options: Sequence[str] = (),
          timeout: Optional[float] = None, **params: int) -> CheckResult:
    """Judges a program in every schedule and, but for params, every size.

    Raises BadInput for what is no program. Findings are in the result.
    """
    result = check_many([path], strict=strict, baseline=baseline,
                        options=options, timeout=timeout, **params)[0]
    if isinstance(result, BadInput):
        raise result
    return result


def _values_of(value: Values) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return ",".join(str(int(v)) for v in value)


def sweep(path: Path, *, arch: Optional[str] = None,
          metric: Optional[str] = None, budget: Optional[int] = None,
          jobs: Optional[int] = None, options: Sequence[str] = (),
          timeout: Optional[float] = None, **params: Values) -> SweepResult:
    """Times a program with many values of its parameters, and ranks them.

    params: a value, several, or the command's words ("2..7"). budget: time so
    many points at most. Where no point can be ranked, Error says why.
    """
    arguments = ["sweep", os.fspath(path), *options]
    for name, value in params.items():
        arguments += ["-D", f"{name}={_values_of(value)}"]
    for option, given in (("--arch", arch), ("--metric", metric),
                          ("--budget", budget), ("--jobs", jobs)):
        if given is not None:
            arguments += [option, str(given)]
    answer = ask(arguments, (CLEAN,), timeout)
    return SweepResult.of(answer["files"][0])


def report(path: Path, output: Path, *, arch: Optional[str] = None,
           timing_only: bool = False, options: Sequence[str] = (),
           timeout: Optional[float] = None, **params: int) -> pathlib.Path:
    """Writes the HTML page of `tilesim report`, and returns where it is.

    Raises BadInput, Incomplete (--max-cycles among the options). Findings are
    on the page, and so is a verdict that is incomplete.
    """
    arguments = ["report", os.fspath(path), "-o", os.fspath(output),
                 *_defines(params), *options]
    if arch is not None:
        arguments += ["--arch", arch]
    if timing_only:
        arguments.append("--timing-only")
    answer = ask(arguments, (CLEAN, FINDINGS, INCOMPLETE), timeout)["files"][0]
    if "page" not in answer:
        raise Incomplete(answer["failure"])
    return pathlib.Path(answer["page"])


def explain(topic: str = "") -> str:
    """A page of `tilesim explain`: a code, an op, a word, a layout."""
    return ask(["explain", topic] if topic else ["explain"])["text"]
