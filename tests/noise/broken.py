"""Must-be-caught: noise and sums as they were broken in public, kept so that tests show they see.

None of this is ever used for a release.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from bursar.noise import bernoulli_exp, entropy, uniform_below

_RNG = np.random.default_rng(20261118)
_POOL: list[int] = []


def float_laplace(values: np.ndarray, scale: float) -> np.ndarray:
    """The inverse transform in floats: porous.  Mironov 2012."""
    u = _RNG.random(values.shape)
    return values + scale * np.sign(u - 0.5) * np.log(1 - 2 * np.abs(u - 0.5))


def float_gaussian(values: np.ndarray, sigma: float) -> np.ndarray:
    """A float normal added to a float sum.  Jin et al. 2022."""
    return values + sigma * _RNG.standard_normal(values.shape)


def four_gaussians(values: np.ndarray, sigma: float) -> np.ndarray:
    """Four normals for one, against reconstruction of the generator: still floats."""
    return values + sigma * _RNG.standard_normal((4, *values.shape)).sum(axis=0) / 2


def float_sum(values: Iterable[float], bound: float) -> float:
    """Clamped, then summed in floats: each addition rounds.  Casacuberta et al. 2022."""
    total = 0.0
    for value in values:
        total += min(max(value, -bound), bound)
    return total


def wrapping_sum(values: Iterable[int], bound: int) -> int:
    """Clamped, then summed in int8 that saturates: whom it stops depends on the order."""
    total = 0
    for value in values:
        total = min(max(total + min(max(value, -bound), bound), -128), 127)
    return total


def squared_deviations(values: list[float]) -> float:
    """Around a mean that was rounded up: one record turns the rounding of everybody's deviation."""
    exact = sum(map(Fraction, values), Fraction(0))
    total = float(exact)
    mean = (total if Fraction(total) >= exact else math.nextafter(total, math.inf)) / len(values)
    return sum((value - mean) ** 2 for value in values)


def trial_by_trial_laplace(scale: int) -> int:
    """The discrete Laplace law by counting successes: its time is its value.

    Canonne, Kamath & Steinke 2020, Alg. 2: exact, and the integer twin of `discrete_laplace`.
    """
    while True:
        u = uniform_below(scale)
        if not bernoulli_exp(exponent=Fraction(u, scale)):
            continue
        v = 0
        while bernoulli_exp(exponent=1):
            v += 1
        magnitude, negative = u + scale * v, uniform_below(2) == 0
        if magnitude or not negative:
            return -magnitude if negative else magnitude


def trial_by_trial_gaussian(sigma: Fraction) -> int:
    """The discrete Gaussian law over it: the integer twin of `discrete_gaussian`.

    Canonne, Kamath & Steinke 2020, Alg. 3.
    """
    t = math.floor(sigma) + 1
    while True:
        j = trial_by_trial_laplace(t)
        if bernoulli_exp(exponent=(abs(j) - sigma**2 / t) ** 2 / (2 * sigma**2)):
            return j


def pooled_word() -> int:
    """Words from a pool that was filled ahead, and that a fork copies."""
    if not _POOL:
        _POOL.extend(entropy.words(1024).tolist())
    return _POOL.pop()


def seeded_word() -> int:
    """Words from a generator with a seed: each process that starts says the same."""
    return int(np.random.default_rng(1).integers(0, 2**63))
