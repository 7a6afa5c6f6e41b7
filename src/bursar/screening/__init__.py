"""The sparse vector family that runs: screens, asked query by query, with exact comparisons.

`AboveThreshold` is one run, `StagewiseScreen` many with fresh noise, `NoisyScreen` the one whose
threshold has none.  What they cost: `SparseVector`, `LaplaceSparseVector`.  docs/screening.md.
"""

from bursar.screening.above_threshold import AboveThreshold
from bursar.screening.noisy import NoisyScreen, PrivateCost, private_cost
from bursar.screening.run import Run
from bursar.screening.stagewise import (
    StagewiseScreen,
    Staging,
    best_staging,
    printed_cutoff,
    stagewise_epsilon,
)

__all__ = [
    "AboveThreshold",
    "NoisyScreen",
    "PrivateCost",
    "Run",
    "StagewiseScreen",
    "Staging",
    "best_staging",
    "printed_cutoff",
    "private_cost",
    "stagewise_epsilon",
]
