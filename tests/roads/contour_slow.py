"""Any plan of Gaussians, sampled or not: the inversion integral, slowly, to twenty digits and more.

With M(z) = E e^{zY} for each step, K = Σ count·log M, and a path that starts at λ > 0,

    δ(ε) = (1/π) Im ∫ e^{K(z) − εz} / (z(z+1)) dz,    z = λ + iu + bend·(√(1+u) − 1),  u ≥ 0.

Each M(z) is a rigorous `acb.integral` over the step's output t, moved up or down in the complex
plane to where the integrand hardly turns; the integral over u is made of adaptive Gauss-Legendre
panels, until what is left is negligible.  `bend` changes the path, not the value: with rare jumps
the integrand decays on a path bent to the right (remove) or to the left (add).
No trapezoid, no alias, no bound on a characteristic function: the panels are not proved, they
are believed where two paths and two orders agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from flint import acb, arb

from tests.roads.laws import Direction, Plan, Sampled, ball
from tests.roads.panels import Sample, panel

_LONGEST = 100_000  # samples of a path
_BITS = 140  # of a moment


@dataclass(frozen=True)
class Contour:
    """Samples of e^{K(z)} / (z(z+1)) dz/du on a path that suits ε near `near`."""

    plan: Plan
    direction: Direction
    near: arb
    bend: float = 0.0
    digits: int = 27
    order: int = 24

    def delta(self, epsilon: arb) -> arb:
        """δ(ε), for ε so near that e^{(near − ε)z} changes little along the path."""
        total = arb(0)
        for s in self.samples:
            total += s.weight * (s.value * ((self.near - epsilon) * self._at(s.node)).exp()).imag
        return total / arb.pi()

    @cached_property
    def samples(self) -> list[Sample]:
        """Panels from u = 0 on, wider while they can be, until one adds nothing."""
        low, width, taken = arb(0), self.tilt, list[Sample]()
        tolerance = abs(self._value(low)) * self.tilt * arb(10) ** -self.digits
        while len(taken) < _LONGEST:
            high = (low + width).mid()
            found = panel(self._value, low, high, tolerance=tolerance, order=self.order)
            taken += found
            if not all(s.value.is_finite() for s in found):
                raise ArithmeticError("the path left what the moments can follow: bend it less")
            if max(abs(s.value) for s in found) * high < tolerance:
                return taken
            low, width = high, width * 3 / 2 if len(found) == self.order else width * 2 / 3
        raise ArithmeticError("the path is too long: bend it")

    @cached_property
    def tilt(self) -> arb:
        """λ: where e^{K(λ) − ελ} / (λ(λ+1)) is about least; any λ > 0 gives the same δ."""
        low, high = arb(1) / 64, arb(1) / 16
        while self._height(high) < self._height(high / 2):
            high *= 2
        for _ in range(14):
            third = (high / low) ** (arb(1) / 3)
            a, b = low * third, high / third
            low, high = (low, b) if self._height(a) < self._height(b) else (a, high)
        return low.mid()

    def _height(self, tilt: arb) -> arb:
        z = acb(tilt.mid())
        return (self._power(z, bits=50) * (-self.near * z).exp() / (z * (z + 1))).real.log()

    def _at(self, u: arb) -> acb:
        return acb(self.tilt + arb(self.bend) * ((1 + u).sqrt() - 1), u)

    def _value(self, u: arb) -> acb:
        z, slope = self._at(u), acb(arb(self.bend) / (2 * (1 + u).sqrt()), 1)
        return self._power(z, bits=_BITS) * (-self.near * z).exp() * slope / (z * (z + 1))

    def _power(self, z: acb, *, bits: int) -> acb:
        product = acb(1)
        for law, count in self.plan:
            if not isinstance(law, Sampled):
                raise TypeError(f"no contour for {law}")
            product *= moment(law, self.direction, z, bits=bits) ** count
        return product


def moment(law: Sampled, direction: Direction, z: acb, *, bits: int) -> acb:
    """E e^{zY} of one step: enclosed, but for tails of t that are 2^−bits of E|e^{zY}|.

    E w(t)^a for t from N(0, σ²), w = 1−q + q e^{(2t−1)/2σ²}, a = 1+z (remove) or −z (add).
    """
    s, q = ball(law.sigma), ball(law.q)
    if law.q == 1:
        return (z * (z + 1) / (2 * s * s)).exp()
    a = z + 1 if direction == "remove" else -z
    peak = _peak(law, float(a.real))

    def log_weight(t: acb, analytic: bool) -> acb:
        w = 1 - q + q * ((2 * t - 1) / (2 * s * s)).exp()
        return a * w.log(analytic=analytic) - t * t / (2 * s * s)

    top = max(log_weight(acb(t), False).real for t in (0.0, peak)).mid()
    height = float(s) * min(2.0, float(s) * float(z.arg())) * (1 if direction == "remove" else -1)
    reach = float(s) * math.sqrt(2 * (bits * math.log(2) + 20))
    start, end = acb(min(peak, 0.0) - reach, height), acb(max(peak, 0.0) + reach, height)
    small = arb(2) ** -bits
    found = acb.integral(
        lambda t, on: (log_weight(t, on) - top).exp(), start, end, rel_tol=small, abs_tol=small
    )
    return found * top.exp() / (s * (2 * arb.pi()).sqrt())


def _peak(law: Sampled, a: float) -> float:
    """Where φ w^a is high: nowhere right of a > 0; for a < 0, around t = a·p(t)."""
    if a >= 0:
        return a
    low, high, s, odds = a, 0.0, float(law.sigma), math.log(float((1 - law.q) / law.q))
    for _ in range(100):
        t = (low + high) / 2
        log_ratio = (t - 0.5) / s**2 - odds
        p = 1 / (1 + math.exp(-log_ratio)) if log_ratio > -700 else 0.0
        low, high = (low, t) if t > a * p else (t, high)
    return low
