"""RDP curves made of other curves, or of a function that somebody vouches for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import BITS, ball, precision
from bursar.numerics.search import nearest
from bursar.privacy.curve import Floats, RdpCurve


@final
@dataclass(frozen=True, slots=True)
class GroupCurve(RdpCurve):
    """k people at once: ε_k(α) = αk Σ_{i≤k} ε(β)/β at the orders β = i + (α−1)k.

    The weak triangle inequality of Mironov 2017, Prop. 11, k−1 times: docs/proofs/groups.md.
    """

    base: RdpCurve
    people: int

    def __post_init__(self) -> None:
        require.count(people=self.people)

    @property
    def orders(self) -> tuple[Exact, ...] | None:
        """Those whose largest order is one of the base's."""
        stated = self.base.orders
        if stated is None:
            return None
        found = tuple(Exact(order / self.people) for order in stated if order > self.people)
        return found or (Exact(1 + Fraction(1, 1 << 20)),)

    def limit(self) -> Fraction | None:
        """k times the base's."""
        pure = self.base.limit()
        return None if pure is None else self.people * pure

    def _bound(self, order: Fraction) -> arb:
        k, total = self.people, arb(0)
        for i in range(1, k + 1):
            at = i + (order - 1) * k
            bound = self.base.bound(at)
            with precision(BITS):
                total = total + bound / ball(at)
        if not total.is_finite():
            return arb.pos_inf()
        with precision(BITS):
            return ball(order * k) * total

    @classmethod
    def _sketches(cls, curves: Sequence[GroupCurve], orders: Floats) -> Floats:
        found = []
        for curve in curves:
            k = curve.people
            each = [i + (orders - 1) * k for i in range(1, k + 1)]
            found.append(orders * k * sum(curve.base.sketch(at) / at for at in each))
        return np.stack(found)


@final
@dataclass(frozen=True, slots=True)
class LargerCurve(RdpCurve):
    """The largest of some curves at each order: a person is in one branch, nobody says which."""

    branches: tuple[RdpCurve, ...]

    @property
    def orders(self) -> tuple[Exact, ...] | None:
        """All orders that a branch is stated at, as far as every branch goes."""
        stated = [branch.orders for branch in self.branches if branch.orders is not None]
        if not stated:
            return None
        last = min(orders[-1] for orders in stated)
        return tuple(sorted({order for orders in stated for order in orders if order <= last}))

    def limit(self) -> Fraction | None:
        """The largest, if every branch has one."""
        limits = [branch.limit() for branch in self.branches]
        known = [limit for limit in limits if limit is not None]
        return max(known) if len(known) == len(limits) else None

    def _bound(self, order: Fraction) -> arb:
        bounds = [branch.bound(order) for branch in self.branches]
        if not all(bound.is_finite() for bound in bounds):
            return arb.pos_inf()
        first, *rest = bounds
        with precision(BITS):
            for bound in rest:
                first = first.max(bound)
        return first

    @classmethod
    def _sketches(cls, curves: Sequence[LargerCurve], orders: Floats) -> Floats:
        return np.stack(
            [np.max([b.sketch(orders) for b in curve.branches], axis=0) for curve in curves]
        )


@final
@dataclass(frozen=True, slots=True)
class ClaimedCurve(RdpCurve):
    """A function of the order that is said to bound the divergence: the claim is the user's.

    It is asked at the float at or above each order, where the divergence is not smaller.
    """

    function: Callable[[float], float]

    def limit(self) -> None:
        """None: nothing is claimed about the largest loss."""
        return

    def _bound(self, order: Fraction) -> arb:
        at = nearest(max(order, 1 + Fraction(1, 1 << 50)))
        while at < order:
            at = math.nextafter(at, math.inf)
        return arb(self._claimed(at)) if at < math.inf else arb.pos_inf()

    def _claimed(self, order: float) -> float:
        said = self.function(order)
        number = isinstance(said, (int, float)) and not isinstance(said, bool)
        if not (number and said >= 0):
            need = f"at order {order!r} it must be a number, 0 or above"
            raise InvalidParameter(need, field="curve", value=said)
        return float(said)

    @classmethod
    def _sketches(cls, curves: Sequence[ClaimedCurve], orders: Floats) -> Floats:
        return np.array([[c._claimed(max(float(x), 1.0)) for x in orders] for c in curves])
