"""One exact sampler for tilted laws: equal cells, an alias table, an acceptance that is decided.

A 64-bit word picks a cell (12 bits of column, 20 of threshold), a place in it (24) and the first
byte of the coin that accepts.  The heights are integers above the density by proof; a coin is read
as the interval of all numbers that begin with its bits, and accepts or rejects only if all of them
do; else NaN stands in the draw's place.  So what comes out is the place, to 24 bits, of a draw from
the law itself, cut to its range: docs/proofs/monte-carlo.md, §3.  Not here: where words come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar.errors import InternalError
from bursar.numerics.tilts import Coordinate, Floats

Words = NDArray[np.uint64]
Source = Callable[[int], Words]

CELLS = 4096
_COLUMN, _THRESHOLD, _PLACE = 12, 20, 24
_DEPTH = 1 << _THRESHOLD
_PAD = 2.0**-44  # relative: what float64 may be off in a height, per nat of its logarithm
_ROUND = 2.0**-46  # what float64 may be off in a loss, per unit of its size
_ROUNDS = 64


@final
@dataclass(frozen=True, slots=True)
class Envelope:
    """A law on [low, low + 4096 width), of density at most height · weight_c in cell c."""

    law: Coordinate
    lam: float
    low: float
    width: float
    weights: NDArray[np.int64]
    scale: float  # log of weight over density
    cuts: NDArray[np.int32]
    other: NDArray[np.int16]
    sure: NDArray[np.uint8]
    share: float  # of the words that become draws, about

    @classmethod
    def of(cls, law: Coordinate, lam: float, low: float, high: float) -> Envelope:
        """The envelope of the law tilted by λ, between two points.

        Computes:  cell heights: a convex part of log density below its chord, a concave part below
                   its tangent; their sum is linear, so it is largest at an end of the cell.
        Valid for: finite low < high.
        Error:     heights are above the density by proof, padded for float64.
        Cost:      six arrays of 4096.
        Source:    docs/proofs/monte-carlo.md, Lemma 2.
        """
        if not -math.inf < low < high < math.inf:
            raise InternalError(f"no envelope from {low} to {high}")
        edges = np.linspace(low, high, CELLS + 1)
        width = (high - low) / CELLS
        top, bottom = _heights(law, lam, edges, width)
        largest = float(top.max())
        free = CELLS * _DEPTH - 2 * CELLS
        log_scale = math.log(free) - math.log(float(np.exp(top - largest).sum())) - largest
        weights = np.ceil(np.exp(top + log_scale)).astype(np.int64) + 1
        weights[int(top.argmax())] += CELLS * _DEPTH - int(weights.sum())
        if not (weights > 0).all() or int(weights.sum()) != CELLS * _DEPTH:
            raise InternalError("the heights of an envelope do not add up")
        with np.errstate(under="ignore"):
            least = np.exp(bottom + log_scale) / weights
        sure = np.minimum(np.floor(256 * least), 255).astype(np.uint8)
        cuts, other = _aliases(weights)
        share = float(np.exp(np.minimum(0.5 * (top + bottom) + log_scale, 60)).sum())
        share = min(share / (CELLS * _DEPTH), 1.0)
        return cls(law, lam, low, width, weights, log_scale, cuts, other, sure, share)

    @property
    def coarse(self) -> float:
        """How far a draw may be from the place that is given for it."""
        return self.width * 2.0 ** -(_PLACE + 1)

    @property
    def slack(self) -> float:
        """How far a loss that is computed may be from its draw's: ℓ′ rises, and float64 rounds."""
        high, slope = self.low + CELLS * self.width, self.law.slope
        steepest = float(self.law.rise(np.array([high + self.coarse]))[0])
        size = 2 + slope * (max(abs(self.low), abs(high)) + slope)
        return steepest * self.coarse * (1 + 1e-9) + _ROUND * size

    @property
    def open_chance(self) -> float:
        """At most the probability that a place is NaN; about 1e-11."""
        ends = np.array([self.low, self.low + CELLS * self.width])
        size = 1 + abs(self.scale) + 0.5 * float((ends * ends).max())
        size += abs(self.law.power(self.lam)) * float(np.abs(self.law.log_w(ends)).max())
        sure = float((self.weights * self.sure.astype(np.int64)).sum()) / (256.0 * CELLS * _DEPTH)
        return 2.6 * (_PAD * size + 2.0**-39) / max(sure, 1e-3)

    def draw(self, size: int, source: Source) -> Floats:
        """So many draws; NaN where a coin stayed undecided, and nothing is known of the draw.

        Computes:  places of independent draws, each within `coarse` of its draw.
        Valid for: independent uniform words.
        Error:     none, but for what is NaN: `open_chance`.
        Cost:      8 bytes and about 15 ns a draw.
        Source:    docs/proofs/monte-carlo.md, Thm 3.
        """
        found = np.empty(size)
        filled = 0
        for _ in range(_ROUNDS):
            missing = size - filled
            if not missing:
                return found
            more = int(missing / max(self.share, 0.05) * 1.01) + 16
            taken = self._round(source(more), source)[:missing]
            found[filled : filled + len(taken)] = taken
            filled += len(taken)
        raise InternalError("an envelope rejects nearly everything")

    def losses(self, size: int, source: Source) -> Floats:
        """The losses of so many draws: ℓ, or −ℓ."""
        found = self.law.log_w(self.draw(size, source))
        return found if self.law.removes else -found

    def _round(self, words: Words, source: Source) -> Floats:
        low = words.astype(np.uint32)  # the lower half: column and threshold
        high = (words >> np.uint64(32)).astype(np.uint32)
        column = (low & np.uint32(CELLS - 1)).astype(np.intp)
        cell = np.where((low >> np.uint32(_COLUMN)) < self.cuts[column], column, self.other[column])
        place = (high >> np.uint32(8)).astype(np.float64)
        t = self.low + self.width * (cell + (place + 0.5) * 2.0**-_PLACE)
        coin = (high & np.uint32(255)).astype(np.uint8)
        sure = coin < self.sure[cell]
        if sure.all():
            return t
        doubtful = np.flatnonzero(~sure)
        accepted, undecided = self._decide(
            cell[doubtful], place[doubtful], coin[doubtful], source(len(doubtful))
        )
        t[doubtful[undecided]] = math.nan
        sure[doubtful[accepted | undecided]] = True
        return t[sure]

    def _decide(
        self, cell: NDArray[np.intp], place: Floats, coin: NDArray[np.uint8], words: Words
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Coins of 40 bits against the ratio at places of 56 bits: accepted, undecided."""
        finer = (words >> np.uint64(32)).astype(np.float64) * 2.0**-32
        coins = (coin + (words & np.uint64(0xFFFFFFFF)).astype(np.float64) * 2.0**-32) / 256
        t = self.low + self.width * (cell + (place + finer) * 2.0**-_PLACE)
        power = self.law.power(self.lam)
        log_w = self.law.log_w(t)
        log_ratio = power * log_w - 0.5 * t * t + self.scale
        size = 1 + np.abs(power * log_w) + 0.5 * t * t + abs(self.scale)
        with np.errstate(under="ignore"):
            ratio = np.exp(log_ratio) / self.weights[cell]
        doubt = ratio * _PAD * size + 2.0**-39
        accepted = coins + doubt < ratio
        return accepted, ~accepted & (coins - doubt <= ratio)


def _heights(law: Coordinate, lam: float, edges: Floats, width: float) -> tuple[Floats, Floats]:
    """Bounds of log(φ w^A √2π) on each cell, from above and from below."""
    left, right = edges[:-1], edges[1:]
    middle = 0.5 * (left + right)
    power, half = law.power(lam), 0.5 * width
    bend, at, rise = law.log_w(edges), law.log_w(middle), law.rise(middle)
    square = -0.5 * edges * edges
    drop = half * middle  # of the tangent of −t²/2, from the middle to the right end
    if power >= 0:
        top_left = power * bend[:-1] - 0.5 * middle**2 + drop
        top_right = power * bend[1:] - 0.5 * middle**2 - drop
        low_left = power * (at - rise * half) + square[:-1]
        low_right = power * (at + rise * half) + square[1:]
    else:
        tilt = (power * rise - middle) * half
        top_left = power * at - 0.5 * middle**2 - tilt
        top_right = power * at - 0.5 * middle**2 + tilt
        low_left = power * bend[:-1] + square[:-1]
        low_right = power * bend[1:] + square[1:]
    top, bottom = np.maximum(top_left, top_right), np.minimum(low_left, low_right)
    sizes = np.abs(power * bend)
    size = 1 + np.maximum(sizes[:-1], sizes[1:]) + 0.5 * np.maximum(left**2, right**2)
    doubt = _PAD * (size + np.abs(power) * rise * width)
    return top + doubt, bottom - doubt


def _aliases(weights: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Walker's table in integers: the column c is c below its cut, and other[c] above."""
    cuts, other = np.full(CELLS, _DEPTH, np.int32), np.arange(CELLS, dtype=np.int16)
    left = weights.tolist()
    small = [c for c, n in enumerate(left) if n < _DEPTH]
    large = [c for c, n in enumerate(left) if n >= _DEPTH]
    while small:
        c, donor = small.pop(), large[-1]
        cuts[c], other[c] = left[c], donor
        left[donor] -= _DEPTH - left[c]
        if left[donor] < _DEPTH:
            small.append(large.pop())
    return cuts, other
