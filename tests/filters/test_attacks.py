"""Ways to spend twice, to run what was not paid for, or to see what is private: each is refused."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from bursar.adjacency import Adjacency, Direction
from bursar.errors import BursarError, CorruptBooks, InvalidParameter, NoProof, Refused
from bursar.exact import Exact
from bursar.filters import costs as prices
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.charges import Stage
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import Costs, IndividualFilter, Inside, Standing
from bursar.filters.individual_costs import given, of_curves
from bursar.filters.local import LocalFilter
from bursar.filters.machine import Filter, Granted
from bursar.filters.odometer import IndividualOdometer, PerInstanceLosses
from bursar.filters.purse import Purse
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.saved import restore, restore_people, save, save_people
from bursar.filters.scope import IndividualScope
from bursar.filters.stopping import ActiveCount, StillActive
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP, PureDP, ZeroConcentratedDP
from bursar.noise import GridSum, rehearse, release_gaussian
from bursar.privacy.curves import GaussianCurve, TableCurve
from bursar.privacy.pairs import AtomsPair

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

        with pytest.raises(CorruptBooks, match="still open"):
            scope.answer(costs, total, most=3, request="a")
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


class TestCostsThatCannotBeCounted:
    """A cost above what 32 bits hold leaves a person out; an odometer must not read it as small."""

    def test_an_amount_a_hundred_times_the_budget(self) -> None:
        machine = IndividualFilter.zcdp(rho=1, people=2)
        odometer = IndividualOdometer(machine)
        sums = odometer.count(odometer.start(), given(machine, np.array([100.0, 0.5])))
        assert odometer.bound_of(sums, 0) >= 100
        assert odometer.bound_of(sums, 1) == 1

    def test_a_curve_without_a_bound(self) -> None:
        machine = IndividualFilter.renyi(order="inf", budget=1, people=1)
        curves = [GaussianCurve(Exact("0.1"))]
        costs = of_curves(machine, curves, np.array([0], np.uint64))
        odometer = IndividualOdometer(machine)
        assert odometer.bound_of(odometer.count(odometer.start(), costs), 0) == float("inf")
        assert not machine.charge(machine.start(), costs)[1].reveal()[0]

    @pytest.mark.parametrize("losses", [np.array([-1, 2]), np.array([0.5, 1]), np.array([1])])
    def test_losses_that_are_none(self, losses: Any) -> None:
        odometer = IndividualOdometer(IndividualFilter.zcdp(rho=1, people=2))
        with pytest.raises(InvalidParameter):
            odometer.count(odometer.start(), PerInstanceLosses(losses))

    @pytest.mark.parametrize("amount", [1e305, 1e200, 1e4])
    def test_floats_that_overflow_are_refused(self, amount: float) -> None:
        machine = IndividualFilter.zcdp(rho="1e-300" if amount == 1e200 else 1, people=2)
        if amount == 1e4:
            given(machine, np.array([amount, 0]))
            return
        with pytest.raises(InvalidParameter, match="at most"):
            given(machine, np.array([amount, 0]))

    @pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int32, np.uint64])
    @pytest.mark.parametrize("most", [1, 100, 200, 70_000, 2**40])
    def test_a_bound_beyond_the_costs_own_kind(self, kind: type, most: int) -> None:
        machine = IndividualFilter.zcdp(rho=2**41, people=3, unit=1)
        standing = machine.begin(machine.start(), most)
        _, inside = machine.settle(standing, given(machine, np.array([1, 100, 101], kind)))
        assert inside.reveal().tolist() == [most >= cost for cost in (1, 100, 101)]

    def test_a_table_beyond_its_orders_is_infinite_in_a_sum(self) -> None:
        curve = TableCurve((Exact(2),), (Exact(1),)) + GaussianCurve(Exact(1))
        assert (curve.at(2), curve.at(5)) == (3, float("inf"))


TINY: list[Callable[[str, str], Filter]] = [
    lambda e, d: AnyOrderFilter(epsilon=e, delta=d),
    lambda e, d: ZcdpFilter.within(epsilon=e, delta=d),
    lambda e, d: GdpFilter.within(epsilon=e, delta=d),
    lambda e, d: DpFilter(epsilon=e, delta=d),
    lambda e, d: DpFilter(epsilon=e, delta=d, form="printed"),
    lambda e, d: RogersFilter(epsilon=e, delta=d),
]


@pytest.mark.parametrize("make", TINY)
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("1e-300", "1e-300"), ("1e300", "1e-5"), ("0", "1"), ("0", "1e-9"), ("700", "1e-300")],
)
def test_no_budget_is_too_strange(
    make: Callable[[str, str], Filter], epsilon: str, delta: str
) -> None:
    """A filter, or an error that names a field; and what costs more than ε is refused."""
    try:
        machine = make(epsilon, delta)
    except InvalidParameter:
        return
    try:
        _, decision = machine.ask(machine.start(), PureDP(epsilon="1e301"))
    except NoProof:
        return
    assert not isinstance(decision, Granted) or delta == "1"


@dataclass(frozen=True)
class Wrapped:
    """As a mechanism made of others: it has every method, and some of them refuse."""

    name: ClassVar[str] = "wrapped"
    says: frozenset[str]

    def _view(self, view: str, value: Any) -> Any:
        if view not in self.says:
            raise NoProof(f"its parts have no {view} view")
        return value

    def pure(self, adjacency: Adjacency) -> Exact:
        return self._view("pure", Exact("0.1"))

    def zcdp(self, adjacency: Adjacency) -> Exact:
        return self._view("zcdp", Exact("0.004"))

    def pair(self, adjacency: Adjacency, direction: Direction) -> AtomsPair:
        return self._view("pair", AtomsPair(Exact("0.1"), delta=Exact("1e-9")))


@pytest.mark.parametrize(
    ("says", "takers"),
    [
        ({"pure"}, {"zcdp", "dp", "rogers"}),
        ({"zcdp"}, {"zcdp"}),
        ({"pair"}, {"zcdp", "dp", "rogers"}),
        ({"pure", "zcdp", "pair"}, {"zcdp", "dp", "rogers"}),
        (set(), set()),
    ],
)
def test_a_view_that_refuses_does_not_hide_another(says: set[str], takers: set[str]) -> None:
    from bursar.filters import matrix

    step = Wrapped(frozenset(says))
    assert set(matrix.takers(step, Adjacency.ADD_OR_REMOVE_ONE)) == takers
    if "zcdp" in says:
        rho, delta = prices.concentrated(step, Adjacency.ADD_OR_REMOVE_ONE)
        assert (rho, delta) == (Fraction(4, 1000), 0)
    if not takers:
        with pytest.raises(NoProof, match="its parts have no pure view"):
            prices.approximate(step, Adjacency.ADD_OR_REMOVE_ONE)


def test_the_leak_of_a_pair_is_charged() -> None:
    machine = DpFilter(epsilon=1, delta="1e-6", delta_of_steps="1e-7")
    leaking = ApproximateDP(epsilon="0.1", delta="6e-8")
    state, first = machine.ask(machine.start(), leaking)
    assert isinstance(first, Granted)
    assert not isinstance(machine.ask(state, leaking)[1], Granted)


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
