"""Statements about a mechanism that is not at hand: somebody proved that it is (ε, δ)-DP, say.

Each holds for the neighbouring relation that is asked for: the statement must have been made
for that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.curves import AtomsCurve, GaussianCurve, TableCurve
from bursar.privacy.pairs import AtomsPair, GaussianPair


@final
@dataclass(frozen=True, slots=True, init=False)
class PureDP(Mechanism):
    """Anything that is ε-DP.

    >>> PureDP(epsilon="0.1")
    PureDP(epsilon=0.1)
    """

    name: ClassVar[str] = "pure-dp"
    epsilon: Exact

    def __init__(self, *, epsilon: Number) -> None:
        fix(self, {"epsilon": require.nonnegative(epsilon=epsilon)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> AtomsPair:
        """Randomized response, itself ε-DP, dominates.  Kairouz, Oh & Viswanath 2015, Thm 3.3."""
        return AtomsPair(self.epsilon)

    def pure(self, adjacency: Adjacency) -> Exact:
        """The statement."""
        return self.epsilon

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ = ε²/2.  Bun & Steinke 2016, Prop. 3.3."""
        return Exact(self.epsilon**2 / 2)

    def rdp(self, adjacency: Adjacency) -> AtomsCurve:
        """The Rényi divergence of randomized response, by post-processing."""
        return AtomsCurve(self.epsilon, 2)


@final
@dataclass(frozen=True, slots=True, init=False)
class ApproximateDP(Mechanism):
    """Anything that is (ε, δ)-DP.

    >>> ApproximateDP(epsilon=1, delta=1e-9)
    ApproximateDP(epsilon=1, delta=1e-9)
    """

    name: ClassVar[str] = "approximate-dp"
    epsilon: Exact
    delta: Exact

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        fix(self, {"epsilon": require.nonnegative(epsilon=epsilon)})
        fix(self, {"delta": require.unit_interval(delta=delta)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> AtomsPair:
        """Kairouz, Oh & Viswanath 2015, Thm 3.3: the pair that simulates every (ε, δ)-DP one."""
        return AtomsPair(self.epsilon, delta=self.delta)


@final
@dataclass(frozen=True, slots=True, init=False)
class ZeroConcentratedDP(Mechanism):
    """Anything that is ρ-zCDP.

    >>> ZeroConcentratedDP(rho="0.01")
    ZeroConcentratedDP(rho=0.01)
    """

    name: ClassVar[str] = "zcdp"
    rho: Exact

    def __init__(self, *, rho: Number) -> None:
        fix(self, {"rho": require.nonnegative(rho=rho)})

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """The statement."""
        return self.rho

    def rdp(self, adjacency: Adjacency) -> GaussianCurve:
        """The statement: ε(α) = αρ.  Bun & Steinke 2016, Def. 1.1."""
        return GaussianCurve(self.rho)


@final
@dataclass(frozen=True, slots=True, init=False)
class GaussianDP(Mechanism):
    """Anything that is μ-GDP.

    >>> GaussianDP(mu=1)
    GaussianDP(mu=1)
    """

    name: ClassVar[str] = "gdp"
    mu: Exact

    def __init__(self, *, mu: Number) -> None:
        fix(self, {"mu": require.positive(mu=mu)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> GaussianPair:
        """The statement: N(μ, 1) against N(0, 1) dominates.  Dong, Roth & Su 2022, Def. 2.6."""
        return GaussianPair(Exact(1 / self.mu))

    def gdp(self, adjacency: Adjacency) -> Exact:
        """The statement, squared, since squares add up."""
        return Exact(self.mu**2)

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ = μ²/2, the Gaussian's own."""
        return Exact(self.mu**2 / 2)

    def rdp(self, adjacency: Adjacency) -> GaussianCurve:
        """The Gaussian's own curve, by post-processing."""
        return GaussianCurve(Exact(self.mu**2 / 2))


@final
@dataclass(frozen=True, slots=True, init=False)
class RenyiDP(Mechanism):
    """Anything that is (α, ε)-RDP at each of these orders.

    >>> RenyiDP(orders=[2, 8], values=["0.1", "0.5"])
    RenyiDP(orders=(2, 8), values=(0.1, 0.5))
    """

    name: ClassVar[str] = "rdp"
    orders: tuple[Exact, ...]
    values: tuple[Exact, ...]

    def __init__(self, *, orders: Sequence[Number], values: Sequence[Number]) -> None:
        for field, given in {"orders": orders, "values": values}.items():
            if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
                raise InvalidParameter("it must be a list of numbers", field=field, value=given)
        at = tuple(Exact.of(order, field="orders") for order in orders)
        if not at or any(not order > 1 for order in at) or sorted(set(at)) != list(at):
            raise InvalidParameter("orders must be above 1 and increase", field="orders", value=at)
        costs = tuple(require.nonnegative(values=value) for value in values)
        if len(costs) != len(at):
            raise InvalidParameter(
                f"there must be one for each of the {len(at)} orders", field="values", value=costs
            )
        fix(self, {"orders": at, "values": costs})

    def rdp(self, adjacency: Adjacency) -> TableCurve:
        """The statement."""
        return TableCurve(self.orders, self.values)
