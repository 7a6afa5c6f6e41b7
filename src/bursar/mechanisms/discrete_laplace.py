"""Discrete Laplace (two-sided geometric) noise on the integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.gaussian import sensitivity
from bursar.privacy.noise_curves import DiscreteLaplaceCurve
from bursar.privacy.pairs import DiscreteLaplacePair


@final
@dataclass(frozen=True, slots=True, init=False)
class DiscreteLaplace(Mechanism):
    """Release a whole number plus noise of mass e^{−|x|/t} on the integers; t is `scale`.

    `most` bounds one person's contribution to the number.

    >>> DiscreteLaplace(scale=10)
    DiscreteLaplace(scale=10, most=1)
    """

    name: ClassVar[str] = "discrete-laplace"
    sums: ClassVar[bool] = True
    scale: Exact
    most: int

    def __init__(self, *, scale: Number, most: int = 1) -> None:
        fix(self, {"scale": require.positive(scale=scale), "most": require.count(most=most)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> DiscreteLaplacePair:
        """The noise, moved by the largest step, against the noise."""
        return DiscreteLaplacePair(self.scale, self.most * sensitivity(adjacency))

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε = Δ/t: masses of neighbouring integers differ by a factor of e^{1/t}."""
        return Exact(self.most * sensitivity(adjacency) / self.scale)

    def rdp(self, adjacency: Adjacency) -> DiscreteLaplaceCurve:
        """A sum of geometric series."""
        return DiscreteLaplaceCurve(self.scale, self.most * sensitivity(adjacency))
