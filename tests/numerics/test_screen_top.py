"""What one top costs: the maximum by grids and with 40 digits, and what falls back."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import log_ndtr

from bursar.numerics.screen_top import log_top, log_tops

ORDERS = ["1.01", "1.5", 3, 24, 300, 5000]
SHIFTS = ["0.01", "0.2", 2]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_it_is_above_every_point_and_near_the_highest(order, shift) -> None:
    a, s = Fraction(order), Fraction(shift)
    if a * s > 5000:
        return
    x = np.linspace(-60 / float(s) - 8, float(a * s) + 10, 200_001)
    heights = float(a) * log_ndtr(float(s) - x) - float(a - 1) * log_ndtr(-x)
    bound = float(log_top(a, s))
    assert bound >= heights.max() * (1 - 1e-14)
    assert bound <= heights.max() * 1.01 + 1e-10
    assert bound <= float(a * (a - 1) * s * s / 2)
    assert log_tops(np.array([float(a)]), float(s))[0] == pytest.approx(bound, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("order", "shift"), [("1.5", 2), (24, "0.2"), (300, "0.2")])
def test_the_maximum_with_40_digits(order, shift) -> None:
    a, s = Fraction(order), Fraction(shift)
    with mpmath.workdps(40):
        alpha, move = (mpmath.mpf(x.numerator) / x.denominator for x in (a, s))

        def height(x):
            up, down = (mpmath.log(mpmath.erfc(v / mpmath.sqrt(2)) / 2) for v in (x - move, x))
            return alpha * up - (alpha - 1) * down

        x = np.linspace(-20, float(a * s) + 5, 20_001)
        heights = float(a) * log_ndtr(float(s) - x) - float(a - 1) * log_ndtr(-x)
        start = float(x[np.argmax(heights)])
        top = mpmath.findroot(lambda x: mpmath.diff(height, x), start)
        truth = height(top)
        above = mpmath.mpf(log_top(a, s).upper().str(35, radius=False)) - truth
    assert 0 <= above < mpmath.mpf("1e-12") * (1 + truth)


def test_a_smaller_move_costs_less() -> None:
    found = [float(log_top(Fraction(9), Fraction(s, 10))) for s in (1, 5, 10, 30)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_an_order_that_no_float_tells_from_one() -> None:
    assert log_top(1 + Fraction(1, 10**20), Fraction(1, 5)) < 1e-20


def test_far_out_the_noise_itself_is_charged() -> None:
    a, s = Fraction(10**6), Fraction(2)
    assert log_top(a, s).contains(int(a * (a - 1) * 2))
    assert log_tops(np.array([1e6, 1e200]), 2.0).tolist() == [(1e6 - 1) * 2e6, np.inf]
