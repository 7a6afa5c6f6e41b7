"""How far Edgeworth's expansion may be from the truth, for this many steps: a proved bound.

In units of e^{K(λ)−λe}, |δ − expansion| ≤ (1/π) ∫ |φ(u) − φ_E(u)| / |z(z+1)| du over u ≥ 0, with
z = λ+iu.  Up to U the logarithm of φ is its Taylor polynomial and a rest; beyond, both are small:
φ by its fourth moments, by the decay that contours use, or, for losses on a lattice, by its
period.  The weight falls like 1/u², so atoms cost something, and forbid nothing.
Proof: docs/proofs/edgeworth.md.  Where U is, and the panels beyond: `remainder_places.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from flint import acb, arb

from bursar.accounting.remainder_places import Part, Places, half_period
from bursar.errors import InternalError, LimitReached
from bursar.numerics.balls import ball, precision
from bursar.numerics.factors import AtomsFactor
from bursar.numerics.propose import Slants, line
from bursar.numerics.tails import decay

NOTHING = "the finite-sample bound of Edgeworth's expansion says nothing here"
_BITS = 80  # a bound on an error needs few
_DIGITS = 30.0  # nats of a line that only serves a tail


@final
@dataclass(frozen=True, slots=True)
class Remainder:
    """The error of an expansion, in units of e^{K(λ)−λe}: from the Taylor rest, and from beyond."""

    near: arb
    far: arb

    @property
    def total(self) -> arb:
        """Both."""
        return (self.near + self.far).upper()


def remainder(parts: list[Part], spread: arb, derivatives: list[arb], lam: float) -> Remainder:
    """The bound, from the second to the fifth derivative of K, and the law of each step.

    `spread` is the variance of the plain Gaussian steps, which have no rest; steps that cost
    nothing have none either.
    """
    parts = [part for part in parts if not part.tilted.second.is_zero()]
    if not parts:
        return Remainder(arb(0), arb(0))
    variance = derivatives[0]
    if not (variance > 0 and all(part.tilted.second > 0 for part in parts)):
        raise LimitReached(NOTHING)
    ends = [arb(end) for end in Places(parts, spread, derivatives, lam).panels()]
    if not ends:
        raise LimitReached(NOTHING)
    with precision(_BITS):
        near = _near(parts, derivatives, lam, ends[0])
        far = _expansion_beyond(derivatives, lam, ends[0]) + _beyond(parts, spread, lam, ends)
        return Remainder(near / arb.pi(), far / arb.pi())


def _near(parts: list[Part], derivatives: list[arb], lam: float, end: arb) -> arb:
    """∫ over 0 … U of what the Taylor rest and the expanded exponential leave."""
    variance, grows, six = derivatives[0], derivatives[2].upper().max(arb(0)), _rest(parts, end)
    third, fourth, fifth = (abs(one).upper() for one in derivatives[1:])

    def at(u: acb, analytic: bool) -> acb:
        rest = fifth * u**5 / 120 + six * u**6
        odd, even = third * u**3 / 6, fourth * u**4 / 24
        swell = (grows * u**4 / 24).exp()
        off = swell * rest.expm1() + even**2 * swell / 2 + even * odd + odd**3 / 6
        return off * (-variance * u * u / 2).exp() * _weight(u, lam, analytic)

    return _integral(at, arb(0), end)


def _rest(parts: list[Part], end: arb) -> arb:
    """c with |Σ k (log φ − its polynomial of degree 5)| ≤ cu⁶ for 0 ≤ u ≤ U."""
    total = arb(0)
    for part in parts:
        law = part.tilted
        most = law.second * end**2 / 2
        if not most < 1:
            raise LimitReached("a step's characteristic function may vanish where it is expanded")
        series = law.sixth / 720 + 5 * law.second * law.fourth / 144
        total += part.count * (series + law.second**3 / (24 * (1 - most)))
    return total.upper()


def _expansion_beyond(derivatives: list[arb], lam: float, end: arb) -> arb:
    """∫ over u ≥ U of the expansion itself: incomplete Gamma functions."""
    variance, third, fourth = derivatives[0], abs(derivatives[1]), abs(derivatives[2])
    total = arb(0)
    for j, size in ((0, arb(1)), (3, third / 6), (4, fourth / 24), (6, third**2 / 72)):
        half = arb(j + 1) / 2
        total += size * (2 / variance) ** half * (variance * end**2 / 2).gamma_upper(half) / 2
    return total * _weight(acb(end), lam, False).real


def _beyond(parts: list[Part], spread: arb, lam: float, ends: list[arb]) -> arb:
    """∫ over u ≥ U of |φ|: panel by panel, then all the rest."""
    total = arb(0)
    for low, high in pairwise(ends):
        most = (-spread * low**2 / 2).exp()
        for part in parts:
            most *= _modulus(part, lam, low, high) ** part.count
        total += most * (high - low) * _weight(acb(low), lam, False).real
    last = ends[-1]
    whole = (-spread * last**2 / 2).exp()
    for part in parts:
        whole *= _fall(part, lam, last).upper() ** part.count
    room = (arb.pi() / 2 - (last / arb(lam)).atan()) / arb(lam)
    for part in parts:
        if isinstance(part.step, AtomsFactor):
            room = room.min(_periods(part.step, part.count, lam, last))
    return total + (whole * room).upper()


def _modulus(part: Part, lam: float, low: arb, high: arb) -> arb:
    """Above |φ(u)| of one step for low ≤ u ≤ high: by moments, or by decay where that is less."""
    law = part.tilted
    square = law.modulus_squared(low).max(law.modulus_squared(high)).upper()
    by_moments = square.max(arb(0)).sqrt().min(arb(1))
    if high < law.trusted() / 2:
        return by_moments.upper()
    return by_moments.min(_fall(part, lam, low)).upper()


def _fall(part: Part, lam: float, u: arb) -> arb:
    """Above |φ(v)| of one step for every v ≥ u."""
    if part.sketch is None:
        return part.step.fall(arb(lam), u).min(arb(1))  # type: ignore[union-attr]
    shift = Slants(part.sketch, lam).best(float(u))[1]
    try:
        spec = line(part.sketch, lam, _DIGITS + math.log(part.count), tail=shift)
        return decay(part.sketch.step, spec, part.tilted.mass, u, shift)
    except (InternalError, LimitReached):  # what float64 proposed is outside of a lemma
        return arb(1)


def _periods(atoms: AtomsFactor, count: int, lam: float, end: arb) -> arb:
    """∫ over u ≥ end of |φ|^k/|z(z+1)| of a loss on a lattice: the first half period, then all.

    |φ|² = 1 − g, and |φ|^k ≤ e^{−kg/2}; the period p of g is π/ε for two categories, else 2π/ε.
    About the peak at jp, u ≥ (j−⅛)p out to an eighth of a period, and u ≥ (j−½)p anywhere.
    """
    e, z = ball(atoms.epsilon), arb(lam)
    up, down = (e * (1 + z)).exp(), (-e * z).exp()
    whole = up + down + (atoms.categories - 2)
    up, down, still = up / whole, down / whole, (atoms.categories - 2) / whole
    half = half_period(atoms)
    if not end < half:
        return arb("inf")

    def power(u: acb) -> acb:
        once, twice = 1 - (e * u).cos(), 1 - (2 * e * u).cos()
        return (-count * ((up + down) * still * once + up * down * twice)).exp()

    first = _integral(lambda u, analytic: power(u) * _weight(u, lam, analytic), end, half)
    peak, valley = (
        2 * _integral(lambda u, analytic: power(u), *side)
        for side in ((arb(0), half / 4), (half / 4, half))
    )
    later = peak * arb(2).zeta(arb(7) / 8) + valley * arb(2).zeta(arb(1) / 2)
    return first + later / (2 * half) ** 2


def _weight(u: acb, lam: float, analytic: bool) -> acb:
    """1/|z(z+1)| at z = λ+iu."""
    return 1 / ((arb(lam) ** 2 + u * u) * ((1 + arb(lam)) ** 2 + u * u)).sqrt(analytic=analytic)


def _integral(function: Callable[[acb, bool], acb], low: arb, high: arb) -> arb:
    found = acb.integral(function, acb(low), acb(high), rel_tol=arb(2) ** -30)
    if not found.is_finite():
        raise LimitReached("an error of Edgeworth's expansion is beyond its quadrature")
    return found.real.upper()
