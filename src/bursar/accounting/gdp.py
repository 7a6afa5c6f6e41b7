"""The Gaussian accountant: the whole run as one Gaussian, proved where it is, else in the limit.

Where each step is μ-GDP, so is the run, with the sum of all μ²: Dong, Roth & Su 2022, Cor. 3.3.
That is exact for Gaussians, and an upper bound for steps that are dominated by one, as pure ones
are.  Everywhere else it is the central limit, μ² = Σ k χ²(P‖Q), an estimate that is mostly below
the truth; for the subsampled Gaussian μ² = k q²(e^{1/σ²}−1): Bu et al. 2020, Cor. 4.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

import numpy as np

from bursar.accounting import exact
from bursar.accounting.estimates import Estimator, Sketched, sketched
from bursar.accounting.gdp_steps import step_square
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import GaussianDP, PureDP
from bursar.numerics.factors import GaussianFactor
from bursar.numerics.sketch import StepSketch
from bursar.privacy.pairs import GaussianPair
from bursar.truth import Estimate, Proved, UpperBound

NAME = "gdp"
_ONE = np.array([1.0])


def _guess(sketched: Sketched, epsilon: float) -> float:
    square = sum(step.count * math.expm1(_log_second_moment(step)) for step in sketched.found.steps)
    for factor, n in sketched.found.factors:
        if isinstance(factor, GaussianFactor):
            square += n * float(factor.mu_squared)
        else:
            square += n * math.expm1(float(factor.log_mgf(_ONE)[0]))
    mu = math.sqrt(square)
    a, b = (epsilon / mu - mu / 2) / math.sqrt(2), (epsilon / mu + mu / 2) / math.sqrt(2)
    tail = math.erfc(b)
    return math.erfc(a) / 2 - (math.exp(epsilon) * tail / 2 if tail > 0 else 0.0)


def _log_second_moment(step: StepSketch) -> float:
    """log E_Q (P/Q)² of the mixture over the normal, in both directions."""
    return math.log1p(step.q**2 * math.expm1(1 / step.s**2))


ACCOUNTANT = Estimator(NAME, _guess)


@final
@dataclass(frozen=True, slots=True)
class Stated:
    """A run as GDP statements that add up to its μ²; `tight` where the run attains them."""

    plan: Plan
    tight: bool

    @classmethod
    def of(cls, plan: Plan, relation: Adjacency) -> Stated | None:
        """None where some step is not known to be GDP."""
        try:
            square = plan.total(lambda step: step_square(step, relation))
        except NoProof:
            return None
        if square == math.inf:
            return None
        if not square:
            return cls(Plan.of(PureDP(epsilon=0)), tight=True)
        whole = Fraction(square)  # p/q: as often as p·q a statement of 1/q
        one = GaussianDP(mu=Exact(Fraction(1, whole.denominator)))
        return cls(whole.numerator * whole.denominator * one, _attained(plan, relation, whole))

    def named(self, found: Proved, started: float) -> Proved:
        """What the exact accountant says of the statements, as an answer about the run."""
        about = replace(found.about, method=NAME, seconds=time.perf_counter() - started)
        if self.tight:
            return replace(found, about=about)
        if about.reason is not None and found.upper == math.inf:
            about = replace(about, reason=f"of the Gaussian that bounds it: {about.reason}")
        return UpperBound(upper=found.upper, about=about)


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Proved | Estimate:
    """ε at this δ: enclosed for Gaussians, bounded for what one dominates, else estimated.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> epsilon(100 * Gaussian(noise_multiplier=20), delta=1e-5).sentence(digits=5)
    'ε ≥ 1.993, ε ≤ 1.9931'
    >>> from bursar.mechanisms.laplace import Laplace
    >>> epsilon(100 * Laplace(scale=50), delta=1e-5).sentence(digits=5)
    'ε ≤ 0.92903'
    """
    started, relation, plan = time.perf_counter(), Adjacency.of(adjacency), Plan.of(run)
    stated = Stated.of(plan, relation)
    if stated is None:
        return ACCOUNTANT.epsilon(plan, delta=delta, log_delta=log_delta, adjacency=relation)
    found = exact.epsilon(stated.plan, delta=delta, log_delta=log_delta, adjacency=relation)
    return stated.named(found, started)


def delta(
    run: Plan | Mechanism, *, epsilon: Number, adjacency: Adjacency | str = DEFAULT
) -> Proved | Estimate:
    """δ at this ε, in the same way."""
    started, relation, plan = time.perf_counter(), Adjacency.of(adjacency), Plan.of(run)
    stated = Stated.of(plan, relation)
    if stated is None:
        return ACCOUNTANT.delta(plan, epsilon=epsilon, adjacency=relation)
    return stated.named(exact.delta(stated.plan, epsilon=epsilon, adjacency=relation), started)


def taken(plan: Plan, relation: Adjacency) -> object:
    """What it takes of a plan: statements, or the sketch of its losses."""
    return Stated.of(plan, relation) or sketched(plan, relation)


def _attained(plan: Plan, relation: Adjacency, square: Fraction) -> bool:
    """Whether each step is a Gaussian, or as bad as one, and these are what adds up to μ²."""
    try:
        pairs = views.pairs(plan, relation, Direction.REMOVE)
    except NoProof:
        return False
    gaussians = [(pair, n) for pair, n in pairs.parts if isinstance(pair, GaussianPair)]
    whole = sum((n / pair.noise_multiplier**2 for pair, n in gaussians), Fraction(0))
    return pairs.tight and len(gaussians) == len(pairs.parts) and whole == square
