"""From a law of losses to laws on the lattice hZ: one that costs at least as much, one at most.

Upper: what lies between two knots is shared between them so that its masses under P and under Q
stay (connect the dots, Doroshenko et al. 2022); lower: outputs are merged, in parts if need be,
until a merged output's loss is a multiple of h.  Proofs: docs/proofs/lattice.md, section 2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, final

from flint import arb

from bursar.accounting.lattice_losses import Losses, Lump, Lumps
from bursar.numerics.balls import ball


@final
@dataclass(frozen=True, slots=True)
class Law:
    """Masses at multiples of the step, in order, and the mass of an infinite loss; exact balls."""

    places: tuple[int, ...]
    masses: tuple[arb, ...]
    infinite: arb


@final
@dataclass(slots=True)
class Lattice:
    """The multiples of a step, and e to each that was asked for."""

    step: Fraction
    width: arb = field(init=False)
    kept: dict[int, arb] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.width = ball(self.step)

    def ratio(self, place: int) -> arb:
        """e^{jh}."""
        if place not in self.kept:
            self.kept[place] = (place * self.width).exp()
        return self.kept[place]

    def below(self, y: arb) -> int:
        """The largest j that is known to have jh ≤ y, or one less."""
        place, back = math.floor(float(y / self.width)), 1
        while not place * self.width <= y:
            place, back = place - back, 2 * back
        return place

    def above(self, y: arb) -> int:
        """The least j that is known to have jh ≥ y, or one more."""
        return -self.below(-y)

    def around(self, lump: Lump) -> tuple[int, int]:
        """The knots on both sides of a lump; one and the same for an atom on the lattice."""
        if lump.exact is not None and (place := lump.exact / self.step).denominator == 1:
            return place.numerator, place.numerator
        return self.below(lump.low), self.above(lump.high)


class Cell(NamedTuple):
    """Outputs of losses between two places, and their masses."""

    low: int
    high: int
    p: arb
    q: arb


@final
@dataclass(frozen=True, slots=True)
class Cells:
    """All of a law of losses, cut at knots: `under` lies below all cells, `over` above."""

    cells: tuple[Cell, ...]
    under: tuple[int, arb] | None
    over: tuple[int, arb, arb] | None
    infinite: arb

    @classmethod
    def cut(cls, losses: Losses, lumps: Lumps, lattice: Lattice, knots: Sequence[int]) -> Cells:
        """The continuous part between these knots, in order, and the lumps where they lie."""
        found = [Cell(*lattice.around(lump), lump.p, lump.q) for lump in lumps.lumps]
        if losses.smooth is None:
            return cls(tuple(found), None, None, lumps.infinite)
        above = [losses.smooth.above(knot * lattice.width) for knot in knots]
        for n in range(len(knots) - 1):
            (p, q), (less, least) = above[n], above[n + 1]
            found.append(Cell(knots[n], knots[n + 1], p - less, q - least))
        lowest = losses.smooth.whole[0] - above[0][0]
        under = (knots[0], lowest.nonnegative_part())
        p, q = above[-1]
        high = losses.smooth.high
        ends = high is not None and knots[-1] * lattice.width >= high
        over = None if ends else (knots[-1], p.nonnegative_part(), q.nonnegative_part())
        return cls(tuple(found), under, over, lumps.infinite)


def upper(cells: Cells, lattice: Lattice) -> Law:
    """A law whose profile is at or above that of the cells."""
    found: dict[int, arb] = defaultdict(arb)
    infinite = cells.infinite
    if cells.under is not None:
        found[cells.under[0]] += cells.under[1].upper()
    if cells.over is not None:
        infinite += cells.over[1]
    for low, high, p, q in cells.cells:
        most = p.nonnegative_part().upper()
        if low == high:
            found[low] += most
            continue
        ratio = lattice.ratio(low)
        share = (p - ratio * q) / (1 - ratio / lattice.ratio(high))
        right = share.upper().max(arb(0)).min(most)
        found[high] += right
        found[low] += most - right
    return _law(found, infinite.upper(), up=True)


def lower(cells: Cells, lattice: Lattice, tilt: float) -> Law:
    """A law whose profile is at or below that of the cells.

    `tilt` says what is dear: where the next output is further than 2/(1 + λ), a loss is rounded
    down rather than merged.
    """
    found: dict[int, arb] = defaultdict(arb)
    for place, mass in _merged(_falling(cells), lattice, 2 / (1 + tilt)):
        found[place] += mass
    return _law(found, cells.infinite.lower().max(arb(0)), up=False)


class _Output(NamedTuple):
    loss: float
    least: int  # the loss is at or above this place
    p: arb
    q: arb


def _falling(cells: Cells) -> list[_Output]:
    """Each cell as one output, of the least P and the largest Q: the largest losses first."""
    found = [(cell.low, cell.p, cell.q) for cell in cells.cells]
    if cells.over is not None:
        found.append(cells.over)
    outputs = []
    for place, p, q in found:
        least, most = p.lower(), q.upper()
        if least > 0 and most > 0:
            outputs.append(_Output(float((least / most).log()), place, least, most))
    return sorted(outputs, key=lambda output: (-output.loss, -output.least))


def _merged(outputs: Iterable[_Output], lattice: Lattice, far: float) -> Iterator[tuple[int, arb]]:
    """Groups of outputs, the last of them in part, with P ≥ e^{jh} Q certain: (j, P)."""
    p = q = arb(0)
    place = least = 0
    last, step = math.inf, float(lattice.width)
    for output in outputs:
        more, absent = output.p, output.q
        if p > 0:
            ratio = lattice.ratio(place)
            if output.least >= place or p + more >= ratio * (q + absent):
                p, q, last = p + more, q + absent, output.loss
                least = min(least, output.least)
                continue
            if last - output.loss < far:
                part = _part(p - ratio * q, ratio * absent - more)
                grown, wider = p + part * more, q + part * absent
                if part > 0 and grown >= ratio * wider:
                    p, q, least = grown, wider, min(least, output.least)
                    more, absent = (1 - part) * more, (1 - part) * absent
            yield _sure(place, least, p, q, lattice), p
        p, q, last, least = more, absent, output.loss, output.least
        place = max(math.floor(output.loss / step), least)
    if p > 0:
        yield _sure(place, least, p, q, lattice), p


def _part(surplus: arb, missing: arb) -> arb:
    """How much of the next output may be merged: an exact ball from 0 to 1."""
    if not (surplus > 0 and missing > 0):
        return arb(0)
    share = float((surplus / missing).lower()) * (1 - 2**-40)
    return arb(min(max(share, 0.0), 1.0))


def _sure(place: int, least: int, p: arb, q: arb, lattice: Lattice) -> int:
    """The largest place that the merged loss is certain to be at or above."""
    place += 1
    while place > least and not p >= lattice.ratio(place) * q:
        place -= 1
    return place


def larger(laws: Sequence[Law], lattice: Lattice) -> Law:
    """A law whose profile is at or above all of theirs: through the largest at each place."""
    places = sorted({place for law in laws for place in law.places})
    columns = list(zip(*(_profile(law, places, lattice) for law in laws), strict=True))
    most = [_largest(column) for column in columns]
    ratios = [arb(0), *(lattice.ratio(place) for place in places)]
    slopes = [
        (more - less) / (after - before)
        for (less, more), (before, after) in zip(pairwise(most), pairwise(ratios), strict=True)
    ] + [arb(0)]
    found = {
        place: (ratio * (after - before)).nonnegative_part()
        for place, ratio, (before, after) in zip(places, ratios[1:], pairwise(slopes), strict=True)
    }
    return _law(found, _largest([law.infinite for law in laws]).upper(), up=True)


def _profile(law: Law, places: Sequence[int], lattice: Lattice) -> list[arb]:
    """δ at x = 0 and at the ratio of each place: Σ over the larger losses of P − xQ."""
    mass = dict(zip(law.places, law.masses, strict=True))
    p, q, found = law.infinite, arb(0), []
    for place in reversed(places):
        found.append(p - lattice.ratio(place) * q)
        if place in mass:
            p += mass[place]
            q += mass[place] / lattice.ratio(place)
    return [p, *reversed(found)]


def _largest(values: Sequence[arb]) -> arb:
    most = values[0]
    for value in values[1:]:
        most = most.max(value)
    return most


def _law(found: dict[int, arb], infinite: arb, *, up: bool) -> Law:
    places = tuple(sorted(place for place, mass in found.items() if mass > 0))
    ends = (found[place].upper() if up else found[place].lower() for place in places)
    return Law(places, tuple(ends), infinite)
