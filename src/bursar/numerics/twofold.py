"""Sums of powers in twofold doubles: many nodes at once, with a proved error.

A twofold number is the exact sum of two doubles, good for some 100 bits.  Products of matrices are
sums of exact ones: each entry is cut into slices so short that no product of slices is rounded,
in whatever order it is added up (Ozaki et al. 2012).
Rests on: IEEE 754 doubles, rounded to nearest.  Proof: docs/proofs/contour.md, section 9.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from bursar.numerics.balls import float_up

Array = NDArray[np.float64]

EACH = 2.0**-101  # above the relative error of a complex product, 18√2·2⁻¹⁰⁶
_NOTHING = 2.0**-850  # absolute: what underflow may take from an entry, and more
_SPLIT = 2.0**27 + 1
_MOST_SLICES = 6
_BLOCK, _LARGE = 64, 2**25  # of a product of matrices
_FARTHEST = 120  # powers of 2 from 1 that a sum may be


class Twofold(NamedTuple):
    """Real numbers hi + lo, |lo| at most half a unit in the last place of hi."""

    hi: Array
    lo: Array

    def __neg__(self) -> Twofold:
        return Twofold(-self.hi, -self.lo)

    def rows(self, where: slice) -> Twofold:
        """Some of the rows."""
        return Twofold(self.hi[where], self.lo[where])


class Complex(NamedTuple):
    """Complex numbers of twofold parts."""

    re: Twofold
    im: Twofold

    def rows(self, where: slice) -> Complex:
        """Some of the rows."""
        return Complex(self.re.rows(where), self.im.rows(where))


def times(x: Complex, y: Complex) -> Complex:
    """The products, each off by less than 2⁻¹⁰¹ of itself, and by 2⁻¹⁰⁵⁰."""
    return Complex(
        _plus(_times(x.re, y.re), -_times(x.im, y.im)),
        _plus(_times(x.re, y.im), _times(x.im, y.re)),
    )


def _sum(a: Array, b: Array) -> Twofold:
    total = a + b
    part = total - a
    return Twofold(total, (a - (total - part)) + (b - part))


def _fast_sum(a: Array, b: Array) -> Twofold:
    total = a + b
    return Twofold(total, b - (total - a))


def _product(a: Array, b: Array) -> Twofold:
    found = a * b
    big, large = _SPLIT * a, _SPLIT * b
    a1, b1 = big - (big - a), large - (large - b)
    a2, b2 = a - a1, b - b1
    return Twofold(found, ((a1 * b1 - found) + a1 * b2 + a2 * b1) + a2 * b2)


def _times(x: Twofold, y: Twofold) -> Twofold:
    found = _product(x.hi, y.hi)
    return _fast_sum(found.hi, found.lo + (x.hi * y.lo + x.lo * y.hi))


def _plus(x: Twofold, y: Twofold) -> Twofold:
    high, low = _sum(x.hi, y.hi), _sum(x.lo, y.lo)
    high = _fast_sum(high.hi, high.lo + low.hi)
    return _fast_sum(high.hi, high.lo + low.lo)


def converted(values: Sequence[acb]) -> tuple[Complex, Array]:
    """The balls' middles, and above how far each may be from the truth."""
    parts, away = np.empty((4, len(values))), np.empty(len(values))
    for j, value in enumerate(values):
        re, im = value.real, value.imag
        top, side = float(re), float(im)
        low, small = float(re - top), float(im - side)
        parts[:, j] = top, low, side, small
        away[j] = float(abs(re - top - low).upper() + abs(im - side - small).upper())
    found = Complex(_fast_sum(parts[0], parts[1]), _fast_sum(parts[2], parts[3]))
    return found, 1.001 * away + _NOTHING


def powers(base: Complex, n: int) -> Complex:
    """A row of the entries' powers for each of 0 … n−1; power j is off by (1+EACH)^2j."""
    shape = n, len(base.re.hi)
    found = Complex(*(Twofold(np.zeros(shape), np.zeros(shape)) for _ in range(2)))
    found.re.hi[0] = 1.0
    _put(found, slice(1, 2), base)
    filled = 2
    while filled < n:
        more = min(filled, n - filled)
        factor = times(found.rows(slice(filled - 1, filled)), base)
        part = times(found.rows(slice(0, more)), factor)
        _put(found, slice(filled, filled + more), part)
        filled += more
    return found


def _put(into: Complex, where: slice, values: Complex) -> None:
    for to, value in zip(into, values, strict=True):
        to.hi[where], to.lo[where] = value


def sums(
    weights: Sequence[Sequence[acb]], ratios: Sequence[acb], n: int, error: float, most: float
) -> list[list[acb]] | None:
    """Balls for Σᵣ weightᵣ ratioᵣʲ, j = 0 … n−1, for each row of weights; |ratioᵣ| ≤ 1.

    Computes:  powers by small and by large steps, and a product of two matrices.
    Valid for: any weights; None where twofold numbers cannot be this sharp.
    Error:     `error`, or at worst `most`, relative to Σ|weight|: in the balls' radii.
    Cost:      a dozen products of matrices of doubles.
    Source:    docs/proofs/contour.md, section 9.
    """
    if not exact():
        return None
    small = max(2, math.isqrt(n - 1) + 1)
    large = max(2, (n + small - 1) // small)
    (steps, slip), (strides, slide) = (converted(x) for x in (ratios, [y**small for y in ratios]))
    if not all(np.hypot(x.re.hi, x.im.hi).max() <= 1 + 2.0**-40 for x in (steps, strides)):
        return None
    tables = small * slip.max() + large * slide.max() + 2.02 * (small + large + 2) * EACH
    giant, baby, found = powers(strides, large), powers(steps, small), []
    for row in weights:
        mass = float_up(sum((abs(w).upper() for w in row), arb(0)))
        if not 0 < mass < math.inf:
            return None
        scale = math.frexp(mass)[1]
        if abs(scale) > _FARTHEST:
            return None
        unit = arb(2) ** -scale
        start, off = converted([w * unit for w in row])
        total, radius = _matrix(times(giant, start), baby, error / 2)
        radius = 1.01 * (radius + tables + off.sum() + len(row) * _NOTHING)
        if not (radius.max() <= most and max(tables, off.sum()) < 2.0**-40):
            return None
        found.append(_balls(total, radius, scale, n))
    return found


def _balls(values: Complex, radius: Array, scale: int, n: int) -> list[acb]:
    """The first n entries times 2^scale, each in a ball with its row's radius."""
    parts = [np.ldexp(part, scale).ravel()[:n].tolist() for part in (*values.re, *values.im)]
    radii = np.repeat(np.ldexp(radius, scale), values.re.hi.shape[1])[:n].tolist()
    return [
        acb(arb(a) + arb(b, r), arb(c) + arb(d, r))
        for a, b, c, d, r in zip(*parts, radii, strict=True)
    ]


@cache
def exact() -> bool:
    """Whether doubles and their matrix products do here what the proof rests on."""
    mixed = (np.arange(2**14) * 2654435761 % 2**22 - 2**21).reshape(8, -1)
    left, right = mixed, mixed[::-1].T
    product = left.astype(float) @ right.astype(float)
    x = np.sqrt(np.arange(1.0, 65.0))
    parts = zip(x.tolist(), *(part.tolist() for part in _product(x, x[::-1])), strict=True)
    pairs = zip(parts, x[::-1].tolist(), strict=True)
    held = [Fraction(a) * Fraction(b) == Fraction(hi) + Fraction(lo) for (a, hi, lo), b in pairs]
    return bool((product == left @ right).all()) and all(held)


def _matrix(left: Complex, right: Complex, error: float) -> tuple[Complex, Array]:
    """left · rightᵀ, and above each row's error."""
    terms = 2 * left.re.hi.shape[1]
    bits = (53 - math.ceil(math.log2(terms))) // 2
    tops = np.frexp(np.maximum(abs(left.re.hi), abs(left.im.hi)).max(axis=1))[1]
    top = int(np.frexp(max(abs(right.re.hi).max(), abs(right.im.hi).max()))[1])
    tops = np.maximum(tops + 1, -840)
    heights = np.ldexp(terms * 1.0, tops + top + 1)
    count = 2
    while _dropped(count, bits) * heights.max() > error and count < _MOST_SLICES:
        count += 1
    halves = (_slices(x, tops, bits, count) for x in left)
    one = [np.hstack(pair) for pair in zip(*halves, strict=True)]
    other = _slices(right.re, np.array([top + 1]), bits, count)
    wing = _slices(right.im, np.array([top + 1]), bits, count)
    re, im = (_nothing(len(tops), right.re.hi.shape[0]) for _ in range(2))
    for level in range(count + 1, 1, -1):
        for i in range(max(1, level - count), min(count, level - 1) + 1):
            a, b, c = one[i - 1], other[level - i - 1], wing[level - i - 1]
            re = _added(re, _dot(a, np.hstack([b, -c]).T))
            im = _added(im, _dot(a, np.hstack([c, b]).T))
    masses = (abs(left.re.hi) + abs(left.im.hi)).sum(axis=1)
    return Complex(re, im), heights * _dropped(count, bits) + masses * np.ldexp(2.0**-95, top)


def _dot(a: Array, b: Array) -> Array:
    """The product, by blocks that a library multiplies on one core: threads would wait for others.

    Nothing is rounded, so blocks may be added up in any order.
    """
    if a.size * b.shape[1] > _LARGE:
        return a @ b
    found = np.zeros((a.shape[0], b.shape[1]))
    high, wide = (size if size <= 1.5 * _BLOCK else _BLOCK for size in found.shape)
    deep = _BLOCK**3 // (high * wide)
    starts = map(range, (0, 0, 0), (*found.shape, a.shape[1]), (high, wide, deep))
    for i, j, k in itertools.product(*starts):
        rows, columns, terms = slice(i, i + high), slice(j, j + wide), slice(k, k + deep)
        found[rows, columns] += a[rows, terms] @ b[terms, columns]
    return found


def _dropped(count: int, bits: int) -> float:
    """What products of slices that are left out come to, of the largest product."""
    return (count + 2) * 2.0 ** (-count * bits)


def _nothing(rows: int, columns: int) -> Twofold:
    return Twofold(np.zeros((rows, columns)), np.zeros((rows, columns)))


def _added(x: Twofold, y: Array) -> Twofold:
    found = _sum(x.hi, y)
    return _fast_sum(found.hi, found.lo + x.lo)


def _slices(x: Twofold, tops: NDArray[np.int_], bits: int, count: int) -> list[Array]:
    """x cut into multiples of 2^(top − bits·i), i = 1 … count; what is left is dropped."""
    found = []
    for i in range(1, count + 1):
        rounder = np.ldexp(1.5, tops - bits * i + 52)[:, None]
        head = (x.hi + rounder) - rounder
        found.append(head)
        x = _sum(x.hi - head, x.lo)
    return found
