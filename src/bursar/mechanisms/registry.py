"""The closed table from names in files to classes: text never names code in any other way.

Plan files, certificates, the laws of the tests and the documentation read it.  A new mechanism
is one line here.
"""

from __future__ import annotations

from typing import Final

from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)

MECHANISMS: Final[dict[str, type[Mechanism]]] = {
    mechanism.name: mechanism
    for mechanism in (
        Gaussian,
        Laplace,
        RandomizedResponse,
        PureDP,
        ApproximateDP,
        ZeroConcentratedDP,
        GaussianDP,
        RenyiDP,
        SparseVector,
        LaplaceSparseVector,
    )
}

SAMPLINGS: Final[dict[str, type[PoissonSubsampled]]] = {PoissonSubsampled.name: PoissonSubsampled}
