"""Figure 5: ε after every step, (σ, δ, q) = (1, 1e-9, 1e-3): errors and times of the estimates."""

from __future__ import annotations

from reproduce.wang._every_step import EveryStep

TITLE = "Figure 5: ε after each of k steps, (σ, δ, q) = (1, 1e-9, 1e-3)"
_FIGURE = EveryStep(
    sigma="1",
    q="1e-3",
    delta="1e-9",
    references={100: 0.28123, 250: 0.32624, 500: 0.36538, 1000: 0.41119},
    shows=(
        "The central limit and its correction are far below the truth, the saddle point far "
        "above. FFT is right to 1e-6: the passage from too little to too much at 250 steps, "
        "which the paper shows, does not recur with release 0.2 of prv_accountant."
    ),
)
measure, pictures, told = _FIGURE.measure, _FIGURE.pictures, _FIGURE.told
