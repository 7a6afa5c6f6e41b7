"""The Edgeworth accountant: the loss as a Gaussian, corrected by its third and fourth cumulants.

Where the error of the expansion is bounded for this many steps, and the bound says something, the
answer is proved: an upper bound by the expansion under a tilt (`edgeworth_profile.py`).  Elsewhere
it is the paper's estimate, δ = P(Y > ε) − e^ε Q(Y > ε), each tail expanded to second order with the
cumulants under P (K at 0) and under Q (K at −1).  Wang et al. 2022, Sec. 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from bursar.accounting import exact
from bursar.accounting.asking import Road
from bursar.accounting.edgeworth_profile import EdgeworthProfile
from bursar.accounting.ends import infinite
from bursar.accounting.estimates import Estimator, Sketched
from bursar.accounting.floats import check_floats
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.sketch import Cumulant
from bursar.numerics.tilted import of_factor
from bursar.privacy.pairs import Composition
from bursar.truth import Estimate, Proved, UpperBound, told

NAME = "edgeworth"
_STEP = 0.06
_STENCIL = _STEP * np.arange(-3.0, 4.0)


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> UpperBound | Estimate:
    """The least ε at this δ: proved from above where the finite-sample bound applies.

    >>> from bursar.mechanisms.laplace import Laplace
    >>> epsilon(10_000 * Laplace(scale=100), delta="1e-5").sentence()
    'ε ≤ 4.368'
    """
    try:
        return _proved(ROAD.epsilon(run, delta, log_delta, adjacency, None))
    except LimitReached as unproved:
        with _estimate_instead(unproved):
            return ACCOUNTANT.epsilon(run, delta=delta, log_delta=log_delta, adjacency=adjacency)


def delta(
    run: Plan | Mechanism, *, epsilon: Number, adjacency: Adjacency | str = DEFAULT
) -> UpperBound | Estimate:
    """The least δ at this ε: proved from above where the finite-sample bound applies."""
    try:
        return _proved(ROAD.delta(run, epsilon, adjacency, None))
    except LimitReached as unproved:
        with _estimate_instead(unproved):
            return ACCOUNTANT.delta(run, epsilon=epsilon, adjacency=adjacency)


@contextmanager
def _estimate_instead(unproved: LimitReached) -> Iterator[None]:
    """Atoms have no estimate either: then the limit is the answer."""
    try:
        yield
    except NoProof as refused:
        need = f"{unproved.need}; {refused.need}"
        raise LimitReached(need, hint=refused.hint) from unproved


def pairs_of(plan: Plan, relation: Adjacency, direction: Direction) -> Composition:
    """The dominating pairs of a plan, of the kinds that have cumulants here; else NoProof."""
    return ROAD.pairs_of(plan, relation, direction)


def _profile(pairs: Composition) -> EdgeworthProfile:
    check_floats(pairs)
    return EdgeworthProfile.of(exact.loss_of(pairs), infinite(pairs))


def _proved(found: Proved) -> UpperBound:
    """The upper end alone: this accountant is asked what a run costs, not how sharp it is."""
    return told(UpperBound(upper=found.upper, about=found.about), method=NAME)


def _guess(sketched: Sketched, epsilon: float) -> float:
    location = epsilon - sketched.top
    under_p, under_q = (_tail(_cumulants(sketched, at), location) for at in (0.0, -1.0))
    return under_p - math.exp(min(epsilon, 700.0)) * under_q


def _cumulants(sketched: Sketched, at: float) -> tuple[float, float, float, float]:
    """K′, K″, K‴, K⁗: of sampled steps by differences, of closed forms by their series."""
    found = sketched.found
    _, slope, bend = Cumulant(found.steps).at(at + _STENCIL)
    third = float((bend[4] - bend[2]) * 8 - (bend[5] - bend[1])) / (12 * _STEP)
    fourth = float(-bend[5] + 16 * bend[4] - 30 * bend[3] + 16 * bend[2] - bend[1]) / (
        12 * _STEP**2
    )
    total = np.array([slope[3], bend[3], third, fourth])
    for factor, count in found.factors:
        cumulants = of_factor(factor, at, 0.0).cumulants()
        total += count * np.array([float(one) for one in cumulants[:4]])
    mean, variance, third, fourth = (float(part) for part in total)
    return mean, variance, third, fourth


def _tail(cumulants: tuple[float, float, float, float], location: float) -> float:
    mean, variance, third, fourth = cumulants
    x = (location - mean) / math.sqrt(variance)
    skew, excess = third / variance**1.5, fourth / variance**2
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    polynomial: float = (
        skew / 6 * (x**2 - 1)
        + excess / 24 * (x**3 - 3 * x)
        + skew**2 / 72 * (x**5 - 10 * x**3 + 15 * x)
    )
    return math.erfc(x / math.sqrt(2)) / 2 + density * polynomial


ACCOUNTANT = Estimator(NAME, _guess)
ROAD = Road(exact.ROAD.taken, _profile)
