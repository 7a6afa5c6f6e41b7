"""Releases: the noise of the mechanism that is charged, on the grid, marked when rehearsed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bursar.errors import InvalidParameter, Refused
from bursar.noise import (
    GridSum,
    NotPrivate,
    Release,
    refuse_rehearsal,
    rehearse,
    release_gaussian,
    release_laplace,
    rounded_gaussian,
    to_grid,
)
from tests.noise import laws
from tests.noise.feed import BITS, thresholds

pytestmark = pytest.mark.usefixtures("precise")

RELEASES = {
    "gaussian": lambda total, m: release_gaussian(total, noise_multiplier=m),
    "laplace": lambda total, m: release_laplace(total, scale=m),
}


@pytest.mark.parametrize("name", RELEASES)
def test_the_noise_is_scaled_by_the_bound_of_its_norm(name: str) -> None:
    """P(|noise| > m) where a person adds (3, 4): l1 = 7, l2 = 5; the multiplier is 3/2."""
    tail = {"gaussian": laws.normal_tail, "laplace": laws.laplace_tail}[name]
    scale = Fraction(3, 2) * {"gaussian": 5, "laplace": 7}[name]

    def sample(size: int) -> np.ndarray:
        total = GridSum(np.full(size, 1000), l1=7, l2=5, grid=2)
        return RELEASES[name](total, "1.5").units - 1000

    for m, above in zip((0, 7, 30), thresholds(sample, (0, 7, 30)), strict=True):
        truth = tail(laws.ball(Fraction(2 * m + 1, 2) / scale)) * 2 ** (BITS + 1)
        assert abs(truth - above) <= 1


@pytest.mark.parametrize("name", RELEASES)
def test_shapes_and_exact_values(name: str) -> None:
    for shape in ((), (3,), (2, 3), (0,)):
        found = RELEASES[name](GridSum(np.full(shape, 5), l1=1, grid=-3), "1e-3")
        assert found.units.shape == found.values.shape == shape
        assert found.fractions() == [40] * int(np.prod(shape))
        assert found.private
    fine = RELEASES[name](to_grid([0.3, 0.4], low=0, high=1, grid=60 - 33).total(), 2)
    assert all(value * 2**27 % 1 == 0 for value in fine.fractions())
    assert float(fine.values) == float(fine.fractions()[0])


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("bad", [0, -1, "nan", float("nan"), float("inf"), True, None, 2**41])
def test_bad_noise(name: str, bad: object) -> None:
    with pytest.raises(InvalidParameter):
        RELEASES[name](GridSum(np.array([1]), l1=1), bad)


def test_at_the_edges_of_the_integers_it_wraps_and_does_not_raise() -> None:
    """A sum at 2^63 − 1 is still released, whatever the noise: no error depends on the data."""
    total = GridSum(np.full(1000, 2**63 - 1), l1=1)
    found = release_gaussian(total, noise_multiplier=100)
    assert (found.units < 0).any()
    assert (found.units > 0).any()


def test_a_rehearsal_repeats_itself_and_says_so() -> None:
    total = GridSum(np.arange(100), l1=1)
    run = lambda: release_gaussian(total, noise_multiplier=10)  # noqa: E731
    first, second = rehearse(run, seed=1), rehearse(run, seed=1)
    assert isinstance(first, NotPrivate)
    assert (first.value.units == second.value.units).all()
    assert (first.value.units != rehearse(run, seed=2).value.units).any()
    assert first.value.private is False
    assert "private=False" in repr(first)
    assert run().private
    assert (run().units != run().units).any()


def test_what_charges_refuses_a_rehearsal() -> None:
    """A purse that asks is told; a release that slipped out says itself that it is not private."""
    kept: list[Release] = []

    def publish(release: Release) -> None:
        refuse_rehearsal("a charge")
        kept.append(release)

    def run() -> None:
        publish(release_laplace(GridSum(np.array([1]), l1=1), scale=1))

    with pytest.raises(Refused, match="NOT PRIVATE"):
        rehearse(run, seed=0)
    assert kept == []
    run()
    assert kept[0].private


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "a"])
def test_bad_seeds(seed: object) -> None:
    with pytest.raises(InvalidParameter):
        rehearse(lambda: rounded_gaussian(noise_std=1, size=1), seed=seed)
