"""Safe search: where a non-increasing profile δ(ε) falls to a target, enclosed.

Invariant: δ(low) > target and δ(high) ≤ target, both certain in balls.  The search may stop
early; what it returns is always true.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import final

from flint import arb, ctx

from bursar.errors import LimitReached
from bursar.numerics.balls import precision

_SHARP = 64  # bits: narrower than any float can tell
_FAR = 24  # bits that a root may lose at once while its size is unknown
_MOST_TURNS = 200
_NOTHING = arb(-2000)  # for log of a δ of 0 over its target


@final
@dataclass(frozen=True, slots=True)
class Bracket:
    """low ≤ ε ≤ high, exact balls; high is None where no ε was found."""

    low: arb
    high: arb | None


def bracket_root(delta_at: Callable[[arb], arb], target: arb, *, largest: float = 1e9) -> Bracket:
    """The least ε ≥ 0 with δ(ε) ≤ target, to 64 bits where the balls can decide.

    Computes:  doubling, then inverse interpolation of log δ, and a secant step twice as long, so
               that both ends come near; by halves where that does not help.
    Valid for: δ non-increasing, 0 < target.
    Error:     none: both ends are decided by balls.
    Cost:      about 15 evaluations.
    Source:    Alefeld, Potra & Shi 1995.
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
        ends = _Ends(delta_at, target, low, high, [(high, _log(value, target)), (low, at_low)])
        try:
            for _ in range(_MOST_TURNS):
                if ends.high - ends.low <= ends.high * arb(2) ** -_SHARP:
                    break
                ends.turn()
        except _Met as met:
            ends.close_on(*met.args)
        return Bracket(ends.low, ends.high)


class _Met(Exception):
    """Balls cannot tell the root from this."""


@dataclass(slots=True)
class _Ends:
    """Both ends, and what was looked at, the last one first: places, and log of δ over target."""

    delta_at: Callable[[arb], arb]
    target: arb
    low: arb
    high: arb
    near: list[tuple[arb, arb]]

    def look(self, x: arb) -> None:
        """One end comes here; or _Met."""
        value = self.delta_at(x)
        if value <= self.target:
            self.high = x
        elif value > self.target:
            self.low = x
        else:
            raise _Met(x)
        self.near = [(x, _log(value, self.target)), *self.near[:2]]

    def turn(self) -> None:
        """Two looks: where a curve is 0, and as far again past it; by halves where that is slow."""
        wide, x = self.high - self.low, _curve(self.near, self.low, self.high)
        if x is not None:
            self.look(x)
            (last, at_last), (before, at_before) = self.near[:2]
            double = (last - 2 * at_last * (last - before) / (at_last - at_before)).mid()
            if self.low < double < self.high:
                self.look(double)
        if x is None or not 2 * (self.high - self.low) < wide:
            self.look(self.middle().mid())

    def middle(self) -> arb:
        """Between the ends; of their logarithms where the root's size is not known yet."""
        if self.high <= 16 * self.low:
            return (self.low + self.high) / 2
        return (self.low * self.high).sqrt() if self.low > 0 else self.high * arb(2) ** -_FAR

    def close_on(self, x: arb) -> None:
        """As near to a root that balls cannot tell from x as they can be told."""
        for way in (-1, 1):
            gap = way * self.high * arb(2) ** -(_SHARP + 2)
            for _ in range(_SHARP):
                near = (x + gap).mid()
                if not self.low < near < self.high:
                    break
                with suppress(_Met):
                    self.look(near)
                    break
                gap *= 2


def _log(value: arb, target: arb) -> arb:
    return (value / target).log() if value > 0 else _NOTHING


def _curve(near: list[tuple[arb, arb]], low: arb, high: arb) -> arb | None:
    """Where x, drawn as a parabola in y through three points or a line, is at y = 0, if inside."""
    for points in (near, near[:2]):
        x = arb(0)
        for i, (at, y) in enumerate(points):
            others = [other for j, (_, other) in enumerate(points) if j != i]
            x += at * math.prod((other / (other - y) for other in others), start=arb(1))
        if x.is_finite() and low < x.mid() < high:
            return x.mid()
    return None
