"""Odometers: as printed, as good as can be, valid at all times, and for each person."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.filters.individual import IndividualFilter
from bursar.filters.individual_costs import given
from bursar.filters.machine import Granted
from bursar.filters.odometer import (
    IndividualOdometer,
    LossOdometer,
    PerInstanceLosses,
    StepOdometer,
)
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.statements import PureDP, ZeroConcentratedDP
from bursar.numerics.balls import ball, float_down, precision
from bursar.privacy.curves import AtomsCurve
from tests.filters import game
from tests.filters.test_finite_game import RESPONSES, share_of_claim

ORDER = 2


def rho(value: str) -> ZeroConcentratedDP:
    """A step that costs `value` at order 2."""
    return ZeroConcentratedDP(rho=Exact(Exact.of(value) / 2))


def readings(odometer: StepOdometer, costs: list[str]) -> list[Exact]:
    reading, found = odometer.start(), []
    for cost in costs:
        reading = odometer.count(reading, rho(cost))
        found.append(odometer.bound(reading))
    return found


def test_algorithm_5_as_printed() -> None:
    """At 0.7 + 0.6 the second filter starts with 0.6, and at 0.6 + 0.5 the third with 0.5."""
    printed = StepOdometer(order=ORDER, steps=1, form="printed")
    assert readings(printed, ["0.7", "0.6", "0.5", "0.5", "1"]) == [1, 2, 3, 3, 4]
    with pytest.raises(InvalidParameter, match="at most 1"):
        printed.count(printed.start(), rho("1.01"))


def test_the_best_form_loses_nothing_at_a_mark() -> None:
    best = StepOdometer(order=ORDER, steps=1)
    assert readings(best, ["0.7", "0.6", "0.5", "0.5", "1", "3.5"]) == [1, 2, 2, 3, 4, 7]


def test_steps_that_vary() -> None:
    for form, marks in (("printed", [1, 3, 7, 7, 11, 15]), ("best", [1, 3, 3, 7, 11, 11])):
        odometer = StepOdometer(order=ORDER, steps=[1, 2, 4], form=form)  # type: ignore[arg-type]
        assert readings(odometer, ["0.9", "1.2", "0.9", "1", "3.1", "3"]) == marks


@over(
    st.lists(st.integers(0, 100), max_size=30),
    st.lists(st.integers(1, 100), min_size=1, max_size=4),
)
def test_the_forms_and_the_sum(costs: list[int], steps: list[int]) -> None:
    """sum ≤ best ≤ printed, and the best is less than one mark above the sum."""
    deltas = [Exact(Fraction(step, 10)) for step in [*steps, 100]]
    forms = [StepOdometer(order=ORDER, steps=deltas, form=form) for form in ("best", "printed")]  # type: ignore[arg-type]
    found = [readings(odometer, [f"{c}/10" for c in costs]) for odometer in forms]
    total = Fraction(0)
    for cost, best, printed in zip(costs, *found, strict=True):
        total += Fraction(cost, 10)
        assert total <= best <= printed
        assert best == deltas[0] or total > best - 10


class While:
    """Plays on while the odometer reads at most `limit`: what it says of that is its claim."""

    def __init__(self, odometer: Any, limit: Fraction) -> None:
        self.odometer, self.limit = odometer, limit

    def start(self) -> Any:
        return self.odometer.start()

    def ask(self, state: Any, step: Mechanism) -> tuple[Any, Any]:
        after = self.odometer.count(state, step)
        return (after, Granted(())) if self.odometer.bound(after) <= self.limit else (state, None)


@pytest.mark.parametrize("form", ["best", "printed"])
@pytest.mark.parametrize("marks", [1, 2, 3])
def test_no_adversary_beats_a_reading(form: Any, marks: int) -> None:
    odometer = StepOdometer(order=ORDER, steps="1.3", form=form)
    limit = Fraction(13, 10) * marks
    found = game.moment(While(odometer, limit), RESPONSES, ORDER, 8)
    assert 0.6 < share_of_claim(found, ORDER, limit) <= 1


def test_a_reading_without_a_bound() -> None:
    odometer = StepOdometer(order="inf", steps=1)
    lost = odometer.count(odometer.start(), Gaussian(noise_multiplier=1))
    with pytest.raises(InvalidParameter, match="no bound"):
        odometer.bound(lost)
    for bad in (lambda: StepOdometer(order=2, steps=[]), lambda: StepOdometer(order=2, steps=0)):
        with pytest.raises(InvalidParameter):
            bad()


def ever_beyond(odometer: LossOdometer, moves: list[game.Move], depth: int) -> Fraction:
    """The largest P-probability that |log P/Q| is ever above the bound: exact, worst adversary."""
    menu = game.both_ways(moves)
    count = lru_cache(None)(odometer.count)

    @lru_cache(None)
    def limit(state: Any) -> Fraction:
        with precision():
            return Fraction(float_down(ball(Fraction(odometer.bound(state))).exp()))

    @lru_cache(None)
    def value(state: Any, ratio: Fraction, left: int) -> Fraction:
        if not 1 / limit(state) <= ratio <= limit(state):
            return Fraction(1)
        best = Fraction(0)
        for move in menu if left else ():
            after = count(state, move.step)
            laws = zip(move.p, move.q, strict=True)
            best = max(
                best, sum((p * value(after, ratio * p / q, left - 1) for p, q in laws), Fraction(0))
            )
        return best

    return value(odometer.start(), Fraction(1), depth)


@pytest.mark.parametrize("delta", ["0.5", "0.2", "0.05"])
def test_no_adversary_takes_the_loss_beyond_the_bound(delta: str) -> None:
    moves = [game.response(Fraction(ratio)) for ratio in ("5/4", "3/2", "3")]
    odometer = LossOdometer(delta=delta, orders=[2, 5, 12])
    found = ever_beyond(odometer, moves, 6)
    assert found <= Exact.of(delta)
    if delta == "0.5":
        assert found > 0


def test_a_loss_odometer_without_its_margin_is_beaten() -> None:
    """The sum at one order is no bound on the loss: an adversary is beyond it half of the time."""
    moves = [game.response(Fraction(ratio)) for ratio in ("5/4", "3/2", "3")]
    honest = LossOdometer(delta="0.05", orders=[2])

    class Mutant:
        start, count = honest.start, honest.count

        def bound(self, state: Any) -> float:
            return state.spent[0] * float(honest.accounts[0].unit) if state.spent[0] else 0.0

    assert ever_beyond(honest, moves, 5) <= Fraction(1, 20)
    assert ever_beyond(Mutant(), moves, 5) > Fraction(1, 2)  # type: ignore[arg-type]


def test_order_infinity_is_exact() -> None:
    odometer = LossOdometer(delta=1e-6, orders=[8])
    state = odometer.start()
    for _ in range(10):
        state = odometer.count(state, PureDP(epsilon="0.1"))
    assert odometer.bound(state) == 1.0
    state = odometer.count(state, Gaussian(noise_multiplier=10))
    expected = 8 * 0.005 + 10 * AtomsCurve(Exact.of("0.1")).at(8) + math.log(2e6) / 7
    assert odometer.bound(state) == pytest.approx(expected, rel=1e-12)
    for bad in (
        lambda: LossOdometer(delta=0, orders=[2]),
        lambda: LossOdometer(delta=0.1, orders=[1]),
    ):
        with pytest.raises(InvalidParameter):
            bad()


@over(st.lists(st.lists(st.integers(0, 250), min_size=3, max_size=3), max_size=10))
def test_each_person_has_an_odometer(rounds: list[list[int]]) -> None:
    machine = IndividualFilter.zcdp(rho=100, people=3, unit=1)
    odometer = IndividualOdometer(machine)
    sums = odometer.start()
    for costs in rounds:
        sums = odometer.count(sums, given(machine, np.array(costs)))
    for person in range(3):
        total = sum(costs[person] for costs in rounds)
        assert odometer.bound_of(sums, person) == max(100, -(-total // 100) * 100)


def test_a_person_s_scale_may_vary() -> None:
    """The marks are 1, 3, 7, 11, …, as for a whole data set of one person."""
    machine = IndividualFilter.zcdp(rho=100, people=2, unit="0.1")
    odometer = IndividualOdometer(machine, steps=[1, 2, 4])
    whole = StepOdometer(order=ORDER, steps=[2, 4, 8])  # ε(2) = 2ρ
    sums, reading, marks = odometer.start(), whole.start(), []
    for cost in ("0.9", "1.2", "0.9", "1", "3.1", "3"):
        units = np.array([machine.account.up(Exact(cost)), 0])
        sums = odometer.count(sums, given(machine, units))
        reading = whole.count(reading, ZeroConcentratedDP(rho=cost))
        marks.append(odometer.bound_of(sums, 0))
        assert whole.bound(reading) == 2 * Fraction(marks[-1])
    assert marks == [1, 3, 3, 7, 11, 11]
    assert odometer.bound_of(sums, 1) == 1
    assert IndividualOdometer(machine, steps="0.25").bound_of(sums, 1) == Exact("0.2")
    for bad in ([], 0, -1, "0.01", [1, "0.01"], math.nan):
        with pytest.raises(InvalidParameter):
            IndividualOdometer(machine, steps=bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        IndividualOdometer(IndividualFilter.zcdp(rho=0, people=2))


def test_per_instance_losses_may_be_reported() -> None:
    machine = IndividualFilter.zcdp(rho=100, people=2, unit=1)
    odometer = IndividualOdometer(machine)
    sums = odometer.count(odometer.start(), PerInstanceLosses(np.array([7, 2**63], np.uint64)))
    assert odometer.bound_of(sums, 0) == 100
    assert odometer.bound_of(sums, 1) == math.inf
    assert repr(sums) == "<private Sums of 2 people>"
    with pytest.raises(InvalidParameter):
        odometer.count(sums, PerInstanceLosses(np.array([7], np.uint64)))
