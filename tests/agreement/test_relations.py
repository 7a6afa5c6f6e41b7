"""The factor 2: under every relation, every accountant agrees with the Gaussian's own formula."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import bursar
from bursar import Adjacency, Gaussian
from bursar.accounting.accountants import ACCOUNTANTS
from bursar.mechanisms.plan import Plan

SIGMA, STEPS, DELTA = 4, 9, 1e-5
CONTRIBUTIONS = {  # by how many of one person's contributions neighbours differ
    Adjacency.ADD_OR_REMOVE_ONE: 1,
    Adjacency.ZERO_OUT: 1,
    Adjacency.REPLACE_ONE: 2,
}
ABOVE = {
    "exact": 1e-9,
    "rdp": 0.12,
    "lattice": 1e-4,
    "gdp": 1e-9,
    "edgeworth": 1e-3,
    "saddlepoint": 1e-3,
}


def formula(contributions: int) -> float:
    """ε at δ of N(Δ√k, σ²) against N(0, σ²).  Balle & Wang 2018, Thm 8."""
    mu = contributions * math.sqrt(STEPS) / SIGMA

    def excess(epsilon: float) -> float:
        a, b = mu / 2, epsilon / mu
        return float(norm.cdf(a - b) - math.exp(epsilon) * norm.cdf(-a - b)) - DELTA

    return float(brentq(excess, 0, 50, xtol=1e-14, rtol=1e-14))


def answers(run: Plan, relation: Adjacency) -> dict[str, float]:
    return {
        one.name: float(getattr(found, "upper", getattr(found, "value", math.nan)))
        for one in ACCOUNTANTS
        for found in [
            bursar.epsilon(run, delta=DELTA, adjacency=relation, method=one.name)  # type: ignore[arg-type]
        ]
    }


@pytest.mark.parametrize("relation", Adjacency)
def test_all_accountants_agree_with_the_formula(relation: Adjacency) -> None:
    truth = formula(CONTRIBUTIONS[relation])
    found = answers(STEPS * Gaussian(noise_multiplier=SIGMA), relation)
    assert set(found) == {one.name for one in ACCOUNTANTS}
    for name, value in found.items():
        assert abs(value / truth - 1) <= ABOVE.get(name, 0.12), name


def test_one_contribution_under_replace_one_is_caught() -> None:
    """The mistake: the account of one contribution, where neighbours differ by two."""
    truth = formula(CONTRIBUTIONS[Adjacency.REPLACE_ONE])
    mistaken = answers(STEPS * Gaussian(noise_multiplier=SIGMA), Adjacency.ADD_OR_REMOVE_ONE)
    assert all(value / truth < 0.7 for value in mistaken.values())
