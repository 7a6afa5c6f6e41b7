"""A trial of a mean: what it lets through, how it is planned, what it refuses to be."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from bursar.errors import InternalError, LimitReached
from bursar.numerics.wealth import Trial, planned, surely


@pytest.mark.parametrize(("pull", "threshold"), [(1.0, 0.0), (3.0, 0.7), (50.0, 5.0)])
def test_the_excess_is_the_most_of_all_means(pull: float, threshold: float) -> None:
    """x·e^{−T−κx} over a grid of x: never above, and attained."""
    trial = Trial(1000, pull / (1000 * 0.2), 0.2, threshold)
    x = np.linspace(0, 10, 100_001)
    most = float((np.log(x[1:]) - threshold - trial.pull * x[1:]).max())
    assert most <= trial.log_excess
    assert most == pytest.approx(trial.log_excess, abs=1e-6)


def test_markov_is_exact_for_a_coin() -> None:
    """Of Bernoulli draws the chance to pass is a binomial sum: Lemma 1, at every mean."""
    trial = Trial(200, 1.0 / (200 * 0.1), 0.1, 0.0)
    ones = np.arange(201)
    wealth = ones * math.log1p(-trial.stake * 0.9) + (200 - ones) * math.log1p(trial.stake * 0.1)
    log_binomial = np.array(
        [math.lgamma(201) - math.lgamma(k + 1) - math.lgamma(201 - k) for k in ones]
    )
    passed = np.array([trial.passes(float(one)) for one in wealth])
    for x in np.linspace(0, 8, 81):
        mean = 0.1 * (1 + x)
        law = np.exp(log_binomial + ones * np.log(mean) + (200 - ones) * np.log1p(-mean))
        assert law[passed].sum() <= math.exp(-trial.pull * x)
        assert law[passed].sum() * (1 + x) <= 1


def test_a_smaller_gap_takes_more_draws() -> None:
    sizes = [
        planned(0.3, 2.0, gap=gap, sure=4, log_threshold=lambda pull: 0.0).draws
        for gap in (0.2, 0.1, 0.05, 0.01)
    ]
    assert all(a < b for a, b in pairwise(sizes))
    assert sizes[-1] == pytest.approx(16 * 2.0 / 1e-4, rel=0.1)


def test_what_is_planned_is_within_its_threshold() -> None:
    for log_room in (-1.0, -8.0, -30.0):
        found = planned(
            0.1,
            5.0,
            gap=0.05,
            sure=4,
            log_threshold=lambda k, r=log_room: max(0.0, 1e-8 - r - 1 - math.log(k)),
        )
        assert found.log_excess <= log_room
        assert found.stake * 0.9 <= 0.75 + 1e-9


def test_few_draws_of_a_small_mean_are_no_trial() -> None:
    assert planned(1e-4, 9e3, gap=0.9, sure=4, log_threshold=lambda pull: 0.0).draws >= 13_000


@pytest.mark.parametrize(
    ("draws", "stake", "share", "threshold"),
    [(10, 0.1, 0.1, 0.0), (1000, 1.2, 0.1, 0.0), (1000, 0.5, 0.1, -1.0), (1000, 0.5, 0.0, 0.0)],
)
def test_what_is_no_gate_is_refused(
    draws: int, stake: float, share: float, threshold: float
) -> None:
    with pytest.raises(InternalError):
        Trial(draws, stake, share, threshold)


def test_too_many_draws_are_refused() -> None:
    with pytest.raises(LimitReached, match="wider gap"):
        planned(0.1, 5.0, gap=1e-4, sure=4, log_threshold=lambda pull: 0.0, most=10_000)


def test_rounding_counts_against_the_claim() -> None:
    trial = Trial(10**6, 1.0 / (10**6 * 0.2), 0.2, 1.0)
    assert not trial.passes(1.0)
    assert trial.passes(1.0 + 1e-6)


def binomial(n: int, mean: float) -> np.ndarray:
    """The law of how many of n coins are 1."""
    ones = np.arange(n + 1)
    logs = np.array(
        [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in ones]
    )
    return np.asarray(np.exp(logs + ones * math.log(mean) + (n - ones) * math.log1p(-mean)))


def failing(trial: Trial, mean: float) -> float:
    """Of coins of this mean, exactly."""
    ones = np.arange(trial.draws + 1)
    share, stake = trial.share, trial.stake
    wealth = ones * math.log1p(-stake * (1 - share))
    wealth += (trial.draws - ones) * math.log1p(stake * share)
    passed = np.array([trial.passes(float(one)) for one in wealth])
    return float(binomial(trial.draws, mean)[~passed].sum())


TRIALS = [Trial(2000, 0.1, 0.2, 0.0), Trial(2000, 0.3, 0.2, 3.0), Trial(500, 0.05, 0.6, 0.0)]


@pytest.mark.parametrize("trial", TRIALS)
@pytest.mark.parametrize("gap", [0.05, 0.1, 0.2, 0.5])
def test_failures_of_coins_are_below_their_bound_and_near(trial: Trial, gap: float) -> None:
    mean = (1 - gap) * trial.share
    exact, bound = failing(trial, mean), math.exp(trial.log_missed(mean))
    assert exact <= bound
    assert bound <= max(40 * exact, 1e-12)


def test_other_laws_of_the_mean_fail_less_often() -> None:
    """Of three values, in full: the coin is the worst."""
    trial, mean = TRIALS[1], 0.15
    bound = trial.log_missed(mean)
    for low, high in ((0.0, 0.5), (0.05, 0.6), (0.1, 0.2)):
        ones = np.arange(trial.draws + 1)
        wealth = ones * math.log1p(-trial.stake * (high - trial.share))
        wealth += (trial.draws - ones) * math.log1p(-trial.stake * (low - trial.share))
        law = binomial(trial.draws, (mean - low) / (high - low))
        assert math.log(max(law[wealth < trial.log_threshold].sum(), 1e-300)) <= bound


@pytest.mark.parametrize("wrong", ["mean", "threshold", "draws"])
def test_a_bound_on_failures_that_is_wrong_is_seen(wrong: str) -> None:
    """Of a smaller mean, of no threshold, of more draws."""
    trial = Trial(2000, 0.15, 0.2, 8.0)
    exact = failing(trial, 0.16)
    other = {
        "mean": lambda: trial.log_missed(0.145),
        "threshold": lambda: replace(trial, log_threshold=3.0).log_missed(0.16),
        "draws": lambda: replace(trial, draws=3000).log_missed(0.16),
    }[wrong]()
    assert math.exp(other) < exact <= math.exp(trial.log_missed(0.16))


def test_nothing_is_said_of_means_that_are_no_smaller() -> None:
    assert [TRIALS[0].log_missed(mean) for mean in (0.2, 0.5, 1.0)] == [0, 0, 0]


def test_a_sure_trial_keeps_its_promise_with_the_fewest_draws() -> None:
    for need in (0.0, 10.0):
        threshold = lambda pull, need=need: need  # noqa: E731
        found = surely(0.3, 0.27, log_miss=math.log(1e-3), log_threshold=threshold)
        assert found.log_missed(0.27) <= math.log(1e-3)
        assert failing(found, 0.27) <= 1e-3
        few = int(0.97 * found.draws)
        with pytest.raises(LimitReached):
            surely(0.3, 0.27, log_miss=math.log(1e-3), log_threshold=threshold, most=few)
    with pytest.raises(LimitReached, match="narrower"):
        surely(0.3, 0.3, log_miss=-1.0, log_threshold=lambda pull: 0.0)
