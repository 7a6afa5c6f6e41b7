"""Edgeworth's expansion of δ under a tilt, with the error that it has for this many steps.

δ(e) = (1/2πi) ∫ e^{K(z)−ez}/(z(z+1)) dz along Re z = λ.  There e^{K} is a characteristic function;
Edgeworth's expansion of second order takes its place, which makes the integral a formula, and
`remainder.py` bounds what that changes.  Proof: docs/proofs/edgeworth.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb

from bursar.accounting.contour import Loss
from bursar.accounting.remainder import Remainder, remainder
from bursar.accounting.remainder_places import Part
from bursar.numerics.balls import ball, normal_tail, precision
from bursar.numerics.factors import GaussianFactor
from bursar.numerics.sketch import Cumulant
from bursar.numerics.tilted import of_factor, of_step

BITS = 256


@final
@dataclass(frozen=True, slots=True)
class Expansion:
    """δ near a location: K and its first five derivatives at λ, and the bound on the error."""

    lam: arb
    derivatives: tuple[arb, ...]
    error: Remainder

    @classmethod
    def of(cls, loss: Loss, found: Cumulant, lam: float) -> Expansion:
        """The expansion at this tilt; raises LimitReached where its error has no bound."""
        spread, total = arb(0), [arb(0)] * 6
        with precision(BITS):
            at = arb(lam)
            parts = [Part(one.step, one.count, of_step(one, lam), one) for one in found.steps]
            for factor, n in loss.factors:
                if isinstance(factor, GaussianFactor):
                    c = n * ball(factor.mu_squared)
                    spread += c
                    plain = (c * at * (at + 1) / 2, c * (at + arb(0.5)), c, *[arb(0)] * 3)
                    total = [x + y for x, y in zip(total, plain, strict=True)]
                else:
                    mean = _slope(found, factor, lam)
                    parts.append(Part(factor, n, of_factor(factor, lam, mean), None))
            for part in parts:
                each = part.tilted.mass.log(), *part.tilted.cumulants()
                total = [x + part.count * y for x, y in zip(total, each, strict=True)]
            error = remainder(parts, spread, total[2:], lam)
        return cls(at, tuple(total), error)

    def value(self, location: arb) -> arb:
        """The expansion's δ, a ball.

        With P(s) = 1 + K‴s³/6 + K⁗s⁴/24 + K‴²s⁶/72 and 1/(z(z+1)) = 1/z − 1/(z+1), each part is
        P(s)/(a+s) = Q(s) + P(−a)/(a+s), a normal tail and derivatives of a normal density.
        """
        lam, (_, mean, variance, third, fourth, _) = self.lam, self.derivatives
        width, off = variance.sqrt(), location - mean
        x, zero = off / width, arb(0)
        p = [arb(1), zero, zero, third / 6, fourth / 24, zero, third**2 / 72]
        density = (-x * x / 2).exp() / (2 * arb.pi() * variance).sqrt()
        waves = [density, density * x / width]
        for j in range(2, 6):
            waves.append((x * waves[-1] - (j - 1) * waves[-2] / width) / width)
        total = zero
        for a, sign in ((lam, 1), (lam + 1, -1)):
            quotient, rest = _divided(p, a)
            tail = (a * off + a * a * variance / 2).exp() * normal_tail(x + a * width)
            part = rest * tail + sum((q * w for q, w in zip(quotient, waves, strict=True)), zero)
            total += sign * part
        return total * self._weight(location)

    def error_at(self, location: arb) -> arb:
        """Above |δ − value|."""
        return self.error.total * self._weight(location)

    def upper(self, location: arb) -> arb:
        """Above δ."""
        return self.value(location) + self.error_at(location)

    def lower(self, location: arb) -> arb:
        """Below δ."""
        return self.value(location) - self.error_at(location)

    def _weight(self, location: arb) -> arb:
        """e^{K(λ)−λe}."""
        return (self.derivatives[0] - self.lam * location).exp()


def _divided(p: list[arb], a: arb) -> tuple[list[arb], arb]:
    """Q and r of P(s) = Q(s)(s+a) + r, by Horner's rule."""
    quotient, carry = [arb(0)] * (len(p) - 1), arb(0)
    for j in range(len(p) - 1, 0, -1):
        carry = p[j] - a * carry
        quotient[j - 1] = carry
    return quotient, p[0] - a * carry


def _slope(found: Cumulant, factor: object, lam: float) -> float:
    """A factor's mean loss under the tilt, in float64."""
    gap = 1e-3 * lam + 1e-4
    one = next(each for each, _ in found.factors if each is factor)
    low, high = one.log_mgf(np.array([lam - gap, lam + gap]))
    return float(high - low) / (2 * gap)
