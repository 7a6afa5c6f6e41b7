"""The best attacker's power: the largest true positive rate at a false positive rate, enclosed.

δ(x) = ∫(p−xq)₊ is convex in x, and the power at rate α is the least value of g(x) = δ(x) + αx: any
point bounds it from above, and lines through points on both sides of the least one from below:
docs/proofs/risk.md.  Where only a bound on δ is proved, only the upper end is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from bursar.accounting import enclosing
from bursar.accounting.power_curves import BITS, Bounded, Curve, Enclosed
from bursar.adjacency import Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Exact
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, precision
from bursar.privacy.pairs import symmetric
from bursar.truth import Answered

_SEARCH = 48  # steps of golden section
_GOLDEN = (math.sqrt(5) - 1) / 2
_WIDEST = 700.0  # |log x|
_ENOUGH = 5e-4  # relative width of a power
_MOST_LOOKS = 24
_NEAR = 1e-7  # of log x: where it has been looked already
_AROUND = 0.03  # of log x, around the least of a bound
_GAPS = (1e-5, 1e-4, 2e-3, 8e-3, 3e-2, 0.3)  # of points around the least, until all is certain


@final
@dataclass(frozen=True, slots=True)
class Power:
    """The power at one rate: proved above, and below too where the pairs are tight."""

    lower: float
    upper: float
    tight: bool
    direction: Answered


@final
@dataclass(frozen=True, slots=True)
class Attack:
    """The power of the best test against a plan, in each direction that differs."""

    curves: tuple[tuple[Answered, Curve], ...]
    tight: bool

    @classmethod
    def on(cls, plan: Plan, relation: Adjacency) -> Attack:
        """By the profiles of its tight pairs; else by the least δ that is proved."""
        try:
            remove, add = (views.pairs(plan, relation, way) for way in Direction)
            if not (remove.tight and add.tight):
                return cls.bounded(plan, relation)
            here = enclosing.profile(remove)
            if all(symmetric(pair) for pair, _ in remove.parts):
                return cls((("both", Enclosed.of(here, here, remove, remove)),), tight=True)
            there = enclosing.profile(add)
        except (NoProof, LimitReached):
            return cls.bounded(plan, relation)
        ways: tuple[tuple[Answered, Curve], ...] = (
            ("remove", Enclosed.of(here, there, remove, add)),
            ("add", Enclosed.of(there, here, add, remove)),
        )
        return cls(ways, tight=True)

    @classmethod
    def bounded(cls, plan: Plan, relation: Adjacency) -> Attack:
        """By the least δ that is proved alone."""
        return cls((("both", Bounded.on(plan, relation)),), tight=False)

    @property
    def method(self) -> str:
        """Who answers for δ."""
        return max(curve.method for _, curve in self.curves)

    def power(self, rate: Exact) -> Power:
        """At this false positive rate, in the worse direction."""
        best = Power(0.0, 0.0, self.tight, "both")
        for way, curve in self.curves:
            if rate == 1:
                return Power(1.0, 1.0, self.tight, "both")
            if isinstance(curve, Enclosed) and rate >= 1 - curve.never:
                return Power(1.0, 1.0, self.tight, way)
            where = 0.0 if rate == 0 else _least(_line(curve.guess, float(rate)))
            if best.lower > 0 and curve.line(where, rate)[1] <= best.lower:
                continue
            lower, upper = _power(curve, rate, where)
            if lower > best.upper or len(self.curves) == 1:
                best = Power(lower, upper, self.tight, way)
            elif upper > best.lower:
                low, high = max(lower, best.lower), max(upper, best.upper)
                first = best.upper == 0
                best = Power(low, high, self.tight, way if first else "both")
        return best


def _line(value: Callable[[float], float], alpha: float) -> Callable[[float], float]:
    return lambda log_x: value(log_x) + math.exp(log_x) * alpha


def _power(curve: Curve, rate: Exact, where: float) -> tuple[float, float]:
    """An enclosure of min over x of δ(x) + x·rate, which is least near `where`."""
    if isinstance(curve, Bounded):
        if rate == 0:
            return 0.0, curve.line(_WIDEST, rate)[1]
        return 0.0, min(1.0, *(curve.line(where + _AROUND * j, rate)[1] for j in range(-2, 3)))
    if rate == 0 and isinstance(curve, Enclosed):
        return curve.infinite or (0.0, curve.line(_WIDEST, rate)[1])
    best, upper = _polished(lambda log_x: curve.line(log_x, rate)[1], where), 1.0
    lower = 0.0
    for gap in _GAPS:
        points = [best + j * gap * max(1.0, abs(best)) for j in (-2, -1, 0, 1, 2)]
        lower, found = _lines(curve, points, rate)
        upper = min(upper, found)
        if lower > 0:
            break
    if upper - lower > _ENOUGH * upper:
        again = _cornered(curve, rate, best)
        lower, upper = max(lower, again[0]), min(upper, again[1])
    return min(lower, upper), upper


def _cornered(curve: Curve, rate: Exact, best: float) -> tuple[float, float]:
    """Where g has corners: lines from both sides, and the next point is where they meet.

    g is at or above each line between the point that it starts from and the least one.
    """
    rows: dict[float, tuple[float, float]] = {}

    def look(log_x: float) -> None:
        rows[log_x] = curve.line(log_x, rate)

    for step in (-0.3, -0.03, 0.0, 0.03, 0.3):
        look(best + step)
    lower, reach = 0.0, 0.6
    for _ in range(_MOST_LOOKS):
        points = sorted(rows)
        least = min(points, key=lambda at: rows[at][1])
        upper = rows[least][1]
        left = [at for at in points if at < least and rows[at][0] > upper]
        right = [at for at in points if at > least and rows[at][0] > upper]
        if len(left) < 2 or len(right) < 2:
            wanting = points[0] - reach if len(left) < 2 else points[-1] + reach
            reach *= 1.6
            if abs(wanting) > _WIDEST:
                break
            look(wanting)
            continue
        ends = (left[-2], left[-1], right[0], right[1])
        found, meeting = _meeting(*((at, *rows[at]) for at in ends))
        lower = max(lower, found)
        if upper - lower <= _ENOUGH * upper:
            break
        near = min(points, key=lambda at: abs(at - meeting))
        if abs(near - meeting) < _NEAR:
            wider = max((left[-1], least), (least, right[0]), key=lambda gap: gap[1] - gap[0])
            meeting = sum(wider) / 2
        look(meeting)
    return lower, min(1.0, *(high for _, high in rows.values()))


_Row = tuple[float, float, float]


def _meeting(first: _Row, second: _Row, third: _Row, last: _Row) -> tuple[float, float]:
    """How low two lines let g be, and log x of where they meet."""
    with precision(BITS):
        (x0, x1, x3, x4) = (ball(row[0]).exp() for row in (first, second, third, last))
        l1, l3 = ball(second[1]), ball(third[1])
        left, right = (l1 - first[2]) / (x1 - x0), (ball(last[2]) - l3) / (x4 - x3)
        if not (left < 0 < right):
            return 0.0, (second[0] + third[0]) / 2
        meeting = (l3 - l1 + left * x1 - right * x3) / (left - right)
        lowest = l1 + left * (meeting - x1)
        inside = bool(x1 < meeting < x3)
        at = float(meeting.log().mid()) if inside else (second[0] + third[0]) / 2
        return max(0.0, float_down(lowest)), at


def _lines(curve: Curve, points: list[float], rate: Exact) -> tuple[float, float]:
    """Above: the least value at a point.  Below: lines through outer points, by convexity."""
    rows = [(log_x, *curve.line(log_x, rate)) for log_x in points]
    upper = min(1.0, *(high for _, _, high in rows))
    first, second, middle, third, last = rows
    if not (middle[2] < second[1] and middle[2] < third[1]):
        return 0.0, upper  # the least point is not known to be between
    return _meeting(first, second, third, last)[0], upper


def _least(value: Callable[[float], float]) -> float:
    """Where a quasi-convex function is least: golden section."""
    low, high = -2.0, 2.0
    while high < _WIDEST and value(high) < value(high / 2):
        high *= 2
    while low > -_WIDEST and value(low) < value(low / 2):
        low *= 2
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_a, at_b = value(a), value(b)
    for _ in range(_SEARCH):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - _GOLDEN * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + _GOLDEN * (high - low)
            at_b = value(b)
        if high - low < 1e-5:
            break
    return (low + high) / 2


def _polished(value: Callable[[float], float], best: float) -> float:
    """A few parabolas through exact values, towards the least."""
    step = 0.03 * max(1.0, abs(best))
    here = value(best)
    for _ in range(4):
        low, high = value(best - step), value(best + step)
        bend = low - 2 * here + high
        move = 0.5 * step * (low - high) / bend if bend > 0 else math.copysign(2 * step, low - high)
        move = max(-2 * step, min(move, 2 * step))
        if abs(move) < 1e-5 * max(1.0, abs(best)):
            break
        best += move
        if abs(move) < step < 2e-3 * max(1.0, abs(best)):
            break
        here = value(best)
        step = max(abs(move) / 2, 1e-4) if abs(move) < step else step
    return best
