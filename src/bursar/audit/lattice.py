"""Which numbers can come out at all: the step of the grid that they lie on, and their low bits.

Noise that is drawn on a fixed grid gives multiples of one step, whatever the data, and trailing
bits of one law.  Floating-point noise does not: which numbers are reached, and how many of their
low bits are 0, depends on the sum (Mironov 2012; Haney et al. 2022).  For noise that is wide
against its grid; an answer of few values has few low bits to look at, and needs `look`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar, final

import numpy as np

from bursar import require
from bursar.audit.look import FEWEST, Run, drawn
from bursar.audit.outcomes import NO_BIT, Integers, tables
from bursar.errors import InvalidParameter
from bursar.exact import Number

D = TypeVar("D")

_RARE = 20  # outcomes in a cell: rarer cells are counted together


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """The step of the grid under the outcomes of each data set, and how unlikely their bits are.

    `steps` are powers of two; `p_value` is that of a χ² test that low bits have one law for all.
    """

    steps: tuple[int, ...]
    p_value: float
    found: bool

    def sentence(self) -> str:
        """The finding in words."""
        steps = ", ".join(f"2^{step}" for step in dict.fromkeys(self.steps))
        told = f"steps {steps}; low bits of one law with p = {self.p_value:.2g}"
        return f"{'data shows' if self.found else 'none found'} in the low bits: {told}"


def lattice(
    run: Run[D],
    among: Sequence[D],
    *,
    samples: int = 10_000,
    confidence: Number = "0.999999",
) -> Lattice:
    """Run on several data sets, and compare the grids and the low bits of what comes out.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> lattice(lambda data: data + rng.laplace(), [0.0, 1.0], samples=1000).found
    True
    """
    if len(among) < 2:
        raise InvalidParameter("there must be two data sets or more", field="among")
    level = float(1 - require.probability(confidence=confidence))
    each = require.count(samples=samples, at_least=FEWEST)  # or steps differ by chance
    outcomes = [drawn(run, data, each) for data in among]
    bits = [_bits(one, two) for one, two in pairwise(outcomes)]
    sides = [bits[0][0], *(two for _, two in bits)]
    steps = tuple(int(side.min(initial=NO_BIT)) for side in sides)
    p = min(1.0, len(bits) * min(_p_value(one, two) for one, two in bits))
    return Lattice(steps=steps, p_value=p, found=p < level or len(set(steps)) > 1)


def _bits(first: Sequence[object], second: Sequence[object]) -> tuple[Integers, Integers]:
    one, two = tables(first, second)
    return one.bits.ravel(), two.bits.ravel()


def _p_value(one: Integers, two: Integers) -> float:
    """Of the two-sample χ² on the places of lowest bits, rare places together."""
    from scipy.stats import chi2

    places = np.unique(np.concatenate([one, two]))
    counts = np.array(
        [[np.count_nonzero(side == place) for place in places] for side in (one, two)]
    )
    rare = counts.sum(axis=0) < _RARE
    cells = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    cells = cells[:, cells.sum(axis=0) > 0]
    if cells.shape[1] < 2:
        return 1.0
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    return float(chi2.sf(((cells - expected) ** 2 / expected).sum(), cells.shape[1] - 1))
