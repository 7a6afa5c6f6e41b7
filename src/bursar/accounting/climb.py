"""One stack of contours for a run that grows: what depends on the count goes up by products.

The nodes of a contour know nothing of counts.  With P what one turn of the run is at a node, k
turns are P^k, and k + pace turns are one product more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np
from flint import acb, arb

from bursar.accounting.contour import Contour, Loss
from bursar.accounting.stack import Stack
from bursar.numerics.balls import precision

_TURNS = 24  # products in a row: each makes a ball up to √2 times wider than a power would
_NUDGE = 1 + 2.0**-49  # more than a quotient of rounded floats may have lost
_ROUND, _TINY = 2.0, 1e-280  # more than float64 may lose in a power, and in a sum


@final
@dataclass(slots=True)
class _Rising:
    """start · x^k of many balls, for counts k that rise."""

    start: list[acb]
    ones: list[acb]
    values: list[acb] = field(default_factory=list, init=False)
    stride: list[acb] = field(default_factory=list, init=False)
    count: int = field(default=0, init=False)
    pace: int = field(default=0, init=False)
    turns: int = field(default=_TURNS, init=False)

    def at(self, count: int) -> list[acb]:
        """At a count: a product away from the last one, or a power."""
        gap = count - self.count
        if gap > 0 and self.turns < _TURNS:
            if gap != self.pace:
                self.pace = gap
                self.stride = self.ones if gap == 1 else [x**gap for x in self.ones]
            self.values = [x * y for x, y in zip(self.values, self.stride, strict=True)]
            self.turns += 1
        elif gap:
            self.values = [x * y**count for x, y in zip(self.start, self.ones, strict=True)]
            self.turns = 0
        self.count = count
        return self.values


@final
class Climb:
    """The contours of one turn's loss, at any number of turns.

    Computes:  the stack that `Stack.of` would give for so many turns, of the same shapes.
    Valid for: any shapes; they are sharp near the count and the location of their proposal.
    Error:     none: all are balls.
    Cost:      one product a node where counts rise evenly, else a power.
    Source:    docs/proofs/contour.md, sections 1 and 5: a shape is of no count.
    """

    def __init__(self, turn: Loss, stack: Stack, made: int) -> None:
        self.turn, self.stack = turn, stack
        self.whole: list[_Rising] = []
        self.rest: list[_Rising] = []
        self.made, self.bends = made, list[tuple[arb, arb]]()
        with precision(stack.bits):
            for contour in stack.contours:
                base = contour.parts.base
                whole, rest = contour.parts.powers(turn)
                self.whole.append(_Rising(base, whole))
                self.rest.append(_Rising([acb(1)] * len(rest), rest))
                self.bends.append((_bend(contour, whole, rest, made), whole[0].real.upper()))

    def at(self, count: int) -> Stack:
        """The stack after so many turns."""
        loss = self.turn.times(count)
        with precision(self.stack.bits):
            each = zip(self.stack.contours, self.whole, self.rest, strict=True)
            contours = [
                Contour.summed(loss, contour.parts, whole.at(count), rest.at(count))
                for contour, whole, rest in each
            ]
            if count >= self.made:
                for contour, (bend, largest) in zip(contours, self.bends, strict=True):
                    contour.bend = bend * largest**count
            return self.stack.of_counts(loss, contours)


def _bend(contour: Contour, whole: list[acb], rest: list[acb], count: int) -> arb:
    """Above Σ (jτ)² |node| after `count` turns or more, over the largest one's power.

    No |P| exceeds P at u = 0, so their quotients' powers fall.
    """
    largest = float(whole[0].real.lower())
    cut = [x * y for x, y in zip(whole, rest, strict=bool(rest))]
    sizes = [np.array([float(x.abs_upper()) for x in part]) for part in (whole, cut) if part]
    falls = sum(np.minimum(_NUDGE * size / largest, 1.0) ** count for size in sizes)
    weights = np.array([float(x.abs_upper()) for x in contour.parts.base])
    weights *= (contour.shape.tau * np.arange(contour.shape.n)) ** 2
    return arb(_ROUND * float((weights * falls).sum()) + _TINY)
