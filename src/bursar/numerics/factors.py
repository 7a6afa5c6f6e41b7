"""Steps whose moment generating function is a formula: factors of a contour's integrand.

M(z) = E e^{zY} of one such step, how |M(λ+iu)| falls with u, and the cumulant in float64 for
proposals.  Both directions of these steps have one law.  Proofs: docs/proofs/contour.md,
section 8.  Not here: subsampled steps, whose M(z) is a quadrature (`lines.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from bursar.exact import Exact
from bursar.numerics.balls import ball

Array = NDArray[np.float64]


class Factor(Protocol):
    """One step with a closed form."""

    def most(self) -> arb | None:
        """The largest loss; None where there is none."""

    def variation(self) -> arb:
        """Above δ(0) of the finite part: the total variation where nothing is infinite."""

    def mgf(self, z: acb) -> acb:
        """M(z), a ball, for Re z ≥ 0."""

    def fall(self, lam: arb, u: arb) -> arb:
        """Above |M(λ+iv)|/M(λ) for every v ≥ u ≥ 0."""

    def log_mgf(self, lam: Array) -> Array:
        """log M(λ) in float64."""

    def log_fall(self, lam: float, u: float) -> float:
        """log of `fall` in float64."""


@final
@dataclass(frozen=True, slots=True)
class GaussianFactor:
    """All plain Gaussian steps together: M(z) = e^{cz(z+1)/2}, c = Σ μ²."""

    mu_squared: Exact

    def most(self) -> None:
        """None."""
        return

    def variation(self) -> arb:
        """2Φ(μ/2) − 1."""
        return (ball(self.mu_squared) / 8).sqrt().erf()

    def mgf(self, z: acb) -> acb:
        """The formula."""
        return (ball(self.mu_squared) * z * (z + 1) / 2).exp()

    def fall(self, lam: arb, u: arb) -> arb:
        """e^{−cu²/2}."""
        return (-ball(self.mu_squared) * u**2 / 2).exp()

    def log_mgf(self, lam: Array) -> Array:
        """The formula."""
        return np.asarray(float(self.mu_squared) * lam * (lam + 1) / 2)

    def log_fall(self, lam: float, u: float) -> float:
        """The formula."""
        return -float(self.mu_squared) * u * u / 2


@final
@dataclass(frozen=True, slots=True)
class LaplaceFactor:
    """Laplace noise of scale b, r = 1/b: M(z) = ½(1+s)e^{zr} + ½(1−s)e^{−(z+1)r}, s = 1/(2z+1)."""

    scale: Exact

    def most(self) -> arb:
        """r."""
        return 1 / ball(self.scale)

    def variation(self) -> arb:
        """1 − e^{−r/2}."""
        return -(-self.most() / 2).expm1()

    def mgf(self, z: acb) -> acb:
        """The formula.  Mironov 2017, Prop. 6."""
        r, s = 1 / ball(self.scale), 1 / (2 * z + 1)
        return ((1 + s) * (z * r).exp() + (1 - s) * (-(z + 1) * r).exp()) / 2

    def fall(self, lam: arb, u: arb) -> arb:
        """The two atoms' mass at λ, times 1 + 1/|2z+1|, over M(λ)."""
        r = 1 / ball(self.scale)
        atoms = ((lam * r).exp() + (-(lam + 1) * r).exp()) / 2
        spread = 1 / ((2 * lam + 1) ** 2 + 4 * u**2).sqrt()
        return (atoms * (1 + spread) / self.mgf(acb(lam)).real).min(arb(1))

    def log_mgf(self, lam: Array) -> Array:
        """The formula, without overflow; M(−1−z) = M(z)."""
        lam = np.maximum(lam, -1 - lam)
        r, s = 1 / float(self.scale), 1 / (2 * lam + 1)
        both = (1 + s) + (1 - s) * np.exp(-(2 * lam + 1) * r)
        return np.asarray(lam * r + np.log(both / 2))

    def log_fall(self, lam: float, u: float) -> float:
        """The formula."""
        r = 1 / float(self.scale)
        atoms = float(np.logaddexp(lam * r, -(lam + 1) * r)) - math.log(2)
        spread = 1 / math.hypot(2 * lam + 1, 2 * u)
        return min(atoms + math.log1p(spread) - float(self.log_mgf(np.array([lam]))[0]), 0.0)


@final
@dataclass(frozen=True, slots=True)
class AtomsFactor:
    """A loss of +ε, 0 or −ε of m categories, with probability 1−δ: the finite part only."""

    epsilon: Exact
    delta: Exact
    categories: int

    def most(self) -> arb:
        """ε."""
        return ball(self.epsilon)

    def variation(self) -> arb:
        """(1−δ)(e^ε − 1)/(e^ε + m − 1)."""
        e = self.most().expm1()
        return (1 - ball(self.delta)) * e / (e + self.categories)

    def mgf(self, z: acb) -> acb:
        """(1−δ)(e^{ε(1+z)} + (m−2) + e^{−εz})/(e^ε+m−1)."""
        e, m = ball(self.epsilon), self.categories
        total = (e * (1 + z)).exp() + (m - 2) + (-e * z).exp()
        return (1 - ball(self.delta)) * total / (e.exp() + (m - 1))

    def fall(self, lam: arb, u: arb) -> arb:
        """Atoms do not fall."""
        return arb(1)

    def log_mgf(self, lam: Array) -> Array:
        """The formula, without overflow."""
        e, m = float(self.epsilon), self.categories
        parts = np.logaddexp(e * (1 + lam), -e * lam)
        if m > 2:
            parts = np.logaddexp(parts, math.log(m - 2))
        whole = float(np.logaddexp(e, math.log(m - 1)))
        return np.asarray(parts - whole + math.log1p(-float(self.delta)))

    def log_fall(self, lam: float, u: float) -> float:
        """Atoms do not fall."""
        return 0.0
