"""Losses of finitely many values: statements, tables, discrete noise.

docs/proofs/lattice.md, sections 1 and 6.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from bursar.accounting.lattice_losses import Losses, Lump, Lumps
from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.numerics.balls import ball, normal_tail
from bursar.privacy.pairs import AtomsPair

_MOST_ATOMS = 100_000


def atoms(pair: AtomsPair) -> Losses:
    """+ε, 0 or −ε, or infinite with probability δ."""
    e, m, finite = ball(pair.epsilon), pair.categories, 1 - ball(pair.delta)
    rare = finite / (e.exp() + (m - 1))
    likely, rest = rare * e.exp(), rare * (m - 2)
    if pair.epsilon == 0:
        found = [Lump.at(pair.epsilon, finite, finite)]
    else:
        found = [Lump.at(pair.epsilon, likely, rare), Lump.at(-pair.epsilon, rare, likely)]
        if m > 2:
            found.append(Lump.at(Fraction(0), rest, rest))
    lost = ball(pair.delta)
    return Losses.of(None, Lumps(tuple(found), lost, lost), Fraction(pair.epsilon) or None)


def table(rows: tuple[tuple[Exact, Exact], ...]) -> Losses:
    """log p/q of each row; rows of equal ratios are one."""
    merged: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for p, q in rows:
        if p and q:
            before = merged.get(p / q, (Fraction(0), Fraction(0)))
            merged[p / q] = before[0] + p, before[1] + q
    found = [_row(ratio, ball(p), ball(q)) for ratio, (p, q) in merged.items()]
    infinite = sum((p for p, q in rows if not q), Fraction(0))
    never = sum((q for p, q in rows if not p), Fraction(0))
    return Losses.of(None, Lumps(tuple(found), ball(infinite), ball(never)))


def discrete_gaussian(sigma: Exact, shift: int, log_tiny: float) -> Losses:
    """y(x) = (2xΔ − Δ²)/2σ² at a whole number x, from −R to R.

    Beyond, the mass is at most that of the normal density, and below e^{log_tiny}.
    """
    reach = shift + math.ceil(float(sigma) * math.sqrt(2 * (5 - log_tiny)) + 2)
    if 2 * reach > _MOST_ATOMS:
        need = f"this discrete noise has {2 * reach} whole numbers, and {_MOST_ATOMS} is the most"
        raise LimitReached(need, hint="Ask for --method rdp.")
    square = 2 * ball(sigma) ** 2
    weights = [(-arb(x * x) / square).exp() for x in range(reach + shift + 1)]
    beyond = (square * arb.pi()).sqrt() * normal_tail(reach / ball(sigma))
    mass = weights[0] + 2 * sum(weights[1 : reach + 1], arb(0)) + 2 * _up_to(beyond)
    grid = Fraction(shift) / (2 * sigma**2)
    found = [
        Lump.at(grid * (2 * x - shift), weights[abs(x - shift)] / mass, weights[abs(x)] / mass)
        for x in range(shift - reach, reach + 1)
    ]
    rare = _up_to(beyond / mass)
    lowest = grid * (shift - 2 * reach)
    found.append(Lump.at(lowest, rare, arb(0)))  # what is lost at the other end, raised
    return Losses.of(None, Lumps(tuple(found), rare, rare), grid)


def discrete_laplace(scale: Exact, shift: int) -> Losses:
    """At and beyond the centres the loss is ±Δ/t; between them it is (2x − Δ)/t."""
    if shift > _MOST_ATOMS:
        need = f"a contribution of {shift} has too many whole numbers to sum over"
        raise LimitReached(need, hint="Ask for --method rdp.")
    r = 1 / scale
    a = (-ball(r)).exp()
    one = 1 / (1 + a)
    far = one * (-ball(r * shift)).exp()
    found = [Lump.at(r * shift, one, far), Lump.at(-r * shift, far, one)]
    for x in range(1, shift):
        p, q = ((-ball(r * n)).exp() * (1 - a) * one for n in (shift - x, x))
        found.append(Lump.at(r * (2 * x - shift), p, q))
    return Losses.of(None, Lumps(tuple(found)), r)


def _row(ratio: Fraction, p: arb, q: arb) -> Lump:
    if ratio == 1:
        return Lump.at(Fraction(0), p, q)
    y = ball(ratio).log()
    return Lump(y, y, p, q)


def _up_to(most: arb) -> arb:
    """Something from 0 to this."""
    return arb(0).union(most)
