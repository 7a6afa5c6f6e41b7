"""Poisson subsampling: each person is in the batch with probability q, independently.

Proved for every base with a dominating pair or an RDP curve, under add-or-remove-one; and under
zero-out where the base adds noise to a sum: there the person's record becomes one that contributes
nothing, and a sum over the batch has the same law as if the person were absent.  Under replace-one
no tight pair is proved, so it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.curve import RdpCurve
from bursar.privacy.curves import GaussianCurve, SubsampledGaussianCurve
from bursar.privacy.pairs import GaussianPair, Pair, SampledPair, SubsampledGaussianPair
from bursar.privacy.sampled_curves import PoissonCurve


@final
@dataclass(frozen=True, slots=True, init=False)
class PoissonSubsampled(Mechanism):
    """Run `base` on a Poisson sample of the people.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="256/60000")
    PoissonSubsampled(base=Gaussian(noise_multiplier=1), sampling_probability=8/1875)
    """

    name: ClassVar[str] = "poisson"
    relations: ClassVar[frozenset[Adjacency]] = frozenset(
        {Adjacency.ADD_OR_REMOVE_ONE, Adjacency.ZERO_OUT}
    )
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
        """The mixture against the one without the person.  Zhu, Dong & Wang 2022, Thm 11."""
        self._proved(adjacency)
        pair: Pair = base_view(self.base, "pair", self.name)(adjacency, direction)
        return sampled_pair(pair, self.sampling_probability, direction)

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """Exact where the base's loss is a Gaussian's: the larger direction is D(P‖Q).

        Mironov, Talwar & Zhang 2019, Thm 5; for other bases docs/proofs/poisson-rdp.md.
        """
        self._proved(adjacency)
        q = self.sampling_probability
        curve: RdpCurve = base_view(self.base, "rdp", self.name)(adjacency)
        if q == 1:
            return curve
        if isinstance(curve, GaussianCurve) and hasattr(self.base, "pair"):
            pair = self.base.pair(adjacency, Direction.REMOVE)
            if isinstance(pair, GaussianPair):
                return SubsampledGaussianCurve(pair.noise_multiplier, q)
        return PoissonCurve(curve, q)

    def _proved(self, adjacency: Adjacency) -> None:
        self.proved_under(adjacency)
        if adjacency is Adjacency.ZERO_OUT and not self.base.sums:
            raise NoProof(
                f"a Poisson-subsampled {self.base.name} has no proved bound under zero-out: it is "
                "not said that a record which contributes nothing is as good as none",
                hint="Ask for adjacency add-or-remove-one.",
            )


def sampled(base: Mechanism) -> Mechanism:
    """What may be run on a sample: a mechanism that is not made of others."""
    if not isinstance(base, Mechanism):
        raise InvalidParameter("it must be a mechanism", field="base", value=base)
    if isinstance(base, PoissonSubsampled):
        need = "it must not be sampled already"
        hint = "Multiply the two sampling probabilities."
        raise InvalidParameter(need, field="base", value=base, hint=hint)
    if base.wraps:
        need = f"a {base.name} step is not sampled as a whole"
        raise InvalidParameter(need, field="base", value=base, hint="Sample what it is made of.")
    return base


def sampled_pair(pair: Pair, q: Exact, direction: Direction) -> Pair:
    """The pair of a base in this direction, on a Poisson sample."""
    if q == 1:
        return pair
    if isinstance(pair, GaussianPair):
        return SubsampledGaussianPair(pair.noise_multiplier, q, direction, tight=pair.tight)
    return SampledPair(pair, q, direction)


def base_view(base: Mechanism, view: str, kind: str) -> Any:
    """The method of the base that gives this view, or NoProof."""
    found = getattr(base, view, None)
    if found is None:
        raise NoProof(f"a {base.name} step has no {view} view, so a {kind} one has none")
    return found
