"""Costs and budgets that are hard to count, and mechanisms of which only some views answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
import pytest

from bursar.accounting.gdp_steps import step_square
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact
from bursar.filters import costs as prices
from bursar.filters import matrix
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import IndividualFilter
from bursar.filters.individual_costs import given, of_curves
from bursar.filters.machine import Filter, Granted, State
from bursar.filters.odometer import IndividualOdometer, PerInstanceLosses
from bursar.filters.renyi import AnyOrderFilter
from bursar.filters.units import LARGEST, NEVER, Account, plus
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.statements import ApproximateDP, PureDP
from bursar.privacy.curves import GaussianCurve, TableCurve
from bursar.privacy.pairs import AtomsPair


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


class TestCounting:
    """Every change counts once, and the ends of ranges are inside."""

    def test_changes_of_the_people_s_state(self) -> None:
        machine = IndividualFilter.zcdp(rho=9, people=2, unit=1)
        cost, standing, seen = given(machine, np.array([1, 2])), machine.start(), [0]
        for change in (
            lambda s: machine.charge(s, cost)[0],
            lambda s: machine.begin(s, 3),
            lambda s: machine.settle(s, cost)[0],
            lambda s: machine.begin(s, 3),
            machine.charge_in_full,
        ):
            standing = change(standing)
            seen.append(standing.serial)
        assert seen == [0, 1, 2, 3, 4, 5]

    def test_changes_of_a_budget(self) -> None:
        machine = ZcdpFilter(rho=1)
        state = machine.start()
        for change in (machine.add_anyway, machine.give_back, machine.add_anyway):
            before, state = state, change(state, (7, 0))
            assert state.serial == before.serial + 1

    def test_the_least_and_the_largest(self) -> None:
        machine = IndividualFilter.zcdp(rho=LARGEST, people=1, unit=1)
        assert machine.planned(Fraction(1)) == LARGEST
        with pytest.raises(InvalidParameter, match="above 0"):
            machine.planned(Fraction(0))
        whole = given(machine, np.array([LARGEST]))
        assert machine.charge(machine.start(), whole)[1].reveal()[0]
        account = Account.of("rho", Fraction(LARGEST), Fraction(1))
        assert account.up(Fraction(LARGEST)) == plus(LARGEST, 0) == LARGEST
        assert account.up(Fraction(LARGEST + 1)) == plus(LARGEST, 1) == NEVER


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

    def gdp(self, adjacency: Adjacency) -> Exact:
        return self._view("gdp", Exact("0.009"))

    def pair(self, adjacency: Adjacency, direction: Direction) -> AtomsPair:
        return self._view("pair", AtomsPair(Exact("0.1"), delta=Exact("1e-9")))


@pytest.mark.parametrize(
    ("says", "takers"),
    [
        ({"pure"}, {"zcdp", "gdp", "dp", "rogers"}),
        ({"zcdp"}, {"zcdp"}),
        ({"pair"}, {"zcdp", "dp", "rogers"}),
        ({"gdp"}, {"gdp"}),
        ({"pure", "zcdp", "pair"}, {"zcdp", "gdp", "dp", "rogers"}),
        (set(), set()),
    ],
)
def test_a_view_that_refuses_does_not_hide_another(says: set[str], takers: set[str]) -> None:
    step = Wrapped(frozenset(says))
    assert set(matrix.takers(step, Adjacency.ADD_OR_REMOVE_ONE)) == takers
    if "zcdp" in says:
        rho, delta = prices.concentrated(step, Adjacency.ADD_OR_REMOVE_ONE)
        assert (rho, delta) == (Fraction(4, 1000), 0)
    if not takers:
        with pytest.raises(NoProof, match="its parts have no pure view"):
            prices.approximate(step, Adjacency.ADD_OR_REMOVE_ONE)
        with pytest.raises(NoProof, match="its parts have no gdp view"):
            step_square(step, Adjacency.ADD_OR_REMOVE_ONE)


def test_a_pure_step_is_gdp() -> None:
    """And too dear for any budget above ε = 200, where μ is not computed."""
    add = Adjacency.ADD_OR_REMOVE_ONE
    exact = (2 * NormalDist().inv_cdf(math.e / (1 + math.e))) ** 2
    assert float(step_square(PureDP(epsilon=1), add)) == pytest.approx(exact, rel=1e-12)
    assert step_square(PureDP(epsilon=201), add) == math.inf
    assert not isinstance(GdpFilter(mu=30).ask(State((0,)), PureDP(epsilon=201))[1], Granted)
    mixed = Parallel(Gaussian(noise_multiplier=2), PureDP(epsilon=1))
    assert step_square(mixed, add) == step_square(PureDP(epsilon=1), add)


def test_parallel_branches_cost_what_the_dearest_does() -> None:
    add = Adjacency.ADD_OR_REMOVE_ONE
    leaking = ApproximateDP(epsilon="0.1", delta="6e-8")
    mixed = Parallel(2 * leaking, PureDP(epsilon="0.3"))
    assert prices.approximate(mixed, add) == (Fraction(3, 10), Fraction(12, 10**8))
    both = prices.rho_of_pure(Fraction(3, 10)), 2 * prices.rho_of_pure(Fraction(1, 10))
    assert prices.concentrated(mixed, add) == (max(both), Fraction(12, 10**8))
    noisy = Parallel(Gaussian(noise_multiplier=2), PureDP(epsilon="0.3"))
    assert prices.concentrated(noisy, add) == (Fraction(1, 8), 0)
    for refused in (noisy, mixed):
        relation = add if refused is noisy else Adjacency.REPLACE_ONE
        with pytest.raises(NoProof):
            prices.approximate(refused, relation)


def test_the_leak_of_a_pair_is_charged() -> None:
    machine = DpFilter(epsilon=1, delta="1e-6", delta_of_steps="1e-7")
    leaking = ApproximateDP(epsilon="0.1", delta="6e-8")
    state, first = machine.ask(machine.start(), leaking)
    assert isinstance(first, Granted)
    assert not isinstance(machine.ask(state, leaking)[1], Granted)
