"""Second moments of the paper's estimators, bounded: Wang et al. 2023, Thms 21 to 26, Remark 27.

Every number here is an upper bound: tilted masses are balls, integrals are upper sums (each factor
at the end of its cell where it is larger).  Corrected: M_P of the true tilt; the minimum over λ and
e^{−λε} inside the integral (Remark 27), for with one λ Theorem 26 says nothing; and the bound that
a proved δ gives, which is often the smallest: a draw is at most B, so E Z² ≤ Bδ.
All in logarithms.  Not here: how many draws follow (`sizes.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from flint import arb

from bursar.accounting.baselines.estimators import log_sum_at_least, log_sum_for_equal
from bursar.accounting.baselines.parts import Parts, heaviest, log_moment, target
from bursar.accounting.monte_carlo_search import best_tilt, golden, log_mass
from bursar.errors import InvalidParameter
from bursar.numerics.balls import ball, float_up, precision
from bursar.numerics.tilts import Coordinate, Floats

_PAD = 1e-9  # what float64 may be off in these logarithms, and more
_CELLS = 600
_ORDERS = 40  # whole λ
_HIGHEST = 400
HOLDERS = (1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)  # a of Theorem 23


@final
@dataclass(frozen=True)
class Moments:
    """Bounds for a plan at ε > 0, one direction.  `log_delta` is log of a proved bound on δ."""

    parts: Parts
    epsilon: float
    log_delta: float = 0.0

    def simple(self, power: float = 2.0) -> float:
        """log of a bound on E[X^u], u ≥ 1, of simple Monte Carlo: Thm 21 (Cor. 22), or δ itself."""
        return min(self.theorem_21(power), self.log_delta)

    def theorem_21(self, power: float = 2.0) -> float:
        """log min over λ of M_Y(λ) e^{−λε} u^u λ^λ/(u+λ)^{u+λ}."""
        if power not in self._found:
            self._found[power] = self._theorem_21(power)
        return self._found[power]

    @cached_property
    def _found(self) -> dict[float, float]:
        return {}

    def _theorem_21(self, u: float) -> float:
        def with_moment(lam: float, log_m: float) -> float:
            own = _log_power(u) + _log_power(lam) - _log_power(u + lam)
            return log_m - lam * self.epsilon + own

        def searched(log_lam: float) -> float:
            lam = math.exp(log_lam)
            found = [n * log_mass(part, lam, *part.reach(lam)) for part, n in self.parts]
            return with_moment(lam, sum(found))

        middle = math.log(self._tilt)
        lam = math.exp(golden(searched, middle - 1.5, middle + 1.5, 40))
        return min(0.0, with_moment(lam, self._log_moment_of_loss(lam)) + _PAD)

    def importance(self, theta: float) -> float:
        """log of the least of the bounds on E[Z²] with one coordinate tilted."""
        certified = [self.theorem_24(theta), self.theorem_26(theta), self.theorem_23(theta)]
        return min(*certified, self.from_delta(theta))

    def from_delta(self, theta: float) -> float:
        """log of Bδ, B the largest draw: not in the paper."""
        return (
            self._log_sum(theta)
            - log_sum_at_least(self.parts, self.epsilon, theta)
            + (self.log_delta + _PAD)
        )

    def theorem_24(self, theta: float) -> float:
        """Thm 24, with E[X²] from Cor. 22: equal steps, θσ² ≥ 1; else no bound."""
        (part, k), *others = self.parts
        if others or not theta >= part.slope**2:
            return math.inf
        least = log_sum_for_equal(part, k, self.epsilon, theta)
        return self._log_sum(theta) - least + self.theorem_21() + _PAD

    def theorem_26(self, theta: float, *, inside: bool = True) -> float:
        """Thm 26 with Remark 27's minimum inside; or with one λ for all x, as Thm 26 stands."""
        rows = self._table if inside is False else self._table.min(axis=0, keepdims=True)
        best = min(self._log_integral(row, theta) for row in rows)
        return self._log_sum(theta) + best + _PAD

    def theorem_23(self, theta: float, a: float | None = None) -> float:
        """Thm 23, Hölder's a given or the best of a few, with the minimum inside."""
        row = self._table.min(axis=0)
        found = []
        for one in HOLDERS if a is None else (a,):
            b = one / (one - 1)
            middle = self.theorem_21(2 * one) / one
            found.append(self._log_sum(theta) + middle + self._log_integral(row, b * theta) / b)
        return min(found) + _PAD

    def best_theta(self) -> float:
        """The θ of the least certified bound."""
        centre = max(target(heaviest(self.parts, self.epsilon), self.epsilon), 0.5)
        slope = max(part.slope for part, _ in self.parts)
        grid = np.linspace(0.05, 2.5, 50) * centre * slope**2
        return float(min(grid, key=self.importance))

    def _log_sum(self, theta: float) -> float:
        """log of ΣM."""
        logs = [math.log(n) + log_moment(part, theta) for part, n in self.parts]
        return float(np.logaddexp.reduce(logs))

    def _log_integral(self, row: Floats, rate: float) -> float:
        """log of an upper sum of rate ∫ e^{row(x)} e^{−rate x} dx; `row` grows."""
        edges = self._edges
        with np.errstate(divide="ignore"):
            falls = np.log(-np.expm1(-rate * np.diff(edges))) - rate * edges[:-1]
        terms = np.append(falls + row[1:], row[-1] - rate * edges[-1])
        return float(np.logaddexp.reduce(terms))

    @cached_property
    def _tilt(self) -> float:
        return best_tilt(self.parts, self.epsilon)

    def _log_moment_of_loss(self, lam: float) -> float:
        with precision(96):
            total = arb(0)
            for part, count in self.parts:
                low, high = part.reach(lam)
                mass = part.mass(lam, low, high)
                mass += part.cut_below(lam, low) + part.cut_above(lam, high)
                total += count * mass.log()
            return float_up(total)

    @cached_property
    def _edges(self) -> Floats:
        """x from where k losses at x first reach ε; below it nothing counts."""
        low, high = -10.0 / min(p.slope for p, _ in self.parts), 0.0
        top = max(target(part, self.epsilon) for part, _ in self.parts)
        for _ in range(60):
            middle = 0.5 * (low + top)
            low, top = (low, middle) if self._loss_at(middle) >= self.epsilon else (middle, top)
        high = max(target(part, self.epsilon) + 12 / part.slope for part, _ in self.parts)
        return np.linspace(low, high, _CELLS + 1)

    def _loss_at(self, x: float) -> float:
        point = np.array([x])
        return sum(n * float(part.log_w(point * part.slope)[0]) for part, n in self.parts)

    @cached_property
    def _orders(self) -> list[int]:
        nats = 10 - self.theorem_21(1.0)
        most = min(math.ceil(2 * self._tilt + 3 * nats / self.epsilon), _HIGHEST)
        return sorted({round(x) for x in np.geomspace(1, most, _ORDERS)} | {0})

    @cached_property
    def _table(self) -> Floats:
        """k log r(λ, x) − λε, a row for each λ, rounded up: eq. (18) in balls."""
        orders = self._orders
        total = np.zeros((len(orders), _CELLS + 1))
        for part, count in self.parts:
            total += count * _log_truncated(part, orders, self._edges)
        grown = total - np.array(orders)[:, None] * self.epsilon
        return np.asarray(np.maximum.accumulate(grown + 1e-12 * np.abs(total), axis=1))


def _log_truncated(part: Coordinate, orders: list[int], edges: Floats) -> Floats:
    """log E_P[e^{λy}; t ≤ x] = log Σ_j C(A,j)(1−q)^{A−j}q^j e^{j(j−1)/2σ²} Φ((x−j)/σ), A = 1+λ."""
    if not part.removes:
        raise InvalidParameter("the paper's bounds are for the remove direction", field="direction")
    top = max(orders) + 1
    found = np.empty((len(orders), len(edges)))
    with precision(96):
        m, q, root = ball(part.mu_squared).sqrt(), ball(part.q), arb(0.5).sqrt()
        grown = [(arb(j) * (j - 1) * m * m / 2).exp() * q**j for j in range(top + 1)]
        rows = {lam: _weights(lam + 1, q, grown, sampled=part.sampled) for lam in orders}
        for c, x in enumerate(edges):
            below = [(-(arb(float(x)) - j) * m * root).erfc() / 2 for j in range(top + 1)]
            for i, lam in enumerate(orders):
                total = arb(0)
                for j, weight in rows[lam]:
                    total += weight * below[j]
                found[i, c] = float_up(total.log())
    return found


def _weights(power: int, q: arb, grown: list[arb], *, sampled: bool) -> list[tuple[int, arb]]:
    if not sampled:
        return [(power, grown[power])]
    return [
        (j, arb(math.comb(power, j)) * (1 - q) ** (power - j) * grown[j]) for j in range(power + 1)
    ]


def _log_power(x: float) -> float:
    """log of x^x."""
    return x * math.log(x) if x > 0 else 0.0
