"""The mean of independent draws in [0, 1]: what a sample proves about it, and how large it must be.

kl(a‖p) = a log(a/p) + (1−a) log((1−a)/(1−p)).  For n draws with mean μ ≥ p, and a ≤ p,
P(average ≤ a) ≤ e^{−n kl(a‖p)} (Hoeffding 1963, Thm 1), and the other way round.  Betting holds at
all times at once: a wealth that is a supermartingale under μ ≥ p passes 1/β with probability at
most β (Ville).  Not here: what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from bursar.errors import InternalError

Floats = NDArray[np.float64]

_OUT = 1e-9  # relative: what float64 may be off, and more


def kl(a: float, p: float) -> float:
    """The divergence of a Bernoulli law of mean a in [0, 1] from one of mean p in (0, 1)."""
    if not (0 <= a <= 1 and 0 < p < 1):
        raise InternalError(f"no divergence of {a} from {p}")
    return p * _bregman((a - p) / p) + (1 - p) * _bregman((p - a) / (1 - p))


def _bregman(x: float) -> float:
    """(1+x) log(1+x) − x for x ≥ −1, which is nonnegative; no digit is lost near 0."""
    if x <= -1:
        return 1.0
    if abs(x) > 0.02:
        return (1 + x) * math.log1p(x) - x
    return sum((-x) ** k / (k * (k - 1)) for k in range(2, 11))


def upper(average: float, n: int, log_beta: float) -> float:
    """The largest mean that n draws with this average do not refute: it fails with probability β.

    Computes:  max{p: n kl(average‖p) ≤ −log β}, by bisection, rounded outward.
    Valid for: average in [0, 1], log β < 0.
    Error:     upward only.
    Cost:      200 divergences.
    Source:    Hoeffding 1963, Thm 1; docs/proofs/monte-carlo.md, Thm 5.
    """
    average = min(average * (1 + _OUT) + 1e-300, 1.0)
    low, high = average, 1.0
    for _ in range(200):
        middle = math.sqrt(low * high) if low > 0 and high > 4 * low else 0.5 * (low + high)
        if not low < middle < high:
            break
        if n * kl(average, middle) * (1 - _OUT) <= -log_beta:
            low = middle
        else:
            high = middle
    return min(high * (1 + _OUT), 1.0)


def lower(average: float, n: int, log_beta: float) -> float:
    """The smallest mean that n draws with this average do not refute."""
    average = max(average * (1 - _OUT), 0.0)
    if average == 0:
        return 0.0
    low, high = 0.0, average
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if n * kl(average, middle) * (1 - _OUT) <= -log_beta:
            high = middle
        else:
            low = middle
    return low * (1 - _OUT)


def draws_to_tell(gap: float, p: float, log_beta: float) -> int:
    """How many draws make the average (1−gap)p as unlikely as β, whatever mean is p or above.

    >>> draws_to_tell(0.005, 0.5, math.log(1e-10))
    1842061
    """
    exponent = kl((1 - gap) * p, p)
    if not exponent > 0:
        raise InternalError("no gap, no test")
    return math.ceil(-log_beta / exponent * (1 + _OUT))


@final
@dataclass(slots=True)
class Betting:
    """Bounds on a mean that hold after every draw at once, each side failing with probability β.

    The stake is set by the draws before, and is the same against all means of the grid: so a wealth
    rises (or falls) with the mean it bets against, and one refuted mean refutes all beyond it.
    """

    log_beta: float
    means: Floats
    drawn: int = 0
    _sum: float = 0.5
    _squares: float = 0.25
    _high: Floats = field(default_factory=lambda: np.zeros(0))
    _low: Floats = field(default_factory=lambda: np.zeros(0))
    _refuted: list[float] = field(default_factory=lambda: [0.0, 1.0])

    @classmethod
    def over(cls, log_beta: float, means: Iterable[float]) -> Betting:
        """With these means in (0, 1), in rising order, as the grid."""
        grid = np.array(list(means), dtype=np.float64)
        if not (len(grid) and (grid > 0).all() and (grid < 1).all() and (np.diff(grid) > 0).all()):
            raise InternalError("means to bet against must rise in (0, 1)")
        found = cls(log_beta, grid)
        found._high, found._low = np.zeros(len(grid)), np.zeros(len(grid))
        return found

    def see(self, draws: Floats) -> None:
        """Bet on these draws: one stake for the whole batch, set before it was seen."""
        values = np.clip(np.asarray(draws, dtype=np.float64), 0.0, 1.0)
        if not len(values):
            return
        mean = self._sum / (self.drawn + 1)
        spread = max(self._squares / (self.drawn + 1) - mean * mean, 1e-12)
        stake = min(math.sqrt(2 * -self.log_beta / (spread * (self.drawn + len(values)))), 0.5)
        for part in np.array_split(values, len(values) // 1024 + 1):
            away = stake * (part[:, None] - self.means)
            self._high += np.log1p(-away).sum(axis=0)
            self._low += np.log1p(away).sum(axis=0)
        self.drawn += len(values)
        self._sum += float(values.sum())
        self._squares += float((values**2).sum())
        slack = 1e-13 * self.drawn * 8 + _OUT
        refuted = self.means[self._high - slack >= -self.log_beta]
        if len(refuted):
            self._refuted[1] = min(self._refuted[1], float(refuted[0]))
        refuted = self.means[self._low - slack >= -self.log_beta]
        if len(refuted):
            self._refuted[0] = max(self._refuted[0], float(refuted[-1]))

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest mean that are left."""
        return self._refuted[0], self._refuted[1]
