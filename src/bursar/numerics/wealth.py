"""A bet on a mean in [0, 1] being small: how many draws, at which stake, until it is believed.

W = Π(1 − l(X_i − p)) over a number of draws that is fixed in advance.  If the mean is p(1+x) with
x ≥ 0, then P(W ≥ e^T) ≤ e^{−T−κx} with κ = n·l·p, by Markov; so a gate that believes at W ≥ e^T
believes what is false so seldom that P·x ≤ e^{−T}/(eκ), however false: docs/proofs/release-gate.md.
How often it fails where the mean is small is bounded by Chernoff, for every law in [0, 1] of that
mean.  Here a test is planned, by that bound or by a normal law that proves nothing, and read.  Not
here: the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar.errors import InternalError, LimitReached

_ROUND = 1e-13  # of a wealth's logarithm, for each draw
_SAFE = 1e-9
_BOLDEST = 0.75  # of the stake at which a draw of 1 takes all
_PULLS = 160  # candidates for κ
_POWERS = np.geomspace(1e-4, 1e6, 121)  # of the wealth, in Chernoff's bound
FEWEST, MOST = 64, 10**12

Floats = NDArray[np.float64]
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

    def log_missed(self, mean: float) -> float:
        """log of a bound on P(fails), for any independent draws in [0, 1] of at most this mean.

        Computes:  the least s·T + n·log E (1 + l(p − X))^{−s} over s > 0, X of the two-point law.
        Valid for: any mean; 0 where it says nothing.
        Error:     upward only.
        Cost:      some hundreds of exponentials.
        Source:    docs/proofs/release-gate.md, Thm 5.

        >>> round(math.exp(Trial(10_000, 0.01, 0.2, 0.0).log_missed(0.19)), 3)
        0.0...
        """
        if not 0 <= mean < 1:
            return 0.0
        stake, need = np.array([self.stake]), np.array([self.log_threshold])
        powers, found = _POWERS, 0.0
        for _ in range(3):
            logs = _log_missed(self.draws, stake, self.share, need, mean, powers)[0]
            best = int(np.argmin(logs))
            found = min(found, float(logs[best]))
            ends = powers[max(best - 1, 0)], powers[min(best + 1, len(powers) - 1)]
            powers = np.linspace(*ends, 41)
        return found


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
    Source:    docs/proofs/release-gate.md, §6.

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
        raise _too_many(most, gap)
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        found = _best(middle, share, spread, gap, sure, log_threshold)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return best


def surely(
    share: float, mean: float, *, log_miss: float, log_threshold: Threshold, most: int = MOST
) -> Trial:
    """The least trial that fails with probability at most e^{log_miss}, whatever law has this mean.

    Computes:  n and κ, by bisection; the bound is that of the trial that is given.
    Valid for: 0 ≤ mean < share ≤ 1; T falls with κ.
    Error:     none: what is given keeps the bound.
    Cost:      50 times 20,000 exponentials.
    Source:    docs/proofs/release-gate.md, Thm 5.

    >>> surely(0.25, 0.2475, log_miss=math.log(1e-4), log_threshold=lambda pull: 0.0).draws
    5...
    """
    if not (0 < share <= 1 and mean >= 0 and log_miss < 0):
        raise InternalError(f"no sure trial of a mean of {mean} below {share}")
    if not mean < share:
        raise LimitReached(
            "the gap is narrower than what is known of the draws",
            hint="Ask for a wider gap.",
        )
    low = high = max(FEWEST, math.ceil((1 - share) / (share * _BOLDEST)))
    best = _surest(high, share, mean, log_miss, log_threshold)
    while best is None and high < most:
        low, high = high, min(2 * high, most)
        best = _surest(high, share, mean, log_miss, log_threshold)
    if best is None or high > most:
        raise _too_many(most, 1 - mean / share)
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        found = _surest(middle, share, mean, log_miss, log_threshold)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return best


def _surest(
    n: int, share: float, mean: float, log_miss: float, log_threshold: Threshold
) -> Trial | None:
    """The trial of n draws that fails least often, if that is seldom enough."""
    pulls = _pulls(n, share)
    needs = np.array([max(float(log_threshold(float(pull))), 0.0) for pull in pulls])
    logs = _log_missed(n, pulls / (n * share), share, needs, mean, _POWERS)
    place = int(np.argmin(logs.min(axis=1)))
    found = _at(n, share, float(pulls[place]), log_threshold)
    return found if found.log_missed(mean) <= log_miss else None


def _log_missed(
    n: int, stakes: Floats, share: float, needs: Floats, mean: float, powers: Floats
) -> Floats:
    """Chernoff's bounds, for stakes with their thresholds (rows) and powers (columns).

    The wealth may be read as low as twice its rounding below what it is.
    """
    least = (needs + 2 * n * _ROUND + 2 * _SAFE)[:, None]
    won, lost = np.log1p(stakes * share)[:, None], np.log1p(-stakes * (1 - share))[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        zeros, ones = (1 - mean) * np.expm1(-powers * won), mean * np.expm1(-powers * lost)
        logs = powers * least + n * np.log1p(zeros + ones)
        logs += 1e-14 * n * (np.abs(zeros) + ones) + _SAFE
    return np.where(np.isnan(logs), np.inf, logs)


def _pulls(n: int, share: float) -> Floats:
    """Candidates for κ: 1 and above, as far as the boldest stake."""
    boldest = n * share * min(_BOLDEST / max(1 - share, 1e-6), 1e6)
    return np.exp(np.linspace(0.0, math.log(max(boldest, 1.0)), _PULLS))


def _at(n: int, share: float, pull: float, log_threshold: Threshold) -> Trial:
    """The trial of n draws with this κ, or a little more."""
    pull *= 1 + _SAFE
    return Trial(n, pull / (n * share), share, max(float(log_threshold(pull)), 0.0))


def _too_many(most: int, gap: float) -> LimitReached:
    return LimitReached(
        f"more than {most} draws would be needed to tell a gap of {gap:.3g}",
        hint="Ask for a wider gap, or for a claim that is further from the truth.",
    )


def _best(
    n: int, share: float, spread: float, gap: float, sure: float, log_threshold: Threshold
) -> Trial | None:
    """The trial of n draws with the most to spare, if it has any."""
    pulls = _pulls(n, share)
    needs = np.array([log_threshold(float(pull)) for pull in pulls])
    spare = pulls * (gap - sure * math.sqrt(spread / n)) - needs
    spare -= pulls**2 * (spread + gap * gap) / (2 * n)
    best = int(np.argmax(spare))
    return _at(n, share, float(pulls[best]), log_threshold) if spare[best] > 0 else None
