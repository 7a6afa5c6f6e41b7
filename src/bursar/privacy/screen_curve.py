"""The RDP curve of a sparse vector screen: at each order the smallest of the bounds that hold.

Legend: ε_ρ the threshold noise's curve for one contribution, ε_ν the query noise's for two (one if
the queries are monotone), c the cutoff, k the length, α the order.

    length     ε_ρ + cε_ν + log Σ_{j≤c} C(k, j)/(α−1)      Zhu & Wang 2020, Thm 8 (1) and Thm 11
    stopping   ε_ρ + cε_ν + log E m/(α−1)                  Thm 8 (2) without Hölder's inequality
    bounded    ε_ρ + cε_ν(∞)                               Thm 8 (3)
    pure       randomized response of ε_ρ(∞) + cε_ν(∞)     by post-processing
    tops       ε_ρ + log Σ_{j≤c} C(k, j)H^j/(α−1)          a top costs H, less than its noise
    both       ε_ρ + (c log H + log E m)/(α−1)             the same beside stopping
    release    that of all k sums q + ν − ρ (normal noises), whatever the answers

A Rényi divergence rises with its order, and forms with a logarithm over α − 1 fall before they
rise; so each is taken at its least over the orders from α on.
Derivations: docs/proofs/sparse-vector.md, of `tops` and `both` Prop. 13, of `release` Prop. 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from flint import arb, arb_poly

from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.numerics import screen_moment, screen_sketch, screen_top
from bursar.numerics.balls import BITS, ball, float_up, precision
from bursar.numerics.search import least, nearest
from bursar.privacy.curve import Floats, GaussianCurve, RdpCurve
from bursar.privacy.curves import AtomsCurve

_TERMS = 4000
_START, _LIMITS = (-7, 11), (-20, 350)  # of log(α − 1)


@unique
class Form(StrEnum):
    """Which bound it is."""

    LENGTH = "length"
    STOPPING = "stopping"
    BOUNDED = "bounded"
    PURE = "pure"
    RELEASE = "release"
    TOPS = "tops"
    BOTH = "stopping and tops"

    @property
    def theorem(self) -> str:
        """What proves it."""
        return _THEOREMS[self]


_THEOREMS = {
    Form.LENGTH: "counts the answers there can be: Zhu & Wang 2020, Thms 8 (1) and 11",
    Form.STOPPING: "how long the run lasts: Zhu & Wang 2020, Thm 8 (2) without Hölder's inequality",
    Form.BOUNDED: "bounded noise of the queries: Zhu & Wang 2020, Thm 8 (3)",
    Form.PURE: "randomized response: Kairouz, Oh & Viswanath 2015, Thm 3.3",
    Form.TOPS: "counts the answers there can be, each top at its worst threshold: "
    "docs/proofs/sparse-vector.md, Prop. 13",
    Form.BOTH: "how long the run lasts, each top at its worst threshold: "
    "docs/proofs/sparse-vector.md, Prop. 13",
    Form.RELEASE: "the Gaussian release of all noisy gaps: docs/proofs/sparse-vector.md, Prop. 9",
}


_LARGER = {Form.LENGTH: Form.TOPS, Form.STOPPING: Form.BOTH}  # never the smallest beside these
_SETTLED = (Form.BOUNDED, Form.PURE, Form.RELEASE)  # these rise throughout


@final
@dataclass(frozen=True, slots=True)
class Stopping:
    """Normal noises and thresholds at most `highest` over queries that are never below 0."""

    threshold_noise: Exact
    query_noise: Exact
    highest: Exact


@final
@dataclass(frozen=True, slots=True)
class Chosen:
    """The smallest bound at an order: its form, the order that it was taken at, its ball."""

    form: Form
    at: Exact
    value: arb


@final
@dataclass(frozen=True, slots=True)
class ScreenCurve(RdpCurve):
    """A screen with `cutoff` tops, one threshold noise, and at most `length` answers if it has one.

    >>> from bursar.privacy.curves import GaussianCurve
    >>> noises = GaussianCurve(Exact.of("0.005")), GaussianCurve(Exact.of("0.005"))
    >>> ScreenCurve(*noises, 1, 200).best(Exact(16)).form
    <Form.LENGTH: 'length'>
    """

    threshold: RdpCurve
    query: RdpCurve
    cutoff: int
    length: int | None = None
    stopping: Stopping | None = None
    release: GaussianCurve | None = None
    shift: Exact | None = None  # deviations that a query with normal noise moves by

    def limit(self) -> Fraction | None:
        """ε_ρ(∞) + cε_ν(∞)."""
        threshold, query = self.threshold.limit(), self.query.limit()
        return None if threshold is None or query is None else threshold + self.cutoff * query

    @property
    def forms(self) -> tuple[Form, ...]:
        """The bounds that hold for this screen."""
        stops = self.stopping is not None and self._stops(self.stopping)
        held = {
            Form.LENGTH: self.length is not None,
            Form.TOPS: self.length is not None and self.shift is not None,
            Form.STOPPING: stops,
            Form.BOTH: stops and self.shift is not None,
            Form.BOUNDED: self.query.limit() is not None,
            Form.PURE: self.limit() is not None,
            Form.RELEASE: self.release is not None,
        }
        return tuple(form for form, holds in held.items() if holds)

    @property
    def _compared(self) -> list[Form]:
        """Those that may be the smallest."""
        held = self.forms
        return [form for form in held if _LARGER.get(form) not in held]

    def form(self, form: Form, order: Exact) -> arb:
        """A ball whose upper end is the bound of this form at this order above 1."""
        if form is Form.PURE:
            return AtomsCurve(Exact(self.limit() or 0)).bound(order)
        if form is Form.RELEASE and self.release is not None:
            return self.release.bound(order)
        threshold = self.threshold.bound(order)
        if form in (Form.TOPS, Form.BOTH) and self.shift is not None:
            top = screen_top.log_top(order, self.shift)
            extra = self._log_extra(form, order, top)
            with precision(BITS):
                return threshold + extra / ball(order - 1)
        query = self.query.bound(math.inf if form is Form.BOUNDED else order)
        extra = arb(0) if form is Form.BOUNDED else self._log_extra(form, order)
        with precision(BITS):
            total = threshold + self.cutoff * query
            return total + extra / ball(order - 1) if form is not Form.BOUNDED else total

    def best(self, order: Exact) -> Chosen:
        """The smallest bound at this order; LimitReached where no form can be evaluated."""
        found, limit = [], None
        for form in self._compared:
            at = max(order, _turn(self, form))
            try:
                found.append(Chosen(form, at, self.form(form, at)))
            except LimitReached as error:
                limit = error
        if not found and limit is not None:
            raise limit
        return min(found, key=lambda one: float_up(one.value))

    def _bound(self, order: Fraction) -> arb:
        return self.best(Exact(order)).value

    def _stops(self, law: Stopping) -> bool:
        capped = self.cutoff == 1 and self.length is not None
        return capped or law.query_noise**2 > self.cutoff * law.threshold_noise**2

    def _log_extra(self, form: Form, order: Exact, top: arb | None = None) -> arb:
        """What is divided by α − 1; with log H, tops included."""
        if form is Form.BOTH and top is not None:
            return self._log_extra(Form.STOPPING, order) + self.cutoff * top
        if form in (Form.LENGTH, Form.TOPS) or self.stopping is None:
            return log_outcomes(self.cutoff, self.length or 0, top)
        law = self.stopping
        noises = law.threshold_noise, law.query_noise, law.highest
        if self.cutoff == 1 and self.length is not None:
            return screen_moment.capped(*noises, self.length + 1).log_bound(order)
        return screen_moment.uncapped(*noises, Fraction(self.cutoff)).log_bound(order)

    @classmethod
    def _sketches(cls, curves: Sequence[ScreenCurve], orders: Floats) -> Floats:
        return np.stack([curve._sketched(orders) for curve in curves])

    def _sketched(self, orders: Floats) -> Floats:
        each = [
            self._sketch_of(form, np.maximum(orders, nearest(_turn(self, form))))
            for form in self._compared
        ]
        least: Floats = np.fmin.reduce(each)
        return least

    def _sketch_of(self, form: Form, orders: Floats) -> Floats:
        if form is Form.PURE:
            return AtomsCurve(Exact(self.limit() or 0)).sketch(orders)
        if form is Form.RELEASE and self.release is not None:
            return self.release.sketch(orders)
        threshold = self.threshold.sketch(orders)
        if form is Form.BOUNDED:
            return threshold + self.cutoff * nearest(self.query.limit() or Fraction(0))
        if form in (Form.TOPS, Form.BOTH) and self.shift is not None:
            top = screen_top.log_tops(orders, nearest(self.shift))
            if form is Form.TOPS:
                counted = _log_counted(self.cutoff, self.length or 0, top)
                return threshold + counted / (orders - 1)
            total: Floats = threshold + self.cutoff * top / (orders - 1)
        else:
            total = threshold + self.cutoff * self.query.sketch(orders)
        if form is Form.LENGTH or self.stopping is None:
            extra = float(log_outcomes(self.cutoff, self.length or 0))
            return total + extra / (orders - 1)
        law = self.stopping
        row = (nearest(law.threshold_noise), nearest(law.query_noise), nearest(law.highest))
        many = self.length + 1 if self.cutoff == 1 and self.length is not None else None
        extras = screen_sketch.log_moments(*row, orders, power=self.cutoff, answers=many)
        found: Floats = total + extras / (orders - 1)
        return found


def _log_counted(cutoff: int, length: int, tops: Floats) -> Floats:
    """log Σ C(k, j) H^j in float64; of many terms some, as it is to search with."""
    from scipy.special import gammaln, logsumexp

    j = np.unique(np.linspace(0, cutoff, min(cutoff, _TERMS) + 1).round())
    logs = gammaln(length + 1) - gammaln(j + 1) - gammaln(length - j + 1)
    found: Floats = logsumexp(logs + tops[:, None] * j, axis=1)
    return found


def released(
    threshold_noise: Exact, query_noise: Exact, length: int, moves: tuple[int, int]
) -> GaussianCurve:
    """The curve of all sums q + ν − ρ, normal noises, each query moved by `moves` or between.

    The sums are normal with covariance σ₂²I + σ₁²11ᵀ, and m of them up and n down move the mean by
    (m + n − (m−n)²/(k+σ₂²/σ₁²))/σ₂² in square, which is largest at the ends of all moves.
    """
    low, high = moves
    ratio = query_noise**2 / threshold_noise**2
    up = _most_moved(length, ratio, Fraction(low), Fraction(high))
    return GaussianCurve(Exact(up / (2 * query_noise**2)))


def _most_moved(length: int, ratio: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """The largest of |v|² − (1·v)²/(k+r), v in {low, high}^k: a parabola in how many are high."""

    def moved(many: int) -> Fraction:
        total = many * high + (length - many) * low
        return many * high**2 + (length - many) * low**2 - total**2 / (length + ratio)

    span = high - low
    top = ((high**2 - low**2) * (length + ratio) / (2 * span) - length * low) / span
    near = (min(max(math.floor(top) + step, 0), length) for step in (0, 1))
    return max(moved(many) for many in near)


def log_outcomes(cutoff: int, length: int, top: arb | None = None) -> arb:
    """log Σ_{j≤c} C(k, j): how many transcripts of full length, or of c tops, there are.

    With log H, each counts H for every top.
    """
    with precision(BITS):
        return _outcomes(cutoff, length)(arb(1) if top is None else top.exp()).log()


@lru_cache(maxsize=64)
def _outcomes(cutoff: int, length: int) -> arb_poly:
    """Σ_{j≤c} C(k, j) h^j."""
    terms = [arb(1)]
    for j in range(1, cutoff + 1):
        terms.append(terms[-1] * (length - j + 1) / j)
    return arb_poly(terms)


@lru_cache(maxsize=1024)
def _turn(curve: ScreenCurve, form: Form) -> Exact:
    """The order where a form is least, as float64 finds it: any order would be valid."""
    if form in _SETTLED:
        return Exact(1)

    def seen(x: Floats) -> Floats:
        return curve._sketch_of(form, 1 + np.exp(x))

    return Exact.of(1 + math.exp(least(seen, _START, _LIMITS)))
