"""Exact choices: yes with a given probability, a count, one of n, any law given by balls.

Each is an answer about one uniform number (uniform.py), so its law is the written one, and its
time does not depend on what it answers, but through the size of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Number
from bursar.noise import entropy
from bursar.noise.uniform import STEP, Uniform, above, settle, whole
from bursar.numerics.balls import ball

_LONGEST = 256  # bits of a number drawn by inversion


def bernoulli(*, probability: Number) -> bool:
    """True with exactly this probability, in [0, 1].

    >>> bernoulli(probability=1), bernoulli(probability=0)
    (True, False)
    """
    return bool(bernoullis(probability=probability, size=1)[0])


def bernoullis(*, probability: Number, size: int) -> NDArray[np.bool_]:
    """Independent choices, each True with exactly this probability: a Poisson sample of people.

    >>> bernoullis(probability="1/3", size=5).shape
    (5,)
    """
    drawn = entropy.words(require.count(size=size, at_least=0))
    threshold = Fraction(require.unit_interval(probability=probability)) * 2**STEP
    if threshold == 2**STEP:
        return np.ones(size, dtype=np.bool_)
    word = int(threshold)
    chosen = drawn < np.uint64(word)
    for index in np.flatnonzero(drawn == np.uint64(word)).tolist():
        chosen[index] = _below(threshold - word)
    return chosen


def bernoulli_exp(*, exponent: Number) -> bool:
    """True with probability exp(−exponent), for an exponent of 0 or above.

    >>> bernoulli_exp(exponent=0)
    True
    """
    x = require.nonnegative(exponent=exponent)
    u = Uniform()
    return x == 0 or settle(lambda: above((-ball(x)).exp(), u.ball()), u)


def geometric(*, success: Number) -> int:
    """How many trials fail before the first success: P(k) = (1−p)^k p for p in (0, 1].

    >>> geometric(success=1)
    0
    """
    p = require.probability(success=success)
    if p == 1:
        return 0
    u = Uniform()
    return settle(lambda: whole(u.ball().log() / (-ball(p)).log1p()), u)


def uniform_below(n: int) -> int:
    """One of 0, …, n−1, each with probability 1/n.

    >>> uniform_below(1)
    0
    """
    among, u = require.count(n=n), Uniform()
    return settle(lambda: whole(u.ball() * among), u)


def by_inversion(cumulative: Callable[[int], arb]) -> int:
    """A number of the law on 0, 1, 2, … whose P(at most k) is `cumulative(k)`, as a ball.

    >>> by_inversion(lambda k: arb(1) if k >= 3 else arb(0))
    3
    """
    u = Uniform()

    def at_most(k: int) -> bool:
        return settle(lambda: above(cumulative(k), u.ball()), u)

    high: int | None = next((2**i - 1 for i in range(_LONGEST) if at_most(2**i - 1)), None)
    if high is None:
        raise InvalidParameter(
            "it must come to 1", field="cumulative", value=cumulative(2**_LONGEST)
        )
    low = (high + 1) // 2  # the answer is in [low, high], from here to the end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at_most(middle) else (middle + 1, high)
    return high


def _below(threshold: Fraction) -> bool:
    u = Uniform()
    return settle(lambda: above(ball(threshold), u.ball()), u)
