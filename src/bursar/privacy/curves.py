"""The RDP curves of mechanisms and statements; each leaf is one theorem.

Balls are refined until they have 64 good bits, so that a curve near 0 is as exact as a large one.
How curves add, and what they promise, is in `curve`; the moments are in `numerics.mixture_moment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import final

import numpy as np
from flint import arb

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics import mixture_sketch
from bursar.numerics.balls import BITS, ball, precision
from bursar.numerics.mixture_moment import log_moment
from bursar.numerics.search import nearest, refined
from bursar.privacy.curve import Floats, GaussianCurve, RdpCurve, SumCurve

__all__ = [
    "AtomsCurve",
    "GaussianCurve",
    "LaplaceCurve",
    "RdpCurve",
    "SubsampledGaussianCurve",
    "SumCurve",
    "TableCurve",
]

_LEAST_ORDER = 1 + Fraction(1, 1 << 40)


@final
@dataclass(frozen=True, slots=True)
class LaplaceCurve(RdpCurve):
    """Laplace noise of scale b, for sensitivity 1.  Mironov 2017, Prop. 6."""

    scale: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", require.positive(scale=self.scale))

    def limit(self) -> Fraction:
        """1/b."""
        return 1 / self.scale

    def _bound(self, order: Fraction) -> arb:
        """(α−1)ε(α) = (α−1)x + log(u + (1−u)e^{−(2α−1)x}), with u = α/(2α−1) and x = 1/b."""

        def compute() -> arb:
            x = ball(1 / self.scale)
            if order == 1:
                return x + (-x).expm1()
            below = ball((order - 1) / (2 * order - 1)) * (-ball(2 * order - 1) * x).expm1()
            return x + below.log1p() / ball(order - 1)

        return refined(compute)

    @classmethod
    def _sketches(cls, curves: Sequence[LaplaceCurve], orders: Floats) -> Floats:
        x = np.array([[nearest(1 / curve.scale)] for curve in curves])
        more, twice = orders - 1, 2 * orders - 1
        near = np.log1p((orders * np.expm1(more * x) + more * np.expm1(-orders * x)) / twice) / more
        far = x + np.log1p(more / twice * np.expm1(-twice * x)) / more
        small = 0.5 * orders * x**2
        found: Floats = np.where(orders * x < 1e-4, small, np.where(orders * x < 1, near, far))
        return found


@final
@dataclass(frozen=True, slots=True)
class AtomsCurve(RdpCurve):
    """Randomized response, m categories: a loss of ε, 0 or −ε.  Mironov 2017, Prop. 5 (m = 2)."""

    epsilon: Exact
    categories: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", require.nonnegative(epsilon=self.epsilon))
        require.count(categories=self.categories, at_least=2)

    def limit(self) -> Fraction:
        """ε."""
        return self.epsilon

    def _bound(self, order: Fraction) -> arb:
        """(α−1)ε(α) = (α−1)ε + log((e^ε + (m−2)e^{−(α−1)ε} + e^{−2(α−1)ε})/(e^ε + m−1))."""
        more = order - 1

        def compute() -> arb:
            epsilon, others = ball(self.epsilon), self.categories - 2
            whole = epsilon.exp() + others + 1
            if order == 1:
                return epsilon * epsilon.expm1() / whole
            loss = ball(more) * epsilon
            below = others * (-loss).expm1() + (-2 * loss).expm1()
            return epsilon + (below / whole).log1p() / ball(more)

        return refined(compute) if self.epsilon else arb(0)

    @classmethod
    def _sketches(cls, curves: Sequence[AtomsCurve], orders: Floats) -> Floats:
        epsilon = np.array([[nearest(curve.epsilon)] for curve in curves])
        others = np.array([[float(curve.categories - 2)] for curve in curves])
        more = orders - 1
        whole = np.exp(epsilon) + others + 1
        excess = np.expm1(epsilon) * np.expm1(more * epsilon) + 4 * np.sinh(more * epsilon / 2) ** 2
        below = others * np.expm1(-more * epsilon) + np.expm1(-2 * more * epsilon)
        far = epsilon + np.log1p(below / whole) / more
        found: Floats = np.where(orders * epsilon < 1, np.log1p(excess / whole) / more, far)
        return found


@final
@dataclass(frozen=True, slots=True)
class SubsampledGaussianCurve(RdpCurve):
    """(1−q)N(0, σ²) + qN(1, σ²) against N(0, σ²), the larger direction.

    Mironov, Talwar & Zhang 2019, Thm 4 (the pair) and Thm 5 (the direction).
    """

    noise_multiplier: Exact
    sampling_probability: Exact

    def __post_init__(self) -> None:
        sigma = require.positive(noise_multiplier=self.noise_multiplier)
        q = require.probability(sampling_probability=self.sampling_probability)
        object.__setattr__(self, "noise_multiplier", sigma)
        object.__setattr__(self, "sampling_probability", q)

    def limit(self) -> None:
        """None: the loss is not bounded."""
        return

    def _bound(self, order: Fraction) -> arb:
        """log E w^α / (α−1); for α = 1 at the next order, since the divergence rises with it."""
        at = max(order, _LEAST_ORDER)
        moment = log_moment(self.noise_multiplier, self.sampling_probability, at)
        with precision(BITS):
            return moment / ball(at - 1)

    @classmethod
    def _sketches(cls, curves: Sequence[SubsampledGaussianCurve], orders: Floats) -> Floats:
        sigma = np.array([nearest(curve.noise_multiplier) for curve in curves])
        q = np.array([nearest(curve.sampling_probability) for curve in curves])
        each, at = len(orders), np.tile(orders, len(curves))
        rows = mixture_sketch.Rows(np.repeat(sigma, each), np.repeat(q, each), at)
        moments: Floats = mixture_sketch.log_moments(rows) / (at - 1)
        return moments.reshape(len(curves), each)


@final
@dataclass(frozen=True, slots=True)
class TableCurve(RdpCurve):
    """A bound at each of some orders, and between them what convexity makes of it.

    (α−1)ε(α) is convex and 0 at α = 1, so it lies below the lower hull of the points that are
    listed; above the largest order nothing is known.
    """

    listed: tuple[Exact, ...]
    values: tuple[Exact, ...]

    def __post_init__(self) -> None:
        orders = tuple(Exact.of(order, field="orders") for order in self.listed)
        if not orders or any(not a < b for a, b in pairwise((Exact(1), *orders))):
            raise InvalidParameter(
                "orders must be above 1 and increase", field="orders", value=orders
            )
        values = tuple(require.nonnegative(values=value) for value in self.values)
        if len(values) != len(orders):
            need = f"there must be one for each of the {len(orders)} orders"
            raise InvalidParameter(need, field="values", value=values)
        object.__setattr__(self, "listed", orders)
        object.__setattr__(self, "values", values)

    @property
    def orders(self) -> tuple[Exact, ...]:
        """The orders that are listed."""
        return self.listed

    def limit(self) -> None:
        """None: nothing is known above the largest order."""
        return

    def _bound(self, order: Fraction) -> arb:
        if order > self.listed[-1]:
            return arb.pos_inf()
        hull = _hull(self.listed, self.values)
        (low, below), (high, above) = next(
            (left, right) for left, right in pairwise(hull) if order <= right[0]
        )
        slope = (above - below) / (high - low)
        with precision(BITS):
            return ball(slope if order == 1 else (below + (order - low) * slope) / (order - 1))

    @classmethod
    def _sketches(cls, curves: Sequence[TableCurve], orders: Floats) -> Floats:
        found = []
        for curve in curves:
            at, moments = (
                np.array([nearest(value) for value in column])
                for column in zip(*_hull(curve.listed, curve.values), strict=True)
            )
            found.append(np.interp(orders, at, moments, right=np.inf) / (orders - 1))
        return np.stack(found)


@lru_cache(maxsize=256)
def _hull(
    orders: tuple[Exact, ...], values: tuple[Exact, ...]
) -> tuple[tuple[Fraction, Fraction], ...]:
    """The lower convex hull of the points (α, (α−1)ε) and (1, 0), from left to right."""
    hull: list[tuple[Fraction, Fraction]] = []
    points = ((order, (order - 1) * value) for order, value in zip(orders, values, strict=True))
    for x, y in ((Fraction(1), Fraction(0)), *points):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return tuple(hull)
