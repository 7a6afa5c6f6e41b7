"""Which screen for a budget, a length, or a rate of false alarms.

The budget is met with proof: what `calibrate` finds is charged as any screen is.  The rate is met
in float64 (`lasting.py`), as nothing of it is charged.

How noise is shared: of normal noises with the same α/2σ₁² + cs²α/2σ₂², s sensitivities that a query
moves, ν − ρ, which decides on false alarms, has the least variance where σ₂² = s√c·σ₁².
"""

from __future__ import annotations

import math

from bursar import require
from bursar.accounting.calibrate import calibrate
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.sparse_vector import SparseVector, yes_or_no
from bursar.screening.lasting import false_alarm_rate

_LONGEST = 10**12


def query_share(*, cutoff: int = 1, monotone: bool = False) -> Exact:
    """How many times the threshold's noise the queries' should be, to four digits.

    >>> query_share(), query_share(cutoff=16), query_share(cutoff=16, monotone=True)
    (1.414, 2.828, 2)
    """
    tops, moves = require.count(cutoff=cutoff), 1 if yes_or_no(monotone=monotone) else 2
    return Exact.of(f"{math.sqrt(moves * math.sqrt(tops)):.4g}")


def screen_for(
    *,
    epsilon: Number,
    delta: Number,
    length: int,
    cutoff: int = 1,
    monotone: bool = False,
    adjacency: Adjacency | str = DEFAULT,
) -> SparseVector:
    """The screen with the least normal noise that is (ε, δ)-private, as is proved; noise shared.

    Raises what `calibrate` raises.

    >>> screen_for(epsilon=1, delta=1e-6, length=1000)
    SparseVector(threshold_noise=9.5737..., query_noise=13.5372..., length=1000)
    """
    share = query_share(cutoff=cutoff, monotone=monotone)

    def made(noise: Number) -> SparseVector:
        threshold = Exact.of(noise)
        return SparseVector(
            threshold_noise=threshold,
            query_noise=Exact(threshold * share),
            length=length,
            cutoff=cutoff,
            monotone=monotone,
        )

    return made(calibrate(made, epsilon=epsilon, delta=delta, adjacency=adjacency).value)


def longest(
    *,
    epsilon: Number,
    delta: Number,
    threshold_noise: Number,
    query_noise: Number,
    cutoff: int = 1,
    monotone: bool = False,
    adjacency: Adjacency | str = DEFAULT,
    most: int = _LONGEST,
) -> SparseVector:
    """The longest screen with these normal noises that is (ε, δ)-private, up to `most` answers.

    Raises Unreachable where even `cutoff` answers cost more.

    >>> longest(epsilon=1, delta=1e-6, threshold_noise=8, query_noise=12)
    SparseVector(threshold_noise=8, query_noise=12, length=15)
    """

    def made(length: float) -> SparseVector:
        return SparseVector(
            threshold_noise=threshold_noise,
            query_noise=query_noise,
            length=int(length),
            cutoff=cutoff,
            monotone=monotone,
        )

    ends = require.count(cutoff=cutoff), require.count(most=most)
    found = calibrate(
        made, epsilon=epsilon, delta=delta, adjacency=adjacency, bracket=ends, integer=True
    )
    return made(found.value)


def screen_for_rate(
    *,
    rate: Number,
    gap: Number,
    length: int | None = None,
    cutoff: int = 1,
    monotone: bool = False,
    law: str = "gaussian",
) -> SparseVector:
    """The most noise with which a query `gap` below its threshold is a top at this rate at most.

    Laplace noise may do without a length.

    >>> screen_for_rate(rate=1e-6, gap=1500, length=1000)
    SparseVector(threshold_noise=182.2..., query_noise=257.6..., length=1000)
    """
    aim, below = float(require.probability(rate=rate)), float(require.positive(gap=gap))
    if not aim < 0.5:
        raise InvalidParameter(
            "a query below its threshold is above it less than half the time",
            field="rate",
            value=rate,
        )
    share = query_share(cutoff=cutoff, monotone=monotone)

    def made(noise: float) -> SparseVector:
        threshold = Exact.of(f"{noise:.10g}")
        return SparseVector(
            threshold_noise=threshold,
            query_noise=Exact(threshold * share),
            threshold_law=law,
            query_law=law,
            length=length,
            cutoff=cutoff,
            monotone=monotone,
        )

    low, high = below / 1e4, below * 1e4  # at the first the rate is kept, at the second it is not
    for _ in range(80):
        middle = math.sqrt(low * high)
        kept = false_alarm_rate(made(middle), gap=gap) <= aim
        low, high = (middle, high) if kept else (low, middle)
    return made(low)
