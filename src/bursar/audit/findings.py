"""What an audit answers: a violation with its witness, or none found at a stated resolution.

There is no third answer: that nothing was found proves nothing, and no word of this room says so.
A lower bound is not a cost, so none of these is a number that may be charged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

from bursar.adjacency import Adjacency
from bursar.errors import NotCharged
from bursar.truth import number, rounded

Likelier = Literal["data", "neighbour"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """An event, on which side it is likelier, and how often each side was in it."""

    event: str
    likelier: Likelier
    hits: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """The object of the command line."""
        return {"event": self.event, "likelier": self.likelier, "hits": list(self.hits)}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound:
    """At this δ, ε is at least `epsilon`, except with probability 1 − confidence."""

    epsilon: float
    delta: float
    confidence: float
    samples: int
    witness: Witness | None = None

    def __float__(self) -> float:
        raise NotCharged(
            "a lower bound on ε is no cost, and may not be charged",
            hint="Read .epsilon to compare it with a claim.",
        )

    def to_json(self) -> dict[str, Any]:
        """The bound, with its witness."""
        witness = self.witness.to_json() if self.witness else {}
        return {"delta": self.delta, "epsilon": {"lower": number(self.epsilon)}, **witness}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One point of the claim: what is claimed at this δ, and the lower bound that was found."""

    claimed: float
    bound: LowerBound

    @property
    def excess(self) -> float:
        """By how much ε is above the claim, at least."""
        return self.bound.epsilon - self.claimed

    def to_json(self) -> dict[str, Any]:
        """The point, as the command line tells it."""
        return {"claimed": number(self.claimed), **self.bound.to_json()}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """The claim is false: at `delta`, ε is at least `epsilon` and `claimed` is less.

    False alarms happen with probability 1 − confidence at most, whatever was claimed and run.
    """

    found: ClassVar[bool] = True
    worst: Looked
    points: tuple[Looked, ...]
    adjacency: Adjacency
    pair: int = 0

    @property
    def epsilon(self) -> float:
        """ε is at least this."""
        return self.worst.bound.epsilon

    @property
    def delta(self) -> float:
        """At this δ."""
        return self.worst.bound.delta

    @property
    def claimed(self) -> float:
        """The ε that was claimed there."""
        return self.worst.claimed

    @property
    def witness(self) -> Witness:
        """The event that shows it."""
        witness = self.worst.bound.witness
        return witness if witness else Witness(event="", likelier="data", hits=(0, 0))

    def sentence(self) -> str:
        """The finding in words, rounded so that it stays true."""
        claimed = rounded(self.claimed, 4, up=True)
        return (
            f"violation found: ε ≥ {rounded(self.epsilon, 4, up=False)} at δ = {self.delta:g}, "
            f"where {claimed} is claimed (confidence {self.worst.bound.confidence:.10g})"
        )

    def to_json(self) -> dict[str, Any]:
        """The object of the command line's `--json`."""
        return _json(self.found, self.points, self.adjacency) | {
            "worst": self.worst.to_json(),
            "resolution": None,
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoneFound:
    """No violation found, at this resolution: it says nothing of what is rarer or not looked at.

    `resolution` is the least probability of an event that one data set causes and the other never,
    of which this many samples would have shown that it is against the claim.  Above 1: nothing
    could have been seen.
    """

    found: ClassVar[bool] = False
    points: tuple[Looked, ...]
    resolution: float
    adjacency: Adjacency
    pair: int = 0

    @property
    def worst(self) -> Looked:
        """The point that is nearest to a violation."""
        return max(self.points, key=lambda looked: looked.excess)

    def sentence(self) -> str:
        """The finding in words."""
        bound = self.points[0].bound
        if self.resolution > 1:
            return f"none found, and with {bound.samples} samples a side none could have been"
        least = rounded(self.resolution, 2, up=True)
        return (
            f"none found, at this resolution: an event of probability {least} that one data set "
            f"causes and the other never would have shown (samples a side: {bound.samples})"
        )

    def to_json(self) -> dict[str, Any]:
        """The object of the command line's `--json`."""
        return _json(self.found, self.points, self.adjacency) | {
            "worst": self.worst.to_json(),
            "resolution": self.resolution,
        }


def _json(found: bool, points: tuple[Looked, ...], adjacency: Adjacency) -> dict[str, Any]:
    bound = points[0].bound
    return {
        "violation": found,
        "confidence": bound.confidence,
        "samples": bound.samples,
        "adjacency": adjacency.value,
        "points": [looked.to_json() for looked in points],
    }
