"""Discrete Gaussian noise: a whole number plus noise of mass e^{−x²/2σ²} on the integers.

It is not the continuous Gaussian rounded, and its loss is not dominated by the continuous one's:
it has an account of its own.  The continuous law rounded exactly is in `rounded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.gaussian import sensitivity
from bursar.privacy.curves import GaussianCurve
from bursar.privacy.pairs import DiscreteGaussianPair


@final
@dataclass(frozen=True, slots=True, init=False)
class DiscreteGaussian(Mechanism):
    """Release a whole number plus noise of mass e^{−x²/2σ²} on the integers; σ is `sigma`.

    `most` bounds one person's contribution to the number.

    >>> DiscreteGaussian(sigma=10)
    DiscreteGaussian(sigma=10, most=1)
    """

    name: ClassVar[str] = "discrete-gaussian"
    sums: ClassVar[bool] = True
    sigma: Exact
    most: int

    def __init__(self, *, sigma: Number, most: int = 1) -> None:
        fix(self, {"sigma": require.positive(sigma=sigma), "most": require.count(most=most)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> DiscreteGaussianPair:
        """The noise, moved by the largest step.  Canonne, Kamath & Steinke 2020, Thm 7."""
        return DiscreteGaussianPair(self.sigma, self.most * sensitivity(adjacency))

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ = Δ²/2σ².  Canonne, Kamath & Steinke 2020, Thm 4."""
        return Exact((self.most * sensitivity(adjacency) / self.sigma) ** 2 / 2)

    def rdp(self, adjacency: Adjacency) -> GaussianCurve:
        """αρ, which is attained wherever αΔ is whole.  Canonne, Kamath & Steinke 2020, Prop. 5."""
        return GaussianCurve(self.zcdp(adjacency))
