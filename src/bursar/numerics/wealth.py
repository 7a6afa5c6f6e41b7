"""A bet on a mean in [0, 1] being small: how many draws, at which stake, until it is believed.

W = Π(1 − l(X_i − p)) over a number of draws that is fixed in advance.  If the mean is p(1+x) with
x ≥ 0, then P(W ≥ e^T) ≤ e^{−T−κx} with κ = n·l·p, by Markov; so a gate that believes at W ≥ e^T
believes what is false so seldom that P·x ≤ e^{−T}/(eκ), however false: docs/proofs/release-gate.md.
Here a test is planned, by a normal law that proves nothing, and read.  Not here: the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from bursar.errors import InternalError, LimitReached

_ROUND = 1e-13  # of a wealth's logarithm, for each draw
_SAFE = 1e-9
_BOLDEST = 0.75  # of the stake at which a draw of 1 takes all
_PULLS = 160  # candidates for κ
FEWEST, MOST = 64, 10**12

Threshold = Callable[[float], float]


@final
@dataclass(frozen=True, slots=True)
class Trial:
    """So many draws, a stake against the mean `share`, and the log-wealth T at which it passes."""

    draws: int
    stake: float
    share: float
    log_threshold: float

    def __post_init__(self) -> None:
        if not (0 < self.share <= 1 and 0 < self.stake * (1 - self.share) < 1 and self.draws > 0):
            raise InternalError(f"no bet of {self.stake} against a mean of {self.share}")
        if not (self.log_threshold >= 0 and self.pull >= 1 - _SAFE):
            raise InternalError(f"a bet of κ = {self.pull} and T = {self.log_threshold} is no gate")

    @property
    def pull(self) -> float:
        """κ = n·l·p: by how much e^{−κx} falls."""
        return self.draws * self.stake * self.share

    def passes(self, log_wealth: float) -> bool:
        """Whether the mean is believed to be below the share; rounding counts against it."""
        return log_wealth - self.draws * _ROUND - _SAFE >= self.log_threshold

    @property
    def log_excess(self) -> float:
        """log of e^{−T}/(eκ): at least P(passes)·x, for every mean (1+x)·share; rounded up."""
        return -self.log_threshold - 1 - math.log(self.pull) + _SAFE


def planned(
    share: float,
    spread: float,
    *,
    gap: float,
    sure: float,
    log_threshold: Threshold,
    most: int = MOST,
) -> Trial:
    """The least trial that a mean of (1 − gap)·share passes, but for `sure` deviations of bad luck.

    Computes:  n and κ with κg − κ²(v + g²)/2n − sure·κ√(v/n) ≥ T(κ), the normal law of log W.
    Valid for: share in (0, 1]; spread v is the variance over share²; T falls with κ.
    Error:     it plans; whatever it gives is a valid trial.
    Cost:      50 times 160 candidates.
    Source:    docs/proofs/release-gate.md, §5.

    >>> planned(0.25, 1.8, gap=0.01, sure=4, log_threshold=lambda pull: 0.0).draws
    288...
    """
    if not (0 < share <= 1 and spread >= 0 and 0 < gap < 1):
        raise InternalError(f"no trial for a share of {share} and a gap of {gap}")
    least = max(FEWEST, math.ceil((1 - share) / (share * _BOLDEST)))
    low, high = least, least
    best = _best(high, share, spread, gap, sure, log_threshold)
    while best is None and high < most:
        low, high = high, min(2 * high, most)
        best = _best(high, share, spread, gap, sure, log_threshold)
    if best is None or high > most:
        raise LimitReached(
            f"more than {most} draws would be needed to tell a gap of {gap:.3g}",
            hint="Ask for a wider gap, or for a claim that is further from the truth.",
        )
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        found = _best(middle, share, spread, gap, sure, log_threshold)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return best


def _best(
    n: int, share: float, spread: float, gap: float, sure: float, log_threshold: Threshold
) -> Trial | None:
    """The trial of n draws with the most to spare, if it has any."""
    boldest = n * share * min(_BOLDEST / max(1 - share, 1e-6), 1e6)
    pulls = np.exp(np.linspace(0.0, math.log(max(boldest, 1.0)), _PULLS))
    needs = np.array([log_threshold(float(pull)) for pull in pulls])
    spare = pulls * (gap - sure * math.sqrt(spread / n)) - needs
    spare -= pulls**2 * (spread + gap * gap) / (2 * n)
    best = int(np.argmax(spare))
    if not (spare[best] > 0 and boldest >= 1):
        return None
    pull = float(pulls[best]) * (1 + _SAFE)
    return Trial(n, pull / (n * share), share, max(float(log_threshold(pull)), 0.0))
