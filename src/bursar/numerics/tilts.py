"""One coordinate of a composition of Gaussians, tilted by its own privacy loss.

Legend: t is standard normal, x = mt − m²/2 with m the mean shift (1/σ), w = 1−q+q e^x, ℓ = log w.
The loss is Y = ℓ under P = wφ (remove) or Y = −ℓ under P = φ (add).  Tilted by e^{λY} the density
is φ w^A with A = 1+λ (remove) or −λ (add).  With q = 1 it is a plain Gaussian.
Masses are balls; what float64 does with a coordinate is bounded in docs/proofs/monte-carlo.md, §3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.numerics.balls import ball, normal_tail, precision

Floats = NDArray[np.float64]

_BITS = 96  # of a mass
_LARGEST = 600.0  # of an exponent
_NATS = 90.0  # a mass below e^−90 is cut off, and paid for
_PLACES = 400


@final
@dataclass(frozen=True)
class Coordinate:
    """One step in one direction: its loss, and the masses of its tilted law."""

    mu_squared: Exact
    q: Exact
    removes: bool

    @cached_property
    def slope(self) -> float:
        """The mean shift m."""
        return math.sqrt(float(self.mu_squared))

    @cached_property
    def share(self) -> float:
        """The sampling probability q."""
        return float(self.q)

    @cached_property
    def sampled(self) -> bool:
        """Whether q < 1."""
        return self.q < 1

    def power(self, lam: float) -> float:
        """A, the power of w in the tilted density."""
        return 1.0 + lam if self.removes else -lam

    def log_w(self, t: Floats) -> Floats:
        """ℓ(t)."""
        x = self.slope * t - 0.5 * self.slope**2
        if not self.sampled:
            return x
        top = float(x.max(initial=0.0))
        if (float(np.nanmax(x)) if math.isnan(top) else top) < _LARGEST:
            return np.asarray(np.log((1.0 - self.share) + self.share * np.exp(x)))
        return np.asarray(np.logaddexp(math.log1p(-self.share), x + math.log(self.share)))

    def rise(self, t: Floats) -> Floats:
        """ℓ′(t), which increases from 0 to m."""
        x = self.slope * t - 0.5 * self.slope**2
        if not self.sampled:
            return np.full_like(t, self.slope)
        odds = self.share / (1.0 - self.share)
        return np.asarray(self.slope / (1.0 + np.exp(np.minimum(-x, _LARGEST)) / odds))

    def above(self, loss: float) -> float:
        """The t at which ℓ is `loss`."""
        if not self.sampled:
            return loss / self.slope + 0.5 * self.slope
        rest = math.expm1(loss) + self.share
        if not rest > 0:
            return -math.inf
        return math.log(rest / self.share) / self.slope + 0.5 * self.slope

    def reach(self, lam: float) -> tuple[float, float]:
        """From where to where the tilted law has all but about e^−90 of its mass."""
        far = math.sqrt(2 * _NATS)
        if self.removes:
            low = -far + (self.power(lam) * self.slope if not self.sampled else 0.0)
            return low, far + self.power(lam) * self.slope
        fall = -math.log1p(-self.share) if self.sampled else math.inf
        low = -math.sqrt(2 * (_NATS + lam * fall))
        t = np.linspace(low, far, _PLACES)
        heights = self.power(lam) * self.log_w(t) - 0.5 * t * t  # concave
        return low, float(t[np.flatnonzero(heights > heights.max() - _NATS - 5)[-1]])

    def mass(self, lam: float, low: float, high: float) -> arb:
        """∫ φ w^A from low to high, as a ball."""
        with precision(_BITS):
            m, q, power = ball(self.mu_squared).sqrt(), ball(self.q), arb(self.power(lam))

            def integrand(z: acb, analytic: bool) -> acb:
                x = m * z - m * m / 2
                if self.sampled:
                    x = (1 - q + q * x.exp()).log(analytic=analytic)
                return (power * x - z * z / 2).exp()

            part = acb.integral(integrand, low, high).real / (2 * arb.pi()).sqrt()
            if not part.is_finite():
                raise LimitReached("the mass of a tilted law could not be enclosed")
            return part

    def cut_below(self, lam: float, low: float) -> arb:
        """An upper bound on ∫ φ w^A below `low`: w rises, from 1 − q."""
        with precision(_BITS):
            m, power, at = ball(self.mu_squared).sqrt(), arb(self.power(lam)), arb(low)
            if not self.sampled:
                return (power * (power - 1) * m * m / 2).exp() * normal_tail(power * m - at)
            if self.removes:
                x = m * at - m * m / 2
                height = 1 - ball(self.q) + ball(self.q) * x.exp()
            else:
                height = 1 / (1 - ball(self.q))
            return height ** abs(power) * normal_tail(-at)

    def cut_above(self, lam: float, high: float) -> arb:
        """An upper bound on ∫ φ w^A above `high`: w rises, and w e^−x falls."""
        with precision(_BITS):
            m, power, at = ball(self.mu_squared).sqrt(), arb(self.power(lam)), arb(high)
            moved = (power * (power - 1) * m * m / 2).exp() * normal_tail(at - power * m)
            if not self.sampled:
                return moved
            q, x = ball(self.q), m * at - m * m / 2
            if self.removes:
                return moved * (q + (1 - q) * (-x).exp()) ** power
            return normal_tail(at) * (1 - q + q * x.exp()) ** power

    def cells(self, edges: Floats) -> tuple[list[arb], list[arb]]:
        """The masses under P and under Q of the cells between these t, remove direction."""
        with precision(_BITS):
            m, q = ball(self.mu_squared).sqrt(), ball(self.q)
            root = arb(0.5).sqrt()
            places = [arb(float(t)) for t in edges]
            under_q = [(t * root).erfc() / 2 for t in places]
            both = zip(places, under_q, strict=True)
            under_p = [(1 - q) * one + q * ((t - m) * root).erfc() / 2 for t, one in both]
            return _differences(under_p), _differences(under_q)


def _differences(tails: list[arb]) -> list[arb]:
    return [left - right for left, right in pairwise(tails)]


def simpson(values: Callable[[Floats], Floats], low: float, high: float, points: int) -> float:
    """Simpson's rule in float64: to search with, not to prove."""
    t = np.linspace(low, high, 2 * points + 1)
    found = values(t)
    inner = 4 * found[1::2].sum() + 2 * found[2:-1:2].sum()
    return float((found[0] + inner + found[-1]) * (t[1] - t[0]) / 3)
