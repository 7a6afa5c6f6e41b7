"""What an attacker could do: advantage, true positive rate, posterior; the trade-off curve.

The attacker sees the output, knows everything but whether the person was in the data, and guesses
"in".  With P the law with the person and Q without, every test has TPR ≤ δ(x) + x·FPR for all
x > 0, δ(x) = ∫(p−xq)₊, and the best test attains the least of these (Dong, Roth & Su 2022,
Prop. 2.12).  δ(x) is convex in x, so a few enclosures of it bound that least value on both sides:
docs/proofs/risk.md.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from bursar import require
from bursar.accounting import exact, saddlepoint
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.estimates import Sketched
from bursar.accounting.profiles import Profile
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.privacy.pairs import symmetric
from bursar.truth import About, Enclosure, Proved, UpperBound

_SEARCH = 48  # steps of golden section
_GOLDEN = (math.sqrt(5) - 1) / 2
_WIDEST = 700.0  # |log x|


def advantage(run: Plan | Mechanism, *, adjacency: Adjacency | str = DEFAULT) -> Proved:
    """The largest TPR − FPR of any attacker: the total variation distance, δ at ε = 0.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> advantage(Gaussian(noise_multiplier=1)).upper
    0.3829...
    """
    return exact.delta(run, epsilon=0, adjacency=adjacency)


def true_positive_rate(
    run: Plan | Mechanism, *, false_positive_rate: Number, adjacency: Adjacency | str = DEFAULT
) -> Proved:
    """The largest true positive rate of any attacker at this false positive rate.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> true_positive_rate(Gaussian(noise_multiplier=1), false_positive_rate="0.01").upper
    0.09236...
    """
    started = time.perf_counter()
    rate = require.unit_interval(false_positive_rate=false_positive_rate)
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    ways = [_Curve.of(plan, relation, way) for way in Direction]
    found = [curve.power(rate) for curve in (ways[:1] if ways[0].symmetric else ways)]
    about = About(quantity="delta", given=rate.text, method="exact", adjacency=relation)
    about = replace(about, seconds=time.perf_counter() - started)
    lower, upper = max(low for low, _ in found), max(high for _, high in found)
    if not all(curve.tight for curve in ways):
        return UpperBound(upper=upper, about=about)
    return Enclosure(lower=min(lower, upper), upper=upper, about=about)


def trade_off(
    run: Plan | Mechanism, *, points: int = 21, adjacency: Adjacency | str = DEFAULT
) -> list[tuple[float, Proved]]:
    """The trade-off curve of f-DP: at each false positive rate, the largest true positive rate.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> curve = trade_off(Gaussian(noise_multiplier=1), points=3)
    >>> [(rate, round(tpr.upper, 3)) for rate, tpr in curve]
    [(0.0, 0.0), (0.5, 0.841), (1.0, 1.0)]
    """
    count = require.count(points=points, at_least=2)
    rates = [Exact(j) / (count - 1) for j in range(count)]
    return [
        (
            float(rate),
            true_positive_rate(run, false_positive_rate=Exact(rate), adjacency=adjacency),
        )
        for rate in rates
    ]


def posterior(prior: Number, *, epsilon: Number) -> float:
    """The largest belief that a person is in the data, after an output of loss at most ε.

    >>> posterior("0.5", epsilon=1)
    0.7310...
    """
    before, loss = require.unit_interval(prior=prior), require.nonnegative(epsilon=epsilon)
    if before in (0, 1):
        return float(before)
    with precision():
        odds = ball(before) / (1 - ball(before)) * ball(loss).exp()
        return min(1.0, float_up(odds / (1 + odds)))


@final
@dataclass(frozen=True, slots=True)
class _Curve:
    """δ(x) of P against Q in one direction, with that of the other for x below 1."""

    here: Profile
    there: Profile
    symmetric: bool
    tight: bool

    @classmethod
    def of(cls, plan: Plan, relation: Adjacency, way: Direction) -> _Curve:
        other = Direction.ADD if way is Direction.REMOVE else Direction.REMOVE
        pairs = views.pairs(plan, relation, way)
        here = exact.profile(pairs)
        same = all(symmetric(pair) for pair, _ in pairs.parts)
        there = here if same else exact.profile(views.pairs(plan, relation, other))
        return cls(here, there, same, pairs.tight)

    def at(self, log_x: float) -> tuple[float, float]:
        """An enclosure of δ(e^log_x); for x < 1 it is 1 − x + x δ_{Q‖P}(1/x)."""
        with precision(192):
            at = ball(abs(log_x))
            value = (self.here if log_x >= 0 else self.there).delta_at(at)
            if log_x < 0:
                x = ball(log_x).exp()
                value = 1 - x + x * value
            return max(0.0, float_down(value)), min(1.0, float_up(value))

    def power(self, rate: Exact) -> tuple[float, float]:
        """An enclosure of min over x of δ(x) + x·rate."""
        if rate == 1:
            return 1.0, 1.0
        if rate == 0:
            return self._at_none()
        alpha = float(rate)

        def exactly(log_x: float) -> float:
            return self.at(log_x)[1] + math.exp(log_x) * alpha

        def roughly(log_x: float) -> float:
            return self.guess(log_x) + math.exp(log_x) * alpha

        best, upper = _polished(exactly, _least(roughly)), 1.0
        for gap in (1e-4, 2e-3, 3e-2, 0.3):
            points = [best + j * gap * max(1.0, abs(best)) for j in (-2, -1, 0, 1, 2)]
            lower, found = self._enclosed(points, rate)
            upper = min(upper, found)
            if lower > 0:
                return min(lower, upper), upper
        return 0.0, upper

    def _at_none(self) -> tuple[float, float]:
        """At FPR 0 the rate is P(infinite loss): δ as x grows."""
        return 0.0, self.at(_WIDEST)[1]

    def guess(self, log_x: float) -> float:
        """δ(e^log_x) by the saddle point where there is one: where to look, no more."""
        profile = self.here if log_x >= 0 else self.there
        if not isinstance(profile, ContourProfile):
            return self.at(log_x)[1]
        sketched = Sketched(profile.found, float(profile.top))
        value = saddlepoint.ACCOUNTANT.guess(sketched, abs(log_x))
        return value if log_x >= 0 else -math.expm1(log_x) + math.exp(log_x) * value

    def _enclosed(self, points: list[float], rate: Exact) -> tuple[float, float]:
        """Above: the least value at a point.  Below: lines through outer points, by convexity."""
        with precision(192):
            alpha = ball(rate)
            rows = []
            for log_x in points:
                low, high = self.at(log_x)
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
    for _ in range(4):
        low, here, high = value(best - step), value(best), value(best + step)
        bend = low - 2 * here + high
        move = 0.5 * step * (low - high) / bend if bend > 0 else math.copysign(2 * step, low - high)
        best += max(-2 * step, min(move, 2 * step))
        step = max(abs(move) / 2, 1e-4) if abs(move) < step else step
    return best
