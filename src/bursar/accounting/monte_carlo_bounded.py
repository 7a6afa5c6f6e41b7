"""What a Monte Carlo verifier needs of a claim: one variable in [0, 1] whose mean bounds δ.

δ ≤ R + B·E X for one direction, and draws of X from words that depend on no data.  Everything that
can be drawn is one of these: designs, the estimators of Wang et al. 2023, samples of one's own.
Not here: how many draws prove what (`numerics.means`), who runs them (`monte_carlo_runs.py`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from bursar.adjacency import Direction
from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats

SHARP = 1e-9  # relative, in log B: rounding of what is added up here


def log_share(lam: float) -> float:
    """log c(λ), c = λ^λ/(1+λ)^{1+λ}, the largest (1 − e^{−x})e^{−λx}; rounded up."""
    if not lam > 0:
        return 0.0
    return lam * math.log(lam) - (1 + lam) * math.log1p(lam) + 1e-14 * (1 + lam)


@final
@dataclass(frozen=True, slots=True)
class Over:
    """How far draws may be above δ: B·E X ≤ e^{log_ratio} δ + B·excess, as they are computed."""

    log_ratio: float
    excess: float


class Bounded(ABC):
    """δ ≤ e^{log_rest} + e^{log_bound} E X for one direction; X is in [0, 1]."""

    __slots__ = ()
    direction: Direction
    epsilon: float
    log_bound: float
    log_rest: float

    @property
    @abstractmethod
    def coordinates(self) -> int:
        """Coordinates of one draw, at most: what it costs."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A text that two of these share only if they draw the same."""

    @abstractmethod
    def draw(self, size: int, source: Source) -> Floats:
        """So many independent X."""

    @property
    def log_ceiling(self) -> float:
        """log of a bound on δ without any draw: B + R."""
        return float(np.logaddexp(self.log_bound, self.log_rest)) + SHARP

    def over(self) -> Over | None:
        """How far draws may be above δ; None where that is not known."""
        return None

    def most(self, log_delta: float) -> float:
        """The mean of X is at most this, where δ is at most e^{log_delta}; rounded up."""
        known = self.over()
        if known is None:
            return 1.0
        found = math.exp(min(log_delta - self.log_bound + known.log_ratio, 1.0))
        return min((found + known.excess) * (1 + SHARP), 1.0)

    def log_least(self, mean: float) -> float:
        """log of what δ is at least, where the mean of X is at least this; rounded down."""
        known = self.over()
        if known is None or not mean * (1 - SHARP) > known.excess:
            return -math.inf
        rest = math.log(mean * (1 - SHARP) - known.excess)
        return self.log_bound + rest - known.log_ratio - 2 * SHARP

    def share(self, log_delta: float) -> float:
        """(δ − R)/B, rounded down: the mean of X from which on a claim of δ is false."""
        rest = math.exp(min(self.log_rest - log_delta, 0.0))
        if not rest < 1:
            return 0.0
        return min(math.exp(min(log_delta - self.log_bound, 1.0)) * (1 - rest) * (1 - SHARP), 1.0)

    def log_delta(self, mean: float) -> float:
        """log(R + B·mean), rounded up."""
        if mean == 0:
            return self.log_rest
        return float(np.logaddexp(self.log_bound + math.log(mean), self.log_rest)) + SHARP
