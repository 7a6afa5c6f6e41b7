"""Feldman & Zrnic 2021, Thm 1.2 and Cor. 4.7, by simulation over δ and d.

An answer is off by more than √(B_norm log(d/δ)/κ) with probability δ at most, while every person's
squared norms stay within B_norm.  The noise is what is released: drawn from the operating system,
rounded exactly to a grid of 1/64.  Each check raises a false alarm with probability below 1e-6; it
must reject noise of three times the scale, which it misses with probability below 1e-9.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from bursar.filters.individual import IndividualFilter
from bursar.filters.individual_costs import of_squared_norms
from bursar.noise import rounded_gaussian

FALSE_ALARM = 1e-6
PEOPLE, ROUNDS, RUNS = 300, 40, 50
GRID = 64  # steps of the grid in one unit of data
pytestmark = pytest.mark.statistical


def too_often(beyond: int, answers: int, delta: float) -> bool:
    """Whether so many misses are unlikely to be of probability delta."""
    return bool(binom.sf(beyond - 1, answers, delta) < FALSE_ALARM)


def play(
    rng: np.random.Generator,
    *,
    budget: int,
    dimension: int,
    deltas: list[float],
    scale: int,
) -> dict[float, int]:
    """Misses at each δ over all answers, κ = 1/2; the next query depends on the last answer."""
    variance = budget * GRID**2  # B_norm / 2κ
    noise_std = scale * math.isqrt(variance)
    missed = dict.fromkeys(deltas, 0)
    for _ in range(RUNS):
        people = IndividualFilter.for_norms(rho="1/2", noise_variance=variance, people=PEOPLE)
        assert people.account.cap == variance
        standing, spent = people.start(), np.zeros(PEOPLE, np.int64)
        data = rng.integers(-3, 4, (PEOPLE, dimension)) * GRID
        answer = np.zeros(dimension)
        for _ in range(ROUNDS):
            about = rng.random(PEOPLE) < (0.5 if answer.sum() > 0 else 0.2)  # adaptive, and sparse
            added = data * about[:, None] if dimension > 1 else GRID * about[:, None].astype(int)
            norms = np.sum(added**2, axis=1)
            costs = of_squared_norms(people, norms, noise_variance=variance)
            standing, inside = people.charge(standing, costs)
            expected = spent + norms <= variance
            assert np.array_equal(inside.reveal(), expected)
            spent += norms * expected
            truth = added[expected].sum(axis=0)
            answer = truth + rounded_gaussian(noise_std=noise_std, size=dimension)
            error = np.max(np.abs(answer - truth)) / GRID
            for delta in deltas:
                missed[delta] += error > math.sqrt(budget * math.log(dimension / delta) / 0.5)
        assert np.array_equal(standing.reveal(), variance - spent)
    return missed


@pytest.mark.parametrize(("dimension", "budget"), [(1, 4), (3, 64), (16, 289)])
def test_accuracy_over_delta_and_dimension(dimension: int, budget: int) -> None:
    """Dimension 1 is Thm 1.2, with queries in {0, 1} and s = budget; the others are Cor. 4.7."""
    deltas = [0.5, 0.1, 0.01]
    rng = np.random.default_rng(20260118)
    answers = RUNS * ROUNDS
    for scale, rejected in ((1, False), (3, True)):
        missed = play(rng, budget=budget, dimension=dimension, deltas=deltas, scale=scale)
        for delta in deltas:
            assert too_often(missed[delta], answers, delta) is rejected, (dimension, delta, scale)


def test_without_refusals_a_person_is_overdrawn() -> None:
    """The check of the budgets has power: plain sums of sparse queries pass B_norm."""
    rng = np.random.default_rng(7)
    about = rng.random((ROUNDS, PEOPLE)) < 0.5
    assert np.any(about.sum(axis=0) > 5)
