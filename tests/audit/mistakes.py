"""Mistakes that were made in public, each beside the version that is right: kept for ever.

Both claim the same and are run on the same neighbours by the same audit, which must catch the one
and not the other.  Sparse vectors stand in `wrong_screens.py`; generators of noise, and what they
are added to, in `tests/noise/broken.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bursar import Adjacency, Gaussian, Laplace, PoissonSubsampled, PureDP
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.noise import (
    GridSum,
    bernoullis,
    histogram,
    release_gaussian,
    release_laplace,
    rounded_gaussian,
    to_grid,
)
from tests.noise import broken

Array = np.ndarray
Run = Callable[[Any, int], Array]
RNG = np.random.default_rng(20261123)


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A wrong mechanism and the right one, with what both claim, on which neighbours.

    `grid` hides the low bits where they are not what is wrong.
    """

    wrong: Run
    right: Run
    pair: tuple[Any, Any]
    claim: Mechanism | Plan
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE
    grid: int | None = None
    samples: int = 20_000


def copies(total: GridSum, size: int) -> GridSum:
    """The same sum so many times over, each to get noise of its own."""
    units = np.tile(total.units, (size, *(1 for _ in total.units.shape)))
    return GridSum(units, l1=total.l1, l2=total.l2, grid=total.grid)


def counted(noise: str) -> Run:
    """How many people there are, with this noise_multiplier."""

    def run(people: Array, size: int) -> Array:
        total = histogram(np.zeros(len(people), int), categories=1)
        return release_gaussian(copies(total, size), noise_multiplier=noise).units

    return run


def clipped(people: Array, bound: float) -> Array:
    return np.clip(people, -bound, bound)


def clipped_sum(people: Array, size: int) -> Array:
    """Each person's value is clipped; then the mean of a public number of people."""
    return (clipped(people, 1).sum() + RNG.standard_normal(size)) / len(people)


def clipped_after_averaging(people: Array, size: int) -> Array:
    """Clipping the batch's mean leaves each person free: they move it by 2, not by 1/n."""
    return clipped(people.mean(), 1) + RNG.standard_normal(size) / len(people)


def over_a_public_size(people: Array, size: int) -> Array:
    """The noised sum over the expected batch, which is public."""
    return (clipped(people, 1).sum() + 4 * RNG.standard_normal(size)) / 2.5


def over_the_batch(people: Array, size: int) -> Array:
    """The noised sum over the number of people who came: what a batch normaliser does."""
    return (clipped(people, 1).sum() + 4 * RNG.standard_normal(size)) / len(people)


STEPS, SIGMA = 10, 1


def shuffled(people: Array, size: int) -> Array:
    """An epoch over a shuffled list, one person a batch: the sum of each batch, with noise."""
    order = RNG.permuted(np.tile(people, (size, 1)), axis=1)
    return order + SIGMA * RNG.standard_normal(order.shape)


def poisson(people: Array, size: int) -> Array:
    """As many steps, in each of which everybody is with the same probability, independently."""
    coins = bernoullis(probability=1 / STEPS, size=size * STEPS * len(people))
    batches = coins.reshape(size, STEPS, len(people)) @ people
    return batches + SIGMA * RNG.standard_normal(batches.shape)


TRIALS = 20


def tried_once(people: Array, size: int) -> Array:
    """One setting, chosen beforehand."""
    return len(people) + RNG.laplace(size=size)


def tuned(people: Array, size: int) -> Array:
    """The best of many, each of which costs what is claimed for all of it."""
    return len(people) + RNG.laplace(size=(size, TRIALS)).max(axis=1)


def exact_laplace(people: Array, size: int) -> Array:
    total = to_grid(people, low=0, high=1, grid=20).total()
    return release_laplace(copies(total, size), scale=1).values


def porous_laplace(people: Array, size: int) -> Array:
    return broken.float_laplace(np.full(size, clipped(people, 1).sum()), 1.0)


def gridded_then_added(people: Array, size: int) -> Array:
    """Noise on a grid of its own, added to a sum that has more bits: those are the data's."""
    noise = rounded_gaussian(noise_std=1 << 20, size=size) * 2.0**-20
    return clipped(people, 1).sum() + noise


def gridded(people: Array, size: int) -> Array:
    """The data is put on the grid of the noise, person by person, before it is summed."""
    total = to_grid(people, low=-1, high=1, grid=20).total()
    return release_gaussian(copies(total, size), noise_multiplier=1).values


AT = 2.0**50


def squares_of_clamped(people: Array, size: int) -> Array:
    """Sums of clamped powers around a public centre, half of the budget each."""
    sums = [to_grid((people - AT) ** n, low=0, high=1, grid=10).total() for n in (1, 2)]
    return np.stack(
        [release_laplace(copies(total, size), scale=4).values for total in sums], axis=1
    )


def squares_around_a_rounded_mean(people: Array, size: int) -> Array:
    """opendp#2923: the mean is rounded, and turns everybody's deviation."""
    return broken.squared_deviations(people.tolist()) + RNG.laplace(scale=2, size=size)


def summed(scale: int) -> Run:
    """The sum of values in [−1, 1], with Laplace noise of this scale."""

    def run(people: Array, size: int) -> Array:
        total = to_grid(people, low=-1, high=1, grid=10).total()
        return release_laplace(copies(total, size), scale=scale).units

    return run


OTHERS = np.full(STEPS - 1, -1.0)
MEAN = np.full(1023, AT + 0.25)

MISTAKES: dict[str, Mistake] = {
    "noise scaled by half": Mistake(
        wrong=counted("0.5"),
        right=counted("1"),
        pair=(np.ones(3), np.ones(2)),
        claim=Gaussian(noise_multiplier=1),
    ),
    "clipping after averaging": Mistake(
        wrong=clipped_after_averaging,
        right=clipped_sum,
        pair=(np.array([0.0, 0.0, 9.0]), np.zeros(3)),
        claim=Gaussian(noise_multiplier=1),
        adjacency=Adjacency.ZERO_OUT,
        grid=20,
    ),
    "n leaks through a batch normaliser": Mistake(
        wrong=over_the_batch,
        right=over_a_public_size,
        pair=(np.zeros(3), np.zeros(2)),
        claim=Gaussian(noise_multiplier=4),
        grid=20,
    ),
    "a shuffled loader claimed as Poisson": Mistake(
        wrong=shuffled,
        right=poisson,
        pair=(np.append(OTHERS, 1.0), np.append(OTHERS, 0.0)),
        claim=STEPS
        * PoissonSubsampled(Gaussian(noise_multiplier=SIGMA), sampling_probability="0.1"),
        adjacency=Adjacency.ZERO_OUT,
        grid=20,
    ),
    "tuning that is not charged": Mistake(
        wrong=tuned,
        right=tried_once,
        pair=(np.ones(3), np.ones(2)),
        claim=Laplace(scale=1),
        grid=20,
    ),
    "porous floats": Mistake(
        wrong=porous_laplace,
        right=exact_laplace,
        pair=(np.ones(1), np.ones(0)),
        claim=Laplace(scale=1),
    ),
    "precision of the sum": Mistake(
        wrong=gridded_then_added,
        right=gridded,
        pair=(np.array([0.5, 2.0**-30]), np.array([0.5])),
        claim=Gaussian(noise_multiplier=1),
    ),
    "repeated rounding of a mean": Mistake(
        wrong=squares_around_a_rounded_mean,
        right=squares_of_clamped,
        pair=(np.append(MEAN, AT + 0.25), np.append(MEAN, AT + 0.5)),
        claim=PureDP(epsilon=1),
        adjacency=Adjacency.REPLACE_ONE,
        grid=10,
    ),
    "the factor 2 of replace-one": Mistake(
        wrong=summed(1),
        right=summed(2),
        pair=(np.array([0.5, 1.0]), np.array([0.5, -1.0])),
        claim=PureDP(epsilon=1),
        adjacency=Adjacency.REPLACE_ONE,
    ),
}
