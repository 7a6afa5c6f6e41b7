"""Witnesses: their probabilities by other roads, and never one against a claim that holds."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

from bursar.accounting import exact
from bursar.accounting.witness import Witness, refute
from bursar.adjacency import Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.statements import ZeroConcentratedDP
from bursar.truth import Enclosure

STEP = PoissonSubsampled(Gaussian(noise_multiplier="0.8"), sampling_probability="0.3")


def found(*args: object, **kwargs: object) -> Witness:
    witness = refute(*args, **kwargs)  # type: ignore[arg-type]
    assert witness is not None
    return witness


def holds(value: object, interval: Enclosure) -> bool:
    return bool(interval.lower <= value <= interval.upper)  # type: ignore[operator]


def test_one_gaussian_is_a_threshold_on_its_output() -> None:
    """The loss exceeds ε where t > σ²ε + 1/2."""
    witness = found(Gaussian(noise_multiplier=2), epsilon="0.1", delta="0.01")
    with mpmath.workdps(30):
        t = mpmath.mpf(4) * mpmath.mpf("0.1") + mpmath.mpf("0.5")
        p, q = mpmath.ncdf((1 - t) / 2), mpmath.ncdf(-t / 2)
    assert holds(p, witness.with_person)
    assert holds(q, witness.without)
    assert holds(p - mpmath.exp("0.1") * q, witness.gain)
    assert witness.with_person.upper - witness.with_person.lower < 1e-5


def test_one_subsampled_step_in_the_worse_direction() -> None:
    witness = found(STEP, epsilon="0.1", delta="1e-5")
    assert witness.direction is Direction.REMOVE
    assert witness.gain.lower > exact.delta(STEP, epsilon="0.1", direction=Direction.ADD).upper
    with mpmath.workdps(30):
        q, s = mpmath.mpf("0.3"), mpmath.mpf("0.8")
        t = mpmath.mpf("0.5") + s**2 * mpmath.log((mpmath.exp("0.1") - 1 + q) / q)
        inside = (1 - q) * mpmath.ncdf(-t / s) + q * mpmath.ncdf((1 - t) / s)
        assert holds(inside, witness.with_person)
        assert holds(mpmath.ncdf(-t / s), witness.without)


def test_repeated_answers_by_enumeration() -> None:
    """Every sequence of five randomized responses, its two probabilities, and its loss."""
    run, truth = 5 * RandomizedResponse(epsilon="0.5"), math.exp(0.5) / (1 + math.exp(0.5))
    witness = found(run, epsilon="0.7", delta="0.001", adjacency="replace-one")
    p = q = 0.0
    for answers in itertools.product((1, -1), repeat=5):
        if 0.5 * sum(answers) > 0.7:
            p += math.prod(truth if answer == 1 else 1 - truth for answer in answers)
            q += math.prod(1 - truth if answer == 1 else truth for answer in answers)
    assert p == pytest.approx(witness.with_person.lower, rel=1e-5)
    assert q == pytest.approx(witness.without.lower, rel=1e-5)
    assert p - math.exp(0.7) * q == pytest.approx(witness.gain.lower, rel=1e-12)


@pytest.mark.statistical
def test_a_composed_event_by_simulation() -> None:
    """P(S) and Q(S) of 20 steps, 400,000 runs each.  False alarms: 2e-6, twice 4.9 deviations.

    Power: probabilities that were wrong by 5 % would be found with probability above 0.999.
    """
    step = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.1")
    witness = found(20 * step, epsilon="0.5", delta="1e-3")
    draws, runs = np.random.default_rng(20230411), 400_000
    for shifted, told in ((True, witness.with_person), (False, witness.without)):
        loss = np.zeros(runs)
        for _ in range(20):
            t = draws.standard_normal(runs)
            if shifted:
                t += draws.random(runs) < 0.1
            loss += np.log1p(0.1 * np.expm1((2 * t - 1) / 2))
        seen = float(np.mean(loss > 0.5))
        noise = 4.9 * math.sqrt(told.upper / runs)
        assert told.lower - noise <= seen <= told.upper + noise
        assert noise < 0.05 * told.lower - 3.1 * math.sqrt(told.upper / runs)


@pytest.mark.parametrize("run", [STEP, 3 * Laplace(scale=4), Gaussian(noise_multiplier=1)])
def test_a_claim_is_refuted_exactly_where_it_is_false(run: object) -> None:
    truth = exact.delta(run, epsilon="0.3")  # type: ignore[arg-type]
    assert isinstance(truth, Enclosure)
    assert refute(run, epsilon="0.3", delta=truth.upper) is None  # type: ignore[arg-type]
    assert refute(run, epsilon="0.3", delta=1.001 * truth.upper) is None  # type: ignore[arg-type]
    assert refute(run, epsilon="0.3", delta=0.999 * truth.lower) is not None  # type: ignore[arg-type]


def test_no_gaussian_is_pure() -> None:
    assert found(Gaussian(noise_multiplier=5), epsilon=3, delta=0).gain.lower > 0


def test_what_is_only_bounded_is_not_refuted() -> None:
    with pytest.raises(NoProof):
        refute(ZeroConcentratedDP(rho="0.1"), epsilon="0.01", delta="1e-9")


@pytest.mark.parametrize("epsilon", [-1, float("nan"), float("inf"), True, "x"])
def test_claims_that_are_none(epsilon: object) -> None:
    with pytest.raises(InvalidParameter):
        refute(STEP, epsilon=epsilon, delta="1e-5")  # type: ignore[arg-type]


def test_a_witness_speaks() -> None:
    witness = found(Gaussian(noise_multiplier=1), epsilon="0.5", delta="1e-5")
    assert "(0.5, 1e-5)-DP is false" in witness.sentence()
    assert "(2t − 1)/(2·1²)" in witness.event
    assert witness.to_json()["refuted"] is True
    assert "verified" not in witness._repr_html_()
