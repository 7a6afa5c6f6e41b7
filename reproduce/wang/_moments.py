"""The second moment that the paper's estimator has, estimated where its own draws never show it.

E Z² is an integral over losses so rare that draws of Z miss them.  Here all k coordinates are drawn
from the law tilted by a whole power λ of the ratio, and weighted back.  An estimate: the proved
bounds are `bursar.accounting.baselines.moments`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

THETAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.2, 2.0, 3.0)
_ORDERS = range(2, 120)


def second_moments(
    sigma: float, q: float, k: int, epsilon: float, *, size: int, seed: int
) -> tuple[float, dict[float, float]]:
    """δ, and E Z²/δ² by θ of the one tilted coordinate (θ = 0: simple), remove direction."""
    order = min(_ORDERS, key=lambda a: k * _log_moment(_log_terms(sigma, q, a)) - (a - 1) * epsilon)
    terms = _log_terms(sigma, q, order)
    random = np.random.Generator(np.random.SFC64(seed))
    jumps = random.choice(order + 1, size=(size, k), p=np.exp(terms - _log_moment(terms)))
    places = jumps + sigma * random.standard_normal((size, k))
    losses = np.log1p(q * np.expm1((2 * places - 1) / (2 * sigma**2))).sum(axis=1)
    values = np.maximum(0.0, -np.expm1(epsilon - losses))
    log_back = k * _log_moment(terms) - (order - 1) * losses
    delta = float((values * np.exp(log_back)).mean())
    found = {}
    for theta in THETAS:
        log_mass = math.log1p(q * math.expm1(theta)) + (sigma * theta) ** 2 / 2
        log_weight = math.log(k) + log_mass - logsumexp(theta * places, axis=1)
        found[theta] = float((values**2 * np.exp(log_back + log_weight)).mean()) / delta**2
    return delta, found


def _log_terms(sigma: float, q: float, order: int) -> np.ndarray:
    """log of the masses at 0, …, order that the ratio's power spreads a coordinate to."""
    j = np.arange(order + 1)
    ways = gammaln(order + 1) - gammaln(j + 1) - gammaln(order - j + 1)
    mixed = (order - j) * math.log1p(-q) + j * math.log(q)
    return np.asarray(ways + mixed + j * (j - 1) / (2 * sigma**2))


def _log_moment(terms: np.ndarray) -> float:
    return float(logsumexp(terms))
