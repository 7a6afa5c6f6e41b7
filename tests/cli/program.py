"""The program as tests run it: in this process, where it is fast, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any
from unittest.mock import patch

from bursar.cli.main import main

RUN = ("--noise-multiplier", "1", "--sampling-probability", "0.001", "--steps", "1000")
ONE = ("--noise-multiplier", "2")
AT = ("--delta", "1e-5")


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on stdout, with nothing on stderr."""
        assert (self.code, self.err) == (0, "")
        return one_object(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The one error on stderr, with nothing on stdout."""
        assert self.code != 0
        assert self.out == ""
        return one_object(self.err)["error"]


def one_object(text: str) -> dict[str, Any]:
    """Exactly one JSON object, on one line, without NaN or Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    assert text.endswith("\n")
    assert text.count("\n") == 1
    found = json.loads(text, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def bursar(*arguments: str) -> Ended:
    """A run in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


class Terminal(StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        """Somebody does."""
        return True


def on_terminal(width: int, *arguments: str, **environment: str) -> Ended:
    """A run in this process, as a terminal of this width shows it."""
    out, err = Terminal(), Terminal()
    around = {"COLUMNS": str(width), "TERM": "xterm-256color", **environment}
    with patch.dict(os.environ, around), redirect_stdout(out), redirect_stderr(err):
        if "NO_COLOR" not in environment:
            os.environ.pop("NO_COLOR", None)
        code = main(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


def process(*arguments: str, **environment: str) -> Ended:
    """A run as a process, as people start it."""
    command = [sys.executable, "-m", "bursar", *arguments]
    ended = subprocess.run(
        command, capture_output=True, env={**os.environ, **environment}, check=False
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
