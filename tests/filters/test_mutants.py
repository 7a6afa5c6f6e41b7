"""Filters with one fault each: the finite game beats every one of them, by a stated margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from bursar.exact import Exact
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.costs import rho_of_pure
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import Filter, Granted, State, add, priced
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.units import Account
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.statements import ApproximateDP, GaussianDP, PureDP
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.privacy.conversions import gdp_profile
from tests.filters import game
from tests.filters.test_finite_game import RESPONSES, SMALL, renyi_budget, room, share_of_claim

DEPTH = 8


@dataclass(frozen=True)
class AfterTheStep:
    """Asks whether the sums fitted before the step, and runs it."""

    filter: Filter

    def start(self) -> State:
        return self.filter.start()

    def ask(self, state: State, request: Mechanism) -> tuple[State, Any]:
        cost = priced(self.filter, 1 * request)
        if self.filter.blocking(state.spent) is None:
            return State(add(state.spent, cost)), Granted(cost)
        return state, None


@dataclass(frozen=True)
class RefusedIsCharged:
    """Charges a request that it refuses."""

    filter: Filter

    def start(self) -> State:
        return self.filter.start()

    def ask(self, state: State, request: Mechanism) -> tuple[State, Any]:
        after, decision = self.filter.ask(state, request)
        if isinstance(decision, Granted):
            return after, decision
        return State(add(state.spent, priced(self.filter, 1 * request))), decision


@dataclass(frozen=True)
class Told:
    """Plays moves against a filter that was told something else about each step."""

    filter: Filter
    of: dict[Mechanism, Mechanism]

    def start(self) -> State:
        return self.filter.start()

    def ask(self, state: State, request: Mechanism) -> tuple[State, Any]:
        return self.filter.ask(state, self.of[request])


def test_asking_after_the_step() -> None:
    budget = renyi_budget(2, 3)
    renyi = game.moment(AfterTheStep(RenyiFilter({2: budget})), RESPONSES, 2, DEPTH)
    assert share_of_claim(renyi, 2, budget) > 1.9
    rho = room(Fraction(rho_of_pure(game.log_up(Fraction(2)))), 3)
    zcdp = game.moment(AfterTheStep(ZcdpFilter(rho=rho)), RESPONSES, 2, DEPTH)
    assert share_of_claim(zcdp, 2, 2 * rho) > 1.6


def test_asking_after_the_step_in_epsilon_delta() -> None:
    for machine in (
        DpFilter(epsilon=1, delta="0.1"),
        AnyOrderFilter(epsilon=1, delta="0.1"),
        GdpFilter.within(epsilon=1, delta="0.1"),
        RogersFilter(epsilon=1, delta="0.1"),
    ):
        moves = [*SMALL[1:], *RESPONSES]
        if isinstance(machine, GdpFilter):
            moves = [game.sign_of_gaussian(*odd) for odd in (QUARTERS, THIRDS)]
        found = game.excess(AfterTheStep(machine), moves, game.exp_down(Exact(1)), 4)
        assert found > Fraction(5, 2) * Fraction(1, 10)


THIRDS = (Fraction(2, 3), Fraction(1, 3))
QUARTERS = (Fraction(3, 4), Fraction(1, 4))


def test_rounding_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit so coarse that a step costs less than one: rounded down it is free."""
    budget = Fraction(1, 2)
    coarse = RenyiFilter({2: Exact(budget)}, unit="0.25")
    step = [game.response(Fraction(3, 2))]
    right = game.moment(coarse, step, 2, DEPTH)
    assert share_of_claim(right, 2, budget) <= 1
    monkeypatch.setattr(Account, "up", lambda account, value: int(Fraction(value) / account.unit))
    priced.cache_clear()
    wrong = game.moment(coarse, step, 2, DEPTH)
    priced.cache_clear()
    assert share_of_claim(wrong, 2, budget) > 2


COARSE: list[tuple[Filter, game.Move, Fraction]] = [
    (ZcdpFilter(rho="0.3", unit="0.15"), game.response(Fraction(3, 2)), Fraction(2)),
    (DpFilter(epsilon=1, delta="0.01", unit="0.1"), game.response(Fraction(3, 2)), Fraction(15)),
    (
        DpFilter(epsilon=1, delta="0.01", unit="0.1", form="printed"),
        game.response(Fraction(3, 2)),
        Fraction(15),
    ),
    (
        AnyOrderFilter(epsilon=1, delta="0.01", orders=[8], unit="0.5"),
        game.response(Fraction(3, 2)),
        Fraction(15),
    ),
    (GdpFilter(mu="0.5", unit=2), game.sign_of_gaussian(*QUARTERS), Fraction(30)),
]


@pytest.mark.parametrize(("machine", "move", "margin"), COARSE, ids=lambda x: repr(x)[:20])
def test_rounding_down_is_beaten_in_every_measure(
    machine: Filter, move: game.Move, margin: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The share of the claim that is attained: at most 1 as it is, above the margin rounded down.

    A claim of zCDP is read at order 2; one of GDP at the ε of odds 2.
    """

    def share() -> Fraction:
        priced.cache_clear()
        if isinstance(machine, ZcdpFilter):
            found = game.moment(machine, [move], 2, DEPTH)
            return Fraction(share_of_claim(found, 2, 2 * machine.rho))
        gamma, claim = Fraction(2), Exact("0.01")
        if isinstance(machine, GdpFilter):
            with precision():
                at = Fraction(float_up(ball(gamma).log()))
                claim = Exact(Fraction(float_up(gdp_profile(Exact(machine.mu**2), at))))
        else:
            gamma = game.exp_down(Exact(1))
        return game.excess(machine, [move], gamma, DEPTH) / claim

    assert share() <= 1
    monkeypatch.setattr(Account, "up", lambda account, value: int(Fraction(value) / account.unit))
    found = share()
    priced.cache_clear()
    assert found > margin


ORDERS = (3, 8)
EPSILON, DELTA = Exact("4.85"), Exact("0.01")


def against(machine: AnyOrderFilter) -> list[game.Move]:
    """A first coin whose two sides suit two orders, then the best finish for either side."""
    p, q = Fraction(1, 16), Fraction(1, 32)
    gamma = game.exp_down(EPSILON)
    first = game.coin_at_orders(p, q, ORDERS)
    likely, rare = (1 - p) / (1 - q), p / q
    caps = [account.budget for account in machine.accounts]
    coins = [
        game.finisher(
            gamma / side, order, cap - Fraction(float_up(game.renyi(first.p, first.q, order)))
        )
        for side, order, cap in zip((likely, rare), ORDERS, caps, strict=False)
    ]
    return [first, *(game.coin_at_orders(*coin, ORDERS) for coin in coins)]


def any_order(delta: Exact) -> AnyOrderFilter:
    return AnyOrderFilter(epsilon=EPSILON, delta=delta, orders=ORDERS)


def test_any_order_without_splitting_delta() -> None:
    """With the whole δ at each of two orders, the adversary has 1.6 times δ; split, less than δ."""
    gamma = game.exp_down(EPSILON)
    split, whole = any_order(DELTA), any_order(Exact(2 * DELTA))
    attained = game.excess(split, against(split), gamma, 3)
    assert Fraction(1, 2) * DELTA < attained <= DELTA
    assert game.excess(whole, against(whole), gamma, 3) > Fraction(8, 5) * DELTA


def test_a_refused_step_that_is_charged_wastes_the_budget() -> None:
    """This fault fails safe: no claim breaks, but whoever asks too much first has nothing left."""
    budget = renyi_budget(2, 5)
    machine = RenyiFilter({2: budget})

    def after_asking_for_too_much(guard: game.Machine) -> Fraction:
        state, decision = guard.ask(guard.start(), PureDP(epsilon=3))
        assert not isinstance(decision, Granted)
        return game.moment(From(guard, state), RESPONSES, 2, DEPTH)

    honest = after_asking_for_too_much(machine)
    assert honest == game.moment(machine, RESPONSES, 2, DEPTH)
    assert share_of_claim(honest, 2, budget) > 0.999
    assert after_asking_for_too_much(RefusedIsCharged(machine)) == 1


@dataclass(frozen=True)
class From:
    """A machine that starts in another state."""

    machine: game.Machine
    state: Any

    def start(self) -> Any:
        return self.state

    def ask(self, state: Any, request: Any) -> tuple[Any, Any]:
        return self.machine.ask(state, request)


def test_zcdp_is_no_gdp() -> None:
    """Randomized response of some ρ, told to the GDP filter as μ² = 2ρ, breaks its promise."""
    response, gamma = game.response(Fraction(16)), Fraction(4)
    assert isinstance(response.step, PureDP)
    square = 2 * Fraction(rho_of_pure(response.step.epsilon))
    mu = Exact(math.isqrt(int(square * 10**18)) * Fraction(1, 10**9))
    told = Told(GdpFilter(mu=mu + Fraction(1, 10**9)), {response.step: GaussianDP(mu=mu)})
    with precision():
        claim = float_up(gdp_profile(Exact(mu**2), Fraction(float_down(ball(gamma).log()))))
    assert game.excess(told, [response], gamma, 2) > Fraction(13, 10) * Fraction(claim)


def test_a_delta_that_is_not_counted() -> None:
    """Steps that leak with probability δ, told as pure, break the promise of the (ε, δ) filter."""
    machine = DpFilter(epsilon=1, delta="0.02")
    leak = game.leaking_response(Fraction(9, 8), Fraction(1, 100))
    assert isinstance(leak.step, ApproximateDP)
    told = {leak.step: PureDP(epsilon=leak.step.epsilon)}
    found = game.excess(Told(machine, told), [leak], game.exp_down(Exact(1)), DEPTH)
    assert found > 3 * Fraction(2, 100)
