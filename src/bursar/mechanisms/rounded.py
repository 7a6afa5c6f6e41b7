"""Continuous noise rounded exactly to the integers: the law that `bursar.noise` draws for sums.

Added to a whole number, it is a fixed map of the number plus continuous noise, so every account
of the continuous mechanism bounds it, on samples and in compositions too: docs/proofs/
rounded-gaussian.md, Thm 1.  How much less it may cost is not used, so nothing here is tight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.privacy.curves import GaussianCurve, LaplaceCurve
from bursar.privacy.pairs import GaussianPair, LaplacePair


@final
@dataclass(frozen=True, slots=True, init=False)
class RoundedGaussian(Mechanism):
    """Release whole numbers plus N(0, σ²C²) rounded to the nearest integer, in each coordinate.

    >>> RoundedGaussian(noise_multiplier=10)
    RoundedGaussian(noise_multiplier=10)
    """

    name: ClassVar[str] = "rounded-gaussian"
    sums: ClassVar[bool] = True
    noise_multiplier: Exact

    def __init__(self, *, noise_multiplier: Number) -> None:
        fix(self, {"noise_multiplier": require.positive(noise_multiplier=noise_multiplier)})

    @property
    def continuous(self) -> Gaussian:
        """What it is a map of."""
        return Gaussian(noise_multiplier=self.noise_multiplier)

    def pair(self, adjacency: Adjacency, direction: Direction) -> GaussianPair:
        """The continuous one's."""
        return replace(self.continuous.pair(adjacency, direction), tight=False)

    def gdp(self, adjacency: Adjacency) -> Exact:
        """The continuous one's."""
        return self.continuous.gdp(adjacency)

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """The continuous one's."""
        return self.continuous.zcdp(adjacency)

    def rdp(self, adjacency: Adjacency) -> GaussianCurve:
        """The continuous one's."""
        return self.continuous.rdp(adjacency)


@final
@dataclass(frozen=True, slots=True, init=False)
class RoundedLaplace(Mechanism):
    """Release whole numbers plus Laplace noise rounded to the nearest integer, in each coordinate.

    >>> RoundedLaplace(scale=10)
    RoundedLaplace(scale=10)
    """

    name: ClassVar[str] = "rounded-laplace"
    sums: ClassVar[bool] = True
    scale: Exact

    def __init__(self, *, scale: Number) -> None:
        fix(self, {"scale": require.positive(scale=scale)})

    @property
    def continuous(self) -> Laplace:
        """What it is a map of."""
        return Laplace(scale=self.scale)

    def pair(self, adjacency: Adjacency, direction: Direction) -> LaplacePair:
        """The continuous one's."""
        return replace(self.continuous.pair(adjacency, direction), tight=False)

    def pure(self, adjacency: Adjacency) -> Exact:
        """The continuous one's."""
        return self.continuous.pure(adjacency)

    def rdp(self, adjacency: Adjacency) -> LaplaceCurve:
        """The continuous one's."""
        return self.continuous.rdp(adjacency)
