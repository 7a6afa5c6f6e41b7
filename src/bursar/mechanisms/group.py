"""What a step costs a group: k people who are all present, or all absent.

Where the step adds noise to a sum, the group is one person with k contributions, and the account
is exact; each other view has its own theorem (docs/proofs/groups.md).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import comb
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.discrete_gaussian import DiscreteGaussian
from bursar.mechanisms.discrete_laplace import DiscreteLaplace
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.mixture import GaussianMixture
from bursar.mechanisms.poisson import PoissonSubsampled, base_view
from bursar.mechanisms.rounded import RoundedGaussian, RoundedLaplace
from bursar.mechanisms.selection import BoundedRange, ExponentialMechanism
from bursar.mechanisms.statements import ApproximateDP, GaussianDP, PureDP, ZeroConcentratedDP
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.curve import RdpCurve
from bursar.privacy.derived_curves import GroupCurve
from bursar.privacy.pairs import AtomsPair, Pair

_MOST = 1000
_SCALED: dict[type[Mechanism], tuple[str, int]] = {  # which field of k people is k^power times it
    Gaussian: ("noise_multiplier", -1),
    RoundedGaussian: ("noise_multiplier", -1),
    Laplace: ("scale", -1),
    RoundedLaplace: ("scale", -1),
    DiscreteGaussian: ("most", 1),
    DiscreteLaplace: ("most", 1),
    PureDP: ("epsilon", 1),
    BoundedRange: ("epsilon", 1),
    ExponentialMechanism: ("epsilon", 1),
    GaussianDP: ("mu", 1),
    ZeroConcentratedDP: ("rho", 2),
}


@final
@dataclass(frozen=True, slots=True, init=False)
class Group(Mechanism):
    """Run `base`, and ask what it costs `people` people at once.

    >>> Group(Gaussian(noise_multiplier=10), people=4).equivalent
    Gaussian(noise_multiplier=2.5)
    """

    name: ClassVar[str] = "group"
    wraps: ClassVar[bool] = True
    base: Mechanism
    people: int

    def __init__(self, base: Mechanism, *, people: int) -> None:
        if not isinstance(base, Mechanism):
            raise InvalidParameter("it must be a mechanism", field="base", value=base)
        if isinstance(base, Group):
            need = "it must not be of a group already"
            hint = "Multiply the two numbers of people."
            raise InvalidParameter(need, field="base", value=base, hint=hint)
        k = require.count(people=people)
        if not k <= _MOST:
            need = f"it must be at most {_MOST}"
            raise InvalidParameter(need, field="people", value=people)
        fix(self, {"base": base, "people": k})

    @property
    def equivalent(self) -> Mechanism | None:
        """The mechanism whose cost for one person is this one's for the group, where there is one.

        Sums: the group is one contribution, k times as large.  Statements: group privacy, one
        theorem each.  A Poisson-subsampled Gaussian: the number that take part is binomial.
        """
        return _equivalent(self.base, self.people)

    def canonical(self) -> dict[str, Any]:
        """The base's text with `people`: a step of a plan file."""
        return self.base.canonical() | {"people": self.people}

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """That of the equivalent mechanism; else of the pure statement."""
        same = self.equivalent
        if same is not None:
            found: Pair = base_view(same, "pair", self.name)(adjacency, direction)
            sharp = not isinstance(self.base, ApproximateDP)  # its chain need not be attained
            return found if sharp or self.people == 1 else replace(found, tight=False)  # type: ignore[arg-type]
        return AtomsPair(self.pure(adjacency), tight=False)

    def pure(self, adjacency: Adjacency) -> Exact:
        """kε.  Dwork, McSherry, Nissim & Smith 2006, for pairs of a chain of k neighbours."""
        return Exact(self.people * base_view(self.base, "pure", self.name)(adjacency))

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """k²ρ.  Bun & Steinke 2016, Prop. 1.9."""
        return Exact(self.people**2 * base_view(self.base, "zcdp", self.name)(adjacency))

    def gdp(self, adjacency: Adjacency) -> Exact:
        """(kμ)².  Dong, Roth & Su 2022, Thm 2.14."""
        return Exact(self.people**2 * base_view(self.base, "gdp", self.name)(adjacency))

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """That of the equivalent mechanism; else the weak triangle inequality, k−1 times."""
        same = self.equivalent
        if same is not None:
            found: RdpCurve = base_view(same, "rdp", self.name)(adjacency)
            return found
        curve: RdpCurve = base_view(self.base, "rdp", self.name)(adjacency)
        return GroupCurve(curve, self.people)


def _equivalent(base: Mechanism, k: int) -> Mechanism | None:
    if k == 1:
        return base
    if type(base) in _SCALED:
        field, power = _SCALED[type(base)]
        values = {one.name: getattr(base, one.name) for one in fields(base)}  # type: ignore[arg-type]
        times = values[field] * Fraction(k) ** power
        whole = isinstance(values[field], int)
        return type(base)(**values | {field: int(times) if whole else Exact(times)})
    if isinstance(base, ApproximateDP):
        return _approximate(base, k)
    if isinstance(base, PoissonSubsampled) and isinstance(base.base, Gaussian):
        return _binomial(base.base.noise_multiplier, base.sampling_probability, k)
    return None


def _approximate(base: ApproximateDP, k: int) -> ApproximateDP:
    """(kε, δ(e^{kε} − 1)/(e^ε − 1)), rounded up, and at most 1: the sum over the chain."""
    with precision(256):
        sums = sum((ball(i * base.epsilon).exp() for i in range(k)), ball(0.0))
        total = ball(base.delta) * sums
        delta = 1.0 if not total < 1 else min(1.0, float_up(total))
    return ApproximateDP(epsilon=Exact(k * base.epsilon), delta=delta)


def _binomial(sigma: Exact, q: Exact, k: int) -> Mechanism:
    """How many of the group take part: binomial, each with a contribution of at most 1."""
    if q == 1:
        return Gaussian(noise_multiplier=Exact(sigma / k))
    weights = [Exact(comb(k, j) * q**j * (1 - q) ** (k - j)) for j in range(k + 1)]
    return GaussianMixture(noise_multiplier=sigma, shifts=list(range(k + 1)), weights=weights)
