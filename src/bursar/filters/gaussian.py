"""The filter of Gaussian differential privacy, for what truly is GDP.

The sum of μ² is a filter (Smith & Thakurta 2022; Koskela, Tobaben & Honkela 2023),
because Gaussians of total μ² are one semigroup.  Pure steps are GDP too.  A zCDP or RDP bound is
no μ: randomized response of the same ρ breaks the promise, as the finite game shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final

from bursar import require
from bursar.accounting.gdp_steps import step_square
from bursar.adjacency import DEFAULT, Adjacency
from bursar.exact import Exact, Number
from bursar.filters import budgets
from bursar.filters.machine import Filter, Units, born, unless_all_hold
from bursar.filters.units import Account
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import GaussianDP


@final
@dataclass(frozen=True, slots=True, init=False)
class GdpFilter(Filter):
    """Everything granted is μ-GDP together.

    >>> GdpFilter(mu="0.25").promise
    GaussianDP(mu=0.25)
    """

    name: ClassVar[str] = "gdp"
    mu: Exact
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        mu: Number,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> None:
        m = require.positive(mu=mu)
        account = Account.of("mu squared", m**2, None if unit is None else Exact.of(unit))
        born(self, mu=m, adjacency=Adjacency.of(adjacency), accounts=(account,))

    @classmethod
    def within(
        cls, *, epsilon: Number, delta: Number, adjacency: Adjacency | str = DEFAULT
    ) -> Self:
        """The largest μ that implies (ε, δ)-DP.

        >>> float(GdpFilter.within(epsilon=1, delta=1e-5).mu)
        0.26805...
        """
        e, d = require.nonnegative(epsilon=epsilon), require.probability(delta=delta)
        return cls(mu=budgets.gaussian(e, d), adjacency=adjacency)

    def price(self, plan: Plan) -> Units:
        """The sum of μ²."""
        return (self.accounts[0].up(plan.total(lambda m: step_square(m, self.adjacency))),)

    def blocking(self, spent: Units) -> int | None:
        """The sum must hold."""
        return unless_all_hold(self.accounts, spent)

    @property
    def promise(self) -> Mechanism:
        """The GDP statement."""
        return GaussianDP(mu=self.mu)
