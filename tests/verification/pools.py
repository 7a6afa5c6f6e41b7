"""A law to verify of which everything is known: draws of a real design, as a pool of 65,536.

Its mean is the pool's, exactly, so a claim is false by exactly so much; and a verdict takes
microseconds, so that thousands can be counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from bursar import Adjacency, Direction, Gaussian
from bursar.accounting.monte_carlo_bounded import Bounded, Over
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.accounting.monte_carlo_designs import design
from bursar.mechanisms import views
from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats
from bursar.numerics.wealth import Trial

SIZE = 1 << 16
PLAN = 60 * Gaussian(noise_multiplier="28.914")
EPSILON = "1"


@final
@dataclass(frozen=True, eq=False)
class Pool(Bounded):
    """Independent draws from a pool."""

    values: Floats
    log_bound: float
    direction: Direction = Direction.REMOVE
    epsilon: float = 1.0
    log_rest: float = -math.inf

    @property
    def coordinates(self) -> int:
        """One."""
        return 1

    @property
    def digest(self) -> str:
        """Its first value and its sum."""
        return f"{self.values[0].hex()}{self.values.sum().hex()}"

    @property
    def log_true_delta(self) -> float:
        """log δ of this law."""
        return self.log_bound + math.log(float(self.values.mean()))

    def over(self) -> Over:
        """Its mean is exact."""
        return Over(0.0, 0.0)

    def draw(self, size: int, source: Source) -> Floats:
        """By 16 bits each."""
        words = np.ascontiguousarray(source(-(-size // 4)))
        return self.values[words.view(np.uint16)[:size]]


@cache
def pool() -> Pool:
    """Of sixty Gaussian steps, at ε = 1: δ is about 1e-5, and B four times that."""
    pairs = views.pairs(PLAN, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)
    found = design(pairs, Direction.REMOVE, float(EPSILON))
    return Pool(found.draw(SIZE, Seeded(5).source(0)), found.log_bound)


def coin() -> Pool:
    """Of zeros and ones, with the same mean and the same B: no law in [0, 1] scatters more."""
    ones = round(float(pool().values.sum()))
    return Pool((np.arange(SIZE) < ones).astype(np.float64), pool().log_bound)


def verdicts(values: Floats, trial: Trial, count: int, random: np.random.Generator) -> Floats:
    """The log-wealth of so many trials."""
    table = np.log1p(-trial.stake * (values - trial.share))
    found = np.empty(count)
    rows = max(1, 4_000_000 // trial.draws)
    for start in range(0, count, rows):
        size = (min(rows, count - start), trial.draws)
        chosen = random.integers(0, SIZE, size, dtype=np.uint16)
        found[start : start + rows] = table[chosen].sum(axis=1)
    return found
