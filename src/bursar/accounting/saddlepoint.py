"""The saddle-point accountant: one point of the contour, and the width of the loss there.

δ ≈ e^{F(λ)}/√(2πF″(λ)), F(z) = K(z) − εz − log z − log(1+z), F′(λ) = 0: good in the tails, poor
where the loss has two humps.  Alghamdi et al. 2023, Sec. 4.
"""

from __future__ import annotations

import math

import numpy as np

from bursar.accounting.estimates import Estimator, Sketched
from bursar.numerics.sketch import solve_decreasing

_NEAR = 1e-4  # F′², in units of F″, that is as good as 0
_ROUGH = 1.01  # how far from the root three digits of a tilt may be
_HALVINGS = 60


def _guess(sketched: Sketched, epsilon: float) -> float:
    location, found = epsilon - sketched.top, sketched.found
    if not found.factors and sketched.top > 0 and location >= 0:
        return 0.0
    lam = solve_decreasing(lambda tilt: location - found.saddle(tilt)[0], 1.0)
    low, high = lam / _ROUGH, lam * _ROUGH
    for _ in range(_HALVINGS):  # where the loss is about to leave one hump, K′ is steep
        value, slope, bend = (float(part[0]) for part in found.at(np.array([lam])))
        off = slope - 1 / lam - 1 / (1 + lam) - location
        width = bend + 1 / lam**2 + 1 / (1 + lam) ** 2
        if off * off <= _NEAR * width:
            break
        low, high = (lam, high) if off < 0 else (low, lam)
        lam = math.sqrt(low * high)
    log_delta = value - lam * location - math.log(lam * (1 + lam))
    return math.exp(min(log_delta - 0.5 * math.log(2 * math.pi * width), 0.0))


ACCOUNTANT = Estimator("saddlepoint", _guess)
epsilon, delta = ACCOUNTANT.epsilon, ACCOUNTANT.delta
