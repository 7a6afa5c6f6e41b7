"""Ways to spend twice, to run what was not paid for, or to see what is private: each is refused."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bursar.errors import BursarError, CorruptBooks, InvalidParameter, Refused
from bursar.filters.charges import Stage
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.individual import Costs, IndividualFilter, Inside, Standing
from bursar.filters.individual_costs import given
from bursar.filters.local import LocalFilter
from bursar.filters.purse import Purse
from bursar.filters.renyi import RenyiFilter
from bursar.filters.saved import restore, restore_people, save, save_people
from bursar.filters.scope import IndividualScope
from bursar.filters.stopping import ActiveCount, StillActive
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ZeroConcentratedDP
from bursar.noise import GridSum, rehearse, release_gaussian

CHEAP, DEAR = ZeroConcentratedDP(rho="0.001"), ZeroConcentratedDP(rho="0.9")
PEOPLE = IndividualFilter.zcdp(rho=10, people=3, unit=1)


def purse() -> Purse:
    return Purse({"census": ZcdpFilter(rho=1), "ann": ZcdpFilter(rho=1)})


def opened() -> IndividualScope:
    return IndividualScope.open(Purse({"census": ZcdpFilter(rho=25)}), PEOPLE, request="survey")


def total(inside: Inside) -> int:
    return int(inside.reveal().sum())


class TestRunningWhatWasNotPaidFor:
    def test_a_dear_plan_under_the_id_of_a_cheap_one(self) -> None:
        books, ran = purse(), []
        books.reserve(CHEAP, request="q")
        with pytest.raises(Refused, match="another plan"):
            books.run(DEAR, lambda: ran.append("all of it"), request="q")
        assert ran == []
        books.run(CHEAP, lambda: 1, request="q")
        with pytest.raises(Refused, match="another plan"):
            books.run(DEAR, lambda: ran.append("all of it"), request="q")

    def test_other_scopes_under_the_same_id(self) -> None:
        """Reserved in an analyst's quota alone, then run as if the data set had paid."""
        books = purse()
        books.reserve(DEAR, request="q", scopes=["ann"])
        with pytest.raises(Refused, match="another choice of scopes"):
            books.run(DEAR, lambda: 1, request="q")
        assert books.run(DEAR, lambda: 2, request="q", scopes=["ann", "ann"]) == 2

    def test_a_screen_under_the_id_of_a_query(self) -> None:
        books = purse()
        books.reserve(CHEAP, request="q")
        with pytest.raises(Refused, match="another kind"):
            books.reserve(CHEAP, request="q", open=True)

    def test_the_id_stands_for_the_whole_plan_after_a_part_was_settled(self) -> None:
        books = purse()
        books.reserve(3 * CHEAP, request="q")
        books.start("q")
        books.commit("q", "partial", used=CHEAP)
        assert books.charge("q").used == Plan.of(CHEAP)
        assert books.run(3 * CHEAP, lambda: "again", request="q") == "partial"
        with pytest.raises(Refused, match="another plan"):
            books.run(CHEAP, lambda: "again", request="q")

    @pytest.mark.parametrize(
        "steps",
        [
            (),
            ((CHEAP, -5),),
            ((DEAR, 2), (CHEAP, -1700)),
            ((CHEAP, 0),),
            ((CHEAP, 0.5),),
            ((CHEAP, True),),
            (("zcdp", 1),),
        ],
    )
    def test_plans_that_cost_less_than_their_steps(self, steps: Any) -> None:
        with pytest.raises(InvalidParameter):
            Plan(steps)

    def test_an_answer_of_an_open_charge_is_kept_before_it_leaves(self) -> None:
        books = purse()
        books.reserve(CHEAP, request="screen", open=True)
        books.start("screen")
        books.record("screen", "below")
        assert books.commit("screen", "and so on") == "and so on"
        assert books.charge("screen").answers == ("below", "and so on")

    @pytest.mark.parametrize("time", [float("nan"), float("inf")])
    def test_a_time_that_never_comes(self, time: float) -> None:
        with pytest.raises(InvalidParameter, match="finite time"):
            purse().reserve(CHEAP, request="q", expires=time)


class TestSpendingTwice:
    def test_a_payment_opens_one_scope(self) -> None:
        """A second scope of the same payment would give everybody their budget again."""
        books = Purse({"census": ZcdpFilter(rho=25)})
        IndividualScope.open(books, PEOPLE, request="survey")
        with pytest.raises(TypeError, match="standing"):
            IndividualScope(PEOPLE, books.charge("survey"))  # type: ignore[call-arg]
        with pytest.raises(Refused, match="cannot start"):
            IndividualScope.open(books, PEOPLE, request="survey")

    def test_a_scope_is_not_set_back(self) -> None:
        scope = opened()
        with pytest.raises(AttributeError):
            scope.standing = PEOPLE.start()  # type: ignore[misc]

    def test_one_of_many_threads_gets_the_state(self) -> None:
        """Two that charged the same array could take it below 0, where unsigned is without end."""
        for _ in range(50):
            standing, won = PEOPLE.start(), []
            gate = threading.Barrier(4)

            def charge(standing: Standing = standing, gate: Any = gate, won: Any = won) -> None:
                costs = given(PEOPLE, np.array([8, 8, 8]))
                gate.wait()
                try:
                    won.append(PEOPLE.charge(standing, costs))
                except CorruptBooks:
                    return

            in_threads(charge, 4)
            assert len(won) == 1
            assert standing.reveal().tolist() == [2, 2, 2]

    def test_two_that_charge_one_state_go_below_zero(self) -> None:
        """Why it matters: both decide on what is left before either has taken it."""
        left = np.array([10], np.uint64)
        decided = [bool(cost <= left[0]) for cost in (8, 8)]
        for inside in decided:
            left -= np.uint64(8 * inside)
        assert left[0] > 2**63

    def test_threads_that_ask_a_scope(self) -> None:
        scope, answers = opened(), []

        def ask(name: int) -> None:
            for i in range(10):
                costs = lambda: given(PEOPLE, np.array([1, 2, 3]))  # noqa: E731
                answers.append(scope.answer(costs, total, most=3, request=f"{name}-{i}"))
                scope.left()

        in_threads(ask, 4, numbered=True)
        assert sum(answers) == 10 + 5 + 3
        assert scope.left().reveal().tolist() == [0, 0, 1]

    def test_threads_that_ask_one_question(self) -> None:
        scope, draws, answers = opened(), iter(range(100)), []
        costs = lambda: given(PEOPLE, np.array([4, 4, 4]))  # noqa: E731
        in_threads(
            lambda: answers.append(scope.answer(costs, lambda _: next(draws), most=4, request="q")),
            4,
        )
        assert answers == [0, 0, 0, 0]
        assert scope.left().reveal().tolist() == [6, 6, 6]

    def test_a_question_inside_a_question(self) -> None:
        scope = opened()

        def costs() -> Costs:
            scope.answer(lambda: given(PEOPLE, np.array([1, 1, 1])), total, most=1, request="b")
            return given(PEOPLE, np.array([0, 0, 0]))

        with pytest.raises(Refused, match="'a' failed"):
            scope.answer(costs, total, most=3, request="a")
        failure = scope.failure("a")
        assert failure is not None
        assert "a question is still open" in failure.reveal()
        assert scope.left().reveal().tolist() == [7, 7, 7]

    def test_a_device_that_is_set_back(self) -> None:
        machine: LocalFilter[int] = LocalFilter(RenyiFilter({2: 1}, adjacency="zero-out"), null=0)
        first, step = machine.start(), ZeroConcentratedDP(rho="0.5")
        with pytest.raises(InvalidParameter):
            machine.feed(first, step, "7")  # type: ignore[arg-type]
        second, fed = machine.feed(first, step, 7)
        assert fed == 7
        with pytest.raises(CorruptBooks, match="newer one"):
            machine.feed(first, step, 7)
        assert machine.feed(second, step, 7)[1] == 0

    def test_books_that_were_forked(self) -> None:
        books, scope = purse(), opened()
        costs = lambda: given(PEOPLE, np.array([1, 1, 1]))  # noqa: E731

        def child() -> None:
            for attempt in (
                lambda: books.run(CHEAP, lambda: 1, request="q"),
                lambda: books.may_run(CHEAP),
                lambda: scope.answer(costs, total, most=1, request="q"),
            ):
                with pytest.raises(Refused, match="before a fork"):
                    attempt()

        assert in_fork(child) == 0
        assert books.run(CHEAP, lambda: 1, request="q") == 1

    @pytest.mark.parametrize(
        "other",
        [
            IndividualFilter.zcdp(rho="0.1", people=5),
            IndividualFilter.zcdp(rho=1, people=5, adjacency="zero-out"),
            IndividualFilter.gdp(mu=1, people=5),
            IndividualFilter.renyi(order=2, budget=1, people=5),
            IndividualFilter.zcdp(rho="0.5", people=5, unit="5e-10"),
        ],
    )
    def test_the_state_of_a_filter_with_the_same_cap(self, other: IndividualFilter) -> None:
        mine = IndividualFilter.zcdp(rho=1, people=5)
        assert other.account.cap == mine.account.cap
        with pytest.raises(CorruptBooks, match="other people"):
            restore_people(mine, save_people(other, other.start()))
        assert len(restore_people(mine, save_people(mine, mine.start()))) == 5

    @pytest.mark.parametrize("kind", [np.int64, np.uint64, np.float64, np.bool_])
    def test_a_state_of_another_kind(self, kind: type) -> None:
        with pytest.raises(CorruptBooks, match="kind of integers"):
            PEOPLE.charge(Standing(np.ones(3, kind)), given(PEOPLE, np.array([1, 1, 1])))

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"state":' * 50_000])
    def test_text_that_nests_without_end(self, text: str) -> None:
        with pytest.raises(CorruptBooks):
            restore(text)


class TestRehearsals:
    """A testing mode cannot reach a purse: neither from inside, nor with what it made."""

    SUM = GridSum(np.array([1]), l1=1)

    def test_nothing_is_charged_in_one(self) -> None:
        books, scope = purse(), opened()
        books.reserve(CHEAP, request="r")
        for attempt in (
            lambda: books.run(CHEAP, lambda: 1, request="q"),
            lambda: books.start("r"),
            lambda: books.abandon("r"),
            lambda: books.raise_costs(CHEAP, request="q"),
            lambda: IndividualScope.open(books, PEOPLE, request="s"),
            lambda: scope.answer(
                lambda: given(PEOPLE, np.zeros(3, int)), total, most=1, request="q"
            ),
        ):
            with pytest.raises(Refused, match="NOT PRIVATE"):
                rehearse(attempt, seed=1)
        assert [charge.stage for charge in books.history()] == [Stage.RESERVED]

    @pytest.mark.parametrize("marked", [True, False])
    def test_what_one_made_is_no_answer(self, marked: bool) -> None:
        books, scope = purse(), opened()

        def work(*_: object) -> object:
            made = rehearse(lambda: release_gaussian(self.SUM, noise_multiplier=5), seed=1)
            return made if marked else made.value

        with pytest.raises(Refused, match="NOT PRIVATE"):
            books.run(CHEAP, work, request="q")
        assert books.charge("q").stage is Stage.CHARGED_IN_FULL
        books.reserve(CHEAP, request="open", open=True)
        books.start("open")
        with pytest.raises(Refused, match="NOT PRIVATE"):
            books.record("open", work())
        with pytest.raises(Refused, match="NOT PRIVATE"):
            scope.answer(lambda: given(PEOPLE, np.zeros(3, int)), work, most=1, request="q")
        assert books.run(
            CHEAP, lambda: release_gaussian(self.SUM, noise_multiplier=5), request="real"
        ).private


def test_the_private_parts_of_a_rule_are_sealed() -> None:
    draw = lambda **asked: np.full(asked["size"], 4711)  # noqa: E731
    count, screen = (
        ActiveCount(horizon=3, noise_std=5),
        StillActive(least=3, threshold_scale=5, count_scale=5),
    )
    tree, _ = count.tell(count.start(), 4711, draw)
    for secret in (tree, screen.start(draw), PEOPLE.start()):
        assert "4711" not in repr(secret)
        for leak in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(InvalidParameter, match="neither pickled nor copied"):
                leak(secret)
    with pytest.raises(InvalidParameter, match="neither"):
        PEOPLE.start().__getstate__()
    assert count.tell(count.start(), 4711, draw)[0] != tree


def test_saving_says_nothing_new() -> None:
    """The same bytes, whoever saves: nothing of the machine, the time or the order is in them."""
    machine = ZcdpFilter(rho=1)
    state, _ = machine.ask(machine.start(), CHEAP)
    assert save(machine, state) == save(*restore(save(machine, state)))


def in_threads(run: Callable[..., object], threads: int, *, numbered: bool = False) -> None:
    errors: list[BaseException] = []

    def guarded(*args: int) -> None:
        try:
            run(*args)
        except BursarError as error:
            errors.append(error)

    workers = [
        threading.Thread(target=guarded, args=(n,) if numbered else ()) for n in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == []


def in_fork(run: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
