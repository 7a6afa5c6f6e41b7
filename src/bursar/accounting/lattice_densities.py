"""Losses of two densities on the line: masses by Taylor's theorem in balls, cell by cell.

On a cell of centre c and half-width r, ∫f is 2Σ f_k r^{k+1}/(k+1) over even k < K, with the
coefficients at c, give or take 2|f_K| r^{K+1}/(K+1), where f_K is over the whole cell.  The loss
is in ℓ(c) ± r|ℓ′|.  docs/proofs/lattice.md, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_series, ctx

from bursar.accounting.lattice_losses import Losses, Lump, Lumps
from bursar.adjacency import Direction
from bursar.errors import InvalidParameter
from bursar.numerics.balls import ball, precision
from bursar.privacy.densities import BallFunction
from bursar.privacy.pairs import DensitiesPair

_ORDER = 12
_BITS = 256  # so that what is missing to 1 is known well
_FIRST = 64  # cells at least
_MOST_ROUNDS = 40


class _Cell(NamedTuple):
    low: arb
    high: arb
    lump: Lump | None  # None: nothing is known of the loss
    p: arb
    q: arb


def densities(pair: DensitiesPair) -> Losses:
    """Cells between the breaks; mass that is missing to 1 has an infinite loss."""
    laws = pair.densities
    p, q = laws.present, laws.absent
    if pair.direction is Direction.ADD:
        p, q = q, p
    edges = [ball(edge) for edge in (laws.low, *laws.breaks, laws.high)]

    def cut(count: int) -> Lumps:
        with precision(_BITS):
            return _cut(list(_cells(p, q, edges, count)))

    return Losses(None, cut)


def _cut(cells: list[_Cell]) -> Lumps:
    lumps = tuple(cell.lump for cell in cells if cell.lump is not None)
    masses = [sum((getattr(lump, of) for lump in lumps), arb(0)) for of in ("p", "q")]
    for mass in masses:
        if mass > 1:
            need = "each density must have a mass of at most 1"
            raise InvalidParameter(need, field="densities", value=float(mass))
    infinite, never = ((1 - mass).nonnegative_part() for mass in masses)
    return Lumps(lumps, infinite, never)


def _cells(p: BallFunction, q: BallFunction, edges: list[arb], count: int) -> Iterator[_Cell]:
    """Equal cells; those of which nothing is known are halved, up to a limit."""
    each = -(-max(count, _FIRST) // (len(edges) - 1))
    for left, right in pairwise(edges):
        ends = [left + (right - left) * j / each for j in range(each)] + [right]
        waiting = list(pairwise(ends))
        for _ in range(_MOST_ROUNDS):
            known = [_cell(p, q, low, high) for low, high in waiting]
            yield from (cell for cell in known if cell.lump is not None)
            bad = [cell for cell in known if cell.lump is None]
            waiting = [half for cell in bad for half in _halves(cell)]
            if not waiting or len(waiting) > each:
                break


def _halves(cell: _Cell) -> list[tuple[arb, arb]]:
    middle = (cell.low + cell.high) / 2
    return [(cell.low, middle), (middle, cell.high)]


def _cell(p: BallFunction, q: BallFunction, low: arb, high: arb) -> _Cell:
    centre, half = (low + high) / 2, (high - low) / 2
    wide = low.union(high)
    masses, tops, slopes, values = [], [], [], []
    for law in (p, q):
        near, over = _series(law, centre), _series(law, wide)
        total = arb(0)
        for k in range(0, _ORDER, 2):
            total += 2 * near[k] * half ** (k + 1) / (k + 1)
        rest = 2 * abs(over[_ORDER]) * half ** (_ORDER + 1) / (_ORDER + 1)
        masses.append((total + rest * arb(0, 1)).nonnegative_part())
        values.append(near[0])
        tops.append(over[0])
        slopes.append(over[1] / over[0])
    if not (all(top > 0 for top in tops) and all(m.is_finite() for m in masses)):
        return _Cell(low, high, None, *masses)
    middle = (values[0] / values[1]).log()
    reach = half * (slopes[0] - slopes[1])
    spread = middle + reach * arb(0, 1)
    if not spread.is_finite():
        return _Cell(low, high, None, *masses)
    return _Cell(low, high, Lump(spread.lower(), spread.upper(), masses[0], masses[1]), *masses)


def _series(law: BallFunction, at: arb) -> list[arb]:
    before = ctx.cap
    ctx.cap = _ORDER + 1
    try:
        found = law(arb_series([at, 1], prec=_ORDER + 1))
        return [arb(found[k]) for k in range(_ORDER + 1)]
    finally:
        ctx.cap = before
