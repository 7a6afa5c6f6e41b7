"""What float64 proposes: cumulants, saddle points, and the sizes of a contour.

Nothing here is a bound.  Every number is checked, or made good, in balls afterwards.
Legend as in `steps.py`; K(λ) = Σ kᵢ log Mᵢ(λ), closed factors included.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar.errors import LimitReached
from bursar.numerics.factors import Factor
from bursar.numerics.steps import Step

Array = NDArray[np.float64]
_WIDEST = 400_000  # nodes of one sketch


@final
@dataclass(slots=True)
class StepSketch:
    """One step on a grid in t that is widened as larger tilts are asked for."""

    step: Step
    count: int
    s: float = field(init=False)
    q: float = field(init=False)
    reach: float = field(init=False, default=-1.0)
    finest: float = field(init=False, default=math.inf)
    t: Array = field(init=False)
    log_phi: Array = field(init=False)
    log_w: Array = field(init=False)

    def __post_init__(self) -> None:
        self.s, self.q = float(self.step.s), float(self.step.q)

    def exponents(self, lam: Array) -> Array:
        """A at each λ."""
        return 1 + lam if self.step.removes else -lam

    def refine(self, gap: float) -> None:
        """Make the grid as fine as this, from the next use on."""
        self.finest, self.reach = gap, -1.0

    def freeze(self) -> float:
        """Keep the grid as it is; gives the largest tilt that it holds."""
        reach, self.reach = self.reach, math.inf
        return reach

    def widen(self, lam: float) -> None:
        """Make the grid reach the mass of the tilt λ."""
        if lam <= self.reach:
            return
        s, room = self.s, 17 * self.s
        if self.step.removes:
            self.reach = 1.3 * lam
            self._grid(-room, 1 + self.reach + room, min(s / 4, self.finest))
        else:
            self.reach = math.inf
            self._grid(-55 * s, 3 * room, min(s / 4, s * s / 20 / math.sqrt(s)))

    def _grid(self, low: float, high: float, gap: float) -> None:
        size = int((high - low) / gap) + 2
        if size > _WIDEST:
            raise LimitReached(f"the loss of a step would need {size} nodes")
        self.t = np.linspace(low, high, size)
        gap = (high - low) / (size - 1)
        x = (self.t - 0.5) / self.s**2
        self.log_phi = -0.5 * (self.t / self.s) ** 2 + math.log(
            gap / (self.s * math.sqrt(2 * math.pi))
        )
        if self.step.removes:
            self.log_w = np.logaddexp(math.log1p(-self.q), math.log(self.q) + x)
        else:
            self.log_w = np.logaddexp(0.0, math.log(self.q) - math.log1p(-self.q) + x)

    def moments(self, lam: Array) -> tuple[Array, Array, Array]:
        """log M and its first two derivatives at each λ."""
        self.widen(float(lam.max()))
        logs = self.exponents(lam)[:, None] * self.log_w + self.log_phi
        top = logs.max(axis=1)
        mass = np.exp(logs - top[:, None])
        total = mass.sum(axis=1)
        mean = (mass @ self.log_w) / total
        square = (mass @ self.log_w**2) / total
        sign = 1.0 if self.step.removes else -1.0
        return top + np.log(total), sign * mean, np.maximum(square - mean**2, 1e-300)

    def tilted(self, lam: float) -> Array:
        """log of the tilted density times s√2π on the grid."""
        self.widen(lam)
        exponent = 1 + lam if self.step.removes else -lam
        return exponent * self.log_w - 0.5 * (self.t / self.s) ** 2


@final
@dataclass(frozen=True, slots=True)
class Cumulant:
    """K and its derivatives for a whole composition in one direction."""

    steps: tuple[StepSketch, ...]
    factors: tuple[tuple[Factor, int], ...] = ()

    def apart(self) -> Cumulant:
        """The same on grids of its own, to be refined and frozen."""
        return Cumulant(tuple(StepSketch(s.step, s.count) for s in self.steps), self.factors)

    def at(self, lam: Array) -> tuple[Array, Array, Array]:
        """K, K′, K″ at each λ."""
        value, slope, bend = self._plain(lam)
        for step in self.steps:
            k0, k1, k2 = step.moments(lam)
            value, slope, bend = (
                value + step.count * k0,
                slope + step.count * k1,
                bend + step.count * k2,
            )
        return value, slope, bend

    def plain(self, lam: Array) -> Array:
        """The part of K that is the factors'."""
        return sum((n * factor.log_mgf(lam) for factor, n in self.factors), np.zeros_like(lam))

    def log_fall(self, lam: float, u: float) -> float:
        """log of how far the factors have fallen at λ+iu."""
        return sum((n * factor.log_fall(lam, u) for factor, n in self.factors), 0.0)

    def _plain(self, lam: Array) -> tuple[Array, Array, Array]:
        gap = 1e-3 * np.abs(lam) + 1e-4
        low, value, high = (self.plain(x) for x in (lam - gap, lam, lam + gap))
        bend = np.maximum((high - 2 * value + low) / gap**2, 0.0)
        return value, (high - low) / (2 * gap), bend

    def saddle(self, lam: float) -> tuple[float, float, float]:
        """At the saddle λ: the location e, log δ there, and the width √K″ of the tilted loss."""
        value, slope, bend = (float(part[0]) for part in self.at(np.array([lam])))
        location = slope - 1 / lam - 1 / (lam + 1)
        width = bend + 1 / lam**2 + 1 / (lam + 1) ** 2
        log_delta = (
            value
            - lam * location
            - math.log(lam)
            - math.log1p(lam)
            - 0.5 * math.log(2 * math.pi * width)
        )
        return location, log_delta, math.sqrt(max(bend, 1e-300))


def solve_decreasing(goal: Callable[[float], float], start: float) -> float:
    """λ > 0 where a decreasing function is 0, to three digits; the nearest end where it is not."""
    low = high = start
    at_low = at_high = goal(start)
    for _ in range(60):
        if at_low > 0:
            break
        high, at_high = low, at_low
        low /= 3
        at_low = goal(low)
    for _ in range(90):
        if at_high <= 0:
            break
        low, at_low = high, at_high
        high *= 3
        at_high = goal(high)
    for _ in range(40):
        if high < low * 1.002 or not at_low > 0 >= at_high:
            break
        part = min(0.9, max(0.1, at_low / (at_low - at_high)))
        middle = low * (high / low) ** part
        at_middle = goal(middle)
        if at_middle > 0:
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
    return math.sqrt(low * high)


def cumulant(
    steps: list[tuple[Step, int]], factors: tuple[tuple[Factor, int], ...] = ()
) -> Cumulant:
    """The sketch of a composition: its subsampled steps, and its closed factors."""
    return Cumulant(tuple(StepSketch(step, count) for step, count in steps), factors)
