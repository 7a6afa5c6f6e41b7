"""An open charge: paid in full before the first question, each answer kept before it leaves.

While a screen is open, other requests of the same scopes are concurrent composition.  It is proved
for filters over one Rényi order, f-DP and (ε, δ)-DP (Haney et al. 2023; docs/proofs/filters.md), so
for all filters here but approximate zCDP.  Under that one a screen refuses to go on once anything
else of its scopes was answered after it began: what was asked before it stays in sequence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar, final

from bursar.errors import Refused
from bursar.exact import Exact
from bursar.filters.charges import Charge, Stage
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.machine import Filter
from bursar.filters.purse import Purse
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.noise import refuse_rehearsal

T = TypeVar("T")

_LIVE = (Stage.STARTED, Stage.COMMITTED, Stage.CHARGED_IN_FULL)
Seen = dict[str, tuple[Stage, int]]


@final
class Held:
    """The charge of one screen in a purse."""

    __slots__ = ("_before", "_concurrent", "_mine", "_purse", "_scopes", "request")

    def __init__(
        self,
        purse: Purse,
        plan: Mechanism | Plan,
        *,
        request: str,
        sensitivity: Exact,
        scopes: Iterable[str] | None,
        mine: frozenset[str] = frozenset(),
    ) -> None:
        refuse_rehearsal("a screen")
        self._scopes = None if scopes is None else tuple(scopes)
        self._concurrent = all(interleaves(one) for one in purse.filters(self._scopes))
        body = {"plan": Plan.of(plan).canonical(), "sensitivity": sensitivity.text}
        charge = purse.reserve(
            plan, request=request, body=json.dumps(body), scopes=self._scopes, open=True
        )
        if charge.stage is not Stage.RESERVED:
            raise Refused(
                f"request {request!r} is {charge.stage}: a screen runs once",
                hint="Its answers are in the purse: charge(request).answers.",
            )
        self._purse, self.request = purse, request
        self._mine, self._before = mine | {request}, Seen()

    @property
    def stage(self) -> Stage:
        """Where the charge is in its life."""
        return self._purse.charge(self.request).stage

    def start(self) -> None:
        """From now on data may be read."""
        self._purse.start(self.request)
        self._before = Seen() if self._concurrent else self._others()

    def check(self) -> None:
        """Refuse to go on where something else was answered in between, without a theorem."""
        if self.stage is not Stage.STARTED:
            raise Refused(f"request {self.request!r} is {self.stage}: it gives no answers")
        if not self._concurrent and self._others() != self._before:
            raise Refused(
                "something else was asked of this budget after the screen began, and no theorem "
                "covers both under approximate zCDP",
                hint="Close the screen; or keep the budget in RDP, GDP or (ε, δ).",
            )

    def keep(self, answer: T) -> T:
        """Store an answer, which may leave then."""
        return self._purse.record(self.request, answer)

    def close(self, *, failed: bool = False) -> None:
        """No more answers: what was started stays charged, what was not is given back."""
        if self.stage is Stage.STARTED and failed:
            self._purse.fail(self.request)
        elif self.stage is Stage.STARTED:
            self._purse.commit(self.request)
        elif self.stage is Stage.RESERVED:
            self._purse.abandon(self.request)

    def _others(self) -> Seen:
        """What else of these scopes was started, and how many answers each has given."""
        shared = {name for name, _ in self._purse.charge(self.request).costs}
        return {
            charge.request: (charge.stage, len(charge.answers))
            for charge in self._purse.history()
            if charge.request not in self._mine and charge.stage in _LIVE and _meets(charge, shared)
        }


def interleaves(filter: Filter) -> bool:  # noqa: A002 - it is the filter
    """Whether concurrent composition is proved for what the filter measures."""
    return not (isinstance(filter, ZcdpFilter) and filter.delta > 0)


def _meets(charge: Charge, scopes: set[str]) -> bool:
    return any(name in scopes for name, _ in charge.costs)
