"""The Gaussian mechanism: a sum of contributions plus normal noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.curves import GaussianCurve
from bursar.privacy.pairs import GaussianPair


@final
@dataclass(frozen=True, slots=True, init=False)
class Gaussian(Mechanism):
    """Release f(x) + N(0, σ²C²I): C bounds one person's contribution in l2, σ is noise_multiplier.

    >>> Gaussian(noise_multiplier=1.1)
    Gaussian(noise_multiplier=1.1)
    """

    name: ClassVar[str] = "gaussian"
    sums: ClassVar[bool] = True
    noise_multiplier: Exact

    def __init__(self, *, noise_multiplier: Number) -> None:
        fix(self, {"noise_multiplier": require.positive(noise_multiplier=noise_multiplier)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> GaussianPair:
        """Two normals, apart by the sensitivity.  Tight for a one-dimensional sum."""
        return GaussianPair(Exact(self.noise_multiplier / sensitivity(adjacency)))

    def gdp(self, adjacency: Adjacency) -> Exact:
        """μ² = (sensitivity/σ)².  Dong, Roth & Su 2022, Thm 2.7."""
        return Exact((sensitivity(adjacency) / self.noise_multiplier) ** 2)

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ = μ²/2.  Bun & Steinke 2016, Prop. 1.6."""
        return Exact(self.gdp(adjacency) / 2)

    def rdp(self, adjacency: Adjacency) -> GaussianCurve:
        """ε(α) = αρ.  Mironov 2017, Cor. 3."""
        return GaussianCurve(self.zcdp(adjacency))


def sensitivity(adjacency: Adjacency) -> int:
    """By how many contributions neighbours differ: a replaced person takes one and gives one."""
    return 2 if adjacency is Adjacency.REPLACE_ONE else 1
