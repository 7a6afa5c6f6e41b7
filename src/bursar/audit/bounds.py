"""What counts prove of probabilities: Clopper-Pearson bounds, and the ε that two of them prove.

float64 proposes a bound, a ball checks that its tail is as small as was asked, and a bound that is
not proved moves outward until it is.  Clopper & Pearson 1934; docs/proofs/audit.md, Lemma 1.
"""

from __future__ import annotations

import math

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.numerics.balls import ball, float_down, precision

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_STEPS = 30  # outward, each twice as far: from 1e-12 of the bound to beyond all of it


def at_least(hits: int, trials: int, *, failure: float) -> float:
    """A bound below the probability of what happened so often, but for a chance of `failure`.

    >>> at_least(900, 1000, failure=1e-6) < 0.9
    True
    """
    if hits == 0:
        return 0.0
    proposed = float(guessed_at_least(np.array([hits]), trials, failure=failure)[0])
    with precision():
        for step in range(_STEPS):
            bound = proposed * (1 - 1e-12 * 2.0**step) if math.isfinite(proposed) else 0.0
            if 0 < bound < 1 and _tail(hits, trials, bound) <= arb(failure):
                return bound
    return 0.0


def at_most(hits: int, trials: int, *, failure: float) -> float:
    """A bound above the probability of what happened so often, but for a chance of `failure`."""
    return math.nextafter(1.0 - at_least(trials - hits, trials, failure=failure), 2.0)


def guessed_at_least(hits: Counts, trials: int, *, failure: float) -> Floats:
    """`at_least` of many, in floats: to choose by, not to conclude from."""
    from scipy.special import betaincinv

    inside = np.clip(hits, 1, trials)
    return np.where(hits > 0, betaincinv(inside, trials - inside + 1, failure), 0.0)


def guessed_at_most(hits: Counts, trials: int, *, failure: float) -> Floats:
    """`at_most` of many, in floats."""
    return 1.0 - guessed_at_least(trials - hits, trials, failure=failure)


def epsilon_at_least(often: float, seldom: float, *, delta: float) -> float:
    """The ε that P(E) ≥ often and Q(E) ≤ seldom prove at this δ, rounded down; 0 if they do not.

    >>> epsilon_at_least(0.5, 0.125, delta=0.0)
    1.386...
    """
    with precision():
        rest = ball(often) - ball(delta)
        if not rest > ball(seldom):
            return 0.0
        return max(0.0, float_down((rest / ball(seldom)).log()))


def _tail(hits: int, trials: int, probability: float) -> arb:
    """P(at least so many hits), an upper end: I_p(hits, trials − hits + 1)."""
    return arb(probability).beta_lower(arb(hits), arb(trials - hits + 1), True).upper()
