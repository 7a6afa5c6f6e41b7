"""The life of a charge, and what it does to budgets: pure decisions, for purses of any kind.

RESERVED → STARTED → COMMITTED; RESERVED → ABANDONED, which is free; STARTED → CHARGED_IN_FULL after
a crash.  Data is read only between STARTED and COMMITTED; so what was started is never given back,
but for parts of the plan that were never started.  An open charge answers one question after
another, and is charged in full when it starts.  Where states and charges are kept: `purse`, in
memory; the ledger, durably.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import final

from bursar.errors import InvalidParameter, Refused
from bursar.filters.machine import Filter, Granted, State, Units, priced
from bursar.filters.machine import Refused as NotGranted
from bursar.mechanisms.plan import Plan

Filters = Mapping[str, Filter]
States = Mapping[str, State]
Costs = tuple[tuple[str, Units], ...]


@unique
class Stage(StrEnum):
    """Where a charge is in its life."""

    RESERVED = "reserved"
    STARTED = "started"
    COMMITTED = "committed"
    ABANDONED = "abandoned"
    CHARGED_IN_FULL = "charged-in-full"


@unique
class Verb(StrEnum):
    """What may be done with a charge."""

    START = "start"
    COMMIT = "commit"
    ABANDON = "abandon"
    FAIL = "fail"


NEXT: Mapping[tuple[Stage, Verb], Stage] = {
    (Stage.RESERVED, Verb.START): Stage.STARTED,
    (Stage.RESERVED, Verb.ABANDON): Stage.ABANDONED,
    (Stage.STARTED, Verb.COMMIT): Stage.COMMITTED,
    (Stage.STARTED, Verb.FAIL): Stage.CHARGED_IN_FULL,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """One request and what it costs each scope; `body` is the whole request as canonical text.

    `plan` is what was asked for; `used` is the part of it that was started, where less was.
    """

    request: str
    body: str
    plan: Plan
    costs: Costs
    stage: Stage = Stage.RESERVED
    answers: tuple[object, ...] = ()
    open: bool = False
    expires: float | None = None
    used: Plan | None = None

    def then(self, verb: Verb) -> Charge:
        """The charge after that; Refused, and nothing changed, where its stage forbids it."""
        stage = NEXT.get((self.stage, verb))
        if stage is None:
            allowed = ", ".join(v for s, v in NEXT if s is self.stage) or "nothing more"
            raise Refused(
                f"request {self.request!r} is {self.stage}, so it cannot {verb}",
                hint=f"It can: {allowed}.",
            )
        return replace(self, stage=stage)

    def answered(self, answer: object) -> Charge:
        """The charge with one more answer, to be stored before the answer leaves."""
        if self.stage is not Stage.STARTED:
            raise Refused(f"request {self.request!r} is {self.stage}: it gives no answers")
        return replace(self, answers=(*self.answers, answer))

    def same(self, body: str, plan: Plan, scopes: Iterable[str], *, open: bool) -> Charge:  # noqa: A002
        """The charge itself, if all is as before: an id stands for one request for ever.

        Whoever could name another plan, or other scopes, could run what was never paid for.
        """
        before = (self.body, self.plan, {scope for scope, _ in self.costs}, self.open)
        asked = (body, plan, set(scopes), open)
        names = ("body", "plan", "choice of scopes", "kind of charge")
        for name, was, now in zip(names, before, asked, strict=True):
            if was != now:
                raise Refused(
                    f"request {self.request!r} was made before with another {name}",
                    hint="A new request needs a new id.",
                )
        return self


@final
@dataclass(frozen=True, slots=True)
class Blocked:
    """No scope was charged, because this one cannot hold the plan."""

    scope: str
    refusal: NotGranted


def reserve(
    filters: Filters, states: States, plan: Plan, scopes: Iterable[str]
) -> tuple[dict[str, State], Costs] | Blocked:
    """All scopes or none: their new states and the costs, or the first scope that refuses."""
    after: dict[str, State] = {}
    costs: list[tuple[str, Units]] = []
    for scope in scopes:
        state, decision = filters[scope].ask(states[scope], plan)
        if not isinstance(decision, Granted):
            return Blocked(scope, decision)
        after[scope] = state
        costs.append((scope, decision.cost))
    return after, tuple(costs)


def give_back(filters: Filters, states: States, costs: Costs) -> dict[str, State]:
    """The states after a reservation was abandoned before it started."""
    return {scope: filters[scope].give_back(states[scope], cost) for scope, cost in costs}


def raise_costs(
    filters: Filters, states: States, plan: Plan, scopes: Iterable[str]
) -> tuple[dict[str, State], Costs]:
    """The states after a past cost turned out to be larger by this plan: charged without asking."""
    costs = tuple((scope, priced(filters[scope], plan)) for scope in scopes)
    return {scope: filters[scope].add_anyway(states[scope], cost) for scope, cost in costs}, costs


def settle(
    filters: Filters, states: States, charge: Charge, used: Plan
) -> tuple[dict[str, State], Costs]:
    """The states and costs after only a part of the plan was started, which is what is charged."""
    planned = dict(charge.plan.steps)
    if charge.open or any(n > planned.get(step, 0) for step, n in used.steps):
        need = "it must be a part of the plan, and the charge must not be an open one"
        raise InvalidParameter(need, field="used", value=used)
    after: dict[str, State] = {}
    costs: list[tuple[str, Units]] = []
    for scope, whole in charge.costs:
        part = tuple(map(min, whole, priced(filters[scope], used)))
        back = filters[scope].give_back(states[scope], whole)
        after[scope] = filters[scope].add_anyway(back, part)
        costs.append((scope, part))
    return after, tuple(costs)
