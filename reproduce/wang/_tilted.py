"""What figures 6 and 7 share: the paper's estimator at every tilt, k = 1000 (the caption's δ)."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

SETTING = {"sigma": "0.6", "q": "1e-3", "epsilon": 1.5, "k": 1000}
SEED = 6


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
