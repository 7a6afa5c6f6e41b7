"""Plans of many equal steps: their losses drawn a thousand at once.

A draw of 100,000 coordinates is some hundred sums, each from a table of a law that dominates that
of the sum.  What is drawn bounds δ from above as before, and is above it by some thousandths.  Not
here: the tables (`numerics.groups`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bursar.accounting.monte_carlo_bounded import SHARP, log_share
from bursar.accounting.monte_carlo_draws import Summand
from bursar.accounting.monte_carlo_search import Parts
from bursar.errors import LimitReached
from bursar.numerics.balls import float_up, precision
from bursar.numerics.groups import groups

if TYPE_CHECKING:
    from bursar.accounting.monte_carlo_designs import Design

MANY = 10_000  # steps of a kind that are drawn together
_GROUPS = 100
_ABOVE = 3e-4  # of log δ: what the lattice may add, about
_COARSER = 1.5  # times the step that is needed
_TERM = 1e-12


def many(parts: Parts) -> bool:
    """Whether some kind of step is so frequent that its losses are drawn together."""
    return any(part.sampled and count >= MANY for part, count in parts)


def grouped(one: Design) -> Design:
    """A design without jumps, with the losses of frequent steps drawn together.

    The design itself, where the lattice that is needed has too many places.
    """
    (stratum,), lam = one.strata, one.cuts.lam
    drawn: list[tuple[Summand, int]] = []
    log_scale, log_whole, slack, missing = 0.0, 0.0, 0.0, -math.inf
    for (part, count), (envelope, _), (low, high) in zip(
        one.parts, stratum.envelopes, one.cuts.reach, strict=True
    ):
        if not (part.sampled and count >= MANY):
            with precision(128):
                log_mass = float_up(part.mass(lam, low, high).log())
            drawn.append((envelope, count))
            log_scale, log_whole = log_scale + count * log_mass, log_whole + count * log_mass
            slack += count * envelope.slack
            continue
        each = math.ceil(count / _GROUPS)
        times, left = divmod(count, each)
        sizes = (each, left) if left else (each,)
        step = math.sqrt(12 * _ABOVE / (lam * (lam + 1) * count))
        try:
            tables = groups(part, lam, low, high, sizes, step)
        except LimitReached:
            return one
        if tables[0].step > _COARSER * step:
            return one
        for table, n in zip(tables, (times, 1), strict=False):
            drawn.append((table, n))
            log_scale, log_whole = log_scale + n * table.log_weight, log_whole + n * table.log_mass
            slack += n * table.slack
            missing = float(np.logaddexp(missing, math.log(n) + table.log_outside))
    log_scale += _TERM * (1 + abs(log_scale))
    bound = log_scale + stratum.table.log_peak(lam) + 2 * slack * (lam + 1) + SHARP
    outside = log_whole + missing + log_share(lam) - lam * one.epsilon
    outside += _TERM * (1 + abs(log_whole) + lam * one.epsilon)
    return replace(
        one,
        strata=(
            replace(
                stratum, envelopes=tuple(drawn), log_scale=log_scale, log_bound=bound, slack=slack
            ),
        ),
        log_bound=bound + SHARP,
        log_rest=float(np.logaddexp(one.log_rest, outside)) + SHARP,
    )
