"""The probability of one kind of a screen's answers, with normal noises: enclosed, and in float64.

The answers: `bottoms` queries of the gap a are all below, and then `tops` times there is a top
among `tries` queries of the gap b.  Given the threshold's noise z, F = 1 − Q((gap+z)/s₂),

    G(z) = F_a^bottoms · (1 − F_b^tries)^tops,       the probability is E G(z), z ~ N(0, s₁²).

Error: G is analytic and bounded in a strip (docs/proofs/sparse-vector.md, Lemma 5 and Prop. 10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.errors import LimitReached
from bursar.numerics.balls import BITS, ball, normal_tail, precision
from bursar.numerics.search import nearest

Floats = NDArray[np.float64]

_DEPTH = 90.0  # an absolute error of about e^-90
_NODES = 60_000


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """How many answers, and of which: `bottoms`, and then `tops` times one top among `tries`."""

    bottoms: int
    tries: int
    tops: int


def enclosed(s1: Fraction, s2: Fraction, gaps: tuple[Fraction, Fraction], kind: Kind) -> arb:
    """Computes a ball around E G(z).

    Valid for: s₁, s₂ > 0.  Error: 1e-37 or so, absolute.  Cost: 15 µs a node, of which there are
    some thousand; LimitReached above 60,000.  Source: trapezoidal rule, Trefethen & Weideman 2014.
    """
    many = max(kind.bottoms, kind.tries, 2)
    height = min(1.0, math.pi / (4 * math.sqrt(2 * math.log(many) + 4)), 3 * nearest(s1 / s2))
    growth = 3 + 2 * kind.tops + 0.5 * (height * nearest(s2 / s1)) ** 2
    step = 2 * math.pi * height * nearest(s2) / (growth + _DEPTH)
    last = math.ceil(nearest(s1) * math.sqrt(2 * _DEPTH) / step)
    if not 0 < 2 * last < _NODES:
        raise LimitReached(f"the probability of an answer needs more than {_NODES} nodes")
    with precision(BITS + 2 * many.bit_length()):
        variance, total = ball(s1) ** 2, arb(0)
        first, second = (ball(gap) for gap in gaps)
        for j in range(-last, last + 1):
            z = arb(step) * j
            weight = (-(z**2) / (2 * variance)).exp()
            lasted = _power(_below((first + z) / ball(s2)), kind.bottoms)
            ended = 1 - _power(_below((second + z) / ball(s2)), kind.tries)
            total += weight * lasted * ended**kind.tops
        total *= arb(step) / (2 * arb.pi() * variance).sqrt()
        beyond = 2 * normal_tail(arb(step) * last / ball(s1))
        error = beyond + _aliases(arb(height), arb(step), s1, s2, kind)
        return total + error * arb(0, 1)


def _below(t: arb) -> arb:
    """F with a small relative error on both sides."""
    return normal_tail(-t) if t < 0 else 1 - normal_tail(t)


def _power(value: arb, many: int) -> arb:
    return value**many if many else arb(1)


def _aliases(y: arb, step: arb, s1: Fraction, s2: Fraction, kind: Kind) -> arb:
    """2M/(e^{2πY/η} − 1), M = e^{Y²/2s₁²} (1+ω)^{m/2} (1 + (1+ω)^{n/2})^c."""
    quarter = arb.pi() / (4 * y)
    omega = (arb(2).sqrt() * normal_tail(quarter) + 2 * normal_tail(2 * quarter)) * (y**2 / 2).exp()
    most = (1 + omega) ** (arb(kind.bottoms) / 2)
    most *= (1 + (1 + omega) ** (arb(kind.tries) / 2)) ** kind.tops
    wide = y * ball(s2)
    most *= (wide**2 / (2 * ball(s1) ** 2)).exp()
    return 2 * most / ((2 * arb.pi() * wide / step).exp() - 1)


def sketch(s1: float, s2: float, gaps: tuple[float, float], kind: Kind) -> float:
    """Computes log E G(z) in float64, without proof.

    Valid for: s₁, s₂ > 0.  Error: about 1e-8, relative.  Cost: 0.1 ms.  Source: trapezoidal rule.
    """
    from scipy.special import log_ndtr

    z = s1 * _GRID
    lasted = kind.bottoms * log_ndtr((gaps[0] + z) / s2)
    with np.errstate(divide="ignore"):
        ended = np.log(-np.expm1(kind.tries * log_ndtr((gaps[1] + z) / s2)))
    heights = -0.5 * _GRID**2 + lasted + (kind.tops * ended if kind.tops else 0.0)
    peak = float(heights.max())
    if not peak > -math.inf:
        return -math.inf
    total = float(np.exp(heights - peak).sum()) * (_GRID[1] - _GRID[0])
    return peak + math.log(total / math.sqrt(2 * math.pi))


_GRID: Floats = np.linspace(-13, 13, 1041)
