"""ε from δ(ε), in Arb, by bracketing a sign change.

Where the loss has a largest value c (add direction, Laplace), the unknown is −log(c − ε), so that
an ε just under c keeps its digits.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from tests.roads.laws import Direction, Plan, ceiling


def epsilon_of(
    delta_at: Callable[[arb], arb],
    plan: Plan,
    direction: Direction,
    delta: arb,
    *,
    guess: arb,
    bits: int = 100,
) -> arb:
    """ε with δ(ε) = delta, found outward from a guess; δ must be falling there."""
    top, target = ceiling(plan, direction), delta.log()

    def epsilon(x: arb) -> arb:
        return top - (-x).exp() if top.is_finite() else x

    def f(x: arb) -> arb:
        value = delta_at(epsilon(x))
        return value.log() - target if value > 0 else arb(-1e6)

    x = (-(top - guess).log() if top.is_finite() else guess).mid()
    reach = abs(x) * arb(2) ** -14
    for _ in range(60):
        low, high = (x - reach).mid(), (x + reach).mid()
        if f(low) > 0 and f(high) < 0:
            return epsilon(root(f, low, high, bits=bits))
        reach *= 8
    raise ArithmeticError(f"no sign change around the guess {guess}")


def root(f: Callable[[arb], arb], low: arb, high: arb, *, bits: int) -> arb:
    """The zero of a decreasing f, to `bits` bits, by Illinois steps with a bisection now and then.

    Keeps f(low) > 0 and not f(high) > 0.
    """
    at_low, at_high, side = f(low), f(high), 0
    if not (at_low > 0 and at_high <= 0):
        raise ValueError(f"no sign change: f({low}) = {at_low}, f({high}) = {at_high}")
    for turn in range(1, 60 + bits):
        width = high - low
        enough = max(abs(low), abs(high)) * arb(2) ** -bits
        if width <= enough:
            return ((low + high) / 2).mid()
        step = width / 2 if turn % 6 == 0 else width * at_low / (at_low - at_high)
        middle = (low + max(enough / 2, min(step.mid(), width - enough / 2))).mid()
        value = f(middle)
        if value > 0:
            low, at_low = middle, value
            at_high, side = (at_high / 2 if side == 1 else at_high), 1
        else:
            high, at_high = middle, value
            at_low, side = (at_low / 2 if side == -1 else at_low), -1
    raise ArithmeticError("the root was not reached")
