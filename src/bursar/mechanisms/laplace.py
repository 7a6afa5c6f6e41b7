"""The Laplace mechanism: a sum of contributions plus two-sided exponential noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.gaussian import sensitivity
from bursar.privacy.curves import LaplaceCurve
from bursar.privacy.pairs import LaplacePair


@final
@dataclass(frozen=True, slots=True, init=False)
class Laplace(Mechanism):
    """Release f(x) + Laplace noise; `scale` is the noise scale over one person's l1 contribution.

    >>> Laplace(scale=10)
    Laplace(scale=10)
    """

    name: ClassVar[str] = "laplace"
    sums: ClassVar[bool] = True
    scale: Exact

    def __init__(self, *, scale: Number) -> None:
        fix(self, {"scale": require.positive(scale=scale)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> LaplacePair:
        """Two Laplace laws, apart by the sensitivity.  Tight for a one-dimensional sum."""
        return LaplacePair(Exact(self.scale / sensitivity(adjacency)))

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε = sensitivity/scale.  Dwork, McSherry, Nissim & Smith 2006, Prop. 1."""
        return Exact(sensitivity(adjacency) / self.scale)

    def rdp(self, adjacency: Adjacency) -> LaplaceCurve:
        """Mironov 2017, Prop. 6."""
        return LaplaceCurve(Exact(self.scale / sensitivity(adjacency)))
