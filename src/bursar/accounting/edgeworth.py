"""The Edgeworth accountant: the loss as a Gaussian, corrected by its third and fourth cumulants.

δ = P(Y > ε) − e^ε Q(Y > ε), each tail by Edgeworth's expansion of second order, with the cumulants
under P (K at 0) and under Q (K at −1).  Wang et al. 2022, Sec. 3.
"""

from __future__ import annotations

import math

import numpy as np

from bursar.accounting.estimates import Estimator, Sketched

_STEP = 0.06
_STENCIL = _STEP * np.arange(-3.0, 4.0)


def _guess(sketched: Sketched, epsilon: float) -> float:
    location = epsilon - sketched.top
    under_p, under_q = (_tail(_cumulants(sketched, at), location) for at in (0.0, -1.0))
    return under_p - math.exp(min(epsilon, 700.0)) * under_q


def _cumulants(sketched: Sketched, at: float) -> tuple[float, float, float, float]:
    """K′, K″, K‴, K⁗ by differences of sixth and fourth order."""
    _, slope, bend = sketched.found.at(at + _STENCIL)
    third = float((bend[4] - bend[2]) * 8 - (bend[5] - bend[1])) / (12 * _STEP)
    fourth = float(-bend[5] + 16 * bend[4] - 30 * bend[3] + 16 * bend[2] - bend[1]) / (
        12 * _STEP**2
    )
    return float(slope[3]), float(bend[3]), third, fourth


def _tail(cumulants: tuple[float, float, float, float], location: float) -> float:
    mean, variance, third, fourth = cumulants
    x = (location - mean) / math.sqrt(variance)
    skew, excess = third / variance**1.5, fourth / variance**2
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    polynomial: float = (
        skew / 6 * (x**2 - 1)
        + excess / 24 * (x**3 - 3 * x)
        + skew**2 / 72 * (x**5 - 10 * x**3 + 15 * x)
    )
    return math.erfc(x / math.sqrt(2)) / 2 + density * polynomial


ACCOUNTANT = Estimator("edgeworth", _guess)
epsilon, delta = ACCOUNTANT.epsilon, ACCOUNTANT.delta
