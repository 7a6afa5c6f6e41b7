"""The characteristic-function accountant: distribution functions by Fourier inversion.

δ = P(Y > ε) − e^ε Q(Y > ε), each tail by Gil-Pelaez's integral of the characteristic function,
which itself is a quadrature over the noise: double quadrature, in float64.  It subtracts numbers
near 1, so it refuses below δ ≈ 1e-11 e^ε; and where a window twice as wide gives another δ, since
then losses reach farther than the window, or their atoms farther than its nodes.
Zhu, Dong & Wang 2022, Sec. 4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bursar.accounting.estimates import Estimator, Sketched
from bursar.errors import NoProof
from bursar.numerics.factors import GaussianFactor, LaplaceFactor
from bursar.numerics.sketch import StepSketch

Complex = NDArray[np.complex128]
_POINTS = 4096
_STRETCH = 4096  # losses at a time
_LOST = 1e-11  # of a tail: what float64 cannot tell from 0
_DEVIATIONS = 60.0  # how far the loss is taken to reach, in its own width
_SURE = 10.0  # times what a wider window changes is the error


def _guess(sketched: Sketched, epsilon: float, wider: float = 1.0) -> float:
    location = epsilon - sketched.top
    if not sketched.found.factors and sketched.top > 0 and location >= 0:
        return 0.0
    under_p, under_q = (_tail(sketched, at, location, wider) for at in (0.0, -1.0))
    return under_p - math.exp(min(epsilon, 700.0)) * under_q


def _blur(sketched: Sketched, epsilon: float) -> float:
    lost = _LOST * math.exp(min(epsilon, 700.0))
    return lost + _SURE * abs(_guess(sketched, epsilon) - _guess(sketched, epsilon, 2.0))


def _tail(sketched: Sketched, at: float, location: float, wider: float) -> float:
    """P(Y > location) by Gil-Pelaez at the midpoints of equal panels."""
    _, mean, variance = (float(part[0]) for part in sketched.found.at(np.array([at])))
    reach = wider * (_DEVIATIONS * math.sqrt(variance) + abs(mean - location))
    reach = 2.0 ** math.ceil(math.log2(reach))  # so that nearby locations share their nodes
    if (at, reach) not in sketched.kept:
        u = np.asarray((np.arange(_POINTS) + 0.5) * (math.pi / reach), dtype=np.float64)
        sketched.kept[at, reach] = u, _log_characteristic(sketched, at, u)
    u, log_phi = sketched.kept[at, reach]
    parts = np.imag(np.exp(log_phi - 1j * u * location)) / u
    return 0.5 + float(parts.sum()) * float(u[1] - u[0]) / math.pi


def _log_characteristic(sketched: Sketched, at: float, u: NDArray[np.float64]) -> Complex:
    found = np.zeros(len(u), dtype=np.complex128)
    for step in sketched.found.steps:
        found += step.count * _log_phi(step, at, u)
    for factor, n in sketched.found.factors:
        found += n * _log_factor(factor, at, u)
    return found


def _log_phi(step: StepSketch, at: float, u: NDArray[np.float64]) -> Complex:
    """log of the characteristic function of one step; the branch follows the loss's mean."""
    step.widen(max(at, 1.0))
    exponent = 1 + at if step.step.removes else -at
    sign = 1 if step.step.removes else -1
    weights = np.exp(exponent * step.log_w + step.log_phi)
    weights /= weights.sum()
    mean = float(weights @ step.log_w)
    centred = step.log_w - mean
    values = _transform(sign * centred, weights, u)
    return np.asarray(np.log(values) + 1j * sign * u * mean)


def _transform(losses: NDArray[np.float64], weights: NDArray[np.float64], u: Any) -> Complex:
    """Σ weight e^{iu·loss} at equally spaced u: by baby and giant steps, a stretch at a time."""
    side = math.isqrt(len(u) - 1) + 1
    giant, baby = u[::side], u[:side] - u[0]
    found = np.zeros((len(giant), len(baby)), dtype=np.complex128)
    for start in range(0, len(losses), _STRETCH):
        some = slice(start, start + _STRETCH)
        near = np.exp(1j * np.outer(losses[some], baby))
        found += (np.exp(1j * np.outer(giant, losses[some])) * weights[some]) @ near
    return found.ravel()[: len(u)]


def _log_factor(factor: object, at: float, u: NDArray[np.float64]) -> Complex:
    z = at + 1j * u
    match factor:
        case GaussianFactor():
            return np.asarray(float(factor.mu_squared) * z * (z + 1) / 2)
        case LaplaceFactor():
            r, s = 1 / float(factor.scale), 1 / (2 * z + 1)
            return np.asarray(
                np.log(((1 + s) * np.exp(z * r) + (1 - s) * np.exp(-(z + 1) * r)) / 2)
            )
    raise NoProof(f"no characteristic function is known for {type(factor).__name__}")


ACCOUNTANT = Estimator("characteristic", _guess, _blur)
epsilon, delta = ACCOUNTANT.epsilon, ACCOUNTANT.delta
