"""What a command has to say: one object for programs, and the same in words for people.

Here numbers are put into words; how the words are laid out on a page is `printer.py`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, final

from bursar.cli.request import Request
from bursar.exact import Exact
from bursar.reports.words import steps_of
from bursar.truth import SYMBOLS, Enclosure, Estimate, Proved, Truth, UpperBound, rounded

_DIGITS = 6
_KINDS = {
    "enclosure": "proved on both sides",
    "upper-bound": "a proved upper bound",
    "verified-claim": "a verified claim",
    "high-probability-bound": "proved but for a small probability",
    "estimate": "no proof",
}
_WORSE = {"remove": "removing", "add": "adding"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A body of JSON; a sentence, rows of (label, words), and a table of several answers.

    A `text` takes the place of the page: a table as comma-separated lines, say.
    """

    body: Mapping[str, Any]
    sentence: str
    rows: Sequence[tuple[str, str]] = ()
    table: Sequence[Sequence[str]] = ()
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The object, as a partial answer shows it."""
        return dict(self.body)


def answered(about_plan: Proved | Estimate, request: Request) -> Answer:
    """The answer about one number."""
    result = request.about_run(about_plan)
    return Answer(
        body=result.to_json() | dict(request.told),
        sentence=words(result),
        rows=[*asked(result, request), *found(result)],
    )


def words(result: Truth) -> str:
    """The numbers of a result, rounded so that they stay true."""
    symbol = SYMBOLS[result.about.quantity]
    if isinstance(result, UpperBound) and result.upper == inf:
        return f"no finite bound on {symbol}"
    if not isinstance(result, Enclosure):
        return result.sentence()
    lower = rounded(result.lower, _DIGITS, up=False)
    upper = rounded(result.upper, _DIGITS, up=True)
    if lower == "inf":
        return f"{symbol} is infinite"
    return f"{symbol} = {upper}" if lower == upper else f"{lower} ≤ {symbol} ≤ {upper}"


def asked(result: Truth, request: Request) -> list[tuple[str, str]]:
    """Rows about the question, and which direction decided."""
    about = result.about
    at = (
        "ε = 0" if about.quantity == "advantage" else f"{SYMBOLS[about.given_name]} = {about.given}"
    )
    return question(request, at, about.direction)


def question(request: Request, at: str, direction: str = "both") -> list[tuple[str, str]]:
    """Rows about the question."""
    worse = f"; {_WORSE[direction]} is worse" if direction in _WORSE else ""
    rows = [
        ("at", at),
        ("neighbours", f"{request.adjacency}{worse}"),
        ("run", steps_of(request.plan.canonical())),
    ]
    note = request.told.get("note")
    return [*rows, ("note", note)] if note else rows


def given(question: Mapping[str, Any]) -> str:
    """What is given, as its row says it: δ = 1e-5."""
    ((name, value),) = question.items()
    return f"{SYMBOLS[name]} = {Exact.of(value)}"


def found(result: Truth) -> list[tuple[str, str]]:
    """Rows about how the number was found."""
    about = result.about
    kind = _KINDS[result.kind]
    if isinstance(result, Enclosure) and 0 < result.lower < result.upper < inf:
        width = rounded((result.upper - result.lower) / result.upper, 1, up=True)
        kind += f", within a relative {width}"
    return [
        ("method", f"{about.method}: {kind}"),
        *([("because", about.reason)] if about.reason else []),
        *((f"not {other.method}", other.why) for other in about.passed_over),
        ("time", f"{about.seconds:.2f} s"),
    ]
