"""The filter of zero-concentrated privacy, plain and approximate.

The sum of the ρ of the steps is a filter at every order at once (Feldman & Zrnic 2021, Rem. 4.4);
with a second sum, of the steps' δ, it is one for approximate zCDP (Whitehouse et al. 2023, Thm 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import NoProof
from bursar.exact import Exact, Number
from bursar.filters import budgets, costs
from bursar.filters.machine import Filter, Units, born, unless_all_hold
from bursar.filters.units import Account
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ZeroConcentratedDP


@final
@dataclass(frozen=True, slots=True, init=False)
class ZcdpFilter(Filter):
    """Everything granted is δ-approximately ρ-zCDP together; with δ = 0 it is ρ-zCDP.

    >>> ZcdpFilter(rho="0.02").promise
    ZeroConcentratedDP(rho=0.02)
    """

    name: ClassVar[str] = "zcdp"
    rho: Exact
    delta: Exact
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        rho: Number,
        delta: Number = 0,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> None:
        r, d = require.nonnegative(rho=rho), require.unit_interval(delta=delta)
        accounts = (
            Account.of("rho", r, None if unit is None else Exact.of(unit)),
            Account.of("delta", d),
        )
        born(self, rho=r, delta=d, adjacency=Adjacency.of(adjacency), accounts=accounts)

    @classmethod
    def within(
        cls, *, epsilon: Number, delta: Number, adjacency: Adjacency | str = DEFAULT
    ) -> Self:
        """The largest ρ that implies (ε, δ)-DP by the conversion of one order.

        >>> float(ZcdpFilter.within(epsilon=1, delta=1e-5).rho)
        0.03055659...
        """
        e, d = require.nonnegative(epsilon=epsilon), require.probability(delta=delta)
        return cls(rho=Exact(budgets.concentrated(e, d)), adjacency=adjacency)

    def price(self, plan: Plan) -> Units:
        """The sums of ρ and δ."""
        total = plan.total(lambda m: costs.Amounts(costs.concentrated(m, self.adjacency)))
        return tuple(a.up(v) for a, v in zip(self.accounts, total.values, strict=True))

    def blocking(self, spent: Units) -> int | None:
        """Both sums must hold."""
        return unless_all_hold(self.accounts, spent)

    @property
    def promise(self) -> Mechanism:
        """The zCDP statement."""
        if self.delta > 0:
            raise NoProof(
                "approximate zCDP is no statement that an accountant takes",
                hint="Use DpFilter, which says what it is in (ε, δ).",
            )
        return ZeroConcentratedDP(rho=self.rho)
