"""No adversary of the finite game beats a filter's claim, and the claims are nearly attained."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from bursar.exact import Exact
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.costs import rho_of_pure
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import Filter
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.conversions import gdp_profile
from tests.filters import game
from tests.sweeps import quick_first

DEPTH = 8
ODDS = [Fraction(3, 2), Fraction(2), Fraction(4)]
RESPONSES = [game.response(ratio) for ratio in ODDS]


def share_of_claim(moment: Fraction, order: int, budget: Fraction) -> float:
    """log E / (α−1)B, rounded up: at most 1 where the claim holds."""
    with precision():
        return float_up(ball(moment).log() / ((order - 1) * ball(budget)))


def room(cost: Fraction, steps: int) -> Exact:
    """A budget for so many steps, and a little for their rounding up."""
    return Exact(steps * cost + Fraction(1, 10**12))


def renyi_budget(order: int, steps: int) -> Exact:
    """Room for so many randomized responses with odds 2."""
    return room(Fraction(float_up(game.renyi(*game.odds(Fraction(2)), order))), steps)


@pytest.mark.parametrize("order", [2, 3, 8])
@pytest.mark.parametrize("steps", [1, 5])
def test_renyi(order: int, steps: int) -> None:
    budget = renyi_budget(order, steps)
    found = game.moment(RenyiFilter({order: budget}), RESPONSES, order, DEPTH)
    assert 0.999 < share_of_claim(found, order, budget) <= 1


def test_renyi_at_order_one() -> None:
    with precision():
        budget = room(Fraction(float_up(arb(2).log() / 3)), 5)
    found = game.information(RenyiFilter({1: budget}), RESPONSES, DEPTH)
    assert found <= ball(budget)
    assert found >= ball(budget) * 0.99


def test_renyi_at_order_infinity() -> None:
    budget = room(game.log_up(Fraction(2)), 5)
    found = game.largest_ratio(RenyiFilter({math.inf: budget}), RESPONSES, DEPTH)
    assert found == 2**5


def test_renyi_at_all_orders() -> None:
    promised = {2: renyi_budget(2, 6), 3: renyi_budget(3, 5), 8: renyi_budget(8, 6)}
    machine = RenyiFilter(promised)
    shares = [
        share_of_claim(game.moment(machine, RESPONSES, order, DEPTH), order, budget)
        for order, budget in promised.items()
    ]
    assert max(shares) <= 1
    assert shares[1] > 0.999


@pytest.mark.parametrize(("order", "attained"), [(2, 0.85), (3, 0.7), (5, 0.5), (16, 0.2)])
def test_zcdp(order: int, attained: float) -> None:
    rho = room(Fraction(rho_of_pure(game.log_up(Fraction(2)))), 4)
    found = game.moment(ZcdpFilter(rho=rho), RESPONSES, order, DEPTH)
    assert attained < share_of_claim(found, order, order * rho) <= 1


def test_zcdp_is_attained_at_order_one() -> None:
    """ε·tanh(ε/2) is the Kullback-Leibler divergence of randomized response: nothing is lost."""
    rho = room(Fraction(rho_of_pure(game.log_up(Fraction(2)))), 4)
    found = game.information(ZcdpFilter(rho=rho), RESPONSES, DEPTH)
    assert found <= ball(rho)
    assert found >= ball(rho) * 0.9999


LEAKING = [
    *(game.leaking_response(ratio, Fraction(1, 200)) for ratio in ODDS[:2]),
    game.leaking_response(Fraction(1), Fraction(1, 100)),
    game.response(Fraction(2)),
]


@pytest.mark.parametrize("gamma", [1, 2, 4, 8])
def test_approximate_zcdp(gamma: int) -> None:
    """δ-approximate ρ-zCDP: at every ε its δ is at most δ + that of ρ-zCDP, at any order."""
    rho, delta = Exact("0.5"), Exact("0.02")
    found = game.excess(ZcdpFilter(rho=rho, delta=delta), LEAKING, Fraction(gamma), DEPTH)
    with precision():
        log_gamma = ball(Fraction(gamma)).log()
        rest = [
            ((a - 1) * (a * ball(rho) - log_gamma + (1 - 1 / arb(a)).log())).exp() / a
            for a in (1.01, 1.5, 2, 3, 4, 6, 9)
        ]
        claim = min(1.0, *map(float_up, rest)) + float(delta)
    assert float(delta) * 0.9 < found <= claim


def test_pure_steps_in_gdp() -> None:
    """Randomized response is what 2Φ⁻¹(e^ε/(1+e^ε)) is attained by, at the corner of its curve."""
    mu, gamma = Exact("1.3"), Fraction(2)
    moves = [game.response(Fraction(ratio)) for ratio in ("5/4", "2", "3")]
    found = game.excess(GdpFilter(mu=mu), moves, gamma, DEPTH)
    with precision():
        epsilon = Fraction(float_up(ball(gamma).log()))
        claim = float_up(gdp_profile(Exact(mu**2), epsilon))
    assert 0.6 * claim < found <= claim


QUANTISED = [
    game.sign_of_gaussian(Fraction(p), Fraction(q))
    for p, q in [("3/5", "2/5"), ("3/4", "1/4"), ("1/10", "1/50"), ("1/2", "1/5")]
]


@pytest.mark.parametrize(
    ("gamma", "attained"), quick_first([("2", 0.6), ("1", 0.6), ("4", 0.5), ("16", 0.2)], 1)
)
def test_gdp(gamma: str, attained: float) -> None:
    mu = Exact("1.7")
    found = game.excess(GdpFilter(mu=mu), QUANTISED, Fraction(gamma), DEPTH)
    with precision():
        epsilon = Fraction(float_up(ball(Fraction(gamma)).log()))
        claim = float_up(gdp_profile(Exact(mu**2), epsilon))
    assert attained * claim < found <= claim


SMALL = [game.response(Fraction(ratio)) for ratio in ("17/16", "9/8", "5/4", "3/2")]
IN_EPSILON_DELTA: list[tuple[Filter, list[game.Move], int, float]] = [
    (DpFilter(epsilon=1, delta="0.1"), SMALL[1:], DEPTH, 0.5),
    (DpFilter(epsilon=1, delta="0.1", form="printed"), SMALL, DEPTH, 0.001),
    (
        DpFilter(epsilon=1, delta="0.1", delta_of_steps="0.06"),
        [*LEAKING[:3:2], *SMALL[2:]],
        DEPTH,
        0.45,
    ),
    (RogersFilter(epsilon=4, delta="0.04"), [LEAKING[2], *SMALL[1:3]], DEPTH, 0.4),
    (AnyOrderFilter(epsilon=1, delta="0.1"), SMALL[1:], DEPTH, 0.25),
    (AnyOrderFilter(epsilon=2, delta="0.1", orders=[4, 8]), RESPONSES, DEPTH, 0.1),
]


@pytest.mark.parametrize(("machine", "moves", "depth", "tight"), IN_EPSILON_DELTA)
def test_epsilon_delta(machine: Filter, moves: list[game.Move], depth: int, tight: float) -> None:
    claim = machine.promise
    gamma = game.exp_down(claim.epsilon)  # type: ignore[attr-defined]
    found = game.excess(machine, moves, gamma, depth)
    assert tight * claim.delta < found <= claim.delta  # type: ignore[attr-defined]
