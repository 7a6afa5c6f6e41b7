"""Which losses each kind of pair has: the one table of the lattice accountant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bursar.accounting import lattice_continuous as continuous
from bursar.accounting import lattice_discrete as discrete
from bursar.accounting.lattice_densities import densities
from bursar.accounting.lattice_losses import Losses, on_sample
from bursar.adjacency import Direction
from bursar.errors import NoProof
from bursar.numerics.balls import ball
from bursar.privacy.pairs import (
    AtomsPair,
    DensitiesPair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    MixturePair,
    Pair,
    SampledPair,
    SubsampledGaussianPair,
    TablePair,
)


def losses(pair: Pair, log_tiny: float) -> Losses:
    """The losses of a pair; what is rarer than e^{log_tiny} may be moved to larger ones."""
    if isinstance(pair, SampledPair):
        base, q = losses(pair.base, log_tiny), ball(pair.sampling_probability)
        return on_sample(base, q, removes=pair.direction is Direction.REMOVE)
    if isinstance(pair, DiscreteGaussianPair):
        return discrete.discrete_gaussian(pair.sigma, pair.shift, log_tiny)
    if type(pair) not in _KINDS:
        raise NoProof(f"the lattice accountant does not know a {type(pair).__name__}")
    return _KINDS[type(pair)](pair)


def _subsampled(pair: SubsampledGaussianPair) -> Losses:
    s, q = ball(pair.noise_multiplier), ball(pair.sampling_probability)
    return continuous.subsampled(s, q, removes=pair.direction is Direction.REMOVE)


_KINDS: dict[type, Callable[[Any], Losses]] = {
    GaussianPair: lambda pair: continuous.gaussian(1 / ball(pair.noise_multiplier)),
    SubsampledGaussianPair: _subsampled,
    LaplacePair: lambda pair: continuous.laplace(pair.scale),
    MixturePair: continuous.mixture,
    AtomsPair: discrete.atoms,
    TablePair: lambda pair: discrete.table(pair.rows),
    DiscreteLaplacePair: lambda pair: discrete.discrete_laplace(pair.scale, pair.shift),
    DensitiesPair: densities,
}
