"""Rényi filters: at orders that are fixed at birth, all of them or any of them.

At one order the sum of the costs is a filter (Feldman & Zrnic 2021, Thm 4.3), at α = 1
(Kullback-Leibler) and α = ∞ (pure) as well.  Where every order must hold, every order's promise
does.  Where any order may hold, each has only its share of δ: without the split the promise is
false, as the finite game shows.  Order ∞ needs no share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.filters import budgets
from bursar.filters.machine import Filter, Units, born, unless_all_hold, unless_any_holds
from bursar.filters.units import Account
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP, PureDP, RenyiDP
from bursar.numerics.balls import ball, float_down, precision
from bursar.privacy.curve import GaussianCurve, RdpCurve

Order = Exact | float
_SPREAD = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))


@final
@dataclass(frozen=True, slots=True, init=False)
class RenyiFilter(Filter):
    """Everything granted is (α, B)-RDP together, at each order of `budgets`.

    >>> RenyiFilter({8: "0.5"}).promise
    RenyiDP(orders=(8,), values=(0.5,))
    """

    name: ClassVar[str] = "renyi"
    budgets: tuple[tuple[Order, Exact], ...]
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        budgets: Mapping[Number, Number],
        *,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> None:
        pairs = ((order_of(order), require.nonnegative(budget=b)) for order, b in budgets.items())
        kept = tuple(sorted(pairs))
        if len({order for order, _ in kept}) != len(budgets) or not kept:
            need = "it must give each order one budget"
            raise InvalidParameter(need, field="budgets", value=budgets)
        accounts = tuple(account_of(order, budget, unit) for order, budget in kept)
        born(self, budgets=kept, adjacency=Adjacency.of(adjacency), accounts=accounts)

    def price(self, plan: Plan) -> Units:
        """The plan's curve at each order."""
        return price_at(self.accounts, [order for order, _ in self.budgets], plan, self.adjacency)

    def blocking(self, spent: Units) -> int | None:
        """Every order must hold."""
        return unless_all_hold(self.accounts, spent)

    @property
    def promise(self) -> Mechanism:
        """The RDP statement; order 1 alone says nothing that an accountant could use."""
        known = dict(self.budgets)
        if math.inf in known and len(known) == 1:
            return PureDP(epsilon=known[math.inf])
        finite = {order: budget for order, budget in known.items() if 1 < order < math.inf}
        if not finite:
            raise NoProof("a bound at order 1 alone is no (ε, δ) statement", hint="Add an order.")
        return RenyiDP(orders=list(finite), values=list(finite.values()))


@final
@dataclass(frozen=True, slots=True, init=False)
class AnyOrderFilter(Filter):
    """Everything granted is (ε, δ)-DP together: the default for such a budget.

    A request may run while some order's account holds it.  Each finite order has δ/|Λ|.

    >>> AnyOrderFilter(epsilon=1, delta=1e-5, orders=[16, 64]).promise
    ApproximateDP(epsilon=1, delta=1e-5)
    """

    name: ClassVar[str] = "any-order"
    epsilon: Exact
    delta: Exact
    orders: tuple[Order, ...]
    adjacency: Adjacency
    accounts: tuple[Account, ...]

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        orders: Iterable[Number] | None = None,
        adjacency: Adjacency | str = DEFAULT,
        unit: Number | None = None,
    ) -> None:
        e, d = require.nonnegative(epsilon=epsilon), require.unit_interval(delta=delta)
        chosen = _default_orders(e, d) if orders is None else tuple(order_of(o) for o in orders)
        finite = sorted({order for order in chosen if order < math.inf})
        if finite and not (d > 0 and finite[0] > 1):
            need = "finite orders must be above 1, and need a delta above 0"
            raise InvalidParameter(need, field="orders", value=finite)
        share = Exact(d / max(1, len(finite)))
        caps = [budgets.renyi(order, e, share) for order in finite]
        if any(cap < 0 for cap in caps):
            useless = [order for order, cap in zip(finite, caps, strict=True) if cap < 0]
            need = "at these orders no budget implies (ε, δ)-DP"
            raise InvalidParameter(need, field="orders", value=useless)
        kept = (*finite, math.inf)
        accounts = tuple(
            account_of(order, cap, unit) for order, cap in zip(kept, [*caps, e], strict=True)
        )
        born(self, epsilon=e, delta=d, orders=kept)
        born(self, adjacency=Adjacency.of(adjacency), accounts=accounts)

    def price(self, plan: Plan) -> Units:
        """The plan's curve at each order."""
        return price_at(self.accounts, self.orders, plan, self.adjacency)

    def blocking(self, spent: Units) -> int | None:
        """Any order must hold; orders that do not may be overdrawn, and then stay so."""
        return unless_any_holds(self.accounts, spent)

    @property
    def promise(self) -> Mechanism:
        """The (ε, δ) statement."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)


def price_at(
    accounts: tuple[Account, ...], orders: Iterable[Order], plan: Plan, adjacency: Adjacency
) -> Units:
    """The plan's curve at each order, in units of the order's account."""
    curve = views.rdp(plan, adjacency)
    return tuple(a.up(_at(curve, order)) for a, order in zip(accounts, orders, strict=True))


def _at(curve: RdpCurve, order: Order) -> Fraction | float:
    """The curve there: exact where it is rational, so that tenths of a budget fit ten times."""
    if order == math.inf:
        limit = curve.limit()
        return math.inf if limit is None else limit
    if isinstance(curve, GaussianCurve):
        return Fraction(order) * curve.rho
    return curve.at(order)


def account_of(order: Order, budget: Fraction, unit: Number | None) -> Account:
    """The account of a budget at an order."""
    text = "inf" if order == math.inf else str(order)
    return Account.of(f"order {text}", budget, None if unit is None else Exact.of(unit))


def order_of(value: Number) -> Order:
    """A Rényi order: a number of 1 or above, or infinity."""
    if value in (math.inf, "inf"):
        return math.inf
    order = Exact.of(value, field="order")
    if not order >= 1:
        raise InvalidParameter("it must be 1 or above, or inf", field="order", value=order)
    return order


def _default_orders(epsilon: Exact, delta: Exact) -> tuple[Order, ...]:
    """Orders around the one that suits many small steps, where they leave a budget."""
    if not 0 < delta < 1 or not epsilon > 0:
        return ()
    rho = budgets.concentrated(epsilon, delta)
    if not rho > 0:
        return ()
    with precision():
        best = Fraction(float_down((-ball(delta).log() / ball(rho)).sqrt()))
    orders = [Exact(1 + Fraction(round(64 * best * spread), 64)) for spread in _SPREAD]
    share = Exact(delta / len(orders))
    return tuple(o for o in orders if o > 1 and budgets.renyi(o, epsilon, share) > 0)
