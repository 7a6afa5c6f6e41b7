"""Which accountant answers: the tightest that can, and why the others could not.

One that has no proof for a plan, or reaches a limit, is passed over, and the answer says so; a
bound that is not sharp is compared with the others', and the least is the answer.  Accountants
without proof answer only when they are asked by name.  Not here: all side by side (`compare.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import overload

from bursar import require
from bursar.accounting.accountants import ACCOUNTANTS, PROVED, Accountant, Answer
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import BursarError, InternalError, LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import Enclosure, Estimate, Proved, Refusal, UpperBound

_SHARP = 1e-3  # relative: an enclosure that is wider is compared with the other bounds


@overload
def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: None = None,
) -> Proved: ...
@overload
def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None,
) -> Answer: ...
def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Answer:
    """The least ε that is proved for this δ, by the tightest accountant; or what `method` says.

    Give one of `delta` in [0, 1] and `log_delta` at or below 0.  Raises InvalidParameter, NoProof
    where no accountant takes the plan, LimitReached with the safe answer so far.

    >>> from bursar.mechanisms.statements import ZeroConcentratedDP
    >>> found = epsilon(ZeroConcentratedDP(rho="0.1"), delta=1e-5)
    >>> found, found.about.passed_over
    (UpperBound(upper=1.91...), (Refusal(method='exact', why='zcdp has no pair view'), ...))
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)

    def ask(accountant: Accountant) -> Answer:
        return accountant.epsilon(plan, delta=delta, log_delta=log_delta, adjacency=relation)

    return tightest(ask, PROVED) if method is None else _named(ask, method)


@overload
def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    method: None = None,
) -> Proved: ...
@overload
def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None,
) -> Answer: ...
def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Answer:
    """The least δ that is proved for this ε ≥ 0, by the tightest accountant; or what `method` says.

    Raises as `epsilon` does.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> delta(Gaussian(noise_multiplier=5), epsilon=1).sentence()
    'δ ≥ 1.75463e-8, δ ≤ 1.75464e-8'
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)

    def ask(accountant: Accountant) -> Answer:
        return accountant.delta(plan, epsilon=epsilon, adjacency=relation)

    return tightest(ask, PROVED) if method is None else _named(ask, method)


def _named(ask: Callable[[Accountant], Answer], method: str) -> Answer:
    """By one accountant; where it reaches a limit, the safe answer so far is the others'."""
    named = {accountant.name: accountant for accountant in ACCOUNTANTS}
    chosen = named[require.one_of(named, method=method)]
    try:
        return ask(chosen)
    except LimitReached as error:
        with suppress(NoProof, LimitReached):
            others = [accountant for accountant in PROVED if accountant is not chosen]
            error.partial = error.partial or tightest(ask, others)
        raise


def tightest(ask: Callable[[Accountant], Answer], among: Iterable[Accountant]) -> Proved:
    """The first answer that is sharp, or else the least of the bounds with the best lower end."""
    answers: list[Proved] = []
    bounded: set[str] = set()
    errors: dict[str, BursarError] = {}
    for accountant in among:
        if accountant.after in bounded:
            continue
        try:
            answer = ask(accountant)
        except (NoProof, LimitReached) as error:
            errors[accountant.name] = error
            continue
        if isinstance(answer, Estimate):
            raise InternalError(f"{accountant.name} has no proof and cannot be chosen")
        answers.append(answer)
        if isinstance(answer, UpperBound):
            bounded.add(accountant.name)
        if sharp(answer):
            break
    if not answers:
        raise _nobody(errors)
    best = min(answers, key=float)
    passed = [Refusal(name, error.need) for name, error in errors.items()]
    passed += [
        Refusal(one.about.method, "its bound is larger") for one in answers if one is not best
    ]
    about = replace(best.about, passed_over=tuple(passed))
    lower = [one.lower for one in answers if isinstance(one, Enclosure)]
    if lower:
        return Enclosure(lower=max(lower), upper=best.upper, about=about)
    return UpperBound(upper=best.upper, about=about)


def sharp(answer: Proved) -> bool:
    """Whether no accountant could say much less: its ends are proved and agree to a thousandth."""
    if not isinstance(answer, Enclosure):
        return False
    return answer.upper <= max((1 + _SHARP) * answer.lower, math.nextafter(answer.lower, math.inf))


def _nobody(errors: dict[str, BursarError]) -> BursarError:
    """One error for all: a limit if there was one, since more time might help."""
    for error in errors.values():
        if isinstance(error, LimitReached):
            return error
    needs = dict.fromkeys(error.need for error in errors.values())
    if len(needs) == 1:
        return next(iter(errors.values()))
    told = "; ".join(f"{name}: {error.need}" for name, error in errors.items())
    return NoProof(f"no accountant takes this plan ({told})")
