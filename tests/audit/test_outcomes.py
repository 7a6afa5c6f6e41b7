"""Outcomes of all kinds become tables in which nothing that differs looks the same."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar.audit.outcomes import ABSENT, NO_BIT, NUMBER, lowest_bits, tables
from bursar.noise import Release

DIFFERENT = [
    0.0, -0.0, 1, 1.0, True, None, "None", "", float("nan"), float("inf"), 2**53, 2**53 + 1,
    2**70, Fraction(1, 3), Decimal("0.1"), 0.1, [], [1], [1, 2], (2, 1), {"a": 1}, {"b": 1},
    ValueError("x"), ValueError("y"), TypeError("x"), b"1", Release(np.array([3]), 2, True),
]  # fmt: skip


def test_what_differs_has_another_code() -> None:
    first, second = tables(DIFFERENT, list(reversed(DIFFERENT)))
    assert len(set(first.codes.tolist())) == len(DIFFERENT)
    assert first.codes.tolist() == second.codes.tolist()[::-1]


def test_leaves_are_numbers_words_or_nothing() -> None:
    table, _ = tables([(1.5, None), 7, ValueError("no")], [0])
    assert table.kinds.tolist() == [
        [NUMBER, NUMBER + 1],
        [NUMBER, ABSENT],
        [NUMBER + 2, ABSENT],
    ]
    assert table.values[:, 0].tolist()[:2] == [1.5, 7.0]
    assert np.isnan(table.values[2, 0])
    assert table.words == ("None", "error ValueError: no")


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_arrays_are_taken_as_their_items_are(dtype: str, shape: tuple[int, ...]) -> None:
    rows = (np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype)
    fast, _ = tables(rows, rows)
    slow, _ = tables([row.tolist() for row in rows] + [None], [None])
    assert fast.values.tolist() == slow.values[:-1].tolist()
    assert (fast.kinds == NUMBER).all()
    assert fast.bits.tolist() == slow.bits[:-1].tolist()
    same = fast.codes[:, None] == fast.codes
    assert (same == (slow.codes[:-1, None] == slow.codes[:-1])).all()


def test_nan_in_an_array_is_a_word() -> None:
    table, _ = tables(np.array([1.0, np.nan]), np.array([np.inf, -0.0]))
    assert table.kinds.tolist() == [[NUMBER], [NUMBER + 1]]
    assert table.words == ("nan",)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_lowest_bit_is_the_denominator_s(value: float) -> None:
    place = int(lowest_bits(np.array([value]))[0])
    if value == 0:
        assert place == NO_BIT
    else:
        odd = Fraction(value) / Fraction(2) ** place
        assert odd.denominator == 1
        assert odd.numerator % 2 == 1


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_the_lowest_bit_of_whole_numbers_is_exact(value: int) -> None:
    place = int(lowest_bits(np.array([value], dtype=np.int64))[0])
    assert value % 2**place == 0
    assert value % 2 ** (place + 1) != 0
    slow, _ = tables([value, None], [None])
    assert slow.bits[0, 0] == place


def test_a_grid_hides_low_bits_and_nothing_else() -> None:
    table, other = tables([0.3, 0.3000001, -1e-9, None], [1e300, 0.5, np.inf, 3], grid=4)
    assert table.values[:3, 0].tolist() == [0.3125, 0.3125, 0.0]
    assert table.codes[0] == table.codes[1]
    assert other.values[:, 0].tolist() == [1e300, 0.5, np.inf, 3]
    fast, _ = tables(np.array([0.3, -1e-9]), np.array([1e300, np.inf]), grid=4)
    assert fast.values[:, 0].tolist() == [0.3125, 0.0]
    assert fast.bits[:, 0].tolist() == [-4, NO_BIT]


def test_parts_keep_their_codes() -> None:
    first, _ = tables([1, 2, 3, 1], [2])
    assert first.part(3, 4).codes[0] == first.codes[0]
    assert len(first.part(1, 3)) == 2
