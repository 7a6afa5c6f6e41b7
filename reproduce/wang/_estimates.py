"""The accountants of these figures, each behind one function, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

import bursar
from bench.peers import Step, prv_made

if TYPE_CHECKING:
    from bursar.mechanisms.base import Mechanism

ESTIMATES = {  # the papers' words, and bursar's modules
    "GDP": "gdp",
    "GDP-Edgeworth": "edgeworth",
    "AFA": "characteristic",
    "saddle point": "saddlepoint",
}
FFT = "FFT"
EPS_ERROR, DELTA_ERROR = 1e-3, 1e-10  # of the paper's appendix


def step(sigma: str, q: str) -> Mechanism:
    """One step; q = 1 is a plain Gaussian."""
    gaussian = bursar.Gaussian(noise_multiplier=sigma)
    return gaussian if q == "1" else bursar.PoissonSubsampled(gaussian, sampling_probability=q)


def estimator(name: str) -> Any:
    """bursar's accountant of that name, without proof: it has `epsilon` and `delta`."""
    return import_module(f"bursar.accounting.{ESTIMATES[name]}").ACCOUNTANT


@lru_cache(maxsize=1)
def fft(sigma: str, q: str, k: int, eps_error: float = EPS_ERROR) -> Any:
    """The FFT accountant of the paper, prv_accountant, for up to k steps."""
    run = [(Step(float(sigma), float(q)), k)]
    return prv_made(run, eps_error=eps_error, delta_error=DELTA_ERROR)


class Fft:
    """The estimates of that accountant, without its error bounds, as the paper's figures have them."""

    def __init__(self, accountant: Any, k: int) -> None:
        composed = accountant.compute_composition([k])
        self._losses, mass = composed.domain.ts(), composed.pmf
        self._under_p = np.flip(np.flip(mass).cumsum())
        self._under_q = np.flip(np.flip(mass * np.exp(-self._losses)).cumsum())

    def delta(self, epsilon: float) -> float:
        """Its estimate of δ, which may be below 0."""
        at = np.searchsorted(self._losses, epsilon)
        return float(self._under_p[at] - math.exp(epsilon) * self._under_q[at])

    def epsilon(self, delta: float) -> float:
        """Its estimate of ε, by its own search."""
        deltas = self._under_p - np.exp(self._losses) * self._under_q
        at = np.searchsorted(-deltas, -delta)
        return float(np.log((self._under_p[at] - delta) / self._under_q[at]))


def told_by(function: Callable[[], float]) -> float:
    """What a tool answers, or NaN where it raises."""
    try:
        return float(function())
    except Exception:  # noqa: BLE001 - a tool's failure of any kind is a result
        return math.nan
