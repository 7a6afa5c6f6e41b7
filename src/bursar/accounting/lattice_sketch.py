"""What float64 proposes for the lattice accountant: which losses matter, the tilt, the window.

Nothing here is a bound.  Legend: S(y) = P(Y > y), K(λ) = log E e^{λY}, W is the window's width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.accounting.lattice_losses import Losses, Smooth
from bursar.errors import LimitReached

Floats = NDArray[np.float64]

LAMBDAS = np.asarray(10.0 ** np.linspace(-6.0, 8.0, 421), dtype=np.float64)
GAPS = np.asarray(2.0 ** np.arange(-9.0, 3.0), dtype=np.float64)  # of a second tilt
_TRIED = 8  # tilts
_POINTS = 300
_LUMPS = 256
_BOTTOM = math.exp(-45.0)
_NEVER = -1e300
_ALIASED = 21.0  # nats under δ that what comes around may have
_LOST = 7.0  # nats that the tilted mass may be above δ, for a smaller window


@final
@dataclass(frozen=True, slots=True)
class Sketch:
    """The losses of one step: log S at points, of the continuous part; and atoms."""

    y: Floats
    log_s: Floats
    at: Floats
    log_p: Floats

    @property
    def low(self) -> float:
        """The least loss that matters."""
        return float(min([*self.y[:1], *self.at], default=0.0))

    @property
    def high(self) -> float:
        """The largest."""
        return float(max([*self.y[-1:], *self.at], default=0.0))

    def log_mgf(self, tilts: Floats) -> Floats:
        """K at each tilt, with log S linear between its points."""
        parts = [np.full(len(tilts), -np.inf)]
        lam = tilts[:, None]
        if len(self.at):
            parts.append(_log_sum(self.log_p + lam * self.at))
        if len(self.y):
            ends = lam * self.y + self.log_s
            left, right = ends[:, :-1], ends[:, 1:]
            gap = np.maximum(np.abs(right - left), 1e-12)
            mean = np.maximum(left, right) + np.log(-np.expm1(-gap) / gap)
            with np.errstate(divide="ignore"):
                parts.append(_log_sum(mean + np.log(lam * np.diff(self.y))))
            parts.append(ends[:, 0])
        return np.asarray(np.logaddexp.reduce(parts))

    def density(self, tilt: float) -> Floats:
        """log of the tilted density of the continuous part, between its points."""
        drop = self.log_s[:-1] + np.log(-np.expm1(np.minimum(np.diff(self.log_s), -1e-15)))
        with np.errstate(divide="ignore"):
            return np.asarray(drop + tilt * self.y[1:] - np.log(np.diff(self.y)))


def sketch(losses: Losses, log_tiny: float) -> Sketch:
    """Of a law of losses, up to what is rarer than e^{log_tiny}."""
    lumps = [lump for lump in losses.cut(_LUMPS).lumps if lump.p.mid() > 0]
    at = np.array([float((lump.low + lump.high) / 2) for lump in lumps])
    log_p = np.array([float(lump.p.mid().log()) for lump in lumps])
    if losses.smooth is None:
        return Sketch(np.empty(0), np.empty(0), at, log_p)
    y = _points(losses.smooth, log_tiny)
    log_s = np.array([_log_above(losses.smooth, float(value)) for value in y])
    return Sketch(y, np.minimum.accumulate(np.maximum(log_s, _NEVER)), at, log_p)


def _log_above(smooth: Smooth, y: float) -> float:
    mass = smooth.above(arb(y))[0].mid()
    return float(mass.log()) if mass > 0 else _NEVER


def _points(smooth: Smooth, log_tiny: float) -> Floats:
    """From the least loss to the largest that matter, dense where most of the mass is."""
    whole = smooth.whole[0]

    def rare(y: float) -> bool:
        return _log_above(smooth, y) < log_tiny

    def sure(y: float) -> bool:
        return bool((whole - smooth.above(arb(y))[0]).mid() < _BOTTOM)

    high = float(smooth.high) if smooth.high is not None else _edge(rare, 1)
    low = float(smooth.low) if smooth.low is not None else _edge(sure, -1)
    low = min(low, high - 1e-12 * abs(high))
    quarter, half, three = (_quantile(smooth, low, high, math.log(f)) for f in (0.75, 0.5, 0.25))
    scale = max((three - quarter) / 40, (high - low) * 1e-9, 1e-300)
    ends = math.asinh((low - half) / scale), math.asinh((high - half) / scale)
    y = half + scale * np.sinh(np.linspace(*ends, _POINTS))
    y[0], y[-1] = low, high
    return np.asarray(np.unique(np.clip(y, low, high)))


def _edge(beyond: Callable[[float], bool], sign: int) -> float:
    """About the least |y| on one side that is beyond; 0 if 0 is."""
    log_y = 0.0
    while not beyond(sign * 2.0**log_y):
        log_y += 1
        if log_y > 900:
            raise LimitReached("the privacy loss is beyond what float64 can hold")
    while log_y > -900 and beyond(sign * 2.0 ** (log_y - 1)):
        log_y -= 1
    low, high = log_y - 1, log_y
    for _ in range(5):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(sign * 2.0**middle) else (middle, high)
    return float(sign * 2.0**high)


def _quantile(smooth: Smooth, low: float, high: float, log_part: float) -> float:
    goal = log_part + float(smooth.whole[0].log())
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _log_above(smooth, middle) < goal else (middle, high)
        if high - low <= 1e-6 * max(abs(low), abs(high)):
            break
    return high


class Shape(NamedTuple):
    """Where to look: the tilt, how wide the window is, and a guess of log δ."""

    tilt: float
    width: float
    log_delta: float


@final
@dataclass(frozen=True, slots=True)
class Total:
    """A composition in float64: K at the tilts `LAMBDAS`."""

    parts: tuple[tuple[Sketch, int], ...]
    k: Floats

    @classmethod
    def of(cls, parts: Sequence[tuple[Sketch, int]]) -> Total:
        """The sum of the steps' K."""
        with np.errstate(over="ignore", invalid="ignore"):
            k = sum((n * one.log_mgf(LAMBDAS) for one, n in parts), np.zeros(len(LAMBDAS)))
        return cls(tuple(parts), np.where(np.isnan(k), np.inf, k))

    @property
    def span(self) -> float:
        """From the least loss of all steps to the largest."""
        return sum(n * (one.high - one.low) for one, n in self.parts)

    def epsilon_bound(self, log_delta: float) -> float:
        """Where Chernoff's bound falls to δ."""
        return max(float(np.min((self.k + log_gain(LAMBDAS) - log_delta) / LAMBDAS)), 0.0)

    def log_bound(self, epsilon: float) -> float:
        """Chernoff's bound on δ."""
        return min(float(np.min(self.k - LAMBDAS * epsilon + log_gain(LAMBDAS))), 0.0)

    def shape(self, epsilon: float, log_delta: float) -> Shape:
        """Of the tilts that lose little, the one with the narrowest window."""
        with np.errstate(invalid="ignore", over="ignore"):
            lost = self.k - LAMBDAS * epsilon + log_gain(LAMBDAS) - log_delta
            able = np.flatnonzero(lost <= max(float(np.nanmin(lost)) + 2.0, _LOST))
        tried = able[:: max(1, len(able) // _TRIED)]
        found = [self._window(float(LAMBDAS[n]), epsilon, log_delta) for n in tried]
        width, best = min((width, n) for n, width in enumerate(found))
        whole = 1.01 * self.span or 1.0
        return Shape(float(LAMBDAS[tried[best]]), min(width, whole), log_delta)

    def _window(self, tilt: float, epsilon: float, log_delta: float) -> float:
        """How wide it has to be for what comes around, from either side, to be small."""
        left = (_ALIASED - log_delta) / tilt
        tilts = tilt * (1 + GAPS)
        with np.errstate(invalid="ignore", over="ignore"):
            right = self.at(tilts) - tilts * epsilon - log_delta + _ALIASED
            return max(left, float(np.nanmin(right / (tilt * GAPS))))

    def at(self, tilts: Floats) -> Floats:
        """K at other tilts."""
        with np.errstate(over="ignore", invalid="ignore"):
            return sum((n * one.log_mgf(tilts) for one, n in self.parts), np.zeros(len(tilts)))


def log_gain(tilts: Floats) -> Floats:
    """log of the largest (1 − e^{−v})e^{−λv}."""
    return np.asarray(tilts * np.log(tilts) - (1 + tilts) * np.log1p(tilts))


def _log_sum(values: Floats) -> Floats:
    top = values.max(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)))
