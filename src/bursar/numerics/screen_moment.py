"""Moments of how long a screen lasts, in ball arithmetic: log E m(z) for z ~ N(μ, s₁²), bounded.

Legend: s₁ the threshold's noise and s₂ the queries', t = (T+z)/s₂, Q the normal tail, F = 1 − Q(t)
the probability that a query of 0 stays below the threshold; μ is the Rényi order.

    capped     m = 1 + F + … + F^{n−1} = (1 − F^n)/(1 − F)       at most n answers are paid for
    uncapped   m = Q^−p, which has a mean only if s₂ > √p·s₁     p tops end the screen

The trapezoid's nodes jη are the same for every μ, so that all orders share one polynomial: with
c_j = m(jη) e^{−(jη)²/2s₁²} the sum is e^{−μ²/2s₁²} Σ c_j r^j, r = e^{ημ/s₁²}.  Its error is bounded
in a strip; what the window leaves out is on the safe side (capped) or bounded by a slope
(uncapped).  Proof: docs/proofs/sparse-vector.md, section 5.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import final

from flint import arb, arb_poly

from bursar.errors import LimitReached
from bursar.numerics.balls import BITS, ball, normal_tail, precision
from bursar.numerics.search import nearest

_NODES = 60_000  # of one window: about half a second
_KEPT = 400_000  # nodes that are remembered
_BLOCK = 32  # nodes that are made together
_ROOT = math.sqrt(2 / math.pi)
_DEPTH = 45.0  # what is e^-45 of the whole is left out


@dataclass(slots=True)
class _Moment(ABC):
    """A grid that all orders share, and the nodes that were asked for."""

    s1: Fraction
    s2: Fraction
    threshold: Fraction
    bits: int = field(init=False)
    step: float = field(init=False)
    _blocks: dict[int, list[arb]] = field(init=False, default_factory=dict)
    _balls: tuple[arb, arb, arb] = field(init=False)

    @abstractmethod
    def _value(self, t: arb) -> arb:
        """What is summed, at (T+z)/s₂."""

    def _node(self, j: int) -> arb:
        z = arb(self.step) * j
        fall = (-(z**2) / (2 * self._balls[0])).exp()
        return self._value(self._t(z)) * fall

    def _block(self, number: int) -> list[arb]:
        found = self._blocks.get(number)
        if found is None:
            if len(self._blocks) * _BLOCK >= _KEPT:
                self._blocks.clear()
            start = number * _BLOCK
            found = [self._node(j) for j in range(start, start + _BLOCK)]
            self._blocks[number] = found
        return found

    def _t(self, z: arb) -> arb:
        _, scale, threshold = self._balls
        return (threshold + z) / scale

    def _enclose(self) -> None:
        """s₁², s₂ and T with the bits that all nodes have."""
        with precision(self.bits):
            self._balls = ball(self.s1) ** 2, ball(self.s2), ball(self.threshold)

    def _sum(self, mean: arb, first: int, last: int) -> arb:
        """η Σ φ(jη − μ) value, over the nodes first ≤ j ≤ last, which are whole blocks."""
        if last - first > _NODES:
            raise LimitReached(f"a screen's moment needs more than {_NODES} nodes")
        nodes: list[arb] = []
        for number in range(first // _BLOCK, (last + 1) // _BLOCK):
            nodes += self._block(number)
        variance = self._balls[0]
        ratio = (arb(self.step) * mean / variance).exp()
        polynomial = arb_poly(nodes)
        height = arb(self.step) / (2 * arb.pi() * variance).sqrt()
        shift = (arb(self.step) * first * mean / variance - mean**2 / (2 * variance)).exp()
        return height * shift * polynomial(ratio)

    def _density(self, z: arb, mean: arb) -> arb:
        variance = self._balls[0]
        return (-((z - mean) ** 2) / (2 * variance)).exp() / (2 * arb.pi() * variance).sqrt()

    def _aliases(self, height: arb, scale: arb) -> arb:
        """2M/(e^{2πY/η} − 1), M = scale·e^{Y²/2s₁²}.  Trefethen & Weideman 2014, Thm 5.1."""
        wave = (2 * arb.pi() * height / arb(self.step)).exp() - 1
        return 2 * scale * (height**2 / (2 * ball(self.s1) ** 2)).exp() / wave


@final
@dataclass(slots=True)
class Capped(_Moment):
    """At most `answers` − 1 questions: m = 1 + F + … + F^{n−1}, n = `answers`."""

    answers: int
    _height: float = field(init=False)
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        s1, s2, log_n = nearest(self.s1), nearest(self.s2), math.log(self.answers)
        if not (1e-100 < s1 < 1e100 and 1e-100 < s2 < 1e100 and log_n < 100):
            raise LimitReached("a screen's moment is beyond floats")
        height = min(1.0, math.pi / (4 * math.sqrt(2 * log_n + 4)), 3 * s1 / s2)
        growth = log_n + 2 + 0.5 * (height * s2 / s1) ** 2
        self._height = height
        self.step = 2 * math.pi * height * s2 / (growth + _DEPTH)
        self._end = s2 * math.sqrt(2 * log_n + 30) - nearest(self.threshold)
        self.bits = BITS + 2 * self.answers.bit_length()
        self._enclose()

    def _value(self, t: arb) -> arb:
        """n − m, which is at least 0."""
        if t < 0:
            below = normal_tail(-t)
            above, power = 1 - below, (self.answers * below.log()).exp()
            return self.answers - (1 - power) / above
        above = normal_tail(t)
        return self.answers + (self.answers * (-above).log1p()).expm1() / above

    def log_bound(self, order: Fraction) -> arb:
        """Computes a ball above log E m(z), z ~ N(order, s₁²); at most log n.

        Valid for: s₁, s₂ > 0, order ≥ 0.  Error: upward, 1e-12 absolute or less where the window's
        nodes are affordable.  Cost: 7 µs for each node that no other order has asked for, and
        30 µs.  Source: docs/proofs/sparse-vector.md, Lemma 5 and Prop. 6.
        """
        with precision(self.bits):
            whole, mean = arb(self.answers), ball(order)
            around = nearest(order)
            reach = nearest(self.s1) * math.sqrt(2 * (_DEPTH + math.log(self.answers)))
            if around - reach > self._end:
                return whole.log()
            first, last = _whole_blocks(
                (around - reach) / self.step, min(around + reach, self._end) / self.step
            )
            found = whole - self._sum(mean, first, last) + self._strip()
            return found.upper().min(whole).max(arb(1)).log()

    def _strip(self) -> arb:
        """The trapezoid's error: |F(x+iy)|² ≤ 1 + ω for every x, and |n − m| ≤ n(1 + e^{nω/2})."""
        y = arb(self._height)
        quarter = arb.pi() / (4 * y)
        omega = arb(2).sqrt() * normal_tail(quarter) + 2 * normal_tail(2 * quarter)
        omega *= (y**2 / 2).exp()
        scale = self.answers * (1 + (self.answers * omega / 2).exp())
        return self._aliases(y * ball(self.s2), scale)


@final
@dataclass(slots=True)
class Uncapped(_Moment):
    """No end but by tops: m = Q^−p, p = `power`."""

    power: Fraction
    _height: float = field(init=False)

    def __post_init__(self) -> None:
        s1, s2, p = nearest(self.s1), nearest(self.s2), nearest(self.power)
        if not (1e-100 < s1 < 1e100 and 1e-100 < s2 < 1e100 and p < 1e6):
            raise LimitReached("a screen's moment is beyond floats")
        self._height = min(1.0, 3 * s1 / s2, 3 / math.sqrt(p))
        growth = 2 * p * self._height**2 + p * 0.7 + 0.5 * (self._height * s2 / s1) ** 2
        self.step = 2 * math.pi * self._height * s2 / (growth + _DEPTH)
        self.bits = BITS + 32
        self._enclose()

    @property
    def finite(self) -> bool:
        """Whether there is a mean: s₂ > √p·s₁."""
        return self.s2**2 > self.power * self.s1**2

    def _value(self, t: arb) -> arb:
        return (-ball(self.power) * normal_tail(t).log()).exp()

    def log_bound(self, order: Fraction) -> arb:
        """Computes a ball above log E Q((T+z)/s₂)^−p, z ~ N(order, s₁²); infinite if it has none.

        Valid for: s₁, s₂ > 0, order ≥ 0, p > 0.  Error: upward, 1e-12 absolute or less;
        LimitReached where s₂ is so near √p·s₁ that too many nodes count.  Cost: 7 µs for each node
        that no other order has asked for, and 30 µs.  Source: docs/proofs/sparse-vector.md,
        Lemma 7 and Prop. 8.
        """
        if not self.finite:
            return arb.pos_inf()
        with precision(self.bits):
            mean = ball(order)
            low, high = self._window(nearest(order))
            first, last = _whole_blocks(low / self.step, high / self.step)
            total = self._sum(mean, first, last)
            total += self._tail(mean, first, 1) + self._tail(mean, last, -1)
            share = self._aliases(self._height * ball(self.s2), self._growth())
            if not share < 1:
                raise LimitReached("the nodes of a screen's moment are too far apart")
            return (total / (1 - share)).upper().log()

    def _window(self, order: float) -> tuple[float, float]:
        """Where the integrand is not below e^-45 of its top: its logarithm is concave."""
        law = (nearest(self.s1), nearest(self.s2), nearest(self.threshold))
        stiff = nearest(1 / self.s1**2 - self.power / self.s2**2)
        reach = math.sqrt(2 * _DEPTH / stiff)
        top = _top(*law, order, nearest(self.power))
        return top - reach, top + reach

    def _tail(self, mean: arb, end: int, sign: int) -> arb:
        """Above η Σ over the nodes beyond one end, where the logarithm falls at least so fast."""
        z = arb(self.step) * end
        t = self._t(z)
        above = normal_tail(t)
        hazard = (-(t**2) / 2).exp() / ((2 * arb.pi()).sqrt() * above)
        slope = ball(self.power) * hazard / ball(self.s2) - (z - mean) / ball(self.s1) ** 2
        slope *= sign
        if not slope > 0:
            raise LimitReached("a screen's moment has no slope at the window's edge")
        return self._value(t) * self._density(z, mean) / slope

    def _growth(self) -> arb:
        """|Q(x+iy)^−p| ≤ this times Q(x)^−p, for every x, y at most `_height`."""
        half = arb(self._height) ** 2 / 2
        left, right = 1 / (1 - half.exp() / 2), (-half).exp() / (1 - half)
        return left.max(right) ** ball(self.power)


def _whole_blocks(low: float, high: float) -> tuple[int, int]:
    """The first and the last node of the blocks that hold all nodes between."""
    first, last = math.floor(low / _BLOCK), math.floor(high / _BLOCK)
    return first * _BLOCK, last * _BLOCK + _BLOCK - 1


def _top(s1: float, s2: float, threshold: float, order: float, power: float) -> float:
    """Where φ·Q^−p is largest, in float64."""
    low, high = (
        order,
        order
        + power
        * s1**2
        * (order + abs(threshold) + 2 * s2)
        * (1 / (s2**2 - power * s1**2) + 1 / s2**2),
    )
    for _ in range(40):
        middle = 0.5 * (low + high)
        t = (threshold + middle) / s2
        hazard = t + 1 / t if t > 25 else math.exp(-t * t / 2) / math.erfc(t / math.sqrt(2)) * _ROOT
        low, high = (
            (middle, high) if power * hazard / s2 > (middle - order) / s1**2 else (low, middle)
        )
    return low


@lru_cache(maxsize=64)
def capped(s1: Fraction, s2: Fraction, threshold: Fraction, answers: int) -> Capped:
    """The capped moment of these parameters, with the nodes that it remembers."""
    return Capped(s1, s2, threshold, answers)


@lru_cache(maxsize=64)
def uncapped(s1: Fraction, s2: Fraction, threshold: Fraction, power: Fraction) -> Uncapped:
    """The uncapped moment of these parameters, with the nodes that it remembers."""
    return Uncapped(s1, s2, threshold, power)
