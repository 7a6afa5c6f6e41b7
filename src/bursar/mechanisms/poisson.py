"""Poisson subsampling: each person is in the batch with probability q, independently.

Proved for every base with a dominating pair under add-or-remove-one, and under zero-out where
the base adds noise to a sum: there the person's record becomes one that contributes nothing,
and a sum over the batch has the same law as if the person were absent.  Under replace-one no
tight pair is proved, so it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.gaussian import Gaussian
from bursar.privacy.curves import GaussianCurve, SubsampledGaussianCurve
from bursar.privacy.pairs import Pair, SampledPair, subsampled


@final
@dataclass(frozen=True, slots=True, init=False)
class PoissonSubsampled(Mechanism):
    """Run `base` on a Poisson sample of the people.

    >>> PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="256/60000")
    PoissonSubsampled(base=Gaussian(noise_multiplier=1), sampling_probability=8/1875)
    """

    name: ClassVar[str] = "poisson"
    relations: ClassVar[frozenset[Adjacency]] = frozenset(
        {Adjacency.ADD_OR_REMOVE_ONE, Adjacency.ZERO_OUT}
    )
    base: Mechanism
    sampling_probability: Exact

    def __init__(self, base: Mechanism, *, sampling_probability: Number) -> None:
        q = require.probability(sampling_probability=sampling_probability)
        if not isinstance(base, Mechanism):
            raise InvalidParameter("it must be a mechanism", field="base", value=base)
        if isinstance(base, PoissonSubsampled):
            need = "it must not be sampled already"
            hint = "Multiply the two sampling probabilities."
            raise InvalidParameter(need, field="base", value=base, hint=hint)
        if not hasattr(base, "pair"):
            raise NoProof(
                f"a Poisson-subsampled {base.name} has no proved account here",
                hint="Subsample a base with a dominating pair, or account it unsampled.",
            )
        fix(self, {"base": base, "sampling_probability": q})

    def canonical(self) -> dict[str, Any]:
        """The base's text with `sampling` and its probability: a step of a plan file."""
        probability = self.sampling_probability.text
        sampling = {"sampling": self.name, "sampling_probability": probability}
        return self.base.canonical() | sampling

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """The mixture against the one without the person.  Zhu, Dong & Wang 2022, Thm 11."""
        self._proved(adjacency)
        if isinstance(self.base, Gaussian):
            return subsampled(self.base.noise_multiplier, self.sampling_probability, direction)
        pair: Pair = self.base.pair(adjacency, direction)  # type: ignore[attr-defined]
        if self.sampling_probability == 1:
            return pair
        return SampledPair(pair, self.sampling_probability, direction)

    def rdp(self, adjacency: Adjacency) -> SubsampledGaussianCurve | GaussianCurve:
        """The exact curve: D(P‖Q) is the larger direction.  Mironov, Talwar & Zhang 2019, Thm 5."""
        self._proved(adjacency)
        if not isinstance(self.base, Gaussian):
            raise NoProof(f"a Poisson-subsampled {self.base.name} has no rdp view")
        if self.sampling_probability == 1:
            return self.base.rdp(adjacency)
        return SubsampledGaussianCurve(self.base.noise_multiplier, self.sampling_probability)

    def _proved(self, adjacency: Adjacency) -> None:
        self.proved_under(adjacency)
        if adjacency is Adjacency.ZERO_OUT and not self.base.sums:
            raise NoProof(
                f"a Poisson-subsampled {self.base.name} has no proved bound under zero-out: it is "
                "not said that a record which contributes nothing is as good as none",
                hint="Ask for adjacency add-or-remove-one.",
            )
