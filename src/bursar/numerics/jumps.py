"""What several big jumps add to δ, as tables that are never below it.

g₀(Y) = (1 − e^{ε−Y})₊ and g₊(Y) = ∫ P(t) g(Y + y(t)) dt over the jumps t > T of one coordinate.
In v = e^Y the function v·g is convex, so a chord is above it, and a jump may be replaced by one of
the same masses under P and Q at the two ends of its cell.  Tables stand on ε − ih; jumps start at a
multiple of h, and those that end above ε from everywhere are integrated as they are:
docs/proofs/monte-carlo.md, §6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb

from bursar.errors import InternalError, LimitReached
from bursar.numerics.balls import float_down, float_up, precision
from bursar.numerics.tilts import Coordinate, Floats

SLACK = 1e-12  # in the loss, for each jump: edges of cells are floats
_PAD = 1e-11  # of a cell's mass, over its width, for the same
NARROWEST = 1e-6  # cell for which that is little
STEEPEST = 30.0  # mean shift, for edges within SLACK
_TINY = 1e-290  # what underflow may have taken
_ROUND = 1e-10
_CANCELS = 1e-14  # of what cancels where a jump just reaches ε


@final
@dataclass(frozen=True, slots=True)
class Jumps:
    """The jumps of one coordinate: masses at T's loss + jh, and those of what lies beyond them."""

    first: int  # the loss at T, in steps of h
    dots: Floats
    beyond_p: float
    beyond_q: float
    under_p: float
    under_q: float

    @classmethod
    def of(cls, law: Coordinate, *, first: int, step: float, reach: float) -> Jumps:
        """The jumps above a loss of `first` steps, dotted up to a loss of at least `reach`.

        Computes:  masses under P at the ends of cells; each cell keeps its masses under P and Q.
        Valid for: the remove direction, first ≥ 1; tables that go down to ε − reach or less far.
        Error:     upward only.
        Cost:      about 20 µs a cell.
        Source:    Doroshenko et al. 2022; docs/proofs/monte-carlo.md, Lemma 6.
        """
        if first < 1 or not law.removes:
            raise InternalError("jumps go up, from above a loss of 0")
        if not (law.slope <= STEEPEST and step >= NARROWEST):
            raise LimitReached("the edges of jumps are beyond what float64 can hold")
        last = max(first + 2, math.ceil(reach / step))
        losses = np.arange(first, last + 1) * step
        edges = np.array([law.above(float(loss)) for loss in losses])
        pad = _PAD / step
        with precision(96):
            far = float(edges[-1]) + 60.0
            under_p, under_q = law.cells(np.append(edges, far))
            p_all, q_all = float_up(sum(under_p, arb(0))), float_down(sum(under_q, arb(0)))
            more = float_up(2 * law.cut_above(0.0, far))
            beyond_p = float_up(under_p[-1] + law.cut_above(0.0, far))
            beyond_q = max(float_down(under_q[-1]), 0.0)
            dots = np.zeros(len(losses))
            for j in range(len(losses) - 1):
                low, high = math.exp(losses[j]), math.exp(losses[j + 1])
                p, q = under_p[j], under_q[j]
                right = float_up((p - q * low) / (high - low)) * high
                left = float_up((q * high - p) / (high - low)) * low
                more_p = pad * float_up(p)
                dots[j] += max(left, 0.0) + more_p
                dots[j + 1] += max(right, 0.0) + more_p
        return cls(first, dots, beyond_p, beyond_q, p_all + more, max(q_all, 0.0) * (1 - _ROUND))


@final
@dataclass(frozen=True, slots=True)
class Table:
    """g for some numbers of jumps, on ε − ih from below to ε; above ε it is p − q e^{ε−Y}."""

    epsilon: float
    step: float
    values: Floats  # from the lowest Y up to ε
    under_p: float
    under_q: float
    jumps: int

    @classmethod
    def payoff(cls, epsilon: float, step: float, lowest: float) -> Table:
        """g₀: no jump."""
        size = max(2, math.ceil((epsilon - lowest) / step)) + 1
        return cls(epsilon, step, np.zeros(size), 1.0, 1.0, 0)

    @property
    def lowest(self) -> float:
        """Where the table starts."""
        return self.epsilon - (len(self.values) - 1) * self.step

    def after(self, jumps: Jumps) -> Table:
        """One jump more."""
        size, reach = len(self.values), jumps.first + len(jumps.dots)
        above = np.arange(1, reach + 1) * self.step
        high = self.under_p - self.under_q * np.exp(-above)
        whole = np.concatenate([self.values, np.maximum(high, 0.0) * (1 + _ROUND)])
        found = np.correlate(whole[jumps.first :], jumps.dots, "valid")[:size]
        fall = np.exp(np.arange(size - 1, -1, -1) * self.step)  # of e^ε over e^Y
        p, q = jumps.beyond_p * self.under_p, jumps.beyond_q * self.under_q
        found += np.maximum(p * (1 + _CANCELS) - q * (1 - _CANCELS) * fall, 0.0)
        found = found * (1 + _ROUND) + _TINY
        found = np.minimum(found, self.under_p * jumps.under_p)
        under_p = self.under_p * jumps.under_p * (1 + _ROUND)
        return Table(
            self.epsilon,
            self.step,
            found,
            under_p,
            self.under_q * jumps.under_q * (1 - _ROUND),
            self.jumps + 1,
        )

    def log_at(self, loss: Floats) -> Floats:
        """An upper bound on log g at these losses; −inf where g is 0."""
        loss = loss + self.jumps * SLACK
        with np.errstate(divide="ignore", under="ignore", over="ignore"):
            if not self.jumps:
                return np.asarray(np.log(-np.expm1(np.minimum(self.epsilon - loss, 0.0))))
            return np.where(loss >= self.epsilon, self._above(loss), self._log_chord(loss))

    def _above(self, loss: Floats) -> Floats:
        fall = np.exp(np.minimum(self.epsilon - loss, 0.0))
        return np.asarray(np.log(self.under_p - self.under_q * fall) + _ROUND)

    def _log_chord(self, loss: Floats) -> Floats:
        at = np.clip((loss - self.lowest) / self.step, 0.0, len(self.values) - 1.0)
        i = np.minimum(at.astype(np.intp), len(self.values) - 2)
        r = (at - i) * self.step
        g, slope = self.values[i], self._slopes()[i]
        return np.asarray(np.log((g + slope * np.expm1(r)) * np.exp(-r)) + _ROUND)

    def _slopes(self) -> Floats:
        """Of v·g along v, on each cell, with v = 1 at its left end."""
        grow = math.exp(self.step)
        return (grow * self.values[1:] - self.values[:-1]) / (grow - 1)

    def log_peak(self, lam: float) -> float:
        """An upper bound on log of the largest e^{−λY} g(Y), for Y from the lowest of the table on.

        Computes:  the largest on each chord, at its ends or where its derivative is 0.
        Valid for: λ > 0.
        Error:     upward only.
        Cost:      a few passes over the table.
        Source:    docs/proofs/monte-carlo.md, Prop. 7.
        """
        top = math.log(lam / (1 + lam))  # of 1 − e^{−x} at the best x, for g₀
        if not self.jumps:
            return lam * top - math.log1p(lam) - lam * self.epsilon + _ROUND
        losses = self.lowest + np.arange(len(self.values)) * self.step
        best = float((np.log(self.values) - lam * losses).max())
        slope = self._slopes()
        start = self.values[:-1] - slope  # the chord is start + slope·v
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -(1 + lam) * start / (slope * lam)
            inside = (v > 1) & (v < math.exp(self.step))
            peak = np.log(start + slope * v) - (1 + lam) * np.log(v) - lam * losses[:-1]
        best = max(best, float(np.max(peak, where=inside, initial=-math.inf)))
        turn = (1 + lam) * self.under_q / (lam * self.under_p)  # of v, with v = 1 at ε
        if turn > 1:
            above = math.log(self.under_p * turn - self.under_q) - (1 + lam) * math.log(turn)
            best = max(best, above - lam * self.epsilon)
        return best + (self.jumps + 1) * (lam + 1) * SLACK + 4 * _ROUND * (1 + abs(best))
