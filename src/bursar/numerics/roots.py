"""Safe search: where a non-increasing profile δ(ε) falls to a target, enclosed.

Invariant: δ(low) > target and δ(high) ≤ target, both certain in balls.  The search may stop
early; what it returns is always true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from flint import arb, ctx

from bursar.errors import LimitReached
from bursar.numerics.balls import precision

_SHARP = 64  # bits: narrower than any float can tell
_FAR = 24  # bits that a root may lose at once while its size is unknown


@final
@dataclass(frozen=True, slots=True)
class Bracket:
    """low ≤ ε ≤ high, exact balls; high is None where no ε was found."""

    low: arb
    high: arb | None


def bracket_root(delta_at: Callable[[arb], arb], target: arb, *, largest: float = 1e9) -> Bracket:
    """The least ε ≥ 0 with δ(ε) ≤ target, to 64 bits where the balls can decide.

    Computes:  doubling, then false position on log δ with bisection every third step.
    Valid for: δ non-increasing, 0 < target.
    Error:     none: both ends are decided by balls.
    Cost:      about 20 evaluations.
    Source:    Dowell & Jarratt 1971 (Illinois).
    """
    with precision(max(ctx.prec, 192)):
        zero = arb(0)
        value = delta_at(zero)
        if value <= target:
            return Bracket(zero, zero)
        low, at_low = zero, (value / target).log()
        high = arb(1)
        if not value > target:
            at_low = arb(1e-30)
        while True:
            value = delta_at(high)
            if value <= target:
                break
            if value > target:
                low, at_low = high, (value / target).log()
            high *= 2
            if high > largest:
                raise LimitReached(f"ε is above {largest:g}")
        return _narrow(delta_at, target, low, at_low, high, value)


def _narrow(
    delta_at: Callable[[arb], arb], target: arb, low: arb, at_low: arb, high: arb, value: arb
) -> Bracket:
    floor = arb(-2000)
    at_high = (value / target).log() if value > 0 else floor
    for turn in range(400):
        if high - low <= high * arb(2) ** -_SHARP:
            break
        part = at_low / (at_low - at_high)
        usual = turn % 3 and part.is_finite() and 0.001 < part < 0.999
        middle = (low + (high - low) * (part if usual else arb(0.5))).mid()
        if not usual and low == 0:  # of a root far below 1 not even the size is known
            middle = high * arb(2) ** -_FAR
        value = delta_at(middle)
        if value <= target:
            high, at_high = middle, ((value / target).log() if value > 0 else floor)
            at_low /= 2 if usual else 1
        elif value > target:
            low, at_low = middle, (value / target).log()
            at_high /= 2 if usual else 1
        else:
            break
    return Bracket(low, high)
