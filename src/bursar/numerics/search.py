"""Float64 proposes: nearest floats of exact numbers, the least point of a function, refinement.

Nothing here proves anything.  What is found is a place to look; balls then say what is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.numerics.balls import precision

Floats = NDArray[np.float64]

_MOST_BITS = 1 << 14


def nearest(value: Fraction) -> float:
    """The nearest float; infinite where a float ends."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def least(
    objective: Callable[[Floats], Floats], start: tuple[int, int], limits: tuple[int, int]
) -> float:
    """Computes where a function with one valley is least.

    Valid for: any function; NaN counts as infinite.  Error: about 1e-4 in x, unproved.
    Cost: 4 calls, and one for every 32 steps by which the valley lies outside of `start`.
    Source: a grid of step 1, made longer at an end that is least, then narrowed three times.
    """

    def seen(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            values = objective(x)
        return np.where(np.isnan(values), np.inf, values)

    grid = np.arange(start[0], start[1] + 1, dtype=np.float64)
    values = seen(grid)
    while not 0 < (best := int(np.argmin(values))) < len(grid) - 1:
        ahead = np.arange(1.0, 33.0)
        more = grid[0] - ahead[::-1] if best == 0 else grid[-1] + ahead
        more = more[(limits[0] <= more) & (more <= limits[1])]
        if not len(more):
            break
        parts = (more, grid) if best == 0 else (grid, more)
        found = (seen(more), values) if best == 0 else (values, seen(more))
        grid, values = np.concatenate(parts), np.concatenate(found)
    for _ in range(3):
        grid = np.linspace(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)], 13)
        values = seen(grid)
        best = int(np.argmin(values))
    return _vertex(grid, values, best)


def _vertex(grid: Floats, values: Floats, best: int) -> float:
    """The least point of the parabola through the best point and its neighbours."""
    if 0 < best < len(grid) - 1 and np.all(np.isfinite(near := values[best - 1 : best + 2])):
        bend = near[0] - 2 * near[1] + near[2]
        if bend > 0:
            return float(grid[best] + 0.5 * (near[0] - near[2]) / bend * (grid[1] - grid[0]))
    return float(grid[best])


def refined(compute: Callable[[], arb], *, bits: int = 64) -> arb:
    """`compute()` at a precision that leaves so many good bits, or at the highest there is."""
    working = 2 * bits
    while True:
        with precision(working):
            value = compute()
        if value.rel_accuracy_bits() >= bits or working >= _MOST_BITS:
            return value
        working *= 2
