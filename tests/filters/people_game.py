"""The finite game with people: two data sets that differ in one person, each with its own books.

The adversary picks queries; in each world the guard (the individual filter, or a mutant) says whose
data is used, and both worlds see the same answers.  Costs are Rényi divergences of order α, exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from bursar.exact import Exact
from bursar.filters.costs import rho_of_pure
from bursar.filters.individual import IndividualFilter, Standing
from bursar.filters.individual_costs import given
from bursar.filters.machine import Granted
from bursar.filters.renyi import RenyiFilter
from bursar.mechanisms.statements import RenyiDP
from tests.filters import game

People = frozenset[int]
PURE, ZCDP, GDP = 0, -1, -2  # measures beside the orders: pure ε, ρ, and μ² of two answers


@dataclass(frozen=True)
class Query:
    """A statistic of the people used, and the law of the answer for each value of it."""

    name: str
    everybody: People
    statistic: Callable[[People], int]
    laws: tuple[game.Law, ...] = field(repr=False)
    for_all: bool = False  # charged to the data set, and run on everybody

    def law(self, people: People) -> game.Law:
        return self.laws[self.statistic(people)]

    def cost(self, person: int, order: int) -> Fraction:
        """Definition 2.5: the worst data set that has this person, rounded up."""
        return max(
            self.loss(person, others, order) for others in subsets(self.everybody - {person})
        )

    def loss(self, person: int, others: People, order: int) -> Fraction:
        """Definition 2.6: against these people."""
        p, q = self.law(others | {person}), self.law(others)
        if order == PURE:
            return max(Fraction(game.log_up(max(x / y, y / x))) for x, y in zip(p, q, strict=True))
        if order == GDP:
            (low, _), (high, _) = sorted((p, q))
            return game.least_mu(high, low) ** 2 if p != q else Fraction(0)
        if order == ZCDP:
            return Fraction(rho_of_pure(Exact(self.loss(person, others, PURE))))
        return Fraction(0) if p == q else Fraction(game.float_up(game.renyi(p, q, order)))


def subsets(people: People) -> list[People]:
    return [frozenset(some) for n in range(len(people) + 1) for some in combinations(people, n)]


def anyone(ratio: Fraction, crowd: int) -> Query:
    """Is anybody there?  Answered by randomized response."""
    yes, no = game.odds(ratio)
    everybody = frozenset(range(crowd))
    return Query("anyone", everybody, lambda people: int(bool(people)), (no, yes))


def one(person: int, ratio: Fraction, crowd: int) -> Query:
    """Is this person there?  Costs nobody else anything."""
    law, everybody = game.odds(ratio), frozenset(range(crowd))
    return Query(f"is {person} there", everybody, lambda used: int(person in used), law)


def weight(ratio: Fraction, weights: tuple[int, ...]) -> Query:
    """The sum of the people's weights, with two-sided geometric noise cut to the range."""
    top = sum(weights)

    def law(at: int) -> game.Law:
        raw = [ratio ** -abs(i - at) for i in range(top + 1)]
        return tuple(x / sum(raw) for x in raw)

    laws = tuple(law(at) for at in range(top + 1))
    everybody = frozenset(range(len(weights)))
    return Query(f"weight{weights}", everybody, lambda used: sum(weights[i] for i in used), laws)


class Guard(Protocol):
    """Says whose data is used for a query, and keeps the books of one world."""

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]: ...


@dataclass(frozen=True)
class TheFilter:
    """The individual filter itself."""

    filter: IndividualFilter
    order: int

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]:
        units = [self.filter.account.up(query.cost(i, self.order)) for i in query.everybody]
        costs = given(self.filter, np.array(units, np.uint64))
        cap = self.filter.account.cap
        left = (cap - np.array(state, np.int64)).astype(self.filter.kind)
        standing, inside = self.filter.charge(Standing(left), costs)
        who = frozenset(np.flatnonzero(inside.reveal()).tolist())
        return tuple(cap - left for left in standing.reveal().tolist()), present & who


@dataclass(frozen=True)
class ScopeAndRest:
    """People's questions in a scope of κ, and others beside it that the data set pays for."""

    scope: TheFilter
    rest: RenyiFilter

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]:
        spent, books = (
            state if state and isinstance(state[0], tuple) else (state, self.rest.start())
        )
        if not query.for_all:
            after, used = self.scope.ask(spent, present, query)
            return (after, books), used
        worst = max(query.cost(i, self.scope.order) for i in query.everybody)
        step = RenyiDP(orders=[self.scope.order], values=[Exact(worst)])
        books, decision = self.rest.ask(books, step)
        return (spent, books), present if isinstance(decision, Granted) else frozenset()


def moment(
    guard: Guard, queries: list[Query], left_out: int, order: int, depth: int
) -> tuple[Fraction, Fraction]:
    """The largest E_Q[(P/Q)^α] for everybody against everybody but one, and the other way round."""
    everybody = queries[0].everybody

    def best(flip: bool) -> Fraction:
        @lru_cache(None)
        def value(state: Any, other: Any, left: int) -> Fraction:
            found = Fraction(1)
            for query in queries if left else ():
                after, used = guard.ask(state, everybody, query)
                without, used_without = guard.ask(other, everybody - {left_out}, query)
                p, q = query.law(used), query.law(used_without)
                p, q = (q, p) if flip else (p, q)
                step = sum(
                    (x**order / y ** (order - 1) for x, y in zip(p, q, strict=True)), Fraction(0)
                )
                found = max(found, step * value(after, without, left - 1))
            return found

        start = (0,) * len(everybody)
        return value(start, start, depth)

    return best(flip=False), best(flip=True)


def excess(
    guard: Guard, queries: list[Query], left_out: int, gamma: Fraction, depth: int
) -> Fraction:
    """The largest P(E) − γQ(E), either way round, where no answer has probability 0."""
    everybody = queries[0].everybody

    def best(flip: bool) -> Fraction:
        @lru_cache(None)
        def value(state: Any, other: Any, ratio: Fraction, left: int) -> Fraction:
            """For a transcript so far with Q = 1 and P = ratio."""
            found = max(Fraction(0), ratio - gamma)
            for query in queries if left else ():
                after, used = guard.ask(state, everybody, query)
                without, used_without = guard.ask(other, everybody - {left_out}, query)
                p, q = query.law(used), query.law(used_without)
                p, q = (q, p) if flip else (p, q)
                step = (
                    y * value(after, without, ratio * x / y, left - 1)
                    for x, y in zip(p, q, strict=True)
                )
                found = max(found, sum(step, Fraction(0)))
            return found

        start = (0,) * len(everybody)
        return value(start, start, Fraction(1), depth)

    return max(best(flip=False), best(flip=True))


def filter_of(order: int, budget: Fraction, crowd: int) -> IndividualFilter:
    return IndividualFilter.renyi(order=order, budget=Exact(budget), people=crowd)
