"""The largest budget that still implies (ε, δ)-DP, in each measure: a proved lower bound.

The searches only propose; what is returned is evaluated in balls and rounded down, so a poor
proposal costs budget, never privacy.  They use balls alone, so that they propose the same
everywhere.  Derivations: docs/proofs/filters.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb

from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import ball, float_down, lower_of, precision
from bursar.privacy.conversions import gdp_profile

_HALVINGS = 64
_GOLDEN = Fraction(1597, 2584)


@lru_cache(maxsize=1024)
def renyi(order: Exact | float, epsilon: Exact, delta: Exact) -> Fraction:
    """The largest B for which (α, B)-RDP implies (ε, δ)-DP; negative where no B does.

    B = ε − log(1 − 1/α) + (log δ + log α)/(α − 1).  Canonne, Kamath & Steinke 2020, Prop. 12.
    """
    if order == math.inf:
        return Fraction(epsilon)
    if not order > 1:
        raise InvalidParameter("it must be above 1 to imply (ε, δ)-DP", field="order", value=order)
    with precision():
        return _down(_renyi(ball(Fraction(order)), ball(epsilon), ball(delta).log()))


@lru_cache(maxsize=1024)
def concentrated(epsilon: Exact, delta: Exact) -> Fraction:
    """A ρ for which ρ-zCDP implies (ε, δ)-DP: the largest that one order proves.

    >>> float(concentrated(Exact(1), Exact("1e-5")))
    0.03055659...
    """
    with precision():
        e, log_delta = ball(epsilon), ball(delta).log()

        def rho(exponent: Fraction) -> arb:
            order = 1 + arb(2) ** ball(exponent)
            return _renyi(order, e, log_delta) / order

        return max(Fraction(0), _down(rho(_peak(rho, Fraction(-30), Fraction(70)))))


@lru_cache(maxsize=1024)
def concentrated_as_printed(epsilon: Exact, delta: Exact) -> Fraction:
    """B* = (√(L + ε) − √L)², L = log(1/δ).  Feldman & Zrnic 2021, Thm 4.9.

    >>> float(concentrated_as_printed(Exact(1), Exact("1e-5")))
    0.02081993...
    """
    if epsilon == 0:
        return Fraction(0)
    with precision():
        L, e = -ball(delta).log(), ball(epsilon)
        root = e / ((L + e).sqrt() + L.sqrt())  # the same, without cancellation
        return _down(root * root)


@lru_cache(maxsize=1024)
def gaussian(epsilon: Exact, delta: Exact) -> Exact:
    """The largest μ, but for 2^-63 (or as much of it), for which μ-GDP implies (ε, δ)-DP.

    >>> float(gaussian(Exact(1), Exact("1e-5")))
    0.26805...
    """
    with precision():
        low, high = Fraction(0), Fraction(1)
        while _implies(high, epsilon, delta) and high < 2**40:
            low, high = high, 2 * high
        for _ in range(_HALVINGS):  # low implies it, high is not known to
            middle = (low + high) / 2
            low, high = (middle, high) if _implies(middle, epsilon, delta) else (low, middle)
        return Exact(low)


def _implies(mu: Fraction, epsilon: Exact, delta: Exact) -> bool:
    return bool(gdp_profile(Exact(mu**2), epsilon) <= ball(delta))


def _renyi(order: arb, epsilon: arb, log_delta: arb) -> arb:
    return epsilon - (1 - 1 / order).log() + (log_delta + order.log()) / (order - 1)


def _down(value: arb) -> Fraction:
    return Fraction(float_down(value))


def _peak(f: Callable[[Fraction], arb], low: Fraction, high: Fraction) -> Fraction:
    """Near the maximum of a function with one peak, by golden section on midpoints."""
    for _ in range(_HALVINGS):
        inner = (high - low) * _GOLDEN
        left, right = high - inner, low + inner
        if lower_of(f(left)) < lower_of(f(right)):
            low = left
        else:
            high = right
    return (low + high) / 2
