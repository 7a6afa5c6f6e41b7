"""The Rényi accountant: published numbers, laws, what it tells, and what it refuses."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bursar.accounting import rdp
from bursar.adjacency import Adjacency
from bursar.errors import BursarError, InvalidParameter, LimitReached, NoProof
from bursar.exact import Exact
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.statements import ApproximateDP, PureDP, RenyiDP, ZeroConcentratedDP
from bursar.privacy.conversions import gdp_to_log_delta, rdp_to_epsilon
from bursar.privacy.curves import SubsampledGaussianCurve
from bursar.truth import UpperBound


def step(sigma: object, q: object) -> PoissonSubsampled:
    return PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)  # type: ignore[arg-type]


RUN = 5000 * step("2", "0.01")


# Numbers that are known -----------------------------------------------------------------------


def test_the_run_of_koskela_and_kulkarni() -> None:
    """1.61313 at α = 12, the best whole order; a real order is a little better."""
    curve = 5000 * SubsampledGaussianCurve(Exact(2), Exact.of("0.01"))
    whole = min(rdp_to_epsilon(a, curve.bound(a), math.log(1e-5)) for a in range(2, 60))
    assert whole == rdp_to_epsilon(12, curve.bound(12), math.log(1e-5))
    assert whole == pytest.approx(1.61313, abs=5e-6)
    found = float(rdp.epsilon(RUN, delta="1e-5"))
    assert 1.613 < found < whole


@pytest.mark.slow
def test_against_integration_in_another_arithmetic() -> None:
    """1.613050431969..., by mpmath: quadrature of the moment, and a search over the order."""
    import mpmath as mp

    from tests.privacy.renyi_slow import renyi

    def epsilon(order: Fraction) -> mp.mpf:
        with mp.workdps(40):
            alpha = mp.mpf(order.numerator) / order.denominator
            cost = mp.log1p(-1 / alpha) - (mp.log(mp.mpf("1e-5")) + mp.log(alpha)) / (alpha - 1)
            return 5000 * renyi(Fraction(2), Fraction(1, 100), order) + cost

    found = float(rdp.epsilon(RUN, delta="1e-5"))
    nearby = [epsilon(Fraction(order)) for order in ("11.8", "11.89", "11.8974", "11.9", "12")]
    assert min(nearby) == pytest.approx(found, rel=1e-6)
    assert min(nearby) >= found * (1 - 1e-9)


@pytest.mark.parametrize(
    ("sigma", "count", "epsilon", "true"),
    [
        (170, 112, 0.224940, 0.203269),
        (130, 180, 0.388259, 0.352572),
        (100, 420, 0.815623, 0.745138),
    ],
)
def test_the_runs_of_feldman_and_zrnic(sigma: int, count: int, epsilon: float, true: float) -> None:
    run = count * Gaussian(noise_multiplier=sigma)
    found = float(rdp.epsilon(run, delta=1e-5))
    assert found == pytest.approx(epsilon, abs=6e-7)
    assert found > true


def test_replacing_costs_twice_the_sensitivity() -> None:
    wide = rdp.epsilon(Gaussian(noise_multiplier=4), delta=1e-5, adjacency="replace-one")
    assert wide == rdp.epsilon(Gaussian(noise_multiplier=2), delta=1e-5)


# Laws -----------------------------------------------------------------------------------------

sigmas = st.floats(min_value=-0.3, max_value=2).map(lambda x: repr(10**x))
shares = st.floats(min_value=-5, max_value=-0.05).map(lambda x: repr(10**x))
counts = st.integers(min_value=1, max_value=10**6)
deltas = st.floats(min_value=-300, max_value=-0.3).map(lambda x: repr(10**x))
less = 1 - 1e-12  # two searches may end at orders that differ a little


@settings(max_examples=25)
@given(sigmas, shares, counts, deltas)
def test_more_of_anything_costs_more(sigma: str, q: str, count: int, delta: str) -> None:
    found = float(rdp.epsilon(count * step(sigma, q), delta=delta))
    assert float(rdp.epsilon((count + 1) * step(sigma, q), delta=delta)) >= found * less
    noisier = Fraction(sigma) * Fraction(11, 10)
    assert float(rdp.epsilon(count * step(noisier, q), delta=delta)) <= found / less
    rarer = Fraction(q) * Fraction(9, 10)
    assert float(rdp.epsilon(count * step(sigma, rarer), delta=delta)) <= found / less
    smaller = Exact.of(delta) / 2
    assert float(rdp.epsilon(count * step(sigma, q), delta=smaller)) >= found * less
    plain = float(rdp.epsilon(count * Gaussian(noise_multiplier=sigma), delta=delta))
    assert found <= plain / less


@settings(max_examples=50)
@given(sigmas, shares, counts, deltas)
def test_the_delta_of_the_epsilon_is_the_delta(sigma: str, q: str, count: int, delta: str) -> None:
    found = float(rdp.epsilon(count * step(sigma, q), delta=delta))
    back = float(rdp.delta(count * step(sigma, q), epsilon=found))
    assert back <= float(delta) * (1 + 1e-6)
    if found > 0:
        assert back == pytest.approx(float(delta), rel=1e-4)


def test_mironovs_conversion_is_never_better() -> None:
    for run in (RUN, 100 * Laplace(scale=10), step(1, "1e-3") + Laplace(scale=3)):
        older = rdp.epsilon(run, delta=1e-5, conversion="mironov")
        assert float(older) > float(rdp.epsilon(run, delta=1e-5))
        assert older.about.method == "rdp-mironov"
        older = rdp.delta(run, epsilon=2, conversion="mironov")
        assert float(older) > float(rdp.delta(run, epsilon=2))


def test_a_count_is_that_many_steps() -> None:
    single: Plan = step(1, "0.01") + step(1, "0.01")
    for _ in range(8):
        single = single + step(1, "0.01")
    assert rdp.epsilon(single, delta=1e-5) == rdp.epsilon(10 * step(1, "0.01"), delta=1e-5)
    mixed = Laplace(scale=3) + step(1, "0.01") + Laplace(scale=3)
    assert rdp.epsilon(mixed, delta=1e-5) == rdp.epsilon(
        step(1, "0.01") + 2 * Laplace(scale=3), delta=1e-5
    )


@pytest.mark.parametrize("log_delta", [-1.0, -11.5, -690.0, -2000.0, -1e6])
@pytest.mark.parametrize(("sigma", "count"), [("5", 1), ("0.5", 1), ("70", 1200), ("1", 10**6)])
def test_never_below_the_truth_of_a_gaussian(sigma: str, count: int, log_delta: float) -> None:
    found = rdp.epsilon(count * Gaussian(noise_multiplier=sigma), log_delta=log_delta)
    true = gdp_to_log_delta(count / Exact.of(sigma) ** 2, Exact.of(repr(float(found))))
    assert true <= log_delta


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "0.5", "0.9"])
def test_never_below_the_truth_of_randomized_response(epsilon: str) -> None:
    """δ of one ε₀-randomized response: (e^{ε₀} − e^ε)/(1 + e^{ε₀})."""
    found = rdp.delta(PureDP(epsilon=1), epsilon=epsilon)
    truth = (math.e - math.exp(float(epsilon))) / (1 + math.e)
    assert truth < float(found) < 3 * truth


def test_a_dropped_count_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "total", lambda self, view: view(self.steps[0][0]))
    with pytest.raises(AssertionError):
        test_the_run_of_koskela_and_kulkarni()


def test_a_swapped_conversion_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rdp.CONVERSIONS, "optimal", rdp.CONVERSIONS["mironov"])
    with pytest.raises(AssertionError):
        test_the_run_of_koskela_and_kulkarni()


# What it tells --------------------------------------------------------------------------------


def test_what_an_answer_tells() -> None:
    found = rdp.epsilon(RUN, delta="1e-5", adjacency=Adjacency.ZERO_OUT)
    assert isinstance(found, UpperBound)
    told = found.to_json()
    assert told["kind"] == "upper-bound"
    assert told["method"] == "rdp"
    assert told["delta"] == "1e-5"
    assert told["adjacency"] == "zero-out"
    assert told["direction"] == "both"
    assert told["reason"] is None
    conversion, curve, rounding = found.about.bill
    assert conversion.name == "conversion"
    assert "at order 1 + 10.8" in conversion.source
    assert 0.5 < conversion.bound < found.upper
    assert curve.bound < 1e-15
    assert rounding.bound == math.ulp(found.upper)
    assert found.about.seconds > 0


def test_what_a_delta_tells() -> None:
    found = rdp.delta(RUN, epsilon="1.5")
    assert found.to_json()["epsilon"] == "1.5"
    assert found.about.quantity == "delta"
    assert found.about.bill[0].bound == found.upper
    assert found.about.bill[1].bound < 1e-15 * found.upper


@pytest.mark.parametrize(
    ("run", "delta", "epsilon", "why"),
    [
        (RUN, 0, math.inf, "no limit"),
        (RUN, 1, 0.0, "total variation"),
        (RUN, "0.999", 0.0, "total variation"),
        (2 * Laplace(scale=4), 0, 0.5, None),
        (ZeroConcentratedDP(rho=0), 0, 0.0, "total variation"),
        (PureDP(epsilon=0), "1e-300", 0.0, "total variation"),
        (Gaussian(noise_multiplier="1e-200"), "1e-5", math.inf, "no order"),
    ],
)
def test_epsilons_that_have_a_reason(
    run: Plan | Mechanism, delta: object, epsilon: float, why: str | None
) -> None:
    found = rdp.epsilon(run, delta=delta)  # type: ignore[arg-type]
    assert found.upper == epsilon
    assert found.about.reason is None if why is None else why in (found.about.reason or "")


def test_deltas_that_have_a_reason() -> None:
    found = rdp.delta(2 * Laplace(scale=4), epsilon="0.5")
    assert found.upper == 0
    assert found.about.reason == "no loss is above ε"
    assert rdp.delta(2 * Laplace(scale=4), epsilon="0.4999").upper > 0
    assert rdp.delta(RUN, epsilon="1e5").upper == 5e-324
    assert rdp.delta(10**6 * RUN, epsilon=0).upper == pytest.approx(1, abs=1e-3)
    assert rdp.delta(10**6 * RUN, epsilon=0).upper <= 1


def test_logarithms_of_delta() -> None:
    assert rdp.epsilon(RUN, log_delta=math.log(1e-5)).upper == pytest.approx(
        rdp.epsilon(RUN, delta=1e-5).upper, rel=1e-14
    )
    far = rdp.epsilon(RUN, log_delta=-5000.0)
    assert far.to_json()["log_delta"] == "-5000.0"
    assert far.upper > rdp.epsilon(RUN, delta="1e-300").upper
    none = rdp.epsilon(RUN, log_delta=0.0)
    assert none.upper == 0
    assert none.to_json()["delta"] == "1"


# Ends of the scale, and time ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (step("1e6", "1e-6"), "1e-300"),  # best order 2.8e13
        (step("1e4", "1e-12"), "1e-300"),
        (10**12 * step(1, "0.01"), "1e-5"),
        (1000 * step("0.05", "0.5"), "1e-5"),
        (10**6 * step("0.1", "0.01"), "1e-5"),
        (Gaussian(noise_multiplier="1e-6"), "1e-5"),
        (Gaussian(noise_multiplier="1e200"), "1e-300"),
        (1000 * PureDP(epsilon=10), "1e-5"),
        (PureDP(epsilon="1e-100"), "1e-102"),
        (10 * Laplace(scale="1e-3"), "1e-10"),
        (100 * RenyiDP(orders=[2, 8], values=[0, "0.01"]) + RUN, "1e-5"),
    ],
)
def test_the_ends_of_the_scale(run: Plan | Mechanism, delta: str) -> None:
    found = rdp.epsilon(run, delta=delta)
    assert 0 < found.upper < math.inf
    assert rdp.delta(run, epsilon=found.upper).upper <= float(delta) * (1 + 1e-3)


@pytest.mark.slow
def test_two_hundred_distinct_steps_take_a_moment() -> None:
    """0.3 s on a quiet core; ten times that here, since the cores may be busy."""
    steps = [50 * step(f"{0.7 + i / 100:.2f}", f"{0.001 + i / 10_000:.4f}") for i in range(200)]
    run = Plan(tuple(part for one in steps for part in one.steps))
    started = time.perf_counter()
    found = rdp.epsilon(run, delta=1e-5)
    assert time.perf_counter() - started < 3
    assert found.upper == pytest.approx(3.119357064184, rel=1e-9)


# What it refuses ------------------------------------------------------------------------------

G = Gaussian(noise_multiplier=1)
REFUSED: list[tuple[Callable[[], object], type[BursarError], str]] = [
    (lambda: rdp.epsilon(G), InvalidParameter, "exactly one"),
    (lambda: rdp.epsilon(G, delta=0.1, log_delta=-1.0), InvalidParameter, "exactly one"),
    (lambda: rdp.epsilon(G, delta=math.nan), InvalidParameter, "delta"),
    (lambda: rdp.epsilon(G, delta=-1e-9), InvalidParameter, "delta"),
    (lambda: rdp.epsilon(G, delta="1.0001"), InvalidParameter, "delta"),
    (lambda: rdp.epsilon(G, delta=True), InvalidParameter, "delta"),
    (lambda: rdp.epsilon(G, log_delta=1.0), InvalidParameter, "log_delta"),
    (lambda: rdp.epsilon(G, log_delta=math.nan), InvalidParameter, "log_delta"),
    (lambda: rdp.epsilon(G, log_delta=-math.inf), InvalidParameter, "log_delta"),
    (lambda: rdp.epsilon(G, delta=0.1, conversion="best"), InvalidParameter, "conversion"),
    (lambda: rdp.epsilon(G, delta=0.1, adjacency="swap"), InvalidParameter, "adjacency"),
    (lambda: rdp.epsilon(7, delta=0.1), InvalidParameter, "plan"),  # type: ignore[arg-type]
    (lambda: rdp.delta(G, epsilon=-0.1), InvalidParameter, "epsilon"),
    (lambda: rdp.delta(G, epsilon=math.inf), InvalidParameter, "epsilon"),
    (lambda: rdp.delta(G, epsilon=math.nan), InvalidParameter, "epsilon"),
    (lambda: rdp.epsilon(ApproximateDP(epsilon=1, delta=0), delta=0.1), NoProof, "rdp view"),
    (lambda: rdp.epsilon(RUN, delta=0.1, adjacency="replace-one"), NoProof, "replace-one"),
    (lambda: rdp.epsilon(RandomizedResponse(epsilon=1), delta=0.1), NoProof, "replace-one"),
    (lambda: rdp.epsilon(step("1e-5", "0.5"), delta=0.1), LimitReached, "needs more than"),
]


@pytest.mark.parametrize(("ask", "kind", "words"), REFUSED)
def test_what_is_refused(ask: Callable[[], object], kind: type[BursarError], words: str) -> None:
    with pytest.raises(kind, match=words):
        ask()


def test_answers_are_values() -> None:
    first, again = (rdp.epsilon(RUN, delta=1e-5) for _ in range(2))
    assert first == again
    assert dataclasses.replace(first.about, seconds=0) == dataclasses.replace(
        again.about, seconds=0
    )
