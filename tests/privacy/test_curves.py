"""RDP curves: each against its definition, what sums mean, and what tables say between orders."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import float_down, precision
from bursar.privacy.curve import SumCurve
from bursar.privacy.curves import (
    AtomsCurve,
    GaussianCurve,
    LaplaceCurve,
    RdpCurve,
    SubsampledGaussianCurve,
    TableCurve,
)
from bursar.privacy.derived_curves import ClaimedCurve, GroupCurve, LargerCurve
from bursar.privacy.noise_curves import (
    BoundedRangeCurve,
    DiscreteLaplaceCurve,
    ShiftsCurve,
    TableRdp,
)
from bursar.privacy.sampled_curves import BatchCurve, PoissonCurve
from tests.privacy.renyi_slow import exact, renyi, two_laws
from tests.sweeps import quick_first


def x(text: str) -> Exact:
    return Exact.of(text)


def table(orders: str, values: str) -> TableCurve:
    return TableCurve(tuple(map(x, orders.split())), tuple(map(x, values.split())))


def claim(order: float) -> float:
    """A curve that somebody claims."""
    return order / 8


SUBSAMPLED = SubsampledGaussianCurve(x("1.3"), x("0.02"))
TABLE = table("1.5 2 8 32", "0.1 0.15 0.9 5")
CURVES: list[RdpCurve] = [
    GaussianCurve(x("0.3")),
    GaussianCurve(x("1e-12")),
    LaplaceCurve(x("2")),
    LaplaceCurve(x("1e-3")),
    LaplaceCurve(x("1e9")),
    AtomsCurve(x("1")),
    AtomsCurve(x("0.001"), 5),
    AtomsCurve(x("50"), 1000),
    AtomsCurve(x("1e-20")),
    SUBSAMPLED,
    SubsampledGaussianCurve(x("0.5"), x("1e-5")),
    SubsampledGaussianCurve(x("100"), x("0.9")),
    TABLE,
    3 * SUBSAMPLED + 2 * LaplaceCurve(x("5")) + GaussianCurve(x("0.01")),
    2 * TABLE + SUBSAMPLED,
    DiscreteLaplaceCurve(x("2"), 3),
    DiscreteLaplaceCurve(x("1e9"), 1),
    DiscreteLaplaceCurve(x("0.05"), 40),
    BoundedRangeCurve(x("1")),
    BoundedRangeCurve(x("0.001")),
    BoundedRangeCurve(x("60")),
    TableRdp(((x("0.6"), x("0.5")), (x("0.39"), x("0.4")), (x("0.01"), x("0.1")))),
    TableRdp(((x("0.9"), x("0.5")), (x("0.1"), x("0.5")), (x("0"), x("0")))),
    ShiftsCurve(x("2"), (x("0"), x("1"), x("3")), (x("0.8"), x("0.15"), x("0.05"))),
    PoissonCurve(LaplaceCurve(x("2")), x("0.1")),
    PoissonCurve(GaussianCurve(x("0.5")), x("1e-5")),
    BatchCurve(GaussianCurve(x("0.01")), x("0.1")),
    GroupCurve(LaplaceCurve(x("2")), 4),
    GroupCurve(GaussianCurve(x("0.3")), 9),
    LargerCurve((LaplaceCurve(x("1")), GaussianCurve(x("0.3")))),
    LargerCurve((TABLE, SUBSAMPLED)),
    ClaimedCurve(claim),
]


def named(curve: RdpCurve) -> str:
    """A curve's text, without the address of a function."""
    return "a claim" if isinstance(curve, ClaimedCurve) else repr(curve)


each = pytest.mark.parametrize("curve", CURVES, ids=named)
orders = st.floats(min_value=-9, max_value=8).map(lambda log_more: 1 + math.exp(log_more))


def just_above(bound: float, truth: mp.mpf) -> bool:
    """Whether a float bounds the truth, and is the next one or almost so."""
    return bool(truth <= mp.mpf(bound) <= truth * (1 + mp.mpf("4e-16")))


# Each leaf against its definition -------------------------------------------------------------


@given(orders, st.floats(min_value=-8, max_value=4))
def test_laplace_is_the_divergence_of_two_laplace_laws(order: float, log_scale: float) -> None:
    scale = x(repr(10**log_scale))
    with mp.workdps(60):
        alpha, rate = exact(Exact.of(order)), 1 / exact(scale)
        left = mp.exp((alpha - 1) * rate) / 2  # all below both centres, and all above both
        right = mp.exp(-alpha * rate) / 2
        between = (mp.exp((alpha - 1) * rate) - mp.exp(-alpha * rate)) / (2 * (2 * alpha - 1))
        truth = mp.log(left + right + between) / (alpha - 1)
        assert just_above(LaplaceCurve(scale).at(order), truth)


@given(orders, st.floats(min_value=-8, max_value=2), st.integers(min_value=2, max_value=40))
def test_atoms_are_randomized_response(order: float, log_epsilon: float, categories: int) -> None:
    epsilon = x(repr(10**log_epsilon))
    with mp.workdps(60):
        true, other = mp.exp(exact(epsilon)), [mp.mpf(1)] * (categories - 2)
        whole = true + categories - 1
        p = [value / whole for value in (true, mp.mpf(1), *other)]
        q = [value / whole for value in (mp.mpf(1), true, *other)]
        truth = two_laws(p, q, exact(Exact.of(order)))
        assert just_above(AtomsCurve(epsilon, categories).at(order), truth)


@pytest.mark.parametrize(
    ("sigma", "q", "order"),
    quick_first(
        [
            ("1", "0.001", "1.1"),
            ("2", "0.01", "12.5"),
            ("5", "1e-7", "30.1"),
            ("0.5", "0.3", "1.01"),
        ],
        quick=2,
    ),
)
def test_the_subsampled_gaussian_is_the_divergence_by_integration(
    sigma: str, q: str, order: str
) -> None:
    truth = renyi(x(sigma), x(q), x(order))
    assert just_above(SubsampledGaussianCurve(x(sigma), x(q)).at(order), truth)


def test_a_value_that_others_get_wrong() -> None:
    """Fractional orders by a series that is cut too soon are off by 0.7 % here."""
    found = SubsampledGaussianCurve(x("1"), x("0.001")).at("1.1")
    assert found == pytest.approx(9.42782e-7, rel=1e-6)


@pytest.mark.parametrize("order", [2, 4, 8, 16])
def test_whole_orders_of_a_published_run(order: int) -> None:
    """DP-SGD of Koskela & Kulkarni 2023, σ = 2, γ = 0.01, 5000 steps, but for their factor 3."""
    values = {2: 0.142011, 4: 0.285779, 8: 0.578781, 16: 1.188120}
    found = (5000 * SubsampledGaussianCurve(x("2"), x("0.01"))).at(order)
    assert found == pytest.approx(values[order], abs=6e-7)


settings = st.tuples(
    st.floats(min_value=-0.3, max_value=1.5),
    st.floats(min_value=-4, max_value=-0.02),
    st.floats(min_value=-2, max_value=1.3),
)


def directions(setting: tuple[float, float, float]) -> tuple[mp.mpf, mp.mpf]:
    sigma, q, more = (Fraction(repr(10**value)) for value in setting)
    return renyi(sigma, q, 1 + more), renyi(sigma, q, 1 + more, add=True)


@pytest.mark.parametrize("seed", quick_first(range(6), 2))
def test_removing_is_the_larger_direction(seed: int) -> None:
    draw = np.random.default_rng(seed).uniform
    remove, add = directions((draw(-0.3, 1.5), draw(-4, -0.02), draw(-2, 1.3)))
    assert remove > add > 0


@pytest.mark.slow
@given(settings)
def test_removing_is_the_larger_direction_everywhere(setting: tuple[float, float, float]) -> None:
    remove, add = directions(setting)
    assert remove >= add * (1 - mp.mpf("1e-20"))


# What every curve promises --------------------------------------------------------------------


@each
def test_the_bound_never_falls(curve: RdpCurve) -> None:
    last = 32 if curve.orders else math.inf
    at = [1, 1 + 1e-9, 1.001, 1.5, 2, 3, 7.5, 8, 31.9, 32, 100.5, 1e4, 1e5, math.inf]
    values = [curve.at(order) for order in at if order <= last]
    assert all(low <= high * (1 + 1e-11) for low, high in pairwise(values))
    assert all(value >= 0 for value in values)


@pytest.mark.parametrize("curve", [c for c in CURVES if not isinstance(c, GroupCurve)], ids=named)
def test_the_moments_are_convex(curve: RdpCurve) -> None:
    at = np.array([1.0, 1.2, 1.7, 2.0, 5.0, 8.0, 20.0, 32.0])
    moments = np.array([(order - 1) * curve.at(float(order)) for order in at])
    slopes = np.diff(moments) / np.diff(at)
    assert np.all(np.diff(slopes) >= -1e-9 * slopes[1:])


@each
def test_the_sketch_is_near_the_bound(curve: RdpCurve) -> None:
    last = 3.4 if curve.orders else 9
    at = 1 + np.exp(np.arange(-6, last, 0.7))
    bounds = [curve.at(float(order)) for order in at]
    assert curve.sketch(at) == pytest.approx(bounds, rel=1e-6)


@each
def test_limits(curve: RdpCurve) -> None:
    limit = curve.limit()
    top = curve.at(math.inf)
    assert top == math.inf if limit is None else top == pytest.approx(float(limit), rel=1e-15)
    if limit is not None:
        assert curve.at(10**6) <= top
        assert curve.at(10**9 if limit < 1e-3 else 10**6) > 0.99 * top or limit < 1e-8


@each
def test_values_are_values(curve: RdpCurve) -> None:
    again = pickle.loads(pickle.dumps(curve))
    assert again == curve
    assert hash(again) == hash(curve)
    assert 1 * curve == curve


def test_divergence_at_order_one() -> None:
    with mp.workdps(40):
        assert just_above(LaplaceCurve(x("2")).at(1), mp.mpf("0.5") + mp.expm1(mp.mpf("-0.5")))
        assert just_above(AtomsCurve(x("1")).at(1), mp.tanh(mp.mpf("0.5")))
    assert GaussianCurve(x("0.25")).at(1) == 0.25
    assert TABLE.at(1) == 0.1
    q, s2 = 0.02, 1.3**2
    nodes = np.linspace(-20, 21, 20001)
    log_w = np.log1p(q * np.expm1((2 * nodes - 1) / (2 * s2)))
    density = np.exp(log_w - nodes**2 / (2 * s2)) / math.sqrt(2 * math.pi * s2)
    divergence = float(np.trapezoid(density * log_w, nodes))
    assert SUBSAMPLED.at(1) == pytest.approx(divergence, rel=1e-9)


@pytest.mark.parametrize(
    "order", [0.5, 0, -1, math.nan, -math.inf, True, "x", None, [2], complex(2)]
)
@each
def test_what_is_no_order_is_refused(curve: RdpCurve, order: object) -> None:
    with pytest.raises(InvalidParameter, match="order"):
        curve.at(order)  # type: ignore[arg-type]


NUMBERS = [math.nan, math.inf, -1, True, "1e", None]


@pytest.mark.parametrize("bad", NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        GaussianCurve,
        LaplaceCurve,
        AtomsCurve,
        lambda bad: AtomsCurve(x("1"), bad),
        lambda bad: SubsampledGaussianCurve(bad, x("0.1")),
        lambda bad: SubsampledGaussianCurve(x("1"), bad),
        lambda bad: TableCurve((bad,), (x("1"),)),
        lambda bad: TableCurve((x("2"),), (bad,)),
    ],
)
def test_what_is_no_parameter_is_refused(make: Callable[[object], RdpCurve], bad: object) -> None:
    with pytest.raises(InvalidParameter):
        make(bad)


@pytest.mark.parametrize(
    ("orders", "values"),
    [("", ""), ("1", "1"), ("2 2", "1 1"), ("3 2", "1 1"), ("2 3", "1"), ("2", "-1")],
)
def test_what_is_no_table_is_refused(orders: str, values: str) -> None:
    with pytest.raises(InvalidParameter):
        table(orders, values)


# Sums -----------------------------------------------------------------------------------------


def test_counts_and_sums_mean_the_same() -> None:
    laplace, other = LaplaceCurve(x("3")), AtomsCurve(x("0.5"))
    assert laplace + laplace + laplace == 3 * laplace
    assert laplace + other == other + laplace
    assert hash(2 * laplace + other) == hash(other + laplace + laplace)
    assert 2 * (laplace + 3 * other) == 2 * laplace + 6 * other
    assert laplace + other != laplace + 2 * other
    assert 6 * GaussianCurve(x("0.1")) == GaussianCurve(x("0.2")) + 2 * GaussianCurve(x("0.2"))
    assert 3 * GaussianCurve(x("0.1")) == GaussianCurve(x("0.3"))
    assert isinstance(3 * laplace, SumCurve)


@given(st.integers(min_value=1, max_value=10**9), orders)
def test_a_count_multiplies(count: int, order: float) -> None:
    single = SUBSAMPLED.bound(order)
    with precision(128):
        assert (count * SUBSAMPLED).bound(order).overlaps(count * single)


def test_a_sum_adds_exactly_and_rounds_once() -> None:
    parts = [LaplaceCurve(x(f"{n}.7")) for n in range(1, 40)]
    total: RdpCurve = parts[0]
    for part in parts[1:]:
        total = total + part
    with precision(200):
        truth = sum((part.bound(3) for part in parts), arb(0))
        assert arb(total.at(3)) >= truth
        assert arb(math.nextafter(total.at(3), 0)) < truth
    assert total.limit() == sum((1 / part.scale for part in parts), Fraction(0))


@pytest.mark.parametrize("count", [0, -1, 2.0, True, math.nan, "2", None])
def test_what_is_no_count_is_refused(count: int) -> None:
    with pytest.raises((InvalidParameter, TypeError)):
        count * SUBSAMPLED


def test_only_curves_are_added() -> None:
    with pytest.raises(TypeError):
        SUBSAMPLED + 1  # type: ignore[operator]


def dropped_count(curve: SumCurve, order: Fraction) -> arb:
    """A mutant of `SumCurve._bound`."""
    return sum((part.bound(order) for part, _ in curve.parts), arb(0))


def test_a_dropped_count_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SumCurve, "_bound", dropped_count)
    with pytest.raises(AssertionError):
        test_whole_orders_of_a_published_run(8)


def test_a_rounding_that_is_flipped_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bursar.privacy.curve.float_up", float_down)
    with pytest.raises(AssertionError):
        test_a_sum_adds_exactly_and_rounds_once()


# Tables ---------------------------------------------------------------------------------------


@given(st.lists(st.integers(min_value=1, max_value=200), min_size=2, max_size=6, unique=True))
def test_a_table_of_a_curve_is_above_it(listed: list[int]) -> None:
    """Between the orders and below them; equal at them; and nothing is claimed above."""
    curve = GaussianCurve(x("0.2"))
    at = tuple(Exact(1 + Fraction(order, 7)) for order in sorted(listed))
    stated = TableCurve(at, tuple(Exact(order * curve.rho) for order in at))
    for order in np.linspace(1, float(at[-1]), 50)[:-1]:
        assert stated.at(float(order)) >= curve.at(float(order))
    for order, value in zip(at, stated.values, strict=True):
        assert stated.at(order) == pytest.approx(float(value), rel=1e-15)
    assert stated.at(at[-1] + Fraction(1, 10**9)) == math.inf


def test_a_table_uses_convexity_and_larger_orders() -> None:
    assert table("2 4", "1 2").at(3) == (1 * 1 + 2 * 3) / 2 / 2  # on the chord of (α−1)ε
    assert table("2 4", "3 2").at(2) == 2  # order 4 bounds order 2
    assert table("2 4", "3 2").at("1.5") == 2
    assert table("2 3 4", "1 9 2").at(3) == 1.75  # order 3 is worse than what 2 and 4 say
    assert table("2 4", "0 0").at(4) == 0


def test_sums_of_tables_and_curves_go_as_far_as_all_do() -> None:
    both = table("2 4 9", "1 2 5") + table("3 7", "1 4") + SUBSAMPLED
    assert both.orders == (2, 3, 4, 7)
    assert both.at(3) == pytest.approx(1.75 + 1 + SUBSAMPLED.at(3), rel=1e-15)
    assert both.at("2.5") < math.inf
    assert both.at("7.1") == math.inf
    assert SUBSAMPLED.orders is None
