"""What figures 6 and 7 share: the paper's estimator at every tilt, k = 1000 (the caption's δ)."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

SETTING = {"sigma": "0.6", "q": "1e-3", "epsilon": 1.5, "k": 1000}
SEED = 6
_AT_ONCE = 1000  # draws


def grid(*, small: bool) -> list[float]:
    """θ."""
    return [float(x) for x in np.linspace(0.0, 14.0, 8 if small else 15)]


@cache
def known() -> Any:
    """The composition, its parts, and δ."""
    from bursar import Adjacency, Direction
    from bursar.accounting import exact
    from bursar.accounting.baselines.parts import parts_of
    from bursar.mechanisms import views
    from reproduce.wang._estimates import step

    plan = SETTING["k"] * step(SETTING["sigma"], SETTING["q"])  # type: ignore[operator]
    pairs = views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)
    delta = exact.delta(plan, epsilon=SETTING["epsilon"], direction=Direction.REMOVE).upper
    return pairs, parts_of(pairs), delta


def drawn_at(theta: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Z of so many draws, and X of the same draws: what (1 − e^{ε−Y})₊ is without its weight."""
    from bursar import Direction
    from bursar.accounting.baselines.estimators import OneTilted, payoff
    from bursar.accounting.monte_carlo_coins import Seeded

    epsilon = float(SETTING["epsilon"])  # type: ignore[arg-type]
    one = OneTilted.of(known()[0], Direction.REMOVE, epsilon, theta)
    losses, log_weights = one.pairs(size, Seeded(SEED).source(0))
    values = payoff(losses, epsilon)
    return values * np.exp(log_weights), values


def second_moments(thetas: list[float], size: int) -> list[tuple[float, float]]:
    """E Z² at each tilt with its standard error, all from draws at the θ of eq. (6), reweighed.

    Under P, E Z² at θ is E f²·kM(θ)/Σe^{θt}; a draw at θ* has weight kM(θ*)/Σe^{θ*t} against P.
    """
    from bursar.accounting.baselines.parts import log_moment, shifted_share, true_tilt

    law, k = known()[1][0]
    epsilon, sigma, q = float(SETTING["epsilon"]), 1 / law.slope, law.share  # type: ignore[arg-type]
    best = true_tilt(law, epsilon)
    random, sums = np.random.default_rng(SEED), np.zeros((2, len(thetas)))
    for start in range(0, size, _AT_ONCE):
        rows = min(_AT_ONCE, size - start)
        t = sigma * random.standard_normal((rows, k)) + (random.random((rows, k)) < q)
        one = sigma * random.standard_normal(rows) + (
            random.random(rows) < shifted_share(law, best)
        )
        t[np.arange(rows), random.integers(k, size=rows)] = one + best * sigma**2
        losses = np.log1p(q * np.expm1((2 * t - 1) / (2 * sigma**2))).sum(axis=1)
        payoff = -np.expm1(np.minimum(epsilon - losses, 0.0))
        logs = [_log_weight(t, theta, k, log_moment(law, theta)) for theta in (best, *thetas)]
        for j, log_weight in enumerate(logs[1:]):
            values = payoff**2 * np.exp(logs[0] + log_weight)
            sums[:, j] += values.sum(), (values**2).sum()
    means = sums[0] / size
    errors = np.sqrt(np.maximum(sums[1] / size - means**2, 0.0) / size)
    return [(float(mean), float(error)) for mean, error in zip(means, errors, strict=True)]


def _log_weight(t: np.ndarray, theta: float, k: int, log_moment: float) -> np.ndarray:
    """log of kM(θ)/Σe^{θt}."""
    top = theta * t.max(axis=1)
    return math.log(k) + log_moment - top - np.log(np.exp(theta * t - top[:, None]).sum(axis=1))


def marks() -> dict[str, float]:
    """θ by name: of eq. (6), and of the least analytic bound."""
    from bursar.accounting.baselines.moments import Moments
    from bursar.accounting.baselines.parts import tilts

    _, parts, _ = known()
    epsilon = float(SETTING["epsilon"])  # type: ignore[arg-type]
    found = tilts(parts[0][0], epsilon)
    return found | {"least bound": Moments(parts, epsilon).best_theta()}


def log10(value: float) -> float:
    """Of a logarithm."""
    return value / math.log(10)
