"""The individual scope: one charge to the data set, exact ones to people, and crashes."""

from __future__ import annotations

import numpy as np
import pytest

from bursar.errors import BudgetExceeded, NoProof, Refused
from bursar.exact import Exact
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import Costs, IndividualFilter, Inside
from bursar.filters.individual_costs import given
from bursar.filters.purse import Purse
from bursar.filters.saved import restore_people, save_people
from bursar.filters.scope import IndividualScope
from bursar.mechanisms.statements import ZeroConcentratedDP

PEOPLE = IndividualFilter.zcdp(rho=10, people=3, unit=1)
VALUES = np.array([5, 6, 7])


def opened() -> tuple[Purse, IndividualScope]:
    purse = Purse({"census": ZcdpFilter(rho=25)})
    return purse, IndividualScope.open(purse, PEOPLE, request="survey")


def costs(*units: int) -> Costs:
    return given(PEOPLE, np.array(units))


def total(inside: Inside) -> int:
    return int(VALUES @ inside.reveal())


def test_the_total_is_kappa_plus_the_rest() -> None:
    purse, scope = opened()
    assert purse.left("census")["rho"] == 15
    for i in range(50):
        scope.answer(lambda: costs(1, 2, 3), total, most=3, request=f"q{i}")
    assert purse.left("census")["rho"] == 15
    purse.run(ZeroConcentratedDP(rho=15), lambda: 1, request="training")
    assert purse.left("census")["rho"] == 0
    with pytest.raises(BudgetExceeded):
        IndividualScope.open(purse, PEOPLE, request="second survey")


def test_people_are_charged_exactly_what_is_added_of_theirs() -> None:
    _, scope = opened()
    answers = [
        scope.answer(lambda: costs(4, 6, 0), total, most=6, request=f"q{i}") for i in range(3)
    ]
    assert answers == [18, 12, 7]
    assert scope.left().reveal().tolist() == [2, 4, 10]


def test_the_same_question_gives_the_same_answer_and_costs_nothing() -> None:
    _, scope = opened()
    first = scope.answer(lambda: costs(4, 6, 0), total, most=6, request="q", body="sum")
    again = scope.answer(lambda: costs(4, 6, 0), lambda _: -1, most=6, request="q", body="sum")
    assert first == again == 18
    with pytest.raises(Refused, match="another body"):
        scope.answer(lambda: costs(4, 6, 0), total, most=6, request="q", body="count")
    assert scope.left().reveal().tolist() == [6, 4, 10]


def test_a_crash_while_reading_charges_the_liability() -> None:
    _, scope = opened()
    scope.answer(lambda: costs(8, 0, 0), total, most=8, request="q1")

    def crash() -> Costs:
        raise OSError("the disk is gone")

    with pytest.raises(Refused, match="'q2' failed"):
        scope.answer(crash, total, most=3, request="q2")
    assert scope.left().reveal().tolist() == [0, 7, 7]
    with pytest.raises(Refused, match="has no answer"):
        scope.answer(lambda: costs(0, 0, 0), total, most=3, request="q2")


def test_a_crash_after_reading_leaves_the_exact_charge() -> None:
    _, scope = opened()

    def crash(_: Inside) -> int:
        raise OSError("no entropy")

    with pytest.raises(Refused, match="'q' failed"):
        scope.answer(lambda: costs(1, 2, 3), crash, most=5, request="q")
    assert scope.left().reveal().tolist() == [9, 8, 7]
    assert scope.answer(lambda: costs(1, 2, 3), total, most=5, request="q2") == 18


def test_an_interruption_is_no_failure_of_the_question() -> None:
    _, scope = opened()

    def stop() -> Costs:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scope.answer(stop, total, most=3, request="q")
    assert scope.left().reveal().tolist() == [7, 7, 7]
    assert scope.failure("q") is None


def test_a_scope_is_opened_once() -> None:
    purse, _ = opened()
    with pytest.raises(Refused, match="cannot start"):
        IndividualScope.open(purse, PEOPLE, request="survey")
    assert purse.left("census")["rho"] == Exact(15)


def test_a_scope_that_was_not_paid_for_is_refused() -> None:
    purse, _ = opened()
    other = purse.reserve(PEOPLE.promise, request="reserved only")
    purse.run(ZeroConcentratedDP(rho=1), lambda: 1, request="something else")
    for unpaid in (other, purse.charge("something else")):
        with pytest.raises(Refused, match="not paid"):
            IndividualScope(PEOPLE, unpaid, PEOPLE.start())


def test_a_stored_scope_goes_on_and_an_open_question_is_charged() -> None:
    purse, scope = opened()
    scope.answer(lambda: costs(4, 6, 0), total, most=6, request="q")
    killed = save_people(PEOPLE, PEOPLE.begin(scope.standing, 5))
    again = IndividualScope(PEOPLE, purse.charge("survey"), restore_people(PEOPLE, killed))
    assert again.left().reveal().tolist() == [1, 0, 5]


def test_promises_that_do_not_fit_together_are_refused() -> None:
    zeroed = IndividualFilter.zcdp(rho=10, people=3, adjacency="zero-out")
    with pytest.raises(NoProof, match="one adjacency"):
        IndividualScope.open(Purse({"census": ZcdpFilter(rho=25)}), zeroed, request="survey")
    with pytest.raises(NoProof, match="gdp"):
        IndividualScope.open(Purse({"census": GdpFilter(mu=5)}), PEOPLE, request="survey")
