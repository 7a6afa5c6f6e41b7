"""The sparse vector family that runs: screens, asked query by query, with exact comparisons.

`AboveThreshold` is one run, `StagewiseScreen` many with fresh noise, `NoisyScreen` the one whose
threshold has none.  What they cost: `SparseVector`, `LaplaceSparseVector`.  Which one, and how long
it lasts: `choosing`, `lasting`.  Closed forms in print: `baselines`.  docs/screening.md.
"""

from bursar.screening.above_threshold import AboveThreshold
from bursar.screening.choosing import longest, query_share, screen_for, screen_for_rate
from bursar.screening.lasting import (
    expected_answers,
    false_alarm_rate,
    never_stops,
    open_after,
)
from bursar.screening.noisy import NoisyScreen, PrivateCost, private_cost
from bursar.screening.run import Run
from bursar.screening.stable import Proposal, StableRelease, most_common
from bursar.screening.stagewise import (
    StagewiseScreen,
    Staging,
    best_staging,
    printed_cutoff,
    stagewise_epsilon,
)
from bursar.screening.worst import (
    Neighbours,
    epsilon_enclosed,
    worst_neighbours,
    worst_profile,
)

__all__ = [
    "AboveThreshold",
    "Neighbours",
    "NoisyScreen",
    "PrivateCost",
    "Proposal",
    "Run",
    "StableRelease",
    "StagewiseScreen",
    "Staging",
    "best_staging",
    "epsilon_enclosed",
    "expected_answers",
    "false_alarm_rate",
    "longest",
    "most_common",
    "never_stops",
    "open_after",
    "printed_cutoff",
    "private_cost",
    "query_share",
    "screen_for",
    "screen_for_rate",
    "stagewise_epsilon",
    "worst_neighbours",
    "worst_profile",
]
