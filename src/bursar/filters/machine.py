"""The filter as a machine without I/O: `(state, request) → (state, Granted | Refused)`.

Every filter here keeps sums of integer costs and asks one question of them: do they still fit?
The question is put before the step runs, with the step's own cost added; the cost may depend on
everything that was answered so far.  A refused request changes nothing and may be replaced.
States and decisions are frozen values; each decision takes the same time, however long the past.
Which theorem makes which sums a guarantee: the filters' own modules, and docs/proofs/filters.md.
"""

from __future__ import annotations

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self, final

from bursar.adjacency import Adjacency
from bursar.errors import BudgetExceeded, CorruptBooks, InvalidParameter, NoProof, shown
from bursar.exact import Exact, canonical
from bursar.filters import matrix
from bursar.filters.units import NEVER, Account, plus
from bursar.mechanisms.base import Mechanism, written
from bursar.mechanisms.plan import Plan

Units = tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class State:
    """What a filter has granted so far: one sum for each account, and how many changes there were.

    `burnt` says what was found inconsistent; everything after it is refused.
    """

    spent: Units
    serial: int = 0
    burnt: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Granted:
    """The request may run: its cost, in units of each account, is already in the new state."""

    cost: Units


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """The request may not run; the state is as before.  Infinite costs are None."""

    account: str
    requested: Exact | None
    left: Exact
    limit: Exact
    reason: str | None = None

    def error(self, scope: str = "this budget") -> BudgetExceeded | CorruptBooks:
        """The refusal as an error, with what was asked for and what is left of `scope`."""
        if self.reason is not None:
            return CorruptBooks(f"{scope} is burnt: {self.reason}", hint="Everything is refused.")
        asked = "inf" if self.requested is None else _told(self.requested, ROUND_CEILING)
        left = _told(self.left, ROUND_FLOOR)
        need = f"this costs {asked} of {self.account}, and {left} of {scope} is left"
        return BudgetExceeded(need, hint="Nothing was released.")


class Filter(ABC):
    """A budget for analyses that are chosen as one goes.  Concrete filters are frozen values."""

    name: ClassVar[str]
    accounts: tuple[Account, ...]
    adjacency: Adjacency

    @abstractmethod
    def price(self, plan: Plan) -> Units:
        """What the plan costs in units of each account, rounded up; NoProof without the view."""

    @abstractmethod
    def blocking(self, spent: Units) -> int | None:
        """The account to blame if these sums break the guarantee; larger sums never mend it."""

    @property
    @abstractmethod
    def promise(self) -> Mechanism:
        """What everything that was granted satisfies together, as one statement."""

    @final
    def start(self) -> State:
        """Nothing spent."""
        return State((0,) * len(self.accounts))

    @final
    def ask(
        self, state: State, request: Mechanism | Plan
    ) -> tuple[State, Granted] | tuple[State, Refused]:
        """Decide before the step runs: the new state and its cost, or the old one and why not."""
        state = self.checked(state)
        cost = priced(self, Plan.of(request))
        if state.burnt is not None:
            return state, self._refused(0, NEVER, NEVER, state.burnt)
        after = add(state.spent, cost)
        if (blamed := self.blocking(after)) is not None:
            return state, self._refused(blamed, cost[blamed], state.spent[blamed])
        return State(after, state.serial + 1), Granted(cost)

    @final
    def add_anyway(self, state: State, cost: Units) -> State:
        """Charge without asking, as an owner does who finds that a past step cost more."""
        state = self.checked(self._priced(state, cost))
        if state.burnt is not None:
            return state
        return State(add(state.spent, cost), state.serial + 1)

    @final
    def give_back(self, state: State, cost: Units) -> State:
        """Take back the cost of a step that was granted and never started."""
        state = self.checked(self._priced(state, cost))
        if state.burnt is not None:
            return state
        pairs = list(zip(state.spent, cost, strict=True))
        if any(c > s for s, c in pairs):
            return replace(state, burnt="more was given back than was spent")
        return State(tuple(s if s == NEVER else s - c for s, c in pairs), state.serial + 1)

    @final
    def checked(self, state: State) -> State:
        """The state itself, or burnt where it can be no state of this filter."""
        sums = state.spent
        if state.burnt is None and not (
            len(sums) == len(self.accounts)
            and all(type(s) is int and 0 <= s <= NEVER for s in sums)
            and type(state.serial) is int
        ):
            return replace(state, burnt="its sums are not sums of this filter's costs")
        return state

    @final
    def left(self, state: State) -> dict[str, Exact]:
        """What is left of each account, 0 where more was spent; CorruptBooks of a burnt state."""
        state = self.checked(state)
        if state.burnt is not None:
            raise CorruptBooks(f"this state is burnt: {state.burnt}")
        pairs = zip(self.accounts, state.spent, strict=True)
        return {a.name: a.value(max(0, a.cap - s)) for a, s in pairs}

    @final
    def canonical(self) -> dict[str, Any]:
        """The filter as books store it: its name, its fields as exact text, its accounts."""
        fields = [f.name for f in dataclasses.fields(self) if f.name != "accounts"]  # type: ignore[arg-type]
        accounts = [{"name": a.name, "unit": a.unit.text, "cap": a.cap} for a in self.accounts]
        body = {field: _written(getattr(self, field)) for field in fields}
        return {"filter": self.name, **body, "accounts": accounts}

    @final
    def holding(self, accounts: Sequence[Account]) -> Self:
        """This filter with stored accounts; CorruptBooks if they hold more than its own."""
        own = self.accounts
        same = [(a.name, a.unit) for a in own] == [(a.name, a.unit) for a in accounts]
        if not same or any(a.cap > b.cap for a, b in zip(accounts, own, strict=True)):
            raise CorruptBooks(f"the stored accounts are none of this {self.name} filter")
        kept = copy.copy(self)
        object.__setattr__(kept, "accounts", tuple(accounts))
        return kept

    def _priced(self, state: State, cost: Units) -> State:
        """The state, if these are costs of this filter: nothing is lowered by a negative one."""
        whole = all(type(units) is int and 0 <= units <= NEVER for units in cost)
        if whole and len(cost) == len(self.accounts):
            return state
        need = f"it must be {len(self.accounts)} whole numbers from 0 to 2^63 - 1"
        raise InvalidParameter(need, field="cost", value=cost)

    def _refused(self, blamed: int, cost: int, spent: int, reason: str | None = None) -> Refused:
        account = self.accounts[blamed]
        asked = None if cost == NEVER else account.value(cost)
        left = account.value(max(0, account.cap - spent))
        return Refused(account.name, asked, left, account.budget, reason)


@lru_cache(maxsize=4096)
def priced(filter: Filter, plan: Plan) -> Units:  # noqa: A002 - it is the filter
    """The price of a plan, remembered: analysts ask for the same step again and again."""
    try:
        return filter.price(plan)
    except NoProof as missing:
        hint = f"{missing.hint or ''} {matrix.advice(plan, filter.adjacency)}".strip()
        raise NoProof(
            f"the {filter.name} filter cannot price it: {missing.need}", hint=hint
        ) from None


def born(filter: Filter, **fields: object) -> None:  # noqa: A002 - it is the filter
    """Set the fields of a frozen filter, once, at its birth."""
    for name, value in fields.items():
        object.__setattr__(filter, name, value)


def add(spent: Units, cost: Units) -> Units:
    """Sums of units, each NEVER where it cannot be counted."""
    return tuple(plus(s, c) for s, c in zip(spent, cost, strict=True))


def overshoot(accounts: tuple[Account, ...], spent: Units) -> list[float]:
    """By how much of its cap each account is over; 0 or below where it holds what is spent."""
    return [(s - a.cap) / (a.cap + 1) for a, s in zip(accounts, spent, strict=True)]


def unless_all_hold(accounts: tuple[Account, ...], spent: Units) -> int | None:
    """None where every account holds what is spent of it, else the one that is most over."""
    if all(s <= a.cap for a, s in zip(accounts, spent, strict=True)):
        return None
    over = overshoot(accounts, spent)
    return over.index(max(over))


def unless_any_holds(accounts: tuple[Account, ...], spent: Units) -> int | None:
    """None where some account holds what is spent of it, else the one that is least over."""
    if any(s <= a.cap for a, s in zip(accounts, spent, strict=True)):
        return None
    over = overshoot(accounts, spent)
    return over.index(min(over))


def _told(value: Exact, rounding: str) -> str:
    """Six digits, rounded so that what is said stays true."""
    six = Context(prec=6, rounding=rounding)
    return canonical(Fraction(six.divide(Decimal(value.numerator), Decimal(value.denominator))))


def _written(value: object) -> Any:
    if isinstance(value, Adjacency):
        return value.value
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    if isinstance(value, Filter):
        return value.canonical()
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    found = written(value)
    return found if isinstance(found, str) else shown(value)
