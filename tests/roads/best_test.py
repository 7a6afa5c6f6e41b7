"""The best test between two laws, by its definition: outputs sorted by how much they tell.

A law is a pair of arrays, the probability of each output with the person and without; laws of
several steps multiply.  Continuous noise is cut into cells of exact masses: merging only loses
power, so what is found then is a little below the truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Law = tuple[NDArray[np.float64], NDArray[np.float64]]


def laplace(scale: float, cells: int) -> Law:
    """Noise around 1 against around 0; all of the outputs beyond both tell the same."""
    return _cut(stats.laplace(scale=scale), np.linspace(0, 1, cells + 1))


def gaussian(sigma: float, cells: int) -> Law:
    """Normal noise around 1 against around 0."""
    return _cut(stats.norm(scale=sigma), np.linspace(-9 * sigma, 1 + 9 * sigma, cells + 1))


def discrete_gaussian(sigma: int) -> Law:
    """Discrete normal noise, moved by 1 or not."""
    x = np.arange(-14 * sigma, 14 * sigma + 1)
    mass = np.exp(-0.5 * (x / sigma) ** 2)
    return np.append(0.0, mass) / mass.sum(), np.append(mass, 0.0) / mass.sum()


def sampled(law: Law, q: float) -> Law:
    """On a Poisson sample, the person is in it with probability q."""
    return (1 - q) * law[1] + q * law[0], law[1]


def together(*laws: Law) -> Law:
    """All outputs of all steps."""
    p, q = np.ones(1), np.ones(1)
    for with_person, without in laws:
        p, q = np.outer(p, with_person).ravel(), np.outer(q, without).ravel()
    return p, q


def power(law: Law, rate: float) -> float:
    """The largest true positive rate at this false positive rate: Neyman and Pearson's test."""
    p, q = law
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, 0.0))
    alpha, beta = (np.append(0.0, np.cumsum(part[order])) for part in (q, p))
    return float(np.interp(rate, alpha, beta))


def event(law: Law, epsilon: float) -> tuple[float, float]:
    """P and Q of the event that the loss exceeds ε."""
    p, q = law
    told = p > np.exp(epsilon) * q
    return float(p[told].sum()), float(q[told].sum())


def _cut(noise: stats.rv_continuous, edges: NDArray[np.float64]) -> Law:
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    p, q = (np.diff(noise.cdf(ends - shift)) for shift in (1, 0))
    return p, q
