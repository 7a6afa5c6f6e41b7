"""The five kinds of truth that an accountant answers with, and the bill of its errors.

The kind decides what a number may do: `float(result)` is a proved upper bound or an error, so
that an estimate can never be charged.  How the number was found stands in `about`.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeVar, final

from bursar.adjacency import Adjacency
from bursar.errors import InternalError, NotCharged
from bursar.exact import canonical

Quantity = Literal["epsilon", "delta", "advantage", "true_positive_rate"]
Answered = Literal["remove", "add", "both"]
SYMBOLS = {
    "epsilon": "ε",
    "delta": "δ",
    "log_delta": "log δ",
    "advantage": "advantage",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
}


@final
@dataclass(frozen=True, slots=True)
class BillLine:
    """One source of error: its name, the bound on its size, and what proves the bound."""

    name: str
    bound: float
    source: str

    def to_json(self) -> dict[str, Any]:
        """The line as JSON."""
        return {"name": self.name, "bound": number(self.bound), "source": self.source}


@final
@dataclass(frozen=True, slots=True)
class Refusal:
    """An accountant that gave no answer, or none that was used, and why."""

    method: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """The refusal as `compare` shows it."""
        return {"method": self.method, "refused": self.why}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """How a number was found: for which question, by which method, for which neighbours.

    `reason` says why the number is 0 or infinite, `passed_over` why no tighter accountant answered.
    """

    quantity: Quantity = "epsilon"
    given: str = ""
    method: str = "closed-form"
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE
    direction: Answered = "both"
    reason: str | None = None
    passed_over: tuple[Refusal, ...] = ()
    bill: tuple[BillLine, ...] = ()
    seconds: float = 0.0

    @property
    def given_name(self) -> str:
        """The name of what was given: delta (or log_delta) for an epsilon, epsilon for a delta."""
        if self.quantity == "true_positive_rate":
            return "false_positive_rate"
        if self.quantity != "epsilon":
            return "epsilon"
        return "log_delta" if self.given.startswith("-") else "delta"


class _Truth:
    """What all kinds share: the JSON of the contract, and how a person sees it."""

    __slots__ = ()
    kind: ClassVar[str]
    about: About

    def values(self) -> dict[str, float]:
        raise InternalError(f"{type(self).__name__} has no values")

    def to_json(self) -> dict[str, Any]:
        """The object of the command line's `--json`."""
        about = self.about
        return {
            about.quantity: {name: number(value) for name, value in self.values().items()},
            "kind": self.kind,
            "method": about.method,
            about.given_name: about.given,
            "adjacency": about.adjacency.value,
            "direction": about.direction,
            "reason": about.reason,
            "seconds": round(about.seconds, 6),
            "passed_over": [refusal.to_json() for refusal in about.passed_over],
            "bill": [line.to_json() for line in about.bill],
        }

    def sentence(self, digits: int = 6) -> str:
        """The result in words, rounded so that it stays true."""
        symbol = SYMBOLS[self.about.quantity]
        shown = {
            "lower": lambda v: f"{symbol} ≥ {rounded(v, digits, up=False)}",
            "upper": lambda v: f"{symbol} ≤ {rounded(v, digits, up=True)}",
            "value": lambda v: f"{symbol} ≈ {rounded(v, digits, up=None)} (no proof)",
            "failure_probability": lambda v: f"except with probability {rounded(v, 3, up=True)}",
        }
        return ", ".join(shown[name](value) for name, value in self.values().items())

    def _repr_html_(self) -> str:
        about = self.about
        rows = {
            "kind": self.kind,
            "method": about.method,
            about.given_name: about.given,
            "adjacency": about.adjacency.value,
            "direction": about.direction,
            "reason": about.reason or "",
            **{f"not {one.method}": one.why for one in about.passed_over},
        }
        cells = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(text)}</td></tr>"
            for name, text in rows.items()
            if text
        )
        return f"<table><caption>{html.escape(self.sentence())}</caption>{cells}</table>"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure(_Truth):
    """Proved on both sides: the truth is in [lower, upper].

    >>> float(Enclosure(lower=0.971, upper=0.972))
    0.972
    """

    kind: ClassVar[str] = "enclosure"
    lower: float
    upper: float
    about: About = field(default=About(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not (0 <= self.lower <= self.upper):
            raise InternalError(f"an enclosure from {self.lower} to {self.upper} is empty")

    def __float__(self) -> float:
        return self.upper

    def values(self) -> dict[str, float]:
        """The numbers of the result by name."""
        return {"lower": self.lower, "upper": self.upper}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UpperBound(_Truth):
    """Proved: the truth is at most `upper`.

    >>> float(UpperBound(upper=0.98))
    0.98
    """

    kind: ClassVar[str] = "upper-bound"
    upper: float
    about: About = field(default=About(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.upper >= 0:
            raise InternalError(f"an upper bound of {self.upper} is none")

    def __float__(self) -> float:
        return self.upper

    def values(self) -> dict[str, float]:
        """The numbers of the result by name."""
        return {"upper": self.upper}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedClaim(_Truth):
    """The theorem of a release gate: the claim holds for the gated release."""

    kind: ClassVar[str] = "verified-claim"
    epsilon: float
    delta: str
    theorem: str
    certificate: str
    about: About = field(default=About(method="verified"), compare=False, repr=False)

    def __float__(self) -> float:
        return self.epsilon

    def values(self) -> dict[str, float]:
        """The numbers of the result by name."""
        return {"upper": self.epsilon}

    def to_json(self) -> dict[str, Any]:
        """The object of the command line, with the certificate's name."""
        return {**_Truth.to_json(self), "certificate": self.certificate, "theorem": self.theorem}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HighProbabilityBound(_Truth):
    """Proved, except with probability `failure_probability`: charged only by a verified claim."""

    kind: ClassVar[str] = "high-probability-bound"
    upper: float
    failure_probability: float
    about: About = field(default=About(), compare=False, repr=False)

    def __float__(self) -> float:
        raise NotCharged(
            f"a bound that may fail with probability {self.failure_probability} is not a number "
            "that may be charged",
            hint="Attach a release to it: verification.release().",
        )

    def values(self) -> dict[str, float]:
        """The numbers of the result by name."""
        return {"upper": self.upper, "failure_probability": self.failure_probability}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(_Truth):
    """No proof: for plots and for searching; with an interval where draws give one."""

    kind: ClassVar[str] = "estimate"
    value: float
    method: str
    interval: tuple[float, float] | None = None
    confidence: float | None = None
    about: About = field(default=About(method="estimate"), compare=False, repr=False)

    def __float__(self) -> float:
        raise NotCharged(
            f"an estimate by {self.method} has no proof and may not be charged",
            hint="Read .value for a plot, or ask a proved accountant.",
        )

    def values(self) -> dict[str, float]:
        """The numbers of the result by name."""
        return {"value": self.value}

    def to_json(self) -> dict[str, Any]:
        """The object of the command line; an interval stands beside the value."""
        found = _Truth.to_json(self)
        if self.interval is not None:
            low, high = map(number, self.interval)
            found["interval"] = {"low": low, "high": high, "confidence": self.confidence}
        return found


Proved = Enclosure | UpperBound
Truth = Enclosure | UpperBound | VerifiedClaim | HighProbabilityBound | Estimate
_T = TypeVar("_T", Enclosure, UpperBound, Estimate)


def told(result: _T, **changes: Any) -> _T:
    """The same result with more said about it."""
    return replace(result, about=replace(result.about, **changes))


def number(value: float) -> float | str:
    """A float as JSON has it: infinity is the text "inf"; NaN is refused."""
    if math.isnan(value):
        raise InternalError("a result is NaN")
    return value if math.isfinite(value) else "inf"


def rounded(value: float, digits: int, *, up: bool | None) -> str:
    """`value` to so many digits, away from the claim: upper bounds up, lower bounds down.

    >>> rounded(0.14890155, 4, up=True), rounded(0.14890155, 4, up=False), rounded(0.0, 4, up=True)
    ('0.149', '0.1489', '0')
    """
    if math.isnan(value):
        raise InternalError("a result is NaN")
    if math.isinf(value):
        return "inf"
    modes = {True: ROUND_CEILING, False: ROUND_FLOOR, None: ROUND_HALF_EVEN}
    exact = Context(prec=digits, rounding=modes[up]).create_decimal(Decimal(value))
    return canonical(Fraction(exact))
