"""Conversions to (ε, δ): each against its formula in another arithmetic, and known values."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Exact
from bursar.numerics.balls import precision
from bursar.privacy import conversions as convert
from tests.privacy.renyi_slow import exact

orders = st.floats(min_value=-6, max_value=10).map(lambda log_more: 1 + math.exp(log_more))
curves = st.floats(min_value=0, max_value=50)
deltas = st.floats(min_value=-3000, max_value=-1e-6)
epsilons = st.floats(min_value=0, max_value=100)


def just_above(bound: float, truth: mp.mpf, scale: float = 0.0) -> bool:
    """Whether a float bounds the truth, and is the next one or almost so."""
    slack = mp.mpf("4e-16") * max(abs(truth), scale * mp.mpf("1e-10"))
    return bool(truth <= mp.mpf(bound) <= truth + slack)


@given(orders, curves, deltas)
def test_epsilon_of_an_order(order: float, rdp: float, log_delta: float) -> None:
    with mp.workdps(50):
        alpha, target = exact(Exact.of(order)), mp.mpf(log_delta)
        mironov = rdp - target / (alpha - 1)
        optimal = rdp + mp.log((alpha - 1) / alpha) - (target + mp.log(alpha)) / (alpha - 1)
        assert just_above(convert.rdp_to_epsilon_mironov(order, rdp, log_delta), mironov)
        assert just_above(convert.rdp_to_epsilon(order, rdp, log_delta), max(optimal, mp.mpf(0)))
        assert optimal < mironov


@given(orders, curves, epsilons)
def test_delta_of_an_order(order: float, rdp: float, epsilon: float) -> None:
    with mp.workdps(50):
        alpha, target = exact(Exact.of(order)), exact(Exact.of(epsilon))
        mironov = (alpha - 1) * (rdp - target)
        optimal = mironov + (alpha - 1) * mp.log(1 - 1 / alpha) - mp.log(alpha)
        found = convert.rdp_to_log_delta(order, rdp, epsilon)
        assert just_above(found, min(optimal, mp.mpf(0)), scale=1)
        found = convert.rdp_to_log_delta_mironov(order, rdp, epsilon)
        assert just_above(found, min(mironov, mp.mpf(0)), scale=1)


@given(orders, st.floats(min_value=0, max_value=5), st.floats(min_value=-600, max_value=-1))
def test_there_and_back(order: float, rdp: float, log_delta: float) -> None:
    epsilon = convert.rdp_to_epsilon(order, rdp, log_delta)
    if epsilon > 0:
        back = convert.rdp_to_log_delta(order, rdp, epsilon)
        assert back <= log_delta + 1e-12 * (1 + order) * max(1.0, epsilon)
        assert back == pytest.approx(log_delta, rel=1e-9, abs=1e-9 * (1 + order * epsilon))


def test_the_upper_end_of_a_ball_counts() -> None:
    with precision(128):
        wide, log_delta = arb(0.5, 0.125), arb(-11.5, 0.25)
        top = convert.rdp_to_epsilon(9, arb(0.625), arb(-11.75))
    assert convert.rdp_to_epsilon(9, wide, log_delta) == pytest.approx(top, rel=1e-8)
    assert convert.rdp_to_epsilon(9, wide, log_delta) >= top


def test_a_bound_that_says_nothing() -> None:
    assert convert.rdp_to_epsilon(2, 0.0, -1e-9) == 0
    assert convert.rdp_to_epsilon(2, math.inf, -5.0) == math.inf
    assert convert.rdp_to_epsilon(2, arb.pos_inf(), -5.0) == math.inf
    assert convert.rdp_to_log_delta(2, 100.0, 1) == 0
    assert convert.rdp_to_log_delta(2, math.inf, 1) == 0
    assert convert.rdp_to_log_delta_mironov(2, 1.0, 1) == 0


# zCDP -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sigma", "count", "epsilon"),
    [(170, 112, 0.300660), (130, 180, 0.500548), (100, 420, 1.004405)],
)
def test_zcdp_of_published_runs(sigma: int, count: int, epsilon: float) -> None:
    """Feldman & Zrnic 2021, their three runs at δ = 1e-5, of which they say 0.3, 0.5 and 1."""
    rho = Exact.of(f"{count}/{2 * sigma**2}")
    found = convert.zcdp_to_epsilon(rho, math.log(1e-5))
    assert found == pytest.approx(epsilon, abs=6e-7)
    assert convert.zcdp_to_log_delta(rho, found) == pytest.approx(math.log(1e-5), rel=1e-12)


@given(st.floats(min_value=1e-9, max_value=1e3), deltas)
def test_zcdp_is_the_order_that_mironovs_conversion_likes_best(
    rho: float, log_delta: float
) -> None:
    best = convert.zcdp_to_epsilon(rho, log_delta)
    order = 1 + math.sqrt(-log_delta / rho)
    assert best == pytest.approx(convert.rdp_to_epsilon_mironov(order, order * rho, log_delta))
    for other in (0.7, 1.5):
        order = 1 + other * math.sqrt(-log_delta / rho)
        assert best < convert.rdp_to_epsilon_mironov(order, order * rho, log_delta)


def test_zcdp_of_nothing() -> None:
    assert convert.zcdp_to_epsilon(0, -5.0) == 0
    assert convert.zcdp_to_log_delta(0, 0) == -math.inf
    assert convert.zcdp_to_log_delta("0.5", "0.5") == 0
    assert convert.zcdp_to_log_delta("0.5", "0.1") == 0


# GDP ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("0.5", "0.0509034722434"),
        ("1", "0.00639604264654"),
        ("2", "7.77235694645e-6"),
        ("3", "2.27081247371e-10"),
        ("4", "1.34899308750e-16"),
    ],
)
def test_profile_of_a_published_run(epsilon: str, delta: str) -> None:
    """1200 Gaussians of noise multiplier 70, as Wang et al. 2023 use."""
    found = convert.gdp_to_log_delta(Exact.of("1200/4900"), epsilon)
    assert convert.to_delta(found) == pytest.approx(float(delta), rel=2e-12)


@given(
    st.floats(min_value=-8, max_value=3),
    st.floats(min_value=-8, max_value=3),
)
def test_profile_agrees_with_another_arithmetic(log_square: float, log_epsilon: float) -> None:
    square, epsilon = (Exact.of(repr(10**value)) for value in (log_square, log_epsilon))
    ratio = 10 ** (2 * log_epsilon - log_square)
    if ratio > 1e6:
        return  # mpmath's tails end there
    with mp.workdps(60):
        mu, e = mp.sqrt(exact(square)), exact(epsilon)
        root = mp.sqrt(2)
        tails = mp.erfc((e / mu - mu / 2) / root), mp.erfc((e / mu + mu / 2) / root)
        truth = mp.log((tails[0] - mp.exp(e) * tails[1]) / 2)
        found = convert.gdp_to_log_delta(square, epsilon)
        assert truth <= mp.mpf(found)
        assert mp.mpf(found) <= truth + mp.mpf("1e-15") * max(1, abs(truth))


def test_profile_in_any_range() -> None:
    far = convert.gdp_to_log_delta(1, 10**9)
    assert far == pytest.approx(-((10**9 - 0.5) ** 2) / 2, rel=1e-12)
    assert convert.to_delta(far) == 5e-324
    assert convert.gdp_to_log_delta(10**12, 0) <= 0
    tiny = convert.gdp_profile("1e-200", 0)
    assert float(tiny) == pytest.approx(1e-100 / math.sqrt(2 * math.pi), rel=1e-12)
    assert tiny.rel_accuracy_bits() >= 60
    with pytest.raises(LimitReached):
        convert.gdp_profile(Exact(1, 10**4999), 1)


def test_delta_of_a_logarithm() -> None:
    assert convert.to_delta(-math.inf) == 0
    assert convert.to_delta(0.0) == 1
    assert convert.to_delta(-1e300) == 5e-324
    assert convert.to_delta(-1.0) >= math.exp(-1)
    assert convert.to_delta(-1.0) == pytest.approx(math.exp(-1), rel=3e-16)


# Bad input ------------------------------------------------------------------------------------

NAN = math.nan
BAD: list[Callable[[], object]] = [
    lambda: convert.rdp_to_epsilon(1, 1.0, -5.0),
    lambda: convert.rdp_to_epsilon(0.5, 1.0, -5.0),
    lambda: convert.rdp_to_epsilon(NAN, 1.0, -5.0),
    lambda: convert.rdp_to_epsilon(math.inf, 1.0, -5.0),
    lambda: convert.rdp_to_epsilon(2, NAN, -5.0),
    lambda: convert.rdp_to_epsilon(2, arb.nan(), -5.0),
    lambda: convert.rdp_to_epsilon(2, arb(0).log(), -5.0),
    lambda: convert.rdp_to_epsilon(2, True, -5.0),
    lambda: convert.rdp_to_epsilon(2, "1", -5.0),  # type: ignore[arg-type]
    lambda: convert.rdp_to_epsilon(2, -math.inf, -5.0),
    lambda: convert.rdp_to_epsilon(2, 1.0, NAN),
    lambda: convert.rdp_to_epsilon(2, 1.0, 1.0),
    lambda: convert.rdp_to_epsilon(2, 1.0, -math.inf),
    lambda: convert.rdp_to_epsilon(2, 1.0, arb.nan()),
    lambda: convert.rdp_to_epsilon(2, 1.0, arb(1)),
    lambda: convert.rdp_to_epsilon_mironov(2, NAN, -5.0),
    lambda: convert.rdp_to_log_delta(2, NAN, 1),
    lambda: convert.rdp_to_log_delta(2, 1.0, NAN),
    lambda: convert.rdp_to_log_delta(2, 1.0, -1),
    lambda: convert.rdp_to_log_delta_mironov(1, 1.0, 1),
    lambda: convert.zcdp_to_epsilon(NAN, -5.0),
    lambda: convert.zcdp_to_epsilon(-1, -5.0),
    lambda: convert.zcdp_to_log_delta(1, -1),
    lambda: convert.gdp_profile(0, 1),
    lambda: convert.gdp_profile(NAN, 1),
    lambda: convert.gdp_profile(1, -1),
    lambda: convert.to_delta(NAN),
    lambda: convert.to_delta(0.1),
]


@pytest.mark.parametrize("bad", BAD)
def test_bad_input_is_refused(bad: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter):
        bad()
