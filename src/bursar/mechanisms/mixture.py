"""A sum with Gaussian noise whose change is drawn at random: a mixture of Gaussians.

With probability wᵢ the person, or the people, move the sum by at most sᵢ in ℓ2.  In every dimension
the mixture of one-dimensional normals dominates: docs/proofs/groups.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.table import law
from bursar.privacy.curve import RdpCurve
from bursar.privacy.curves import GaussianCurve, SubsampledGaussianCurve
from bursar.privacy.noise_curves import ShiftsCurve
from bursar.privacy.pairs import GaussianPair, MixturePair, Pair, SubsampledGaussianPair
from bursar.privacy.sampled_curves import PoissonCurve


@final
@dataclass(frozen=True, slots=True, init=False)
class GaussianMixture(Mechanism):
    """Release a sum plus N(0, σ²C²I), where someone moves the sum by sᵢC with probability wᵢ.

    The draw of i is independent of the noise and of everybody else.

    >>> GaussianMixture(noise_multiplier=1, shifts=[0, 1, 2], weights=["0.81", "0.18", "0.01"])
    GaussianMixture(noise_multiplier=1, shifts=(0, 1, 2), weights=(0.81, 0.18, 0.01))
    """

    name: ClassVar[str] = "gaussian-mixture"
    relations: ClassVar[frozenset[Adjacency]] = frozenset(
        {Adjacency.ADD_OR_REMOVE_ONE, Adjacency.ZERO_OUT}
    )
    sums: ClassVar[bool] = True
    noise_multiplier: Exact
    shifts: tuple[Exact, ...]
    weights: tuple[Exact, ...]

    def __init__(
        self, *, noise_multiplier: Number, shifts: Sequence[Number], weights: Sequence[Number]
    ) -> None:
        fix(self, {"noise_multiplier": require.positive(noise_multiplier=noise_multiplier)})
        fix(self, {"weights": law("weights", weights)})
        if not isinstance(shifts, Iterable) or isinstance(shifts, (str, bytes, dict)):
            raise InvalidParameter("it must be a list of numbers", field="shifts", value=shifts)
        at = tuple(require.nonnegative(shifts=shift) for shift in shifts)
        if len(at) != len(self.weights):
            need = f"there must be one for each of the {len(self.weights)} weights"
            raise InvalidParameter(need, field="shifts", value=at)
        if not all(a < b for a, b in pairwise(at)) or not at[-1] > 0:
            need = "they must increase, and the last be above 0"
            raise InvalidParameter(need, field="shifts", value=at)
        if not all(self.weights):
            need = "each must be above 0"
            raise InvalidParameter(need, field="weights", value=self.weights)
        fix(self, {"shifts": at})

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """The mixture in one dimension against the normal; tight for a sum in one dimension."""
        self.proved_under(adjacency)
        noise = Exact(self.noise_multiplier / self.shifts[-1])
        if len(self.shifts) == 1:
            return GaussianPair(noise)
        if len(self.shifts) == 2 and self.shifts[0] == 0:
            return SubsampledGaussianPair(noise, self.weights[1], direction)
        return MixturePair(self.noise_multiplier, self.shifts, self.weights, direction)

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """The moments of one shift each, averaged; a shift of 0 counts as not being sampled."""
        self.proved_under(adjacency)
        noise = Exact(self.noise_multiplier / self.shifts[-1])
        if len(self.shifts) == 1:
            return GaussianCurve(Exact(1 / (2 * noise**2)))
        if self.shifts[0] > 0:
            return ShiftsCurve(self.noise_multiplier, self.shifts, self.weights)
        moved = Exact(1 - self.weights[0])
        if len(self.shifts) == 2:
            return SubsampledGaussianCurve(noise, moved)
        rest = tuple(Exact(weight / moved) for weight in self.weights[1:])
        return PoissonCurve(ShiftsCurve(self.noise_multiplier, self.shifts[1:], rest), moved)
