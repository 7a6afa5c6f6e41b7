"""Which nodes and cells the proof of a moment is to use: float64 proposes, nothing here is trusted.

A plan leaves out what is e^-45 of M − 1.  Where nodes are left out, cells stand for them, each as
long as its bound allows.  They run away from a hump to its right; t → α−t makes left of it right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from bursar.errors import LimitReached
from bursar.numerics import mixture_sketch as sketch
from bursar.numerics.search import nearest

_BITS = 64  # of relative accuracy that are aimed at
_NODES = 200_000  # a limit of time: about a second
_CELLS = 200
_WORTH = 64  # nodes that a gap must save

Cells = tuple[float, ...]


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """Ranges of nodes in units of the step, and where cells end that run away from their ends.

    `near` and `far` bound what is left of all nodes and right of them, or else are empty: then the
    slope there must do.  `apart` bounds what is between two ranges, from the left and from the
    right.  All but `far` and the first of `apart` are in units of α−t.
    """

    step: float
    ranges: tuple[tuple[int, int], ...]
    near: Cells
    far: Cells
    apart: tuple[Cells, Cells]
    bits: int


def planned(sigma: Fraction, q: Fraction, order: Fraction) -> Plan:
    """A plan for log E w^α; LimitReached if it would need too many nodes, or a wider float."""
    s, share, alpha = nearest(sigma), nearest(q), nearest(order)
    if not (1e-100 < s < 1e100 and share > 1e-290 and 1 < alpha < 1e100):
        raise _out_of_reach(s, share, alpha)
    rows = sketch.Rows(*(np.array([value]) for value in (s, share, alpha)))
    with np.errstate(all="ignore"):
        log_excess = float(rows.log_excess()[0])
        level = log_excess - _BITS * math.log(2) - math.log1p(alpha / s) - 3
        depth = max(log_excess, 0.0) + 1 - level
        seen = sketch.window(rows, np.array([level]))
        low, high = float(seen.low[0]), float(seen.high[0])
        step = float(sketch.steps(rows.sigma, depth)[0])
        magnitude = alpha * abs(float(rows.log_ratio(seen.high)[0])) + (high / s) * (high / s)
    if not (step > 0 and abs(level) + magnitude + (high - low) / step < 1e18):
        raise _out_of_reach(s, share, alpha)
    log_a = math.log1p(-share) if share < 0.5 else math.log(nearest(1 - q))
    law = _Law(alpha, s, log_a, math.log(share) - 0.5 / s**2)
    mirror = law.mirrored()
    beyond, near = mirror.tail(level, alpha - low)
    high, far = law.tail(level, high)
    first, last = math.floor((alpha - beyond) / step), math.ceil(high / step)
    left, right = math.ceil(float(seen.left[0]) / step), math.floor(float(seen.right[0]) / step)
    apart: tuple[Cells, Cells] = (), ()
    if right - left > _WORTH:
        middle = law.balance()
        apart = (
            law.cells(level, left * step, middle + s),
            mirror.cells(level, alpha - right * step, alpha - middle),
        )
    ranges = ((first, left), (right, last)) if all(apart) else ((first, last),)
    nodes = sum(end - start + 1 for start, end in ranges)
    if nodes > _NODES or any(end < start for start, end in ranges):
        raise _out_of_reach(s, share, alpha)
    guard = math.log2(alpha + magnitude + abs(level)) + 2 * math.log2(nodes + 1)
    return Plan(step, ranges, near, far, apart, int(depth / math.log(2) + guard) + 16)


@final
@dataclass(frozen=True, slots=True)
class _Law:
    """w = a + b e^{t/σ²} by its logarithms."""

    alpha: float
    s: float
    log_a: float
    log_b: float

    def mirrored(self) -> _Law:
        """The law that t → α−t makes of it."""
        shift = 0.5 * self.alpha / self.s**2
        return _Law(self.alpha, self.s, self.log_b + shift, self.log_a - shift)

    def balance(self) -> float:
        """Where both halves of w are alike."""
        return self.s**2 * (self.log_a - self.log_b)

    def tail(self, level: float, edge: float) -> tuple[float, Cells]:
        """Where the right tail begins, and its cells; nodes from beyond α on need none."""
        if edge < self.alpha - 4 * self.s:
            cells = self.cells(level, edge, self.alpha - self.mirrored()._reach(level))
            if cells:
                return edge, cells
        return max(edge, self.alpha + self.s), ()

    def cells(self, level: float, start: float, stop: float) -> Cells:
        """Where cells end that begin at `start`, with φw^α near e^level at most; () if too many."""
        ends: list[float] = []
        while 0 <= start < stop < math.inf and len(ends) < _CELLS:
            end = self._reach(level + 2 + 0.5 * (start / self.s) ** 2)
            if end >= stop:
                return (*ends, stop)
            if not end > start:
                break
            ends.append(end)
            start = end
        return ()

    def _reach(self, level: float) -> float:
        """Where w^α has risen to e^level; minus infinity if it is nowhere so small."""
        rise = level / self.alpha - self.log_a
        if not rise > 0:
            return -math.inf
        log_rise = rise if rise > 30 else math.log(math.expm1(rise))
        return self.s**2 * (self.log_a - self.log_b + log_rise)


def _out_of_reach(s: float, q: float, alpha: float) -> LimitReached:
    where = f"σ = {s:.3g}, q = {q:.3g}, order {alpha:.3g}"
    return LimitReached(f"the moment at {where} needs more than {_NODES} nodes, or a wider float")
