"""How long a screen lasts: balls against another road, and against mistakes in the margin."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from bursar.errors import LimitReached
from bursar.numerics import screen_sketch
from bursar.numerics.balls import normal_tail, precision
from bursar.numerics.screen_moment import Capped, Uncapped, _whole_blocks
from tests.sweeps import quick_first

PAIRS = [(10, 20, 20), (1, 2, 0), ("0.3", 7, -2), (5, "5.1", 40), (30, 2, 5)]


def slow(s1: float, s2: float, threshold: float, order: float, answers: int | None) -> float:
    """log E m by Gauss-Legendre panels: another rule, and no node of the trapezoid's."""
    stiff = 1 / s1**2 - (1 / s2**2 if answers is None else 0)
    reach = 9.5 / math.sqrt(stiff)
    end = (order + abs(threshold) * s1**2 / s2**2) / (s1**2 * stiff) if answers is None else order
    edges = np.linspace(order - reach, end + reach, 1500)
    x, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2
    z = (edges[:-1, None] + half) + half * x
    log_m = screen_sketch.log_lasts((threshold + z) / s2, 1.0, answers)
    heights = log_m - 0.5 * ((z - order) / s1) ** 2
    total = np.sum(half * weights * np.exp(heights - heights.max()))
    return float(heights.max() + np.log(total) - math.log(s1 * math.sqrt(2 * math.pi)))


@pytest.mark.parametrize(("s1", "s2", "threshold"), quick_first(PAIRS, 3))
def test_balls_are_above_the_slow_twin_and_near_it(s1, s2, threshold) -> None:
    law = Fraction(s1), Fraction(s2), Fraction(threshold)
    for order in (0, Fraction(5, 4), 9):
        for answers in (2, 30, 10**4, None):
            if answers is None and not law[1] > law[0]:
                continue
            moment = Capped(*law, answers) if answers else Uncapped(*law, Fraction(1))
            truth = slow(*map(float, (*law, order)), answers)
            bound = float(moment.log_bound(Fraction(order)))
            assert -1e-11 * (1 + truth) < bound - truth < 1e-10 * (1 + truth)


def test_one_moment_with_25_digits() -> None:
    def integrand(z):
        t = (20 + z) / mpmath.mpf(20)
        return mpmath.npdf(z, 2, 10) * (1 - mpmath.ncdf(t) ** 201) / mpmath.ncdf(-t)

    with mpmath.workdps(25):
        truth = mpmath.log(mpmath.quad(integrand, mpmath.linspace(-130, 140, 28)))
        bound = Capped(Fraction(10), Fraction(20), Fraction(20), 201).log_bound(Fraction(2))
        above = mpmath.mpf(bound.upper().str(25, radius=False)) - truth
    assert 0 < above < mpmath.mpf("1e-15")


@pytest.mark.parametrize(("s1", "s2", "threshold"), PAIRS)
@pytest.mark.parametrize("answers", [None, 1, 201, 10**6])
def test_the_sketch_is_near_the_balls(s1, s2, threshold, answers) -> None:
    law = Fraction(s1), Fraction(s2), Fraction(threshold)
    if answers is None and not law[1] > law[0]:
        return
    orders = np.array([1.1, 3.0, 40.0, 900.0])
    moment = Uncapped(*law, Fraction(1)) if answers is None else Capped(*law, answers)
    balls = [float(moment.log_bound(Fraction(float(order)))) for order in orders]
    near = screen_sketch.log_moments(*map(float, law), orders, answers=answers)
    np.testing.assert_allclose(near, balls, rtol=1e-6, atol=1e-7)


# Zhu & Wang 2020, Prop. 20 corrected: log E Q(z)^-2 at s₂ = √3 s₁, from a quadrature of its own.
@pytest.mark.parametrize(
    ("threshold", "golden"),
    [(0, 2.562204), ("0.5", 3.658585), (1, 5.084100), (2, 9.081326), (3, 14.784975),
     (5, 31.743395), (8, 71.660104)],
)  # fmt: skip
def test_the_second_moment(threshold, golden) -> None:
    moment = Uncapped(Fraction(1), Fraction(math.sqrt(3)), Fraction(threshold), Fraction(2))
    assert float(moment.log_bound(Fraction(0))) == pytest.approx(golden, abs=6e-7)


def test_a_screen_of_one_answer_lasts_one_answer() -> None:
    assert Capped(Fraction(1), Fraction(2), Fraction(0), 1).log_bound(Fraction(3)) == 0


def test_no_mean_is_infinite_and_too_near_it_is_a_limit() -> None:
    one = Fraction(1)
    assert Uncapped(one, one, one, one).log_bound(one) == arb.pos_inf()
    assert Uncapped(one, Fraction("1.5"), one, Fraction(3)).log_bound(one) == arb.pos_inf()
    with pytest.raises(LimitReached, match="nodes"):
        Uncapped(one, one + Fraction(1, 10**12), one, one).log_bound(one)


def _strip(x: float, y: float) -> tuple[complex, complex]:
    """Q and 1 − Q at x + iy."""
    with mpmath.workdps(30):
        above = mpmath.erfc(mpmath.mpc(x, y) / mpmath.sqrt(2)) / 2
        return above, 1 - above


@pytest.mark.parametrize("y", quick_first([0.25, 0.1, 0.6, 1.0], 1))
def test_the_lemmas_of_the_strip_hold_on_a_grid(y: float) -> None:
    """Lemma 5: |F|² ≤ 1 + ω; Lemma 7: |1/Q(x+iy)| ≤ C/Q(x).  And neither is vacuous."""
    with precision(128):
        quarter = math.pi / (4 * y)
        omega = float(arb(2).sqrt() * normal_tail(arb(quarter)) + 2 * normal_tail(arb(2 * quarter)))
    omega *= math.exp(y * y / 2)
    growth = max(1 / (1 - math.exp(y * y / 2) / 2), math.exp(-y * y / 2) / (1 - y * y / 2))
    most, largest = 0.0, 0.0
    for x in np.arange(-8, 14, 0.05):
        above, below = _strip(x, y)
        most = max(most, float(abs(below) ** 2))
        largest = max(largest, float(mpmath.ncdf(-x) / abs(above)))
    assert most <= 1 + omega
    assert largest <= growth
    assert most > 1 - 1e-9 or y < 0.2
    assert largest > 0.99


def test_the_error_of_the_strip_is_needed() -> None:
    """Mutant: with nodes far apart and no error of the strip, the bound is below the truth."""
    law = Fraction(10), Fraction(20), Fraction(20)
    good, bad = Capped(*law, 201), Capped(*law, 201)
    bad.step *= 12
    low = 0
    for offset in range(24):
        bad._blocks.clear()
        bad.step *= 1.01
        with precision(bad.bits):
            first, last = _whole_blocks(-80 / bad.step, bad._end / bad.step)
            unproved = (201 - bad._sum(arb(2), first, last)).log()
        low += unproved < good.log_bound(Fraction(2)) - 1e-9
        assert bad.log_bound(Fraction(2)) > good.log_bound(Fraction(2)), offset
    assert low
