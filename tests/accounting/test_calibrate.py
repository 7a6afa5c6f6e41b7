"""Calibration: never above the target, by proof; within 1e-6 of the best value; the failure beside.

What stands beside the answer is asked again on another road, `tests/roads`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bursar
from bursar import (
    Enclosure,
    Gaussian,
    InvalidParameter,
    Laplace,
    NoProof,
    Plan,
    Unreachable,
    UpperBound,
    ZeroConcentratedDP,
)
from bursar.accounting.calibrate import Calibrated
from tests.laws.cases import poisson
from tests.roads import tilted_fft
from tests.roads.laws import laplace, sampled
from tests.sweeps import quick_first

Make = Callable[[Any], Plan]
NOISE: list[tuple[Make, str, str]] = [
    (lambda s: 100 * Gaussian(noise_multiplier=s), "1", "1e-5"),
    (lambda s: 30 * poisson(s, "0.1"), "2", "1e-6"),
    (lambda s: 5 * Laplace(scale=s), "1", "1e-5"),
    (lambda s: 5000 * poisson(s, "0.01"), "1", "1e-5"),
    (lambda s: 1000 * poisson(s, "0.001"), "0.1", "1e-9"),
    (lambda s: 1 * poisson(s, "0.5"), "0.01", "1e-40"),
    (lambda s: 20 * poisson(s, "0.2") + Gaussian(noise_multiplier=9), "3", "1e-5"),
]


def is_proved(found: Calibrated, make: Make, epsilon: str, delta: str) -> None:
    """The answer, and the witness, are what `bursar.epsilon` proves there."""
    target = float(epsilon)
    assert found.result.upper <= target
    assert found.witness is not None
    assert found.sharp
    again = bursar.epsilon(make(found.value), delta=delta)
    assert isinstance(again, Enclosure)
    assert again.upper <= target
    beside = bursar.epsilon(make(found.witness.value), delta=delta)
    assert isinstance(beside, Enclosure)
    assert beside.lower > target
    assert found.value != found.witness.value
    assert abs(found.value - found.witness.value) <= 1e-6 * found.value


@pytest.mark.parametrize(("make", "epsilon", "delta"), quick_first(NOISE, 3))
def test_the_least_noise(make: Make, epsilon: str, delta: str) -> None:
    found = bursar.calibrate(make, epsilon=epsilon, delta=delta)
    is_proved(found, make, epsilon, delta)
    assert found.witness is not None
    assert found.witness.value < found.value


@pytest.mark.slow
def test_other_roads_agree_about_both() -> None:
    """A tilted FFT: ε is below the target at the answer, and above it at less noise."""
    found = bursar.calibrate(lambda s: 30 * poisson(s, "0.1"), epsilon=2, delta="1e-6")
    at, less = (
        max(tilted_fft.epsilon(sampled(repr(s), "0.1", 30), way, 1e-6).estimate for way in WAYS)
        for s in (found.value, found.value * 0.999)
    )
    assert at == pytest.approx(2, rel=1e-5)
    assert less > 2
    found = bursar.calibrate(lambda s: 5 * Laplace(scale=s), epsilon=1, delta="1e-5")
    assert tilted_fft.epsilon(laplace(repr(found.value), 5), "add", 1e-5).estimate == pytest.approx(
        1, rel=1e-4
    )


WAYS = ("remove", "add")


def test_the_known_noise_of_a_run() -> None:
    """σ = 2.752507 for ε = 1, δ = 1e-5, q = 0.01, 5,000 steps, by two implementations."""
    found = bursar.calibrate(
        lambda s: 5000 * poisson(s, "0.01"), epsilon=1, delta="1e-5", bracket=("2.7525", "2.7526")
    )
    assert found.value == pytest.approx(2.752507, abs=6e-7)


@pytest.mark.slow
def test_the_largest_sampling_probability() -> None:
    def make(q: float) -> Plan:
        return 30 * poisson(1, q)

    found = bursar.calibrate(make, epsilon=2, delta="1e-5", bracket=("0.001", "0.9"))
    is_proved(found, make, "2", "1e-5")
    assert found.witness is not None
    assert found.witness.value > found.value


def test_the_most_steps_are_exact() -> None:
    def make(count: int) -> Plan:
        return count * poisson(2, "0.05")

    found = bursar.calibrate(make, epsilon=1, delta="1e-5", integer=True)
    assert isinstance(found.value, int)
    assert found.witness is not None
    assert found.witness.value == found.value + 1
    assert found.sharp
    assert bursar.epsilon(make(found.value), delta="1e-5").upper <= 1
    beside = bursar.epsilon(make(found.value + 1), delta="1e-5")
    assert isinstance(beside, Enclosure)
    assert beside.lower > 1


def test_a_bound_that_is_not_tight_has_a_witness_of_the_bound() -> None:
    found = bursar.calibrate(
        lambda rho: ZeroConcentratedDP(rho=rho), epsilon=1, delta="1e-5", bracket=("1e-4", "1")
    )
    assert isinstance(found.result, UpperBound)
    assert found.witness is not None
    assert not found.sharp
    assert "the bound on ε is above" in found.sentence()


def test_what_cannot_be_reached_says_what_is_best() -> None:
    with pytest.raises(Unreachable) as caught:
        bursar.calibrate(
            lambda s: 10 * Gaussian(noise_multiplier=s), epsilon=1, delta="1e-5", bracket=(1, 2)
        )
    assert caught.value.exit_code == 2
    best = bursar.epsilon(10 * Gaussian(noise_multiplier=2), delta="1e-5")
    assert f"{best.upper:.4g}"[:4] in str(caught.value)


def test_where_everything_meets_the_target_there_is_no_witness() -> None:
    found = bursar.calibrate(
        lambda s: Gaussian(noise_multiplier=s), epsilon=9, delta="1e-5", bracket=(1, 2)
    )
    assert (found.value, found.witness) == (1.0, None)
    assert "nothing beyond it was allowed" in found.sentence()


@pytest.mark.parametrize("delta", ["1e-300", "0.5"])
def test_ends_of_delta(delta: str) -> None:
    def make(s: float) -> Plan:
        return 3 * Gaussian(noise_multiplier=s)

    is_proved(bursar.calibrate(make, epsilon="0.1", delta=delta), make, "0.1", delta)


def test_no_proof_is_told() -> None:
    with pytest.raises(NoProof):
        bursar.calibrate(
            lambda s: 5 * poisson(s, "0.1"), epsilon=1, delta="1e-5", adjacency="replace-one"
        )
    with pytest.raises(InvalidParameter, match="method"):
        bursar.calibrate(
            lambda s: 5 * poisson(s, "0.1"), epsilon=1, delta="1e-5", method="saddlepoint"
        )


def test_a_search_that_passes_a_little_above_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: ε may be above its target by 1e-5 of it."""
    from bursar.accounting.crossing import Crossing

    def passes(self: Crossing, index: int) -> bool:
        found = self.look(index)
        return found is not None and found.result.upper <= float(self.target) * (1 + 1e-5)

    monkeypatch.setattr(Crossing, "passes", passes)
    make = NOISE[0][0]
    with pytest.raises(AssertionError):
        is_proved(bursar.calibrate(make, epsilon="1", delta="1e-5"), make, "1", "1e-5")
