"""What leaves: a sum plus noise of which every bit is accounted.

The noise is scaled by the bound that the sum itself carries, so the noise multiplier (or scale)
is the one of the mechanism that is charged: `Gaussian(noise_multiplier=…)`, `Laplace(scale=…)`.
Adding rounded noise to a whole number is rounding the continuous mechanism's output, so every
account of that mechanism holds (docs/proofs/rounded-gaussian.md, Thm 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.exact import Exact, Number
from bursar.noise import entropy
from bursar.noise.grid import GridSum
from bursar.noise.rounded import rounded_gaussian, rounded_laplace

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A noised sum, exactly `units`·2^-grid.  From a rehearsal it is NOT `private`."""

    units: Integers
    grid: int
    private: bool

    @property
    def values(self) -> NDArray[np.float64]:
        """The nearest floats: rounding what is released costs nothing."""
        return np.ldexp(self.units.astype(np.float64), -self.grid)

    def fractions(self) -> list[Fraction]:
        """The exact values, in a row."""
        unit = Fraction(2) ** -self.grid
        return [units * unit for units in self.units.ravel().tolist()]


def release_gaussian(total: GridSum, *, noise_multiplier: Number) -> Release:
    """The sum plus Gaussian noise of noise_multiplier x l2, rounded exactly to the grid.

    >>> import numpy as np
    >>> release_gaussian(GridSum(np.array([17, 4]), l1=1), noise_multiplier="1e-3")
    Release(units=array([17,  4]), grid=0, private=True)
    """
    noise_std = Exact(require.positive(noise_multiplier=noise_multiplier) * total.l2)
    return _noised(total, rounded_gaussian(noise_std=noise_std, size=total.units.size))


def release_laplace(total: GridSum, *, scale: Number) -> Release:
    """The sum plus Laplace noise of scale x l1, rounded exactly to the grid.

    >>> import numpy as np
    >>> release_laplace(GridSum(np.array([17, 4]), l1=1), scale="1e-3")
    Release(units=array([17,  4]), grid=0, private=True)
    """
    units = Exact(require.positive(scale=scale) * total.l1)
    return _noised(total, rounded_laplace(scale=units, size=total.units.size))


def _noised(total: GridSum, noise: Integers) -> Release:
    """Modulo 2^64, which is post-processing of the sum in the integers."""
    units = total.units.ravel().view(np.uint64) + noise.view(np.uint64)
    shaped = units.view(np.int64).reshape(total.units.shape)
    return Release(shaped, total.grid, private=not entropy.rehearsing())
