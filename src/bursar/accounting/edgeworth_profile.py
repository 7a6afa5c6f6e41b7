"""The profile that Edgeworth's expansion proves: δ(ε) between two ends, and its inverse.

It says nothing where the bound on the error is above the expansion itself: few steps, rare large
losses.  Not here: the expansion (`expansion.py`), and why its error is bounded (`remainder.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

from flint import arb

from bursar.accounting.contour import Loss
from bursar.accounting.expansion import BITS, Expansion
from bursar.accounting.remainder import NOTHING
from bursar.errors import LimitReached
from bursar.numerics.balls import float_up, precision
from bursar.numerics.roots import Bracket, bracket_root
from bursar.numerics.sketch import Cumulant, cumulant, solve_decreasing
from bursar.truth import BillLine

_PROOF = "docs/proofs/edgeworth.md"
_STEEPEST = 1e9  # of a tilt that an expansion is made for
_WIDENINGS = 40


@final
@dataclass(slots=True)
class EdgeworthProfile:
    """δ(ε) by Edgeworth's expansion with its finite-sample bound; each answer has both ends."""

    loss: Loss
    top: arb
    found: Cumulant
    infinite: arb  # the probability of an infinite loss, which the expansion leaves out
    method: str = "edgeworth"
    last: tuple[BillLine, ...] = field(default=(), init=False)

    @classmethod
    def of(cls, loss: Loss, infinite: arb) -> EdgeworthProfile:
        """The profile of a composition in one direction."""
        with precision(BITS):
            top = loss.top()
        return cls(loss, top, cumulant(list(loss.steps), loss.factors), infinite)

    def delta_at(self, epsilon: arb) -> arb:
        """A ball for δ at ε; LimitReached where the bound says nothing there."""
        with precision(BITS):
            location, most = epsilon - self.top, self.loss.most()
            if most is not None and location >= most:
                return self.infinite
            goal = float(location)
            lam = solve_decreasing(lambda tilt: goal - self.found.saddle(tilt)[0], 1.0)
            expansion = self._expansion(lam)
            self._note(expansion, location)
            lower = expansion.lower(location).max(arb(0))
            return lower.union(expansion.upper(location).min(arb(1))) + self.infinite

    def epsilon_at(self, target: arb) -> Bracket:
        """A bracket for ε; LimitReached where the bound says nothing there."""
        if self.infinite > target:
            return Bracket(arb("inf"), None)
        with precision(BITS):
            finite = target - self.infinite
            if not finite > 0:
                raise LimitReached("δ is too near the probability of an infinite loss")
            if self.loss.variation() <= finite:
                return Bracket(arb(0), arb(0))
            log_delta = float(finite.log())
            lam = solve_decreasing(lambda tilt: self.found.saddle(tilt)[1] - log_delta, 1.0)
            expansion = self._expansion(lam)
            high = bracket_root(lambda e: expansion.upper(e - self.top), finite).high
            if high is None:
                raise LimitReached("Edgeworth's expansion finds no ε")
            self._note(expansion, high - self.top)
            return Bracket(self._below(expansion, high, finite), high)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """Whether δ(ε) ≤ target is proved."""
        try:
            return bool(self.delta_at(epsilon) <= target)
        except LimitReached:
            return False

    def bill(self) -> tuple[BillLine, ...]:
        """The errors of the last answer, relative to δ."""
        return self.last

    def _expansion(self, lam: float) -> Expansion:
        if not 0 < lam < _STEEPEST:
            raise LimitReached(NOTHING)
        return Expansion.of(self.loss, self.found, lam)

    def _below(self, expansion: Expansion, high: arb, target: arb) -> arb:
        """An ε at which δ is proved to be above the target, or 0."""
        location = high - self.top
        step = 2 * expansion.error_at(location) / target / expansion.lam
        step += abs(high) * arb(2) ** -50
        for _ in range(_WIDENINGS):
            low = (high - step).mid()
            if not low > 0:
                break
            if expansion.lower(low - self.top) > target:
                return low
            step *= 2
        return arb(0)

    def _note(self, expansion: Expansion, location: arb) -> None:
        """The bill; and the refusal where the error is no error but all there is."""
        value, error = expansion.value(location), expansion.error_at(location)
        if not error <= value:
            raise LimitReached(NOTHING)
        near, far = (
            float_up(error * part / expansion.error.total / value) if error > 0 else 0.0
            for part in (expansion.error.near, expansion.error.far)
        )
        rounding = math.ulp(1.0) if value.rad() == 0 else float_up((value.rad() / value).upper())
        self.last = (
            BillLine("finite sample: the steps' sixth moments", near, f"{_PROOF}, section 4"),
            BillLine("finite sample: high frequencies", far, f"{_PROOF}, section 5"),
            BillLine("moments and rounding", rounding, f"{_PROOF}, section 3"),
        )
