"""The central limit accountant: the whole run as one Gaussian, μ² = Σ k χ²(P‖Q).

For the subsampled Gaussian μ² = k q²(e^{1/σ²}−1): Bu et al. 2020, Cor. 4.  It is a limit,
and mostly below the truth.  Plain Gaussians and GDP statements enter with their own μ²; a plan of
nothing else is μ-GDP exactly, and the exact accountant proves its ε.
"""

from __future__ import annotations

import math

import numpy as np

from bursar.accounting.estimates import Estimator, Sketched
from bursar.numerics.factors import GaussianFactor
from bursar.numerics.sketch import StepSketch

_ONE = np.array([1.0])


def _guess(sketched: Sketched, epsilon: float) -> float:
    square = sum(step.count * math.expm1(_log_second_moment(step)) for step in sketched.found.steps)
    for factor, n in sketched.found.factors:
        if isinstance(factor, GaussianFactor):
            square += n * float(factor.mu_squared)
        else:
            square += n * math.expm1(float(factor.log_mgf(_ONE)[0]))
    mu = math.sqrt(square)
    a, b = (epsilon / mu - mu / 2) / math.sqrt(2), (epsilon / mu + mu / 2) / math.sqrt(2)
    tail = math.erfc(b)
    return math.erfc(a) / 2 - (math.exp(epsilon) * tail / 2 if tail > 0 else 0.0)


def _log_second_moment(step: StepSketch) -> float:
    """log E_Q (P/Q)² of the mixture over the normal, in both directions."""
    return math.log1p(step.q**2 * math.expm1(1 / step.s**2))


ACCOUNTANT = Estimator("gdp", _guess)
epsilon, delta = ACCOUNTANT.epsilon, ACCOUNTANT.delta
