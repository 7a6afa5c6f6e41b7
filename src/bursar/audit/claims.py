"""What is claimed, as points of one curve: ε at each of several δ, from 0 to 0.1, and at small ε.

A mechanism may keep its claim at the δ that is printed and break it elsewhere, so the whole curve
is looked at (Lokna et al. 2023).  A plan or mechanism brings its own curve, the proved one; a
function δ(ε) is asked at a grid of ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from bursar import require
from bursar.adjacency import Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan

Curve = Callable[[float], float]

DELTAS = ("0", "1e-12", "1e-9", "1e-7", "1e-5", "1e-4", "1e-3", "1e-2", "0.1")
EPSILONS = ("0", "0.5", "1", "2", "4")
_GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0)


@final
@dataclass(frozen=True, slots=True, order=True)
class Point:
    """The claim that P(E) ≤ e^ε Q(E) + δ for every event E."""

    delta: float
    epsilon: float


def points(claim: Mechanism | Plan | Curve, adjacency: Adjacency) -> tuple[Point, ...]:
    """The points at which a claim is looked at, each no stronger than the claim, none implied.

    >>> from bursar.mechanisms.statements import PureDP
    >>> points(PureDP(epsilon=1), Adjacency.ADD_OR_REMOVE_ONE)[0]
    Point(delta=0.0, epsilon=1.0)
    """
    if isinstance(claim, Mechanism | Plan):
        found = _of_plan(claim, adjacency)
    elif callable(claim):
        found = [Point(_delta(claim, epsilon), epsilon) for epsilon in _GRID]
    else:
        need = "it must be a mechanism, a plan, or a function from ε to δ"
        raise InvalidParameter(need, field="claim", value=claim)
    finite = {point for point in found if point.epsilon < math.inf and point.delta < 1}
    if not finite:
        raise InvalidParameter("it claims nothing at any δ below 1", field="claim", value=claim)
    return tuple(sorted(point for point in finite if not _implied(point, finite)))


def _implied(point: Point, others: set[Point]) -> bool:
    """Whether another point claims as much at least: then an event against this is against that."""
    return any(
        other.delta <= point.delta and other.epsilon <= point.epsilon and other != point
        for other in others
    )


def _of_plan(claim: Mechanism | Plan, adjacency: Adjacency) -> list[Point]:
    """Upper ends of what is proved, at floats at or above the exact δ."""
    from bursar.accounting.choose import delta, epsilon

    found = [
        Point(_up(Exact.of(at)), float(epsilon(claim, delta=at, adjacency=adjacency)))
        for at in DELTAS
    ]
    return found + [
        Point(float(delta(claim, epsilon=at, adjacency=adjacency)), float(at)) for at in EPSILONS
    ]


def _delta(claim: Curve, epsilon: float) -> float:
    value = require.unit_interval(claim=claim(epsilon))
    return _up(value)


def _up(value: Exact) -> float:
    near = float(value)
    return near if Exact(near) >= value else math.nextafter(near, math.inf)
