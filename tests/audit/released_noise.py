"""What leaves the room of noise, each as a mechanism with its claim: see released.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bursar import Adjacency, Gaussian, Laplace, PoissonSubsampled, PureDP, noise
from bursar.audit import Vectorised
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
from bursar.mechanisms.discrete_laplace import DiscreteLaplace
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.selection import ExponentialMechanism, ReportNoisyMax
from bursar.mechanisms.sparse_vector import LaplaceSparseVector
from tests.audit.mistakes import copies

Array = np.ndarray
FEW = 1500  # where runs are made one by one
ONE_MORE = ([0, 1, 2, 2], [0, 1, 2])
LOG_3 = "1.0986122886681099"  # rounded up
ZERO_OUT, REPLACED = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


@dataclass(frozen=True, kw_only=True)
class Released:
    """A mechanism that is run on two neighbours, and what it claims.

    `too_strong` is a claim that is false, and must be seen to be.  `covers` are public names.
    """

    run: Callable[[Any], object] | Vectorised[Any]
    pair: tuple[Any, Any]
    claim: Mechanism | Plan
    too_strong: Mechanism | Plan
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE
    samples: int = 10_000
    covers: frozenset[str] = field(default_factory=frozenset)


def many(run: Callable[[Any, int], Array]) -> Vectorised[Any]:
    return Vectorised(run)


# Sums with noise, vectors, histograms -----------------------------------------------------------


def of_histogram(people: list[int], size: int) -> Array:
    counts = noise.histogram(np.array(people, int), categories=3)
    return noise.release_gaussian(copies(counts, size), noise_multiplier=1).units


def of_sum(people: list[float], size: int) -> Array:
    total = noise.to_grid(np.array(people), low=-1, high=1, grid=6).total()
    return noise.release_laplace(copies(total, size), scale=1).units


def of_vectors(people: list[list[float]], size: int) -> Array:
    total = noise.clip_to_grid(np.array(people).reshape(-1, 3), norm=1, grid=6).total()
    return noise.release_gaussian(copies(total, size), noise_multiplier=1).units


def added(sampler: Callable[..., Array], **scale: int) -> Vectorised[int]:
    """A count with this noise."""
    return many(lambda count, size: count + sampler(**scale, size=size))


# Choices ------------------------------------------------------------------------------------------


def response(lies: Callable[[], bool]) -> Callable[[int], int]:
    """The bit, or the other one."""
    return lambda bit: bit ^ int(lies())


def one_of_four(value: int) -> int:
    """A random one of four in a quarter of the cases: ten to one for the true one."""
    return noise.uniform_below(4) if noise.uniform_below(4) == 0 else value


def two_sided(count: int) -> int:
    """The difference of two geometric numbers: each step has a quarter of the mass."""
    return count + noise.geometric(success="3/4") - noise.geometric(success="3/4")


def quarter(k: int) -> Any:
    from flint import arb

    return arb(3) / 4 if k == 0 else arb(1)


def of_sample(values: Array, size: int) -> Array:
    """The sum of a Poisson sample, with noise."""
    coins = noise.bernoullis(probability="0.2", size=size * len(values))
    sums = coins.reshape(size, len(values)) @ values
    return noise.release_gaussian(noise.GridSum(sums, l1=1), noise_multiplier=1).units


# Comparisons -------------------------------------------------------------------------------------

LOW_THEN_TOP = (np.array([0, 0, 0, 1]), np.array([1, 1, 1, 0]))


def compared(queries: Array, size: int) -> Array:
    """The first query above a noisy threshold, many runs at once; −1 if there is none."""
    rho = noise.lazy_laplace(scale=1, size=size)
    above = [noise.lazy_laplace(scale=2, size=size) + int(query) >= rho for query in queries]
    found = np.array(above).T
    return np.where(found.any(axis=1), found.argmax(axis=1), -1)


def compared_once(query: int, size: int) -> Array:
    return noise.lazy_gaussian(noise_std=1, size=size) + query >= 0


NOISE: dict[str, Released] = {
    "a histogram with Gaussian noise": Released(
        run=many(of_histogram),
        pair=ONE_MORE,
        claim=Gaussian(noise_multiplier=1),
        too_strong=Gaussian(noise_multiplier=2),
        covers=frozenset({"noise.release_gaussian"}),
    ),
    "a sum with Laplace noise": Released(
        run=many(of_sum),
        pair=([0.5, float("nan"), -9.0], [0.5, float("nan")]),
        claim=Laplace(scale=1),
        too_strong=Laplace(scale=2),
        covers=frozenset({"noise.release_laplace"}),
    ),
    "clipped vectors with Gaussian noise": Released(
        run=many(of_vectors),
        pair=([[0.1, 0.2, 0.0], [3.0, 4.0, 12.0]], [[0.1, 0.2, 0.0]]),
        claim=Gaussian(noise_multiplier=1),
        too_strong=Gaussian(noise_multiplier=2),
        covers=frozenset({"noise.release_gaussian"}),
    ),
    "a count with rounded Gaussian noise": Released(
        run=added(noise.rounded_gaussian, noise_std=1),
        pair=(3, 2),
        claim=Gaussian(noise_multiplier=1),
        too_strong=Gaussian(noise_multiplier=2),
        covers=frozenset({"noise.rounded_gaussian"}),
    ),
    "a count with rounded Laplace noise": Released(
        run=added(noise.rounded_laplace, scale=1),
        pair=(3, 2),
        claim=Laplace(scale=1),
        too_strong=Laplace(scale=2),
        covers=frozenset({"noise.rounded_laplace"}),
    ),
    "a count with discrete Gaussian noise": Released(
        run=added(noise.discrete_gaussian, sigma=1),
        pair=(3, 2),
        claim=DiscreteGaussian(sigma=1),
        too_strong=DiscreteGaussian(sigma=2),
        covers=frozenset({"noise.discrete_gaussian"}),
    ),
    "a count with discrete Laplace noise": Released(
        run=added(noise.discrete_laplace, scale=1),
        pair=(3, 2),
        claim=DiscreteLaplace(scale=1),
        too_strong=DiscreteLaplace(scale=2),
        covers=frozenset({"noise.discrete_laplace"}),
    ),
    "the exponential mechanism": Released(
        run=lambda scores: noise.exponential_mechanism(scores, epsilon=2, sensitivity=1),
        pair=(np.array([3, 2, 2]), np.array([2, 3, 3])),
        claim=ExponentialMechanism(epsilon=2),
        too_strong=PureDP(epsilon="0.5"),
        samples=FEW,
        covers=frozenset({"noise.exponential_mechanism"}),
    ),
    "permute and flip": Released(
        run=lambda scores: noise.permute_and_flip(scores, epsilon=2, sensitivity=1),
        pair=(np.array([3, 2, 2]), np.array([2, 3, 3])),
        claim=ReportNoisyMax(epsilon=2),
        too_strong=PureDP(epsilon="0.5"),
        samples=FEW,
        covers=frozenset({"noise.permute_and_flip"}),
    ),
    "a Poisson sample": Released(
        run=many(of_sample),
        pair=(np.array([1, 1, 1]), np.array([1, 1])),
        claim=PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.2"),
        too_strong=PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.05"),
        samples=60_000,
        covers=frozenset({"noise.bernoullis"}),
    ),
    "a bit by one coin": Released(
        run=response(lambda: noise.bernoulli(probability="1/4")),
        pair=(0, 1),
        claim=PureDP(epsilon=LOG_3),
        too_strong=PureDP(epsilon="0.2"),
        adjacency=REPLACED,
        samples=FEW,
        covers=frozenset({"noise.bernoulli"}),
    ),
    "a bit by a coin that an exponent has": Released(
        run=response(lambda: noise.bernoulli_exp(exponent=2)),
        pair=(0, 1),
        claim=PureDP(epsilon="1.8545866"),  # log(e² − 1)
        too_strong=PureDP(epsilon="0.9"),
        adjacency=REPLACED,
        samples=FEW,
        covers=frozenset({"noise.bernoulli_exp"}),
    ),
    "a bit by a law that is inverted": Released(
        run=response(lambda: bool(noise.by_inversion(quarter))),
        pair=(0, 1),
        claim=PureDP(epsilon=LOG_3),
        too_strong=PureDP(epsilon="0.2"),
        adjacency=REPLACED,
        samples=FEW,
        covers=frozenset({"noise.by_inversion"}),
    ),
    "one of four": Released(
        run=one_of_four,
        pair=(0, 1),
        claim=PureDP(epsilon="2.5649494"),  # log 13
        too_strong=PureDP(epsilon="1.2"),
        adjacency=REPLACED,
        samples=FEW,
        covers=frozenset({"noise.uniform_below"}),
    ),
    "a count with geometric noise": Released(
        run=two_sided,
        pair=(3, 2),
        claim=PureDP(epsilon="1.3862944"),  # log 4
        too_strong=PureDP(epsilon="0.2"),
        samples=FEW,
        covers=frozenset({"noise.geometric"}),
    ),
    "comparisons with a noisy threshold": Released(
        run=many(compared),
        pair=LOW_THEN_TOP,
        claim=LaplaceSparseVector(threshold_noise=1, query_noise=2),
        too_strong=PureDP(epsilon="0.5"),
        covers=frozenset({"noise.lazy_laplace"}),
    ),
    "a comparison with a threshold": Released(
        run=many(compared_once),
        pair=(0, 1),
        claim=Gaussian(noise_multiplier=1),
        too_strong=Gaussian(noise_multiplier=2),
        covers=frozenset({"noise.lazy_gaussian"}),
    ),
}
