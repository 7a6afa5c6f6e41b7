"""Sampled and grouped laws with finitely many outputs, and their divergences, by definition.

Nothing of bursar is used here: numpy's float64, and log-sums where powers could overflow.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Law = NDArray[np.float64]


def divergence(p: Law, q: Law, order: float) -> float:
    """D_α(P‖Q)."""
    kept = p > 0
    if np.any(q[kept] == 0):
        return np.inf
    logs = order * np.log(p[kept]) + (1 - order) * np.log(q[kept])
    return float(np.logaddexp.reduce(logs) / (order - 1))


def hockey(p: Law, q: Law, gamma: float) -> float:
    """E_Q (dP/dQ − γ)_+."""
    return float(np.sum(np.maximum(p - gamma * q, 0)))


def either(p: Law, q: Law, order: float) -> float:
    """The larger of both directions."""
    return max(divergence(p, q, order), divergence(q, p, order))


def some_law(random: np.random.Generator, outputs: int, spread: float) -> Law:
    """A law without zeros, as uneven as `spread` says."""
    logs = spread * random.standard_normal(outputs)
    return np.exp(logs - np.logaddexp.reduce(logs))


def on_batches(laws: dict[tuple[int, ...], Law], people: tuple[int, ...], size: int) -> Law:
    """The law of a mechanism on a batch of this size, drawn uniformly from these people."""
    return np.mean([laws[batch] for batch in combinations(people, size)], axis=0)
