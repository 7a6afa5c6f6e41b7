"""How far a design's draws may lie above what they stand for: so that they bound δ from below too.

X is rounded up, and tables of jumps are above their integrals; both by little, and by how much at
most is proved here: B·E X ≤ e^{ratio} δ + B·excess.  A lower end of δ follows from one of E X, and
the chance that a good claim fails from an upper end (docs/proofs/monte-carlo.md, Thm 8b).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bursar.accounting.monte_carlo_bounded import SHARP, Over, log_share
from bursar.accounting.monte_carlo_search import Vector
from bursar.numerics.envelope import Envelope
from bursar.numerics.floors import Floor, Lows

if TYPE_CHECKING:
    from bursar.accounting.monte_carlo_designs import Design, Stratum

_TERM = 1e-12
_SEEN = 4.0  # B over δ, about: an excess counts so much more than a ratio


def over(design: Design) -> Over | None:
    """Of all strata: the largest ratio, and the sum of what is not in proportion to δ.

    None where losses are drawn together.
    """
    if not all(isinstance(one, Envelope) for s in design.strata for one, _ in s.envelopes):
        return None
    known: dict[Vector, Floor] = {}
    lows = {
        i: Lows.of(design.parts[i][0], jumps, design.cuts.step)
        for i, jumps in design.cuts.jumps.items()
    }
    payoff = Floor.under(next(t for t in design.cuts.tables.values() if not t.jumps))
    excess, ratios = 0.0, [(0.0, 0.0)]
    for one in design.strata:
        share = math.exp(one.log_bound - design.log_bound)
        blur = _blur(one)
        for envelope, n in one.envelopes:
            if isinstance(envelope, Envelope):
                excess += share * n * envelope.open_chance
        if not one.table.jumps:
            bend = 2 * one.slack * math.exp(blur + 2 * one.slack * one.lam - log_share(one.lam))
            excess += share * (math.expm1(blur) + bend * (1 + SHARP))
            continue
        floor = _floor(one.jumps, known, lows, payoff)
        ratios.append((floor.log_ratio(one.table, 2 * one.slack) + blur, share))
        if one.log_below > -math.inf:
            excess += math.exp(min(_under(one) + blur - design.log_bound, 0.0))
    best = min(
        (_shared(ratios, most) for most, _ in ratios), key=lambda one: one[0] + _SEEN * one[1]
    )
    return Over(best[0] + SHARP, (excess + best[1]) * (1 + SHARP) + SHARP**2)


def _shared(ratios: list[tuple[float, float]], most: float) -> tuple[float, float]:
    """A ratio for the strata up to it; of the others, what they may add, as Z is at most B."""
    beyond = [(log_ratio, share) for log_ratio, share in ratios if log_ratio > most]
    return most, sum(share * math.expm1(min(one, 700.0)) for one, share in beyond)


def _under(one: Stratum) -> float:
    """log of the largest value at a loss below the table, or as near to its end as a loss is known.

    Values rise with the loss, and nothing that is known so well goes beyond the first cell.
    """
    if not 4 * one.slack < one.table.step:
        return math.inf
    first = math.log(one.table.values[1]) - one.lam * one.table.lowest
    return max(one.log_below, one.log_scale + first)


def _blur(one: Stratum) -> float:
    """log of how far a value may be above for rounding, at losses that are known to `slack`."""
    terms = 1 + abs(one.log_scale) + one.lam * (one.farthest + one.slack)
    return 2 * one.lam * one.slack + 4 * _TERM * terms + one.doubt + SHARP


def _floor(vector: Vector, known: dict[Vector, Floor], lows: dict[int, Lows], zero: Floor) -> Floor:
    """The floor under a vector's table, one jump after the other, as the table was made."""
    if vector not in known:
        i = next((i for i, m in enumerate(vector) if m), None)
        if i is None:
            return zero
        fewer = tuple(m - (j == i) for j, m in enumerate(vector))
        known[vector] = _floor(fewer, known, lows, zero).after(lows[i])
    return known[vector]
