"""Every data-set filter against a slow and obvious one that adds up its whole history each time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bursar.errors import CorruptBooks
from bursar.exact import Exact
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import Filter, Granted, Refused
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.saved import restore, save
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.statements import ApproximateDP, PureDP

SIGMAS = st.sampled_from([3, 5, 7, 10, 20, 50, 100])
COUNTS = st.integers(1, 40)


@dataclass
class Slow:
    """Holds what the theorem says, in fractions, with each charge rounded up to units."""

    filter: Filter
    factors: list[Fraction | None]  # a Gaussian's cost is factor/σ², or has none
    caps: list[int]
    any_order: bool
    history: list[Fraction] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)

    def units(self, i: int, cost: Fraction) -> int | None:
        factor = self.factors[i]
        return None if factor is None else math.ceil(factor * cost / self.filter.accounts[i].unit)

    def holds(self, i: int, more: list[Fraction]) -> bool:
        parts = [self.units(i, cost) for cost in [*self.history, *more]]
        return i not in self.lost and None not in parts and sum(parts) <= self.caps[i]  # type: ignore[arg-type]

    def fits(self, cost: Fraction) -> bool:
        held = [self.holds(i, [cost]) for i in range(len(self.factors))]
        return any(held) if self.any_order else all(held)

    def grant(self, cost: Fraction) -> None:
        self.history.append(cost)
        self.lost |= {i for i, factor in enumerate(self.factors) if factor is None}


def machines() -> list[Slow]:
    half = Fraction(1, 2)
    any_order = AnyOrderFilter(epsilon=1, delta=1e-5, orders=[16, 40])
    listed: list[tuple[Filter, list[Fraction | None], list[Fraction | float], bool]] = [
        (ZcdpFilter(rho="0.4"), [half, Fraction(0)], [Fraction(2, 5), 0], False),
        (GdpFilter(mu="0.9"), [Fraction(1)], [Fraction(81, 100)], False),
        (
            RenyiFilter({3: "1.2", 8: "3.1"}),
            [3 * half, 8 * half],
            [Fraction(6, 5), Fraction(31, 10)],
            False,
        ),
        (any_order, [16 * half, 40 * half, None], [implied(16), implied(40), 1], True),
    ]
    for one, _, budgets, _ in listed:
        for account, budget in zip(one.accounts, budgets, strict=True):
            exact = isinstance(budget, (int, Fraction))
            assert account.cap - int(budget / account.unit) in ([0] if exact else range(-2, 3))
    return [
        Slow(one, factors, [a.cap for a in one.accounts], any_) for one, factors, _, any_ in listed
    ]


def implied(order: int) -> float:
    """B with (order, B)-RDP implying (1, 5e-6)-DP, in floats."""
    return 1 - math.log(1 - 1 / order) + (math.log(5e-6) + math.log(order)) / (order - 1)


class Model(RuleBasedStateMachine):
    """Asks, takes back, saves and restores, and compares every decision."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = machines()
        self.states = [one.filter.start() for one in self.slow]

    def each(self) -> Any:
        return enumerate(zip(self.slow, self.states, strict=True))

    @rule(sigma=SIGMAS, count=COUNTS)
    def ask(self, sigma: int, count: int) -> None:
        cost = Fraction(count, sigma**2)
        for i, (slow, state) in list(self.each()):
            after, decision = slow.filter.ask(state, count * Gaussian(noise_multiplier=sigma))
            assert isinstance(decision, Granted) is slow.fits(cost)
            if isinstance(decision, Granted):
                slow.grant(cost)
                assert after.serial == state.serial + 1
                self.states[i] = after
            else:
                assert isinstance(decision, Refused)
                assert after is state

    @precondition(lambda self: any(slow.history for slow in self.slow))
    @rule(data=st.data())
    def take_back_what_never_started(self, data: Any) -> None:
        for i, (slow, state) in list(self.each()):
            if slow.history:
                at = data.draw(st.integers(0, len(slow.history) - 1))
                cost = slow.history.pop(at)
                units = [slow.units(j, cost) or 0 for j in range(len(slow.factors))]
                self.states[i] = slow.filter.give_back(state, tuple(units))

    @rule()
    def restart(self) -> None:
        for i, (slow, state) in list(self.each()):
            text = save(slow.filter, state)
            filter_, again = restore(text, at_least=state.serial)
            assert (filter_, again) == (slow.filter, state)
            self.states[i] = again
            with pytest.raises(CorruptBooks):
                restore(text, at_least=state.serial + 1)

    @invariant()
    def sums_are_the_history(self) -> None:
        for _, (slow, state) in self.each():
            for j, spent in enumerate(state.spent):
                if j not in slow.lost:
                    parts = [slow.units(j, cost) for cost in slow.history]
                    assert spent == (0 if None in parts else sum(parts))  # type: ignore[arg-type]


Model.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestModel = Model.TestCase


class InEpsilon(RuleBasedStateMachine):
    """The filters of steps in (ε, δ), against the theorems' own sums over the whole history."""

    def __init__(self) -> None:
        super().__init__()
        self.filters = (
            DpFilter(epsilon=1, delta="1e-5", delta_of_steps="1e-6", form="printed"),
            RogersFilter(epsilon=2, delta="1e-5"),
            ZcdpFilter(rho="0.02", delta="1e-6"),
        )
        self.states = [one.start() for one in self.filters]
        self.histories: list[list[tuple[Fraction, Fraction, int]]] = [[], [], []]

    @rule(
        epsilon=st.sampled_from(["0.01", "1/30", "0.1", "0.3"]),
        delta=st.sampled_from(["0", "1e-8", "3e-7"]),
        count=st.integers(1, 8),
    )
    def ask(self, epsilon: str, delta: str, count: int) -> None:
        e, d = Exact.of(epsilon), Exact.of(delta)
        step = ApproximateDP(epsilon=e, delta=d) if d else PureDP(epsilon=e)
        for i, (one, state) in enumerate(zip(self.filters, self.states, strict=True)):
            told = [*self.histories[i], (e, d, count)]
            self.states[i], decision = one.ask(state, count * step)
            # one unit a charge, and each budget, are lost to rounding: leave that open
            if isinstance(decision, Granted):
                self.histories[i] = told
                assert fits(one, told, slack=1.0)
            else:
                assert not fits(one, told, slack=1 - 1e-9)


def fits(one: Filter, told: list[tuple[Fraction, Fraction, int]], *, slack: float) -> bool:
    """Feldman & Zrnic 2021, Thm 4.9; Rogers et al. 2016, Thm 5.1; Whitehouse et al. 2023."""
    squares = float(sum((n * e**2 for e, _, n in told), Fraction(0)))
    leaks = sum((n * d for _, d, n in told), Fraction(0))
    if isinstance(one, DpFilter):
        L = math.log(1 / 9e-6)
        best = (math.sqrt(L + 1) - math.sqrt(L)) ** 2
        return squares / 2 <= best * slack * (1 + 1e-12) and leaks <= Fraction("1e-6")
    if isinstance(one, ZcdpFilter):
        rho = sum(n * float(e) * math.tanh(float(e) / 2) for e, _, n in told)
        return rho <= 0.02 * slack * (1 + 1e-12) and leaks <= Fraction("1e-6")
    h = 4 / (28.04 * math.log(1e5))
    mean = sum(n * float(e) * math.expm1(float(e)) / 2 for e, _, n in told)
    spread = (squares + h) * (2 + math.log(squares / h + 1)) * math.log(2e5)
    return mean + math.sqrt(spread) <= 2 * slack * (1 + 1e-12) and leaks <= Fraction("5e-6")


InEpsilon.TestCase.settings = settings(max_examples=25, stateful_step_count=20)
TestInEpsilon = InEpsilon.TestCase
