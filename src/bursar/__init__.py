"""Differential-privacy bookkeeping: what an analysis costs, exactly and with proof.

The public names, nothing else.  Those that compute are loaded when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from bursar import errors
from bursar.adjacency import Adjacency, Direction
from bursar.errors import (
    BudgetExceeded,
    BursarError,
    CorruptBooks,
    InternalError,
    InvalidParameter,
    LimitReached,
    MissingExtra,
    NoProof,
    NotACertificate,
    NotCharged,
    NotVerified,
    Refused,
    Unreachable,
)
from bursar.exact import Exact
from bursar.truth import Enclosure, Estimate, HighProbabilityBound, UpperBound, VerifiedClaim

if TYPE_CHECKING:
    from bursar import audit, filters, verification
    from bursar.accounting.calibrate import Calibrated, calibrate
    from bursar.accounting.choose import delta, epsilon
    from bursar.accounting.compare import Comparison, compare
    from bursar.accounting.convert import Converted, convert
    from bursar.accounting.curve import PrivacyCurve, profile
    from bursar.accounting.online import epsilons
    from bursar.accounting.risk import Risk, TradeOff, risk, trade_off
    from bursar.accounting.witness import Witness, refute
    from bursar.mechanisms.batch import WithoutReplacement
    from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
    from bursar.mechanisms.discrete_laplace import DiscreteLaplace
    from bursar.mechanisms.gaussian import Gaussian
    from bursar.mechanisms.group import Group
    from bursar.mechanisms.laplace import Laplace
    from bursar.mechanisms.mixture import GaussianMixture
    from bursar.mechanisms.own import ClaimedRenyiDP, FromDensities, FromSamples
    from bursar.mechanisms.parallel import Parallel, parallel
    from bursar.mechanisms.plan import Plan
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
    from bursar.verification.certificate import Certificate
    from bursar.verification.certify import certify
    from bursar.verification.check import Verdict, check

_LATER = {  # where the names are that TYPE_CHECKING sees
    "accounting.calibrate": ("Calibrated", "calibrate"),
    "accounting.choose": ("delta", "epsilon"),
    "accounting.compare": ("Comparison", "compare"),
    "accounting.convert": ("Converted", "convert"),
    "accounting.curve": ("PrivacyCurve", "profile"),
    "accounting.online": ("epsilons",),
    "accounting.risk": ("Risk", "TradeOff", "risk", "trade_off"),
    "accounting.witness": ("Witness", "refute"),
    "mechanisms.batch": ("WithoutReplacement",),
    "mechanisms.discrete_gaussian": ("DiscreteGaussian",),
    "mechanisms.discrete_laplace": ("DiscreteLaplace",),
    "mechanisms.gaussian": ("Gaussian",),
    "mechanisms.group": ("Group",),
    "mechanisms.laplace": ("Laplace",),
    "mechanisms.mixture": ("GaussianMixture",),
    "mechanisms.own": ("ClaimedRenyiDP", "FromDensities", "FromSamples"),
    "mechanisms.parallel": ("Parallel", "parallel"),
    "mechanisms.plan": ("Plan",),
    "mechanisms.poisson": ("PoissonSubsampled",),
    "mechanisms.randomized_response": ("RandomizedResponse",),
    "mechanisms.rounded": ("RoundedGaussian", "RoundedLaplace"),
    "mechanisms.selection": ("BoundedRange", "ExponentialMechanism", "ReportNoisyMax"),
    "mechanisms.sparse_vector": ("LaplaceSparseVector", "SparseVector"),
    "mechanisms.statements": (
        "ApproximateDP",
        "GaussianDP",
        "PureDP",
        "RenyiDP",
        "ZeroConcentratedDP",
    ),
    "mechanisms.table": ("Table",),
    "verification.certificate": ("Certificate",),
    "verification.certify": ("certify",),
    "verification.check": ("Verdict", "check"),
}

_ROOMS = ("audit", "filters", "verification")  # whole rooms with a public name of their own

__all__ = [
    "Adjacency",
    "ApproximateDP",
    "BoundedRange",
    "BudgetExceeded",
    "BursarError",
    "Calibrated",
    "Certificate",
    "ClaimedRenyiDP",
    "Comparison",
    "Converted",
    "CorruptBooks",
    "Direction",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Enclosure",
    "Estimate",
    "Exact",
    "ExponentialMechanism",
    "FromDensities",
    "FromSamples",
    "Gaussian",
    "GaussianDP",
    "GaussianMixture",
    "Group",
    "HighProbabilityBound",
    "InternalError",
    "InvalidParameter",
    "Laplace",
    "LaplaceSparseVector",
    "LimitReached",
    "MissingExtra",
    "NoProof",
    "NotACertificate",
    "NotCharged",
    "NotVerified",
    "Parallel",
    "Plan",
    "PoissonSubsampled",
    "PrivacyCurve",
    "PureDP",
    "RandomizedResponse",
    "Refused",
    "RenyiDP",
    "ReportNoisyMax",
    "Risk",
    "RoundedGaussian",
    "RoundedLaplace",
    "SparseVector",
    "Table",
    "TradeOff",
    "Unreachable",
    "UpperBound",
    "Verdict",
    "VerifiedClaim",
    "WithoutReplacement",
    "Witness",
    "ZeroConcentratedDP",
    "audit",
    "calibrate",
    "certify",
    "check",
    "compare",
    "convert",
    "delta",
    "epsilon",
    "epsilons",
    "errors",
    "filters",
    "parallel",
    "profile",
    "refute",
    "risk",
    "trade_off",
    "verification",
]


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"bursar.{name}")
    for room, names in _LATER.items():
        if name in names:
            found: object = getattr(import_module(f"bursar.{room}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'bursar' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
