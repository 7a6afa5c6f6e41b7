"""The best attacker's power: the largest true positive rate at a false positive rate, enclosed.

δ(x) = ∫(p−xq)₊ is convex in x, and the power at rate α is the least value of g(x) = δ(x) + αx: any
point bounds it from above, and lines through points on both sides of the least one from below:
docs/proofs/risk.md.  Where only a bound on δ is proved, only the upper end is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from bursar.accounting import choose, exact, saddlepoint
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.ends import infinite
from bursar.accounting.estimates import Sketched
from bursar.accounting.profiles import Profile
from bursar.adjacency import Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Exact
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.privacy.pairs import Composition, symmetric
from bursar.truth import Answered

_SEARCH = 48  # steps of golden section
_GOLDEN = (math.sqrt(5) - 1) / 2
_WIDEST = 700.0  # |log x|
_BITS = 192
_GAPS = (
    1e-5,
    1e-4,
    2e-3,
    3e-2,
    0.3,
)  # of points around the least, until all is certain


@final
@dataclass(frozen=True, slots=True)
class Power:
    """The power at one rate: proved above, and below too where the pairs are tight."""

    lower: float
    upper: float
    tight: bool
    direction: Answered


class _Curve(Protocol):
    """δ(e^log_x) of one direction, and where to look."""

    def at(self, log_x: float) -> tuple[float, float]: ...

    def guess(self, log_x: float) -> float: ...


@final
@dataclass(frozen=True, slots=True)
class Attack:
    """The power of the best test against a plan, in each direction that differs."""

    curves: tuple[tuple[Answered, _Curve], ...]
    tight: bool

    @classmethod
    def on(cls, plan: Plan, relation: Adjacency) -> Attack:
        """By the profiles of its pairs; where they have none, by the least δ that is proved."""
        try:
            remove, add = (views.pairs(plan, relation, way) for way in Direction)
            here = exact.profile(remove)
            never = _infinite(remove)
            if all(symmetric(pair) for pair, _ in remove.parts):
                return cls((("both", _Enclosed(here, here, never)),), remove.tight)
            there = exact.profile(add)
        except (NoProof, LimitReached):
            return cls((("both", _Bounded(plan, relation)),), tight=False)
        ways: tuple[tuple[Answered, _Curve], ...]
        ways = ("remove", _Enclosed(here, there, never)), ("add", _Enclosed(there, here, never))
        return cls(ways, remove.tight and add.tight)

    def power(self, rate: Exact) -> Power:
        """At this false positive rate, in the worse direction."""
        best = Power(0.0, 0.0, self.tight, "both")
        for way, curve in self.curves:
            if rate == 1:
                return Power(1.0, 1.0, self.tight, "both")
            where = 0.0 if rate == 0 else _least(_line(curve.guess, float(rate)))
            if best.lower > 0 and _upper(curve, where, rate) <= best.lower:
                continue
            lower, upper = _power(curve, rate, where)
            if lower > best.upper or len(self.curves) == 1:
                best = Power(lower, upper, self.tight, way)
            elif upper > best.lower:
                low, high = max(lower, best.lower), max(upper, best.upper)
                first = best.upper == 0
                best = Power(low, high, self.tight, way if first else "both")
        return best


@final
@dataclass(frozen=True, slots=True)
class _Enclosed:
    """δ(x) of P against Q in one direction, with that of the other for x below 1."""

    here: Profile
    there: Profile
    infinite: tuple[float, float]  # the probability of an infinite loss, in either direction

    def at(self, log_x: float) -> tuple[float, float]:
        """An enclosure; for x < 1 it is 1 − x + x δ_{Q‖P}(1/x)."""
        with precision(_BITS):
            at = ball(abs(log_x))
            value = (self.here if log_x >= 0 else self.there).delta_at(at)
            if log_x < 0:
                x = ball(log_x).exp()
                value = 1 - x + x * value
            return max(0.0, float_down(value)), min(1.0, float_up(value))

    def guess(self, log_x: float) -> float:
        """By the saddle point where there is one: where to look, no more."""
        profile = self.here if log_x >= 0 else self.there
        if not isinstance(profile, ContourProfile):
            return self.at(log_x)[1]
        sketched = Sketched(profile.found, float(profile.top))
        value = saddlepoint.ACCOUNTANT.guess(sketched, abs(log_x))
        return value if log_x >= 0 else _mirrored(log_x, value)


@final
@dataclass(frozen=True, slots=True)
class _Bounded:
    """The least δ that any accountant proves, for both directions at once."""

    plan: Plan
    relation: Adjacency

    def at(self, log_x: float) -> tuple[float, float]:
        """Nothing below; above, for x < 1, 1 − x + x δ(1/x) of the other direction."""
        epsilon = Exact.of(abs(log_x))
        value = choose.delta(self.plan, epsilon=epsilon, adjacency=self.relation).upper
        if log_x < 0:
            with precision(_BITS):
                x = ball(log_x).exp()
                value = float_up(1 - x + x * ball(value))
        return 0.0, min(1.0, value)

    def guess(self, log_x: float) -> float:
        """The bound itself."""
        return self.at(log_x)[1]


def _infinite(pairs: Composition) -> tuple[float, float]:
    with precision(_BITS):
        found = infinite(pairs)
        return max(0.0, float_down(found)), max(0.0, float_up(found))


def _mirrored(log_x: float, value: float) -> float:
    return -math.expm1(log_x) + math.exp(log_x) * value


def _line(value: Callable[[float], float], alpha: float) -> Callable[[float], float]:
    return lambda log_x: value(log_x) + math.exp(log_x) * alpha


def _upper(curve: _Curve, log_x: float, rate: Exact) -> float:
    """g at this point, rounded up."""
    with precision(_BITS):
        return float_up(ball(curve.at(log_x)[1]) + ball(rate) * ball(log_x).exp())


def _power(curve: _Curve, rate: Exact, where: float) -> tuple[float, float]:
    """An enclosure of min over x of δ(x) + x·rate, which is least near `where`."""
    if isinstance(curve, _Bounded):
        return 0.0, curve.at(_WIDEST)[1] if rate == 0 else min(1.0, _upper(curve, where, rate))
    if rate == 0 and isinstance(curve, _Enclosed):
        return curve.infinite
    best, upper = _polished(_line(lambda log_x: curve.at(log_x)[1], float(rate)), where), 1.0
    for gap in _GAPS:
        points = [best + j * gap * max(1.0, abs(best)) for j in (-2, -1, 0, 1, 2)]
        lower, found = _lines(curve, points, rate)
        upper = min(upper, found)
        if lower > 0:
            return min(lower, upper), upper
    return 0.0, upper


def _lines(curve: _Curve, points: list[float], rate: Exact) -> tuple[float, float]:
    """Above: the least value at a point.  Below: lines through outer points, by convexity."""
    with precision(_BITS):
        alpha = ball(rate)
        rows = []
        for log_x in points:
            low, high = curve.at(log_x)
            x = ball(log_x).exp()
            rows.append((x, ball(low) + alpha * x, ball(high) + alpha * x))
        upper = min(float_up(high) for _, _, high in rows)
        (x0, _, h0), (x1, l1, _), (_, _, h2), (x3, l3, _), (x4, _, h4) = rows
        if not (h2 < l1 and h2 < l3):  # the least point is not known to be between
            return 0.0, min(1.0, upper)
        left, right = (l1 - h0) / (x1 - x0), (h4 - l3) / (x4 - x3)
        lowest = (l1 + left * (x3 - x1)).max(l3 - right * (x3 - x1))
        return max(0.0, float_down(lowest)), min(1.0, upper)


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
