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
Meeting = tuple[Cells, Cells]

_NONE: Meeting = (), ()


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """Ranges of nodes in units of the step, and where cells end that run away from their ends.

    `apart` leads from the first range to the second: cells from its end on, and cells that come
    the other way, in α−t, until they meet.  So does `far` from the last node to a point that is
    far away, the first of those that come the other way, and `near` likewise in the mirror.  Where
    they are empty the slope there must do.
    """

    step: float
    ranges: tuple[tuple[int, int], ...]
    near: Meeting
    far: Meeting
    apart: Meeting
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
    apart = law.apart(level, left * step, alpha - right * step) if right - left > _WORTH else _NONE
    ranges = ((first, left), (right, last)) if apart != _NONE else ((first, last),)
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

    def tail(self, level: float, edge: float) -> tuple[float, Meeting]:
        """Where the right tail begins, and its cells; nodes from beyond α on need none."""
        if edge < self.alpha - 4 * self.s:
            away = self.mirrored()._reach(level)
            ahead, back = self.apart(level, edge, away)
            if ahead:
                return edge, (ahead, (away, *back))
        return max(edge, self.alpha + self.s), _NONE

    def apart(self, level: float, start: float, away: float) -> Meeting:
        """Cells from `start` and from α−`away` that meet where both halves of w are alike."""
        meet = max(start, min(self.s**2 * (self.log_a - self.log_b), self.alpha - away))
        ahead = self.cells(level, start, meet)
        back = self.mirrored().cells(level, away, self.alpha - meet + self.s)
        return (ahead, back) if ahead and back else _NONE

    def cells(self, level: float, start: float, stop: float) -> Cells:
        """Where cells end that begin at `start`, with φw^α near e^level at most; () if too many."""
        ends = [start]
        while 0 <= ends[-1] < stop and len(ends) < _CELLS:
            ends.append(min(self._reach(level + 2 + 0.5 * (ends[-1] / self.s) ** 2), stop))
        return tuple(ends) if start >= 0 and ends[-1] >= stop else ()

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
