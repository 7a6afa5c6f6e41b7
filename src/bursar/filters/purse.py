"""The purse: reserve, start, commit, abandon over named scopes, in memory.

Pay, then look: a charge is in the books before its work may read data, and an answer leaves only
after it is in them.  A request is charged to all its scopes or to none: say a data set's budget,
which is the guarantee, and an analyst's, which is a quota.  The same request gives the same answer
and costs nothing.  One lock makes decisions one after another; the decisions are those of
`charges`, and the ledger makes them durable.

The books belong to one process: after a fork there would be two of each budget, so the child's are
refused.  In a rehearsal, whose noise a seed decides, nothing is charged, and no answer is kept.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from threading import Lock
from typing import TypeVar, final

from bursar.adjacency import Adjacency
from bursar.errors import InvalidParameter, Refused
from bursar.exact import Exact, Number
from bursar.filters import charges, planning
from bursar.filters.charges import Blocked, Charge, Stage, Verb
from bursar.filters.machine import Filter, State
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.noise.entropy import refuse_not_private, refuse_rehearsal

T = TypeVar("T")


@final
class Purse:
    """Budgets that many requests share, none of which is ever spent twice.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> purse = Purse({"census": ZcdpFilter(rho="0.1")})
    >>> purse.run(Gaussian(noise_multiplier=10), lambda: 42, request="q1")
    42
    >>> purse.left("census")["rho"]
    0.095
    """

    __slots__ = ("_charges", "_filters", "_lock", "_process", "_states")

    def __init__(
        self, filters: Mapping[str, Filter], states: Mapping[str, State] | None = None
    ) -> None:
        """Fresh budgets, or those of `states` that were saved: what was reserved stays spent."""
        if not filters or not all(isinstance(one, Filter) for one in filters.values()):
            need = "there must be one scope at least, and each must have a filter"
            raise InvalidParameter(need, field="filters", value=filters or None)
        self._filters = dict(filters)
        self._states = {name: one.start() for name, one in filters.items()}
        for name in self._named(states) if states else ():
            self._states[name] = (states or {})[name]
        self._charges: dict[str, Charge] = {}
        self._lock, self._process = Lock(), os.getpid()

    def reserve(
        self,
        plan: Mechanism | Plan,
        *,
        request: str,
        body: str = "",
        scopes: Iterable[str] | None = None,
        open: bool = False,  # noqa: A002 - an open charge
        expires: float | None = None,
    ) -> Charge:
        """Hold what the plan costs.  The same request again gives the charge that there is.

        Raises BudgetExceeded where a scope cannot hold it; then no scope is charged.
        """
        whole, named = Plan.of(plan), self._named(scopes)
        for field, text in {"request": request, "body": body}.items():
            if not isinstance(text, str):
                raise InvalidParameter("it must be a text", field=field, value=text)
        if expires is not None and not -math.inf < expires < math.inf:
            raise InvalidParameter("it must be a finite time", field="expires", value=expires)
        with self._changing():
            if request in self._charges:
                return self._charges[request].same(body, whole, named, open=open)
            decision = charges.reserve(self._filters, self._states, whole, named)
            if isinstance(decision, Blocked):
                raise decision.refusal.error(decision.scope)
            states, costs = decision
            charge = Charge(
                request=request, body=body, plan=whole, costs=costs, open=open, expires=expires
            )
            return self._keep(charge, states)

    def start(self, request: str) -> Charge:
        """From now on data may be read, and nothing is given back."""
        with self._changing():
            return self._keep(self._found(request).then(Verb.START))

    def record(self, request: str, answer: T) -> T:
        """Keep one answer of an open charge, which may leave then."""
        refuse_not_private(answer, "this answer")
        with self._changing():
            charge = self._found(request)
            if not charge.open:
                raise Refused(f"request {request!r} is not open: it is answered by its commit")
            self._keep(charge.answered(answer))
        return answer

    def commit(
        self, request: str, answer: T | None = None, *, used: Mechanism | Plan | None = None
    ) -> T | None:
        """Keep the answer, which may leave then; parts of the plan that never started return."""
        refuse_not_private(answer, "this answer")
        with self._changing():
            charge = self._found(request)
            done = charge.then(Verb.COMMIT)
            states: Mapping[str, State] = {}
            if used is not None:
                part = Plan.of(used)
                states, costs = charges.settle(self._filters, self._states, charge, part)
                done = replace(done, used=part, costs=costs)
            if not charge.open:
                done = replace(done, answers=(answer,))
            elif answer is not None:
                done = replace(done, answers=(*charge.answers, answer))
            self._return(done, states)
        return answer

    def abandon(self, request: str) -> Charge:
        """Give a reservation back, which was never started."""
        with self._changing():
            return self._abandoned(self._found(request))

    def fail(self, request: str) -> Charge:
        """After an error or a time-out: all of it stays charged."""
        with self._changing():
            return self._keep(self._found(request).then(Verb.FAIL))

    def recover(self) -> list[Charge]:
        """After a crash, before anything else: what was started is charged in full."""
        with self._changing():
            started = [c for c in self._charges.values() if c.stage is Stage.STARTED]
            return [self._keep(charge.then(Verb.FAIL)) for charge in started]

    def expire(self, now: float) -> list[Charge]:
        """Give back all reservations whose time is over; what was started stays."""
        with self._changing():
            return [
                self._abandoned(charge)
                for charge in list(self._charges.values())
                if charge.stage is Stage.RESERVED
                and charge.expires is not None
                and charge.expires <= now
            ]

    def run(
        self,
        plan: Mechanism | Plan,
        work: Callable[[], T],
        *,
        request: str,
        body: str = "",
        scopes: Iterable[str] | None = None,
    ) -> T:
        """Charge, work, keep the answer, return it; an error in between charges in full."""
        charge = self.reserve(plan, request=request, body=body, scopes=scopes)
        if charge.stage is Stage.COMMITTED:
            return charge.answers[-1]  # type: ignore[return-value]
        self.start(request)
        kept = False
        try:
            answer = work()
            self.commit(request, answer)
            kept = True
        finally:
            if not kept:
                self.fail(request)
        return answer

    def raise_costs(
        self, plan: Mechanism | Plan, *, request: str, scopes: Iterable[str] | None = None
    ) -> Charge:
        """Charge what a past request cost more than was thought; this may overdraw a scope."""
        whole, named = Plan.of(plan), self._named(scopes)
        with self._changing():
            if request in self._charges:
                raise Refused(f"request {request!r} was made before")
            states, costs = charges.raise_costs(self._filters, self._states, whole, named)
            charge = Charge(
                request=request,
                body="raise-costs",
                plan=whole,
                costs=costs,
                stage=Stage.CHARGED_IN_FULL,
            )
            return self._keep(charge, states)

    def cost(self, plan: Mechanism | Plan) -> dict[str, dict[str, Exact | None]]:
        """What the plan would be charged in each scope.  Spends nothing."""
        return {name: planning.cost(one, plan) for name, one in self._filters.items()}

    def may_run(self, plan: Mechanism | Plan, *, scopes: Iterable[str] | None = None) -> bool:
        """Whether all scopes could hold the plan now.  Spends nothing."""
        whole, named = Plan.of(plan), self._named(scopes)
        with self._books():
            states = dict(self._states)
        return not isinstance(charges.reserve(self._filters, states, whole, named), Blocked)

    def more(self, step: Mechanism | Plan, *, scopes: Iterable[str] | None = None) -> int:
        """How many more like this all scopes could hold.  Spends nothing."""
        named = self._named(scopes)
        with self._books():
            states = dict(self._states)
        return min(planning.more(self._filters[name], states[name], step) for name in named)

    def most(self, step: Mechanism | Plan, *, scopes: Iterable[str] | None = None) -> int:
        """The largest n for which all scopes could hold n * step as one plan.  Spends nothing."""
        named = self._named(scopes)
        with self._books():
            states = dict(self._states)
        return min(planning.most(self._filters[name], states[name], step) for name in named)

    def nearest(
        self,
        family: Callable[[Exact], Mechanism | Plan],
        *,
        may: Number,
        may_not: Number,
        scopes: Iterable[str] | None = None,
    ) -> Exact:
        """The parameter nearest to `may_not` whose plan all scopes could hold: see `planning`."""
        named = self._named(scopes)
        with self._books():
            states = dict(self._states)

        def fits(at: Exact) -> bool:
            plan = Plan.of(family(at))
            return not isinstance(charges.reserve(self._filters, states, plan, named), Blocked)

        return planning.closest(fits, may=may, may_not=may_not)

    def left(self, scope: str) -> dict[str, Exact]:
        """What is left of each account of a scope."""
        state = self.state(scope)
        return self._filters[scope].left(state)

    def state(self, scope: str) -> State:
        """The state of a scope, to be saved."""
        (name,) = self._named([scope])
        with self._books():
            return self._states[name]

    def relations(self, scopes: Iterable[str] | None = None) -> set[Adjacency]:
        """The neighbouring relations of the scopes' promises."""
        return {self._filters[name].adjacency for name in self._named(scopes)}

    def filters(self, scopes: Iterable[str] | None = None) -> tuple[Filter, ...]:
        """The filters of the scopes, which say what may be interleaved."""
        return tuple(self._filters[name] for name in self._named(scopes))

    def charge(self, request: str) -> Charge:
        """The charge of a request."""
        with self._books():
            return self._found(request)

    def history(self) -> list[Charge]:
        """All charges there were, in their order."""
        with self._books():
            return list(self._charges.values())

    def _books(self) -> Lock:
        """The lock under which they are read."""
        if self._process != os.getpid():
            raise Refused(
                "this purse is of another process, before a fork: its budgets would count twice",
                hint="Let one process hold the purse.",
            )
        return self._lock

    def _changing(self) -> Lock:
        """The lock under which they are changed."""
        refuse_rehearsal("a charge")
        return self._books()

    def _named(self, scopes: Iterable[str] | None) -> list[str]:
        if isinstance(scopes, str):
            raise InvalidParameter(
                "it must be a list of names", field="scopes", value=scopes, hint=f"[{scopes!r}]"
            )
        names = list(self._filters) if scopes is None else list(dict.fromkeys(scopes))
        unknown = [name for name in names if name not in self._filters]
        if unknown or not names:
            need = f"they must be of {', '.join(self._filters)}"
            raise InvalidParameter(need, field="scopes", value=unknown or names)
        return names

    def _found(self, request: str) -> Charge:
        if request not in self._charges:
            raise InvalidParameter("no such request was reserved", field="request", value=request)
        return self._charges[request]

    def _keep(self, charge: Charge, states: Mapping[str, State] | None = None) -> Charge:
        """Spend first: what interrupts it in between leaves too much spent, never too little."""
        self._states.update(states or {})
        self._charges[charge.request] = charge
        return charge

    def _return(self, charge: Charge, states: Mapping[str, State]) -> Charge:
        """Give back last, so that what is interrupted cannot be given back twice."""
        self._charges[charge.request] = charge
        self._states.update(states)
        return charge

    def _abandoned(self, charge: Charge) -> Charge:
        gone = charge.then(Verb.ABANDON)
        return self._return(gone, charges.give_back(self._filters, self._states, charge.costs))
