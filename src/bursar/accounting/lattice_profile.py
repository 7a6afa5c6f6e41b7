"""The profile of a composition on lattices that become finer until both ends agree.

Float64 proposes the step, the knots and the tilt (`lattice_sketch`); laws and sums are proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import NamedTuple, final

import numpy as np
from flint import arb

from bursar.accounting.ends import infinite, largest_loss
from bursar.accounting.lattice_kinds import losses
from bursar.accounting.lattice_law import Cells, Lattice, Law, larger, lower, upper
from bursar.accounting.lattice_losses import Losses
from bursar.accounting.lattice_sketch import Shape, Sketch, Total, sketch
from bursar.accounting.lattice_solve import solved
from bursar.accounting.lattice_sum import Composed, composed, relative
from bursar.errors import LimitReached, NoProof
from bursar.numerics.balls import ball, precision
from bursar.numerics.roots import Bracket
from bursar.privacy.pairs import Composition, LargerPair, Pair
from bursar.truth import BillLine

NAME = "lattice"
AIM = 1e-4  # relative width that is enough
_BITS = 128
_UNKNOWN = 60.0  # nats under a first guess of log δ, of losses that are left out
_MOST_TRIES = 6
_MOST_ATOMS = 64
_AS_WIDE = 1.5  # times the width of a near answer: narrow enough for the next
_TELLING = 0.05
_SAME = 2.0**-90  # relative: both ends of a number that is no float
_STEADY = 4.0  # nats: how far the least loss that matters is rounded
_BANDS = 2  # of asinh ε, that share a coarse lattice
_NOTHING = arb(0)
_STEPS = 1 + np.arange(4096) / 4096


class Level(NamedTuple):
    """How fine: cells of a step, log₂ of the places of the window."""

    cells: int
    log_size: int


LEVELS = (Level(400, 12), Level(1600, 14), Level(6400, 17), Level(20_000, 19))


class Part(NamedTuple):
    """A pair with its count: its losses, or those of its branches, and their sketches."""

    laws: tuple[Losses, ...]
    sketches: tuple[Sketch, ...]
    times: int


class Recent(NamedTuple):
    """What answered last: at which ε, beside what, and how narrow that was."""

    law: Composed
    wide: float
    epsilon: arb
    beside: arb

    def serves(self, epsilon: arb, found: arb, aim: float, beside: arb) -> bool:
        """Whether what it says at another ε is as good as what a new lattice would say."""
        if abs(epsilon - self.epsilon) <= _SAME * epsilon and beside >= self.beside:
            return True
        enough = max(aim, _AS_WIDE * self.wide) if self.wide < _TELLING else aim
        return _narrow(found.lower(), found.upper(), enough, beside)


@final
@dataclass(slots=True)
class LatticeProfile:
    """δ(ε) of one direction; an upper bound only, from 0 on, where a pair is not tight."""

    composition: Composition
    aim: float = AIM
    method: str = NAME
    lines: tuple[BillLine, ...] = ()
    known: dict[float, tuple[tuple[Part, ...], Total]] = field(default_factory=dict)
    recent: Recent | None = None
    coarse: dict[int, Composed] = field(default_factory=dict)

    def delta_at(self, epsilon: arb) -> arb:
        """A ball around δ: lattices become finer until it is narrow."""
        return self.delta_beside(epsilon, arb(0))

    def delta_beside(self, epsilon: arb, beside: arb) -> arb:
        """The same, as narrow as the sum of δ and what stands beside it asks for."""
        best, before_high = arb(0).union(arb(1)), arb(1)
        if self.recent is not None:
            with precision(_BITS):
                best = _common(best, *self._ends(self.recent.law, epsilon))
                if self.recent.serves(epsilon, best, self.aim, beside):
                    self._bill(self.recent.law, epsilon, best)
                    return best
        first = self._total(-_UNKNOWN)[1]
        at = min(float(epsilon), max(first.top, 0.0))
        guess = first.log_bound(at)
        with precision(_BITS):
            for level in LEVELS:
                for _ in range(_MOST_TRIES):
                    law = self._composed(at, guess, level)
                    ends = self._ends(law, epsilon)
                    before, guess = guess, _log(ends[1])
                    if abs(before - guess) < 3:
                        break
                best = _common(best, *ends)
                wide = relative(best.upper() - best.lower(), best.upper() + beside)
                self.recent = Recent(law, wide, epsilon, beside)
                self._bill(law, epsilon, best)
                if _narrow(best.lower(), best.upper(), self.aim, beside) or ends[0] == ends[1]:
                    break
                if not self.composition.tight and _settled(before_high, best.upper(), self.aim):
                    break
                before_high = best.upper()
        return best

    def guess(self, epsilon: float) -> float:
        """About δ, from above, for searches: by a coarse lattice that was made for a near ε."""
        band = round(_BANDS * math.asinh(epsilon))
        if band not in self.coarse:
            first = self._total(-_UNKNOWN)[1]
            at = min(math.sinh(band / _BANDS), max(first.top, 0.0))
            self.coarse[band] = self._composed(at, first.log_bound(at), LEVELS[1])
        with precision(_BITS):
            return float(self.coarse[band].delta(arb(epsilon), up=True))

    def epsilon_at(self, target: arb) -> Bracket:
        """A bracket around ε, by finer and finer lattices."""
        log_delta = float(target.log())
        near = self._total(log_delta)[1].epsilon_bound(log_delta)
        low, high = arb(0), None
        with precision(_BITS):
            for level in LEVELS:
                for _ in range(_MOST_TRIES):
                    law = self._composed(near, log_delta, level)
                    found = solved(law, near, target, tight=self.composition.tight)
                    before = near
                    near = float(found.high if found.high is not None else 2 * near + 1)
                    if found.high is not None and near > 0.8 * before:
                        break
                low, before_high = low.max(found.low), high
                high = found.high if high is None else high.min(found.high or high)
                if not low.is_finite():
                    return Bracket(low, None)
                self._bill(law, high or found.low, None)
                if high is not None and (high == 0 or _narrow(low, high, self.aim)):
                    break
                if not self.composition.tight and _settled(before_high, high, self.aim):
                    break
            if high is None:
                raise LimitReached("no ε was found on the lattice", hint="Ask for --method rdp.")
            end = _end(self.composition, target)
        high = high if end is None else high.min(end)
        return Bracket(low.min(high), high)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By one coarse lattice."""
        with precision(_BITS):
            law = self._composed(float(epsilon), float(target.log()), LEVELS[:2][-1])
            return bool(law.delta(epsilon, up=True) <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """The errors of the last answer, relative to δ."""
        return self.lines

    def _total(self, log_delta: float) -> tuple[tuple[Part, ...], Total]:
        """The sketches of all steps, of losses that are not too rare to matter at this δ."""
        count = sum(n for _, n in self.composition.parts)
        log_tiny = min(log_delta, -10.0) - math.log(count) - 18.0
        log_tiny = _STEADY * math.floor(log_tiny / _STEADY)
        if log_tiny not in self.known:
            with precision(_BITS):
                parts = tuple(_part(pair, n, log_tiny) for pair, n in self.composition.parts)
            flat = [(one, part.times) for part in parts for one in part.sketches[:1]]
            self.known[log_tiny] = parts, Total.of(flat)
        return self.known[log_tiny]

    def _composed(self, epsilon: float, log_delta: float, level: Level) -> Composed:
        parts, proposal = self._total(log_delta)
        shape = proposal.shape(epsilon, log_delta)
        lattice, size = _lattice(parts, shape, level)
        tight = self.composition.tight
        laws = [
            (*_laws(part, lattice, shape.tilt, level, tight=tight), part.times) for part in parts
        ]
        return composed(laws, lattice, shape.tilt, size, proposal)

    def _ends(self, law: Composed, epsilon: arb) -> tuple[arb, arb]:
        below = law.delta(epsilon, up=False) if self.composition.tight else arb(0)
        return below, law.delta(epsilon, up=True)

    def _bill(self, law: Composed, epsilon: arb, best: arb | None) -> None:
        end, noise, tail = law.parts(epsilon, up=True)
        whole = best.upper() if best is not None else end
        gap = whole - law.delta(epsilon, up=False) if self.composition.tight else None
        lines = [
            BillLine("round-off", relative(noise, whole), "transform in float64, bounded"),
            BillLine("window", relative(tail, whole), "Chernoff's bound beyond it and around it"),
        ]
        if gap is not None:
            step = float(law.lattice.width)
            source = f"losses moved up and down to multiples of {step:.3g}"
            lines.append(BillLine("lattice", relative(gap, whole), source))
        self.lines = tuple(lines)


def _part(pair: Pair, count: int, log_tiny: float) -> Part:
    branches = pair.branches if isinstance(pair, LargerPair) else (pair,)
    laws = tuple(losses(branch, log_tiny) for branch in branches)
    sketches = [sketch(law, log_tiny) for law in laws]
    sketches.sort(key=lambda one: -float(one.log_mgf(np.array([10.0]))[0]))
    return Part(laws, tuple(sketches), count)


def _lattice(parts: tuple[Part, ...], shape: Shape, level: Level) -> tuple[Lattice, int]:
    """A step at which the window has so many places, and atoms lie on the lattice if they can."""
    size = 1 << level.log_size
    least = shape.width / (size - 4)
    grids = [law.grid for part in parts for law in part.laws if law.grid]
    common = reduce(_gcd, grids) if grids else None
    pure = all(law.grid and law.smooth is None for part in parts for law in part.laws)
    if common is not None and common >= least:
        step = common if pure else common / math.floor(common / Fraction(least))
        while size > 64 and shape.width / float(step) < size / 2 - 4:
            size //= 2
        return Lattice(step), size
    return Lattice(Fraction(_nearly(parts, least))), size


def _nearly(parts: tuple[Part, ...], least: float) -> float:
    """A step from `least` to twice that for which atoms lie just above multiples of it."""
    at = np.concatenate([one.at for part in parts for one in part.sketches])
    if not 0 < len(at) <= _MOST_ATOMS:
        return least
    weights = [part.times * np.exp(one.log_p) for part in parts for one in part.sketches]
    steps = least * _STEPS[:, None]
    rest = at - steps * np.floor(at / steps * (1 + 1e-12))
    return float(steps[int(np.argmin((np.abs(rest) * np.concatenate(weights)).sum(axis=1))), 0])


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    bottom = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * bottom), int(b * bottom)), bottom)


def _laws(
    part: Part, lattice: Lattice, tilt: float, level: Level, *, tight: bool
) -> tuple[Law, Law | None]:
    found = []
    below: Law | None = None
    for law, one in zip(part.laws, part.sketches, strict=True):
        knots = _knots(one, lattice, tilt, level.cells) if law.smooth is not None else []
        cells = Cells.cut(law, law.cut(level.cells), lattice, knots)
        found.append(upper(cells, lattice))
        if tight:
            below = lower(cells, lattice, tilt)
    return (found[0] if len(found) == 1 else larger(found, lattice)), below


def _knots(one: Sketch, lattice: Lattice, tilt: float, most: int) -> list[int]:
    """Multiples of the step, dense where the tilted law has its mass: at most about so many."""
    step = float(lattice.width)
    density = one.density(tilt)
    under = density.max() - density
    gaps = np.diff(one.y)

    def widths(least: float) -> np.ndarray:
        wide = np.minimum(
            np.exp(np.minimum(under / 3, 200.0)), np.maximum(1.0, under / (2 * (1 + tilt) * least))
        )
        return np.asarray(np.minimum(least * wide, (one.high - one.low) / 16))

    least = step
    for _ in range(60):
        if float((gaps / widths(least)).sum()) <= most:
            break
        least *= 1.25
    place = np.concatenate([[0.0], np.cumsum(gaps / widths(least))])
    inner = np.interp(np.arange(0.0, place[-1]), place, one.y)
    places = {round(float(y) / step) for y in inner}
    ends = math.floor(one.y[0] / step - 1e-9), math.ceil(one.y[-1] / step + 1e-9)
    return sorted({*ends, *(j for j in places if ends[0] < j < ends[1])})


def _end(composition: Composition, target: arb) -> arb | None:
    """An ε that is enough: the largest finite loss, where infinite ones are rare enough."""
    try:
        largest = largest_loss(composition)
    except NoProof:
        return None
    if largest is None or not infinite(composition) <= target:
        return None
    return (ball(largest[0]) + largest[1]).upper().max(arb(0))


def _settled(before: arb | None, high: arb | None, aim: float) -> bool:
    """Whether a finer lattice, whose error is a sixteenth, has hardly moved an upper bound."""
    return before is not None and high is not None and _narrow(high, before, 4 * aim)


def _narrow(low: arb, high: arb, aim: float, beside: arb = _NOTHING) -> bool:
    return bool(high - low <= aim * (high + beside))


def _common(best: arb, low: arb, high: arb) -> arb:
    return best.lower().max(low).union(best.upper().min(high))


def _log(value: arb) -> float:
    return float(value.log()) if value > 0 else -1e6
