"""Errors carry what they say, and say it however strange the value is."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Exact
from bursar.mechanisms.statements import PureDP
from bursar.truth import UpperBound


def test_an_error_carries_its_four_fields() -> None:
    error = InvalidParameter("it must be above 0", field="x", value="nan", hint="Try 1.")
    assert str(error) == "x = 'nan', but it must be above 0. Try 1."
    told = {"field": "x", "value": "nan", "need": "it must be above 0", "hint": "Try 1."}
    assert error.to_json() == {"error": {"kind": "InvalidParameter", **told}}


def test_what_was_not_given_has_no_value() -> None:
    error = InvalidParameter("it must be given", field="delta")
    assert str(error) == "delta: it must be given."
    assert error.to_json()["error"]["value"] is None


def test_the_safe_answer_so_far_stands_beside_the_limit() -> None:
    error = LimitReached("time is up", partial=UpperBound(upper=2.0)).to_json()["error"]
    assert error["partial"]["epsilon"] == {"upper": 2.0}
    assert error["partial"]["kind"] == "upper-bound"


@pytest.mark.parametrize("value", [10**5000, -(10**5000), "9" * 2000, "1e1001"], ids="abcd")
def test_a_number_too_long_to_print_is_refused_in_words(value: int | str) -> None:
    with pytest.raises(InvalidParameter, match="too many digits"):
        PureDP(epsilon=value)


@pytest.mark.parametrize(
    "value",
    ["1e1000", "1e-1000", "1/3", int("9" * 1000), Fraction(1, 2**3321), Fraction(7**1183, 5**1430)],
    ids=range(6),
)
def test_every_number_that_may_come_in_can_be_written(value: str | int | Fraction) -> None:
    assert Exact.of(Exact.of(value).text) == Exact.of(value)
