"""Filter × view: which filters can price a mechanism, and so what to do where one cannot.

The same table stands in docs/filters.md; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bursar.accounting.gdp_steps import step_square
from bursar.adjacency import Adjacency
from bursar.errors import NoProof
from bursar.filters import costs
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.views import HasRdp


def _rdp(mechanism: Mechanism, adjacency: Adjacency) -> Any:
    return mechanism.rdp(adjacency) if isinstance(mechanism, HasRdp) else None


PRICES: dict[str, Callable[[Mechanism, Adjacency], Any]] = {
    "renyi": _rdp,
    "any-order": _rdp,
    "zcdp": costs.concentrated,
    "gdp": step_square,
    "dp": costs.approximate,
    "rogers": costs.approximate,
}


def takers(mechanism: Mechanism, adjacency: Adjacency) -> list[str]:
    """The names of the filters that can price it.

    >>> from bursar.mechanisms.statements import GaussianDP
    >>> takers(GaussianDP(mu=1), Adjacency.ADD_OR_REMOVE_ONE)
    ['renyi', 'any-order', 'zcdp', 'gdp']
    """
    return [name for name, price in PRICES.items() if _has(price, mechanism, adjacency)]


def advice(plan: Plan, adjacency: Adjacency) -> str:
    """Which filters take every step of a plan, as the hint of a refusal."""
    lists = [takers(mechanism, adjacency) for mechanism, _ in plan.steps]
    common = [name for name in PRICES if all(name in names for names in lists)]
    return f"Filters that take it: {', '.join(common) or 'none'}."


def _has(
    price: Callable[[Mechanism, Adjacency], Any], mechanism: Mechanism, adjacency: Adjacency
) -> bool:
    try:
        return price(mechanism, adjacency) is not None
    except NoProof:
        return False
