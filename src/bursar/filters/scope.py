"""The individual scope: κ is charged to the data set once, its questions charge people only.

Feldman & Zrnic 2021, Thm 4.5: whatever is asked in it, all answers together keep the promise of
the individual filter.  So opening it charges that promise as one plan; the total is κ plus the
rest.
For each question everybody takes on a liability before data is read, min(the most that the question
can take, what they have left); the exact charge replaces it, and a crash applies it.  Questions are
answered one at a time, whatever threads ask them, and only in the process that opened the scope.
What goes wrong while data is read may tell of it: whoever asked learns that it did, and no more.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from threading import RLock
from types import TracebackType
from typing import Self, TypeVar, cast, final

from bursar.errors import NoProof, Refused
from bursar.filters.charges import Charge, Stage
from bursar.filters.individual import Costs, IndividualFilter, Inside, Standing
from bursar.filters.purse import Purse
from bursar.filters.sealed import Private, Sealed
from bursar.mechanisms.plan import Plan
from bursar.noise.entropy import refuse_not_private, refuse_rehearsal

T = TypeVar("T")


@final
class Failure(Private):
    """What went wrong where data was read: private, since the data may have decided it."""

    __slots__ = ("_told",)

    def __init__(self, error: BaseException) -> None:
        self._told = "".join(traceback.format_exception(error))

    def reveal(self) -> str:
        """The error and where it was raised, for the owner of the data alone."""
        return self._told

    def __repr__(self) -> str:
        return "<private Failure>"


@final
class _Quietly:
    """Keeps an error to itself, so that none that is raised later carries it along."""

    failure: Failure | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):  # none, or an interruption from outside
            return False
        self.failure = Failure(error)
        return True


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

    __slots__ = ("_answers", "_asked", "_failures", "_lock", "_process", "_standing", "filter")

    def __init__(
        self,
        filter: IndividualFilter,  # noqa: A002 - it is the filter
        paid: Charge,
        standing: Standing,
    ) -> None:
        """A scope that was paid for, as it was stored; a question that was open is charged.

        Only `open` starts a fresh one: one payment is for one set of people's books.
        """
        if paid.stage is not Stage.COMMITTED or paid.plan != Plan.of(filter.promise):
            raise Refused(f"request {paid.request!r} has not paid for this scope")
        self.filter = filter
        pending = standing.pending is not None
        self._standing = filter.charge_in_full(standing) if pending else standing
        self._answers: dict[str, object] = {}
        self._asked: dict[str, str] = {}
        self._failures: dict[str, Failure] = {}
        self._lock, self._process = RLock(), os.getpid()

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
        return cls(filter, purse.charge(request), filter.start())

    @property
    def standing(self) -> Standing:
        """What each person has left, to be stored."""
        return self._standing

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
        everybody the liability of `most` units; one in `release` leaves the exact charge.  Either
        is Refused, in the same words; what it was is kept for the owner (`failure`).
        """
        with self._books():
            if request in self._asked:
                return cast(T, self._again(request, body))
            self._standing = self.filter.begin(self._standing, most)
            self._asked[request] = body
            with _Quietly() as quietly:
                released = release(self._charged(costs))
            if quietly.failure is not None:
                self._failures[request] = quietly.failure
                raise Refused(
                    f"request {request!r} failed: it was charged, and has no answer",
                    hint="What failed is private; the owner of the data may ask: failure().",
                )
            refuse_not_private(released, "this answer")
            self._answers[request] = released
        return released

    def _charged(self, costs: Callable[[], Costs]) -> Inside:
        """Who is inside, once everybody is charged; in full, where the costs are not known."""
        charged = False
        try:
            self._standing, inside = self.filter.settle(self._standing, costs())
            charged = True
        finally:
            if not charged:
                self._standing = self.filter.charge_in_full(self._standing)
        return inside

    def failure(self, request: str) -> Failure | None:
        """What went wrong with a request, for the owner of the data; None where nothing did."""
        with self._lock:
            return self._failures.get(request)

    def left(self) -> Sealed:
        """What each person has left, in units: for code that clips contributions to it."""
        with self._lock:
            return Sealed(self._standing.reveal().copy())

    def _books(self) -> RLock:
        """The lock under which a question is answered."""
        refuse_rehearsal("a charge")
        if self._process != os.getpid():
            raise Refused("this scope is of another process, before a fork")
        return self._lock

    def _again(self, request: str, body: str) -> object:
        if self._asked[request] != body:
            raise Refused(f"request {request!r} was made before with another body")
        if request not in self._answers:
            raise Refused(f"request {request!r} was charged and has no answer")
        return self._answers[request]
