"""Figure 12: ε after every step, (σ, δ, q) = (0.5, 1e-5, 1e-3): errors and times of the estimates."""

from __future__ import annotations

from reproduce.wang._every_step import EveryStep

TITLE = "Figure 12: ε after each of k steps, (σ, δ, q) = (0.5, 1e-5, 1e-3)"
_FIGURE = EveryStep(
    sigma="0.5",
    q="1e-3",
    delta="1e-5",
    references={100: 2.10865, 500: 2.87768, 1000: 3.23889},
    shows=("The losses are rare and large: the central limit says nothing, FFT is right."),
)
measure, pictures, told = _FIGURE.measure, _FIGURE.pictures, _FIGURE.told
