"""The sum of many losses on the lattice: a tilted circular convolution, with all its errors.

Upper and lower laws go through one complex transform.  What comes around the circle, the tail
beyond the window, and round-off are bounded; the bill has a line for each.
docs/proofs/lattice.md, sections 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.accounting.lattice_law import Lattice, Law
from bursar.accounting.lattice_sketch import GAPS, Total
from bursar.errors import LimitReached
from bursar.numerics.balls import float_up, precision
from bursar.numerics.fourier import (
    TINY,
    UNIT,
    Complex,
    Floats,
    growth,
    norm_up,
    powers,
    total,
    transform,
)

_MOST_FOLDED = 2000
_MOST_STEPS = 10**12
_LEAST = 1e-300  # more than a float loses that is below the normal ones
_ROOM = 1 + arb(2) ** -40  # so that the weights of a law add up to less than 1


@final
@dataclass(frozen=True, slots=True)
class Tilted:
    """A law times e^{λy}, over `log_mass`: float weights that add up to at most 1.

    The law that these weights stand for is at or above the one they are made of (`up`), or below.
    """

    places: NDArray[np.int64]
    weights: Floats
    log_mass: arb
    up: bool

    @classmethod
    def of(cls, law: Law, lattice: Lattice, tilt: arb, *, up: bool) -> Tilted:
        """Each weight is rounded away from the truth."""
        rate = tilt * lattice.width
        values = [m * (rate * j).exp() for j, m in zip(law.places, law.masses, strict=True)]
        mass = sum(values, arb(0)).upper() * _ROOM
        if not mass > 0:
            return cls(np.zeros(1, np.int64), np.zeros(1), arb(0), up)
        near = np.array([float((value / mass).mid()) for value in values])
        away = near * (1 + 2**-50) + _LEAST if up else near * (1 - 2**-50) - _LEAST
        weights = np.maximum(away, 0.0)
        return cls(np.array(law.places, dtype=np.int64), weights, mass.log(), up)

    def folded(self, size: int) -> Floats:
        """The weights on a circle; sums of weights are rounded away from the truth too."""
        where = np.mod(self.places, size)
        most = int(np.bincount(where).max())
        if most > _MOST_FOLDED:
            raise LimitReached("one step's losses go too often around the lattice")
        away = 2 * most * UNIT if most > 1 else 0.0
        found = np.bincount(where, self.weights, minlength=size)
        return np.asarray(found * (1 + away if self.up else 1 - away))

    def log_mgf(self, more: arb, lattice: Lattice) -> arb:
        """K at λ + `more`."""
        rate = more * lattice.width
        parts = zip(self.places.tolist(), self.weights.tolist(), strict=True)
        whole = sum((weight * (rate * place).exp() for place, weight in parts), arb(0))
        return self.log_mass + whole.log()


class Side(NamedTuple):
    """One of the two laws after composition: its weights on the circle, and what else it takes."""

    weights: Floats
    steps: tuple[tuple[Tilted, int], ...]
    log_mass: arb
    infinite: arb
    empty: bool  # some step has no finite loss


@final
@dataclass(slots=True)
class Composed:
    """Bounds on δ(ε) near an ε, from above and, where there is a lower law, from below."""

    lattice: Lattice
    tilt: arb
    size: int
    sides: dict[bool, Side]  # the upper law is at True
    error: float  # of all weights, in the 2-norm
    proposal: Total
    falls: tuple[Floats, Floats] = field(init=False)
    spread: float = field(init=False)  # 2-norm of the weights of δ
    kept: dict[object, arb] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        h = self.lattice.width
        self.falls = powers((-self.tilt * h).exp(), self.size), powers((-h).exp(), self.size + 1)
        gains = self.falls[0] * (1 - self.falls[1][1:] + 1e-14)
        self.spread = norm_up(gains)

    def delta(self, epsilon: arb, *, up: bool) -> arb:
        """A bound on δ at an exact ε ≥ 0, as an exact ball; what it is made of is in `parts`."""
        return self.parts(epsilon, up=up)[0]

    def top(self) -> arb:
        """The largest finite loss of the upper law; beyond it δ is that of the infinite ones."""
        return sum(n * int(t.places.max()) for t, n in self.sides[True].steps) * self.lattice.width

    def parts(self, epsilon: arb, *, up: bool) -> tuple[arb, arb, arb]:
        """The bound, what round-off adds, what the circle and the tail add."""
        side = self.sides[up]
        least = side.infinite.upper() if up else side.infinite.lower()
        if side.empty:
            return least, arb(0), arb(0)
        lowest, highest = (sum(n * int(at(t.places)) for t, n in side.steps) for at in (min, max))
        if highest * self.lattice.width < epsilon:
            return least, arb(0), arb(0)
        first = self._after(epsilon)
        last = min(highest, first + self.size - 1)
        found, slack = self._sum(side.weights, epsilon, first, last)
        factor = (side.log_mass - self.tilt * epsilon).exp()
        tail = arb(0)
        if highest >= first + self.size:
            tail = self._tail(side, first + self.size, epsilon, up=up)
        if not up and last - self.size >= lowest:
            tail += (-self.tilt * self.size * self.lattice.width).exp()
        finite = factor * (found + slack) + tail if up else factor * (found - slack) - tail
        whole = finite.max(arb(0)) + side.infinite
        end = whole.upper().min(arb(1)) if up else whole.lower().max(arb(0))
        return end, (factor * slack).upper(), tail.upper()

    def _after(self, epsilon: arb) -> int:
        """The least place that is not certain to lie below ε."""
        place = math.floor(float(epsilon / self.lattice.width)) + 2
        while not (place - 1) * self.lattice.width < epsilon:
            place -= 1
        return place

    def _sum(self, weights: Floats, epsilon: arb, first: int, last: int) -> tuple[arb, arb]:
        """Σ weight·e^{−λv}(1 − e^{−v}) over the window, v = y − ε, and a bound on its error."""
        count = last - first + 1
        if count <= 0:
            return arb(0), arb(0)
        start = first % self.size
        window = np.zeros(self.size)
        window[: self.size - start] = weights[start:]
        window[self.size - start :] = weights[:start]
        window[count:] = 0.0
        window *= self.falls[0]
        lean, lean_error = total(window)
        bulk, _ = total(np.abs(window))
        window *= self.falls[1][:-1]
        steep, steep_error = total(window)
        ahead = first * self.lattice.width - epsilon
        rise, fall = (-ahead).exp(), (-self.tilt * ahead).exp()
        slack = arb(lean_error + steep_error + 24 * UNIT * bulk + 2 * TINY) * (1 + rise)
        slack += arb(self.error) * self.spread + arb(bulk) * (-ahead.lower()).max(arb(0))
        return fall * (lean - rise * steep), fall * slack

    def _tail(self, side: Side, beyond: int, epsilon: arb, *, up: bool) -> arb:
        """Chernoff's bound on what lies at or beyond a place, weighted as it comes around."""
        edge = beyond * self.lattice.width
        tilts = float(self.tilt) * (1 + GAPS)
        value = self.proposal.at(tilts) - float(self.tilt) * GAPS * float(edge)
        more = arb(float(GAPS[int(np.nanargmin(value))])) * self.tilt
        if (up, more.str()) not in self.kept:
            parts = (n * tilted.log_mgf(more, self.lattice) for tilted, n in side.steps)
            self.kept[up, more.str()] = sum(parts, arb(0))
        log_mgf = self.kept[up, more.str()]
        if up:
            return (log_mgf - (self.tilt + more) * edge).exp()
        return (log_mgf - more * edge - self.tilt * epsilon).exp()


def composed(
    laws: Sequence[tuple[Law, Law | None, int]],
    lattice: Lattice,
    tilt: float,
    size: int,
    proposal: Total,
) -> Composed:
    """The composition of steps: of each an upper law, a lower one if there is one, and a count."""
    with precision(128):
        at = arb(tilt)
        both = all(law[1] is not None for law in laws)
        tilted: dict[bool, list[tuple[Tilted, int]]] = {True: [], False: []}
        for high, low, n in laws:
            tilted[True].append((Tilted.of(high, lattice, at, up=True), n))
            if both and low is not None:
                tilted[False].append((Tilted.of(low, lattice, at, up=False), n))
        folded = [
            (
                one.folded(size),
                tilted[False][i][0].folded(size) if both else np.zeros(size),
                n,
            )
            for i, (one, n) in enumerate(tilted[True])
        ]
        highs, lows, error = _convolved(folded, size)
        sides = {True: _side(highs, tilted[True], [(law[0], law[2]) for law in laws])}
        if both:
            below = [(law[1], law[2]) for law in laws if law[1] is not None]
            sides[False] = _side(lows, tilted[False], below)
        return Composed(lattice, at, size, sides, error, proposal)


def _side(weights: Floats, steps: list[tuple[Tilted, int]], laws: list[tuple[Law, int]]) -> Side:
    log_mass = sum((n * one.log_mass for one, n in steps), arb(0))
    infinite = arb(1)
    if not any(law.infinite >= 1 for law, _ in laws):
        infinite = -sum((n * (-law.infinite).log1p() for law, n in laws), arb(0)).expm1()
    empty = any(not one.weights.any() for one, _ in steps)
    return Side(weights, tuple(steps), log_mass, infinite, empty)


def _convolved(
    parts: Sequence[tuple[Floats, Floats, int]], size: int
) -> tuple[Floats, Floats, float]:
    """The circular convolution powers of the upper and the lower laws, and their error."""
    above = np.ones(size, dtype=np.complex128)
    below = np.ones(size, dtype=np.complex128)
    error, largest, steps = 0.0, 1e-9, sum(n for _, _, n in parts)
    if steps > _MOST_STEPS:
        need = f"{steps} steps are too many for the lattice"
        raise LimitReached(need, hint="Ask for --method rdp.")
    for high, low, n in parts:
        packed = high + 1j * low
        mixed = transform(packed)
        mirrored = np.conj(np.roll(mixed[::-1], 1))
        own = (growth(size) + 4 * UNIT) * math.sqrt(size) * norm_up(packed) + TINY
        high_side, low_side = (mixed + mirrored) / 2, (mixed - mirrored) / 2j
        for one in (high_side, low_side):
            largest += n * math.log(max(1.0, float(np.abs(one).max()) * (1 + 8 * UNIT)))
        above *= _power(high_side, n)
        below *= _power(low_side, n)
        error += n * own
    rounded = 3 * UNIT * (steps + len(parts)) * (norm_up(above) + norm_up(below))
    error = 1.001 * error * math.exp(min(largest, 100.0)) + rounded
    packed = above + 1j * below
    back = np.conj(transform(np.conj(packed))) / size
    whole = (2 * error + (growth(size) + 4 * UNIT) * norm_up(packed)) / math.sqrt(size) + TINY
    return np.ascontiguousarray(back.real), np.ascontiguousarray(back.imag), 1.001 * whole


def _power(x: Complex, n: int) -> Complex:
    """x^n by squaring: at most n − 1 products' worth of relative error."""
    found: Complex | None = None
    while n:
        if n & 1:
            found = x.copy() if found is None else found * x
        n >>= 1
        if n:
            x = x * x
    return np.ones_like(x) if found is None else found


def relative(part: arb, whole: arb) -> float:
    """A part of a bound, relative to it, rounded up."""
    return float_up(part / whole) if whole > 0 else math.inf
