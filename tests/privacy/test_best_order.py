"""The best order: against a dense scan, at both ends of the scale, and for tables."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bursar.exact import Exact
from bursar.privacy.best_order import (
    CONVERSIONS,
    MIRONOV,
    OPTIMAL,
    Conversion,
    least_epsilon,
    least_log_delta,
)
from bursar.privacy.conversions import gdp_to_log_delta, zcdp_to_epsilon
from bursar.privacy.curves import (
    AtomsCurve,
    GaussianCurve,
    LaplaceCurve,
    RdpCurve,
    SubsampledGaussianCurve,
    TableCurve,
)

SUBSAMPLED = SubsampledGaussianCurve(Exact.of("1"), Exact.of("0.001"))
TABLE = TableCurve(tuple(map(Exact, (2, 3, 8, 64))), tuple(map(Exact, (1, 1, 2, 9))))
CURVES: list[RdpCurve] = [
    10_000 * SUBSAMPLED,
    SUBSAMPLED,
    GaussianCurve(Exact.of("0.021")),
    GaussianCurve(Exact.of("1e-12")),
    GaussianCurve(Exact.of("1e6")),
    40 * LaplaceCurve(Exact.of("10")),
    AtomsCurve(Exact.of("2"), 7),
    TABLE,
    3 * TABLE + 100 * SUBSAMPLED,
    LaplaceCurve(Exact.of("10")) + AtomsCurve(Exact.of("0.5")),
]
each = pytest.mark.parametrize("curve", CURVES, ids=repr)
either = pytest.mark.parametrize("conversion", [OPTIMAL, MIRONOV], ids=lambda found: found.name)
LOG_DELTA = math.log(1e-6)


@cache
def scan(curve: RdpCurve) -> list[tuple[Exact, arb]]:
    """Bounds at orders that are dense enough to come near the best, and at those listed."""
    dense = [Exact.of(float(1 + math.exp(x))) for x in np.linspace(-9, 18, 80)]
    bounds = [(order, curve.bound(order)) for order in (*dense, *(curve.orders or ()))]
    return [(order, bound) for order, bound in bounds if bound.is_finite()]


@each
@either
def test_no_order_of_a_scan_is_better_for_epsilon(curve: RdpCurve, conversion: Conversion) -> None:
    found = least_epsilon(curve, LOG_DELTA, conversion)
    scanned = [conversion.epsilon(order, rdp, LOG_DELTA) for order, rdp in scan(curve)]
    assert found.value <= min(scanned) * (1 + 1e-9)
    if found.order is not None:
        assert found.value == conversion.epsilon(found.order, curve.bound(found.order), LOG_DELTA)


@each
@either
def test_no_order_of_a_scan_is_better_for_delta(curve: RdpCurve, conversion: Conversion) -> None:
    for epsilon in ("0", "0.3", "5"):
        found = least_log_delta(curve, epsilon, conversion).value
        scanned = [conversion.log_delta(order, rdp, epsilon) for order, rdp in scan(curve)]
        assert found <= min(scanned) + 1e-9 * (1 + abs(min(scanned)))


@given(
    st.floats(min_value=-300, max_value=18),
    st.floats(min_value=-6, max_value=0).map(lambda size: -(10.0 ** (-size))),
)
def test_gaussians_of_any_size(log_rho: float, log_delta: float) -> None:
    """Never above the closed form of zCDP; and the δ of the ε that was found is the δ given."""
    curve = GaussianCurve(Exact.of(repr(10**log_rho)))
    found = least_epsilon(curve, log_delta)
    assert 0 <= found.value <= zcdp_to_epsilon(curve.rho, log_delta) * (1 + 1e-8)
    if found.value > 0:
        again = least_log_delta(curve, Exact.of(repr(found.value)))
        assert again.value <= log_delta + 1e-6 * abs(log_delta) + 1e-9 * found.value


@pytest.mark.parametrize("log_delta", [-5.0, -50.0, -700.0, -1e5])
@pytest.mark.parametrize("rho", ["1e-8", "0.01", "3", "1e4"])
def test_never_below_the_truth_of_a_gaussian(rho: str, log_delta: float) -> None:
    """At the ε that was found, the true profile is at most δ."""
    found = least_epsilon(GaussianCurve(Exact.of(rho)), log_delta)
    assert gdp_to_log_delta(2 * Exact.of(rho), Exact.of(repr(found.value))) <= log_delta


@pytest.mark.parametrize(
    ("rho", "epsilon"),
    [("112/57800", 0.224940), ("180/33800", 0.388259), ("0.021", 0.815623)],
)
def test_optimal_conversion_of_published_runs(rho: str, epsilon: float) -> None:
    found = least_epsilon(GaussianCurve(Exact.of(rho)), math.log(1e-5))
    assert found.value == pytest.approx(epsilon, abs=6e-7)


def test_what_stands_for_all_deltas() -> None:
    laplace = 3 * LaplaceCurve(Exact.of("10"))
    assert least_epsilon(laplace, -math.inf).value == 0.30000000000000004  # 3/10, rounded up
    assert least_epsilon(laplace, -1e9).value <= 0.30000000000000004
    assert least_epsilon(SUBSAMPLED, -math.inf).value == math.inf
    assert least_epsilon(SUBSAMPLED, 0.0).value == 0
    assert least_log_delta(laplace, "0.3").value == -math.inf
    assert -math.inf < least_log_delta(laplace, "0.29").value < -6
    assert least_log_delta(GaussianCurve(Exact(0)), 0).value == -math.inf


def test_between_the_orders_of_a_table() -> None:
    """(α−1)ε(α) is convex, so that a table says most between two of its orders, or says more."""
    curve = TableCurve((Exact(2), Exact(1000)), (Exact(0), Exact(1)))
    found = least_epsilon(curve, -4.0)
    assert found.order is not None
    assert 2 < found.order < 1000
    assert found.value < 0.99 * min(OPTIMAL.epsilon(a, curve.bound(a), -4.0) for a in (2, 1000))


def test_a_table_that_reaches_too_far_or_not_far() -> None:
    far = TableCurve((Exact(10**500),), (Exact(1),))
    assert least_epsilon(far, LOG_DELTA).value <= 1 + 1e-15
    near = TableCurve((Exact.of("1.00001"),), (Exact(0),))
    assert least_epsilon(near, LOG_DELTA).value == pytest.approx(-LOG_DELTA * 1e5, rel=1e-3)
    assert least_epsilon(near, LOG_DELTA).order == Exact.of("1.00001")


def test_both_conversions_have_their_names() -> None:
    assert {"optimal": OPTIMAL, "mironov": MIRONOV} == CONVERSIONS
