"""Bad input, over every public function: refused at once, by an error with all its parts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import bursar
from bursar import (
    Adjacency,
    ApproximateDP,
    BursarError,
    Gaussian,
    GaussianDP,
    InvalidParameter,
    Laplace,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    ZeroConcentratedDP,
)
from tests.laws.cases import poisson

G = Gaussian(noise_multiplier=2)
RUN = 10 * poisson(1, "0.1")

NOT_NUMBERS = (math.nan, math.inf, -math.inf, "nan", "inf", "", "x", "1e", "1_0", True, False, None,
               [1], (1, 2), {}, b"1", 1j, object(), np.array([1.0, 2.0]), Decimal("NaN"), "1e1001",
               np.float64("nan"), np.bool_(True), lambda: 1)  # fmt: skip
NEGATIVE = (-1, "-1e-9", -0.5)
NOT_COUNTS = (0, -1, 1.0, "3", 2.5, True, None, math.nan, math.inf, np.float64(2), Decimal(2), [1])
Door = Callable[[Any], object]
DOORS: dict[str, tuple[Door, str, tuple[object, ...]]] = {
    "noise_multiplier": (
        lambda x: Gaussian(noise_multiplier=x), "noise_multiplier", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "scale": (lambda x: Laplace(scale=x), "scale", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "sampling_probability": (
        lambda x: poisson(1, x), "sampling_probability", (*NOT_NUMBERS, *NEGATIVE, 0, "1.0001", 5)),
    "response epsilon": (
        lambda x: RandomizedResponse(epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "categories": (
        lambda x: RandomizedResponse(epsilon=1, categories=x), "categories", (*NOT_COUNTS, 1)),
    "pure epsilon": (lambda x: PureDP(epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE)),
    "statement epsilon": (
        lambda x: ApproximateDP(epsilon=x, delta=0), "epsilon", (*NOT_NUMBERS, *NEGATIVE)),
    "statement delta": (
        lambda x: ApproximateDP(epsilon=1, delta=x), "delta", (*NOT_NUMBERS, *NEGATIVE, "1.1")),
    "rho": (lambda x: ZeroConcentratedDP(rho=x), "rho", (*NOT_NUMBERS, *NEGATIVE)),
    "mu": (lambda x: GaussianDP(mu=x), "mu", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "orders": (lambda x: RenyiDP(orders=[x], values=[1]), "orders", (*NOT_NUMBERS, *NEGATIVE, 1)),
    "values": (lambda x: RenyiDP(orders=[2], values=[x]), "values", (*NOT_NUMBERS, *NEGATIVE)),
    "count": (lambda x: G * x, "count", NOT_COUNTS),
    "count of a plan": (lambda x: (G + RUN) * x, "count", NOT_COUNTS),
    "delta": (
        lambda x: bursar.epsilon(RUN, delta=x), "delta", (*NOT_NUMBERS, *NEGATIVE, "1.0001", 2)),
    "log_delta": (
        lambda x: bursar.epsilon(RUN, log_delta=x), "log_delta",
        (math.nan, math.inf, -math.inf, "x", "-5", True, [1], 1e-9, 1)),
    "epsilon": (lambda x: bursar.delta(RUN, epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE)),
    "plan": (
        lambda x: bursar.epsilon(x, delta="1e-5"), "plan", (1, None, "gaussian", [G], Gaussian)),
    "a plan's delta": (lambda x: bursar.delta(x, epsilon=1), "plan", (1, None, "gaussian", [G])),
    "compared plan": (lambda x: bursar.compare(x, delta="1e-5"), "plan", (1, None, [G])),
    "compared delta": (
        lambda x: bursar.compare(RUN, delta=x), "delta", (*NOT_NUMBERS, *NEGATIVE, "1.0001")),
    "certified plan": (
        lambda x: bursar.certify(x, delta="1e-5"), "plan", (1, None, "gaussian", [G])),
    "certified delta": (
        lambda x: bursar.certify(RUN, delta=x), "delta", (*NOT_NUMBERS, *NEGATIVE, 0, 1, "1.1")),
    "certified adjacency": (
        lambda x: bursar.certify(RUN, delta="1e-5", adjacency=x), "adjacency", ("add", None, 1)),
    "adjacency": (
        lambda x: bursar.epsilon(RUN, delta="1e-5", adjacency=x), "adjacency",
        ("add", "", None, 1, True, "zeroout")),
    "method": (
        lambda x: bursar.epsilon(RUN, delta="1e-5", method=x), "method",
        ("exakt", "", 1, True, "closed-form")),
    "base": (
        lambda x: bursar.PoissonSubsampled(x, sampling_probability="0.1"), "base",
        (1, None, "gaussian", RUN)),
    "sigma": (lambda x: bursar.DiscreteGaussian(sigma=x), "sigma", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "discrete scale": (
        lambda x: bursar.DiscreteLaplace(scale=x), "scale", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "most": (lambda x: bursar.DiscreteGaussian(sigma=1, most=x), "most", NOT_COUNTS),
    "rounded noise": (
        lambda x: bursar.RoundedGaussian(noise_multiplier=x), "noise_multiplier",
        (*NOT_NUMBERS, *NEGATIVE, 0)),
    "rounded scale": (
        lambda x: bursar.RoundedLaplace(scale=x), "scale", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "range": (lambda x: bursar.BoundedRange(epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "choice": (
        lambda x: bursar.ExponentialMechanism(epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "noisy max": (
        lambda x: bursar.ReportNoisyMax(epsilon=x), "epsilon", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "noise of a max": (
        lambda x: bursar.ReportNoisyMax(epsilon=1, noise=x), "noise", ("normal", "", None, 1)),
    "present": (
        lambda x: bursar.Table(present=[x, "0.5"], absent=["0.5", "0.5"]), "present",
        (*NOT_NUMBERS, *NEGATIVE, "1.1")),
    "shifts": (
        lambda x: bursar.GaussianMixture(noise_multiplier=1, shifts=[x], weights=[1]), "shifts",
        (*NOT_NUMBERS, *NEGATIVE, 0)),
    "weights": (
        lambda x: bursar.GaussianMixture(noise_multiplier=1, shifts=[1, 2], weights=[x, 1]),
        "weights", (*NOT_NUMBERS, *NEGATIVE, 1)),
    "batch": (
        lambda x: bursar.WithoutReplacement(G, sampling_probability=x), "sampling_probability",
        (*NOT_NUMBERS, *NEGATIVE, 0, "1.0001")),
    "base of a batch": (
        lambda x: bursar.WithoutReplacement(x, sampling_probability="0.1"), "base",
        (1, None, RUN, poisson(1, "0.1"), bursar.Group(G, people=2))),
    "group": (lambda x: bursar.Group(G, people=x), "people", NOT_COUNTS),
    "base of a group": (
        lambda x: bursar.Group(x, people=2), "base", (1, None, RUN, bursar.Group(G, people=2))),
    "branch": (lambda x: bursar.parallel(G, x), "plan", (1, None, "gaussian", Gaussian)),
    "label": (
        lambda x: bursar.ClaimedRenyiDP(label=x, curve=abs), "label",
        (1, None, "", " ", "x" * 201)),
    "curve": (
        lambda x: bursar.ClaimedRenyiDP(label="x", curve=x), "curve", (1, None, "alpha")),
    "a curve's value": (
        lambda x: bursar.epsilon(bursar.ClaimedRenyiDP(label="x", curve=lambda _: x), delta="1e-5"),
        "curve", (math.nan, -1.0, None, "1", True, [1])),
    "densities": (
        lambda x: bursar.FromDensities(label="x", present=x, absent=abs, low=0, high=1),
        "present", (1, None, "x")),
    "high": (
        lambda x: bursar.FromDensities(label="x", present=abs, absent=abs, low=0, high=x),
        "high", (*NOT_NUMBERS, *NEGATIVE, 0)),
    "breaks": (
        lambda x: bursar.FromDensities(
            label="x", present=abs, absent=abs, low=0, high=1, breaks=[x]),
        "breaks", (*NOT_NUMBERS, *NEGATIVE, 0, 1)),
    "samples": (
        lambda x: bursar.FromSamples(label="x", remove=x, add=x), "remove", (1, None, abs)),
    "calibrated epsilon": (
        lambda x: bursar.calibrate(_noisy, epsilon=x, delta="1e-5"), "epsilon",
        (*NOT_NUMBERS, *NEGATIVE)),
    "calibrated delta": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, delta=x), "delta",
        (*NOT_NUMBERS, *NEGATIVE, "1.0001")),
    "calibrated log_delta": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, log_delta=x), "log_delta",
        (math.nan, math.inf, "-5", True, 1)),
    "make_plan": (
        lambda x: bursar.calibrate(x, epsilon=1, delta="1e-5"), "make_plan", (1, None, "f", G)),
    "made plan": (
        lambda x: bursar.calibrate(lambda _: x, epsilon=1, delta="1e-5"), "plan", (1, None, "f")),
    "bracket": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, delta="1e-5", bracket=x), "bracket",
        (1, (1,), (1, 2, 3), (2, 1), (1, 1), (0, 1), (-1, 1), (math.nan, 1), (1, math.inf),
         ("1e400", "1e500"), "12", (None, 1), (True, 2))),
    "integer bracket": (
        lambda x: bursar.calibrate(_long, epsilon=1, delta="1e-5", bracket=x, integer=True),
        "bracket", ((1, 2.0), (0, 5), (5, 1), (1, "7"), (True, 9))),
    "calibrated method": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, delta="1e-5", method=x), "method",
        ("exakt", 1, "saddlepoint", "gdp")),
    "calibrated adjacency": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, delta="1e-5", adjacency=x), "adjacency",
        ("add", 1)),
    "integer": (
        lambda x: bursar.calibrate(_noisy, epsilon=1, delta="1e-5", integer=x), "integer",
        (1, "yes", None)),
}  # fmt: skip


def _noisy(value: float) -> bursar.Plan:
    return 10 * poisson(value, "0.1")


def _long(value: int) -> bursar.Plan:
    return value * poisson(1, "0.1")


@pytest.mark.parametrize("door", DOORS)
def test_a_bad_value_is_refused(door: str) -> None:
    """Named, shown, with the need; within a second; as JSON."""
    call, field, bad = DOORS[door]
    for value in bad:
        started = time.perf_counter()
        with pytest.raises(InvalidParameter) as caught:
            call(value)
        assert time.perf_counter() - started < 5, value
        error = caught.value
        assert error.field == field, value
        assert error.need, value
        assert error.exit_code == 2
        told = error.to_json()["error"]
        assert set(told) == {"kind", "field", "value", "need", "hint"}
        assert told["kind"] == "InvalidParameter"
        if told["value"] is None:  # nothing was given, or nothing where a number should stand
            assert value is None or "NoneType" in told["hint"]
        else:
            assert isinstance(told["value"], str)


EXTREME = (
    Gaussian(noise_multiplier="1e-900"),
    Gaussian(noise_multiplier="1e900"),
    10**400 * Gaussian(noise_multiplier=1),
    5 * poisson("1e-900", "0.01"),
    5 * poisson("1e900", "0.01"),
    5 * poisson(1, "1e-900"),
    5 * poisson(1, "0." + "9" * 40),
    10**400 * poisson(1, "0.001"),
    Laplace(scale="1e-900") + G,
    10**400 * Laplace(scale=1),
    10**20 * PureDP(epsilon=1),
    2 * PureDP(epsilon="1e900"),
    10**9 * ApproximateDP(epsilon=1, delta="1e-9"),
    ZeroConcentratedDP(rho="1e900"),
    RenyiDP(orders=["1.0000000001", "1e900"], values=[1, "1e900"]),
    sum(
        (PureDP(epsilon=f"0.{n}1") for n in range(1, 60)),
        start=1 * PureDP(epsilon="0.001"),
    ),
)


@pytest.mark.parametrize("plan", EXTREME, ids=range(len(EXTREME)))
def test_extremes_are_answered_or_refused_soon(plan: bursar.Plan) -> None:
    """Whatever is asked: a proved number, or an error of the family that is no bug of ours."""
    asked = [
        lambda: bursar.epsilon(plan, delta="1e-5"),
        lambda: bursar.epsilon(plan, delta="1e-900"),
        lambda: bursar.epsilon(plan, log_delta=-1e300),
        lambda: bursar.epsilon(plan, delta="0.9"),
        lambda: bursar.delta(plan, epsilon=0),
        lambda: bursar.delta(plan, epsilon=1),
        lambda: bursar.delta(plan, epsilon="1e900"),
        lambda: bursar.compare(plan, delta="1e-5"),
    ]
    for ask in asked:
        started = time.perf_counter()
        try:
            answer = ask()
        except BursarError as error:
            refusal = error
        else:
            refusal = None
            assert answer.to_json()
        assert refusal is None or refusal.exit_code in {2, 4}
        assert time.perf_counter() - started < 10


def test_adjacency_is_never_guessed() -> None:
    """All three relations differ where they should."""
    found = {way: float(bursar.epsilon(G, delta="1e-5", adjacency=way)) for way in Adjacency}
    assert found[Adjacency.REPLACE_ONE] > 1.9 * found[Adjacency.ADD_OR_REMOVE_ONE]
    assert found[Adjacency.ZERO_OUT] == found[Adjacency.ADD_OR_REMOVE_ONE]
