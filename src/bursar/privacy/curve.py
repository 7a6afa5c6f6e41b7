"""What an RDP curve is: ε as a function of the order, and how curves add.

`bound` and `at` are proved upper bounds, `sketch` is float64 to search with.  D_α rises with α, and
(α−1)D_α is convex in α (van Erven & Harremoës 2014, Thm 3 and Cor. 2), so a curve says something
between its orders too.  Orders are 1 (the Kullback-Leibler divergence) to infinity (pure ε).
The leaves are in `curves`, but for the Gaussian's, into which all Gaussians of a sum merge.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InternalError, InvalidParameter
from bursar.exact import Exact, Number
from bursar.numerics.balls import BITS, ball, float_up, precision
from bursar.numerics.search import nearest

Floats = NDArray[np.float64]


class RdpCurve(ABC):
    """An upper bound on the Rényi divergence of every order, in both directions.

    >>> from bursar.privacy.curves import LaplaceCurve
    >>> curve = 3 * LaplaceCurve(Exact(2)) + GaussianCurve(Exact(1))
    >>> curve.at(1), curve.at(float("inf"))
    (1.3195919791379003, inf)
    """

    __slots__ = ()

    @property
    def orders(self) -> tuple[Exact, ...] | None:
        """The orders at which it is stated; None if there is a formula for all of them."""
        return None

    @abstractmethod
    def limit(self) -> Fraction | None:
        """The bound at order infinity, that is a pure ε; None if there is none."""

    @abstractmethod
    def _bound(self, order: Fraction) -> arb:
        """A ball with the bound at this finite order; infinite where there is none."""

    @classmethod
    @abstractmethod
    def _sketches(cls, curves: Sequence[Any], orders: Floats) -> Floats:
        """Float64 values, one row for each of the curves, which are all of this class."""

    def bound(self, order: Number) -> arb:
        """A ball whose upper end bounds ε(order)."""
        if isinstance(order, float) and order == math.inf:
            limit = self.limit()
            return arb.pos_inf() if limit is None else ball(limit)
        exact = Exact.of(order, field="order")
        if not exact >= 1:
            raise InvalidParameter("it must be 1 or above", field="order", value=order)
        bound = self._bound(exact)
        if not bound.upper() >= 0:
            raise InternalError("a bound on a divergence is below 0, or not a number")
        return bound

    def at(self, order: Number) -> float:
        """The least float known to be at or above ε(order)."""
        bound = self.bound(order)
        return math.inf if bound == arb.pos_inf() else float_up(bound)

    def sketch(self, orders: Floats) -> Floats:
        """Float64 values at orders above 1, without proof."""
        with np.errstate(all="ignore"):
            values: Floats = self._sketches([self], np.asarray(orders, dtype=np.float64))[0]
        return values

    def __rmul__(self, count: int) -> RdpCurve:
        return _added(((self, require.count(count=count)),))

    def __add__(self, other: RdpCurve) -> RdpCurve:
        if not isinstance(other, RdpCurve):
            return NotImplemented
        return _added(((self, 1), (other, 1)))


@final
@dataclass(frozen=True, slots=True)
class GaussianCurve(RdpCurve):
    """ε(α) = αρ.  Mironov 2017, Cor. 3; Bun & Steinke 2016, Def. 1.1."""

    rho: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", require.nonnegative(rho=self.rho))

    def limit(self) -> Fraction | None:
        """None, unless nothing is released."""
        return None if self.rho else Fraction(0)

    def _bound(self, order: Fraction) -> arb:
        with precision(BITS):
            return ball(order * self.rho)

    @classmethod
    def _sketches(cls, curves: Sequence[GaussianCurve], orders: Floats) -> Floats:
        rho = np.array([[nearest(curve.rho)] for curve in curves])
        return rho * orders


@final
@dataclass(frozen=True, slots=True)
class SumCurve(RdpCurve):
    """Curves with counts, in no order: RDP adds up.  Mironov 2017, Prop. 1."""

    parts: tuple[tuple[RdpCurve, int], ...]

    @property
    def orders(self) -> tuple[Exact, ...] | None:
        """All orders that a part is stated at, as far as every part goes."""
        stated = [part.orders for part, _ in self.parts if part.orders is not None]
        if not stated:
            return None
        last = min(orders[-1] for orders in stated)
        return tuple(sorted({order for orders in stated for order in orders if order <= last}))

    def limit(self) -> Fraction | None:
        """The sum of the pure ε, if all parts have one."""
        limits = [(part.limit(), count) for part, count in self.parts]
        if any(limit is None for limit, _ in limits):
            return None
        return sum((count * limit for limit, count in limits if limit is not None), Fraction(0))

    def _bound(self, order: Fraction) -> arb:
        total = arb(0)
        for part, count in self.parts:
            bound = part.bound(order)
            with precision(BITS):
                total = total + count * bound
        return total

    @classmethod
    def _sketches(cls, curves: Sequence[SumCurve], orders: Floats) -> Floats:
        return np.stack([curve._sketched(orders) for curve in curves])

    def _sketched(self, orders: Floats) -> Floats:
        kinds: defaultdict[type[RdpCurve], list[tuple[RdpCurve, int]]] = defaultdict(list)
        for part, count in self.parts:
            kinds[type(part)].append((part, count))
        total = np.zeros_like(orders)
        for kind, parts in kinds.items():
            counts = np.array([nearest(Fraction(count)) for _, count in parts])
            total += counts @ kind._sketches([part for part, _ in parts], orders)
        return total


def _added(terms: tuple[tuple[RdpCurve, int], ...]) -> RdpCurve:
    """The one value that means this sum: equal parts counted together, Gaussians merged."""
    counts: Counter[RdpCurve] = Counter()
    rho = Fraction(0)
    for curve, times in terms:
        for part, n in curve.parts if isinstance(curve, SumCurve) else ((curve, 1),):
            if isinstance(part, GaussianCurve):
                rho += times * n * part.rho
            else:
                counts[part] += times * n
    if rho or not counts:
        counts[GaussianCurve(Exact(rho))] += 1
    if len(counts) == 1 and counts.total() == 1:
        return next(iter(counts))
    return SumCurve(tuple(sorted(counts.items(), key=repr)))
