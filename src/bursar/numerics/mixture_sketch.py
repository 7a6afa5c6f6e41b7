"""Moments of the subsampled Gaussian in float64: fast, without proof, to search and to propose.

Wanted is log M, M = E w(t)^α for t ~ N(0, σ²), with the ratio w = 1−q + q e^{(2t−1)/2σ²}.
The integrand e^{h}, h = α log w − t²/2σ², has a hump at the least root of t = αp(t), or at the
greatest, or at both, where p = q e^{(2t−1)/2σ²}/w rises from 0 to 1; outside of them h falls.
`window` finds where h is above a level, `steps` how far apart the trapezoid's nodes may be.
The proof is in `mixture_moment`, and takes nothing from here on trust.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_DEPTH = 26.0  # what is below e^-26 of the whole is left out
_WIDEST = 4096  # nodes of one row
_CHUNK = 1 << 18  # nodes at once: bounds memory
_OVERFLOW = 300.0  # above it a moment is summed in log space


@final
@dataclass(frozen=True, slots=True)
class Rows:
    """Many moments at once: one σ, q and order each."""

    sigma: Floats
    q: Floats
    order: Floats

    def __getitem__(self, part: slice | NDArray[np.intp]) -> Rows:
        return Rows(self.sigma[part], self.q[part], self.order[part])

    def log_ratio(self, t: Floats) -> Floats:
        """log w."""
        x = (t - 0.5) / self.sigma**2
        near = np.log1p(self.q * np.expm1(np.minimum(x, 30.0)))
        return np.where(x < 30.0, near, np.logaddexp(np.log1p(-self.q), np.log(self.q) + x))

    def height(self, t: Floats) -> Floats:
        """h: the log of the integrand, but for the normal density's constant."""
        return self.order * self.log_ratio(t) - 0.5 * (t / self.sigma) ** 2

    def share(self, t: Floats) -> Floats:
        """p: how much of w is the second law."""
        logit = np.log(self.q) - np.log1p(-self.q) + (t - 0.5) / self.sigma**2
        return 0.5 + 0.5 * np.tanh(0.5 * logit)

    def far_hump(self) -> Floats:
        """log of q^α e^{α(α−1)/2σ²}, which is at most log M."""
        return self.order * np.log(self.q) + 0.5 * self.order * (self.order - 1) / self.sigma**2

    def log_excess(self) -> Floats:
        """log of roughly a lower bound on M − 1."""
        variance = np.minimum(np.expm1(np.minimum(self.sigma**-2, 1.0)), 1.0)
        near = np.log(self.order * (self.order - 1) / 8 * variance) + 2 * np.log(self.q)
        far = np.maximum(self.far_hump(), 0.0)
        found: Floats = np.maximum(np.minimum(near, 0.0), far + np.log(-np.expm1(-far)))
        return found


@final
@dataclass(frozen=True, slots=True)
class Window:
    """Where h is above a level: in [low, high], but not between left and right if left < right."""

    low: Floats
    left: Floats
    right: Floats
    high: Floats


def log_moments(rows: Rows) -> Floats:
    """Computes log M for each row.

    Valid for: σ > 0, 0 < q ≤ 1, order > 1.  Error: about 1e-9 relative, unproved; a lower bound
    where float64 cannot place the nodes any more.  Cost: 60 to 4096 nodes a row, 0.1 µs each.
    Source: trapezoidal rule.
    """
    with np.errstate(all="ignore"):
        seen = window(rows, rows.log_excess() - _DEPTH)
        gap = np.maximum(seen.right - seen.left, 0)
        length = seen.high - seen.low - gap
        step = np.maximum(steps(rows.sigma, _DEPTH), length / _WIDEST)
        count = np.clip(np.nan_to_num(length / step), 0, _WIDEST).astype(np.int64) + 2
        found = np.empty_like(length)
        for part in _chunks(count):
            t = _nodes(seen.low[part], seen.left[part], gap[part], step[part], count[part])
            found[part] = _sums(rows[part], t, step[part], count[part])
        return np.fmax(found, rows.far_hump())


def window(rows: Rows, level: Floats) -> Window:
    """All of where h is above `level`, and not much more."""
    first, last = np.zeros_like(level), rows.order.copy()
    for _ in range(10):
        first, last = rows.order * rows.share(first), rows.order * rows.share(last)
    near, far = rows.height(first) >= level, rows.height(last) >= level
    humps = [np.where(near, first, last), first, last, np.where(far, last, first)]
    four = Rows(*(np.tile(values, 4) for values in (rows.sigma, rows.q, rows.order)))
    away = np.repeat((-1.0, 1.0, -1.0, 1.0), len(level))
    edges = _edges(four, np.concatenate(humps), away, np.tile(level, 4))
    low, left, right, high = edges.reshape(4, -1)
    one = ~(near & far)
    return Window(low, np.where(one, high, left), np.where(one, low, right), high)


def _edges(rows: Rows, hump: Floats, away: Floats, level: Floats) -> Floats:
    """The point, on this side of a hump, where h falls below the level: doubling, then halving."""
    inner = np.zeros_like(hump)
    outer = rows.sigma * np.sqrt(2 * np.maximum(rows.height(hump) - level, 1.0))
    for _ in range(60):
        inside = rows.height(hump + away * outer) >= level
        if not inside.any():
            break
        inner, outer = np.where(inside, outer, inner), np.where(inside, 2 * outer, outer)
    for _ in range(6):
        middle = 0.5 * (outer + inner)
        inside = rows.height(hump + away * middle) >= level
        outer, inner = np.where(inside, outer, middle), np.where(inside, middle, inner)
    found: Floats = hump + away * outer
    return found


def steps(sigma: Floats, depth: Floats | float) -> Floats:
    """Distance η of nodes with strip error e^−depth; the strip is 2πσ²/η high, or all of πσ²."""
    reach = np.pi * sigma
    wide, narrow = reach * np.sqrt(2 / np.asarray(depth)), 2 * reach**2 / (depth + 0.5 * reach**2)
    found: Floats = np.where(wide >= 2, wide, narrow)
    return found


def _chunks(count: Counts) -> Iterator[slice]:
    """Consecutive rows that have at most so many nodes together."""
    start, total = 0, 0
    for row, nodes in enumerate(count.tolist()):
        if total + nodes > _CHUNK and row > start:
            yield slice(start, row)
            start, total = row, 0
        total += nodes
    yield slice(start, len(count))


def _nodes(low: Floats, left: Floats, gap: Floats, step: Floats, count: Counts) -> Floats:
    """The nodes of all rows in one long array, each row's from `low` on, and over its gap."""
    position = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    t = np.repeat(low, count) + position * np.repeat(step, count)
    return t + np.where(t > np.repeat(left, count), np.repeat(gap, count), 0.0)


def _sums(rows: Rows, t: Floats, step: Floats, count: Counts) -> Floats:
    """log M of each row, from its own nodes."""
    starts = np.cumsum(count) - count
    each = rows[np.repeat(np.arange(len(count)), count)]
    weight = step / (rows.sigma * math.sqrt(2 * math.pi))
    log_w = each.log_ratio(t)
    lost = 0.5 * (t / each.sigma) ** 2
    height = each.order * log_w - lost
    peak = np.maximum.reduceat(height, starts)
    excess = np.add.reduceat(_excess(each.order, log_w, lost), starts)
    scaled = np.add.reduceat(np.exp(height - np.repeat(peak, count)), starts)
    return np.where(peak < _OVERFLOW, np.log1p(weight * excess), peak + np.log(weight * scaled))


def _excess(order: Floats, log_w: Floats, lost: Floats) -> Floats:
    """e^−lost (w^α − 1 − α(w−1)), whose mean is M − 1, without cancellation where w is near 1."""
    u, more = np.expm1(log_w), order - 1
    series = 1 + (order - 2) / 3 * u * (1 + (order - 3) / 4 * u * (1 + (order - 4) / 5 * u))
    small = 0.5 * order * more * u**2 * series
    medium = np.exp(log_w) * np.expm1(more * log_w) - more * u
    near = np.exp(-lost) * np.where(order * np.abs(u) < 0.03, small, medium)
    far = np.exp(order * log_w - lost) - order * np.exp(log_w - lost)
    return np.where(order * log_w < _OVERFLOW, near, far)
