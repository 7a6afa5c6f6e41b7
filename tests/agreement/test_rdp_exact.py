"""Two accountants on one plan: an RDP bound is never below the lower end of the exact enclosure."""

from __future__ import annotations

import pytest

from bursar.accounting import exact, rdp
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.statements import GaussianDP, PureDP
from tests.sweeps import quick_first


def step(sigma: str, q: str) -> PoissonSubsampled:
    return PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


PLANS: list[tuple[Plan | Mechanism, str]] = [
    (1000 * step("1", "0.001"), "add-or-remove-one"),
    (10_000 * step("2", "0.01"), "add-or-remove-one"),
    (500 * step("1.3", "0.02"), "zero-out"),
    (step("0.7", "0.3"), "add-or-remove-one"),
    (300 * step("1", "0.01") + 200 * step("2", "0.03"), "add-or-remove-one"),
    (1200 * Gaussian(noise_multiplier=70), "replace-one"),
    (GaussianDP(mu="0.5"), "zero-out"),
    (Laplace(scale=2), "add-or-remove-one"),
    (40 * PureDP(epsilon="0.1"), "add-or-remove-one"),
    (25 * RandomizedResponse(epsilon="0.4", categories=5), "replace-one"),
]


@pytest.mark.parametrize("delta", quick_first(["1e-5", "0.3", "1e-30", "1e-200"], 2))
@pytest.mark.parametrize(("plan", "adjacency"), PLANS, ids=str)
def test_epsilon_is_not_below_the_enclosure(
    plan: Plan | Mechanism, adjacency: str, delta: str
) -> None:
    enclosed = exact.epsilon(plan, delta=delta, adjacency=adjacency)
    bound = rdp.epsilon(plan, delta=delta, adjacency=adjacency)
    assert bound.upper >= enclosed.values().get("lower", 0.0)


@pytest.mark.parametrize("epsilon", quick_first(["0.5", "0", "3"], 2))
@pytest.mark.parametrize(("plan", "adjacency"), PLANS, ids=str)
def test_delta_is_not_below_the_enclosure(
    plan: Plan | Mechanism, adjacency: str, epsilon: str
) -> None:
    enclosed = exact.delta(plan, epsilon=epsilon, adjacency=adjacency)
    bound = rdp.delta(plan, epsilon=epsilon, adjacency=adjacency)
    assert bound.upper >= enclosed.values().get("lower", 0.0)


def test_the_comparison_has_teeth() -> None:
    """Half the count of steps would be seen."""
    enclosed = exact.epsilon(1200 * Gaussian(noise_multiplier=70), delta="1e-5")
    assert rdp.epsilon(600 * Gaussian(noise_multiplier=70), delta="1e-5").upper < enclosed.upper
