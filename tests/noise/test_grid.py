"""Each person moves a sum by what is claimed at most, whatever the data: exactly, in integers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar.errors import InvalidParameter
from bursar.noise import GridSum, clip_to_grid, histogram, to_grid
from bursar.noise.grid import LARGEST, root_up
from bursar.noise.rounded import LARGEST_SCALE

INF, NAN = float("inf"), float("nan")
ADVERSARIAL = [0.0, -0.0, 5e-324, -1e-310, 0.1, 0.5, 1.5, 2.0**53, 2.0**53 + 2, -(2.0**63), 1e308]
NUMBERS = st.sampled_from([*ADVERSARIAL, INF, -INF, NAN]) | st.floats()
BOUNDS = st.sampled_from([(0, 1), (-1, 1), (-3, 2), (1, 5), (-7, -2), ("0.1", "0.7")])


def square(row: np.ndarray) -> int:
    return sum(int(v) ** 2 for v in np.atleast_1d(row))


@given(st.lists(NUMBERS, min_size=1, max_size=30), BOUNDS, st.sampled_from([3, 10, 20]), st.data())
def test_a_person_moves_a_sum_by_at_most_the_bound(values, bounds, grid, data) -> None:
    low, high = bounds
    whole = to_grid(values, low=low, high=high, grid=grid).total()
    out = data.draw(st.integers(0, len(values) - 1))
    order = data.draw(st.permutations([v for i, v in enumerate(values) if i != out]))
    rest = to_grid(np.array(order, dtype=float), low=low, high=high, grid=grid).total()
    moved = abs(int(whole.units) - int(rest.units))
    assert moved <= whole.l1
    assert whole.l1 == whole.l2 == rest.l1
    assert whole.l1 <= max(abs(Fraction(low)), abs(Fraction(high))) * 2**grid


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=9), BOUNDS)
def test_rows_stay_within_both_norms(rows, bounds) -> None:
    low, high = bounds
    found = to_grid(np.array(rows), low=low, high=high, grid=4)
    for row in found.units:
        assert square(row) <= found.l2**2
        assert sum(abs(int(v)) for v in row) <= found.l1


@given(
    st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=9),
    st.sampled_from([1, "0.3", 7, Fraction(10**6, 3)]),
    st.sampled_from([0, 5, 10]),
)
def test_no_vector_is_longer_than_the_norm(rows, norm, grid) -> None:
    found = clip_to_grid(np.array(rows), norm=norm, grid=grid)
    for row in found.units:
        assert square(row) <= found.l2**2
        assert sum(abs(int(v)) for v in row) <= found.l1
    assert found.l2 == Fraction(norm) * 2**grid


def test_long_vectors_at_the_norm() -> None:
    """10,000 coordinates just above and just below the norm, at every scale of the data."""
    rng = np.random.default_rng(1)
    direction = rng.normal(size=(8, 10_000))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    for scale in (1 - 1e-15, 1, 1 + 1e-15, 1e-300, 1e300):
        found = clip_to_grid(direction * scale, norm=1, grid=29)
        for row in found.units:
            assert square(row) <= found.l2**2
        if scale > 0.5:
            assert all(
                square(row) >= (found.l2 * (1 - Fraction(1, 10**5))) ** 2 for row in found.units
            )
    assert clip_to_grid(
        np.array([[3e307, 4e307], [3e-310, 4e-310]]), norm=5, grid=2
    ).units.tolist() == [
        [11, 15],
        [0, 0],
    ]


def test_what_is_inside_keeps_its_value() -> None:
    rows = np.array([[0.25, -0.5], [0.75, 0.0], [-0.0, 0.125]])
    assert clip_to_grid(rows, norm=1, grid=3).units.tolist() == [[2, -4], [6, 0], [0, 1]]
    exact = to_grid([0.25, -0.5, 1.0], low=-1, high=1, grid=2)
    assert exact.units.tolist() == [1, -2, 4]


def test_nan_infinities_and_bounds() -> None:
    values = [NAN, INF, -INF, 1e308, -0.0, 2.5, 3.5]
    assert to_grid(values, low=-3, high=3).units.tolist() == [0, 3, -3, 3, 0, 2, 3]
    assert to_grid(values, low=1, high=3).units.tolist()[:3] == [1, 3, 1]
    assert to_grid([0.0], low="0.3", high=2).units.tolist() == [1]
    assert to_grid([0.7], low="0.1", high="0.7", grid=2).units.tolist() == [2]  # rounded inward
    assert clip_to_grid([[NAN, 5.0], [INF, -INF]], norm=1, grid=3).units.tolist() == [
        [0, 7],
        [5, -5],
    ]


def test_kinds_of_numbers() -> None:
    for kind in (np.int8, np.uint64, np.float32, np.float16, np.bool_):
        assert to_grid(np.array([0, 1], dtype=kind), low=0, high=1, grid=1).units.tolist() == [0, 2]
    edges = np.array([-(2**63), 2**63 - 1])
    assert to_grid(edges, low=-5, high=5, grid=2).units.tolist() == [-20, 20]
    assert to_grid([], low=0, high=1).total().units == 0
    assert to_grid(np.zeros((0, 3)), low=0, high=1).total().units.tolist() == [0, 0, 0]


@given(st.permutations(list(range(40))))
def test_the_order_does_not_matter(order) -> None:
    values = np.array([1e16, 1.0, -1e16, 1e-9, 0.1, -0.3, 7, -7] * 5)
    whole = to_grid(values, low=-(10**6), high=10**6, grid=8).total().units
    assert to_grid(values[order], low=-(10**6), high=10**6, grid=8).total().units == whole


def test_sums_do_not_overflow_for_all_people_on_earth() -> None:
    """2^33 people of 2^29 units: what is left of 63 bits holds any noise of the largest scale."""
    assert 2**33 * LARGEST + 2912 * LARGEST_SCALE < 2**63


def test_a_wrapped_sum_still_moves_by_one_person_only() -> None:
    """Modulo 2^64, whatever was summed before: the difference is the person's own units."""
    full = GridSum(np.array([2**63 - 1]), l1=5)
    more = GridSum(np.array([2**63 + 4], dtype=np.uint64), l1=5)
    assert (int(more.units[0]) - int(full.units[0])) % 2**64 == 5


def test_histograms() -> None:
    counted = histogram([0, 2, 2, 7, -1], categories=3)
    assert (counted.units.tolist(), counted.l1, counted.l2) == ([1, 0, 2], 1, 1)
    floats = histogram([0.0, 2.5, NAN, INF, -0.0, 2.0], categories=3)
    assert floats.units.tolist() == [2, 0, 1]
    huge = histogram(np.array([2**64 - 1], dtype=np.uint64), categories=2)
    assert huge.units.tolist() == [0, 0]
    assert histogram(np.array([True, False, True]), categories=2).units.tolist() == [1, 2]
    assert histogram(np.array([1.0, NAN], dtype=np.float32), categories=2).units.tolist() == [0, 1]
    assert histogram(np.zeros(0, int), categories=2).units.tolist() == [0, 0]


@given(st.lists(st.lists(st.integers(-2, 6), min_size=3, max_size=3), min_size=1, max_size=9))
def test_a_person_counts_once_in_each_of_a_few_categories(rows) -> None:
    whole = histogram(rows, categories=5)
    rest = histogram(np.array(rows[1:], dtype=int).reshape(-1, 3), categories=5)
    moved = whole.units - rest.units
    assert moved.max() <= 1
    assert moved.min() >= 0
    assert moved.sum() <= 3 == whole.l1
    assert square(moved) <= whole.l2**2


@given(st.integers(0, 10**12))
def test_roots_are_rounded_up(n: int) -> None:
    root = root_up(n)
    assert root**2 >= n
    assert n == 0 or (root - Fraction(1, 2**20)) ** 2 < n
    assert math.isqrt(n) ** 2 != n or root == math.isqrt(n)


@pytest.mark.parametrize("bad", ["nan", NAN, INF, True, None, "x"])
def test_bad_bounds(bad: object) -> None:
    for call in (
        lambda: to_grid([1], low=bad, high=1),
        lambda: to_grid([1], low=0, high=bad),
        lambda: to_grid([1], low=0, high=1, grid=bad),
        lambda: clip_to_grid([[1]], norm=bad, grid=1),
        lambda: clip_to_grid([[1]], norm=1, grid=bad),
        lambda: histogram([1], categories=bad),
        lambda: GridSum(np.array([1]), l1=bad),
        lambda: GridSum(np.array([1]), l1=1, grid=bad),
    ):
        with pytest.raises(InvalidParameter):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: to_grid([1], low=2, high=1),
        lambda: to_grid([1], low=0, high=0),
        lambda: to_grid([1], low=0, high="0.4"),
        lambda: to_grid([1], low=0, high=1, grid=30),
        lambda: to_grid([1], low=0, high=1, grid=1001),
        lambda: to_grid(np.array(["a"]), low=0, high=1),
        lambda: to_grid(3.0, low=0, high=1),
        lambda: to_grid(np.array([1j]), low=0, high=1),
        lambda: clip_to_grid([[1]], norm=0, grid=1),
        lambda: clip_to_grid([[1]], norm=-1, grid=1),
        lambda: clip_to_grid([[1]], norm=2, grid=29),
        lambda: clip_to_grid([1], norm=2, grid=3),
        lambda: histogram([[[1]]], categories=2),
        lambda: histogram(np.array(["a"]), categories=2),
        lambda: histogram([1], categories=0),
        lambda: GridSum(np.array([1]), l1=0),
        lambda: GridSum(np.array([1]), l1=-1),
        lambda: GridSum(np.array([1]), l1=1, l2=0),
        lambda: GridSum(np.array([0.5]), l1=1),
        lambda: GridSum(np.array([True]), l1=1),
    ],
)
def test_what_is_refused(call) -> None:
    with pytest.raises(InvalidParameter):
        call()
