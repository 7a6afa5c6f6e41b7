"""The paper's estimators are unbiased as corrected, and the printed one is caught."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from bursar import Adjacency, Direction, Gaussian, InvalidParameter, PoissonSubsampled
from bursar.accounting import exact
from bursar.accounting.baselines.estimators import OneTilted, Simple
from bursar.accounting.baselines.parts import tilted, tilts
from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.privacy.pairs import Composition


def steps(sigma: str, q: str, count: int) -> Plan:
    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


def pairs(plan: Plan, way: Direction) -> Composition:
    return views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, way)


def errors(one: Bounded, plan: Plan, epsilon: float, size: int) -> float:
    """How many standard errors the mean is from the exact δ."""
    truth = math.log(exact.delta(plan, epsilon=epsilon, direction=one.direction).upper)
    values = one.draw(size, Seeded(5).source(0)) * math.exp(one.log_bound - truth)
    return float((values.mean() - 1) / (values.std() / math.sqrt(size)))


MIXED = steps("0.6", "1e-3", 40) + steps("0.7", "2e-3", 30)
TILTED = [
    (steps("0.6", "1e-3", 100), 1.5, "eq. (6)"),  # δ = 7e-7
    (steps("0.6", "1e-3", 100), 1.5, "eq. (8)"),
    (steps("0.5", "0.01", 20), 0.5, "eq. (6)"),  # 1e-2
    (steps("1", "1e-3", 200), 3.0, "eq. (6)"),  # 4e-23
    (1200 * Gaussian(noise_multiplier=70), 4.0, "eq. (6)"),  # 1e-16
    (1200 * Gaussian(noise_multiplier=70), 7.4, "eq. (6)"),  # 2e-50
    (MIXED, 1.5, None),
]


@pytest.mark.statistical
@pytest.mark.parametrize(("plan", "epsilon", "name"), TILTED)
def test_the_tilted_mean_is_delta(plan: Plan, epsilon: float, name: str | None) -> None:
    """5 standard errors, a false alarm in 1e6; the printed weights are more than 5 away."""
    composition = pairs(plan, Direction.REMOVE)
    one = OneTilted.of(composition, Direction.REMOVE, epsilon)
    if name:
        theta = tilts(one.parts[0][0], epsilon)[name]
        one = OneTilted.of(composition, Direction.REMOVE, epsilon, theta)
    size = max(20_000, 1_500_000 // one.coordinates)
    assert abs(errors(one, plan, epsilon, size)) < 5
    if all(part.sampled for part, _ in one.parts):
        printed = tuple(tilted(part, one.theta, weight=part.share) for part, _ in one.parts)
        assert abs(errors(dataclasses.replace(one, tilted=printed), plan, epsilon, size)) > 5


@pytest.mark.statistical
@pytest.mark.parametrize("way", Direction)
@pytest.mark.parametrize("epsilon", [0.1, 0.6])
def test_the_simple_mean_is_delta(way: Direction, epsilon: float) -> None:
    """As above; an ε that is 20 % off is seen."""
    plan = steps("1", "0.05", 30)
    one = Simple.of(pairs(plan, way), way, epsilon)
    assert abs(errors(one, plan, epsilon, 40_000)) < 5
    assert abs(errors(one, plan, 0.8 * epsilon, 40_000)) > 5


def test_draws_are_bounded_and_repeat() -> None:
    one = OneTilted.of(pairs(MIXED, Direction.REMOVE), Direction.REMOVE, 1.5)
    first, again = (one.draw(2000, Seeded(7).source(3)) for _ in range(2))
    assert (first == again).all()
    assert (first >= 0).all()
    assert (first <= 1).all()
    assert 0 < np.count_nonzero(first) < 2000
    other = OneTilted.of(pairs(MIXED, Direction.REMOVE), Direction.REMOVE, 1.5, one.theta + 1)
    assert one.digest != other.digest


def test_there_is_nothing_to_tilt_towards_in_the_other_direction() -> None:
    with pytest.raises(InvalidParameter) as caught:
        OneTilted.of(pairs(MIXED, Direction.ADD), Direction.ADD, 1.5)
    assert caught.value.field == "direction"
