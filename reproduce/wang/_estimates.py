"""The accountants of these figures, each behind one function, and what they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bursar
from bench.peers import Step, prv_made

if TYPE_CHECKING:
    from bursar.mechanisms.base import Mechanism

ESTIMATES = {  # the papers' words, and bursar's names
    "GDP": "gdp",
    "Edgeworth": "edgeworth",
    "saddle point": "saddlepoint",
}
FFT = "FFT"
EPS_ERROR, DELTA_ERROR = 1e-3, 1e-10  # of the paper's appendix


def step(sigma: str, q: str) -> Mechanism:
    """One step; q = 1 is a plain Gaussian."""
    gaussian = bursar.Gaussian(noise_multiplier=sigma)
    return gaussian if q == "1" else bursar.PoissonSubsampled(gaussian, sampling_probability=q)


def fft(sigma: str, q: str, k: int, eps_error: float = EPS_ERROR) -> Any:
    """The FFT accountant of the paper, prv_accountant, for up to k steps."""
    run = [(Step(float(sigma), float(q)), k)]
    return prv_made(run, eps_error=eps_error, delta_error=DELTA_ERROR)


def off(value: float, truth: float) -> float:
    """The relative error."""
    return abs(value - truth) / truth


def told_by(function: Callable[[], float]) -> float:
    """What a foreign tool answers, or NaN where it raises."""
    try:
        return float(function())
    except Exception:  # noqa: BLE001 - a peer's failure of any kind is a result
        return float("nan")
