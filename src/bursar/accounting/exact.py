"""The exact accountant: δ(ε) and ε(δ) as enclosures, from dominating pairs, in balls.

It takes plans of plain and Poisson-subsampled Gaussians, Laplace noise, randomized responses,
pure and (ε, δ) statements, in any mixture; where no closed form, finite sum or contour is short
enough it raises LimitReached.  Not here: certificates (verification).
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from flint import arb

from bursar import require
from bursar.accounting import laplace
from bursar.accounting.atoms import AtomsProfile, infinite
from bursar.accounting.contour import Loss
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.profiles import Either, GaussianProfile, Profile, SingleProfile
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
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
    worst = views.pairs(plan, relation, direction or Direction.REMOVE)
    if question.is_one:
        return _answer(worst, Bracket(arb(0), arb(0)), about, "δ = 1 holds for everything", started)
    if question.is_zero:
        return _pure(worst, about, started)
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
    pairs = views.pairs(plan, relation, direction or Direction.REMOVE)
    same = all(symmetric(pair) for pair, _ in pairs.parts)
    for way in [direction or Direction.REMOVE] if direction or same else list(Direction):
        one = profile(views.pairs(plan, relation, way))
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


def profile(composition: Composition) -> Profile:
    """The profile of these pairs in balls: a closed form, a finite sum, or contours."""
    parts = composition.parts
    atoms = tuple((pair, n) for pair, n in parts if isinstance(pair, AtomsPair))
    if len(atoms) == len(parts):
        return AtomsProfile(atoms)
    loss = loss_of(composition)
    if not loss.steps and all(isinstance(factor, GaussianFactor) for factor, _ in loss.factors):
        (factor, _), *_ = loss.factors
        return GaussianProfile(factor.mu_squared)  # type: ignore[attr-defined]
    if len(parts) == 1 and loss.steps and loss.steps[0][1] == 1:
        return SingleProfile(loss.steps[0][0])
    return _with_residues(parts, ContourProfile.of(loss, infinite(atoms)))


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


def _pure(pairs: Composition, about: About, started: float) -> Proved:
    """ε at δ = 0: the largest loss, which is infinite for every Gaussian."""
    found = arb(0)
    for pair, n in pairs.parts:
        largest = _largest_loss(pair)
        if largest is None:
            reason = "no finite ε holds at δ = 0: the privacy loss has no upper end"
            return _answer(pairs, Bracket(arb("inf"), None), about, reason, started)
        with precision(128):
            found += n * largest
    reason = "δ = 0: ε is the largest privacy loss"
    return _answer(pairs, Bracket(found.lower(), found.upper()), about, reason, started)


def _largest_loss(pair: Pair) -> arb | None:
    """The upper end of the privacy loss of one pair; None where it has none."""
    with precision(128):
        match pair:
            case AtomsPair(delta=delta) if delta == 0:
                return ball(pair.epsilon)
            case LaplacePair():
                return 1 / ball(pair.scale)
            case SubsampledGaussianPair(direction=Direction.ADD):
                return -(-ball(pair.sampling_probability)).log1p()
    return None


def _answer(
    pairs: Composition, bracket: Bracket, about: About, reason: str | None, started: float
) -> Proved:
    upper = float("inf") if bracket.high is None else float_up(bracket.high)
    lower = (
        float("inf")
        if bracket.high is None and not bracket.low.is_finite()
        else max(0.0, float_down(bracket.low))
    )
    if upper == float("inf") and reason is None:
        reason, lower = "the probability of an infinite privacy loss is above δ", float("inf")
    if upper == 0 and reason is None:
        reason = "δ is at or above the total variation distance, so ε = 0 holds"
    about = replace(about, reason=reason, seconds=time.perf_counter() - started)
    if not pairs.tight:
        return UpperBound(upper=upper, about=about)
    return Enclosure(lower=lower, upper=upper, about=about)
