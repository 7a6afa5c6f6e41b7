"""RDP of a mechanism that runs on a random part of the people, from the mechanism's own curve.

Both are binomial sums over whole orders.  Between two of those, (α−1)ε(α) is below its chord,
because it is convex in α; above the largest only a pure ε says something.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, final

import numpy as np
from flint import arb

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import BITS, ball, float_up, precision
from bursar.numerics.search import nearest
from bursar.privacy.curve import Floats, RdpCurve

MOST = 2048  # the largest whole order: a sum of so many terms

_GRID = tuple(sorted({*range(2, 65), *(round(64 * 1.06**n) for n in range(60))} | {MOST}))
ORDERS = tuple(Exact(order) for order in _GRID if order <= MOST)


class BinomialCurve(RdpCurve):
    """What both share: one value at each whole order, chords between, a pure ε above."""

    __slots__ = ()
    base: RdpCurve
    sampling_probability: Exact

    @property
    def orders(self) -> tuple[Exact, ...] | None:
        """Some of the whole orders, as far as the base's go."""
        stated = self.base.orders
        last = MOST if stated is None else stated[-1]
        return tuple(order for order in ORDERS if order <= last) or ORDERS[:1]

    def limit(self) -> Fraction | None:
        """log(1 + q(e^ε − 1)), rounded up.  Balle, Barthe & Gaboardi 2018, Thms 8 and 9."""
        pure = self.base.limit()
        if pure is None:
            return None
        with precision(BITS):
            grown = ball(self.sampling_probability) * ball(pure).expm1()
            return Fraction(float_up(grown.log1p()))

    @abstractmethod
    def _moment(self, order: int) -> arb:
        """A ball for the bound on (α−1)ε(α), which is a logarithm, at a whole order."""

    @abstractmethod
    def _log_excess(self, order: int, moments: Floats) -> float:
        """The same in float64, but the logarithm of the moment's excess over 1.

        `moments` has (j−1)ε(j) of the base for j = 2, …, α.
        """

    def _bound(self, order: Fraction) -> arb:
        pure, floor = self.limit(), int(order)
        most = arb.pos_inf() if pure is None else ball(pure)
        if order > MOST:
            return most
        with precision(BITS):
            if order == floor and floor > 1:
                chord = self._moment(floor) / (floor - 1)
            elif floor == 1:  # the chord from (1, 0)
                chord = self._moment(2)
            elif floor == MOST:
                chord = arb.pos_inf()
            else:
                low, high, part = self._moment(floor), self._moment(floor + 1), order - floor
                chord = (low * ball(1 - part) + high * ball(part)) / ball(order - 1)
            return most if not chord.is_finite() else chord.min(most)

    @classmethod
    def _sketches(cls, curves: Sequence[BinomialCurve], orders: Floats) -> Floats:
        return np.stack([curve._sketched(orders) for curve in curves])

    def _sketched(self, orders: Floats) -> Floats:
        at, moments = _tabled(self)
        pure = self.limit()
        most = np.inf if pure is None else nearest(pure)
        found: Floats = np.interp(orders, at, moments, right=np.inf) / (orders - 1)
        return np.minimum(np.where(np.isnan(found), np.inf, found), most)


@lru_cache(maxsize=1024)
def _tabled(curve: BinomialCurve) -> tuple[Floats, Floats]:
    """Some of the orders, and (α−1)ε(α) at them, in float64."""
    whole = np.arange(2.0, MOST + 1)
    with np.errstate(all="ignore"):
        base = (whole - 1) * curve.base.sketch(whole)
        excess = [curve._log_excess(n, base[: n - 1]) for n in _GRID if n <= MOST]
        at = np.array([1.0, *(nearest(order) for order in ORDERS)])
        return at, np.logaddexp(0.0, np.array([-np.inf, *excess]))


def _log_sum(logs: Floats) -> float:
    top = float(np.max(logs))
    return top if not np.isfinite(top) else top + float(np.log(np.sum(np.exp(logs - top))))


_LOG_FACTORIALS = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, MOST + 1)))])


def _log_choose(order: int, taken: Floats) -> Floats:
    j = taken.astype(np.int64)
    chosen: Floats = _LOG_FACTORIALS[order] - _LOG_FACTORIALS[j] - _LOG_FACTORIALS[order - j]
    return chosen


@final
@dataclass(frozen=True, slots=True)
class PoissonCurve(BinomialCurve):
    """Each person takes part with probability q: the moment Σ C(α,j)(1−q)^{α−j}q^j e^{(j−1)ε(j)}.

    Zhu & Wang 2019, Thm 5, have a factor 3 before the terms from j = 3 on; it is not needed, and
    the sum bounds both directions: docs/proofs/poisson-rdp.md.  `factor` = 3 is what is in print.
    """

    base: RdpCurve
    sampling_probability: Exact
    factor: Literal[1, 3] = 1

    def __post_init__(self) -> None:
        q = require.probability(sampling_probability=self.sampling_probability)
        if not q < 1:
            raise InvalidParameter("it must be below 1", field="sampling_probability", value=q)
        object.__setattr__(self, "sampling_probability", q)

    def _moment(self, order: int) -> arb:
        """log(1 + Σ_{j≥2} w_j (e^{(j−1)ε(j)} − 1)): the weights add up to 1."""
        q = self.sampling_probability
        share, odds = ball(1 - q), ball(q / (1 - q))
        weight, excess = share**order, arb(0)
        for j in range(1, order + 1):
            weight = weight * odds * (order - j + 1) / j
            if j < 2:
                continue
            bound = self.base.bound(j)
            if not bound.is_finite():
                return arb.pos_inf()
            term = ((j - 1) * bound).expm1()
            if j > 2 and self.factor == 3:
                term = 3 * term + 2
            excess += weight * term
        return excess.log1p()

    def _log_excess(self, order: int, moments: Floats) -> float:
        q = nearest(self.sampling_probability)
        j = np.arange(2.0, order + 1)
        small = moments + np.log(-np.expm1(-moments))
        if self.factor == 3:
            small = np.where(j > 2, np.logaddexp(small + np.log(3), np.log(2)), small)
        logs = _log_choose(order, j) + (order - j) * np.log1p(-q) + j * np.log(q) + small
        return _log_sum(logs)


@final
@dataclass(frozen=True, slots=True)
class BatchCurve(BinomialCurve):
    """A batch of fixed size, drawn without replacement, under replace-one.

    Wang, Balle & Kasiviswanathan 2019, Thm 9; `base` is the curve under replace-one, too.
    """

    base: RdpCurve
    sampling_probability: Exact

    def __post_init__(self) -> None:
        q = require.probability(sampling_probability=self.sampling_probability)
        object.__setattr__(self, "sampling_probability", q)

    def _moment(self, order: int) -> arb:
        """log(1 + Σ C(α,j) q^j e^{(j−1)ε(j)} min(2, (e^{ε(∞)}−1)^j)); j = 2 also 4(e^{ε(2)}−1)."""
        q, pure = ball(self.sampling_probability), self.base.limit()
        span = None if pure is None else ball(pure).expm1()
        weight, excess = arb(1), arb(0)
        for j in range(1, order + 1):
            weight = weight * q * (order - j + 1) / j
            if j < 2:
                continue
            bound = self.base.bound(j)
            if not bound.is_finite():
                return arb.pos_inf()
            moment = ((j - 1) * bound).exp()
            term = moment * (2 if span is None else arb(2).min(span**j))
            if j == 2:
                term = term.min(4 * bound.expm1())
            excess += weight * term
        return excess.log1p()

    def _log_excess(self, order: int, moments: Floats) -> float:
        q, pure = nearest(self.sampling_probability), self.base.limit()
        j = np.arange(2.0, order + 1)
        span = np.full_like(j, np.inf) if pure is None else j * np.log(np.expm1(nearest(pure)))
        logs = moments + np.minimum(np.log(2.0), span)
        logs[0] = min(logs[0], np.log(4.0) + moments[0] + np.log(-np.expm1(-moments[0])))
        return _log_sum(logs + _log_choose(order, j) + j * np.log(q))
