"""Where bounds on δ fall to a target: both ends of ε, each decided by a bound."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb

from bursar.accounting.lattice_sum import Composed
from bursar.numerics.roots import Bracket

_MOST = 80
_CLOSE = 1e-10  # relative: nearer than most lattices are


def solved(law: Composed, near: float, target: arb, *, tight: bool) -> Bracket:
    """The least ε whose upper bound is at or below the target, the largest whose lower is above."""

    def above(epsilon: float) -> arb:
        return law.delta(arb(epsilon), up=True)

    high = None
    if above(0.0) <= target:
        return Bracket(arb(0), arb(0))
    if law.sides[True].infinite <= target:
        high = _crossed(above, near, target)[1]
    low = 0.0
    if tight:

        def below(epsilon: float) -> arb:
            return law.delta(arb(epsilon), up=False)

        if law.sides[False].infinite > target:
            return Bracket(arb("inf"), None)
        start = near if high is None else high
        low = _crossed(below, start, target)[0]
    top = law.top()
    end = None if high is None else arb(high).min(top.upper().max(arb(0)))
    return Bracket(arb(low), end)


def _crossed(bound: Callable[[float], arb], near: float, target: arb) -> tuple[float, float | None]:
    """Two neighbouring points: above the target at the first, at or below it at the second.

    Invariant: bound(low) > target is certain or low is 0, bound(high) ≤ target is certain.
    """
    low, high, step = 0.0, max(near, 1e-12), 1e-3
    at_low = at_high = 0.0
    for _ in range(_MOST):
        value = bound(high)
        if value <= target:
            at_high = _log_ratio(value, target)
            break
        low, at_low = high, _log_ratio(value, target)
        high, step = high * (1 + step), min(4 * step, 3.0)
    else:
        return low, None
    step = 1e-13 if low == 0.0 else 1.0
    while step < 1:
        tried = high * (1 - step)
        value = bound(tried)
        if not value <= target:
            low, at_low = tried, _log_ratio(value, target)
            break
        high, at_high, step = tried, _log_ratio(value, target), 6 * step
    for n in range(_MOST):
        if high - low <= _CLOSE * high:
            break
        middle = (low + high) / 2
        if n % 3 < 2 and math.isfinite(at_high) and at_low > 0:
            middle = high - (high - low) * at_high / (at_high - at_low)
            gap = max(0.01 * (high - low), 0.3 * _CLOSE * high)
            middle = min(max(middle, low + gap), high - gap)
        value = bound(middle)
        if value <= target:
            high, at_high = middle, _log_ratio(value, target)
        else:
            low, at_low = middle, _log_ratio(value, target)
    return low, high


def _log_ratio(value: arb, target: arb) -> float:
    return float((value / target).log().mid()) if value > 0 else -math.inf
