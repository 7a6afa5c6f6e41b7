"""Published attacks on noise and on what it is added to: each is caught in the version it broke.

The numbers are those of docs/trust.md.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bursar.errors import InvalidParameter
from bursar.noise import (
    GridSum,
    bernoulli_exp,
    clip_to_grid,
    discrete_gaussian,
    discrete_laplace,
    exponential_mechanism,
    lazy_gaussian,
    lazy_laplace,
    release_gaussian,
    release_laplace,
    rounded_gaussian,
    rounded_laplace,
    to_grid,
)
from tests.noise import broken
from tests.noise.feed import table

GRID = 20


def released(values: np.ndarray, sigma: float) -> np.ndarray:
    total = GridSum(np.ldexp(values, GRID).astype(np.int64), l1=2**GRID, grid=GRID)
    return release_gaussian(total, noise_multiplier=sigma).values


def released_laplace(values: np.ndarray, scale: float) -> np.ndarray:
    total = GridSum(np.ldexp(values, GRID).astype(np.int64), l1=2**GRID, grid=GRID)
    return release_laplace(total, scale=scale).values


def off_the_grid(values: np.ndarray) -> int:
    """How many are no multiple of 2^-grid: each of them tells which data it came from."""
    scaled = np.ldexp(values, GRID)
    return int((scaled != np.rint(scaled)).sum())


BROKEN = [broken.float_laplace, broken.float_gaussian, broken.four_gaussians]


class TestPorousFloats:
    """1 (Mironov 2012), 3 (Jin et al. 2022), 4 (four normals for one)."""

    @pytest.mark.parametrize("release", [released, released_laplace])
    def test_every_value_is_on_the_grid(self, release) -> None:
        for data in (0.0, 1.0, 2.0**20, 2.0**-20):
            assert off_the_grid(release(np.full(20_000, data), 3.0)) == 0

    @pytest.mark.parametrize("noise", BROKEN)
    def test_floats_are_caught(self, noise) -> None:
        assert off_the_grid(noise(np.zeros(1000), 3.0)) > 900

    @pytest.mark.parametrize("sampler", [rounded_gaussian, rounded_laplace])
    def test_all_integers_are_reached_from_every_data(self, sampler) -> None:
        """Each j out to where P(j) falls below 2^-80 has words that give it: one set for all."""
        name = {rounded_gaussian: "noise_std", rounded_laplace: "scale"}[sampler]
        drawn = table(lambda size: sampler(**{name: 2}, size=size), 20)
        assert all(low > 0 for low, _ in drawn.values())

    def test_noised_gradients_are_on_the_grid(self) -> None:
        rows = np.random.default_rng(0).normal(size=(50, 300))
        total = clip_to_grid(rows, norm=1, grid=GRID).total()
        assert off_the_grid(release_gaussian(total, noise_multiplier=1).values) == 0
        as_floats = np.ldexp(total.units.astype(float), -GRID)
        for noise in (broken.float_gaussian, broken.four_gaussians):
            assert off_the_grid(noise(as_floats.astype(np.float32), 1.0)) > 200


class TestCasacuberta:
    """7 (rounding, overflow, re-ordering) and 8 (the mean's rounding, opendp#2923)."""

    ROWS = (
        [2.0**53, 1.0, 1.0, 1.0],
        [1e16, 1.0, -1e16, 1.0],
        [0.1] * 10,
        [2.0**53, -1.0, -(2.0**53)],
    )

    @staticmethod
    def largest_move(total, rows) -> float:
        """By how much a sum moves when one person leaves and the others change places."""
        return max(
            abs(total(list(row)) - total(list(order)))
            for row in rows
            for out in range(len(row))
            for order in itertools.islice(itertools.permutations(row[:out] + row[out + 1 :]), 30)
            if abs(row[out]) <= 1
        )

    def test_ours_moves_by_the_person_who_left(self) -> None:
        total = lambda row: float(to_grid(row, low=-1, high=1, grid=10).total().units) / 2**10  # noqa: E731
        assert self.largest_move(total, self.ROWS) <= 1

    def test_a_float_sum_is_caught(self) -> None:
        """Those who stay may be large: it is the person of at most 1 who moves it by more."""
        assert self.largest_move(lambda row: broken.float_sum(row, 2.0**54), self.ROWS) > 1

    def test_a_saturating_sum_is_caught(self) -> None:
        """As data that adds up to 0 either way round, which the order tells apart."""
        row = [100] * 2 + [-100] * 2
        mixed = [100, -100, 100, -100]
        assert broken.wrapping_sum(row, 100) != broken.wrapping_sum(mixed, 100)
        ours = [int(to_grid(r, low=-100, high=100).total().units) for r in (row, mixed)]
        assert ours == [0, 0]

    @given(
        st.lists(st.floats() | st.integers(-(2**63), 2**64 - 1).map(float), min_size=1), st.data()
    )
    def test_re_ordering_moves_nothing(self, values, data) -> None:
        order = data.draw(st.permutations(values))
        first, second = (to_grid(v, low=-7, high=9, grid=12).total().units for v in (values, order))
        assert first == second

    def test_squared_deviations(self) -> None:
        """1,024 records at 2^50 + 1/4, one of them at + 1/2: a bound of 1 a person, two people."""
        at, n = 2.0**50, 1024
        x, y = [at + 0.25] * n, [at + 0.5] + [at + 0.25] * (n - 1)
        assert abs(broken.squared_deviations(x) - broken.squared_deviations(y)) > 60
        sums = [
            to_grid((np.array(v) - at) ** power, low=0, high=1, grid=10).total()
            for v in (x, y)
            for power in (1, 2)
        ]
        for before, after in ((sums[0], sums[2]), (sums[1], sums[3])):
            assert abs(int(before.units) - int(after.units)) <= 2 * before.l1


class TestFailOpenNumbers:
    """22: no parameter that is NaN, infinite, negative, zero or a bool gives any noise."""

    DOORS = (
        lambda v: rounded_gaussian(noise_std=v, size=1),
        lambda v: rounded_laplace(scale=v, size=1),
        lambda v: discrete_laplace(scale=v, size=1),
        lambda v: discrete_gaussian(sigma=v, size=1),
        lambda v: lazy_gaussian(noise_std=v),
        lambda v: lazy_laplace(scale=v),
        lambda v: release_gaussian(GridSum(np.array([1]), l1=1), noise_multiplier=v),
        lambda v: release_laplace(GridSum(np.array([1]), l1=1), scale=v),
        lambda v: GridSum(np.array([1]), l1=v),
        lambda v: GridSum(np.array([1]), l1=1, l2="nan" if v is None else v),
        lambda v: exponential_mechanism(np.array([1]), epsilon=v, sensitivity=1),
        lambda v: exponential_mechanism(np.array([1]), epsilon=1, sensitivity=v),
        lambda v: clip_to_grid([[1.0]], norm=v, grid=0),
    )

    @pytest.mark.parametrize("door", DOORS)
    @settings(max_examples=40)
    @given(
        st.sampled_from(
            ["nan", "inf", "-0", "1e999999", "0/1", "", "١x", None, True, False, 1j, [1]]
        )
        | st.floats(max_value=0.0)
        | st.floats(allow_nan=True).filter(lambda v: not np.isfinite(v))
        | st.fractions(max_value=0)
        | st.integers(max_value=0)
        | st.floats(max_value=0, width=32).map(np.float32)
    )
    def test_nothing_but_a_positive_number_passes(self, door, value) -> None:
        with pytest.raises(InvalidParameter):
            door(value)

    @given(st.floats(min_value=5e-324, max_value=1e-300))
    def test_the_smallest_scales_are_scales(self, value) -> None:
        assert rounded_gaussian(noise_std=value, size=2).tolist() == [0, 0]
        assert discrete_laplace(scale=value, size=2).tolist() == [0, 0]
        assert discrete_gaussian(sigma=value, size=1).tolist() == [0]
        assert not bernoulli_exp(exponent=Fraction(10**6))


class TestTwins:
    """The integer samplers of Canonne, Kamath & Steinke agree with ours, draw for draw in law."""

    @pytest.mark.statistical
    @pytest.mark.parametrize("name", ["laplace", "gaussian"])
    def test_the_integer_twin_has_the_same_law(self, name: str) -> None:
        """Two-sample χ² on 9 cells: a false alarm in 1e8 runs (χ² > 55)."""
        n = 10_000
        if name == "laplace":
            twin = [broken.trial_by_trial_laplace(2) for _ in range(n)]
            ours = discrete_laplace(scale=2, size=n)
        else:
            twin = [broken.trial_by_trial_gaussian(Fraction(2)) for _ in range(n)]
            ours = discrete_gaussian(sigma=2, size=n)
        counts = [np.bincount(np.clip(v, -4, 4) + 4, minlength=9) for v in (np.array(twin), ours)]
        assert ((counts[0] - counts[1]) ** 2 / (counts[0] + counts[1])).sum() < 55
        wider = discrete_laplace(scale="2.3", size=n) if name == "laplace" else ours * 9 // 8
        other = np.bincount(np.clip(wider, -4, 4) + 4, minlength=9)
        assert ((counts[0] - other) ** 2 / (counts[0] + other)).sum() > 55
