"""Look for a violation of a claim: run on two neighbours, learn where they differ, test that.

`look` takes a mechanism and two data sets, `search` finds two of many, `lower_bound` takes
outcomes that were drawn elsewhere.  All three end in the same test: events that were fixed before
the outcomes they are counted on were looked at.  The auditor tosses no coins of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.audit.bounds import (
    at_least,
    at_most,
    epsilon_at_least,
    guessed_at_least,
    guessed_at_most,
)
from bursar.audit.claims import Curve, Point, points
from bursar.audit.events import Event, chosen
from bursar.audit.findings import Likelier, Looked, LowerBound, NoneFound, Violation, Witness
from bursar.audit.outcomes import Table, tables
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan

D = TypeVar("D")
Outcomes = Sequence[object]

FEWEST = 40  # outcomes a side: a quarter to learn from, a quarter to choose by, half to test
_PAIR = 400  # outcomes a side for each pair that is searched


@final
@dataclass(frozen=True, slots=True)
class Vectorised(Generic[D]):
    """A mechanism that is asked for many independent outcomes at once: run(data, size)."""

    run: Callable[[D, int], Any]


class Source(ABC, Generic[D]):
    """Where outcomes come from, if not from calling the mechanism at once: from a record, say."""

    @abstractmethod
    def draw(self, data: D, size: int) -> Outcomes:
        """So many independent outcomes on this data; what it raises is raised."""


Run = Callable[[D], object] | Vectorised[D] | Source[D]


def look(
    run: Run[D],
    data: D,
    neighbour: D,
    *,
    claim: Mechanism | Plan | Curve,
    adjacency: Adjacency | str = DEFAULT,
    samples: int = 100_000,
    confidence: Number = "0.999999",
    grid: int | None = None,
) -> Violation | NoneFound:
    """Run on two neighbours, so many times on each, and look for a violation of the claim.

    `claim` is a mechanism, a plan, or a function from ε to δ.  `run(data)` gives one outcome, of
    any kind; an exception is an outcome.  Runs must be independent.  Where `grid` is given, floats
    are rounded to multiples of 2^-grid first: then their low bits are not looked at, which in
    floating-point noise violate any claim.  Raises InvalidParameter.

    >>> from bursar.mechanisms.statements import PureDP
    >>> look(lambda data: sum(data), [1, 1], [1], claim=PureDP(epsilon=1), samples=400).found
    True
    """
    relation = Adjacency.of(adjacency)
    claimed = points(claim, relation)
    each = require.count(samples=samples, at_least=FEWEST)
    failure = _failure(confidence)
    first, second = tables(drawn(run, data, each), drawn(run, neighbour, each), grid=grid)
    return _finding(*_tested(first, second, claimed, failure), relation)


def search(
    run: Run[D],
    pairs: Iterable[tuple[D, D]],
    *,
    claim: Mechanism | Plan | Curve,
    adjacency: Adjacency | str = DEFAULT,
    samples: int = 100_000,
    confidence: Number = "0.999999",
    grid: int | None = None,
) -> Violation | NoneFound:
    """Half of the samples to find the most promising pair of neighbours, half to test that one.

    The outcomes that are tested are fresh, so the search costs power and no confidence.  The
    finding's `pair` says which of the pairs was tested.
    """
    relation, among = Adjacency.of(adjacency), list(pairs)
    claimed, failure = points(claim, relation), _failure(confidence)
    need = max(_PAIR * len(among) * 2, FEWEST)
    if not among or not require.count(samples=samples) >= need:
        raise InvalidParameter(
            f"{len(among)} pairs need {need} samples or more", field="samples", value=samples
        )
    each = samples // 2 // len(among)
    hopes = []
    for data, neighbour in among:
        first, second = tables(drawn(run, data, each), drawn(run, neighbour, each), grid=grid)
        looked, _ = _tested(first, second, claimed, failure)
        hopes.append(max(point.excess for point in looked))
    best = int(np.argmax(hopes))
    data, neighbour = among[best]
    rest = samples - samples // 2
    first, second = tables(drawn(run, data, rest), drawn(run, neighbour, rest), grid=grid)
    return _finding(*_tested(first, second, claimed, failure), relation, pair=best)


def lower_bound(
    first: Outcomes,
    second: Outcomes,
    *,
    delta: Number = 0,
    confidence: Number = "0.999999",
) -> LowerBound:
    """The ε that these outcomes of two neighbours prove at this δ: what a claim must reach.

    >>> import numpy as np
    >>> heads = np.arange(10_000) % 4 == 0
    >>> 0.9 < lower_bound(heads, ~heads).epsilon < 1.1
    True
    """
    at = Point(float(require.unit_interval(delta=delta)), 0.0)
    if not len(first) == len(second) >= FEWEST:
        need = f"there must be as many of both, {FEWEST} at least"
        raise InvalidParameter(need, field="outcomes", value=(len(first), len(second)))
    looked, _ = _tested(*tables(first, second), (at,), _failure(confidence))
    return looked[0].bound


def drawn(run: Run[D], data: D, size: int) -> Outcomes:
    """So many outcomes; where the mechanism raises, the error is the outcome."""
    if isinstance(run, Source):
        return run.draw(data, size)
    if not isinstance(run, Vectorised):
        return [outcome(run, data) for _ in range(size)]
    try:
        found: Outcomes = run.run(data, size)
    except Exception:  # noqa: BLE001 - whatever the audited code raises
        return [outcome(lambda of: run.run(of, 1)[0], data) for _ in range(size)]
    if len(found) != size:
        need = f"a vectorised mechanism must give {size} outcomes for that size"
        raise InvalidParameter(need, field="run", value=len(found))
    return found


def outcome(run: Callable[[D], object], data: D) -> object:
    """What the mechanism gives, or the error that it raises: that may tell as well."""
    try:
        return run(data)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the audited code raises
        return error


def _failure(confidence: Number) -> float:
    """1 − confidence, rounded down."""
    exact = require.probability(confidence=confidence)
    failure = float(1 - exact)
    if not 0 < failure < 1:
        raise InvalidParameter("it must be below 1", field="confidence", value=confidence)
    return failure if Exact(failure) <= 1 - exact else float(np.nextafter(failure, 0))


def _tested(
    first: Table, second: Table, claimed: Sequence[Point], failure: float
) -> tuple[tuple[Looked, ...], float]:
    """What the second half of the outcomes proves at each point, and the resolution."""
    cut = len(first) // 2
    tests = len(first) - cut
    events = chosen(first.part(0, cut), second.part(0, cut), claimed, failure=failure, tests=tests)
    each = failure / (2 * max(len(events), 1)) * (1 - 2.0**-40)  # what floats round
    fresh = first.part(cut, len(first)), second.part(cut, len(second))
    proved = [_proved(event, fresh, tests, each) for event in events]
    looked = []
    for point in claimed:
        bound = LowerBound(
            epsilon=0.0, delta=point.delta, confidence=1 - failure, samples=len(first)
        )
        best = max(proved, key=lambda one: one.guess(point.delta), default=None)
        if best is not None:
            epsilon = epsilon_at_least(best.often, best.seldom, delta=point.delta)
            if epsilon > 0:
                bound = LowerBound(
                    epsilon=epsilon,
                    delta=point.delta,
                    confidence=1 - failure,
                    samples=len(first),
                    witness=best.witness,
                )
        looked.append(Looked(claimed=point.epsilon, bound=bound))
    return tuple(looked), min(_resolution(point, tests, each) for point in claimed)


@final
@dataclass(frozen=True, slots=True)
class _Proved:
    """Bounds on the probabilities of one event, the likelier side's from below."""

    often: float
    seldom: float
    witness: Witness

    def guess(self, delta: float) -> float:
        return (self.often - delta) / self.seldom


def _proved(event: Event, fresh: tuple[Table, Table], tests: int, failure: float) -> _Proved:
    hits = event.hits(fresh[0]), event.hits(fresh[1])
    often, seldom = reversed(hits) if event.turned else hits
    likelier: Likelier = "neighbour" if event.turned else "data"
    return _Proved(
        often=at_least(often, tests, failure=failure),
        seldom=at_most(seldom, tests, failure=failure),
        witness=Witness(event=str(event), likelier=likelier, hits=hits),
    )


def _resolution(point: Point, tests: int, failure: float) -> float:
    """The least share of hits, against none, that is above the claim at this point."""
    never = float(guessed_at_most(np.array([0]), tests, failure=failure)[0])
    need = min(np.exp(min(point.epsilon, 700.0)) * never + point.delta, 2.0)
    low, high = 0, tests + 1  # high hits are enough, low hits are not, from here to the end
    while high - low > 1:
        middle = (low + high) // 2
        enough = float(guessed_at_least(np.array([middle]), tests, failure=failure)[0]) > need
        low, high = (low, middle) if enough else (middle, high)
    return high / tests


def _finding(
    looked: tuple[Looked, ...], resolution: float, adjacency: Adjacency, pair: int = 0
) -> Violation | NoneFound:
    worst = max(looked, key=lambda point: point.excess)
    if worst.excess > 0:
        return Violation(worst=worst, points=looked, adjacency=adjacency, pair=pair)
    return NoneFound(points=looked, resolution=resolution, adjacency=adjacency, pair=pair)
