"""Scales: values in their order, short as they print, neighbours less than 1e-6 apart."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar import Exact, InvalidParameter
from bursar.accounting.scales import Decimals, Wholes

INDICES = st.integers(-290 * 90_000_000, 290 * 90_000_000)


@given(INDICES)
def test_decimals_are_short_and_in_order(index: int) -> None:
    value, above = Decimals().at(index), Decimals().at(index + 1)
    assert value < above < value * (1 + 1.01e-7)
    digits = Exact.of(value).text.split("e")[0].replace(".", "").strip("0")
    assert len(digits) <= 8
    assert float(repr(value)) == value


@given(st.floats(-300, 300))
def test_the_nearest_decimal(log: float) -> None:
    scale = Decimals()
    index, value = scale.nearest(log), math.exp2(log)
    off = abs(scale.at(index) - value)
    assert all(off <= abs(scale.at(index + way) - value) for way in (-1, 1))


@given(st.fractions(Fraction(1, 10**12), 10**12), st.fractions(Fraction(1, 10**12), 10**12))
def test_brackets_are_rounded_inward(first: Fraction, second: Fraction) -> None:
    low, high = min(first, second), 3 * max(first, second)
    scale = Decimals()
    start, end = scale.within((low, high))
    assert Fraction(repr(scale.at(start - 1))) < low <= Fraction(repr(scale.at(start)))
    assert Fraction(repr(scale.at(end))) <= high < Fraction(repr(scale.at(end + 1)))


def test_some_decimals() -> None:
    scale = Decimals()
    assert scale.at(0) == 1.0
    assert [repr(scale.at(index)) for index in (-1, 1)] == ["0.99999999", "1.0000001"]
    assert scale.within((1, 10)) == (0, 90_000_000)


def test_whole_numbers() -> None:
    scale = Wholes()
    assert scale.at(7) == 7
    assert isinstance(scale.at(7), int)
    assert [scale.nearest(log) for log in (0.0, 1.4, 10.0, -5.0)] == [1, 3, 1024, 1]
    assert scale.within((3, 9)) == (3, 9)


@pytest.mark.parametrize("bracket", [(2, 1), (1, 1), (1,), 5, None, (0, 1), ("1/3", "1/3")])
def test_what_is_no_bracket(bracket: object) -> None:
    for scale in (Decimals(), Wholes()):
        with pytest.raises(InvalidParameter) as caught:
            scale.within(bracket)  # type: ignore[arg-type]
        assert caught.value.field == "bracket"
