"""No adversary beats the individual filter in the finite game with people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bursar.exact import Exact
from bursar.filters.individual import IndividualFilter
from bursar.filters.renyi import RenyiFilter
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.conversions import gdp_profile
from tests.filters import game
from tests.filters import people_game as people
from tests.filters.people_game import People, Query
from tests.filters.test_finite_game import room, share_of_claim

ORDER = 2
TWO = [people.anyone(Fraction(2), 2), people.weight(Fraction(3, 2), (2, 1))]
THREE = [
    people.anyone(Fraction(2), 3),
    people.weight(Fraction(3, 2), (1, 1, 0)),
    people.weight(Fraction(3, 2), (2, 1, 1)),
]


def worst(
    guard: people.Guard, queries: list[Query], budget: Fraction, depth: int, order: int = ORDER
) -> float:
    """The largest divergence over everybody who may be missing, as a share of the budget."""
    found = [
        value
        for person in queries[0].everybody
        for value in people.moment(guard, queries, person, order, depth)
    ]
    return max(share_of_claim(value, order, budget) for value in found)


@pytest.mark.parametrize(
    ("queries", "budget", "depth"),
    [(TWO, "1/2", 8), (TWO, "3/2", 8), (THREE, "3/2", 4)],
)
def test_the_individual_filter(queries: list[Query], budget: str, depth: int) -> None:
    crowd = len(queries[0].everybody)
    guard = people.TheFilter(people.filter_of(ORDER, Fraction(budget), crowd), ORDER)
    assert 0.8 < worst(guard, queries, Fraction(budget), depth) <= 1


@pytest.mark.parametrize("order", [2, 3, 8])
def test_the_individual_filter_of_zcdp(order: int) -> None:
    """One state keeps ρ at every order at once."""
    rho = Exact("0.4")
    guard = people.TheFilter(IndividualFilter.zcdp(rho=rho, people=2), people.ZCDP)
    assert 0.2 < worst(guard, TWO, order * rho, 8, order) <= 1


def test_the_individual_filter_of_pure_privacy() -> None:
    """At an order as high as 200 the divergence is nearly the largest loss."""
    budget = room(Fraction(game.log_up(Fraction(2))), 3)
    guard = people.TheFilter(
        IndividualFilter.renyi(order="inf", budget=budget, people=2, unit="1e-13"), people.PURE
    )
    assert 0.9 < worst(guard, TWO, budget, 6, 200) <= 1


GAMMAS = [Fraction(1), Fraction(3, 2), Fraction(2)]
IN_TWO_ANSWERS = [people.anyone(Fraction(2), 2), *(people.one(i, Fraction(2), 2) for i in (0, 1))]


def share_of_gdp(guard: people.Guard, mu: Exact, gamma: Fraction) -> float:
    """The largest excess over whoever may be missing, as a share of what μ-GDP allows."""
    found = max(people.excess(guard, IN_TWO_ANSWERS, one, gamma, 6) for one in (0, 1))
    with precision():
        epsilon = Fraction(float_up(ball(gamma).log()))
        return float(found) / float_up(gdp_profile(Exact(mu**2), epsilon))


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_individual_filter_of_gdp(gamma: Fraction) -> None:
    mu = Exact("1.3")
    machine = IndividualFilter.gdp(mu=mu, people=2)
    assert 0.3 < share_of_gdp(people.TheFilter(machine, people.GDP), mu, gamma) <= 1


def test_gdp_that_is_tested_afterwards_is_beaten() -> None:
    """A budget that holds no step at all: asked after it, the first one runs."""
    mu, gamma = Exact("0.4"), Fraction(1)
    machine = IndividualFilter.gdp(mu=mu, people=2)
    assert share_of_gdp(people.TheFilter(machine, people.GDP), mu, gamma) == 0
    assert share_of_gdp(TestsAfterwards(machine, people.GDP), mu, gamma) > 2


def test_a_scope_and_the_rest_interleaved() -> None:
    """Opening a scope charges κ once: all that is asked in and beside it costs κ plus the rest."""
    scope = people.TheFilter(people.filter_of(ORDER, Fraction(1, 2), 2), ORDER)
    rest = Fraction(7, 10)
    guard = people.ScopeAndRest(scope, RenyiFilter({ORDER: Exact(rest)}))
    outside = replace(people.weight(Fraction(3, 2), (1, 1)), for_all=True)
    queries = [people.weight(Fraction(3, 2), (1, 1)), people.anyone(Fraction(3, 2), 2), outside]
    assert 0.75 < worst(guard, queries, Fraction(1, 2) + rest, 6) <= 1


def test_the_maximum_outside_the_sum() -> None:
    """Remark 3.2, exact in a small universe: one sum for each pair of data sets.

    Questions about one person alone cost the pairs that differ in that person; the sum of worst
    cases stops after three of them, the pairs' own sums after three for each person.
    """
    about = [people.one(i, Fraction(2), 2) for i in (0, 1)]
    data_sets = people.subsets(frozenset({0, 1}))
    pairs = [(s, s - {i}, i) for s in data_sets for i in s]
    budget = 3 * about[0].cost(0, ORDER)

    def best(spent: tuple[Fraction, ...], left: int) -> tuple[int, list[Fraction]]:
        """How many questions were granted at most, and each pair's largest moment."""
        most, moments = 0, [Fraction(1)] * len(pairs)
        for query in about if left else ():
            losses = [query.loss(i, smaller, ORDER) for _, smaller, i in pairs]
            after = tuple(s + loss for s, loss in zip(spent, losses, strict=True))
            if max(after) <= budget:
                count, rest = best(after, left - 1)
                most = max(most, count + 1)
                laws = [(query.law(s), query.law(smaller)) for s, smaller, _ in pairs]
                steps = [
                    sum(x**ORDER / y ** (ORDER - 1) for x, y in zip(p, q, strict=True))
                    for p, q in laws
                ]
                moments = [max(m, a * b) for m, a, b in zip(moments, steps, rest, strict=True)]
        return most, moments

    granted, moments = best((Fraction(0),) * len(pairs), 8)
    assert granted == 6
    assert 0.999 < max(share_of_claim(moment, ORDER, budget) for moment in moments) <= 1


@dataclass(frozen=True)
class PerInstance:
    """Mutant: charges what each person's presence does among those who are there (Def. 2.6)."""

    filter: IndividualFilter

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]:
        alive = frozenset(i for i in present if state[i] <= self.filter.account.cap)
        cost = [
            self.filter.account.up(query.loss(i, alive - {i}, ORDER)) if i in alive else 0
            for i in query.everybody
        ]
        over = {i for i in alive if state[i] + cost[i] > self.filter.account.cap}
        after = (2**62 if i in over else state[i] + cost[i] for i in query.everybody)
        return tuple(after), alive - over


@dataclass(frozen=True)
class RefusedAreCharged:
    """Mutant: charges those who are left out too, in unsigned arithmetic."""

    filter: IndividualFilter

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]:
        cap = np.uint64(self.filter.account.cap)
        spent = np.array(state, np.uint64)
        cost = np.array(
            [self.filter.account.up(query.cost(i, ORDER)) for i in query.everybody], np.uint64
        )
        inside = frozenset(np.flatnonzero(cost <= cap - spent).tolist())
        return tuple((spent + cost).tolist()), present & inside


@dataclass(frozen=True)
class TestsAfterwards:
    """Mutant: leaves people out once their sum is over, not before it would be."""

    __test__ = False
    filter: IndividualFilter
    order: int = ORDER

    def ask(self, state: Any, present: People, query: Query) -> tuple[Any, People]:
        inside = frozenset(i for i in query.everybody if state[i] < self.filter.account.cap)
        cost = {i: self.filter.account.up(query.cost(i, self.order)) for i in inside}
        return tuple(state[i] + cost.get(i, 0) for i in query.everybody), present & inside


@pytest.mark.parametrize(
    ("mutant", "margin"), [(PerInstance, 4), (RefusedAreCharged, 4), (TestsAfterwards, 1.5)]
)
def test_a_mutant_is_beaten(mutant: Any, margin: float) -> None:
    """The exact divergence is more than `margin` times the budget."""
    budget = Fraction(1, 2)
    assert worst(mutant(people.filter_of(ORDER, budget, 2)), TWO, budget, 8) > margin
