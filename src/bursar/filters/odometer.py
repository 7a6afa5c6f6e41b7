"""Odometers: how much was spent so far, when nothing was to be limited.

A sum of costs that were chosen as one went is no bound at a time that was chosen as one went.
`StepOdometer` reads a fixed scale B_1 ≤ B_2 ≤ … : what was answered while it read B_m is
(α, B_m)-RDP (Feldman & Zrnic 2021, Prop. 4.10).  As printed (Alg. 5) it starts a new filter at each
mark and loses what was left of the old one; the best form reads the least mark above the sum, which
is the filter of that mark, and so loses nothing; `IndividualOdometer` is that for each person.
`LossOdometer` is valid in the sense of Rogers et al. 2016: except with probability δ the
privacy loss is within the bound at every time at once.  Lécuyer 2021 makes one of many filters; the
same supermartingale bounds all times without them (docs/proofs/filters.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.filters.approximate import Form
from bursar.filters.individual import Costs, IndividualFilter
from bursar.filters.machine import State, add
from bursar.filters.renyi import Order, account_of, order_of, price_at
from bursar.filters.sealed import Sealed, whole
from bursar.filters.units import LARGEST, NEVER, Account, plus
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_up, precision


@final
@dataclass(frozen=True, slots=True)
class Marks:
    """A fixed scale: the sums of these steps, of which the last goes on for ever."""

    steps: tuple[int, ...]

    def step(self, mark: int) -> int:
        """How far this mark is from the one before."""
        return self.steps[min(mark, len(self.steps)) - 1]

    def at(self, mark: int) -> int:
        """Where a mark stands; the first is mark 1."""
        listed = self.steps[:mark]
        return sum(listed) + (mark - len(listed)) * self.steps[-1]

    def least(self, spent: int) -> int:
        """The least mark at or above a sum."""
        listed = len(self.steps)
        for mark in range(1, listed + 1):
            if spent <= self.at(mark):
                return mark
        return listed - (self.at(listed) - spent) // self.steps[-1]


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """Where a step odometer stands: at which mark, and the sum since it was (re)started."""

    mark: int
    spent: int


@final
@dataclass(frozen=True, slots=True, init=False)
class StepOdometer:
    """What was answered while `bound` said B is (order, B)-RDP, for each fixed B.

    `steps` is Δ, or Δ_1, Δ_2, … of which the last goes on for ever: the marks are their sums.

    >>> odometer = StepOdometer(order=2, steps="0.5")
    >>> odometer.bound(odometer.start())
    0.5
    """

    order: Order
    form: str
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        order: Number,
        steps: Number | Sequence[Number],
        form: Form = "best",
        adjacency: Adjacency | str = DEFAULT,
    ) -> None:
        deltas = _listed(steps)
        at = order_of(order)
        unit = account_of(at, min(deltas), None).unit
        accounts = tuple(account_of(at, delta, unit) for delta in deltas)
        kept = {"order": at, "form": require.one_of(("best", "printed"), form=form)}
        for name, value in {
            **kept,
            "adjacency": Adjacency.of(adjacency),
            "accounts": accounts,
        }.items():
            object.__setattr__(self, name, value)

    def start(self) -> Reading:
        """The first mark, and nothing spent."""
        return Reading(1, 0)

    def count(self, reading: Reading, run: Mechanism | Plan) -> Reading:
        """After one more step.  As printed, a step above Δ is refused: Prop. 4.10 needs ρ_t ≤ Δ."""
        (cost,) = price_at(self.accounts[:1], [self.order], Plan.of(run), self.adjacency)
        marks = self.marks
        if self.form == "best":
            total = plus(reading.spent, cost)
            return Reading(marks.least(total), total)
        mark, spent = reading.mark, reading.spent
        while spent + cost > marks.step(mark):
            if mark >= len(self.accounts) and cost > marks.step(mark):
                need = f"as printed, a step must cost at most {self.accounts[-1].budget}"
                raise InvalidParameter(need, field="run", value=run, hint="Choose a larger Δ.")
            mark, spent = mark + 1, 0
        return Reading(mark, spent + cost)

    def bound(self, reading: Reading) -> Exact:
        """B of the mark; InvalidParameter where a step's cost was infinite."""
        if reading.spent == NEVER:
            raise InvalidParameter("what was run has no bound at this order", field="reading")
        return self.accounts[0].value(self.marks.at(reading.mark))

    @property
    def marks(self) -> Marks:
        """The scale, in units."""
        return Marks(tuple(account.cap for account in self.accounts))


@final
@dataclass(frozen=True, slots=True, init=False)
class LossOdometer:
    """Except with probability δ, |log P/Q| of all answers is at most `bound`, at all times at once.

    So stopping whenever the bound is still at most ε is (ε, δ)-DP.  It is the best of some orders,
    of which each finite one has δ/2|Λ| for either side; order infinity is exact.

    >>> odometer = LossOdometer(delta=1e-6, orders=[8, 32])
    >>> odometer.bound(odometer.start())
    0.0
    """

    delta: Exact
    orders: tuple[Order, ...]
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        delta: Number,
        orders: Iterable[Number],
        adjacency: Adjacency | str = DEFAULT,
    ) -> None:
        d = require.probability(delta=delta)
        kept = (*sorted({order_of(order) for order in orders} - {math.inf}), math.inf)
        if not kept[0] > 1:
            raise InvalidParameter("they must be above 1", field="orders", value=kept)
        accounts = tuple(account_of(order, Fraction(1), None) for order in kept)
        where = {"adjacency": Adjacency.of(adjacency), "accounts": accounts}
        for name, value in {"delta": d, "orders": kept, **where}.items():
            object.__setattr__(self, name, value)

    def start(self) -> State:
        """Nothing was run."""
        return State((0,) * len(self.orders))

    def count(self, state: State, run: Mechanism | Plan) -> State:
        """After one more step."""
        cost = price_at(self.accounts, self.orders, Plan.of(run), self.adjacency)
        return State(add(state.spent, cost), state.serial + 1)

    def bound(self, state: State) -> float:
        """min over α of S(α) + log(2|Λ|/δ)/(α − 1), rounded up; infinite where nothing is known."""
        pairs = zip(self.accounts, self.orders, state.spent, strict=True)
        with precision():
            found = [
                float_up(ball(account.value(spent)) + self._margin(order))
                for account, order, spent in pairs
                if spent != NEVER
            ]
        return min(found, default=math.inf)

    def _margin(self, order: Order) -> arb:
        if order == math.inf:
            return arb(0)
        share = self.delta / (2 * (len(self.orders) - 1))
        return -ball(share).log() / ball(Fraction(order) - 1)


@final
class Sums(Sealed):
    """What each person's losses add up to, in units."""

    __slots__ = ()


@final
class PerInstanceLosses(Sealed):
    """Each person's loss among the people who are really there (Def. 2.6), in units.

    They depend on everybody's data: a report for the owner of the data, and never a charge.
    """

    __slots__ = ()


@final
@dataclass(frozen=True, slots=True, init=False)
class IndividualOdometer:
    """A step odometer for each person, in its best form.  Feldman & Zrnic 2021, Cor. 4.11.

    `steps` is Δ, or Δ_1, Δ_2, … of which the last goes on for ever; by default the budget of `of`.

    >>> odometer = IndividualOdometer(IndividualFilter.zcdp(rho="0.5", people=2))
    >>> odometer.bound_of(odometer.start(), 0)
    0.5
    """

    of: IndividualFilter
    marks: Marks

    def __init__(
        self, of: IndividualFilter, *, steps: Number | Sequence[Number] | None = None
    ) -> None:
        unit = of.account.unit
        caps = [of.account.cap] if steps is None else [int(s / unit) for s in _listed(steps)]
        if not min(caps) > 0:
            need = f"each must be at least one unit, {unit}"
            raise InvalidParameter(need, field="steps", value=steps or of.account.budget)
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "marks", Marks(tuple(caps)))

    def start(self) -> Sums:
        """Nobody has lost anything."""
        return Sums(np.zeros(self.of.people, np.uint64))

    def count(self, sums: Sums, losses: Costs | PerInstanceLosses) -> Sums:
        """After one more question; sums that cannot be counted stay at the top."""
        if isinstance(losses, Costs):
            added = self.of.units(losses)
        else:
            added = whole(losses.reveal(), self.of.people, "losses")
        top = np.uint64(LARGEST)
        each = np.minimum(added.astype(np.uint64), top)
        if added.dtype == self.of.kind:  # its largest number stands for all that it cannot hold
            each[added == np.iinfo(self.of.kind).max] = top
        return Sums(np.minimum(sums.reveal() + each, top))

    def bound_of(self, sums: Sums, person: int) -> Exact | float:
        """What one person has lost at most: for them to know, unless losses are per instance."""
        spent = sums.one(person)
        if spent >= LARGEST:
            return math.inf
        return self.of.account.value(self.marks.at(self.marks.least(spent)))


def _listed(steps: Number | Sequence[Number]) -> list[Exact]:
    """One step or many, each above 0."""
    listed = [steps] if isinstance(steps, str) or not isinstance(steps, Sequence) else steps
    if not listed:
        raise InvalidParameter("there must be one at least", field="steps", value=steps)
    return [require.positive(steps=step) for step in listed]
