"""The Gaussian accountant where it proves: by the Gaussian's formula, and never below the truth."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mpmath
import pytest

import bursar
from bursar import (
    Enclosure,
    Estimate,
    Gaussian,
    GaussianDP,
    Laplace,
    LimitReached,
    NoProof,
    Parallel,
    Plan,
    PoissonSubsampled,
    PureDP,
    RandomizedResponse,
    RoundedGaussian,
    UpperBound,
)
from bursar.accounting import exact, gdp
from tests.laws.cases import APART, Case
from tests.sweeps import quick_first

SAMPLED = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.1")


def formula(mu: mpmath.mpf, epsilon: str) -> mpmath.mpf:
    """δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)."""
    e = mpmath.mpf(epsilon)
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


@pytest.mark.parametrize(
    ("adjacency", "moved"), [("add-or-remove-one", 1), ("zero-out", 1), ("replace-one", 2)]
)
def test_gaussians_of_several_kinds_are_enclosed(adjacency: str, moved: int) -> None:
    plan = 7 * Gaussian(noise_multiplier=3) + 5 * Gaussian(noise_multiplier="0.7")
    whole = plan + 2 * GaussianDP(mu="0.3")
    with mpmath.workdps(40):
        square = moved**2 * (mpmath.mpf(7) / 9 + mpmath.mpf(5) / mpmath.mpf("0.49"))
        truth = formula(mpmath.sqrt(square + mpmath.mpf("0.18")), "2.5")
        found = gdp.delta(whole, epsilon="2.5", adjacency=adjacency)
        assert isinstance(found, Enclosure)
        assert found.lower <= truth <= found.upper
        assert found.upper - found.lower <= 1e-15 * found.upper
        assert found.about.method == "gdp"


def test_by_name_it_may_be_charged() -> None:
    run = 60 * Gaussian(noise_multiplier="28.914")
    found = bursar.epsilon(run, delta="1e-5", method="gdp")
    assert isinstance(found, Enclosure)
    assert found.values() == exact.epsilon(run, delta="1e-5").values()
    assert float(found) == found.upper
    assert bursar.epsilon(run, delta=0, method="gdp").about.reason is not None


def test_a_pure_step_touches_its_gaussian_at_the_total_variation() -> None:
    """μ is the one of Φ(μ/2) = e^ε/(1+e^ε): at ε = 0 both have δ = tanh(ε/2), nowhere else."""
    found = gdp.delta(PureDP(epsilon=1), epsilon=0)
    assert isinstance(found, UpperBound)
    assert math.tanh(0.5) <= found.upper <= math.tanh(0.5) * (1 + 1e-15)
    further = gdp.delta(PureDP(epsilon=1), epsilon="0.5")
    assert isinstance(further, UpperBound)
    assert further.upper > 1.05 * exact.delta(PureDP(epsilon=1), epsilon="0.5").upper
    never = gdp.epsilon(PureDP(epsilon=1), delta=0)
    assert never.upper == math.inf
    assert "bounds it" in str(never.about.reason)
    assert gdp.epsilon(PureDP(epsilon=0), delta=0).upper == 0


def test_what_a_gaussian_dominates_is_bounded() -> None:
    rounded = gdp.epsilon(9 * RoundedGaussian(noise_multiplier=5), delta="1e-6")
    assert isinstance(rounded, UpperBound)
    assert rounded.upper == exact.epsilon(9 * Gaussian(noise_multiplier=5), delta="1e-6").upper
    branches = Parallel(PureDP(epsilon="0.1"), Gaussian(noise_multiplier=4))
    worse = gdp.epsilon(9 * branches, delta="1e-6")
    assert isinstance(worse, UpperBound)
    assert worse.upper == exact.epsilon(9 * Gaussian(noise_multiplier=4), delta="1e-6").upper
    mixed = 3 * Laplace(scale=2) + 4 * RandomizedResponse(epsilon="0.2")
    assert isinstance(gdp.epsilon(mixed, delta="1e-6", adjacency="replace-one"), UpperBound)


@pytest.mark.parametrize("run", [SAMPLED, SAMPLED + Gaussian(noise_multiplier=9)])
def test_one_sampled_step_makes_it_a_guess(run: Plan) -> None:
    assert isinstance(gdp.epsilon(run, delta="1e-5"), Estimate)
    assert isinstance(gdp.delta(run, epsilon=1), Estimate)


def proved(rows: Iterable[tuple[Case, bursar.Adjacency]]) -> list[tuple[Case, bursar.Adjacency]]:
    """Where the Gaussian accountant has a statement."""
    return [row for row in rows if gdp.Stated.of(row[0].plan(), row[1]) is not None]


@pytest.mark.parametrize(("case", "relation"), quick_first(proved(APART), 4))
def test_it_is_nowhere_below_what_another_proves(case: Case, relation: bursar.Adjacency) -> None:
    for count, delta in ((1, "1e-3"), (20, "1e-7")):
        bound = gdp.epsilon(case.plan(count), delta=delta, adjacency=relation)
        try:
            truth = bursar.epsilon(case.plan(count), delta=delta, adjacency=relation)
        except (NoProof, LimitReached):
            continue
        assert not isinstance(bound, Estimate)
        if isinstance(truth, Enclosure):
            assert bound.upper >= truth.lower
        if isinstance(bound, Enclosure):
            assert bound.lower <= truth.upper
