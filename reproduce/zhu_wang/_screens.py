"""The screens that the figures compare, by their tops: plans, and the least stages."""

from __future__ import annotations

import math

import bursar
from bursar.screening import best_staging, stagewise_epsilon

SETTINGS = {  # of G.2: what is printed, and what the public script runs
    "printed": {"threshold": 210.0, "query": 240.0},
    "script": {"threshold": 169.7056, "query": 339.4113},
}


def restarted(s1: float, s2: float, *, tops: int, length: int) -> bursar.Plan:
    """So many normal screens with one top each."""
    return tops * bursar.SparseVector(threshold_noise=s1, query_noise=s2, length=length)


def classical(l1: float, l2: float, *, tops: int) -> bursar.LaplaceSparseVector:
    """The classical screen with one threshold noise."""
    return bursar.LaplaceSparseVector(threshold_noise=l1, query_noise=l2, cutoff=tops)


def staged_epsilon(s1: float, s2: float, *, tops: int, length: int, delta: float) -> float:
    """The least ε of stages that give so many tops at least."""
    stage = bursar.SparseVector(threshold_noise=s1, query_noise=s2, length=length)
    if tops <= 12:
        return float(best_staging(stage, tops=tops, delta=delta).epsilon)
    cutoffs = sorted({min(tops, max(1, round(2 ** (n / 2)))) for n in range(15)})
    found = []
    for cutoff in cutoffs:
        each = bursar.SparseVector(threshold_noise=s1, query_noise=s2, length=length, cutoff=cutoff)
        found.append(stagewise_epsilon(each, stages=math.ceil(tops / cutoff), delta=delta))
    return min(map(float, found))


def private_epsilon(
    queries: int, *, gap: float, noise: float, delta: float, underflow: bool = False
) -> float:
    """ε of noisy screening on zeros, from its data-dependent curve: no guarantee, and private.

    With `underflow`, the probability of a top is 1 − F in floats: below 1e-16 there is none.
    """
    import numpy as np
    from scipy.stats import norm

    from bursar.screening import private_cost

    if underflow and 1 - norm.cdf(gap, scale=noise) == 0:
        return 0.0
    orders = 1 + np.geomspace(1e-2, 1e7, 181)
    cost = private_cost([0.0], threshold=gap, noise_std=noise, sensitivity=1.0, orders=orders)
    rdp = queries * cost.reveal()
    added = np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
    return float(np.maximum(rdp + added, 0).min())
