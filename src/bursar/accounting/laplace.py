"""Laplace noise repeated: δ(ε) as a finite sum of residues, in balls.

M(z)^k is a sum of exponentials e^{z(2j−k)r} times powers of 1/(2z+1); each term of the contour
integral with a positive exponent is its residues at 0, −1 and −½.  Proof:
docs/proofs/contour.md, section 8.  For many steps the contour is faster, and takes over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from flint import arb, fmpz, fmpz_poly

from bursar.exact import Exact
from bursar.numerics.balls import ball, precision
from bursar.numerics.roots import Bracket, bracket_root
from bursar.numerics.search import refined
from bursar.truth import BillLine

FEW, MOST = 150, 400  # steps: up to FEW the sum is faster than a contour; it costs k³


@final
@dataclass(frozen=True, slots=True)
class LaplaceProfile:
    """The profile of `count` steps of Laplace noise of one scale; both directions are the same."""

    scale: Exact
    count: int
    method: str = "closed-form"

    def delta_at(self, epsilon: arb) -> arb:
        """The sum, with as much precision as its cancellation needs."""
        with precision(128):
            if epsilon >= self.count / ball(self.scale):
                return arb(0)
        return refined(lambda: self._sum(epsilon))

    def _sum(self, epsilon: arb) -> arb:
        k, r = self.count, 1 / ball(self.scale)
        total = arb(0)
        for j in range(k, -1, -1):
            lead = (2 * j - k) * r - epsilon
            if not lead > 0:
                break
            total += math.comb(k, j) * self._residues(j, lead) * (-(k - j) * r).exp()
        return total / arb(2) ** k

    def _residues(self, j: int, lead: arb) -> arb:
        """Of e^{lead z}(1+s)^j(1−s)^{k−j}/(z(z+1)) at 0, −1 and −½, s = 1/(2z+1).

        (1+s)^j(1−s)^{k−j} = (2z+2)^j (2z)^{k−j}/(2z+1)^k.  At 0 it is 2^j 0^{k−j}, at −1
        0^j 2^{k−j}; at z = −½+x the rest is 4 (1+2x)^{j−1}(2x−1)^{k−j−1} e^{lead z}/(2x)^k.
        """
        k = self.count
        found = arb(2) ** k if j == k else arb(0)
        if j == 0:
            found -= arb(2) ** k * (-lead).exp()
        term, total = arb(1), arb(0)  # lead^n/n!
        for n, weight in enumerate(_weights(k, j)):
            total += weight * term
            term *= lead / (n + 1)
        return found + 4 * (-lead / 2).exp() * total / arb(2) ** k

    def epsilon_at(self, target: arb) -> Bracket:
        """By bracketing."""
        return bracket_root(self.delta_at, target)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By the sum."""
        return bool(self.delta_at(epsilon) <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """Rounding only."""
        return (BillLine("rounding", 2.0**-52, "finite sum of residues in ball arithmetic"),)


@lru_cache(maxsize=MOST)
def _weights(k: int, j: int) -> tuple[fmpz, ...]:
    """The coefficients of x^{k−1} … x^0 of (1+2x)^{j−1} (2x−1)^{k−j−1}: integers."""
    series = _power(1, j - 1, k) * _power(-1, k - j - 1, k)
    return tuple(series[k - 1 - n] for n in range(k))


def _power(constant: int, n: int, length: int) -> fmpz_poly:
    """(constant + 2x)^n as a series of this length, constant ±1, n ≥ −1."""
    if n >= 0:
        return fmpz_poly([constant, 2]) ** n
    return fmpz_poly([constant * (-2 * constant) ** m for m in range(length)])
