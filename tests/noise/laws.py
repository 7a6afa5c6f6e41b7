"""Exact probabilities, as balls and from their definitions: what the samplers are held against."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

Law = dict[int, arb]


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def normal_tail(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc() / 2


def laplace_tail(x: arb) -> arb:
    return (-x).exp() / 2


def rounded(tail, scale: Fraction, largest: int) -> Law:
    """P(j) of a symmetric law rounded to the integers."""
    above = [tail(ball(Fraction(2 * m + 1, 2)) / ball(scale)) for m in range(largest + 1)]
    law = {0: 1 - 2 * above[0]}
    for m in range(1, largest + 1):
        law[m] = law[-m] = above[m - 1] - above[m]
    return law


def discrete(exponent, largest: int) -> Law:
    """P(j) proportional to exp(−exponent(|j|)), cut where the rest is below 2^-200."""
    weights = {j: (-exponent(abs(j))).exp() for j in range(-largest, largest + 1)}
    total = sum(weights.values(), arb(0)) + arb(0, 2.0**-200)
    return {j: weight / total for j, weight in weights.items()}


def discrete_laplace(scale: Fraction, largest: int) -> Law:
    return discrete(lambda m: ball(m / scale), largest)


def discrete_gaussian(sigma: Fraction, largest: int) -> Law:
    return discrete(lambda m: ball(Fraction(m * m) / (2 * sigma**2)), largest)


def profile(law: Law, shift: int, epsilon: Fraction) -> arb:
    """δ(ε) of `law` moved by `shift` against itself: Σ max(0, P(j − shift) − e^ε P(j))."""
    total = arb(0)
    for j, p in law.items():
        if j - shift in law:
            total += (law[j - shift] - ball(epsilon).exp() * p).max(arb(0))
    return total


def gaussian_profile(sigma: Fraction, shift: int, epsilon: Fraction) -> arb:
    """δ(ε) of N(shift, σ²) against N(0, σ²).  Balle & Wang 2018, Thm 8."""
    a, b = ball(shift / (2 * sigma)), ball(epsilon * sigma / shift)
    return normal_tail(b - a) - ball(epsilon).exp() * normal_tail(b + a)


def laplace_profile(scale: Fraction, shift: int, epsilon: Fraction) -> arb:
    """δ(ε) of the Laplace law moved by `shift`: 1 − e^((ε − Δ/b)/2) below Δ/b, and 0 from there on.

    The event is that the loss is above ε; at half-way the densities' difference adds up to this.
    """
    if epsilon >= shift / scale:
        return arb(0)
    return 1 - ball((epsilon - shift / scale) / 2).exp()
