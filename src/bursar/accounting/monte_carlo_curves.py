"""A sample that is kept: δ at every ε from the same draws, with an interval.

A table of jumps is a function of Y − ε, so a design's draws answer for other ε too; of weighted
losses this is plain.  Far from where they were aimed draws are of less use, never wrong.  These
are estimates, whose intervals are proved only where they were aimed: `monte_carlo_bounds.py`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import final

import numpy as np

from bursar.accounting.monte_carlo_designs import Design, Stratum
from bursar.accounting.monte_carlo_draws import losses
from bursar.numerics import means
from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats

_LEAST = 64  # draws of a stratum
_LARGEST = 1e6  # ε
_ROUNDS = 60


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """log δ as a sample has it, and log of its standard error."""

    log_mean: float
    log_error: float

    def interval(self, alpha: float) -> tuple[float, float]:
        """Logarithms of the ends of the normal law's interval, which fails with probability α."""
        if math.isinf(self.log_mean) or math.isinf(self.log_error):
            return self.log_mean, self.log_mean
        far = NormalDist().inv_cdf(1 - alpha / 2) * math.exp(self.log_error - self.log_mean)
        low = math.log1p(-far) if far < 1 else -math.inf
        return self.log_mean + low, self.log_mean + math.log1p(far)


class Curve(ABC):
    """δ(ε) of one direction from draws that are kept, for ε up to a limit."""

    __slots__ = ()
    limit: float

    @abstractmethod
    def at(self, epsilon: float) -> Seen:
        """What the draws say of δ(ε)."""

    @abstractmethod
    def interval(self, epsilon: float, alpha: float) -> tuple[float, float]:
        """Logarithms of the ends of an interval for δ(ε)."""

    def solve(self, log_delta: float) -> float:
        """The ε up to the limit at which the curve falls to δ."""
        return crossing(lambda epsilon: self.at(epsilon).log_mean, log_delta, self.limit)

    def around(self, epsilon: float, alpha: float) -> tuple[float, float]:
        """An interval for the ε of a δ, from that of δ at this ε and the slope there."""
        if not 0 < epsilon < math.inf:
            return epsilon, epsilon
        step = 1e-3 * epsilon
        left, right = self.at(epsilon - step).log_mean, self.at(epsilon + step).log_mean
        middle, (low, high) = self.at(epsilon).log_mean, self.interval(epsilon, alpha)
        slope = (left - right) / (2 * step)
        if not slope > 0 or math.isinf(low):
            return 0.0, math.inf
        return max(epsilon - (middle - low) / slope, 0.0), epsilon + (high - middle) / slope


def crossing(
    log_curve: Callable[[float], float], log_delta: float, limit: float = math.inf
) -> float:
    """Where a function that falls reaches log δ: 0 if it is never above, the limit if always."""
    if log_curve(0.0) <= log_delta:
        return 0.0
    low, high = 0.0, min(1.0, limit)
    while log_curve(high) > log_delta:
        if high >= min(limit, _LARGEST):
            return limit
        low, high = high, min(2 * high, limit)
    for _ in range(_ROUNDS):
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low < 1e-12 * high:
            break
        low, high = (middle, high) if log_curve(middle) > log_delta else (low, middle)
    return 0.5 * (low + high)


@final
@dataclass(frozen=True, slots=True)
class OfDesign(Curve):
    """Each stratum's losses, drawn in proportion to its bound."""

    strata: tuple[tuple[Stratum, Floats], ...]
    aim: float
    log_bound: float
    limit: float

    @classmethod
    def drawn(cls, design: Design, size: int, source: Source, limit: float) -> OfDesign:
        """About so many draws of a design, whose tables have room up to the limit."""
        found = []
        for stratum in design.strata:
            share = math.exp(stratum.log_bound - design.log_bound)
            many = max(round(size * share), _LEAST)
            sums = losses(stratum.envelopes, many, source) if stratum.envelopes else np.zeros(2)
            found.append((stratum, sums[~np.isnan(sums)]))
        return cls(tuple(found), design.epsilon, design.log_bound, limit)

    def at(self, epsilon: float) -> Seen:
        """The sum over strata."""
        averages, squares = [], []
        for stratum, sums in self.strata:
            table = replace(stratum.table, epsilon=epsilon)
            with np.errstate(divide="ignore"):
                logs = table.log_at(sums) + stratum.log_scale - stratum.lam * sums
            mean, error = _moments(logs)
            averages.append(mean)
            squares.append(2 * error)
        return Seen(_added(averages), 0.5 * _added(squares))

    def interval(self, epsilon: float, alpha: float) -> tuple[float, float]:
        """The wider of the normal law's and Hoeffding's, which knows what no draw has shown."""
        seen, aimed = self.at(epsilon), self.at(self.aim)
        low, high = seen.interval(alpha)
        share = math.exp(min(aimed.log_mean - self.log_bound, 0.0))
        if share == 0:
            return low, high
        size = sum(len(sums) for _, sums in self.strata)
        least = means.lower(share, size, math.log(alpha / 2))
        most = means.upper(share, size, math.log(alpha / 2))
        down = math.log(least / share) if least > 0 else -math.inf
        up = math.log(most / share)
        return min(low, seen.log_mean + down), max(high, seen.log_mean + up)


@final
@dataclass(frozen=True, slots=True)
class OfWeights(Curve):
    """Losses with the logarithms of their weights: of the paper's estimators, and of one's own."""

    losses: Floats
    log_weights: Floats
    limit: float = math.inf

    def at(self, epsilon: float) -> Seen:
        """The weighted mean of (1 − e^{ε−Y})₊."""
        with np.errstate(divide="ignore", under="ignore"):
            payoff = np.log(-np.expm1(np.minimum(epsilon - self.losses, 0.0)))
        return Seen(*_moments(payoff + self.log_weights))

    def interval(self, epsilon: float, alpha: float) -> tuple[float, float]:
        """The normal law's."""
        return self.at(epsilon).interval(alpha)


def _moments(logs: Floats) -> tuple[float, float]:
    """log of the mean, and of its standard error."""
    top = float(logs.max())
    if top == -math.inf:
        return -math.inf, -math.inf
    with np.errstate(under="ignore"):
        values = np.exp(logs - top)
    mean, spread = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    return top + math.log(mean), top + math.log(spread) if spread > 0 else -math.inf


def _added(logs: list[float]) -> float:
    return float(np.logaddexp.reduce(logs))
