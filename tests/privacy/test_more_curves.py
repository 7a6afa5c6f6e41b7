"""Curves of further laws, and curves made of curves: each against its definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.privacy.curves import AtomsCurve, GaussianCurve, LaplaceCurve, TableCurve
from bursar.privacy.derived_curves import ClaimedCurve, GroupCurve, LargerCurve
from bursar.privacy.noise_curves import (
    BoundedRangeCurve,
    DiscreteLaplaceCurve,
    ShiftsCurve,
    TableRdp,
)
from tests.privacy.laws_by_definition import either, some_law
from tests.privacy.renyi_slow import exact, two_laws
from tests.privacy.test_curves import just_above

ORDERS = ["1.01", "1.5", "2", "7.3", "60"]


def x(text: str) -> Exact:
    return Exact.of(text)


# Laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("scale", "shift"), [("2", 1), ("2", 3), ("0.1", 2), ("30", 7)])
def test_discrete_laplace_by_summing(scale: str, shift: int, order: str) -> None:
    with mp.workdps(60):
        t, alpha = exact(x(scale)), exact(x(order))
        reach = int(140 * t) + 5
        logs = [
            (-alpha * abs(n - shift) - (1 - alpha) * abs(n)) / t
            for n in range(-reach, reach + shift + 1)
        ]
        mass = mp.tanh(1 / (2 * t))
        truth = mp.log(mass * mp.fsum(mp.exp(value) for value in logs)) / (alpha - 1)
        assert just_above(DiscreteLaplaceCurve(x(scale), shift).at(x(order)), truth)


def test_one_step_of_discrete_laplace_is_randomized_response() -> None:
    for order in (1, 1.5, 4, 100):
        response = AtomsCurve(x("0.25"))
        assert DiscreteLaplaceCurve(x("4"), 1).at(order) == pytest.approx(
            response.at(order), rel=1e-11
        )


@pytest.mark.parametrize("order", ORDERS)
def test_many_small_steps_are_continuous(order: str) -> None:
    found = DiscreteLaplaceCurve(x("20000"), 10000).at(x(order))
    assert found == pytest.approx(LaplaceCurve(x("2")).at(x(order)), rel=1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
def test_bounded_range_is_the_largest_of_two_points(epsilon: str, order: str) -> None:
    """Over t in [0, ε], P/Q is e^t or e^{t−ε}; a golden search finds the worst t."""
    with mp.workdps(40):
        e, alpha = exact(x(epsilon)), exact(x(order))

        def at(t: mp.mpf) -> mp.mpf:
            up = (1 - mp.exp(t - e)) / (1 - mp.exp(-e)) * mp.exp(-t)
            q = [up, 1 - up]
            return two_laws([up * mp.exp(t), 1 - up * mp.exp(t)], q, alpha)

        low, high = mp.mpf(0), e
        for _ in range(120):
            left, right = low + (high - low) * mp.mpf("0.4"), low + (high - low) * mp.mpf("0.6")
            low, high = (left, high) if at(left) < at(right) else (low, right)
        truth = at((low + high) / 2)
        found = BoundedRangeCurve(x(epsilon)).at(x(order))
        assert found == pytest.approx(float(truth), rel=1e-12)
        assert found <= float(alpha * e**2 / 8) * (1 + 1e-15)
        assert found <= float(e)


@pytest.mark.parametrize("order", ["1", "1.01", "2", "7.3", "60"])
def test_tables_by_definition(order: str) -> None:
    p, q = ["0.5", "0.3", "0.15", "0.05", "0"], ["0.2", "0.3", "0.05", "0.45", "0"]
    curve = TableRdp(tuple(zip(map(x, p), map(x, q), strict=True)))
    with mp.workdps(50):
        laws = [[mp.mpf(value) for value in law if value != "0"] for law in (p, q)]
        truth = max(two_laws(*way, exact(x(order))) for way in (laws, laws[::-1]))
        assert just_above(curve.at(x(order)), truth)


def test_a_table_without_a_column_has_no_bound() -> None:
    curve = TableRdp(((x("1"), x("0.9")), (x("0"), x("0.1"))))
    assert curve.at(2) == curve.at(math.inf) == math.inf
    assert curve.limit() is None
    same = TableRdp(((x("0.4"), x("0.4")), (x("0.6"), x("0.6"))))
    assert same.at(2) == same.at(math.inf) == 0


@pytest.mark.parametrize("order", [2, 3, 8])
def test_shifts_bound_mixtures_both_ways(order: int) -> None:
    """By quadrature; equal to the divergence for one shift."""
    sigma, shifts, weights = 2.0, np.array([0.5, 1, 3]), np.array([0.5, 0.3, 0.2])
    t = np.linspace(-60, 80, 200_001)
    absent = -0.5 * (t / sigma) ** 2
    present = np.logaddexp.reduce(
        [math.log(w) - 0.5 * ((t - s) / sigma) ** 2 for s, w in zip(shifts, weights, strict=True)]
    )
    width = (t[1] - t[0]) / (sigma * math.sqrt(2 * math.pi))
    curve = ShiftsCurve(x("2"), (x("0.5"), x("1"), x("3")), (x("0.5"), x("0.3"), x("0.2")))
    for p, q in ((present, absent), (absent, present)):
        moment = np.sum(np.exp(order * p + (1 - order) * q)) * width
        assert math.log(moment) / (order - 1) <= curve.at(order)
    one = ShiftsCurve(x("2"), (x("3"),), (x("1"),))
    assert one.at(order) == pytest.approx(GaussianCurve(x("1.125")).at(order), rel=1e-14)


# Curves of curves ------------------------------------------------------------------------------


@pytest.mark.parametrize("people", [1, 2, 3, 10])
def test_a_group_of_a_gaussian(people: int) -> None:
    """k²ρα: Bun & Steinke 2016, Prop. 1.9."""
    curve = GroupCurve(GaussianCurve(x("0.1")), people)
    for order in ("1", "1.2", "5", "100"):
        truth = float(people**2 * x("0.1") * x(order))
        assert curve.at(x(order)) == pytest.approx(truth, rel=1e-14)


@pytest.mark.parametrize("people", [2, 5])
def test_a_group_of_laplace_noise_is_below(people: int) -> None:
    """The truth is noise k times smaller; the limit is attained."""
    curve, truth = GroupCurve(LaplaceCurve(x("4")), people), LaplaceCurve(Exact(4) / people)  # type: ignore[arg-type]
    for order in (1.01, 1.5, 4, 30, 1000):
        assert truth.at(order) <= curve.at(order) <= 1.7 * truth.at(order)
    assert curve.at(math.inf) == truth.at(math.inf)


@pytest.mark.parametrize("seed", range(8))
def test_chains_of_tables_are_below_their_group(seed: int) -> None:
    """Three random laws in a row: the ends against the curve of neighbours."""
    random = np.random.default_rng(seed)
    laws = [some_law(random, 3, float(random.choice([0.1, 1]))) for _ in range(3)]
    at = [Exact(Fraction(n, 4)) for n in range(5, 60)]
    values = [max(either(a, b, float(o)) for a, b in pairwise(laws)) for o in at]
    curve = GroupCurve(TableCurve(tuple(at), tuple(Exact(Fraction(v)) for v in values)), 2)
    for order in (1.5, 2, 3, 5):
        assert either(laws[0], laws[2], order) <= curve.at(order) * (1 + 1e-12)
    assert curve.at(8) == math.inf
    assert curve.orders is not None
    assert curve.at(curve.orders[-1]) < math.inf


def test_the_larger_at_each_order() -> None:
    laplace, gaussian = LaplaceCurve(x("1")), GaussianCurve(x("0.25"))
    curve = LargerCurve((laplace, gaussian))
    assert curve.at(1.1) == laplace.at(1.1) > gaussian.at(1.1)
    assert curve.at(9) == gaussian.at(9) > laplace.at(9)
    assert curve.limit() is None
    assert LargerCurve((laplace, LaplaceCurve(x("3")))).limit() == 1
    stated = LargerCurve((TableCurve((x("2"), x("4")), (x("1"), x("1"))), gaussian))
    assert stated.at(5) == math.inf
    assert stated.orders == (2, 4)


def test_a_claim_is_asked_at_or_above_the_order() -> None:
    asked: list[float] = []

    def claim(order: float) -> float:
        asked.append(order)
        return order / 3

    third = Exact(Fraction(7, 3))
    ClaimedCurve(claim).at(third)
    assert Fraction(asked[-1]) >= third
    assert ClaimedCurve(claim).at(math.inf) == math.inf
    for bad in (lambda _: math.nan, lambda _: -1.0, lambda _: None, lambda _: True):
        with pytest.raises(InvalidParameter):
            ClaimedCurve(bad).at(2)  # type: ignore[arg-type]
