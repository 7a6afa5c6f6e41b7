"""How long a screen lasts, in float64 and log space: fast, without proof, to search with.

Legend as in `screen_moment`, which has the proved bounds and takes nothing from here on trust.
Survival functions are logarithms throughout: log Q(40) is −804.6, where Q itself is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES = (401, 8001)  # of one moment, at least and at most
_DEPTH = 40.0
_HALVINGS = 40


def log_moments(
    s1: float,
    s2: float,
    threshold: float,
    orders: Floats,
    *,
    power: float = 1.0,
    answers: int | None = None,
) -> Floats:
    """Computes log E m(z), z ~ N(order, s₁²), for each order.

    Valid for: s₁, s₂ > 0; uncapped (`answers` None) for s₂ > √power·s₁, else infinite.
    Error: about 1e-9, unproved; more where s₁ is above 100 s₂.  Cost: 0.1 µs for each of 401 nodes
    or more an order.  Source: trapezoidal rule in log space.
    """
    if answers is None and not s2**2 > power * s1**2:
        return np.full_like(orders, np.inf)
    stiff = 1 / s1**2 - (power / s2**2 if answers is None else 0.0)
    top = _top(s1, s2, threshold, orders, power) if answers is None else orders
    reach = np.sqrt(2 * _DEPTH / stiff)
    finest = s2 / np.sqrt(4 + 2 * np.log(answers or 1)) / 4
    nodes = int(np.clip(2 * reach / finest, *_NODES))
    z = (top - reach)[:, None] + 2 * reach * np.linspace(0, 1, nodes)
    t = (threshold + z) / s2
    heights = log_lasts(t, power, answers) - 0.5 * ((z - orders[:, None]) / s1) ** 2
    peak = heights.max(axis=1)
    total = np.exp(heights - peak[:, None]).sum(axis=1) * (2 * reach / (nodes - 1))
    found: Floats = peak + np.log(total) - np.log(s1 * np.sqrt(2 * np.pi))
    return np.maximum(found, 0.0)


def log_lasts(t: Floats, power: float, answers: int | None) -> Floats:
    """log m at (T+z)/s₂: capped at so many answers, or Q^−power."""
    from scipy.special import log_ndtr

    above: Floats = log_ndtr(-t)
    if answers is None:
        return -power * above
    below = answers * log_ndtr(t)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(-np.expm1(below)) - above
    return np.where(below > -1e-300, np.log(answers), found)


def _top(s1: float, s2: float, threshold: float, orders: Floats, power: float) -> Floats:
    """Where φ·Q^−p is largest, for each order."""
    low, high = orders.copy(), orders.copy()
    high += (
        power
        * s1**2
        * (orders + abs(threshold) + 2 * s2)
        * (1 / (s2**2 - power * s1**2) + 1 / s2**2)
    )
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        rises = power * _hazard((threshold + middle) / s2) / s2 > (middle - orders) / s1**2
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return low


def _hazard(t: Floats) -> Floats:
    """φ/Q."""
    from scipy.special import erfcx

    with np.errstate(over="ignore"):
        found: Floats = np.sqrt(2 / np.pi) / erfcx(t / np.sqrt(2))
    return found
