"""Clopper-Pearson bounds against exact sums of binomial probabilities, and what fails them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bursar.audit.bounds import (
    at_least,
    at_most,
    epsilon_at_least,
    guessed_at_least,
    guessed_at_most,
)

LEVELS = (0.05, 1e-3, 1e-9)


def missed(bound: Callable[[int], float], trials: int, p: Fraction) -> Fraction:
    """The exact probability that a lower bound is above the truth."""
    return sum(
        (
            math.comb(trials, k) * p**k * (1 - p) ** (trials - k)
            for k in range(trials + 1)
            if Fraction(bound(k)) > p
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("failure", LEVELS)
def test_the_bound_is_above_the_truth_no_more_often_than_said(failure: float) -> None:
    """Exactly, by summing; and not much more seldom, or it would be weak."""
    trials, worst = 23, Fraction(0)
    bounds = [at_least(k, trials, failure=failure) for k in range(trials + 1)]
    for p in [Fraction(n, 60) for n in range(1, 60)] + [Fraction(b) for b in bounds[1:]]:
        rate = missed(bounds.__getitem__, trials, p * (1 - Fraction(1, 10**9)))
        assert rate <= Fraction(failure)
        worst = max(worst, rate)
    assert worst > Fraction(failure) * Fraction(99, 100)


def test_the_share_itself_is_no_bound() -> None:
    """The kept mutant: without the tail, every second bound is above the truth."""
    assert missed(lambda k: k / 23, 23, Fraction(1, 3)) > Fraction(2, 5)


def test_an_upper_bound_is_a_lower_bound_of_the_others() -> None:
    for hits, trials in ((0, 10), (3, 10), (10, 10), (17, 100_000)):
        top = at_most(hits, trials, failure=1e-4)
        assert top <= 1 or hits == trials
        assert top >= hits / trials
        other = Fraction(1) - Fraction(at_least(trials - hits, trials, failure=1e-4))
        assert 0 < Fraction(top) - other < Fraction(1, 2**50)


@pytest.mark.parametrize("failure", LEVELS)
@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (50, 100_000), (99_999, 100_000), (4, 4)])
def test_the_bound_is_scipy_s_within_rounding(hits: int, trials: int, failure: float) -> None:
    expected = stats.beta.ppf(failure, hits, trials - hits + 1)
    assert at_least(hits, trials, failure=failure) == pytest.approx(expected, rel=1e-9)
    assert stats.binom.sf(hits - 1, trials, expected) == pytest.approx(failure, rel=1e-6)


def test_guesses_are_the_bounds() -> None:
    hits = np.array([0, 1, 30, 999, 1000])
    lower = guessed_at_least(hits, 1000, failure=1e-5)
    upper = guessed_at_most(hits, 1000, failure=1e-5)
    for i, k in enumerate(hits.tolist()):
        assert lower[i] == pytest.approx(at_least(k, 1000, failure=1e-5), rel=1e-9)
        assert upper[i] == pytest.approx(at_most(k, 1000, failure=1e-5), rel=1e-9)


def test_no_hits_prove_nothing_and_all_hits_not_all() -> None:
    assert at_least(0, 10, failure=0.1) == 0
    assert at_most(10, 10, failure=0.1) >= 1
    assert at_least(10, 10, failure=0.1) == pytest.approx(0.1**0.1, rel=1e-9)


def test_epsilon_is_rounded_down() -> None:
    assert epsilon_at_least(0.5, 0.25, delta=0.0) <= math.log(2)
    assert epsilon_at_least(0.5, 0.25, delta=0.0) == pytest.approx(math.log(2), rel=1e-15)
    assert epsilon_at_least(0.5, 0.25, delta=0.25) == 0
    assert epsilon_at_least(0.5, 0.5, delta=0.0) == 0
    assert epsilon_at_least(0.1, 0.05, delta=0.2) == 0
