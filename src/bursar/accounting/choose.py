"""Which accountant answers: the tightest that can, and why the others could not.

Each accountant is a line of `ACCOUNTANTS`, tightest first.  One that has no proof for a plan, or
reaches a limit, is passed over, and the answer says so; a bound that is not tight is compared with
the others', and the least one is the answer.  Not here: all of them side by side (`compare.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, final

from bursar import require
from bursar.accounting import exact, rdp
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import BursarError, LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import Enclosure, Proved, Refusal, UpperBound

_SHARP = 1e-3  # relative: an enclosure that is wider is compared with the other bounds


class AsksEpsilon(Protocol):
    """The least ε that an accountant proves at a δ."""

    def __call__(
        self,
        run: Plan | Mechanism,
        /,
        *,
        delta: Number | None = None,
        log_delta: float | None = None,
        adjacency: Adjacency | str = DEFAULT,
    ) -> Proved:
        """Raises NoProof, LimitReached, or InvalidParameter for the question itself."""


class AsksDelta(Protocol):
    """The least δ that an accountant proves at an ε."""

    def __call__(
        self, run: Plan | Mechanism, /, *, epsilon: Number, adjacency: Adjacency | str = DEFAULT
    ) -> Proved:
        """Raises as for an ε."""


@final
@dataclass(frozen=True, slots=True)
class Accountant:
    """One way to account: its name, its kind of truth, the view of a plan that it takes."""

    name: str
    kind: str
    view: Callable[[Plan, Adjacency], object]
    epsilon: AsksEpsilon
    delta: AsksDelta


def _pairs(plan: Plan, adjacency: Adjacency) -> object:
    return views.pairs(plan, adjacency, Direction.REMOVE)


ACCOUNTANTS = (
    Accountant(exact.NAME, Enclosure.kind, _pairs, exact.epsilon, exact.delta),
    Accountant(rdp.NAME, UpperBound.kind, views.rdp, rdp.epsilon, rdp.delta),
)


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Proved:
    """The least ε that is proved for this δ, by the tightest accountant or by `method`.

    Give one of `delta` in [0, 1] and `log_delta` at or below 0.  Raises InvalidParameter, NoProof
    where no accountant takes the plan, LimitReached with the safe answer so far.

    >>> from bursar.mechanisms.statements import ZeroConcentratedDP
    >>> found = epsilon(ZeroConcentratedDP(rho="0.1"), delta=1e-5)
    >>> found, found.about.passed_over
    (UpperBound(upper=1.91...), (Refusal(method='exact', why='zcdp has no pair view'),))
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)

    def ask(accountant: Accountant) -> Proved:
        return accountant.epsilon(plan, delta=delta, log_delta=log_delta, adjacency=relation)

    return _answered(ask, method)


def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Proved:
    """The least δ that is proved for this ε ≥ 0, by the tightest accountant or by `method`.

    Raises as `epsilon` does.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> delta(Gaussian(noise_multiplier=5), epsilon=1).sentence()
    'δ ≥ 1.75463e-8, δ ≤ 1.75464e-8'
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)

    def ask(accountant: Accountant) -> Proved:
        return accountant.delta(plan, epsilon=epsilon, adjacency=relation)

    return _answered(ask, method)


@final
@dataclass(frozen=True, slots=True)
class Taker:
    """Whether an accountant takes a plan; `refused` says why not."""

    method: str
    kind: str
    refused: str | None


def takers(run: Plan | Mechanism, *, adjacency: Adjacency | str = DEFAULT) -> tuple[Taker, ...]:
    """Which accountants take a plan, tightest first, and why the others do not.

    >>> from bursar.mechanisms.statements import ApproximateDP
    >>> takers(ApproximateDP(epsilon=1, delta=1e-9))[1]
    Taker(method='rdp', kind='upper-bound', refused='approximate-dp has no rdp view')
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    found = []
    for accountant in ACCOUNTANTS:
        refused = None
        try:
            accountant.view(plan, relation)
        except NoProof as error:
            refused = error.need
        found.append(Taker(accountant.name, accountant.kind, refused))
    return tuple(found)


def _answered(ask: Callable[[Accountant], Proved], method: str | None) -> Proved:
    if method is None:
        return _tightest(ask, ACCOUNTANTS)
    names = [accountant.name for accountant in ACCOUNTANTS]
    chosen = ACCOUNTANTS[names.index(require.one_of(names, method=method))]
    try:
        return ask(chosen)
    except LimitReached as error:
        with suppress(NoProof, LimitReached):
            others = [accountant for accountant in ACCOUNTANTS if accountant is not chosen]
            error.partial = error.partial or _tightest(ask, others)
        raise


def _tightest(ask: Callable[[Accountant], Proved], among: Sequence[Accountant]) -> Proved:
    """The first answer that is sharp, or else the least of the bounds with the best lower end."""
    answers: list[Proved] = []
    errors: dict[str, BursarError] = {}
    for accountant in among:
        try:
            answers.append(ask(accountant))
        except (NoProof, LimitReached) as error:
            errors[accountant.name] = error
            continue
        if _sharp(answers[-1]):
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


def _sharp(answer: Proved) -> bool:
    """Whether no accountant could say much less."""
    return isinstance(answer, Enclosure) and answer.upper <= (1 + _SHARP) * answer.lower


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
