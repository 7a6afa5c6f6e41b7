"""What all filters share: decisions, refusals, uncountable sums, burnt states, planning."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

import bursar
from bursar.adjacency import Adjacency
from bursar.errors import BudgetExceeded, CorruptBooks, InvalidParameter, NoProof, Unreachable
from bursar.exact import Exact
from bursar.filters import matrix, planning
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import Filter, Granted, Refused, State
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.saved import TABLE
from bursar.filters.units import LARGEST, NEVER, Account, plus
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from tests.laws.cases import EVERY, IDS, Case

FILTERS: list[Filter] = [
    RenyiFilter({8: "0.5"}),
    RenyiFilter({1: "0.1", 4: "0.5", math.inf: 3}),
    AnyOrderFilter(epsilon=1, delta=1e-6),
    ZcdpFilter(rho="0.1"),
    ZcdpFilter(rho="0.1", delta=1e-6),
    GdpFilter(mu="0.5"),
    DpFilter(epsilon=1, delta=1e-6, delta_of_steps=1e-7),
    DpFilter(epsilon=1, delta=1e-6, form="printed"),
    RogersFilter(epsilon=1, delta=1e-6),
]
STEPS: dict[str, Mechanism] = {
    "gdp": Gaussian(noise_multiplier=30),
    "dp": PureDP(epsilon="0.02"),
    "rogers": PureDP(epsilon="0.02"),
}
FRACTIONS = st.fractions(min_value=0, max_value=10**6, max_denominator=10**12)


def step_for(machine: Filter) -> Mechanism:
    return STEPS.get(
        machine.name, Laplace(scale=50) if machine.name == "renyi" else PureDP(epsilon="0.02")
    )


@pytest.mark.parametrize("machine", FILTERS, ids=repr)
def test_a_budget_is_spent_and_not_more(machine: Filter) -> None:
    state, step = machine.start(), step_for(machine)
    promised = planning.more(machine, state, step)
    assert 1 < promised < 10_000
    for _ in range(promised):
        state, decision = machine.ask(state, step)
        assert isinstance(decision, Granted)
    after, refusal = machine.ask(state, step)
    assert after == state
    assert isinstance(refusal, Refused)
    assert planning.more(machine, state, step) == 0
    error = refusal.error("census-2026")
    assert isinstance(error, BudgetExceeded)
    assert "census-2026 is left" in str(error)


@pytest.mark.parametrize("machine", FILTERS, ids=repr)
def test_a_refused_request_may_be_replaced(machine: Filter) -> None:
    step = step_for(machine)
    state, refusal = machine.ask(machine.start(), 10**9 * step)
    assert isinstance(refusal, Refused)
    assert state == machine.start()
    assert isinstance(machine.ask(state, step)[1], Granted)


@pytest.mark.parametrize("machine", FILTERS, ids=repr)
def test_one_plan_costs_no_more_than_its_parts(machine: Filter) -> None:
    """Rounded up once, not n times; and never more than the true cost and one unit."""
    step = step_for(machine)
    once, whole = machine.price(1 * step), machine.price(7 * step)
    for one, seven in zip(once, whole, strict=True):
        assert 7 * one - 7 < seven <= 7 * one or one == seven == NEVER
    assert planning.most(machine, machine.start(), step) >= planning.more(
        machine, machine.start(), step
    )


@pytest.mark.parametrize("machine", FILTERS, ids=repr)
def test_more_noise_never_costs_more(machine: Filter) -> None:
    families = {
        "gdp": lambda n: Gaussian(noise_multiplier=n),
        "dp": lambda n: PureDP(epsilon=Exact(Fraction(1, n))),
    }
    families["rogers"] = families["dp"]
    family = families.get(machine.name, lambda n: Laplace(scale=n))
    prices = [machine.price(1 * family(n)) for n in (1, 2, 3, 10, 100, 1000)]
    for dear, cheap in pairwise(prices):
        assert all(c <= d for c, d in zip(cheap, dear, strict=True))


def test_ten_tenths_are_one() -> None:
    for machine, step in (
        (ZcdpFilter(rho=1), ZeroConcentratedDP(rho="0.1")),
        (RenyiFilter({8: 3}), ZeroConcentratedDP(rho="0.0375")),
        (RenyiFilter({math.inf: 3}), PureDP(epsilon="0.3")),
        (AnyOrderFilter(epsilon=3, delta=0), PureDP(epsilon="0.3")),
    ):
        assert planning.more(machine, machine.start(), step) == 10


@pytest.mark.parametrize("machine", FILTERS, ids=repr)
def test_a_state_that_is_none_is_burnt(machine: Filter) -> None:
    for spent in (
        (-1,) * len(machine.accounts),
        (),
        (0.5,) * len(machine.accounts),
        (2**63,) * len(machine.accounts),
    ):
        burnt, refusal = machine.ask(State(spent), step_for(machine))  # type: ignore[arg-type]
        assert burnt.burnt is not None
        assert isinstance(refusal, Refused)
        assert isinstance(refusal.error(), CorruptBooks)
        again, still = machine.ask(
            burnt, PureDP(epsilon=0) if machine.name != "gdp" else step_for(machine)
        )
        assert again == burnt
        assert isinstance(still, Refused)
        assert machine.add_anyway(burnt, (1,) * len(machine.accounts)) == burnt
    counted = State((0,) * len(machine.accounts), serial="1")  # type: ignore[arg-type]
    assert machine.ask(counted, step_for(machine))[0].burnt is not None


def test_giving_back_more_than_was_spent_burns() -> None:
    machine = ZcdpFilter(rho=1)
    state, granted = machine.ask(machine.start(), ZeroConcentratedDP(rho="0.5"))
    assert isinstance(granted, Granted)
    back = machine.give_back(state, granted.cost)
    assert back == State((0, 0), serial=2)
    assert machine.give_back(back, granted.cost).burnt is not None


@pytest.mark.parametrize("cost", [(-1, 0), (1,), (1, 0, 0), (0.5, 0), (True, 0), (2**63, 0), ()])
def test_costs_that_are_none_change_nothing(cost: tuple[int, ...]) -> None:
    """A negative one would give a budget back that was spent."""
    machine = ZcdpFilter(rho=1)
    state, _ = machine.ask(machine.start(), ZeroConcentratedDP(rho="0.5"))
    for change in (machine.add_anyway, machine.give_back):
        with pytest.raises(InvalidParameter, match="whole numbers"):
            change(state, cost)


def test_what_is_left_of_a_state_that_is_none() -> None:
    machine = ZcdpFilter(rho=1)
    for state in (State(()), State((-5, 0)), State((0, 0), burnt="found out")):
        with pytest.raises(CorruptBooks):
            machine.left(state)


def test_a_past_cost_that_is_raised_may_halt_the_filter() -> None:
    machine = ZcdpFilter(rho=1)
    state = machine.add_anyway(machine.start(), machine.price(1 * ZeroConcentratedDP(rho=2)))
    assert machine.left(state)["rho"] == 0
    assert isinstance(machine.ask(state, ZeroConcentratedDP(rho=0))[1], Refused)


def test_what_never_fits_stays_so_in_any_order() -> None:
    """A Gaussian has no pure ε: order infinity is lost for good, and the rest goes on."""
    machine = AnyOrderFilter(epsilon=1, delta=1e-6)
    state, granted = machine.ask(machine.start(), Gaussian(noise_multiplier=50))
    assert isinstance(granted, Granted)
    assert state.spent[-1] == NEVER
    assert machine.give_back(state, granted.cost).spent[-1] == NEVER
    assert planning.cost(machine, Gaussian(noise_multiplier=50))["order inf"] is None


def test_planning_spends_nothing() -> None:
    machine = ZcdpFilter(rho="0.1")
    state = machine.start()
    step = Gaussian(noise_multiplier=10)
    assert planning.cost(machine, step) == {"rho": Exact("0.005"), "delta": 0}
    assert planning.may_run(machine, state, 20 * step)
    assert not planning.may_run(machine, state, 21 * step)
    assert planning.most(machine, state, step) == planning.more(machine, state, step) == 20
    assert planning.most(machine, state, PureDP(epsilon=0)) == 2**62
    spent, _ = machine.ask(state, 15 * step)
    least = planning.nearest(
        machine, spent, lambda s: Gaussian(noise_multiplier=s), may=100, may_not=1
    )
    assert float(least) == pytest.approx(math.sqrt(1 / (2 * 0.025)), rel=1e-12)
    assert planning.may_run(machine, spent, Gaussian(noise_multiplier=least))
    with pytest.raises(Unreachable):
        planning.nearest(machine, spent, lambda s: Gaussian(noise_multiplier=s), may=2, may_not=1)
    assert state == machine.start()


def test_a_refusal_says_which_filters_take_it() -> None:
    with pytest.raises(NoProof, match=r"Filters that take it: renyi, any-order, zcdp, gdp\."):
        DpFilter(epsilon=1, delta=1e-6).ask(State((0, 0)), Gaussian(noise_multiplier=5))
    with pytest.raises(NoProof, match=r"Filters that take it: zcdp, dp, rogers\."):
        RenyiFilter({8: 1}).ask(State((0,)), ApproximateDP(epsilon="0.1", delta=1e-9))
    both = ApproximateDP(epsilon="0.1", delta=1e-9) + RenyiDP(orders=[2], values=[1])
    with pytest.raises(NoProof, match=r"Filters that take it: none\."):
        ZcdpFilter(rho=1).ask(State((0, 0)), both)


@pytest.mark.parametrize(("case", "relation"), EVERY, ids=IDS)
def test_the_matrix_is_what_the_filters_do(case: Case, relation: Adjacency) -> None:
    """Over the registry of mechanisms: whoever is said to take a step prices it, nobody else."""
    plan = case.plan()
    ((step, _),) = plan.steps
    names = matrix.takers(step, relation)
    for machine in (
        RenyiFilter({2: 1}, adjacency=relation),
        AnyOrderFilter(epsilon=1, delta=1e-6, adjacency=relation),
        ZcdpFilter(rho=1, delta=1e-6, adjacency=relation),
        GdpFilter(mu=1, adjacency=relation),
        DpFilter(epsilon=1, delta=1e-6, delta_of_steps=1e-7, adjacency=relation),
        RogersFilter(epsilon=1, delta=1e-6, adjacency=relation),
    ):
        if machine.name in names:
            once, thrice = machine.price(plan), machine.price(3 * plan)
            assert all(0 <= one <= three for one, three in zip(once, thrice, strict=True))
        else:
            with pytest.raises(NoProof, match="cannot price it") as refusal:
                machine.ask(machine.start(), plan)
            assert f"Filters that take it: {', '.join(names) or 'none'}." in str(refusal.value)


CHARGED: dict[str, tuple[Callable[[Adjacency], Filter], Callable[[Exact], Mechanism]]] = {
    "renyi": (
        lambda relation: RenyiFilter({8: 10**6}, adjacency=relation),
        lambda cost: RenyiDP(orders=[8], values=[cost]),
    ),
    "zcdp": (
        lambda relation: ZcdpFilter(rho=10**6, adjacency=relation),
        lambda cost: ZeroConcentratedDP(rho=cost),
    ),
    "gdp": (
        lambda relation: GdpFilter(mu=10**3, adjacency=relation),
        lambda cost: GaussianDP(mu=Exact(Fraction(math.sqrt(cost) * (1 + 1e-15)))),
    ),
}


TWO_ROADS = [
    (case, relation, name)
    for case, relation in EVERY
    for name in CHARGED
    if "exact" in case.enclosing(relation)
    and name in matrix.takers(case.plan().steps[0][0], relation)
    if not any(CHARGED[name][0](relation).price(case.plan())[1:])  # an approximate statement
]


@pytest.mark.parametrize(("case", "relation", "name"), TWO_ROADS)
def test_what_is_charged_covers_what_the_pair_says(
    case: Case, relation: Adjacency, name: str
) -> None:
    """Two roads, over the registry: the price as a statement, and the step's own profile."""
    plan = case.plan()
    make, stated = CHARGED[name]
    machine = make(relation)
    first, *_ = machine.price(plan)
    told = bursar.epsilon(stated(machine.accounts[0].value(first)), delta=1e-6)
    truth = bursar.epsilon(plan, delta=1e-6, adjacency=relation, method="exact")
    assert isinstance(truth, bursar.Enclosure)
    assert float(told) >= truth.lower


def test_every_filter_is_everywhere() -> None:
    """It can be saved, stands in the matrix, and is tested in each of the ways there are."""
    kinds = {kind.__name__: kind.name for kind in Filter.__subclasses__()}
    names = set(kinds.values())
    assert len(names) == len(kinds)
    assert names == set(TABLE) == set(matrix.PRICES) == {one.name for one in FILTERS}
    room = Path(__file__).parent
    for file in ("test_finite_game.py", "test_model.py", "test_mutants.py"):
        text = (room / file).read_text(encoding="utf-8")
        assert [kind for kind in kinds if f"{kind}(" not in text] == []


@over(FRACTIONS, FRACTIONS)
def test_charges_round_up_and_budgets_down(budget: Fraction, charge: Fraction) -> None:
    account = Account.of("rho", budget)
    assert 0 <= budget - account.budget < account.unit or budget == 0
    units = account.up(charge)
    assert units == NEVER or 0 <= account.value(units) - charge < account.unit
    if budget:
        assert account.unit <= budget * Fraction(1, 10**14)
        assert account.cap <= LARGEST


@over(FRACTIONS)
def test_a_person_s_budget_fits_32_bits(budget: Fraction) -> None:
    account = Account.small("rho", budget)
    assert account.cap < 2**32 - 1
    assert account.cap >= 10**8 or not budget
    assert 0 <= budget - account.budget < account.unit or not budget


def test_sums_that_cannot_be_counted() -> None:
    account = Account.of("rho", Fraction(1))
    assert account.up(math.inf) == account.up(Fraction(10**9)) == NEVER
    assert plus(LARGEST, 1) == plus(NEVER, 0) == NEVER
    for bad in (math.nan, -1.0, Fraction(-1, 10**30), -math.inf):
        with pytest.raises(InvalidParameter):
            account.up(bad)
    with pytest.raises(InvalidParameter, match="units"):
        Account.of("rho", Fraction(10**30), Fraction(1))
    with pytest.raises(InvalidParameter):
        Account.of("rho", Fraction(1), Fraction(0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: RenyiFilter({}),
        lambda: RenyiFilter({"1/2": 1}),
        lambda: RenyiFilter({2: -1}),
        lambda: RenyiFilter({2: 1, "2": 1}),
        lambda: RenyiFilter({math.nan: 1}),
        lambda: RenyiFilter({2: math.inf}),
        lambda: AnyOrderFilter(epsilon=1, delta=0, orders=[2]),
        lambda: AnyOrderFilter(epsilon=1, delta=1e-6, orders=[1]),
        lambda: AnyOrderFilter(epsilon=1, delta=1e-6, orders=[2]),
        lambda: ZcdpFilter(rho=-1),
        lambda: ZcdpFilter(rho=True),
        lambda: ZcdpFilter(rho=1, delta=2),
        lambda: ZcdpFilter.within(epsilon=1, delta=0),
        lambda: GdpFilter(mu=0),
        lambda: DpFilter(epsilon=1, delta=0),
        lambda: DpFilter(epsilon=1, delta=1e-6, delta_of_steps=1e-6),
        lambda: DpFilter(epsilon=1, delta=1e-6, form="bst"),  # type: ignore[arg-type]
        lambda: RogersFilter(epsilon=1, delta="1/3"),
    ],
)
def test_bad_budgets_are_refused(make: object) -> None:
    with pytest.raises(InvalidParameter):
        make()  # type: ignore[operator]


def test_a_bound_at_order_one_alone_is_no_statement() -> None:
    with pytest.raises(NoProof):
        _ = RenyiFilter({1: 1}).promise
    with pytest.raises(NoProof):
        _ = ZcdpFilter(rho=1, delta=1e-6).promise
    assert RenyiFilter({math.inf: 1}).promise == PureDP(epsilon=1)


def test_rogers_grants_nothing_that_the_printed_form_refuses() -> None:
    """With δ/2 for the steps and δ/2 for the tail, as in Rogers et al. 2016, Thm 5.1."""
    for epsilon, delta, step in ((1, "1e-5", "0.01"), (5, "0.01", "0.1"), (0.5, "1e-9", "0.001")):
        rogers = RogersFilter(epsilon=epsilon, delta=delta)
        half = Exact(Exact.of(delta) / 2)
        printed = DpFilter(epsilon=epsilon, delta=delta, delta_of_steps=half, form="printed")
        counts = [planning.more(f, f.start(), PureDP(epsilon=step)) for f in (rogers, printed)]
        assert 0 < counts[0] < counts[1]
