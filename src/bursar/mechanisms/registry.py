"""The closed table from names in files to classes: text never names code in any other way.

Plan files, certificates, the laws of the tests and the documentation read it.  A new mechanism
is one line here.
"""

from __future__ import annotations

from typing import Final

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
from bursar.mechanisms.selection import BoundedRange, ExponentialMechanism, ReportNoisyMax
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.mechanisms.table import Table

MECHANISMS: Final[dict[str, type[Mechanism]]] = {
    mechanism.name: mechanism
    for mechanism in (
        Gaussian,
        RoundedGaussian,
        DiscreteGaussian,
        GaussianMixture,
        Laplace,
        RoundedLaplace,
        DiscreteLaplace,
        RandomizedResponse,
        ExponentialMechanism,
        ReportNoisyMax,
        BoundedRange,
        Parallel,
        Table,
        PureDP,
        ApproximateDP,
        ZeroConcentratedDP,
        GaussianDP,
        RenyiDP,
        SparseVector,
        LaplaceSparseVector,
    )
}

SAMPLINGS: Final[dict[str, type[PoissonSubsampled | WithoutReplacement]]] = {
    PoissonSubsampled.name: PoissonSubsampled,
    WithoutReplacement.name: WithoutReplacement,
}

# Around a step, and not a step by itself: in a file these are keys of any step.
AROUND: Final[tuple[type[Mechanism], ...]] = (*SAMPLINGS.values(), Group)

# They hold functions, which no text can name.
UNWRITTEN: Final[tuple[type[Mechanism], ...]] = (FromDensities, ClaimedRenyiDP, FromSamples)
