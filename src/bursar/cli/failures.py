"""Every exit but success: one object on stderr for programs, a few lines for people.

What the parser of the command line refuses is told as bursar's own errors are.
"""

from __future__ import annotations

import os
import sys
import textwrap
import traceback
from contextlib import suppress
from dataclasses import fields
from shutil import get_terminal_size

import typer

from bursar.cli.answer import Answer
from bursar.cli.flags import AtDelta, FromFile, Manner, Method, Neighbours, Steps
from bursar.cli.printer import write, write_json
from bursar.errors import BursarError, InternalError, InvalidParameter, LimitReached, shown
from bursar.mechanisms.words import nearest
from bursar.truth import Enclosure, UpperBound

_NO_OPTION = "there is no such option"
_GROUPS = (Steps, FromFile, Neighbours, AtDelta, Method, Manner)
_OWN = {  # flags of one command
    "epsilon",
    "solve",
    "out",
    "csv",
    "epsilons",
    "deltas",
    "trade_off",
    "points",
    "every",
    "certify_at",
    "advantage",
    "tpr",
    "at_fpr",
    "to",
    "at_delta",
    "at_epsilon",
    "at_order",
    "rho",
    "mu",
    "orders",
    "values",
    "claim",
    "card",
    "beta",
    "gap",
    "miss",
    "verifier",
    "cores",
    "keep",
    "on",
    "recheck",
    "fresh",
    "data",
    "neighbour",
    "pairs",
    "low",
    "high",
    "whole",
    "samples",
    "confidence",
    "grid",
    "vectorised",
    "replay",
    "seed",
    "record",
}
_FLAGS = _OWN | {field.name for group in _GROUPS for field in fields(group)}


class Interrupted(BursarError):
    """Somebody pressed Ctrl-C."""

    exit_code = 130  # 128 + SIGINT, as shells have it


class PipeClosed(BursarError):
    """Whoever read the answer left before its end."""

    exit_code = 141  # 128 + SIGPIPE


def report(error: BursarError, *, as_json: bool) -> int:
    """Tell what went wrong, as well as stderr allows; the exit code."""
    with suppress(OSError, InvalidParameter):
        if as_json:
            write_json(error.to_json(), sys.stderr)
        elif not isinstance(error, PipeClosed):
            write("".join(f"{line}\n" for line in _lines(error)), sys.stderr)
    return error.exit_code


def _lines(error: BursarError) -> list[str]:
    terminal = sys.stderr is not None and sys.stderr.isatty()
    width = get_terminal_size().columns if terminal else 100_000
    opening = "bursar:"
    parts = [f"{opening} {_told(error)}.", error.hint or "", _so_far(error)]
    lines = [
        line
        for part in parts
        if part
        for line in textwrap.wrap(
            _printable(part), width, subsequent_indent="  ", break_on_hyphens=False
        )
    ]
    if terminal and not os.environ.get("NO_COLOR"):
        lines[0] = lines[0].replace(opening, typer.style(opening, fg="red", bold=True), 1)
    return lines


def _printable(text: str) -> str:
    """Without what could steer a terminal: a name in a file may be anything."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _told(error: BursarError) -> str:
    """The error's own sentence, with the flag as it is typed where the field is one."""
    if error.field is None:
        return error.need
    typed = error.field in _FLAGS and not (error.hint or "").startswith("See step")
    name = _flag(error.field) if typed or error.need == _NO_OPTION else error.field
    if error.value is None:
        return f"{name}: {error.need}"
    return f"{name} = {shown(error.value)}, but {error.need}"


def _so_far(error: BursarError) -> str:
    partial = error.partial if isinstance(error, LimitReached) else None
    if isinstance(partial, Answer):
        return f"Proved all the same: {partial.sentence}."
    if isinstance(partial, Enclosure | UpperBound):
        return f"Proved all the same: {partial.sentence()}."
    return ""


def _flag(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def of_parser(error: Exception) -> InvalidParameter:
    """What the parser refused: the option is the field, and the hint has the nearest there is."""
    told = str(getattr(error, "message", error)).rstrip(".")
    name = getattr(error, "option_name", None) or getattr(getattr(error, "param", None), "name", "")
    field = str(name).strip("-").replace("-", "_") or None
    command = getattr(getattr(error, "ctx", None), "command", None)
    if type(error).__name__ == "NoSuchOption":
        flags = [flag for param in command.params for flag in param.opts] if command else []
        near = nearest(str(name), [flag.strip("-").replace("-", "_") for flag in flags])
        hint = f"Did you mean {_flag(near)}?" if near else None
        return InvalidParameter(_NO_OPTION, field=field, hint=hint)
    if type(error).__name__ == "MissingParameter":
        return InvalidParameter("it must be given", field=field)
    need, _, hint = told.partition(". ")
    return InvalidParameter(f"{need[:1].lower()}{need[1:]}", field=field, hint=hint or None)


def of_bug(error: Exception) -> InternalError:
    """What nobody foresaw; its traceback is shown where BURSAR_DEBUG is set."""
    if os.environ.get("BURSAR_DEBUG"):
        traceback.print_exception(error)
    where = traceback.extract_tb(error.__traceback__)
    place = f" in {os.path.basename(where[-1].filename)}, line {where[-1].lineno}" if where else ""
    return InternalError(
        f"a bug of bursar: {type(error).__name__}{place}: {error}",
        hint="Nothing was answered. Please report it, with what BURSAR_DEBUG=1 shows.",
    )
