"""The individual filter: the same machine for each person, over arrays of whole numbers.

Feldman & Zrnic 2021, Alg. 3: before a question is answered, each person whose sum with this
question's cost still fits is inside and is charged it; everybody else is left out, and is charged
nothing.  Thm 4.5: all answers together keep the promise for everyone, if a person's costs depend on
their own data and on earlier answers alone (Def. 2.5, `individual_costs`), and if nothing else that
is seen depends on who is inside.  So states and decisions are sealed, and every person takes the
same steps of the processor.

A state is used once: charging it gives the next one, and the old one refuses from then on, so that
an older state cannot be charged again.  Arrays are updated in place: 9 bytes a person with what is
made here (4 left, 4 cost, 1 inside), 13 or 17 where a unit is asked for that needs 64 bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import CorruptBooks, InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.filters.sealed import Array, Sealed, Ticket, whole
from bursar.filters.units import LARGEST, Account
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.statements import GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP

_BLOCK = 1 << 16  # people at a time: their arrays stay in the cache of one core


@final
class Standing(Sealed):
    """What each person has left; `serial` counts the changes, `pending` is an open liability."""

    __slots__ = ("_ticket", "pending", "serial")

    def __init__(self, left: Array, *, serial: int = 0, pending: int | None = None) -> None:
        super().__init__(left)
        self.serial, self.pending, self._ticket = serial, pending, Ticket("the people")

    def use(self) -> Array:
        """The array, to make the next state of it; CorruptBooks if that was done before."""
        self._ticket.take()
        return self._secret


@final
class Inside(Sealed):
    """Who is inside for one question: their contributions are added, all others' are not."""

    __slots__ = ()


@final
class Costs(Sealed):
    """What a question costs each person, in units of one filter (`individual_costs`)."""

    __slots__ = ("account",)

    def __init__(self, units: Array, account: Account) -> None:
        super().__init__(units)
        self.account = account


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class IndividualFilter:
    """Answers to any questions, in each of which only people inside are counted, keep `promise`.

    >>> filter = IndividualFilter.zcdp(rho="0.1", people=3)
    >>> filter.promise, filter.start()
    (ZeroConcentratedDP(rho=0.1), <private Standing of 3 people>)
    """

    name: ClassVar[str] = "individual"
    promise: Mechanism
    account: Account
    people: int
    adjacency: Adjacency

    def __post_init__(self) -> None:
        require.count(people=self.people, at_least=0)
        if self.adjacency is Adjacency.REPLACE_ONE:
            raise NoProof(
                "what a replaced person spent is no bound on what their replacement spends",
                hint="Ask for adjacency add-or-remove-one, or zero-out.",
            )
        if not self.account.budget <= _budget_of(self.promise):
            need = "it must hold no more than the promise"
            raise InvalidParameter(need, field="account", value=self.account)

    @classmethod
    def zcdp(
        cls,
        *,
        rho: Number,
        people: int,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> Self:
        """Costs are ρ, each person's sum at most `rho`.  Feldman & Zrnic 2021, Rem. 4.4."""
        return cls._of(ZeroConcentratedDP(rho=rho), people, adjacency, unit)

    @classmethod
    def gdp(
        cls,
        *,
        mu: Number,
        people: int,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> Self:
        """Costs are μ², each person's sum at most mu².  Koskela, Tobaben & Honkela 2023."""
        return cls._of(GaussianDP(mu=mu), people, adjacency, unit)

    @classmethod
    def renyi(
        cls,
        *,
        order: Number,
        budget: Number,
        people: int,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> Self:
        """Costs are ε(order), each person's sum at most `budget`; order "inf" is pure ε."""
        pure = order in ("inf", math.inf)
        promise = PureDP(epsilon=budget) if pure else RenyiDP(orders=[order], values=[budget])
        return cls._of(promise, people, adjacency, unit)

    @classmethod
    def for_norms(
        cls,
        *,
        rho: Number,
        noise_variance: Number,
        people: int,
        adjacency: Adjacency | str = DEFAULT,
    ) -> Self:
        """For sums of integer vectors with one noise: the unit is one squared step of the grid.

        A person's squared norms may add up to B_norm = 2·rho·noise_variance, which is the cap.
        """
        variance = require.positive(noise_variance=noise_variance)
        unit = Exact(1 / (2 * variance))
        return cls.zcdp(rho=rho, people=people, adjacency=adjacency, unit=unit)

    @classmethod
    def _of(
        cls,
        promise: Mechanism,
        people: int,
        adjacency: Adjacency | str,
        unit: Number | None,
    ) -> Self:
        exact = None if unit is None else Exact.of(unit)
        account = Account.small(promise.name, _budget_of(promise), exact)
        relation = Adjacency.of(adjacency)
        return cls(promise=promise, account=account, people=people, adjacency=relation)

    def start(self) -> Standing:
        """Nobody has spent anything."""
        return Standing(np.full(self.people, self.account.cap, self.kind))

    @property
    def kind(self) -> type[np.uint32 | np.uint64]:
        """The kind of integers that hold what people have left, with one number to spare."""
        return np.uint32 if self.account.cap < 2**32 - 1 else np.uint64

    def charge(self, standing: Standing, costs: Costs) -> tuple[Standing, Inside]:
        """Who is inside for a question with these costs, and what everybody has spent after it."""
        units = self.units(costs)
        self._open(standing, pending=False)
        return self._admitted(standing, units, LARGEST)

    def begin(self, standing: Standing, most: int) -> Standing:
        """Take on a liability before data is read: nobody is charged more than `most` units."""
        bound = require.count(most=most, at_least=0)
        self._open(standing, pending=False)
        return Standing(standing.use(), serial=standing.serial + 1, pending=min(bound, LARGEST))

    def settle(self, standing: Standing, costs: Costs) -> tuple[Standing, Inside]:
        """Replace the liability by the exact charge; who would cost more than it is left out."""
        units = self.units(costs)
        return self._admitted(standing, units, self._open(standing, pending=True))

    def charge_in_full(self, standing: Standing) -> Standing:
        """After a crash: everybody is charged the liability, or what they had left."""
        pending = self._open(standing, pending=True)
        left = standing.use()
        step = left.dtype.type(min(pending, self.account.cap))
        highest = 0
        for i in range(0, self.people, _BLOCK):
            block = left[i : i + _BLOCK]
            highest = max(highest, int(block.max()))
            np.subtract(block, np.minimum(block, step), out=block)
        self._consistent(highest)
        return Standing(left, serial=standing.serial + 1)

    def spent_by(self, standing: Standing, person: int) -> Exact:
        """What one person has spent, to be told to that person alone."""
        return self.account.value(self.account.cap - standing.one(person))

    def planned(self, most: Fraction) -> int:
        """k₀: how many questions that cost `most` or less everybody is inside of for sure."""
        units = self.account.up(most)
        if units == 0:
            raise InvalidParameter("it must be above 0", field="most", value=most)
        return self.account.cap // units

    def units(self, costs: Costs) -> Array:
        """Costs as what they are, in units of this filter: for trusted code."""
        if not isinstance(costs, Costs):
            raise NoProof(
                "people are charged Costs alone: per-instance losses may be reported, not filtered",
                hint="Make them with individual_costs.",
            )
        if costs.account != self.account:
            raise InvalidParameter(
                "they are in units of another filter", field="costs", value=costs
            )
        return whole(costs.reveal(), self.people, "costs")

    def _open(self, standing: Standing, *, pending: bool) -> int:
        if len(standing) != self.people:
            raise CorruptBooks("this state is of another number of people")
        if standing.reveal().dtype != self.kind:
            raise CorruptBooks("this state is of another kind of integers")
        if (standing.pending is not None) is not pending:
            raise CorruptBooks("no question is open" if pending else "a question is still open")
        return standing.pending or 0

    def _admitted(self, standing: Standing, units: Array, most: int) -> tuple[Standing, Inside]:
        left = standing.use()
        inside = np.empty(self.people, np.bool_)
        self._consistent(_admit(left, units, most if most < self.account.cap else None, inside))
        return Standing(left, serial=standing.serial + 1), Inside(inside)

    def _consistent(self, highest: int) -> None:
        """Nobody has more left than there is; else the state, which was used, is burnt."""
        if highest > self.account.cap:
            raise CorruptBooks(
                "somebody has more left than there ever was: this state is burnt",
                hint="Everything after it is refused.",
            )


def _budget_of(promise: Mechanism) -> Exact:
    """What everybody's costs may add up to: ρ, μ², ε at one order, or pure ε."""
    if isinstance(promise, ZeroConcentratedDP):
        return promise.rho
    if isinstance(promise, GaussianDP):
        return Exact(promise.mu**2)
    if isinstance(promise, RenyiDP) and len(promise.orders) == 1:
        return promise.values[0]
    if isinstance(promise, PureDP):
        return promise.epsilon
    raise NoProof(
        f"no individual filter keeps a promise of {promise.name}",
        hint="It can be zCDP, GDP, RDP at one order, or pure.",
    )


def _admit(left: Array, cost: Array, most: int | None, inside: Array) -> int:
    """Computes who is inside, cost ≤ min(left, most), and takes their cost from what is left.

    Returns the most that anybody had left before.

    Valid for: unsigned `left`, integers `cost` ≥ 0, of 64 bits at most; `most` fits the kind of
    `left`, or is None where nobody has more left.
    Error: none; no order of people matters, and no step depends on what is in the arrays.
    Cost: five passes over blocks that stay in cache, one over memory.
    Source: Feldman & Zrnic 2021, Alg. 3.
    """
    cost = cost.view(np.uint64) if cost.dtype == np.int64 else cost
    taken, within = np.empty(_BLOCK, left.dtype), np.empty(_BLOCK, np.bool_)
    highest = 0
    for i in range(0, len(left), _BLOCK):
        free, new, who = left[i : i + _BLOCK], cost[i : i + _BLOCK], inside[i : i + _BLOCK]
        highest = max(highest, int(free.max()))
        charge = taken[: len(free)]
        np.less_equal(new, free, out=who)
        if most is not None:
            np.logical_and(who, np.less_equal(new, most, out=within[: len(free)]), out=who)
        np.copyto(charge, who)
        np.multiply(new, charge, out=charge, casting="unsafe")
        np.subtract(free, charge, out=free)
    return highest
