"""What an attacker could do: against the Gaussian's formula, and by direct tests on the pair."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from bursar.accounting import risk
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.truth import Enclosure

STEP = PoissonSubsampled(Gaussian(noise_multiplier="0.8"), sampling_probability="0.3")


@pytest.mark.parametrize("rate", ["1e-9", "0.001", "0.05", "0.5", "0.99"])
@pytest.mark.parametrize("sigma", ["0.5", "1", "4"])
def test_the_gaussian_has_its_formula(sigma: str, rate: str) -> None:
    found = risk.true_positive_rate(Gaussian(noise_multiplier=sigma), false_positive_rate=rate)
    with mpmath.workdps(40):
        threshold = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(rate) - 1)
        truth = mpmath.ncdf(1 / mpmath.mpf(sigma) + threshold)
    assert isinstance(found, Enclosure)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-4 * found.upper


def test_no_threshold_test_does_better() -> None:
    """Every test "t > c" on the subsampled pair, and its mirror, stays below the bound."""
    t = np.linspace(-6, 7, 200_001)
    normal = np.exp(-0.5 * (t / 0.8) ** 2)
    mixed = 0.7 * normal + 0.3 * np.exp(-0.5 * ((t - 1) / 0.8) ** 2)
    with_person, without = (np.cumsum(law[::-1]) / law.sum() for law in (mixed, normal))
    for rate in (0.01, 0.1, 0.5):
        found = risk.true_positive_rate(STEP, false_positive_rate=str(rate))
        at = int(np.searchsorted(without, rate))
        assert with_person[at] <= found.upper + 1e-4
        mirrored = int(np.searchsorted(1 - with_person[::-1], rate))
        assert 1 - without[::-1][mirrored] <= found.upper + 1e-4
        best = max(with_person[at], 1 - without[::-1][mirrored])
        assert best >= found.upper - 1e-3  # and the better of the two attains it


@pytest.mark.slow
def test_the_advantage_is_the_largest_gap() -> None:
    curve = risk.trade_off(30 * STEP, points=11)
    gap = max(rate.upper - alpha for alpha, rate in curve)
    assert risk.advantage(30 * STEP).upper == pytest.approx(gap, abs=2e-2)


def test_more_steps_help_the_attacker() -> None:
    rates = [risk.true_positive_rate(k * STEP, false_positive_rate="0.1").upper for k in (1, 40)]
    assert rates == sorted(rates)
    assert rates[0] < rates[-1]


def test_the_posterior_is_bayes() -> None:
    assert risk.posterior("0.1", epsilon=0) == pytest.approx(0.1)
    assert risk.posterior(0, epsilon=3) == 0
    assert risk.posterior("0.5", epsilon=1000) == 1


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), True, "x"])
def test_rates_outside_the_unit_interval_are_refused(rate: object) -> None:
    with pytest.raises(InvalidParameter):
        risk.true_positive_rate(STEP, false_positive_rate=rate)  # type: ignore[arg-type]
