"""Edgeworth's expansion with its finite-sample bound: what is proved, how wide, and what is not."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import acb, arb
from numpy.typing import NDArray

import bursar
from bursar import (
    Adjacency,
    ApproximateDP,
    Direction,
    Enclosure,
    Estimate,
    Gaussian,
    Laplace,
    LimitReached,
    NoProof,
    Plan,
    PoissonSubsampled,
    PureDP,
    RandomizedResponse,
    UpperBound,
    ZeroConcentratedDP,
)
from bursar.accounting import edgeworth, exact, lattice
from bursar.accounting.edgeworth_profile import EdgeworthProfile
from bursar.accounting.expansion import BITS, Expansion
from bursar.numerics.balls import ball, float_down, float_up, precision
from tests.sweeps import quick_first

ADD = Adjacency.ADD_OR_REMOVE_ONE


def poisson(sigma: str, q: str) -> PoissonSubsampled:
    return PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


MANY = {
    "sampled": 10_000 * poisson("2", "0.01"),
    "atoms": 10_000 * PureDP(epsilon="0.01"),
    "infinite": 5000 * ApproximateDP(epsilon="0.02", delta="1e-11"),
    "skewed": 20_000 * poisson("0.8", "256/60000"),
    "with gaussians": 3000 * poisson("3", "0.02") + 10 * Gaussian(noise_multiplier=9),
    "laplace": 1000 * Laplace(scale=30),
    "three": 3000 * poisson("1", "0.02") + 2000 * PureDP(epsilon="0.01") + 30 * Laplace(scale=20),
    "two lattices": 10_000 * PureDP(epsilon="0.01") + 3000 * PureDP(epsilon="0.0217"),
}
RELATIVE = {  # how far above the truth ε may be, at δ = 1e-5
    "sampled": 5e-7,
    "atoms": 1e-4,
    "laplace": 1e-5,
    "skewed": 0.005,
    "infinite": 2e-4,
    "three": 2e-4,
    "with gaussians": 1e-7,
    "two lattices": 1e-4,
}


def truth_of(plan: Plan, quantity: str = "epsilon", **question: Any) -> Enclosure:
    """By contours or finite sums, or else on a lattice."""
    for road in (exact, lattice):
        with suppress(LimitReached):
            found = getattr(road, quantity)(plan, **question)
            assert isinstance(found, Enclosure)
            return found
    raise AssertionError("nobody encloses this")


def profile(plan: Plan, way: Direction) -> EdgeworthProfile:
    found = edgeworth.ROAD.profile(exact.pairs_of(plan, ADD, way))
    assert isinstance(found, EdgeworthProfile)
    return found


def both_ends_hold(name: str, delta: str = "1e-5") -> None:
    """In each direction the truth is inside: of ε at a δ, and of δ at an ε."""
    plan = MANY[name]
    for way in Direction:
        truth = truth_of(plan, delta=delta, direction=way)
        one = profile(plan, way)
        with precision(BITS):
            bracket = one.epsilon_at(ball(Fraction(delta)))
            assert bracket.high is not None
            assert float_down(bracket.low) <= truth.upper
            assert truth.lower <= float_up(bracket.high)
            assert bracket.low > 0
        at = repr(0.9 * truth.upper)
        exactly = truth_of(plan, "delta", epsilon=at, direction=way)
        with precision(BITS):
            found = one.delta_at(ball(Fraction(at)))
            assert float_down(found) <= exactly.upper
            assert exactly.lower <= float_up(found)


@pytest.mark.parametrize("name", quick_first(MANY, 4))
def test_the_truth_is_between_both_ends(name: str) -> None:
    both_ends_hold(name)


@pytest.mark.parametrize("name", quick_first(MANY, 3))
def test_the_answer_is_an_upper_bound_and_narrow(name: str) -> None:
    found, truth = edgeworth.epsilon(MANY[name], delta="1e-5"), truth_of(MANY[name], delta="1e-5")
    assert isinstance(found, UpperBound)
    assert truth.lower <= float(found) <= (1 + RELATIVE[name]) * truth.upper
    assert (found.about.method, found.about.adjacency) == ("edgeworth", ADD)
    names = [line.name for line in found.about.bill]
    assert names == [
        "finite sample: the steps' sixth moments",
        "finite sample: high frequencies",
        "moments and rounding",
    ]
    assert 0 < sum(line.bound for line in found.about.bill) <= 1


def test_delta_is_bounded_too() -> None:
    plan = MANY["sampled"]
    found, truth = edgeworth.delta(plan, epsilon=3), exact.delta(plan, epsilon=3)
    assert isinstance(found, UpperBound)
    assert truth.lower <= float(found) <= 1.0001 * truth.upper
    assert found.about.direction == "remove"


def test_four_times_as_many_steps_are_eight_times_as_sharp() -> None:
    """The error of the second order falls like k^(−3/2), relative to δ."""
    errors = []
    for count in (4000, 16_000, 64_000):
        run = count * poisson("1.5", repr(0.01 * math.sqrt(4000 / count)))
        found = edgeworth.epsilon(run, delta="1e-5")
        assert isinstance(found, UpperBound)
        errors.append(found.about.bill[0].bound)
    assert 6 <= errors[0] / errors[1] <= 10
    assert 6 <= errors[1] / errors[2] <= 10


@pytest.mark.parametrize(
    ("plan", "delta"),
    [
        (1000 * poisson("1", "0.001"), "1e-5"),  # rare large losses
        (10_000 * poisson("2", "0.01"), "1e-100"),  # so far in the tail, one step decides
    ],
)
def test_elsewhere_it_is_an_estimate(plan: Plan, delta: str) -> None:
    found = edgeworth.epsilon(plan, delta=delta)
    assert isinstance(found, Estimate)
    assert found == edgeworth.ACCOUNTANT.epsilon(plan, delta=delta)


def test_few_steps_have_an_estimate_of_delta() -> None:
    assert isinstance(edgeworth.delta(10 * poisson("2", "0.01"), epsilon="0.1"), Estimate)


def test_few_atoms_reach_a_limit_with_the_safe_answer() -> None:
    for ask in (
        lambda: bursar.epsilon(5 * PureDP(epsilon=1), delta="1e-5", method="edgeworth"),
        lambda: bursar.delta(5 * PureDP(epsilon=1), epsilon=2, method="edgeworth"),
    ):
        with pytest.raises(LimitReached, match=r"says nothing here; .* has atoms") as reached:
            ask()
        assert isinstance(reached.value.partial, Enclosure)
    with pytest.raises(NoProof, match="no pair view"):
        edgeworth.epsilon(ZeroConcentratedDP(rho=1), delta="1e-5")


def test_what_needs_no_expansion() -> None:
    plan = MANY["atoms"]
    assert edgeworth.epsilon(plan, delta=1) == UpperBound(upper=0.0)
    assert edgeworth.epsilon(plan, delta=0).upper == pytest.approx(100)  # type: ignore[union-attr]
    assert edgeworth.epsilon(MANY["sampled"], delta=0) == UpperBound(upper=math.inf)
    assert edgeworth.epsilon(MANY["infinite"], delta="1e-12") == UpperBound(upper=math.inf)
    assert edgeworth.epsilon(100 * poisson("9", "0.001"), delta="0.3") == UpperBound(upper=0.0)
    assert edgeworth.delta(plan, epsilon=101) == UpperBound(upper=0.0)
    free = PureDP(epsilon=0) + plan
    assert edgeworth.epsilon(free, delta="1e-5") == edgeworth.epsilon(plan, delta="1e-5")
    gaussians = 100 * Gaussian(noise_multiplier=20)
    found = edgeworth.epsilon(gaussians, delta="1e-5")
    assert float(found) == pytest.approx(float(exact.epsilon(gaussians, delta="1e-5")), rel=1e-14)


def test_randomized_responses_of_many_categories() -> None:
    plan = 10_000 * RandomizedResponse(epsilon="0.02", categories=10)
    question: Any = {"delta": "1e-5", "adjacency": "replace-one"}
    found, truth = edgeworth.epsilon(plan, **question), truth_of(plan, **question)
    assert isinstance(found, UpperBound)
    assert truth.lower <= float(found) <= 1.0003 * truth.upper


def test_a_million_million_steps() -> None:
    found = edgeworth.epsilon(10**12 * poisson("1", "1e-6"), delta="1e-5")
    assert isinstance(found, UpperBound)
    assert found.upper == pytest.approx(6.0070964586599, rel=1e-9)


# The formula and its error, by a road that knows only characteristic functions.

Complex = NDArray[np.complex128]
LAM = 5.0
LINES = {"sampled": (60, 6000), "atoms": (1600, 40_000), "laplace": (60, 6000)}  # reach, nodes
ABOVE = {"sampled": 20, "atoms": 2, "laplace": 80}  # the error, relative to what is left out


@dataclass(frozen=True)
class Line:
    """Nodes on Re z = λ: 1/(z(z+1)) dz/π, the centred φ, and its expansion, in float64."""

    made: Expansion
    z: Complex
    weight: Complex
    phi: Complex
    expanded: Complex

    @classmethod
    def of(cls, name: str) -> Line:
        """In the remove direction."""
        one = profile(MANY[name], Direction.REMOVE)
        made = Expansion.of(one.loss, one.found, LAM)
        _, mean, variance, third, fourth, _ = (float(part) for part in made.derivatives)
        reach, nodes = LINES[name]
        gap = reach / math.sqrt(variance) / nodes
        s = 1j * (np.arange(nodes) + 0.5) * gap
        series = 1 + third * s**3 / 6 + fourth * s**4 / 24 + third**2 * s**6 / 72
        log_phi = -s * mean
        for step in one.found.steps:
            weights = np.exp((1 + LAM) * step.log_w + step.log_phi)
            values = np.array([np.exp(x * step.log_w) @ weights for x in s])
            log_phi += step.count * np.log(values / weights.sum())
        for factor, count in one.loss.factors:
            values = np.array([complex(factor.mgf(acb(LAM, x))) for x in s.imag])
            log_phi += count * np.log(values / complex(factor.mgf(acb(LAM))))
        z = LAM + s
        expanded = np.exp(s * s * variance / 2) * series
        return cls(made, z, gap / (z * (z + 1)) / math.pi, np.exp(log_phi), expanded)


@pytest.mark.parametrize("name", quick_first(LINES, 1))
def test_the_formula_is_the_integral_of_the_expansion(name: str) -> None:
    line = Line.of(name)
    log_mass, mean, variance = (float(part) for part in line.made.derivatives[:3])
    for location in (mean - 1, mean, mean + 2 * math.sqrt(variance)):
        wave = np.exp(-(line.z - LAM) * (location - mean)) * line.expanded
        by_nodes = float((wave * line.weight).sum().real) * math.exp(log_mass - LAM * location)
        assert float(line.made.value(arb(location))) == pytest.approx(by_nodes, rel=1e-6)


@pytest.mark.parametrize("name", quick_first(LINES, 1))
def test_the_error_is_above_what_is_left_out_and_of_its_size(name: str) -> None:
    line = Line.of(name)
    distance = float((np.abs(line.phi - line.expanded) * np.abs(line.weight)).sum())
    assert distance <= float(line.made.error.total) <= ABOVE[name] * distance
