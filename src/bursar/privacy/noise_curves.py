"""RDP curves of further laws: discrete Laplace noise, bounded ranges, tables, mixtures of shifts.

Each leaf is one formula, in balls that are refined until 64 bits are good, with a float64 twin to
search with.  The discrete Gaussian has the Gaussian's curve, so it has no leaf of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import BITS, ball, float_up, precision
from bursar.numerics.search import nearest, refined
from bursar.privacy.curve import Floats, RdpCurve

_LEAST_ORDER = 1 + Fraction(1, 1 << 40)  # stands for order 1, since divergences rise with it


@final
@dataclass(frozen=True, slots=True)
class DiscreteLaplaceCurve(RdpCurve):
    """Noise of mass e^{−|x|/t} on the integers, moved by s, or not: a sum of geometric series.

    With g = e^{−(2α−1)/t} and a = e^{−1/t}: (α−1)ε(α) = (α−1)s/t +
    log((1+g^s)/(1+a) + (1−a)/(1+a)·(g−g^s)/(1−g)).  For s = 1 it is randomized response.
    """

    scale: Exact
    shift: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", require.positive(scale=self.scale))
        require.count(shift=self.shift)

    def limit(self) -> Fraction:
        """s/t."""
        return self.shift / self.scale

    def _bound(self, order: Fraction) -> arb:
        alpha, s = max(order, _LEAST_ORDER), self.shift
        twice = 2 * alpha - 1

        def compute() -> arb:
            rate = ball(1 / self.scale)
            a, g, power = (
                (-rate).exp(),
                (-ball(twice) * rate).exp(),
                (-ball(s * twice) * rate).exp(),
            )
            inner = (1 + power) / (1 + a) + (1 - a) / (1 + a) * (g - power) / (1 - g)
            return ball(self.limit()) + inner.log() / ball(alpha - 1)

        return refined(compute)

    @classmethod
    def _sketches(cls, curves: Sequence[DiscreteLaplaceCurve], orders: Floats) -> Floats:
        rate = np.array([[nearest(1 / curve.scale)] for curve in curves])
        s = np.array([[float(curve.shift)] for curve in curves])
        more, twice = orders - 1, 2 * orders - 1
        a = np.exp(-rate)
        below = np.expm1(-s * twice * rate) * (1 - a) / (1 + a)
        between = np.exp(-twice * rate) * np.expm1((1 - s) * twice * rate)
        inner = (np.expm1(-s * twice * rate) + 1 - a) / (1 + a)
        inner += (1 - a) / (1 + a) * between / np.expm1(-twice * rate)
        far = s * rate + np.log1p(inner) / more
        small = 0.5 * orders * (s * rate) ** 2
        found: Floats = np.where((orders * s * rate < 1e-4) | ~(below <= 0), small, far)
        return found


@final
@dataclass(frozen=True, slots=True)
class BoundedRangeCurve(RdpCurve):
    """A privacy loss whose values span at most ε: the largest divergence of all such laws.

    docs/proofs/bounded-range.md, section 3; at most αε²/8.
    """

    epsilon: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", require.nonnegative(epsilon=self.epsilon))

    def limit(self) -> Fraction:
        """ε."""
        return self.epsilon

    def _bound(self, order: Fraction) -> arb:
        """(α−1)ε(α) = (α−1) log((α−1)a/αb) + log(a/α), a and b as in the proof."""
        alpha = max(order, _LEAST_ORDER)
        more = alpha - 1

        def compute() -> arb:
            epsilon = ball(self.epsilon)
            whole = -(-epsilon).expm1()
            a = -(-ball(alpha) * epsilon).expm1() / whole
            b = -(-epsilon).exp() * (-ball(more) * epsilon).expm1() / whole
            share = ball(Fraction(more, alpha)) * a / b
            return share.log() + (a / ball(alpha)).log() / ball(more)

        return refined(compute) if self.epsilon else arb(0)

    @classmethod
    def _sketches(cls, curves: Sequence[BoundedRangeCurve], orders: Floats) -> Floats:
        epsilon = np.array([[nearest(curve.epsilon)] for curve in curves])
        more = orders - 1
        whole = -np.expm1(-epsilon)
        a = -np.expm1(-orders * epsilon) / whole
        b = -np.exp(-epsilon) * np.expm1(-more * epsilon) / whole
        far = np.log(more * a / (orders * b)) + np.log(a / orders) / more
        small = orders * epsilon**2 / 8
        found: Floats = np.where(orders * epsilon < 1e-3, small, np.minimum(far, small))
        return found


@final
@dataclass(frozen=True, slots=True)
class TableRdp(RdpCurve):
    """Two laws of finitely many outputs: finite sums, in both directions."""

    rows: tuple[tuple[Exact, Exact], ...]

    def limit(self) -> Fraction | None:
        """The largest loss in absolute value, rounded up; None where one law lacks an output."""
        if any((p == 0) != (q == 0) for p, q in self.rows):
            return None
        ratios = [max(p / q, q / p) for p, q in self.rows if p]
        if max(ratios) == 1:
            return Fraction(0)
        with precision(BITS):
            return Fraction(float_up(ball(max(ratios)).log()))

    def _bound(self, order: Fraction) -> arb:
        if all(p == q for p, q in self.rows):
            return arb(0)
        return _one_way(self.rows, order).max(_one_way([(q, p) for p, q in self.rows], order))

    @classmethod
    def _sketches(cls, curves: Sequence[TableRdp], orders: Floats) -> Floats:
        found = []
        for curve in curves:
            p, q = np.array([[nearest(value) for value in row] for row in curve.rows]).T
            kept = (p > 0) & (q > 0)
            loss, more = np.log(p[kept] / q[kept])[:, None], orders - 1
            ways = []
            for law, other, sign in ((p, q, 1), (q, p, -1)):
                if np.any((law > 0) & (other == 0)):
                    ways.append(np.full_like(orders, np.inf))
                    continue
                top = np.max(sign * loss)
                part = law[kept][:, None] * np.exp(more * (sign * loss - top))
                ways.append(top + np.log(np.sum(part, axis=0)) / more)
            found.append(np.maximum(*ways))
        return np.stack(found)


def _one_way(rows: Sequence[tuple[Exact, Exact]], order: Fraction) -> arb:
    """A ball for D_α(P‖Q), by definition."""
    if any(p and not q for p, q in rows):
        return arb.pos_inf()
    alpha = max(order, _LEAST_ORDER)

    def compute() -> arb:
        losses = [(ball(p), (ball(p) / ball(q)).log()) for p, q in rows if p]
        if order == 1:
            return sum((p * loss for p, loss in losses), arb(0))
        more = ball(alpha - 1)
        excess = sum((p * (more * loss).expm1() for p, loss in losses), arb(0))
        # Rows where Q has mass and P has none are in neither sum: Σp = 1 is all that is used.
        return excess.log1p() / more

    return refined(compute)


@final
@dataclass(frozen=True, slots=True)
class ShiftsCurve(RdpCurve):
    """Σ wᵢN(sᵢ, σ²) against N(0, σ²): (α−1)ε(α) = log Σ wᵢ e^{α(α−1)sᵢ²/2σ²}, both ways.

    The moments are convex in the law that is shifted (van Erven & Harremoës 2014, Thm 13), so they
    are at most the mean of those of one shift each.
    """

    noise_multiplier: Exact
    shifts: tuple[Exact, ...]
    weights: tuple[Exact, ...]

    def __post_init__(self) -> None:
        if len(self.shifts) != len(self.weights) or not self.shifts:
            need = "there must be one for each of the shifts"
            raise InvalidParameter(need, field="weights", value=self.weights)

    def limit(self) -> Fraction | None:
        """None, unless nothing is shifted."""
        return None if any(self.shifts) else Fraction(0)

    def _bound(self, order: Fraction) -> arb:
        rates = [shift**2 / (2 * self.noise_multiplier**2) for shift in self.shifts]
        if not any(rates):
            return arb(0)

        def compute() -> arb:
            terms = [
                (ball(weight), ball(order * rate), ball(order * (order - 1) * rate))
                for weight, rate in zip(self.weights, rates, strict=True)
            ]
            if order == 1:
                return sum((weight * rate for weight, rate, _ in terms), arb(0))
            top = ball(order * (order - 1) * max(rates))
            if top > 1:
                inner = sum((weight * (whole - top).exp() for weight, _, whole in terms), arb(0))
                return (top + inner.log()) / ball(order - 1)
            excess = sum((weight * whole.expm1() for weight, _, whole in terms), arb(0))
            return excess.log1p() / ball(order - 1)

        return refined(compute)

    @classmethod
    def _sketches(cls, curves: Sequence[ShiftsCurve], orders: Floats) -> Floats:
        found = []
        for curve in curves:
            weights = np.array([[nearest(weight)] for weight in curve.weights])
            sigma = nearest(curve.noise_multiplier)
            rates = np.array([[nearest(shift)] for shift in curve.shifts]) ** 2 / (2 * sigma**2)
            whole = orders * (orders - 1) * rates
            small = np.log1p(np.sum(weights * np.expm1(np.minimum(whole, 1)), axis=0))
            top = np.max(whole, axis=0)
            large = top + np.log(np.sum(weights * np.exp(whole - top), axis=0))
            found.append(np.where(top < 1, small, large) / (orders - 1))
        return np.stack(found)
