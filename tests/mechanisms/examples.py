"""One of each mechanism: what the page's table and the tests of the registry are about."""

from __future__ import annotations

import numpy as np

from bursar.exact import Exact
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.batch import WithoutReplacement
from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
from bursar.mechanisms.discrete_laplace import DiscreteLaplace
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.group import Group
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.mixture import GaussianMixture
from bursar.mechanisms.own import ClaimedRenyiDP, FromDensities, FromSamples
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.rounded import RoundedGaussian, RoundedLaplace
from bursar.mechanisms.selection import (
    BoundedRange,
    ExponentialMechanism,
    ReportNoisyMax,
    _Exponential,
)
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.mechanisms.table import Table
from bursar.numerics.search import Floats


class Shifted:
    """N(1, 1) against N(0, 1), or the other way round, by drawing."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def sample(self, size: int, random: np.random.Generator) -> Floats:
        """Draws from the first law."""
        return random.normal(0.5 + 0.5 * self.sign, 1.0, size)

    def log_ratio(self, points: Floats) -> Floats:
        """The log-ratio of the densities."""
        return self.sign * (points - 0.5)


EXAMPLES: tuple[Mechanism, ...] = (
    Gaussian(noise_multiplier=2),
    RoundedGaussian(noise_multiplier=2),
    DiscreteGaussian(sigma=2),
    GaussianMixture(noise_multiplier=2, shifts=[0, 1, 2], weights=["0.81", "0.18", "0.01"]),
    Laplace(scale=2),
    RoundedLaplace(scale=2),
    DiscreteLaplace(scale=2, most=3),
    RandomizedResponse(epsilon=1, categories=3),
    ExponentialMechanism(epsilon=1),
    ReportNoisyMax(epsilon=1),
    BoundedRange(epsilon=1),
    SparseVector(threshold_noise=10, query_noise=20, length=200),
    LaplaceSparseVector(threshold_noise=10, query_noise=20),
    PoissonSubsampled(Laplace(scale=2), sampling_probability="0.1"),
    WithoutReplacement(Gaussian(noise_multiplier=2), sampling_probability="0.1"),
    Group(Gaussian(noise_multiplier=2), people=3),
    Parallel(Gaussian(noise_multiplier=2), Laplace(scale=2)),
    PureDP(epsilon=1),
    ApproximateDP(epsilon=1, delta=1e-9),
    ZeroConcentratedDP(rho="0.1"),
    GaussianDP(mu=1),
    RenyiDP(orders=[2, 8], values=["0.1", "0.5"]),
    Table(present=["0.7", "0.2", "0.1"], absent=["0.5", "0.3", "0.2"]),
    FromDensities(
        label="two exponentials",
        present=_Exponential(Exact(1)),
        absent=_Exponential(Exact(-1)),
        low=0,
        high=1,
    ),
    ClaimedRenyiDP(label="a line", curve=lambda order: order / 50),
    FromSamples(label="two normals", remove=Shifted(1), add=Shifted(-1)),
)
