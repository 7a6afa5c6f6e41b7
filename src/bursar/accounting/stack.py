"""A stack of contours: one, or one for each slice of a law with rare jumps, and the body below.

δ = Σ δⱼ + body, each slice enclosed by its own contour, the body by 0 and its Chernoff bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from flint import arb

from bursar.accounting.contour import Contour, Loss, chernoff, masses
from bursar.errors import InternalError
from bursar.numerics.balls import BITS, float_up, precision
from bursar.numerics.lines import LineSpec
from bursar.numerics.propose import Outer, Shape
from bursar.numerics.roots import Bracket
from bursar.truth import BillLine

_QUADRATIC = 1e-9  # a Newton step as small as this, relatively, is the last
_MOST_NEWTON = 8
_LONG = 6000  # nodes
_SECOND = 2.0**-60  # of δ: what a Taylor step may leave


class Root(NamedTuple):
    """Where a stack meets δ: ε's ends, their relative distance, the location, Σ T there."""

    bracket: Bracket
    wide: float
    middle: float
    value: arb


@final
@dataclass(slots=True)
class Stack:
    """Contours whose slices add up to a law, from the top down, and what is left out."""

    contours: list[Contour]
    body: Outer | None
    parts: tuple[list[arb], list[arb]]  # M of each step at the body's tilt
    rest: arb  # the body's bound, times e^{−λe}
    bits: int

    @classmethod
    def of(cls, loss: Loss, shapes: list[Shape], body: Outer | None) -> Stack:
        """Evaluate the slices; they must telescope."""
        check_telescope(shapes, body)
        contours, rest = [], arb(0)
        parts: tuple[list[arb], list[arb]] = ([], [])
        for shape in shapes:
            with precision(shape.bits):
                contours.append(Contour.of(loss, shape))
        if body is not None:
            with precision(BITS):
                parts = masses(tuple(step for step, _ in loss.steps), body)
                rest = chernoff(loss, body.lam, *parts)
        return cls(contours, body, parts, rest, max(shape.bits for shape in shapes))

    def of_counts(self, loss: Loss, contours: list[Contour]) -> Stack:
        """The same stack at other counts, whose contours are given."""
        rest = chernoff(loss, self.body.lam, *self.parts) if self.body else arb(0)
        return Stack(contours, self.body, self.parts, rest, self.bits)

    @property
    def long(self) -> bool:
        """Whether slicing left a contour that is long even so."""
        return len(self.contours) > 1 and self.contours[-1].shape.n > _LONG

    def trapezoid(self, location: arb) -> arb:
        """Σ T at a location."""
        return sum((contour.trapezoid(location) for contour in self.contours), arb(0))

    def tail_at(self, location: arb) -> arb:
        """Above all that is left out: the tails, and the body."""
        left = sum((contour.tail_at(location) for contour in self.contours), arb(0))
        if self.body is not None:
            left += self.rest * (-arb(self.body.lam) * location).exp()
        return left

    def aliases_at(self, location: arb) -> arb:
        """Above the aliases."""
        return sum((contour.aliases_at(location) for contour in self.contours), arb(0))

    def upper(self, location: arb) -> arb:
        """Above δ at a location."""
        return self.trapezoid(location) + self.tail_at(location)

    def lower(self, location: arb) -> arb:
        """Below δ at a location: the body is left out, and so is the tails' part of `tail_at`."""
        tails = sum((contour.tail_at(location) for contour in self.contours), arb(0))
        return self.trapezoid(location) - tails - self.aliases_at(location)

    def enclose(self, goal: float, target: arb, top: arb) -> Root | None:
        """The root near `goal` as this stack decides it, `top` above its location."""
        with precision(self.bits):
            at, value, slope, parts = self._newton(arb(goal), target)
            step = ((value / target).log() * value / slope).mid()
            gap = (value.rad() + 2 * self.tail_at(at) + self.aliases_at(at)) / target
            if not (slope < 0 and step.is_finite() and gap.is_finite()):
                return None
            middle = (at - step).mid()
            reach = (2 * gap.upper() * value / -slope + abs(middle) * arb(2) ** -80).upper()
            for _ in range(20):
                low, high = (middle - reach).mid(), (middle + reach).mid()
                below = self._beside(parts, at, low) - self.tail_at(low) - self.aliases_at(low)
                if self._beside(parts, at, high) + self.tail_at(high) <= target < below:
                    epsilon = abs(top + middle)
                    wide = float(reach / epsilon) if epsilon != 0 else math.inf
                    return Root(_bracket(top, low, high), wide, float(middle), value)
                reach *= 8
        return None

    def _newton(self, at: arb, target: arb) -> tuple[arb, arb, arb, list[tuple[arb, arb]]]:
        """A location within a small step of the root; ΣT and its slope, and each one's there."""
        for _ in range(_MOST_NEWTON):
            parts = [contour.around(at) for contour in self.contours]
            value = sum((part[0] for part in parts), arb(0))
            each = zip(self.contours, parts, strict=True)
            slope = sum((p[1] - arb(c.shape.lam) * p[0] for c, p in each), arb(0))
            step = ((value / target).log() * value / slope).mid()
            rest = sum((contour.rest(at, step) for contour in self.contours), arb(0))
            small = abs(step) <= abs(at) * _QUADRATIC and rest <= target * _SECOND
            if small or not step.is_finite():
                break
            at = (at - step).mid()
        return at, value, slope, parts

    def _beside(self, parts: list[tuple[arb, arb]], at: arb, location: arb) -> arb:
        each = zip(self.contours, parts, strict=True)
        return sum((contour.beside(part, at, location - at) for contour, part in each), arb(0))

    def bill(self, location: arb, size: arb, value: arb) -> tuple[BillLine, ...]:
        """The errors at a location, relative to a δ; `value` is Σ T there."""
        with precision(64):
            parts = self.tail_at(location), self.aliases_at(location)
            tail, aliases, radius = (
                float_up((part / size).upper()) for part in (*parts, value.rad())
            )
        where = "docs/proofs/contour.md"
        return (
            BillLine("contour tail", tail, f"{where}, section 4"),
            BillLine("aliases", aliases, f"{where}, section 1"),
            BillLine("quadrature and rounding", radius, f"{where}, sections 2 and 3"),
        )

    def miss(self, location: float, log_delta: float) -> tuple[float, float]:
        """In float64: log δ − log Σ T at a location, and d log Σ T/d location."""
        pairs = [contour.log_value(location) for contour in self.contours]
        top = max(log for log, _ in pairs)
        if not math.isfinite(top):
            return math.inf, -self.contours[0].shape.lam
        weights = [math.exp(log - top) for log, _ in pairs]
        total = sum(weights)
        slope = sum(w * each for w, (_, each) in zip(weights, pairs, strict=True)) / total
        return log_delta - top - math.log(total), slope

    def newton(self, location: float, log_delta: float) -> tuple[float, float]:
        """In float64: where Σ T reaches δ, and d log Σ T/d location there."""
        slope = -self.contours[0].shape.lam
        for _ in range(60):
            miss, slope = self.miss(location, log_delta)
            step = miss / slope
            if not math.isfinite(step):
                break
            location += step
            if abs(step) <= 1e-14 * abs(location):
                break
        return location, slope


def _bracket(top: arb, low: arb, high: arb) -> Bracket:
    with precision(256):
        return Bracket((top + low).lower().max(arb(0)), (top + high).upper())


def check_telescope(shapes: list[Shape], body: Outer | None) -> None:
    """The thresholds of consecutive slices meet, with one softness for each step.

    Each slice is cut above where the one before it was cut below; the first is not cut above,
    the last not below, unless a body is left out there.
    """
    slices = [outer for shape in shapes for outer in _outers(shape)]
    ends: list[Shape | Outer] = [*shapes[1:], *([body] if body else [])]
    held = not any(spec.cut for spec in shapes[0].lines)
    for shape, following in zip(shapes, ends, strict=False):
        held = held and _cuts(shape.under) == _cuts(following.lines)
    held = held and bool(shapes[-1].under) == (body is not None) and not (body and body.under)
    for shape, outer in slices:
        same = _cuts(outer.lines) == _cuts(shape.lines) and _cuts(outer.under) == _cuts(shape.under)
        held = held and same
    soft = [
        {spec.soft for s in shapes for spec in (s.lines[j], *s.under[j : j + 1]) if spec.cut}
        for j in range(len(shapes[0].lines))
    ]
    if not held or any(len(each) > 1 for each in soft):
        raise InternalError("the slices of a law do not telescope")


def _outers(shape: Shape) -> list[tuple[Shape, Outer]]:
    return [(shape, outer) for outer in (shape.right, shape.left) if outer is not None]


def _cuts(lines: tuple[LineSpec, ...]) -> list[tuple[float, float]]:
    return [(spec.above, spec.soft) for spec in lines]
