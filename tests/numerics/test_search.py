"""Searching in float64, and refining balls."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from bursar.numerics.search import Floats, least, nearest, refined

START, LIMITS = (-7, 11), (-20, 690)


@given(st.floats(min_value=-19.5, max_value=680))
def test_the_bottom_of_a_valley_is_found_wherever_it_is(bottom: float) -> None:
    found = least(lambda x: np.logaddexp(x - bottom, 2 * (bottom - x)), START, LIMITS)
    assert found == pytest.approx(bottom + math.log(2) / 3, abs=1e-3)


@pytest.mark.parametrize(("slope", "end"), [(1.0, -20), (-1.0, 690)])
def test_a_slope_ends_at_a_limit(slope: float, end: int) -> None:
    assert least(lambda x: slope * x, START, LIMITS) == end


def test_what_is_not_a_number_is_never_chosen() -> None:
    def objective(x: Floats) -> Floats:
        return np.where(x < 3, np.nan, (x - 4) ** 2)

    assert least(objective, START, LIMITS) == pytest.approx(4)
    assert least(lambda x: np.full_like(x, np.nan), START, LIMITS) in LIMITS


def test_a_valley_beside_a_wall() -> None:
    found = least(lambda x: np.where(x > 2.345, np.inf, -x), START, LIMITS)
    assert 2.33 < found <= 2.345


def test_few_calls() -> None:
    sizes = []

    def objective(x: Floats) -> Floats:
        sizes.append(len(x))
        return 1 + (x - 1.7) ** 2

    least(objective, START, LIMITS)
    assert sizes == [19, *[13] * 5]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(1, 3), 1 / 3),
        (Fraction(10) ** 400, math.inf),
        (-(Fraction(10) ** 400), -math.inf),
        (Fraction(1, 10**400), 0.0),
    ],
)
def test_nearest(value: Fraction, expected: float) -> None:
    assert nearest(value) == expected


def test_refining_until_the_bits_are_good() -> None:
    tried = []

    def compute() -> arb:
        tried.append(ctx.prec)
        return (arb(10) ** -60).exp() - 1

    assert refined(compute).rel_accuracy_bits() >= 64
    assert tried == [128, 256, 512]
    assert ctx.prec not in tried


def test_refining_ends() -> None:
    assert refined(lambda: arb(1, 1)).contains(2)
