"""Which events are worth a test: for each point of a claim, and each side, the most promising.

Scores are learned on a quarter of the outcomes, thresholds chosen on another, and the half that
is left has never been looked at when the events are fixed.  Then bounds for a fixed number of
events hold together by the union bound (docs/proofs/audit.md, Thm 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar.audit.bounds import guessed_at_least, guessed_at_most
from bursar.audit.claims import Point
from bursar.audit.outcomes import Table
from bursar.audit.scores import Score, learned

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_RANKS = 80


@final
@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """That the score is at least this (or, `turned`, below it: then the second is likelier)."""

    score: Score
    least: float
    turned: bool

    def hits(self, table: Table) -> int:
        """How many outcomes are in the event."""
        inside = int(np.count_nonzero(self.score(table) >= self.least))
        return len(table) - inside if self.turned else inside

    def __str__(self) -> str:
        words = self.score.words(self.least)
        return f"not: {words}" if self.turned else words


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The thresholds of one score, with how often each side was at or above them."""

    score: Score
    least: Floats
    first: Integers
    second: Integers


def chosen(
    first: Table, second: Table, points: Sequence[Point], *, failure: float, tests: int
) -> list[Event]:
    """At most two events for each point.

    They are chosen for the largest excess over the claim that bounds from `tests` fresh outcomes
    would show, were they like those at hand.
    """
    halves, rest = _halves(first, second)
    scores = learned(*halves)
    candidates = [_candidates(score, *rest) for score in scores]
    each = failure / (8 * len(points))
    found: dict[tuple[int, float, bool], Event] = {}
    for turned in (False, True):
        bounds = [_bounds(one, len(rest[0]), turned, tests, each) for one in candidates]
        for point in points:
            values = [_excess(often, seldom, point) for often, seldom in bounds]
            best = max(range(len(values)), key=lambda i: float(values[i].max(initial=-np.inf)))
            if not len(values[best]):
                continue
            place = int(values[best].argmax())
            least = float(candidates[best].least[place])
            found[best, least, turned] = Event(scores[best], least, turned)
    return list(found.values())


def _halves(first: Table, second: Table) -> tuple[tuple[Table, Table], tuple[Table, Table]]:
    """Outcomes to learn from, and outcomes to choose by."""
    half = len(first) // 2
    learn, choose = (
        [side.part(*cut) for side in (first, second)] for cut in ((0, half), (half, len(first)))
    )
    return (learn[0], learn[1]), (choose[0], choose[1])


def _candidates(score: Score, first: Table, second: Table) -> _Candidates:
    one, two = np.sort(score(first)), np.sort(score(second))
    ranks = np.unique(np.geomspace(1, len(one), _RANKS).astype(np.int64))
    pools = [side[-ranks] for side in (one, two)] + [side[ranks - 1] for side in (one, two)]
    above = np.nextafter([one[-1], two[-1]], np.inf)  # where one of them never was
    least = np.unique(np.concatenate([*pools, above]))
    least = least[np.isfinite(least)]
    counts = [len(side) - np.searchsorted(side, least, "left") for side in (one, two)]
    return _Candidates(score, least, *counts)


def _bounds(
    found: _Candidates, trials: int, turned: bool, tests: int, failure: float
) -> tuple[Floats, Floats]:
    """What fresh outcomes would prove of both probabilities, the likelier side first."""
    often, seldom = found.first, found.second
    if turned:
        often, seldom = trials - found.second, trials - found.first
    scaled = [np.rint(hits * (tests / trials)).astype(np.int64) for hits in (often, seldom)]
    return (
        guessed_at_least(scaled[0], tests, failure=failure),
        guessed_at_most(scaled[1], tests, failure=failure),
    )


def _excess(often: Floats, seldom: Floats, point: Point) -> Floats:
    """By how much the ε that would be proved is above the claimed one."""
    with np.errstate(all="ignore"):
        proved = np.log(np.maximum(often - point.delta, 1e-300) / np.maximum(seldom, 1e-300))
    return proved - point.epsilon
