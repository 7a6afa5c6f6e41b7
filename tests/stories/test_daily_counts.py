"""A platform counts daily activities for as long as enough people are left, with exact noise."""

from __future__ import annotations

from functools import partial

import numpy as np

from bursar.exact import Exact
from bursar.filters import (
    Attendance,
    IndividualFilter,
    IndividualScope,
    Inside,
    Purse,
    StillActive,
    ZcdpFilter,
)
from bursar.filters.individual_costs import of_squared_norms
from bursar.noise import discrete_laplace, rounded_gaussian

PEOPLE, NOISE_STD, DAYS = 2000, 50, 60


def test_many_questions_for_the_price_of_one_scope() -> None:
    purse = Purse({"platform": ZcdpFilter.within(epsilon=2, delta=1e-6)})
    before = purse.left("platform")["rho"]
    rule = StillActive(least=800, threshold_scale=20, count_scale=20)
    purse.reserve(rule.plan, request="stopping rule", open=True)
    purse.start("stopping rule")
    people = IndividualFilter.for_norms(rho="0.0008", noise_variance=NOISE_STD**2, people=PEOPLE)
    scope = IndividualScope.open(purse, people, request="daily counts")
    paid = before - purse.left("platform")["rho"]

    rng = np.random.default_rng(3)
    often = np.where(np.arange(PEOPLE) < 1700, 0.2, 0.01)
    here, screen = Attendance(np.ones(PEOPLE, np.bool_)), rule.start(discrete_laplace)
    active, days, worst = PEOPLE, 0, 0
    for day in range(DAYS):
        did = (rng.random(PEOPLE) < often).astype(np.int64)
        seen: list[Inside] = []

        def release(inside: Inside, did: np.ndarray = did, seen: list[Inside] = seen) -> int:
            seen.append(inside)
            noise = int(rounded_gaussian(noise_std=NOISE_STD, size=1)[0])
            return int(did @ inside.reveal()) + noise

        costs = partial(of_squared_norms, people, did, noise_variance=NOISE_STD**2)
        told = scope.answer(costs, release, most=1, request=f"day {day}")
        worst = max(worst, abs(told - int(did @ seen[0].reveal())))
        here, finished = here.after(seen[0])
        active, days = active - finished, day + 1
        screen, enough = rule.tell(screen, active, discrete_laplace)
        purse.record("stopping rule", enough)
        if not enough:
            break
    purse.commit("stopping rule")

    assert people.account.cap == 4  # each person is counted four times, and everybody pays once
    assert paid == before - purse.left("platform")["rho"]
    assert 10 < days < DAYS
    assert 0 < worst < 10 * NOISE_STD
    assert abs(active - 800) < 1000
    spent = people.account.cap - scope.left().reveal()
    assert spent.max() == 4
    assert spent[1700:].mean() < 2
    assert Exact("0.0008") < paid < Exact("0.01")
