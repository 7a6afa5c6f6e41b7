"""The individual filter against a slow and obvious one, and what it must not show."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from bursar.accounting.gdp_steps import square_of_pure
from bursar.adjacency import Adjacency
from bursar.errors import BursarError, CorruptBooks, InvalidParameter, NoProof
from bursar.exact import Exact
from bursar.filters import individual
from bursar.filters.costs import rho_of_pure
from bursar.filters.individual import Costs, IndividualFilter, Standing
from bursar.filters.individual_costs import given, of_curves, of_squared_norms
from bursar.filters.sealed import Sealed
from bursar.filters.units import LARGEST
from bursar.mechanisms.statements import GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from bursar.privacy.curves import AtomsCurve, GaussianCurve, LaplaceCurve, TableCurve

DTYPES = [np.uint8, np.int32, np.uint32, np.int64, np.uint64]
ROUNDS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 120), min_size=7, max_size=7),
        st.sampled_from(DTYPES),
        st.one_of(st.none(), st.integers(0, 130)),
        st.booleans(),
    ),
    max_size=12,
)


def small(cap: int, people: int = 7) -> IndividualFilter:
    """A filter whose unit is 1, so that its cap is that number of units."""
    return IndividualFilter.zcdp(rho=cap, people=people, unit=1)


@settings(max_examples=150)
@over(st.integers(0, 300), ROUNDS, st.integers(1, 5))
def test_it_is_the_obvious_filter(cap: int, rounds: list[Any], block: int) -> None:
    machine, standing, spent = small(cap), small(cap).start(), [0] * 7
    kept = individual._BLOCK
    individual._BLOCK = block
    try:
        for costs, dtype, most, crash in rounds:
            priced = given(machine, np.array(costs, dtype))
            bound = LARGEST if most is None else most
            if most is None:
                standing, inside = machine.charge(standing, priced)
            else:
                standing = machine.begin(standing, most)
                if crash:
                    standing = machine.charge_in_full(standing)
                    spent = [s + min(most, cap - s) for s in spent]
                    continue
                standing, inside = machine.settle(standing, priced)
            who = [c <= bound and s + c <= cap for s, c in zip(spent, costs, strict=True)]
            spent = [s + c if w else s for s, c, w in zip(spent, costs, who, strict=True)]
            assert inside.reveal().tolist() == who
            assert standing.reveal().tolist() == [cap - s for s in spent]
    finally:
        individual._BLOCK = kept
    assert [machine.spent_by(standing, i) for i in range(7)] == spent


@over(st.permutations(range(7)), ROUNDS)
def test_the_order_of_people_is_irrelevant(order: list[int], rounds: list[Any]) -> None:
    machine = small(200)
    straight, turned = machine.start(), machine.start()
    for costs, dtype, *_ in rounds:
        array = np.array(costs, dtype)
        straight, _ = machine.charge(straight, given(machine, array))
        turned, _ = machine.charge(turned, given(machine, array[order]))
    assert turned.reveal().tolist() == straight.reveal()[order].tolist()


@over(ROUNDS)
def test_disjoint_people_are_independent(rounds: list[Any]) -> None:
    """What the first three see is what they would see alone."""
    machine, alone = small(200), small(200, people=3)
    everybody, few = machine.start(), alone.start()
    for costs, dtype, *_ in rounds:
        array = np.array(costs, dtype)
        everybody, inside = machine.charge(everybody, given(machine, array))
        few, inside_alone = alone.charge(few, given(alone, array[:3]))
        assert inside.reveal()[:3].tolist() == inside_alone.reveal().tolist()
    assert everybody.reveal()[:3].tolist() == few.reveal().tolist()


SECRETS = [np.array([3, 1, 4]), np.array([0, 0, 0]), np.array([2**40, 7, 1])]


def test_nothing_is_seen_but_the_public_size() -> None:
    machine = small(10, people=3)
    for make in (Sealed, Standing, individual.Inside, lambda a: Costs(a, machine.account)):
        shown = {(repr(v), str(v), f"{v}", len(v)) for v in map(make, SECRETS)}
        assert len(shown) == 1
        value = make(SECRETS[0])
        for leak in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(InvalidParameter, match="neither pickled nor copied"):
                leak(value)
        assert make(SECRETS[0]) != make(SECRETS[0])
        for peek in (lambda v=value: list(v), lambda v=value: v[0], lambda v=value: vars(v)):
            with pytest.raises(TypeError):
                peek()
        assert "3" not in str(np.asarray(value, dtype=object)).replace("3 people", "")


def test_no_error_shows_a_value() -> None:
    machine = small(10, people=2)
    for bad in (np.array([-77, 1]), np.array([7.7e77, 1.0]), np.array([math.nan, 7.7])):
        with pytest.raises(InvalidParameter) as caught:
            given(machine, bad)
        assert "7" not in str(caught.value).replace(str(LARGEST), "").replace("int64", "")


@pytest.mark.parametrize(
    "bad",
    [
        np.array([1.0, math.nan]),
        np.array([1.0, math.inf]),
        np.array([1.0, -1e-9]),
        np.array([1.0, 1e-310]),
        np.array([1.0]),
        np.array([[1.0, 2.0]]),
        np.array([1.0, 2.0], np.float32),
        np.array([1e30, 2.0]),
        np.array([1, -1]),
        np.array([1, 2, 3]),
        np.array([True, False]),
        np.array(["1", "2"]),
        np.array([1 + 0j, 2]),
    ],
)
def test_bad_costs_are_refused_and_change_nothing(bad: Any) -> None:
    machine = small(10, people=2)
    standing, _ = machine.charge(machine.start(), given(machine, np.array([3, 4])))
    with pytest.raises(InvalidParameter):
        machine.charge(standing, given(machine, bad))
    with pytest.raises(InvalidParameter):
        machine.charge(standing, Costs(bad, machine.account))
    assert standing.reveal().tolist() == [7, 6]
    machine.charge(standing, given(machine, np.array([7, 7])))


def test_integer_overflow_is_refused() -> None:
    machine = small(10, people=2)
    with pytest.raises(InvalidParameter, match="at most"):
        given(machine, np.array([2**63, 1], np.uint64))
    with pytest.raises(InvalidParameter, match="at most"):
        of_squared_norms(machine, np.array([1, 1]), noise_variance=1e-9, at_most=2**50)
    with pytest.raises(InvalidParameter):
        small(2**62)


def test_a_state_is_charged_once() -> None:
    machine = small(10, people=2)
    first = machine.start()
    second, _ = machine.charge(first, given(machine, np.array([1, 2])))
    for again in (
        lambda: machine.charge(first, given(machine, np.array([1, 2]))),
        lambda: machine.begin(first, 3),
    ):
        with pytest.raises(CorruptBooks, match="replaced by a newer one"):
            again()
    open_ = machine.begin(second, 3)
    with pytest.raises(CorruptBooks, match="still open"):
        machine.charge(open_, given(machine, np.array([1, 2])))
    with pytest.raises(CorruptBooks, match="no question is open"):
        machine.charge_in_full(machine.settle(open_, given(machine, np.array([1, 2])))[0])
    with pytest.raises(CorruptBooks, match="another number"):
        small(10, people=3).charge(machine.start(), given(small(10, people=3), np.zeros(3, int)))


def test_a_state_that_holds_too_much_is_burnt() -> None:
    machine, costs = small(10, people=2), given(small(10, people=2), np.array([1, 2]))
    for spend in (
        lambda s: machine.charge(s, costs),
        lambda s: machine.charge_in_full(machine.begin(s, 3)),
    ):
        wrong = Standing(np.array([10, 11], np.uint32))
        with pytest.raises(CorruptBooks, match="burnt"):
            spend(wrong)
        with pytest.raises(CorruptBooks, match="newer one"):
            machine.charge(wrong, costs)


def test_per_instance_losses_are_no_costs() -> None:
    machine = small(10, people=2)
    with pytest.raises(NoProof, match="per-instance"):
        machine.charge(machine.start(), Sealed(np.array([1, 2])))  # type: ignore[arg-type]
    other = IndividualFilter.zcdp(rho=10, people=2, unit=2)
    with pytest.raises(InvalidParameter, match="another filter"):
        machine.charge(machine.start(), given(other, np.array([1, 2])))


def test_norms_are_charged_exactly_in_a_filter_made_for_them() -> None:
    """Charge what you add: B_norm = 2·rho·variance, a squared norm costs itself."""
    machine = IndividualFilter.for_norms(rho="0.02", noise_variance=10**6, people=4)
    assert machine.account.cap == 40_000
    norms = np.array([0, 10_000, 39_999, 40_001])
    standing, inside = machine.charge(
        machine.start(), of_squared_norms(machine, norms, noise_variance=10**6)
    )
    assert inside.reveal().tolist() == [True, True, True, False]
    assert standing.reveal().tolist() == [40_000, 30_000, 1, 40_000]
    assert standing.reveal().dtype == np.uint32
    assert machine.planned(Fraction(10_000, 2 * 10**6)) == 4


@pytest.mark.parametrize(
    ("machine", "factor"),
    [
        (IndividualFilter.zcdp(rho="0.1", people=5), Fraction(1, 2)),
        (IndividualFilter.gdp(mu="0.4", people=5), Fraction(1)),
        (IndividualFilter.renyi(order=8, budget=2, people=5), Fraction(4)),
    ],
)
@over(norms=st.lists(st.integers(0, 2**40), min_size=5, max_size=5), std=st.integers(1, 10**7))
def test_norms_in_any_units_are_rounded_up(
    machine: IndividualFilter, factor: Fraction, norms: list[int], std: int
) -> None:
    most = 2**40
    variance = max(std**2, most)  # so that the dearest person can be counted
    costs = of_squared_norms(machine, np.array(norms), noise_variance=variance, at_most=most)
    for norm, units in zip(norms, costs.reveal().tolist(), strict=True):
        exact = factor * norm / variance / machine.account.unit
        assert exact <= units or units > machine.account.cap  # too dear for 32 bits: left out
        assert units <= exact * (1 + Fraction(1, 2**19)) + 1
    alone = IndividualFilter(
        promise=machine.promise, account=machine.account, people=1, adjacency=machine.adjacency
    )
    single = of_squared_norms(alone, np.array(norms[:1]), noise_variance=variance, at_most=most)
    assert single.reveal()[0] == costs.reveal()[0]


def test_whoever_has_more_than_the_public_bound_is_left_out() -> None:
    machine = IndividualFilter.zcdp(rho=1, people=3)
    for kind in (np.uint8, np.int64):
        norms = np.array([99, 100, 101], kind)
        costs = of_squared_norms(machine, norms, noise_variance=500, at_most=100)
        _, inside = machine.charge(machine.start(), costs)
        assert inside.reveal().tolist() == [True, True, False]
    with pytest.raises(InvalidParameter):
        of_squared_norms(machine, np.array([1, 2, 3]), noise_variance=500)


def test_the_public_bound_holds_where_a_norm_is_its_own_cost() -> None:
    machine = IndividualFilter.for_norms(rho=1, noise_variance=500, people=3)
    norms = np.array([99, 100, 101])
    for at_most, who in ((LARGEST, [True, True, True]), (100, [True, True, False])):
        costs = of_squared_norms(machine, norms, noise_variance=500, at_most=at_most)
        standing, inside = machine.charge(machine.start(), costs)
        assert inside.reveal().tolist() == who
        assert standing.reveal().tolist() == [901, 900, 899 if at_most == LARGEST else 1000]


@pytest.mark.parametrize(
    ("cap", "kind"), [(2**32 - 2, np.uint32), (2**32 - 1, np.uint64), (2**33 - 2, np.uint64)]
)
def test_what_is_left_fits_its_kind_of_integers(cap: int, kind: type) -> None:
    machine = small(cap, people=2)
    standing, inside = machine.charge(machine.start(), given(machine, np.array([cap, cap + 1])))
    assert standing.reveal().dtype == kind
    assert inside.reveal().tolist() == [True, False]
    assert standing.reveal().tolist() == [0, cap]


def test_a_lipschitz_analysis_is_proved_for_zero_out_alone() -> None:
    norms = np.array([100, 200])
    with pytest.raises(NoProof, match="zero-out"):
        of_squared_norms(
            IndividualFilter.zcdp(rho=1, people=2), norms, noise_variance=1, lipschitz=3
        )
    zeroed = IndividualFilter.zcdp(rho=10**4, people=2, adjacency=Adjacency.ZERO_OUT)
    kinds = [
        of_squared_norms(zeroed, norms, noise_variance=50, at_most=200, lipschitz=constant)
        for constant in (None, 3)
    ]
    plain, steep = (costs.reveal().tolist() for costs in kinds)
    assert steep == [9 * cost for cost in plain]
    pure = IndividualFilter.renyi(order="inf", budget=1, people=2)
    with pytest.raises(NoProof, match="pure"):
        of_squared_norms(pure, norms, noise_variance=50, at_most=200)


def test_costs_from_curves() -> None:
    curves = [
        AtomsCurve(Exact.of("0.1")),
        LaplaceCurve(Exact.of(20)),
        GaussianCurve(Exact.of("0.01")),
    ]
    which = np.array([2, 0, 1, 0])
    machine = IndividualFilter.renyi(order=4, budget=1, people=4)
    found = of_curves(machine, curves, which).reveal().tolist()
    assert found == [machine.account.up(curves[i].at(4)) for i in which]
    endless = IndividualFilter.renyi(order="inf", budget=1, people=4)
    _, inside = endless.charge(endless.start(), of_curves(endless, curves, which))
    assert inside.reveal().tolist() == [False, True, True, True]
    for bad in (
        np.array([0, 1, 2, 3]),
        np.array([0, 1, -1, 0]),
        np.array([0.0, 1, 1, 1]),
        np.array([0]),
    ):
        with pytest.raises(InvalidParameter):
            of_curves(machine, curves, bad)
    zcdp = IndividualFilter.zcdp(rho=1, people=4)
    found = of_curves(zcdp, curves, which).reveal().tolist()
    pure = [rho_of_pure(Fraction(1, 10)), rho_of_pure(Fraction(1, 20)), Fraction(1, 100)]
    assert found == [zcdp.account.up(pure[i]) for i in which]
    gdp = IndividualFilter.gdp(mu=1, people=4)
    found = of_curves(gdp, curves[:2], np.array([1, 0, 0, 1])).reveal().tolist()
    assert found[:2] == [gdp.account.up(square_of_pure(Fraction(1, n))) for n in (20, 10)]
    for machine, unbounded in ((zcdp, TableCurve((Exact(2),), (Exact(1),))), (gdp, curves[2])):
        with pytest.raises(NoProof, match="this curve has no"):
            of_curves(machine, [unbounded], np.zeros(4, int))


@over(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=3, max_size=3))
def test_float_costs_are_rounded_up(amounts: list[float]) -> None:
    for machine in (
        IndividualFilter.zcdp(rho=1, people=3),
        IndividualFilter.zcdp(rho=1, people=3, unit="1/3000"),
    ):
        units = given(machine, np.array(amounts)).reveal().tolist()
        for amount, n in zip(amounts, units, strict=True):
            exact = Fraction(amount) / machine.account.unit
            assert exact <= n <= exact * (1 + Fraction(1, 2**50)) + 1
            assert (n == 0) == (amount == 0)


def test_promises_and_what_is_refused() -> None:
    assert IndividualFilter.zcdp(rho="0.1", people=0).promise == ZeroConcentratedDP(rho="0.1")
    assert IndividualFilter.gdp(mu=1, people=1).promise == GaussianDP(mu=1)
    assert IndividualFilter.renyi(order=2, budget=1, people=1).promise == RenyiDP(
        orders=[2], values=[1]
    )
    assert IndividualFilter.renyi(order="inf", budget=1, people=1).promise == PureDP(epsilon=1)
    with pytest.raises(NoProof, match="replace"):
        IndividualFilter.zcdp(rho=1, people=1, adjacency="replace-one")
    for bad in (-1, 1.0, True, "3"):
        with pytest.raises(BursarError):
            IndividualFilter.zcdp(rho=1, people=bad)  # type: ignore[arg-type]
    wide = IndividualFilter.zcdp(rho=2, people=1).account
    promise = ZeroConcentratedDP(rho=1)
    with pytest.raises(InvalidParameter, match="no more than the promise"):
        IndividualFilter(promise=promise, account=wide, people=1, adjacency=Adjacency.ZERO_OUT)
    two = RenyiDP(orders=[2, 3], values=[9, 9])
    with pytest.raises(NoProof, match="at one order"):
        IndividualFilter(promise=two, account=wide, people=1, adjacency=Adjacency.ZERO_OUT)
    machine = IndividualFilter.zcdp(rho=1, people=0)
    _, inside = machine.charge(machine.start(), given(machine, np.zeros(0)))
    assert len(inside) == 0
    with pytest.raises(InvalidParameter):
        machine.spent_by(machine.start(), 0)


class Spy:
    """numpy, with a list of what was called on how many people."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if not isinstance(function, np.ufunc) and name != "copyto":
            return function

        def called(*args: Any, **kwargs: Any) -> Any:
            self.seen.append((name, len(args[0])))
            return function(*args, **kwargs)

        return called


@pytest.mark.parametrize("most", [None, 50])
def test_every_person_takes_the_same_steps(most: int | None) -> None:
    """The operations on the arrays are the same, whoever is inside: none selects or skips."""

    def calls(left: list[int], cost: list[int]) -> list[tuple[str, int]]:
        spy = Spy()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(individual, "np", spy)
            inside = np.empty(3, np.bool_)
            individual._admit(np.array(left, np.uint64), np.array(cost, np.uint64), most, inside)
        return spy.seen

    everybody, nobody = calls([100, 100, 100], [1, 2, 3]), calls([0, 0, 0], [99, 60, 70])
    assert everybody == nobody
    assert len(everybody) >= 4
