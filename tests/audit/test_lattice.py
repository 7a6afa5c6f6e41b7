"""Steps and low bits: exact noise has one grid for all data, floating-point noise has none."""

from __future__ import annotations

import numpy as np
import pytest

from bursar import InvalidParameter
from bursar.audit import Vectorised, lattice
from bursar.noise import GridSum, release_gaussian, release_laplace
from tests.noise import broken

DATA = (0.0, 1.0, 2.0**20, 2.0**-20)
GRID = 24

pytestmark = pytest.mark.statistical


def ours(data: float, size: int) -> np.ndarray:
    units = np.full(size, int(data * 2**GRID))
    return release_gaussian(GridSum(units, l1=2**GRID, grid=GRID), noise_multiplier=3).values


def ours_laplace(data: float, size: int) -> np.ndarray:
    units = np.full(size, int(data * 2**GRID))
    return release_laplace(GridSum(units, l1=2**GRID, grid=GRID), scale=3).values


@pytest.mark.parametrize("run", [ours, ours_laplace])
def test_exact_noise_has_one_grid_and_one_law_of_bits(run) -> None:
    """A false alarm in 1e6 runs; the step differs with probability below 2^-9000."""
    found = lattice(Vectorised(run), DATA)
    assert not found.found
    assert found.steps == (-GRID,) * 4
    assert found.sentence().startswith("none found")


@pytest.mark.parametrize(
    "noise", [broken.float_laplace, broken.float_gaussian, broken.four_gaussians]
)
def test_floats_are_caught(noise) -> None:
    found = lattice(Vectorised(lambda data, size: noise(np.full(size, data), 3.0)), DATA)
    assert found.found
    assert found.p_value < 1e-9


def test_rounded_floats_are_caught_by_their_step() -> None:
    """Noise on a grid of its own beside a sum on another."""
    run = Vectorised(lambda data, size: np.rint(broken.float_laplace(np.zeros(size), 9.0)) + data)
    found = lattice(run, [0.0, 0.5])
    assert found.steps == (0, -1)
    assert found.found


def test_a_few_samples_are_too_few() -> None:
    """All of them even, by chance, would look like another step."""
    with pytest.raises(InvalidParameter, match="40"):
        lattice(lambda data: data, [0, 1], samples=39)


def test_one_data_set_is_too_few() -> None:
    with pytest.raises(InvalidParameter):
        lattice(lambda data: data, [0.0])
