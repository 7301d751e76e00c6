"""Starting the command, and what it means when it fails."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Sequence

CLEAN, FINDINGS, BAD_INPUT, INCOMPLETE, NO_DEVICE = 0, 1, 2, 3, 4
INTERNAL = 70

_path: Optional[str] = None


class Error(Exception):
    """The command could not do what it was asked; its words."""


class BadInput(Error):
    """A file, an option or a size makes no sense.

    errors: what is wrong with the program, as check reports it: dicts with
    code, message, location {file, line, column}, help.
    """

    def __init__(self, message: str, errors: Sequence[Dict[str, Any]] = ()):
        super().__init__(message)
        self.errors: List[Dict[str, Any]] = list(errors)


class Incomplete(Error):
    """It stopped at a limit, such as max_cycles."""


class NoDevice(Error):
    """There is no GPU, or no toolchain."""


class InternalError(Error):
    """A bug in tilesim."""


class FindingsError(Error):
    """Raised by raise_for_findings: the program is wrong."""

    def __init__(self, message: str, findings: Sequence[Any]):
        super().__init__(message)
        self.findings = list(findings)


def use(path: str) -> None:
    """Says where the command is, from here on."""
    global _path
    _path = os.fspath(path)


def command() -> str:
    """The path of the command: that of use(), $TILESIM, or of the PATH."""
    found = _path or os.environ.get("TILESIM") or shutil.which("tilesim")
    if not found:
        raise Error("the command `tilesim` is not on the PATH; tilesim.use() "
                    "or $TILESIM say where it is")
    return found


def _message(answer: Dict[str, Any], stderr: str) -> str:
    said = [file["failure"] for file in answer.get("files", [])
            if file.get("failure")]
    return "\n".join(said) or stderr.strip() or "it said nothing"


def _raise(code: int, answer: Dict[str, Any], stderr: str) -> None:
    message = _message(answer, stderr)
    if code == BAD_INPUT:
        raise BadInput(message, [error for file in answer.get("files", [])
                                 for error in file.get("errors", [])])
    if code == INCOMPLETE:
        raise Incomplete(message)
    if code == NO_DEVICE:
        raise NoDevice(message)
    if code == INTERNAL:
        raise InternalError(message)
    raise Error(f"exit code {code}: {message}")


def _start(arguments: Sequence[str], timeout: Optional[float]
           ) -> "subprocess.CompletedProcess[str]":
    """The command, whatever it exits with."""
    try:
        return subprocess.run([command(), *arguments], capture_output=True,
                              text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=timeout)
    except OSError as why:
        raise Error(f"cannot start {command()}: {why}") from why


def ask(arguments: Sequence[str], accepts: Sequence[int] = (CLEAN, FINDINGS),
        timeout: Optional[float] = None) -> Dict[str, Any]:
    """What the command answers, as JSON.

    Raises an Error where it exits with none of the codes in `accepts`, and
    subprocess.TimeoutExpired after `timeout` seconds.
    """
    done = _start([*arguments, "--format", "json"], timeout)
    try:
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
    except json.JSONDecodeError as why:
        raise InternalError(f"the answer is no JSON: {why}") from why
    if done.returncode not in accepts or not answer:
        _raise(done.returncode, answer, done.stderr)
    return answer
