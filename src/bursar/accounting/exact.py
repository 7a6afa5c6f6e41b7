"""The exact accountant: δ(ε) and ε(δ) as enclosures, from dominating pairs, in balls.

It takes plans of plain and Poisson-subsampled Gaussians, Laplace noise, randomized responses,
pure and (ε, δ) statements, in any mixture; where no closed form, finite sum or contour is short
enough it raises LimitReached.  Not here: certificates (verification).
"""

from __future__ import annotations

import time
from dataclasses import fields, replace
from fractions import Fraction

from flint import arb

from bursar import require
from bursar.accounting import laplace
from bursar.accounting.atoms import AtomsProfile, infinite, infinite_exactly
from bursar.accounting.contour import Loss
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.profiles import Either, GaussianProfile, Profile, SingleProfile
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.numerics.factors import AtomsFactor, Factor, GaussianFactor, LaplaceFactor
from bursar.numerics.roots import Bracket
from bursar.numerics.steps import Step
from bursar.privacy.pairs import (
    AtomsPair,
    Composition,
    GaussianPair,
    LaplacePair,
    Pair,
    SubsampledGaussianPair,
    symmetric,
)
from bursar.truth import About, Answered, Enclosure, Proved, UpperBound

NAME = "exact"
CLOSED = (GaussianPair, SubsampledGaussianPair, LaplacePair, AtomsPair)

_LARGEST = 10**50  # and its inverse: of the numbers of a contour
_NEARLY = 1 - Fraction(1, 10**15)
_RDP = "Ask for --method rdp."


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
    started = time.perf_counter()
    question = Question.of_delta(delta, log_delta)
    relation, plan = Adjacency.of(adjacency), Plan.of(run)
    about = About(quantity="epsilon", given=question.text, adjacency=relation)
    worst = pairs_of(plan, relation, direction or Direction.REMOVE)
    if question.is_one:
        return _answer(worst, Bracket(arb(0), arb(0)), about, "δ = 1 holds for everything", started)
    if question.is_zero or question.delta == infinite_exactly(_atoms(worst)):
        return _pure(worst, question.is_zero, about, started)
    with precision(256):
        target = question.delta_ball()
    if direction is not None or all(symmetric(pair) for pair, _ in worst.parts):
        first = profile(worst)
        bracket, about = first.epsilon_at(target), replace(about, direction=_answered(direction))
    else:
        first = profile(worst)
        bracket, about = _worse(first, plan, relation, target, about)
    about = replace(about, method=first.method, bill=first.bill())
    return _answer(worst, bracket, about, None, started)


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
    started = time.perf_counter()
    at = require.nonnegative(epsilon=epsilon)
    relation, plan = Adjacency.of(adjacency), Plan.of(run)
    with precision(256):
        ends = ball(at).lower(), ball(at).upper()
    found: list[tuple[float, float, Direction, Profile]] = []
    pairs = pairs_of(plan, relation, direction or Direction.REMOVE)
    same = all(symmetric(pair) for pair, _ in pairs.parts)
    largest = _largest_loss(pairs) if same else None
    beyond = largest is not None and at >= largest[0]
    for way in [direction or Direction.REMOVE] if direction or same else list(Direction):
        one = _silent(pairs) if beyond else profile(views.pairs(plan, relation, way))
        below = one.delta_at(ends[0])
        above = below if ends[0] == ends[1] else one.delta_at(ends[1])
        found.append((min(1.0, float_up(below)), max(0.0, float_down(above)), way, one))
    high, _, way, one = max(found, key=lambda entry: entry[0])
    about = About(
        quantity="delta",
        given=at.text,
        method=one.method,
        adjacency=relation,
        direction="both" if same else _answered(way),
        reason="ε is at or above the largest privacy loss" if high == 0 else None,
        bill=one.bill(),
        seconds=time.perf_counter() - started,
    )
    if not pairs.tight:
        return UpperBound(upper=high, about=about)
    return Enclosure(lower=max(entry[1] for entry in found), upper=high, about=about)


def pairs_of(plan: Plan, relation: Adjacency, direction: Direction) -> Composition:
    """The dominating pairs of a plan, of the kinds that have a closed form here; else NoProof."""
    return _taken(views.pairs(plan, relation, direction))


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
    return _with_residues(parts, ContourProfile.of(loss, infinite(atoms)))


def _atoms(composition: Composition) -> tuple[tuple[AtomsPair, int], ...]:
    return tuple((pair, n) for pair, n in composition.parts if isinstance(pair, AtomsPair))


def _silent(composition: Composition) -> Profile:
    """The profile beyond the largest finite loss: that of the infinite ones alone."""
    atoms = _atoms(composition)
    return AtomsProfile(tuple((replace(pair, epsilon=Exact(0)), n) for pair, n in atoms))


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


def check_floats(composition: Composition) -> None:
    """Float64 proposes contours, so it must hold the numbers, with room to spare."""
    for pair, count in composition.parts:
        numbers = [getattr(pair, field.name) for field in fields(pair)]
        sizes = [Fraction(value) for value in (*numbers, count) if isinstance(value, Exact | int)]
        held = all(size == 0 or 1 <= size * _LARGEST <= _LARGEST**2 for size in sizes)
        if not held or getattr(pair, "sampling_probability", 0) > _NEARLY:
            raise LimitReached("a number of this plan is beyond what float64 can hold", hint=_RDP)


def _answered(direction: Direction | None) -> Answered:
    if direction is None:
        return "both"
    return "remove" if direction is Direction.REMOVE else "add"


def _with_residues(parts: tuple[tuple[Pair, int], ...], contour: ContourProfile) -> Profile:
    """Laplace noise of one scale has a finite sum too: first for few steps, last for more."""
    (pair, n), *others = parts
    if others or not isinstance(pair, LaplacePair) or n > laplace.MOST:
        return contour
    finite = laplace.LaplaceProfile(pair.scale, n)
    return Either(finite, contour) if n <= laplace.FEW else Either(contour, finite)


def _worse(
    first: Profile, plan: Plan, relation: Adjacency, target: arb, about: About
) -> tuple[Bracket, About]:
    """The larger direction: the second is solved only where no coarse proof shows it costs less."""
    bracket = first.epsilon_at(target)
    second = profile(views.pairs(plan, relation, Direction.ADD))
    if second.at_most(bracket.low, target):
        return bracket, replace(about, direction="remove" if bracket.low > 0 else "both")
    other = second.epsilon_at(target)
    if bracket.high is None or other.high is None:
        return Bracket(bracket.low.max(other.low), None), about
    both = Bracket(bracket.low.max(other.low), bracket.high.max(other.high))
    way: Answered = (
        "add" if other.low > bracket.high else "remove" if bracket.low > other.high else "both"
    )
    return both, replace(about, direction=way)


def _pure(pairs: Composition, zero: bool, about: About, started: float) -> Proved:
    """ε where δ leaves no room for a finite loss above it: the largest one, if there is one."""
    infinite_too = zero and any(getattr(pair, "delta", 0) > 0 for pair, _ in pairs.parts)
    largest = None if infinite_too else _largest_loss(pairs)
    if largest is None:
        reason = "no finite ε holds: the privacy loss has no upper end"
        return _answer(pairs, Bracket(arb("inf"), None), about, reason, started)
    exactly, rest = largest
    with precision(256):
        found = ball(exactly) + rest
    reason = "ε is the largest privacy loss: δ leaves no room for one above it"
    return _answer(pairs, Bracket(found.lower(), found.upper()), about, reason, started)


def _largest_loss(pairs: Composition) -> tuple[Fraction, arb] | None:
    """The largest finite loss, as a rational and an irrational part; None where there is none."""
    exactly, rest = Fraction(0), arb(0)
    for pair, n in pairs.parts:
        match pair:
            case AtomsPair():
                exactly += n * pair.epsilon
            case LaplacePair():
                exactly += n / pair.scale
            case SubsampledGaussianPair(direction=Direction.ADD):
                with precision(256):
                    rest -= n * (-ball(pair.sampling_probability)).log1p()
            case _:
                return None
    return exactly, rest


def _answer(
    pairs: Composition, bracket: Bracket, about: About, reason: str | None, started: float
) -> Proved:
    upper = float("inf") if bracket.high is None else float_up(bracket.high)
    lower = max(0.0, float_down(bracket.low)) if bracket.low.is_finite() else float("inf")
    if upper == float("inf") and reason is None:
        sure = lower == upper
        above = "the probability of an infinite privacy loss is above δ"
        reason = above if sure else "ε is above the largest float"
    if upper == 0 and reason is None:
        reason = "δ is at or above the total variation distance, so ε = 0 holds"
    about = replace(about, reason=reason, seconds=time.perf_counter() - started)
    if not pairs.tight:
        return UpperBound(upper=upper, about=about)
    return Enclosure(lower=lower, upper=upper, about=about)
