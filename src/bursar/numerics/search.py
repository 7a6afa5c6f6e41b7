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
_NARROWER = 12  # at most so often
_FLAT = 1e-7  # so little do three neighbours differ at the end


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

    Valid for: any function; NaN counts as infinite.  Error: 1e-8 of its value, unproved.
    Cost: 5 or 6 calls, more for a sharp bend; one for every 32 steps that it lies outside `start`.
    Source: a grid of step 1, made longer at an end that is least, then narrowed until it is flat.
    """

    def seen(x: Floats) -> Floats:
        values = objective(x)
        return np.where(np.isnan(values), np.inf, values)

    with np.errstate(all="ignore"):
        return _bottom(seen, *_bracket(seen, start, limits))


def _bracket(
    seen: Callable[[Floats], Floats], start: tuple[int, int], limits: tuple[int, int]
) -> tuple[float, float]:
    """Two steps around the least point of a grid that goes as far as the valley falls."""
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
    return float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])


def _bottom(seen: Callable[[Floats], Floats], low: float, high: float) -> float:
    """The least point between two others; at the end by the parabola through three."""
    for _ in range(_NARROWER):
        grid = np.linspace(low, high, 13)
        values = seen(grid)
        best = int(np.argmin(values))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 12)]
        near = values[max(best - 1, 0) : best + 2]
        if near.max() <= near.min() + _FLAT * abs(near.min()):
            break
    if len(near) == 3 and 0 < (bend := near[0] - 2 * near[1] + near[2]) < np.inf:
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
