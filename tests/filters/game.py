"""The finite game: the worst adversary against a filter, found by dynamic programming in rationals.

Each round the adversary, who has seen all answers, picks a step and the two neighbours it runs on
(the laws p and q of the answer, either way round), or stops.  The filter is asked first.  The laws
of the transcript in the two worlds are compared exactly: nothing is sampled, nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Protocol

from flint import arb

from bursar.exact import Exact
from bursar.filters.machine import Granted
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.statements import ApproximateDP, GaussianDP, PureDP, RenyiDP
from bursar.numerics.balls import ball, float_down, float_up, normal_tail, precision

Law = tuple[Fraction, ...]


class Machine(Protocol):
    """What is played against: a filter, or a mutant of one."""

    def start(self) -> Any: ...

    def ask(self, state: Any, request: Any) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Move:
    """A step as the filter is told of it, and its answer's laws in the two worlds."""

    step: Mechanism
    p: Law
    q: Law

    def turned(self) -> Move:
        return Move(self.step, self.q, self.p)


def both_ways(moves: Iterable[Move]) -> list[Move]:
    return [way for move in moves for way in dict.fromkeys((move, move.turned()))]


def granted(machine: Machine, state: Any, move: Move) -> Any | None:
    after, decision = machine.ask(state, move.step)
    return after if isinstance(decision, Granted) else None


# Values of the game --------------------------------------------------------------------------


def moment(machine: Machine, moves: Iterable[Move], order: int, depth: int) -> Fraction:
    """The largest E_Q[(P/Q)^α]."""
    menu = both_ways(moves)
    each = [
        sum((p**order / q ** (order - 1) for p, q in zip(m.p, m.q, strict=True)), Fraction(0))
        for m in menu
    ]

    @lru_cache(None)
    def value(state: Any, left: int) -> Fraction:
        best = Fraction(1)
        for move, factor in zip(menu, each, strict=True):
            after = granted(machine, state, move) if left else None
            if after is not None:
                best = max(best, factor * value(after, left - 1))
        return best

    return value(machine.start(), depth)


def information(machine: Machine, moves: Iterable[Move], depth: int) -> arb:
    """The largest E_P[log P/Q], as a ball: the divergence of order 1."""
    menu = both_ways(moves)

    def divergence(move: Move) -> arb:
        return sum(
            (ball(p) * ball(p / q).log() for p, q in zip(move.p, move.q, strict=True)), arb(0)
        )

    with precision():
        each = [divergence(move) for move in menu]

        @lru_cache(None)
        def value(state: Any, left: int) -> arb:
            best = arb(0)
            for move, term in zip(menu, each, strict=True):
                after = granted(machine, state, move) if left else None
                if after is not None:
                    best = best.max(term + value(after, left - 1))
            return best

        return value(machine.start(), depth)


def largest_ratio(machine: Machine, moves: Iterable[Move], depth: int) -> Fraction:
    """The largest P/Q of a transcript: the divergence of order infinity."""
    menu = both_ways(moves)

    @lru_cache(None)
    def value(state: Any, left: int) -> Fraction:
        best = Fraction(1)
        for move in menu if left else ():
            after = granted(machine, state, move)
            if after is not None:
                top = max(p / q for p, q in zip(move.p, move.q, strict=True))
                best = max(best, top * value(after, left - 1))
        return best

    return value(machine.start(), depth)


def excess(machine: Machine, moves: Iterable[Move], gamma: Fraction, depth: int) -> Fraction:
    """The largest sup_E P(E) − γQ(E): here it matters that the adversary adapts."""

    def gain(p: Fraction, q: Fraction) -> Fraction:
        return max(Fraction(0), p - gamma * q)

    return transcript_value(machine, moves, gain, depth)


def transcript_value(
    machine: Machine,
    moves: Iterable[Move],
    gain: Callable[[Fraction, Fraction], Fraction],
    depth: int,
) -> Fraction:
    """The largest sum of gain(P(a), Q(a)) over transcripts a; `gain` is homogeneous."""
    menu = both_ways(moves)

    @lru_cache(None)
    def next_of(state: Any, at: int) -> Any | None:
        return granted(machine, state, menu[at])

    @lru_cache(None)
    def value(state: Any, ratio: Fraction | None, left: int) -> Fraction:
        """For a transcript so far with Q = 1 and P = ratio, or Q = 0 and P = 1."""
        p, q = (Fraction(1), Fraction(0)) if ratio is None else (ratio, Fraction(1))
        best = gain(p, q)
        for at, move in enumerate(menu if left else ()):
            after = next_of(state, at)
            if after is not None:
                best = max(best, sum(scaled(after, p * x, q * y, left - 1) for x, y in laws(move)))
        return best

    def scaled(state: Any, p: Fraction, q: Fraction, left: int) -> Fraction:
        if q > 0:
            return q * value(state, p / q, left)
        return p * value(state, None, left) if p > 0 else Fraction(0)

    def laws(move: Move) -> list[tuple[Fraction, Fraction]]:
        return list(zip(move.p, move.q, strict=True))

    return value(machine.start(), Fraction(1), depth)


# Moves ---------------------------------------------------------------------------------------


def log_up(ratio: Fraction) -> Exact:
    """log(ratio) as an exact number, 1e-30 too large at most."""
    with precision(256):
        top = (ball(ratio).log() * arb(10) ** 30).ceil().upper()
        return Exact(Fraction(int(top.unique_fmpz()), 10**30)) if ratio > 1 else Exact(0)


def odds(ratio: Fraction) -> tuple[Law, Law]:
    """The laws of a randomized response that tells the truth `ratio` times as often."""
    p = ratio / (1 + ratio)
    return (p, 1 - p), (1 - p, p)


def response(ratio: Fraction) -> Move:
    """Randomized response, told as ε-DP with e^ε = ratio."""
    return Move(PureDP(epsilon=log_up(ratio)), *odds(ratio))


def leaking_response(ratio: Fraction, delta: Fraction) -> Move:
    """The worst (ε, δ)-DP step: with probability δ the truth, else randomized response."""
    p, q = odds(ratio)
    leaky = tuple((1 - delta) * x for x in p), tuple((1 - delta) * x for x in q)
    step = ApproximateDP(epsilon=log_up(ratio), delta=Exact(delta))
    return Move(step, (delta, *leaky[0], Fraction(0)), (Fraction(0), *leaky[1], delta))


def sign_of_gaussian(p: Fraction, q: Fraction) -> Move:
    """Answers that are 1 with probability p or q, told as the least μ-GDP that covers them."""
    return Move(GaussianDP(mu=Exact(least_mu(p, q))), *coin(p, q))


def least_mu(p: Fraction, q: Fraction) -> Fraction:
    """A μ, near the least, for which answers of probability p > q and the rest are μ-GDP."""
    return _quantile(p, up=True) - _quantile(q, up=False)


def coin_at_orders(p: Fraction, q: Fraction, orders: Iterable[int]) -> Move:
    """Answers that are 1 with probability p or q, told as RDP at each order."""
    listed = sorted(orders)
    values = [Exact(Fraction(float_up(renyi(*coin(p, q), order)))) for order in listed]
    return Move(RenyiDP(orders=listed, values=values), *coin(p, q))


def coin(p: Fraction, q: Fraction) -> tuple[Law, Law]:
    return (p, 1 - p), (q, 1 - q)


def renyi(p: Law, q: Law, order: int) -> arb:
    """The Rényi divergence of two laws, the larger of both directions."""

    def one(p: Law, q: Law) -> arb:
        terms = (x**order / y ** (order - 1) for x, y in zip(p, q, strict=True))
        return ball(sum(terms, Fraction(0))).log() / (order - 1)

    with precision():
        return one(p, q).max(one(q, p))


def exp_down(epsilon: Exact) -> Fraction:
    """The largest float at or below e^ε: testing there is stricter than the claim at ε."""
    with precision():
        return Fraction(float_down(ball(epsilon).exp()))


def _quantile(p: Fraction, *, up: bool) -> Fraction:
    """A number whose normal distribution function is at least (up) or at most p, near it."""
    step = Fraction(1, 10**9) * (1 if up else -1)
    at = Fraction(NormalDist().inv_cdf(float(p))) + step
    with precision():
        below = normal_tail(-ball(at))
        if not (below >= ball(p) if up else below <= ball(p)):
            raise AssertionError("the quantile is not on the side it should be")
    return at


def finisher(gamma: Fraction, order: int, budget: Fraction) -> Law:
    """The coin (p, q) that makes most of a budget at one order against the threshold gamma.

    P/Q is γα/(α−1) on its rare side, where (P/Q − γ)_+ touches a multiple of (P/Q)^α.
    """
    ratio = gamma * Fraction(order, order - 1)
    low, high = 0, int(10**9 / ratio)
    while high - low > 1:
        middle = (low + high) // 2
        q = Fraction(middle, 10**9)
        low, high = (
            (middle, high) if renyi(*coin(q * ratio, q), order) <= ball(budget) else (low, middle)
        )
    q = Fraction(low, 10**9)
    return (q * ratio, q)
