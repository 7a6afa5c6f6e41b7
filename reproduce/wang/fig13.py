"""Figure 13: ε after every step, (σ, δ, q) = (0.5, 1e-13, 1e-3): errors and times of the estimates."""

from __future__ import annotations

from reproduce.wang._every_step import EveryStep

TITLE = "Figure 13: ε after each of k steps, (σ, δ, q) = (0.5, 1e-13, 1e-3)"
_FIGURE = EveryStep(
    sigma="0.5",
    q="1e-3",
    delta="1e-13",
    references={100: 8.86958, 500: 9.84648, 1000: 10.44211},
    shows=(
        "As figure 12, but deep in the tail, where one hump is left and the saddle point is "
        "good, and where FFT's sums end: its estimates fall below the truth, little by little "
        "with every step."
    ),
)
measure, pictures, told = _FIGURE.measure, _FIGURE.pictures, _FIGURE.told
