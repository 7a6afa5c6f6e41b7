"""What one top costs at most, with normal noise: the Rényi moment of the event, not of the noise.

    H = max over x of Q(x−s)^α Q(x)^{1−α},       s: by how many deviations the query moves

It is at most e^{(α−1)αs²/2}, that of the whole noise, and less by a factor of about αs.  The
logarithm L(x) = α log Q(x−s) − (α−1) log Q(x) rises and then falls: L′ = (α−1)λ(x) − αλ(x−s), and
λ(x)/λ(x−s) falls, as log λ is concave, λ = φ/Q being the hazard (docs/proofs/sparse-vector.md).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.numerics.balls import BITS, ball, normal_tail, precision
from bursar.numerics.search import nearest

Floats = NDArray[np.float64]

_FAR = 1e4  # of αs: beyond, the whole noise's moment is as good
_WIDTHS = (1e-11, 1e-9, 1e-7)  # of the interval that the top is in
_HALVINGS, _FEW_HALVINGS = 70, 36
_ROOT, _HALF_LOG = math.sqrt(2), 0.5 * math.log(2 * math.pi)


@lru_cache(maxsize=4096)
def log_top(order: Fraction, shift: Fraction) -> arb:
    """Computes a ball whose upper end is above log H.

    Valid for: order > 1, shift > 0.  Error: upward, 1e-14 or so; the whole noise's moment where
    αs is above 1e4, or the top is not found.  Cost: 0.1 ms.  Source: docs/proofs/sparse-vector.md,
    Lemma 12.
    """
    with precision(BITS):
        alpha, s = ball(order), ball(shift)
        whole = alpha * (alpha - 1) * s**2 / 2
        if nearest(order * shift) > _FAR:
            return whole
        at = _scalar(nearest(order - 1), nearest(shift))
        for width in _WIDTHS:
            low, high = arb(at - width * (1 + abs(at))), arb(at + width * (1 + abs(at)))
            if _slope(alpha, s, low) > 0 and _slope(alpha, s, high) < 0:
                steepest = _slope(alpha, s, low.union(high)).upper()
                found = (_height(alpha, s, low) + (high - low) * steepest).upper()
                if found.is_finite():
                    return found.min(whole.upper()).max(arb(0))
        return whole


def _height(alpha: arb, s: arb, x: arb) -> arb:
    return alpha * normal_tail(x - s).log() - (alpha - 1) * normal_tail(x).log()


def _slope(alpha: arb, s: arb, x: arb) -> arb:
    return (alpha - 1) * _hazard(x) - alpha * _hazard(x - s)


def _hazard(x: arb) -> arb:
    return (-(x**2) / 2).exp() / ((2 * arb.pi()).sqrt() * normal_tail(x))


def log_tops(orders: Floats, shift: float) -> Floats:
    """Computes log H for each order in float64, without proof.

    Valid for: orders > 1, shift > 0.  Error: 1e-9, relative.  Cost: 0.2 ms.  Source: bisection.
    """
    from scipy.special import log_ndtr

    with np.errstate(all="ignore"):
        whole: Floats = orders * (orders - 1) * shift**2 / 2
        x = _where(orders, shift)
        found: Floats = orders * log_ndtr(shift - x) - (orders - 1) * log_ndtr(-x)
    near = (orders * shift < _FAR) & np.isfinite(found)
    chosen: Floats = np.where(near, np.clip(found, 0.0, whole), whole)
    return chosen


def _scalar(excess: float, shift: float) -> float:
    """Where L is highest, for the order 1 + excess: as `_where`, and twenty times as fast."""
    aim = math.log1p(excess) - math.log(excess)
    low, high = -(aim + 40) / shift - 10.0, (2 + excess) * shift + 10.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        rises = _log_hazard(middle) - _log_hazard(middle - shift) > aim
        low, high = (middle, high) if rises else (low, middle)
    return low


def _log_hazard(x: float) -> float:
    if x > 25:  # λ = x + 1/x − 2/x³ + 10/x⁵ − …
        y = 1 / x**2
        return math.log(x + (1 - 2 * y + 10 * y**2 - 74 * y**3 + 706 * y**4) / x)
    above = 0.5 * math.erfc(x / _ROOT)
    return -0.5 * x * x - _HALF_LOG - math.log(above)


def _where(orders: Floats, shift: float) -> Floats:
    """Where L is highest."""
    from scipy.special import log_ndtr

    def log_hazard(x: Floats) -> Floats:
        found: Floats = -0.5 * x**2 - log_ndtr(-x)  # and a constant
        return found

    aim = np.log(orders) - np.log(orders - 1)
    # far left λ(x)/λ(x−s) is about e^{−xs+s²/2}; far right the top is below αs + s
    low, high = -(aim + 40) / shift - 10.0, orders * shift + shift + 10.0
    for _ in range(_FEW_HALVINGS):
        middle = 0.5 * (low + high)
        rises = log_hazard(middle) - log_hazard(middle - shift) > aim
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return low
