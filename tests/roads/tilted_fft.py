"""Any plan in float64: one exponentially tilted FFT over a grid of losses, numpy only.

Each step's law of Y, tilted by e^{λY}, is cut at the grid losses jh, and what is in a cell is
shared among grid losses in two ways:

* upper: between the cell's two ends, keeping its mass under P and under Q (connect the dots,
  Doroshenko et al. 2022), which only raises δ; a model of the round-off is added;
* estimate: by cubic interpolation, among four; no bound, but an error of O(h⁴).

δ(ε) sums the window [ε, ε + W) with weights that count what the circular sum brought around as
if it had been there: never less than the truth.  Words: λ is `tilt`, W is `span`, h is `step`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from tests.roads.laws import Direction, Plan, ceiling
from tests.roads.tilted_points import Floats, tilted_points

_ALIASED = 30.0  # nats under δ: what the circular sum brings around
_LOST = 28.0  # nats that δ may be under the tilted mass, in float64
_LEAST = 1 << 12  # grid losses


class Answer(NamedTuple):
    """A number without a bound, and one above the truth (up to the model of round-off)."""

    estimate: float
    upper: float


def delta(plan: Plan, direction: Direction, epsilon: float) -> Answer:
    """δ(ε)."""
    if epsilon >= float(ceiling(plan, direction)):
        return Answer(0.0, 0.0)
    grid = Grid.near(plan, direction, epsilon)
    found = grid.delta(epsilon, grid.estimate)
    grid.keep(epsilon, found)
    return Answer(found, grid.delta(epsilon, grid.upper))


def epsilon(plan: Plan, direction: Direction, delta: float) -> Answer:
    """ε(δ), or 0 where δ(0) is not above δ."""
    top = float(ceiling(plan, direction))
    near = min(_renyi_epsilon(plan, direction, delta), 0.999999 * top)
    for _ in range(6):  # the Rényi bound may be several times ε: move the tilt
        scout = Grid.near(plan, direction, near, most=1 << 15)
        found = scout.epsilon(delta, scout.estimate, near=near)
        if found > 0.9 * near:
            break
        near = 1.02 * found if found > 0 else near / 10
    grid = Grid.near(plan, direction, near)
    found = grid.epsilon(delta, grid.estimate, near=near)
    grid.keep(found, delta)
    upper = grid.epsilon(delta, grid.upper, near=near)
    return Answer(min(found, top), min(upper, math.nextafter(top, math.inf)))


@dataclass(frozen=True)
class Grid:
    """The composed law on losses jh modulo W, tilted by λ; of total log mass K(λ)."""

    plan: Plan
    direction: Direction
    tilt: float
    span: float
    size: int
    log_mass: float

    @classmethod
    def near(cls, plan: Plan, direction: Direction, epsilon: float, most: int = 1 << 19) -> Grid:
        """A tilt and a window for ε near `epsilon`: of the good tilts, that of the least window."""

        def log_bound(tilt: float) -> float:
            return _log_moment(plan, direction, tilt) - tilt * epsilon + _log_chernoff(tilt)

        def span(tilt: float) -> float:
            gaps = [tilt * 0.9 * 0.4**j for j in range(7)]
            left = [(0.0, tilt)] + [(log_bound(tilt - gap), gap) for gap in gaps]
            right = [(log_bound(tilt + gap), gap) for gap in gaps]
            return max(
                min((bound - low + _ALIASED) / gap for bound, gap in side) for side in (left, right)
            )

        best = _least(log_bound)
        low = min(log_bound(best) - 3.0, -0.1)  # about log δ
        tilts = [best * r for r in (1.0, 0.8, 0.6, 0.4) if log_bound(best * r) < low + 9]
        tilt = min(tilts, key=span)
        count = sum(n for _, n in plan)
        step = min(math.sqrt(2e-4 * abs(epsilon) / (count * (tilt + 1))), 0.02 / (tilt + 1))
        size = 1 << math.ceil(math.log2(min(max(span(tilt) / step, _LEAST), most)))
        return cls(plan, direction, tilt, span(tilt), size, _log_moment(plan, direction, tilt))

    @cached_property
    def estimate(self) -> Floats:
        """The composed law by cubic interpolation."""
        return self._composed(_cubic)

    @cached_property
    def upper(self) -> Floats:
        """The composed law with the dots connected."""
        return self._composed(_dots)

    def delta(self, epsilon: float, law: Floats) -> float:
        """δ(ε) of a composed law, with the allowance for round-off where it is the upper one."""
        step, tilt, span = self.span / self.size, self.tilt, self.span
        first = math.ceil(epsilon / step)
        ahead, cut = first * step - epsilon, first % self.size
        sums = [
            math.exp(-rate * ahead)
            * float(law[cut:] @ fall[: self.size - cut] + law[:cut] @ fall[self.size - cut :])
            / -math.expm1(-rate * span)
            for rate, fall in zip((tilt, tilt + 1), self._falls, strict=True)
        ]
        total = sums[0] - sums[1]
        if law is self.upper:
            total += 1e-15 * (20 + sum(n for _, n in self.plan)) * math.exp(_log_chernoff(tilt))
        return total * math.exp(min(self.log_mass - tilt * epsilon, 700.0))

    @cached_property
    def _falls(self) -> tuple[Floats, Floats]:
        ahead = np.arange(self.size) * (self.span / self.size)
        return np.exp(-self.tilt * ahead), np.exp(-(self.tilt + 1) * ahead)

    def epsilon(self, delta: float, law: Floats, *, near: float) -> float:
        """Where the δ of a composed law is `delta`."""
        target = math.log(delta)

        def f(e: float) -> float:
            return math.log(max(self.delta(e, law), 1e-320)) - target

        return _root(f, near)

    def keep(self, epsilon: float, delta: float) -> None:
        """Raise where δ is so far under the tilted mass that round-off may have eaten it."""
        log_mass = self.log_mass - self.tilt * epsilon + _log_chernoff(self.tilt)
        if not (delta > 0 and log_mass - math.log(delta) < _LOST):
            raise ArithmeticError("rare jumps: float64 has lost this δ in the mass around it")

    def _composed(self, share: Callable[[Floats, float, float], list[Floats]]) -> Floats:
        step = self.span / self.size
        product = np.ones(self.size // 2 + 1, dtype=np.complex128)
        for law, count in self.plan:
            points = tilted_points(law, self.direction, self.tilt, step)
            scale = _log_sum(points.log_weight)
            below = np.floor(points.cell / step)
            weight = np.exp(points.log_weight - scale)
            pmf = np.zeros(self.size)
            shares = share(points.loss - below * step, step, self.tilt)
            for offset, part in enumerate(shares, start=1 - len(shares) // 2):
                where = np.mod(below + offset, self.size).astype(np.intp)
                pmf += np.bincount(where, weight * part, minlength=self.size)
            product *= np.fft.rfft(pmf) ** count
        return np.fft.irfft(product, self.size)


def _dots(above: Floats, step: float, tilt: float) -> list[Floats]:
    """Shares of the two ends that keep 1 and e^{−Y}, in tilted weight."""
    right = np.clip(np.expm1(-above) / math.expm1(-step), 0.0, 1.0)
    return [(1 - right) * np.exp(-tilt * above), right * np.exp(tilt * (step - above))]


def _cubic(above: Floats, step: float, tilt: float) -> list[Floats]:
    """Lagrange's weights on the four grid losses around."""
    x = above / step
    a, b, c, d = x + 1, x, x - 1, x - 2
    return [-b * c * d / 6, a * c * d / 2, -a * b * d / 2, a * b * c / 6]


@cache
def _log_moment(plan: Plan, direction: Direction, tilt: float) -> float:
    return sum(n * _log_sum(tilted_points(law, direction, tilt).log_weight) for law, n in plan)


def _log_sum(values: Floats) -> float:
    top = values.max()
    return float(top + math.log(np.exp(values - top).sum()))


def _log_chernoff(tilt: float) -> float:
    """log max of (1 − e^{−v}) e^{−λv}: a mass of one, tilted, adds at most that to δ."""
    return tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)


def _renyi_epsilon(plan: Plan, direction: Direction, delta: float) -> float:
    def bound(tilt: float) -> float:
        log_gain = _log_moment(plan, direction, tilt) + _log_chernoff(tilt)
        return (log_gain - math.log(delta)) / tilt

    return max(bound(_least(bound)), 1e-9)


def _least(f: Callable[[float], float]) -> float:
    """About the place of the only minimum of f over λ from 0.01 to 1e7."""
    low, high = -4.6, -2.3
    while high < 16.0 and f(math.exp(high)) < f(math.exp(high - 0.7)):
        high += 0.7
    for _ in range(18):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if f(math.exp(a)) < f(math.exp(b)) else (a, high)
    return math.exp((low + high) / 2)


def _root(f: Callable[[float], float], near: float) -> float:
    """The zero of a decreasing f that is next to `near`, from above to 13 digits; 0 if f(0) ≤ 0."""
    low = high = near
    while f(high) > 0:
        low, high = high, 1.25 * high
    while f(low) <= 0:
        if low < 1e-6 * near:
            return 0.0
        low, high = 0.8 * low, low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
        if high - low < 1e-13 * high:
            break
    return high
