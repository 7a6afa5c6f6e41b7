"""What an attacker could do: against the Gaussian's formula, and by direct tests on the pair."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from bursar.accounting import risk
from bursar.accounting.calibrate import calibrate
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.statements import ApproximateDP, ZeroConcentratedDP
from bursar.truth import Enclosure, UpperBound

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


@pytest.mark.slow
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


@pytest.mark.parametrize(("rate", "target"), [("0.01", "0.02"), ("0.1", "0.3"), ("1e-5", "1e-4")])
def test_noise_for_a_true_positive_rate_by_the_gaussians_formula(rate: str, target: str) -> None:
    """TPR = Φ(μ + Φ⁻¹(FPR)), so μ is known, and with it the least noise."""

    def made(sigma: float) -> Plan:
        return 50 * Gaussian(noise_multiplier=sigma)

    found = calibrate(made, true_positive_rate=target, false_positive_rate=rate)
    with mpmath.workdps(30):
        mu = _quantile(target) - _quantile(rate)
        least = mpmath.sqrt(50) / mu
    assert found.result.upper <= float(target)
    assert least <= found.value < least * (1 + 1e-5)
    assert found.witness is not None
    assert found.sharp
    assert found.witness.value < found.value


def test_noise_for_an_advantage_by_the_gaussians_formula() -> None:
    found = calibrate(lambda s: 50 * Gaussian(noise_multiplier=s), advantage="0.05")
    with mpmath.workdps(30):
        least = mpmath.sqrt(50) / (2 * _quantile("0.525"))
    assert least <= found.value < least * (1 + 1e-6)
    assert found.result.upper <= 0.05 < found.witness.result.lower  # type: ignore[union-attr]


def test_steps_for_a_risk() -> None:
    step = Gaussian(noise_multiplier=9)
    found = calibrate(lambda k: k * step, advantage="0.3", integer=True)
    assert risk.advantage(found.value * step).upper <= 0.3  # type: ignore[operator]
    assert risk.advantage((found.value + 1) * step).lower > 0.3  # type: ignore[operator,union-attr]


@pytest.mark.parametrize(
    "target",
    [
        {"advantage": "0.1", "epsilon": 1},
        {"advantage": "0.1", "delta": "1e-5"},
        {"advantage": "0.1", "true_positive_rate": "0.3"},
        {"true_positive_rate": "0.3"},
        {"true_positive_rate": "0.3", "false_positive_rate": "0.3"},
        {"true_positive_rate": "0.2", "false_positive_rate": "0.3"},
        {"true_positive_rate": "nan", "false_positive_rate": "0.3"},
        {"advantage": 2},
        {},
    ],
)
def test_targets_that_are_none(target: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        calibrate(lambda s: 5 * Gaussian(noise_multiplier=s), **target)  # type: ignore[arg-type]


def test_what_has_no_pair_has_a_bound_all_the_same() -> None:
    """The Gaussian of the same ρ is below the bound for everything of that ρ."""
    bound = risk.true_positive_rate(ZeroConcentratedDP(rho="0.02"), false_positive_rate="0.05")
    truth = risk.true_positive_rate(Gaussian(noise_multiplier=5), false_positive_rate="0.05")
    assert isinstance(bound, UpperBound)
    assert truth.upper <= bound.upper <= 1.2 * truth.upper


def test_a_statement_may_be_lost_with_its_delta() -> None:
    """At FPR 0 the attacker wins where the loss is infinite, with probability δ."""
    found = risk.true_positive_rate(ApproximateDP(epsilon=1, delta="0.01"), false_positive_rate=0)
    assert isinstance(found, Enclosure)
    assert found.lower <= 0.01 <= found.upper
    assert risk.true_positive_rate(STEP, false_positive_rate=0).upper == 0


def test_belief_is_bayes_at_the_rates() -> None:
    found = risk.risk(Gaussian(noise_multiplier=1), false_positive_rate="0.1", prior="0.2")
    tpr = found.true_positive_rate.upper
    assert found.belief == pytest.approx(0.2 * tpr / (0.2 * tpr + 0.8 * 0.1), rel=1e-12)
    assert "FPR 0.1" in found.sentence()
    assert found.to_json()["false_positive_rate"] == "0.1"


def test_the_worse_direction_is_not_always_the_same() -> None:
    """At small rates the attacker looks for presence, at large ones for absence."""
    small, large = (
        risk.true_positive_rate(STEP, false_positive_rate=rate).about.direction
        for rate in ("0.001", "0.95")
    )
    assert (small, large) == ("remove", "add")


def _quantile(probability: str) -> mpmath.mpf:
    return mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(probability) - 1)
