"""The two estimators of Wang et al. 2023: simple Monte Carlo, and one coordinate tilted.

Def. 12: X = (1 − e^{ε−Y})₊ with Y drawn as it is.  Def. 18, corrected: one coordinate, picked with
probability M_i/ΣM, is drawn from P tilted by e^{θt}, and Z = f(Y) ΣM/Σe^{θt}; for equal steps this
is the paper's kM_P/Σe^{θt}.  Both draw from the exact envelopes.  Where f > 0 some loss is at least
ε/k, so Z is bounded, and both are `Bounded`.  Not here: how many draws they need (`moments.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from bursar.accounting.baselines.parts import (
    heaviest,
    log_moment,
    log_outside,
    one_sided,
    parts_of,
    plain,
    reach,
    steps_in,
    target,
    tilted,
    true_tilt,
)
from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_search import Parts
from bursar.adjacency import Direction
from bursar.errors import LimitReached
from bursar.numerics.envelope import Envelope, Source
from bursar.numerics.tilts import Coordinate, Floats
from bursar.privacy.pairs import Composition

_AT_ONCE = 1 << 16  # coordinates
_LARGEST = 600.0  # of an exponent
_STEEPEST = 36.0  # θσ
_BLUR = 1e-9  # of an exponent: places are known to 24 bits of a cell
_ROUND = 2.0**-40  # what float64 may be off in a sum of losses, per coordinate
Drawn = tuple[Envelope, Coordinate, float, int]  # drawn from, whose loss, how far moved, how many


@final
@dataclass(frozen=True, slots=True)
class Simple(Bounded):
    """X = (1 − e^{ε−Y})₊: unbiased for δ(ε) in one direction.  Wang et al. 2023, Def. 12."""

    direction: Direction
    epsilon: float
    envelopes: tuple[tuple[Envelope, int], ...]
    log_rest: float
    log_bound: float = 0.0

    @classmethod
    def of(cls, composition: Composition, direction: Direction, epsilon: float) -> Simple:
        """For a composition of Gaussians, sampled or not."""
        parts = parts_of(composition)
        drawn = tuple((plain(part), count) for part, count in parts)
        return cls(direction, epsilon, drawn, log_outside(parts))

    @property
    def coordinates(self) -> int:
        """Coordinates of one draw."""
        return sum(count for _, count in self.envelopes)

    @property
    def digest(self) -> str:
        """The numbers that decide a draw."""
        laws = [(one.law.slope.hex(), one.law.share.hex(), n) for one, n in self.envelopes]
        return f"simple:{self.direction.value}:{self.epsilon.hex()}:{laws}"

    def losses(self, size: int, source: Source) -> Floats:
        """So many Y; +∞ where a coin stayed undecided."""
        drawn = tuple((one, one.law, 0.0, count) for one, count in self.envelopes)
        sums, _ = _sums(drawn, size, source, 0.0)
        return np.where(np.isnan(sums), math.inf, sums)

    def draw(self, size: int, source: Source) -> Floats:
        """So many independent X."""
        return payoff(self.losses(size, source) + _slack(self.envelopes), self.epsilon)


@final
@dataclass(frozen=True, slots=True)
class OneTilted(Bounded):
    """Z = f(Y) ΣM/Σe^{θt}, with one coordinate tilted: Wang et al. 2023, Def. 18, corrected."""

    direction: Direction
    epsilon: float
    theta: float
    parts: Parts
    plain: tuple[Envelope, ...]
    tilted: tuple[Envelope, ...]
    log_moments: float  # of ΣM
    log_bound: float
    log_rest: float

    @classmethod
    def of(
        cls,
        composition: Composition,
        direction: Direction,
        epsilon: float,
        theta: float | None = None,
    ) -> OneTilted:
        """For the remove direction; θ from eq. (6) of the likeliest outlier where none is given."""
        parts = one_sided(composition, direction)
        if theta is None:
            theta = true_tilt(heaviest(parts, epsilon), epsilon)
        log_moments = _log_moments(parts, theta)
        far = max(abs(theta) / part.slope for part, _ in parts)
        if not far < _STEEPEST:
            raise LimitReached("this tilt is beyond what float64 can hold", hint="Take a design.")
        return cls(
            direction,
            epsilon,
            theta,
            parts,
            tuple(plain(part) for part, _ in parts),
            tuple(tilted(part, theta) for part, _ in parts),
            log_moments,
            log_moments - log_sum_at_least(parts, epsilon, theta) + _BLUR * (1 + far),
            log_outside(parts),
        )

    @property
    def coordinates(self) -> int:
        """Coordinates of one draw."""
        return steps_in(self.parts)

    @property
    def digest(self) -> str:
        """The numbers that decide a draw."""
        laws = [(part.slope.hex(), part.share.hex(), n) for part, n in self.parts]
        return f"one tilted:{self.epsilon.hex()}:{self.theta.hex()}:{laws}"

    def pairs(self, size: int, source: Source) -> tuple[Floats, Floats]:
        """So many losses Y, and log of each one's weight ΣM/Σe^{θt}."""
        shares = [
            math.log(count) + log_moment(part, self.theta) - self.log_moments
            for part, count in self.parts
        ]
        edges = np.cumsum(np.exp(shares))
        uniform = (source(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        chosen = np.minimum(np.searchsorted(edges, uniform, side="right"), len(edges) - 1)
        losses, log_weights = np.empty(size), np.empty(size)
        for i in range(len(edges)):
            where = np.flatnonzero(chosen == i)
            sums, powers = _sums(self._drawn(i), len(where), source, self.theta, self._scale)
            losses[where] = np.where(np.isnan(sums), math.inf, sums)
            with np.errstate(divide="ignore"):
                log_weights[where] = self.log_moments - self._scale - np.log(powers)
        return losses, log_weights

    @property
    def _scale(self) -> float:
        """What is taken off exponents θt, so that none is too large."""
        tops = [
            self.theta * (reach(part)[1] / part.slope + self.theta / part.slope**2)
            for part, _ in self.parts
        ]
        return max(max(tops) - _LARGEST, 0.0)

    @property
    def _blur(self) -> float:
        """How far log of Σe^{θt} may be from that of the real places."""
        return _BLUR * (1 + max(self.theta / part.slope for part, _ in self.parts))

    def _drawn(self, picked: int) -> tuple[Drawn, ...]:
        part = self.parts[picked][0]
        found = [
            (envelope, envelope.law, 0.0, count - (i == picked))
            for i, (envelope, (_, count)) in enumerate(zip(self.plain, self.parts, strict=True))
            if count > (i == picked)
        ]
        return (*found, (self.tilted[picked], part, self.theta / part.slope, 1))

    def draw(self, size: int, source: Source) -> Floats:
        """So many independent X = Z/B in [0, 1]."""
        losses, log_weights = self.pairs(size, source)
        slack = _slack(
            [(one, count) for one, (_, count) in zip(self.plain, self.parts, strict=True)]
        )
        found = payoff(losses + slack, self.epsilon)
        with np.errstate(under="ignore"):
            found *= np.exp(np.minimum(log_weights - self.log_bound + self._blur, 0.0))
        return np.asarray(np.where(np.isinf(losses), 1.0, found))


def payoff(losses: Floats, epsilon: float) -> Floats:
    """(1 − e^{ε−Y})₊."""
    with np.errstate(under="ignore"):
        return np.asarray(-np.expm1(np.minimum(epsilon - losses, 0.0)))


def log_sum_at_least(parts: Parts, epsilon: float, theta: float) -> float:
    """log of a lower bound on Σe^{θt} where Y ≥ ε > 0, for θ ≥ 0.

    Some loss is at least ε/k; and Lemma 25 of Wang et al. 2023 (with ε/q in place of ε/k), for
    equal steps and θσ² ≥ 1.
    """
    if epsilon <= 0 or theta <= 0:
        return -math.inf if theta else math.log(steps_in(parts))
    k = steps_in(parts)
    found = theta * min(target(part, epsilon / k) for part, _ in parts)
    if len(parts) == 1 and theta >= parts[0][0].slope ** 2:
        found = max(found, log_sum_for_equal(parts[0][0], k, epsilon, theta))
    return found


def log_sum_for_equal(part: Coordinate, k: int, epsilon: float, theta: float) -> float:
    """log of Lemma 25's bound: k [(ε/q + k)/k]^{θσ²} e^{θ/2}."""
    power = theta / part.slope**2
    return math.log(k) + power * math.log1p(epsilon / (part.share * k)) + 0.5 * theta


def _log_moments(parts: Parts, theta: float) -> float:
    return float(np.logaddexp.reduce([math.log(n) + log_moment(part, theta) for part, n in parts]))


def _slack(envelopes: Iterable[tuple[Envelope, int]]) -> float:
    """How far a sum of losses may be from the real one."""
    return sum(
        count * (one.law.slope * one.coarse + _ROUND * (2 + one.law.slope**2))
        for one, count in envelopes
    )


def _sums(
    drawn: tuple[Drawn, ...], size: int, source: Source, theta: float, scale: float = 0.0
) -> tuple[Floats, Floats]:
    """Sums of losses, and sums of e^{θt − scale}; NaN where a coin stayed undecided."""
    total, powers = np.zeros(size), np.zeros(size)
    for envelope, law, moved, count in drawn:
        rows = max(1, _AT_ONCE // count)
        for start in range(0, size, rows):
            many = min(rows, size - start)
            z = envelope.draw(many * count, source)
            z += moved
            sums = law.log_w(z).reshape(many, count).sum(axis=1)
            total[start : start + many] += sums if law.removes else -sums
            if theta:
                with np.errstate(under="ignore"):
                    grown = np.exp(theta / law.slope * z - scale)
                powers[start : start + many] += grown.reshape(many, count).sum(axis=1)
            else:
                powers[start : start + many] += count
    return total, powers
