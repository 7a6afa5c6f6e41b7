"""The individual scope: κ is charged to the data set once, its questions charge people only.

Feldman & Zrnic 2021, Thm 4.5: whatever is asked in it, all answers together keep the promise of
the individual filter.  So opening it charges that promise as one plan; the total is κ plus the
rest.
For each question everybody takes on a liability before data is read, min(the most that the question
can take, what they have left); the exact charge replaces it, and a crash applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, cast, final

from bursar.errors import NoProof, Refused
from bursar.filters.individual import Costs, IndividualFilter, Inside, Standing
from bursar.filters.purse import Purse
from bursar.filters.sealed import Sealed
from bursar.mechanisms.plan import Plan

T = TypeVar("T")


@final
class IndividualScope:
    """Questions that cost people what is added of theirs, after one charge for all of them.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> purse = Purse({"census": ZcdpFilter(rho=1)})
    >>> people = IndividualFilter.zcdp(rho="0.25", people=1000)
    >>> scope = IndividualScope.open(purse, people, request="spring survey")
    >>> purse.left("census")["rho"]
    0.75
    """

    __slots__ = ("_answers", "_asked", "filter", "standing")

    def __init__(self, filter: IndividualFilter) -> None:  # noqa: A002 - it is the filter
        self.filter = filter
        self.standing: Standing = filter.start()
        self._answers: dict[str, object] = {}
        self._asked: dict[str, str] = {}

    @classmethod
    def open(
        cls,
        purse: Purse,
        filter: IndividualFilter,  # noqa: A002
        *,
        request: str,
        scopes: Iterable[str] | None = None,
    ) -> IndividualScope:
        """Charge the promise to the purse, once and for all, and open the scope."""
        others = purse.relations(scopes) - {filter.adjacency}
        if others:
            raise NoProof(
                f"the people's promise is under {filter.adjacency}, a scope's under {others.pop()}",
                hint="Make both filters with one adjacency.",
            )
        plan = Plan.of(filter.promise)
        purse.reserve(plan, request=request, body="individual-scope", scopes=scopes)
        purse.start(request)
        purse.commit(request)
        return cls(filter)

    def answer(
        self,
        costs: Callable[[], Costs],
        release: Callable[[Inside], T],
        *,
        most: int,
        request: str,
        body: str = "",
    ) -> T:
        """Ask one question: `costs` reads data, `release` adds up who is inside, with noise.

        The same request gives the same answer and costs nothing.  An error in `costs` charges
        everybody the liability of `most` units; one in `release` leaves the exact charge.
        """
        if request in self._asked:
            return cast(T, self._again(request, body))
        self.standing = self.filter.begin(self.standing, most)
        self._asked[request] = body
        charged = False
        try:
            priced = costs()
            self.standing, inside = self.filter.settle(self.standing, priced)
            charged = True
        finally:
            if not charged:
                self.standing = self.filter.charge_in_full(self.standing)
        released = release(inside)
        self._answers[request] = released
        return released

    def left(self) -> Sealed:
        """What each person has left, in units: for code that clips contributions to it."""
        return Sealed(self.standing.reveal().copy())

    def _again(self, request: str, body: str) -> object:
        if self._asked[request] != body:
            raise Refused(f"request {request!r} was made before with another body")
        if request not in self._answers:
            raise Refused(f"request {request!r} was charged and has no answer")
        return self._answers[request]
