"""Drawing: losses of tilted coordinates, and the bounded variable of a design.

A draw picks a stratum, adds up the losses of its coordinates, and is at least the value that the
real numbers behind it give, and at most 1 (docs/proofs/monte-carlo.md, Thms 3 and 8).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats

if TYPE_CHECKING:
    from bursar.accounting.monte_carlo_designs import Design, Stratum

_AT_ONCE = 1 << 16  # coordinates: what stays in a cache
_BLOCK = 1 << 20
_ROUND = 1e-12  # of a share; B is larger than the sum of its parts by much more


def block_size(coordinates: int) -> int:
    """How many draws make a block: a function of the design alone, so that blocks are fixed."""
    return max(16, _BLOCK // max(coordinates, 1))


class Summand(Protocol):
    """Independent losses, or sums of losses: an `Envelope` or a `Group`."""

    @property
    def slack(self) -> float:
        """How far one that is computed may be from the real one."""

    def losses(self, size: int, source: Source) -> Floats:
        """So many."""


def losses(envelopes: Sequence[tuple[Summand, int]], size: int, source: Source) -> Floats:
    """So many sums of losses; NaN where a coin stayed undecided among them.

    Computes:  Σ ±ℓ(t) over all coordinates, at the places that envelopes and groups give.
    Valid for: independent uniform words.
    Error:     each sum within the slack of its stratum.
    Cost:      about 25 ns a coordinate, in memory for 65,536 of them.
    Source:    docs/proofs/monte-carlo.md, Thm 3.
    """
    total = np.zeros(size)
    for envelope, count in envelopes:
        rows = max(1, _AT_ONCE // count)
        for start in range(0, size, rows):
            many = min(rows, size - start)
            found = envelope.losses(many * count, source).reshape(many, count)
            total[start : start + many] += found.sum(axis=1)
    return total


def draw(design: Design, size: int, source: Source) -> Floats:
    """So many independent X in [0, 1] with δ ≤ R + B·E X."""
    units = picks(design)
    edges = np.cumsum(np.array(units, dtype=np.uint64))
    chosen = np.searchsorted(edges, source(size) >> np.uint64(2), side="right")
    found = np.empty(size)
    for i, stratum in enumerate(design.strata):
        where = np.flatnonzero(chosen == i)
        if len(where):
            share = math.log(units[i]) - 62 * math.log(2)
            found[where] = _values(stratum, len(where), source, share + design.log_bound)
    return found


def _values(stratum: Stratum, size: int, source: Source, log_scale: float) -> Floats:
    return at_most_one(stratum.log_values(losses(stratum.envelopes, size, source)) - log_scale)


def at_most_one(logs: Floats) -> Floats:
    """X of its logarithm; where that is NaN nothing is known of a draw but that it is at most 1."""
    with np.errstate(under="ignore"):
        return np.where(np.isnan(logs), 1.0, np.minimum(np.exp(logs), 1.0))


def picks(design: Design) -> list[int]:
    """The probability of each stratum in units of 2^−62: at least B_n/B, so that X is at most 1."""
    shares = [math.exp(one.log_bound - design.log_bound) for one in design.strata]
    units = [math.ceil(share * (1 + _ROUND) * 2.0**62) + 1 for share in shares]
    largest = max(range(len(units)), key=units.__getitem__)
    units[largest] += (1 << 62) - sum(units)
    return units
