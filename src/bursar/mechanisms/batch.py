"""Batches of fixed size: drawn without replacement from a public number of people.

Under replace-one, where that number is the same for neighbours.  Under the other relations it is
private, and nothing is proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.poisson import base_view, sampled, sampled_pair
from bursar.privacy.curve import RdpCurve
from bursar.privacy.pairs import LargerPair, Pair, symmetric
from bursar.privacy.sampled_curves import BatchCurve


@final
@dataclass(frozen=True, slots=True, init=False)
class WithoutReplacement(Mechanism):
    """Run `base` on a uniformly drawn batch; its size over the number of people is the probability.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> WithoutReplacement(Gaussian(noise_multiplier=1), sampling_probability="256/60000")
    WithoutReplacement(base=Gaussian(noise_multiplier=1), sampling_probability=8/1875)
    """

    name: ClassVar[str] = "without-replacement"
    relations: ClassVar[frozenset[Adjacency]] = frozenset({Adjacency.REPLACE_ONE})
    wraps: ClassVar[bool] = True
    base: Mechanism
    sampling_probability: Exact

    def __init__(self, base: Mechanism, *, sampling_probability: Number) -> None:
        q = require.probability(sampling_probability=sampling_probability)
        fix(self, {"base": sampled(base), "sampling_probability": q})

    def canonical(self) -> dict[str, Any]:
        """The base's text with `sampling` and its probability: a step of a plan file."""
        probability = self.sampling_probability.text
        sampling = {"sampling": self.name, "sampling_probability": probability}
        return self.base.canonical() | sampling

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """δ(log(1+q(e^ε−1))) ≤ qδ_base(ε), both ways: a profile that two sampled pairs make up.

        Balle, Barthe & Gaboardi 2018, Thm 9; docs/proofs/batches.md.
        """
        self.proved_under(adjacency)
        base, q = base_view(self.base, "pair", self.name), self.sampling_probability
        if q == 1:
            whole: Pair = base(adjacency, direction)
            return whole
        ways = [sampled_pair(base(adjacency, way), q, way) for way in Direction]
        if not symmetric(base(adjacency, Direction.REMOVE)):
            ways += [sampled_pair(base(adjacency, _other(way)), q, way) for way in Direction]
        return LargerPair(tuple(ways))

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """Wang, Balle & Kasiviswanathan 2019, Thm 9."""
        self.proved_under(adjacency)
        curve: RdpCurve = base_view(self.base, "rdp", self.name)(adjacency)
        q = self.sampling_probability
        return curve if q == 1 else BatchCurve(curve, q)


def _other(way: Direction) -> Direction:
    return Direction.ADD if way is Direction.REMOVE else Direction.REMOVE
