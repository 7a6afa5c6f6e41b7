"""Estimates beside the enclosed truth: how far off, and how fast they come near as steps grow."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bursar import (
    Enclosure,
    Estimate,
    Gaussian,
    Laplace,
    LimitReached,
    NoProof,
    NotCharged,
    Plan,
    PoissonSubsampled,
    PureDP,
    Table,
)
from bursar.accounting import characteristic, edgeworth, exact, gdp, saddlepoint
from bursar.accounting.estimates import Estimator
from tests.sweeps import quick_first

GUESSERS = {
    one.ACCOUNTANT.name: one.ACCOUNTANT for one in (gdp, edgeworth, saddlepoint, characteristic)
}
COUNTS = (1000, 4000, 16_000)


def run(count: int, sigma: str = "2", q: str = "0.01") -> Plan:
    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


def off(guesser: Estimator, plan: Plan, delta: str) -> float:
    """The relative error of ε, against the middle of an enclosure that is far narrower."""
    truth, guess = exact.epsilon(plan, delta=delta), guesser.epsilon(plan, delta=delta)
    assert isinstance(truth, Enclosure)
    assert truth.upper - truth.lower <= 1e-12 * truth.upper
    return guess.value / truth.upper - 1


@pytest.mark.parametrize(
    ("name", "most", "slowest", "fastest"),
    [  # the error of ε at 1,000 steps, and what four times as many divide it by
        ("gdp", 0.04, 1.8, 2.5),  # of order k^(−1/2)
        ("edgeworth", 4e-3, 3.4, 4.6),  # of order 1/k, at a fixed δ in the tail
        ("saddlepoint", 4e-4, 1.3, 1.6),
    ],
)
def test_the_order_of_the_error(name: str, most: float, slowest: float, fastest: float) -> None:
    errors = [abs(off(GUESSERS[name], run(count), "1e-5")) for count in COUNTS]
    assert errors[0] <= most
    assert all(slowest <= few / many <= fastest for few, many in pairwise(errors))


def test_the_inversion_is_a_quadrature_and_has_no_order() -> None:
    plan = run(1000)
    found, truth = characteristic.delta(plan, epsilon=0.5), exact.delta(plan, epsilon=0.5)
    assert found.value == pytest.approx(truth.upper, rel=1e-6)


def test_what_the_inversion_loses_in_noise_is_refused() -> None:
    """At ε ≈ 25.6 the noise of float64 is above δ: a crossing that is found there is none."""
    for one, delta in ((run(100_000, "1"), "1e-5"), (run(1000), "1e-12")):
        with pytest.raises(LimitReached, match="noise of float64"):
            characteristic.epsilon(one, delta=delta)
    with pytest.raises(LimitReached):
        characteristic.delta(run(1000), epsilon=20)


@pytest.mark.parametrize(
    ("one", "delta"),
    quick_first(
        [(run(1, "0.628", "0.0001177"), "2.01e-6"), (run(37, "1.151", "4.336e-5"), "2e-9")], 1
    ),
)
def test_what_a_wider_window_changes_is_refused(one: Plan, delta: str) -> None:
    """Rare losses reach farther than 60 deviations: ε was told 74 and 369 times too large."""
    with pytest.raises(LimitReached, match="of its quadrature"):
        characteristic.epsilon(one, delta=delta)
    with pytest.raises(LimitReached, match="of its quadrature"):
        characteristic.delta(one, epsilon=10 * exact.epsilon(one, delta=delta).upper)


@pytest.mark.parametrize("name", ["gdp", "edgeworth"])
def test_what_float64_cannot_hold_is_a_limit(name: str) -> None:
    with pytest.raises(LimitReached, match="float64 can hold"):
        GUESSERS[name].epsilon(run(1000, "0.001", "0.001"), delta="1e-5")


def test_a_steep_saddle_is_found() -> None:
    """Three digits of a tilt were not enough: ε was told 6,000 times too large."""
    assert abs(off(GUESSERS["saddlepoint"], run(539_417, "7.518", "1.306e-5"), "2.88e-4")) <= 0.06


def test_a_large_epsilon_is_found() -> None:
    plan = 1_000_000 * Laplace(scale="0.5")
    for name in ("gdp", "edgeworth", "saddlepoint"):
        assert 1e6 < GUESSERS[name].epsilon(plan, delta="1e-5").value < 2e6


def test_each_has_its_side() -> None:
    """The central limit is below the truth where large losses are rare."""
    assert off(GUESSERS["gdp"], run(1000), "1e-5") < -0.01
    assert off(GUESSERS["gdp"], run(1000, "1", "0.001"), "1e-5") < -0.1


@pytest.mark.parametrize("name", GUESSERS)
def test_laplace_noise_smooths_enough(name: str) -> None:
    assert abs(off(GUESSERS[name], Plan.of(100 * Laplace(scale=10)), "1e-3")) <= 0.02


@pytest.mark.parametrize("name", GUESSERS)
def test_no_estimate_is_charged_and_atoms_are_refused(name: str) -> None:
    guess = GUESSERS[name].epsilon(10 * Gaussian(noise_multiplier=5), delta="1e-3")
    assert isinstance(guess, Estimate)
    assert (guess.method, guess.about.method) == (name, name)
    with pytest.raises(NotCharged):
        float(guess)
    with pytest.raises(NoProof, match="atoms"):
        GUESSERS[name].epsilon(5 * PureDP(epsilon=1), delta="1e-5")
    with pytest.raises(NoProof, match="closed form"):
        GUESSERS[name].delta(Table(present=["0.6", "0.4"], absent=["0.4", "0.6"]), epsilon=1)
