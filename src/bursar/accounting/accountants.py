"""The registry of accountants: who there is, which kind of truth each gives, what each takes.

One line each, tightest first, those without proof last.  Not here: who answers (`choose.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from bursar.accounting import (
    characteristic,
    edgeworth,
    exact,
    gdp,
    lattice,
    monte_carlo,
    rdp,
    saddlepoint,
)
from bursar.accounting.estimates import Estimator, sketched
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import Enclosure, Estimate, Proved, UpperBound

Answer = Proved | Estimate


class AsksEpsilon(Protocol):
    """The least ε of an accountant at a δ."""

    def __call__(
        self,
        run: Plan | Mechanism,
        /,
        *,
        delta: Number | None = None,
        log_delta: float | None = None,
        adjacency: Adjacency | str = DEFAULT,
    ) -> Answer:
        """Raises NoProof, LimitReached, or InvalidParameter for the question itself."""


class AsksDelta(Protocol):
    """The least δ of an accountant at an ε."""

    def __call__(
        self, run: Plan | Mechanism, /, *, epsilon: Number, adjacency: Adjacency | str = DEFAULT
    ) -> Answer:
        """Raises as for an ε."""


@final
@dataclass(frozen=True, slots=True)
class Accountant:
    """One way to account: its name, its kind of truth, the view of a plan that it takes.

    The kind is the weakest that it answers with: `edgeworth` and `gdp` may also prove a number.
    `after` names one that takes the same pairs: where that one says that they are no more than an
    upper bound, this one could say no less.
    """

    name: str
    kind: str
    view: Callable[[Plan, Adjacency], object]
    epsilon: AsksEpsilon
    delta: AsksDelta
    after: str | None = None


def _pairs(plan: Plan, adjacency: Adjacency) -> object:
    return exact.pairs_of(plan, adjacency, Direction.REMOVE)


def _all_pairs(plan: Plan, adjacency: Adjacency) -> object:
    return lattice.pairs_of(plan, adjacency, Direction.REMOVE)


def _guesses(estimator: Estimator) -> Accountant:
    return Accountant(estimator.name, Estimate.kind, sketched, estimator.epsilon, estimator.delta)


ACCOUNTANTS = (
    Accountant(exact.NAME, Enclosure.kind, _pairs, exact.epsilon, exact.delta),
    Accountant(
        lattice.NAME, Enclosure.kind, _all_pairs, lattice.epsilon, lattice.delta, after=exact.NAME
    ),
    Accountant(rdp.NAME, UpperBound.kind, views.rdp, rdp.epsilon, rdp.delta),
    Accountant(
        monte_carlo.NAME, Estimate.kind, monte_carlo.taken, monte_carlo.epsilon, monte_carlo.delta
    ),
    _guesses(saddlepoint.ACCOUNTANT),
    _guesses(characteristic.ACCOUNTANT),
    Accountant(edgeworth.NAME, Estimate.kind, _pairs, edgeworth.epsilon, edgeworth.delta),
    Accountant(gdp.NAME, Estimate.kind, gdp.taken, gdp.epsilon, gdp.delta),
)
PROVED = tuple(one for one in ACCOUNTANTS if one.kind != Estimate.kind)


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
    >>> takers(ApproximateDP(epsilon=1, delta=1e-9))[2]
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
