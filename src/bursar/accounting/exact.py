"""The exact accountant: δ(ε) and ε(δ) as enclosures, from dominating pairs, in balls.

It takes plans of plain and Poisson-subsampled Gaussians, Laplace noise, randomized responses,
pure and (ε, δ) statements, in any mixture; where no closed form, finite sum or contour is short
enough it raises LimitReached.  Not here: certificates (verification).
"""

from __future__ import annotations

from fractions import Fraction

from bursar.accounting import laplace
from bursar.accounting.asking import Road
from bursar.accounting.atoms import AtomsProfile
from bursar.accounting.contour import Loss
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.ends import infinite
from bursar.accounting.floats import check_floats
from bursar.accounting.profiles import Either, GaussianProfile, Profile, SingleProfile
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.factors import AtomsFactor, Factor, GaussianFactor, LaplaceFactor
from bursar.numerics.steps import Step
from bursar.privacy.pairs import (
    AtomsPair,
    Composition,
    GaussianPair,
    LaplacePair,
    Pair,
    SubsampledGaussianPair,
)
from bursar.truth import Proved

NAME = "exact"
CLOSED = (GaussianPair, SubsampledGaussianPair, LaplacePair, AtomsPair)


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    direction: Direction | None = None,
) -> Proved:
    """The least ε at this δ, enclosed; the worse direction unless one is asked for.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> epsilon(100 * Gaussian(noise_multiplier=20), delta="1e-5").sentence(digits=5)
    'ε ≥ 1.993, ε ≤ 1.9931'
    """
    return ROAD.epsilon(run, delta, log_delta, adjacency, direction)


def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    direction: Direction | None = None,
) -> Proved:
    """The least δ at this ε, enclosed.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> delta(Gaussian(noise_multiplier=1), epsilon=1).sentence(digits=5)
    'δ ≥ 0.12693, δ ≤ 0.12694'
    """
    return ROAD.delta(run, epsilon, adjacency, direction)


def pairs_of(plan: Plan, relation: Adjacency, direction: Direction) -> Composition:
    """The dominating pairs of a plan, of the kinds that have a closed form here; else NoProof."""
    return ROAD.pairs_of(plan, relation, direction)


def _taken(composition: Composition) -> Composition:
    for pair, _ in composition.parts:
        if not isinstance(pair, CLOSED):
            kind = type(pair).__name__.removesuffix("Pair")
            raise NoProof(f"a pair of kind {kind} has no closed form", hint="Ask for lattice.")
    return composition


def profile(composition: Composition) -> Profile:
    """The profile of these pairs in balls: a closed form, a finite sum, or contours."""
    _taken(composition)
    parts, atoms = composition.parts, _atoms(composition)
    if len(atoms) == len(parts):
        return AtomsProfile(atoms)
    loss = loss_of(composition)
    if not loss.steps and all(isinstance(factor, GaussianFactor) for factor, _ in loss.factors):
        (factor, _), *_ = loss.factors
        return GaussianProfile(factor.mu_squared)  # type: ignore[attr-defined]
    if len(parts) == 1 and loss.steps and loss.steps[0][1] == 1:
        return SingleProfile(loss.steps[0][0])
    check_floats(composition)
    return _with_residues(parts, ContourProfile.of(loss, infinite(composition)))


def _atoms(composition: Composition) -> tuple[tuple[AtomsPair, int], ...]:
    return tuple((pair, n) for pair, n in composition.parts if isinstance(pair, AtomsPair))


def loss_of(composition: Composition) -> Loss:
    """The steps and factors of a composition; its plain Gaussians are one factor, the last."""
    mu_squared, steps, factors = Fraction(0), [], list[tuple[Factor, int]]()
    for pair, n in composition.parts:
        match pair:
            case GaussianPair():
                mu_squared += n / pair.noise_multiplier**2
            case SubsampledGaussianPair():
                step = Step(pair.noise_multiplier, pair.sampling_probability, pair.direction)
                steps.append((step, n))
            case LaplacePair():
                factors.append((LaplaceFactor(pair.scale), n))
            case AtomsPair():
                factors.append((AtomsFactor(pair.epsilon, pair.delta, pair.categories), n))
    if mu_squared:
        factors.append((GaussianFactor(Exact(mu_squared)), 1))
    return Loss(tuple(steps), tuple(factors))


def _with_residues(parts: tuple[tuple[Pair, int], ...], contour: ContourProfile) -> Profile:
    """Laplace noise of one scale has a finite sum too: first for few steps, last for more."""
    (pair, n), *others = parts
    if others or not isinstance(pair, LaplacePair) or n > laplace.MOST:
        return contour
    finite = laplace.LaplaceProfile(pair.scale, n)
    return Either(finite, contour) if n <= laplace.FEW else Either(contour, finite)


ROAD = Road(_taken, profile)
