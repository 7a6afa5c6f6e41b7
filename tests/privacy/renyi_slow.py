"""Slow twins of the Rényi curves: divergences by their definitions, in mpmath or by long sums.

Nothing of bursar is used here.  `excess` integrates over the real line, segment by segment;
`log_moment_by_sum` is the binomial theorem, for whole orders only.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
from flint import arb, ctx, fmpq


def exact(value: Fraction | int) -> mp.mpf:
    """The rational number at the working precision."""
    fraction = Fraction(value)
    return mp.mpf(fraction.numerator) / fraction.denominator


def excess(sigma: Fraction, q: Fraction, order: Fraction, *, add: bool = False) -> mp.mpf:
    """E w^α − 1 under N(0, σ²), or with 1−α for α: the two directions, to 25 digits."""
    with mp.workdps(60):
        s, share, alpha = exact(sigma), exact(q), exact(order)
        power = 1 - alpha if add else alpha

        def integrand(t: mp.mpf) -> mp.mpf:
            u = share * mp.expm1((2 * t - 1) / (2 * s * s))
            return ((1 + u) ** power - 1 - power * u) * mp.npdf(t, 0, s)

        low, high = -18 * s, alpha + 18 * s
        pieces = int((high - low) / min(6 * s, 12 * s * s)) + 1
        return mp.quad(integrand, mp.linspace(low, high, pieces + 1), method="gauss-legendre")


def renyi(sigma: Fraction, q: Fraction, order: Fraction, *, add: bool = False) -> mp.mpf:
    """The Rényi divergence of the subsampled Gaussian, by integration."""
    with mp.workdps(60):
        return mp.log1p(excess(sigma, q, order, add=add)) / (exact(order) - 1)


def log_moment_by_sum(sigma: Fraction, q: Fraction, order: int, bits: int = 400) -> arb:
    """log Σ C(α, j) (1−q)^{α−j} q^j e^{j(j−1)/2σ²}.  Mironov, Talwar & Zhang 2019, 3.3."""
    before, ctx.prec = ctx.prec, bits
    try:
        share = arb(fmpq(q.numerator, q.denominator))
        rate = 1 / (2 * arb(fmpq(sigma.numerator, sigma.denominator)) ** 2)
        ratio, growth, turn = share / (1 - share), (2 * rate).exp(), arb(1)
        total = term = (1 - share) ** order
        for j in range(order):
            term = term * ratio * turn * (order - j) / (j + 1)
            turn = turn * growth
            total = total + term
        return (total - 1).log1p()
    finally:
        ctx.prec = before


def two_laws(p: list[mp.mpf], q: list[mp.mpf], order: mp.mpf) -> mp.mpf:
    """The Rényi divergence of two laws with finitely many values; at order 1 the mean loss."""
    pairs = list(zip(p, q, strict=True))
    if order == 1:
        return mp.fsum(x * mp.log(x / y) for x, y in pairs)
    return mp.log(mp.fsum(x**order * y ** (1 - order) for x, y in pairs)) / (order - 1)
