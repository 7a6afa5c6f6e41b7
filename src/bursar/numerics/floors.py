"""What several big jumps add to δ at least: the tables of `jumps.py` from below.

In v = e^Y the function v·g is convex, so by Jensen the jumps of a cell may be replaced by one, at
the log of the cell's P-mass over its Q-mass; that is then rounded down to the lattice.  Cells lie
around points of the lattice, a little up, so that little is lost: docs/proofs/monte-carlo.md, §6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from flint import arb

from bursar.errors import InternalError
from bursar.numerics.balls import float_down, float_up, precision
from bursar.numerics.jumps import SLACK, Jumps, Table
from bursar.numerics.tilts import Coordinate, Floats

_ROUND = 1e-10  # relative: of sums of nonnegative numbers, and of chords
_TINY = 1e-290  # what underflow may have added
_CANCELS = 1e-14  # of what cancels where a jump just reaches ε
_OFF = 1e-9  # of a step: a loss this near below a point of the lattice is at it


@final
@dataclass(frozen=True, slots=True)
class Lows:
    """The jumps of one coordinate, from below: masses at T's loss + jh."""

    first: int
    dots: Floats
    beyond_p: float  # at least
    beyond_q: float  # at most
    under_p: float  # at least
    under_q: float  # at most

    @classmethod
    def of(cls, law: Coordinate, above: Jumps, step: float) -> Lows:
        """The jumps that `above` has dotted from above, on the same lattice.

        Computes:  masses under P, each at a point of the lattice at or below the loss at which the
                   cell's masses under P and Q are in balance.
        Valid for: the remove direction.
        Error:     downward only; about the square of the step.
        Cost:      about 20 µs a cell.
        Source:    docs/proofs/monte-carlo.md, Lemma 6b.
        """
        losses = (above.first + np.arange(len(above.dots))) * step
        t = np.array([law.above(float(loss)) for loss in losses])
        fall = np.gradient(0.5 * t * t + np.log(law.rise(t)), step)  # of the log density under Q
        up = np.maximum(fall * step**2 / 10, 0.0) + 1e-3 * step
        inner = losses[:-1] + 0.5 * step + np.minimum(up[1:], 0.4 * step)
        far = float(t[-1]) + 60.0
        edges = [t[0], *(law.above(float(loss)) for loss in inner), t[-1], far]
        with precision(96):
            under_p, under_q = law.cells(np.array(edges))
            dots = np.zeros(len(losses))
            for p, q in zip(under_p[:-1], under_q[:-1], strict=True):
                if not (q.lower() > 0 and p.lower() > 0):
                    continue
                at = math.floor(float_down((p / q).log()) / step + _OFF) - above.first
                if at >= 0:
                    dots[at] += float_down(p)
            more = float_up(law.cut_above(0.0, far))
            p_far, q_far = max(float_down(under_p[-1]), 0.0), float_up(under_q[-1]) + more
            least, most = float_down(sum(under_p, arb(0))), float_up(sum(under_q, arb(0))) + more
        return cls(above.first, dots * (1 - _ROUND), p_far, q_far, least, most * (1 + _ROUND))


@final
@dataclass(frozen=True, slots=True)
class Floor:
    """At least g for some numbers of jumps, at the places of a table; chords of v·g between them.

    Above ε it is p − q e^{ε−Y}.
    """

    epsilon: float
    step: float
    values: Floats
    under_p: float
    under_q: float
    jumps: int

    @classmethod
    def under(cls, payoff: Table) -> Floor:
        """g₀, which its table has exactly."""
        if payoff.jumps:
            raise InternalError("a floor begins without jumps")
        return cls(payoff.epsilon, payoff.step, np.zeros(len(payoff.values)), 1.0, 1.0, 0)

    def after(self, lows: Lows) -> Floor:
        """One jump more."""
        size, reach = len(self.values), lows.first + len(lows.dots)
        above = np.arange(1, reach + 1) * self.step
        high = self.under_p - self.under_q * np.exp(-above) * (1 + _ROUND)
        whole = np.concatenate([self.values, np.maximum(high, 0.0)])
        found = np.correlate(whole[lows.first :], lows.dots, "valid")[:size]
        fall = np.exp(np.arange(size - 1, -1, -1) * self.step)  # of e^ε over e^Y
        p, q = lows.beyond_p * self.under_p, lows.beyond_q * self.under_q
        found += np.maximum(p * (1 - _CANCELS) - q * (1 + _CANCELS) * fall, 0.0)
        found = np.maximum(found * (1 - _ROUND) - _TINY, 0.0)
        under_p = self.under_p * lows.under_p * (1 - _ROUND)
        under_q = self.under_q * lows.under_q * (1 + _ROUND)
        return Floor(self.epsilon, self.step, found, under_p, under_q, self.jumps + 1)

    def log_ratio(self, table: Table, shift: float) -> float:
        """log of the largest table(Y + shift)/floor(Y) over Y from the lowest of both on.

        Computes:  at the points of the lattice: between them both are chords of functions of e^Y,
                   whose ratio is largest at an end; above ε both are p − q e^{ε−Y}.
        Valid for: at least one jump; infinite where the floor is 0 and the table is not.
        Error:     upward only.
        Source:    docs/proofs/monte-carlo.md, Prop. 7b.
        """
        if not self.jumps or table.jumps != self.jumps or len(table.values) != len(self.values):
            raise InternalError("these are tables of other jumps")
        if not (self.values > 0).all():
            return math.inf
        least = self.under_p - self.under_q * (1 + _ROUND)
        if not least > 0:
            return math.inf
        top = table.under_p - table.under_q * (1 - _ROUND)  # of the table, just above ε
        ends = (top / least, top / float(self.values[-1]), table.under_p / self.under_p)
        with np.errstate(over="ignore"):
            found = max(float((table.values / self.values).max()), *ends)
            growth = float((table.values[1:] / table.values[:-1]).max()) * math.exp(self.step)
        steepest = max((growth - 1) / math.expm1(self.step), table.under_q / top)
        moved = shift + (self.jumps + 1) * SLACK
        return math.log(found) + moved * (steepest + 2) + 8 * _ROUND
