"""RDP on samples and batches: laws by definition, the proof's inequality, what is printed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import arb

from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import ball, precision
from bursar.privacy.curves import (
    GaussianCurve,
    LaplaceCurve,
    SubsampledGaussianCurve,
    TableCurve,
)
from bursar.privacy.noise_curves import TableRdp
from bursar.privacy.sampled_curves import MOST, BatchCurve, PoissonCurve
from tests.privacy.laws_by_definition import divergence, either, on_batches, some_law


def x(text: str) -> Exact:
    return Exact.of(text)


def rows(p: np.ndarray, q: np.ndarray) -> TableRdp:
    """The curve of two laws; float64 is taken as it is, so they add up to 1 but for rounding."""
    return TableRdp(
        tuple((Exact(Fraction(a)), Exact(Fraction(b))) for a, b in zip(p, q, strict=True))
    )


# Poisson samples -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_random_laws_on_a_sample_are_below_the_bound(seed: int) -> None:
    """Both directions, without the factor 3."""
    random = np.random.default_rng(seed)
    p, q = _two(random)
    share = float(random.choice([1e-3, 0.05, 0.4, 0.9]))
    curve = PoissonCurve(rows(p, q), Exact(Fraction(share)))
    mixed = (1 - share) * q + share * p
    for order in (2, 3, 5, 9):
        bound = curve.at(order)
        assert divergence(mixed, q, order) <= bound * (1 + 1e-9) + 1e-14
        assert divergence(q, mixed, order) <= bound * (1 + 1e-9) + 1e-14


def _two(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    outputs, spread = int(random.integers(2, 5)), float(random.choice([0.1, 1, 4]))
    return some_law(random, outputs, spread), some_law(random, outputs, spread)


def test_the_remove_direction_attains_it() -> None:
    """Randomized response is its own mirror, so nothing is lost but in the direction."""
    p, q = np.array([0.8, 0.2]), np.array([0.2, 0.8])
    curve = PoissonCurve(rows(p, q), x("0.3"))
    for order in (2, 3, 10, 40):
        truth = divergence(0.7 * q + 0.3 * p, q, order)
        assert curve.at(order) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("order", [2, 3, 10, 64])
def test_it_is_the_gaussians_own_curve_at_whole_orders(order: int) -> None:
    """Mironov, Talwar & Zhang 2019: the same binomial sum, by quadrature there."""
    for sigma, q in (("1", "0.01"), ("3", "0.5"), ("0.7", "1e-4")):
        general = PoissonCurve(GaussianCurve(Exact(1 / (2 * x(sigma) ** 2))), x(q))
        own = SubsampledGaussianCurve(x(sigma), x(q))
        assert general.at(order) == pytest.approx(own.at(order), rel=1e-12)
        assert general.at(order + 0.5) >= own.at(order + 0.5)


def slack(order: int, q: Fraction, tau: arb, turn: Fraction = Fraction(1)) -> arb:
    """The logarithms of the two sides of the proof's (3), subtracted; `turn` spoils its θ."""
    n, p = order - 2, 1 - q
    theta = turn * 3 * p / (3 + 2 * n * q)
    total = arb(0)
    for j in range(n + 1):
        weight = ball(math.comb(n, j) * p ** (n - j) * q**j)
        rate = ball(Fraction(2 * j + 3, 2)) * tau
        total += weight * (ball(theta) * rate.exp() + ball(1 - theta) * (-rate).exp())
    other = ball(Fraction(3, 2)) * tau - (n + 3) * (ball(p) + ball(q) * tau.exp()).log()
    return total.log() - other


@pytest.mark.parametrize("order", [2, 3, 4, 7, 20])
def test_the_inequality_of_the_proof(order: int) -> None:
    """In balls, on both sides of where it touches; and not for a θ that is a little off."""
    with precision(128):
        for q in (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)):
            for tau in (-9, -2, -0.5, -0.05, 0.05, 0.5, 2, 9):
                assert slack(order, q, arb(tau)) > 0
            off = [slack(order, q, arb(tau), Fraction(99, 100)) < 0 for tau in (-1e-5, 1e-5)]
            assert any(off)


@pytest.mark.parametrize(
    ("order", "printed"), [(2, 0.142011), (4, 0.313868), (8, 0.744089), (16, 1.929785)]
)
def test_what_is_printed_with_the_factor(order: int, printed: float) -> None:
    """Koskela & Kulkarni 2023, Thm 4: σ = 2, γ = 0.01, 5000 steps; the last digit is theirs."""
    curve = PoissonCurve(GaussianCurve(x("0.125")), x("0.01"), 3)
    assert 5000 * curve.at(order) == pytest.approx(printed, abs=1.1e-6)
    without = PoissonCurve(GaussianCurve(x("0.125")), x("0.01"))
    assert without.at(order) <= curve.at(order)
    assert (without.at(order) < curve.at(order)) == (order > 2)


def test_a_pure_base_stays_pure() -> None:
    curve = PoissonCurve(LaplaceCurve(x("2")), x("0.1"))
    truth = math.log1p(0.1 * math.expm1(0.5))
    assert curve.at(math.inf) == curve.at(10 * MOST) == pytest.approx(truth, rel=1e-15)
    assert curve.at(MOST) <= curve.at(MOST + 1)
    assert PoissonCurve(GaussianCurve(x("1")), x("0.1")).at(MOST + 1) == math.inf


def test_a_base_of_few_orders_goes_as_far_as_they_do() -> None:
    table = TableCurve((x("2"), x("5.5")), (x("0.1"), x("0.4")))
    curve = PoissonCurve(table, x("0.1"))
    assert curve.at(5) < math.inf
    assert curve.at(5.25) == math.inf
    assert curve.orders is not None
    assert curve.orders[-1] == 5


def test_between_orders_is_the_chord() -> None:
    curve = PoissonCurve(LaplaceCurve(x("2")), x("0.1"))
    low, high = 4 * curve.at(5), 5 * curve.at(6)
    assert curve.at("5.25") == pytest.approx((0.75 * low + 0.25 * high) / 4.25, rel=1e-14)
    assert curve.at("1.5") == curve.at(2) == curve.at(1)


@pytest.mark.parametrize("q", ["0", "1", "1.5", "-0.1"])
def test_a_probability_outside_is_refused(q: str) -> None:
    with pytest.raises(InvalidParameter):
        PoissonCurve(GaussianCurve(x("1")), x(q))


# Batches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_batches_by_listing_them(seed: int) -> None:
    """Five people, every mechanism on batches of two, one record replaced: person 5 for person 4.

    Wang, Balle & Kasiviswanathan 2019, Thm 9, with the base's curve over all pairs of batches
    that differ in one record.
    """
    random = np.random.default_rng(seed)
    size, spread = 2, float(random.choice([0.2, 1, 3]))
    laws = {batch: some_law(random, 3, spread) for batch in combinations(range(6), size)}
    near = [
        (laws[a], laws[b]) for a, b in combinations(laws, 2) if len(set(a) & set(b)) == size - 1
    ]
    before = on_batches(laws, (0, 1, 2, 3, 4), size)
    after = on_batches(laws, (0, 1, 2, 3, 5), size)
    at = range(2, 8)
    values = [Exact(Fraction(max(either(p, q, order) for p, q in near))) for order in at]
    base = TableCurve(tuple(Exact(order) for order in at), tuple(values))
    curve = BatchCurve(base, Exact(Fraction(2, 5)))
    for order in at:
        assert either(before, after, order) <= curve.at(order)


def test_a_batch_costs_more_than_a_sample_and_less_than_everybody() -> None:
    """Replacing is dearer than removing."""
    gaussian = GaussianCurve(x("0.02"))
    for order in (2, 5, 20):
        batch = BatchCurve(gaussian, x("0.01")).at(order)
        assert PoissonCurve(gaussian, x("0.01")).at(order) < batch < gaussian.at(order)


def test_a_batchs_first_terms() -> None:
    """Order 2: log(1 + q² min(4(e^{ε(2)} − 1), e^{ε(2)} min(2, (e^{ε(∞)} − 1)²)))."""
    q, laplace = 0.1, LaplaceCurve(x("2"))
    two = laplace.at(2)
    least = min(4 * math.expm1(two), math.exp(two) * min(2, math.expm1(0.5) ** 2))
    assert BatchCurve(laplace, x("0.1")).at(2) == pytest.approx(math.log1p(q**2 * least), rel=1e-13)
    huge = GaussianCurve(x("3"))
    assert BatchCurve(huge, x("0.1")).at(2) == pytest.approx(
        math.log1p(q**2 * 2 * math.exp(6)), rel=1e-13
    )
