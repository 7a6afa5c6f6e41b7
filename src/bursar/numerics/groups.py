"""Sums of many losses, drawn at once: a tilted law that dominates theirs, on a lattice.

Each loss is moved to the ends of its cell so that the cell keeps its masses under P and Q, which
costs no less; then m of them have a sum on the lattice, whose masses are a power of a transform,
with a proved error that is added to each.  An alias table in integers draws sums with at least
those masses, so what is drawn bounds δ from above: docs/proofs/monte-carlo.md, §7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.errors import InternalError, LimitReached
from bursar.numerics.balls import ball, float_up, precision
from bursar.numerics.envelope import Source
from bursar.numerics.fourier import TINY, UNIT, Complex, growth, norm_up, transform
from bursar.numerics.tilts import Coordinate, Floats

Places = NDArray[np.int64]

_LEAST_BITS, _MOST_BITS = 10, 18  # log₂ of a table
_WORD = 64
_MOST_CELLS = 30_000
_OUTSIDE = -25.0  # log of the mass of sums that have no place in a table
_FAR = np.geomspace(1e-2, 1e3, 200)  # tilts of Chernoff's bound
_ROUGH = 1e-3  # of a cell that is more than a step wide: its mass at its upper end, times width²
_SAFE = 1e-9
_NEAR = 1e-6  # of a step: an end so near to a place is beyond it


@final
@dataclass(frozen=True, slots=True)
class Dots:
    """One loss on the lattice, tilted: probabilities at places, over a mass of e^{log_mass}."""

    places: Places
    weights: Floats
    log_mass: float
    step: float

    @classmethod
    def of(cls, law: Coordinate, lam: float, low: float, high: float, step: float) -> Dots:
        """The loss between two t, in cells that become wider where there is little mass.

        Computes:  masses under P at the ends of cells, times e^{λ·loss}; cells keep both masses.
        Valid for: q < 1; any step.
        Error:     upward only.
        Cost:      about 40 µs a cell.
        Source:    Doroshenko et al. 2022; docs/proofs/monte-carlo.md, Lemma 6.
        """
        knots = _knots(law, lam, low, high, step)
        with precision(96):
            root, m, q = arb(0.5).sqrt(), ball(law.mu_squared).sqrt(), ball(law.q)
            lattice = [int(knot) * arb(step) for knot in knots]
            inner = [(1 + y.expm1() / q).log() / m + m / 2 for y in lattice[1:-1]]
            edges = [arb(low), *inner, arb(high)]
            out = [(t * root).erfc() / 2 for t in edges]
            into = [((t - m) * root).erfc() / 2 for t in edges]
            sign = 1 if law.removes else -1
            masses = [arb(0)] * len(knots)
            for j in range(len(knots) - 1):
                absent = out[j] - out[j + 1]
                present = (1 - q) * absent + q * (into[j] - into[j + 1])
                p, other = (present, absent) if law.removes else (absent, present)
                near, far = (j, j + 1) if law.removes else (j + 1, j)
                below, above = sign * lattice[near], sign * lattice[far]
                most = p.upper().max(arb(0))
                share = (p - other * below.exp()) / -(below - above).expm1()
                right = share.upper().max(arb(0)).min(most)
                masses[far] += right
                masses[near] += most - right
            rate = arb(lam) * sign
            both = zip(masses, lattice, strict=True)
            tilted = [mass * (rate * y).exp() for mass, y in both]
            whole = sum(tilted, arb(0)).upper()
            weights = np.array([float_up(one / whole) for one in tilted])
            return cls(sign * knots, weights, float_up(whole.log()), step)

    def log_moment(self, tilts: Floats, origin: float) -> Floats:
        """About log E e^{θ(y − origin)} for each θ."""
        away = np.outer(tilts, self.places * self.step - origin)
        top = away.max(axis=1)
        with np.errstate(under="ignore"):
            return np.asarray(top + np.log(np.exp(away - top[:, None]) @ self.weights))

    @property
    def mean(self) -> float:
        """Of the tilted loss, about."""
        return float(self.weights @ self.places) * self.step


def _knots(law: Coordinate, lam: float, low: float, high: float, step: float) -> Places:
    """Places of ends of cells: each in the bulk, few where the tilted law has little mass."""
    t = np.linspace(low, high, 20_001)
    ell = law.log_w(t)
    logs = law.power(lam) * ell - 0.5 * t * t
    mass = np.exp(logs - logs.max())
    below = mass.cumsum() / mass.sum()

    def rough(place: int, wide: int) -> float:
        inside = np.interp([place * step, (place + wide) * step], ell, below)
        grown = math.exp(min((lam + 1) * wide * step, 700.0))
        return max(float(inside[1] - inside[0]), 1e-60) * wide**2 * grown

    found = [math.floor(float(ell[0]) / step - _NEAR)]
    last = math.ceil(float(ell[-1]) / step + _NEAR)
    wide = 1
    while found[-1] < last:
        while wide > 1 and rough(found[-1], wide) > _ROUGH:
            wide //= 2
        while rough(found[-1], 2 * wide) <= _ROUGH and found[-1] + wide < last:
            wide *= 2
        found.append(found[-1] + wide)
        if len(found) > _MOST_CELLS:
            raise LimitReached("a loss has too many cells on so fine a lattice")
    return np.array(found, dtype=np.int64)


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Sums of so many losses, as a table.

    The measure of a sum jh is at most e^{log_weight − λjh} times its probability here, and of the
    tilted mass e^{log_outside} has no place.
    """

    count: int
    step: float
    first: int
    cuts: NDArray[np.uint64]
    other: NDArray[np.int32]
    log_weight: float
    log_mass: float  # of all sums, tilted
    log_outside: float

    @property
    def slack(self) -> float:
        """How far a sum that is computed may be from its place: rounding."""
        return 4 * UNIT * (abs(self.first) + len(self.cuts)) * self.step

    def losses(self, size: int, source: Source) -> Floats:
        """So many independent sums.

        Computes:  places, exactly with the probabilities of the table.
        Valid for: independent uniform words.
        Error:     none.
        Cost:      8 bytes and about 15 ns a sum.
        Source:    docs/proofs/monte-carlo.md, Prop. 8c.
        """
        words = source(size)
        bits = (len(self.cuts) - 1).bit_length()
        column = (words & np.uint64(len(self.cuts) - 1)).astype(np.intp)
        kept = (words >> np.uint64(bits)) < self.cuts[column]
        place = np.where(kept, column, self.other[column])
        return np.asarray((place + self.first) * self.step)


def groups(
    law: Coordinate, lam: float, low: float, high: float, counts: tuple[int, ...], step: float
) -> tuple[Group, ...]:
    """Tables for sums of so many losses each, on one lattice, with about this step or a wider one.

    Computes:  circular convolution powers, with their errors added; what comes around adds too.
    Valid for: counts from 1 to 1e9.
    Error:     upward only, and `log_outside`.
    Cost:      about a second.
    Source:    docs/proofs/monte-carlo.md, Prop. 8c.
    """
    most = max(counts)
    for _ in range(4):
        dots = Dots.of(law, lam, low, high, step)
        ends = _ends(dots, most)
        places = (ends[1] - ends[0]) / step
        if places <= 1 << _MOST_BITS:
            break
        step *= 1.05 * places / (1 << _MOST_BITS)
    else:
        raise LimitReached("sums of losses are too wide for a table")
    size = 1 << max(_LEAST_BITS, math.ceil(math.log2(max(places, 2))))
    around = np.mod(dots.places, size)
    padded = dots.weights * (1 + 4 * UNIT * len(dots.places))
    folded = np.asarray(np.bincount(around, padded, minlength=size), dtype=np.float64)
    spectrum = transform(folded.astype(np.complex128))
    return tuple(_group(dots, folded, spectrum, count) for count in counts)


def _ends(dots: Dots, count: int) -> tuple[float, float]:
    """Between which sums all but e^{_OUTSIDE} of the mass lies, by Chernoff's bound."""
    middle = dots.mean
    high, low = (count * dots.log_moment(sign * _FAR, middle) for sign in (1.0, -1.0))
    right = float(((high - _OUTSIDE) / _FAR).min())
    left = float(((low - _OUTSIDE) / _FAR).min())
    return count * middle - left, count * middle + right


def _group(dots: Dots, folded: Floats, spectrum: Complex, count: int) -> Group:
    size, (low, high) = len(folded), _ends(dots, count)
    first = math.floor(0.5 * (low + high) / dots.step) - size // 2
    power = _power(spectrum, count)
    back = np.conj(transform(np.conj(power))) / size
    own = growth(size) * math.sqrt(size) * norm_up(folded) + TINY
    grown = math.exp(count * (float(np.abs(spectrum).max()) - 1 + own) + _SAFE)
    error = count * own * max(grown, 1.0) + 4 * UNIT * count * norm_up(power)
    off = 1.01 * (error + (growth(size) + 4 * UNIT) * norm_up(power)) / math.sqrt(size) + TINY
    masses = np.maximum(np.roll(back.real, -(first % size)), 0.0) + off
    whole = math.fsum(masses.tolist())
    free = 2**_WORD - 2 * size
    weights = [math.ceil(one) + 1 for one in (masses * (free / whole)).tolist()]
    weights[int(masses.argmax())] += 2**_WORD - sum(weights)
    cuts, other = _aliases(weights)
    log_weight = count * dots.log_mass + math.log(whole) + _SAFE + 1e-14 * count
    log_outside = _outside(dots, count, first * dots.step, (first + size - 1) * dots.step)
    log_mass = count * dots.log_mass + _SAFE
    return Group(count, dots.step, first, cuts, other, log_weight, log_mass, log_outside)


def _outside(dots: Dots, count: int, low: float, high: float) -> float:
    """log of a bound on the tilted mass of sums outside, relative to all: Chernoff, both sides."""
    middle = dots.mean
    over = count * dots.log_moment(_FAR, middle) - _FAR * (high - count * middle)
    under = count * dots.log_moment(-_FAR, middle) - _FAR * (count * middle - low)
    return float(np.logaddexp(over.min(), under.min())) + 1e-12 * count + _SAFE


def _power(x: Complex, n: int) -> Complex:
    """x^n by squaring: at most n − 1 products' worth of relative error."""
    found = np.ones_like(x)
    while n:
        if n & 1:
            found = found * x
        n >>= 1
        if n:
            x = x * x
    return found


def _aliases(weights: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Walker's table in integers that add up to 2^64: c is c below its cut, and other[c] above."""
    size = len(weights)
    depth = 2**_WORD // size
    if sum(weights) != 2**_WORD or min(weights) <= 0:
        raise InternalError("the masses of sums do not add up")
    left, cuts, other = weights, [depth] * size, list(range(size))
    small = [c for c, n in enumerate(left) if n < depth]
    large = [c for c, n in enumerate(left) if n >= depth]
    while small:
        c, donor = small.pop(), large[-1]
        cuts[c], other[c] = left[c], donor
        left[donor] -= depth - left[c]
        if left[donor] < depth:
            small.append(large.pop())
    return np.array(cuts, dtype=np.uint64), np.array(other, dtype=np.int32)
