"""Each direction by itself: what removing a person costs, and what adding one does.

By the exact accountant where it takes the plan, else by the lattice.  Not here: the worse of both,
which every accountant answers with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bursar.accounting import exact, lattice
from bursar.adjacency import Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.privacy.pairs import symmetric
from bursar.truth import Proved

ROADS = {exact.NAME: exact, lattice.NAME: lattice}


class Directions(NamedTuple):
    """Both directions; one and the same answer where they cannot differ."""

    remove: Proved
    add: Proved


def directions(
    plan: Plan, relation: Adjacency, question: dict[str, Any], *, method: str | None = None
) -> Directions:
    """ε or δ of each direction, by one accountant of pairs or by the first that takes the plan.

    A `question` has epsilon, or else delta or log_delta.

    >>> from bursar.mechanisms.discrete_laplace import DiscreteLaplace
    >>> plan = Plan.of(DiscreteLaplace(scale=2))
    >>> both = directions(plan, Adjacency.ADD_OR_REMOVE_ONE, {"epsilon": "0.1"})
    >>> both.remove is both.add, both.remove.about.method
    (True, 'lattice')
    """
    pairs = views.pairs(plan, relation, Direction.REMOVE)
    roads = list(ROADS.values()) if method is None else [ROADS[method]]
    same = all(symmetric(pair) for pair, _ in pairs.parts)
    while True:
        road = roads.pop(0)
        asks = road.delta if "epsilon" in question else road.epsilon
        try:
            if same:
                both = asks(plan, adjacency=relation, **question)
                return Directions(both, both)
            ways = (asks(plan, adjacency=relation, direction=way, **question) for way in Direction)
            return Directions(*ways)
        except (NoProof, LimitReached):
            if not roads:
                raise
