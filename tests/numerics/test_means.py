"""Bounds on means: their failures are counted exactly over binomial laws, or simulated."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.stats import beta, binom

from bursar.errors import InternalError
from bursar.numerics import means
from bursar.numerics.means import Betting, draws_to_tell, kl, lower, upper


def test_the_divergence_keeps_its_digits() -> None:
    for p in (1e-12, 1e-3, 0.5, 0.999):
        for gap in (0.5e-4, 2e-4, 0.3):
            with mpmath.workdps(40):
                x, y = mpmath.mpf(p * (1 - gap)), mpmath.mpf(p)
                exact = x * mpmath.log(x / y) + (1 - x) * mpmath.log((1 - x) / (1 - y))
            assert kl(p * (1 - gap), p) == pytest.approx(float(exact), rel=1e-11)
    assert kl(0.0, 0.25) == pytest.approx(-math.log(0.75))
    assert kl(1.0, 0.25) == pytest.approx(math.log(4))
    with pytest.raises(InternalError):
        kl(0.5, 1.0)
    with pytest.raises(InternalError):
        kl(math.nan, 0.5)


@pytest.mark.parametrize("n", [3, 40, 400])
@pytest.mark.parametrize("mean", [0.003, 0.1, 0.6, 0.98])
def test_bounds_fail_no_oftener_than_they_say(n: int, mean: float) -> None:
    """Over every outcome of a binomial law: the exact probability of failure is at most β."""
    counts = np.arange(n + 1)
    weights = binom.pmf(counts, n, mean)
    for chance in (0.2, 1e-3):
        high = np.array([upper(k / n, n, math.log(chance)) for k in counts])
        low = np.array([lower(k / n, n, math.log(chance)) for k in counts])
        assert weights[high < mean].sum() <= chance
        assert weights[low > mean].sum() <= chance
        exact = beta.isf(chance, counts[:-1] + 1, n - counts[:-1])
        assert (high[:-1] >= exact * (1 - 1e-9)).all()  # Clopper and Pearson's
        assert (low <= counts / n).all()


def test_how_many_draws_it_takes() -> None:
    n = draws_to_tell(0.01, 0.2, math.log(1e-6))
    assert n * kl(0.198, 0.2) >= -math.log(1e-6)
    assert (n - 2) * kl(0.198, 0.2) < -math.log(1e-6) * (1 + 1e-8)
    assert binom.cdf(math.floor(0.198 * n), n, 0.2) <= 1e-6


@pytest.mark.statistical
def test_betting_holds_at_all_times_and_gets_near() -> None:
    """1,000 runs of 20 looks: at β = 0.05 more than 90 failures happen in 1e-8 of all suites.

    Power: the interval is within 20 % of the mean at the end, and with stakes set after the look
    it would fail.
    """
    grid, failures, width = np.linspace(0.01, 0.99, 99), 0, []
    random = np.random.default_rng(5)
    mean = 0.3 - 1e-9  # just below a mean of the grid
    for _ in range(1000):
        bets = Betting.over(math.log(0.05), grid)
        wrong = False
        for _ in range(20):
            bets.see((random.random(100) < mean).astype(float))
            low, high = bets.bounds
            wrong |= not low <= mean <= high
        failures += wrong
        width.append(high - low)
    assert failures <= 90
    assert np.median(width) < 0.2 * mean * 2


def test_betting_takes_a_rising_grid_inside() -> None:
    for grid in ([], [0.0, 0.5], [0.5, 0.4], [0.5, 1.0], [math.nan]):
        with pytest.raises(InternalError):
            Betting.over(math.log(0.1), grid)
    bets = Betting.over(math.log(0.1), [0.5])
    bets.see(np.zeros(0))
    assert bets.bounds == (0.0, 1.0)
    bets.see(np.zeros(200))
    bets.see(np.zeros(200))
    assert bets.bounds == (0.0, 0.5)


def test_a_looser_divergence_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant 2(a − p)² is no bound on the divergence from below at small means: it widens."""
    monkeypatch.setattr(means, "kl", lambda a, p: 4 * (a - p) ** 2 / p)
    counts = np.arange(41)
    weights = binom.pmf(counts, 40, 0.1)
    high = np.array([means.upper(k / 40, 40, math.log(1e-3)) for k in counts])
    assert weights[high < 0.1].sum() > 1e-3
