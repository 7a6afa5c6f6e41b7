"""What stands in one person's data decides neither whether there is an error, nor about others.

Types and shapes of a table are its schema, and public; entries are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar.errors import InvalidParameter
from bursar.noise import (
    GridSum,
    clip_to_grid,
    exponential_mechanism,
    histogram,
    lazy_laplace,
    permute_and_flip,
    release_gaussian,
    release_laplace,
    to_grid,
)

INF, NAN = math.inf, math.nan
FLOATS = [NAN, -NAN, INF, -INF, -0.0, 5e-324, -1e308, 2.0**53, 2.0**63, 0.5]
INTEGERS = [0, -1, 2**31, 2**62, 2**63 - 1, -(2**63)]
ANYTHING = [
    *FLOATS, *INTEGERS, None, "", "x", "1.5", b"1", 1j, True, np.True_, 2**64, 2**70, -(2**70),
    10**400, Fraction(1, 3), Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"),
    Decimal("-1e400"), object(), np.float32(2), np.int8(-3), np.datetime64("2026-01-01"), {}, set(),
]  # fmt: skip

Door = Callable[[Any], Any]

DOORS: dict[str, tuple[Door, list[Any]]] = {
    "to_grid": (lambda v: to_grid(v, low=-1, high=2, grid=4).units, ANYTHING),
    "to_grid, floats": (
        lambda v: to_grid(np.array(v, dtype=np.float64), low=-1, high=2, grid=4).units,
        FLOATS,
    ),
    "to_grid, integers": (
        lambda v: to_grid(np.array(v, dtype=np.int64), low=-1, high=2, grid=4).units,
        INTEGERS,
    ),
    "to_grid, rows": (
        lambda v: to_grid([[one, 1] for one in v], low=-1, high=2, grid=4).units,
        [one for one in ANYTHING if one not in ({}, set())],
    ),
    "clip_to_grid": (
        lambda v: clip_to_grid([[one, 1.0] for one in v], norm=1, grid=4).units,
        [one for one in ANYTHING if one not in ({}, set())],
    ),
    "clip_to_grid, floats": (
        lambda v: clip_to_grid(np.array([[x, 1.0] for x in v], np.float64), norm=1, grid=4).units,
        FLOATS,
    ),
}


@pytest.mark.parametrize("name", DOORS)
def test_each_person_is_mapped_alone(name: str) -> None:
    """Whatever anybody else holds, and at each time, the same comes of a person's data."""
    door, entries = DOORS[name]
    whole = door(entries)
    assert len(whole) == len(entries)
    for i, entry in enumerate(entries):
        alone = door([entry])
        assert np.array_equal(alone[0], whole[i]), entry
        assert np.array_equal(door([entry, entries[-1 - i]])[0], whole[i]), entry


@given(st.lists(st.sampled_from(ANYTHING), min_size=1, max_size=6))
def test_no_error_depends_on_what_a_person_s_data_is(entries: list[Any]) -> None:
    for low, high in ((-1, 2), (1, 3)):
        units = to_grid(entries, low=low, high=high, grid=4).units
        assert ((units >= low * 16) & (units <= high * 16)).all()
    counts = histogram(entries, categories=3)
    one_less = histogram(entries[1:], categories=3)
    assert 0 <= (counts.units - one_less.units).sum() <= 1


def test_what_is_no_number_counts_as_nothing() -> None:
    assert to_grid([None, "1", b"1", 1j, {}], low=-1, high=1).units.tolist() == [0] * 5
    assert to_grid([2**70, -(2**70), 10**400, Decimal("sNaN"), Fraction(1, 2)],
                   low=-4, high=4, grid=1).units.tolist() == [8, -8, 8, 0, 1]  # fmt: skip
    assert histogram([0, "0", None, 2**70, 1.0, True, Decimal(1)], categories=2).units.tolist() == [
        1,
        3,
    ]
    assert histogram([[0, None], ["a", 1]], categories=2).units.tolist() == [1, 1]
    mixed = np.array([0.25, None, "x"], dtype=object)
    assert to_grid(mixed, low=0, high=1, grid=2).units.tolist() == [1, 0, 0]


def test_a_type_is_refused_and_so_is_a_shape() -> None:
    """They are the schema's: no entry of one person can change them in a typed table."""
    for table in (np.array(["a"]), np.array([1j]), np.array(["2026-01-01"], "M8[D]")):
        for door in (
            lambda t: to_grid(t, low=0, high=1),
            lambda t: clip_to_grid(t.reshape(1, 1), norm=1, grid=3),
            lambda t: histogram(t, categories=2),
        ):
            with pytest.raises(InvalidParameter):
                door(table)
    with pytest.raises(InvalidParameter, match="one length"):
        to_grid([[1, 2], [3]], low=0, high=1)


def test_sums_beyond_64_bits_wrap_as_all_sums_do() -> None:
    found = GridSum([2**64 + 5, -(2**63) - 1, 3], l1=1)
    assert found.units.tolist() == [5, 2**63 - 1, 3]
    for release in (
        lambda total: release_gaussian(total, noise_multiplier=1),
        lambda total: release_laplace(total, scale=1),
    ):
        for edge in (2**63 - 1, -(2**63), 2**64, 0):
            assert release(GridSum([edge], l1=1)).units.shape == (1,)


def test_scores_beyond_64_bits_are_clamped() -> None:
    """Clamping moves no two scores further apart, so the sensitivity stays."""
    for choose in (exponential_mechanism, permute_and_flip):
        assert choose([0, 2**80, 5], epsilon=1, sensitivity=1) == 1
        assert choose([0, -(2**80), 2**62], epsilon=1, sensitivity=1) == 2
        with pytest.raises(InvalidParameter):
            choose([0, 0.5], epsilon=1, sensitivity=1)


@pytest.mark.parametrize("query", [*INTEGERS, 2**80, -(10**400), Fraction(1, 3), "1e300"])
def test_comparisons_take_every_number(query: Any) -> None:
    found = bool(query + lazy_laplace(scale=1) >= lazy_laplace(scale=1) + query)
    assert found in {True, False}


def test_a_check_in_the_negative_form_is_caught() -> None:
    """The mutant: `if scale <= 0: raise` lets NaN through, and a person's NaN through a clip."""

    def checked(scale: float) -> float:
        if scale <= 0:
            raise InvalidParameter("it must be above 0", field="scale", value=scale)
        return scale

    assert math.isnan(checked(NAN))
    clipped = np.clip(np.array([NAN, 1.0]), 0, 1)
    assert math.isnan(clipped.sum())
    for scale in (NAN, INF, 0.0, -1.0):
        with pytest.raises(InvalidParameter):
            release_laplace(GridSum([1], l1=1), scale=scale)
    assert to_grid([NAN, 1.0], low=0, high=1).total().units == 1
