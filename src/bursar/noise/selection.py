"""Choosing one of many by score, exactly: the largest of score plus noise, decided by balls.

With Gumbel noise this is the exponential mechanism; with exponential noise it is permute-and-flip,
which is never worse at the same ε (McKenna & Sheldon 2020).  float64 finds who may be the
largest, balls decide between those, so that each candidate has exactly its probability
(docs/proofs/exact-samplers.md, Prop. 6).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.noise.draws import Draws
from bursar.noise.laws import EXPONENTIAL, GUMBEL, Law
from bursar.noise.uniform import above, settle
from bursar.numerics.balls import ball

Scores = NDArray[np.integer[Any]]


def exponential_mechanism(scores: Scores, *, epsilon: Number, sensitivity: Number) -> int:
    """The index i with probability proportional to exp(ε·score_i / 2·sensitivity), exactly.

    `sensitivity` bounds by how much one person moves any score; scores are whole numbers on a
    public grid.  McSherry & Talwar 2007, Thm 6.

    >>> import numpy as np
    >>> exponential_mechanism(np.array([0, 10_000, 0]), epsilon=1, sensitivity=1)
    1
    """
    return _largest(GUMBEL, scores, _rate(epsilon, sensitivity))


def permute_and_flip(scores: Scores, *, epsilon: Number, sensitivity: Number) -> int:
    """The index with the largest score + noise, the noise exponential of scale 2·sensitivity/ε.

    Its law is that of permute-and-flip.  McKenna & Sheldon 2020, Alg. 1; Ding et al. 2021.

    >>> import numpy as np
    >>> permute_and_flip(np.array([0, 10_000, 0]), epsilon=1, sensitivity=1)
    1
    """
    return _largest(EXPONENTIAL, scores, _rate(epsilon, sensitivity))


def _rate(epsilon: Number, sensitivity: Number) -> Exact:
    return Exact(require.positive(epsilon=epsilon) / 2 / require.positive(sensitivity=sensitivity))


def _largest(law: Law, scores: Scores, rate: Fraction) -> int:
    values = _whole(scores)
    if values.dtype.kind not in "iu" or values.ndim != 1 or not values.size:
        need = "it must be a list of whole numbers, one for each candidate"
        raise InvalidParameter(need, field="scores", value=values.dtype, hint="Put them on a grid.")
    draws, top = Draws(law, len(values)), values.max()
    behind = values.astype(np.uint64)  # modulo 2^64, where top − values is exact
    behind = np.uint64(int(top) % 2**64) - behind
    with np.errstate(all="ignore"):  # what overflows or is NaN stays in the race
        loss = behind.astype(np.float64) * float(rate)
        total = draws.near - loss
        margin = (np.abs(draws.near) + loss) * 2.0**-49 + float(2 * draws.error)
        surely = np.fmax.reduce(total - margin, initial=-np.inf)
        first, *others = np.flatnonzero(~(total + margin < surely)).tolist()
    for other in others:
        if _ahead(draws, other, first, rate * (int(values[other]) - int(values[first]))):
            first = other
    return int(first)


def _whole(scores: Scores) -> Scores:
    """The scores; integers beyond 64 bits are clamped, which moves no two further apart."""
    values: NDArray[Any] = np.asarray(scores)
    if values.dtype.kind != "O" or not all(type(one) is int for one in values.flat):
        return values
    clamped = [max(-(2**63), min(one, 2**63 - 1)) for one in values.flat]
    return np.array(clamped, dtype=np.int64).reshape(values.shape)


def _ahead(draws: Draws, one: int, other: int, head_start: Fraction) -> bool:
    def answer() -> bool | None:
        return above(draws.ball(one) - draws.ball(other) + ball(head_start), arb(0))

    return settle(answer, draws.uniform(one), draws.uniform(other))
