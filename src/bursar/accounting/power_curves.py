"""g(x) = δ(x) + αx of one direction, enclosed: by profiles, or by whatever bounds δ.

For x < 1, δ(x) = 1 − x + xδ′(1/x), where δ′ is the profile of the other direction.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from flint import arb

from bursar.accounting import choose, exact, lattice, rdp, saddlepoint
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.ends import infinite, infinite_exactly
from bursar.accounting.estimates import Sketched
from bursar.accounting.lattice_profile import LatticeProfile
from bursar.accounting.profiles import Either, Profile
from bursar.adjacency import Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Exact
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.privacy.pairs import Composition, DensitiesPair, Pair, SampledPair

BITS = 192


class Curve(Protocol):
    """δ(e^log_x) of one direction, and where to look."""

    @property
    def method(self) -> str:
        """Who answers for δ."""

    def line(self, log_x: float, rate: Exact) -> tuple[float, float]:
        """g at this false positive rate, outward."""

    def guess(self, log_x: float) -> float:
        """About δ."""


@final
@dataclass(frozen=True, slots=True)
class Enclosed:
    """δ(x) of P against Q in one direction, with that of the other for x below 1."""

    here: Profile
    there: Profile
    infinite: tuple[float, float] | None  # the probability of an infinite loss, where it is known
    never: Fraction  # the probability under Q of what P never has, or 0 where it is not known

    @classmethod
    def of(cls, here: Profile, there: Profile, pairs: Composition, turned: Composition) -> Enclosed:
        """Of two profiles, and of the pairs that they are of."""
        lost = _infinite(turned) and infinite_exactly(turned)
        return cls(here, there, _infinite(pairs), lost or Fraction(0))

    @property
    def method(self) -> str:
        """The accountant of the profiles."""
        names = {self.here.method, self.there.method}
        return lattice.NAME if lattice.NAME in names else exact.NAME

    def line(self, log_x: float, rate: Exact) -> tuple[float, float]:
        """Both ends."""
        with precision(BITS):
            at, x, alpha = ball(abs(log_x)), ball(log_x).exp(), ball(rate)
            if log_x >= 0:
                value = _delta(self.here, at, alpha * x)
            else:
                value = 1 - x + x * _delta(self.there, at, 1 / x - 1 + alpha)
            low, high = max(0.0, float_down(value)), min(1.0, float_up(value))
            return float_down(low + alpha * x), float_up(high + alpha * x)

    def guess(self, log_x: float) -> float:
        """By the saddle point, or a coarse lattice: where to look, no more."""
        value = _guess(self.here if log_x >= 0 else self.there, abs(log_x))
        return value if log_x >= 0 else _mirrored(log_x, value)


@final
@dataclass(frozen=True, slots=True)
class Bounded:
    """The least δ that any accountant proves, for both directions at once."""

    plan: Plan
    relation: Adjacency
    rough: tuple[LatticeProfile, ...]  # of each direction, where there are pairs
    method: str = "bound on δ"

    @classmethod
    def on(cls, plan: Plan, relation: Adjacency) -> Bounded:
        """With lattices to search on, where they take the plan."""
        rough: tuple[LatticeProfile, ...] = ()
        with suppress(NoProof, LimitReached):
            rough = tuple(lattice.profile(views.pairs(plan, relation, way)) for way in Direction)
        return cls(plan, relation, rough)

    def line(self, log_x: float, rate: Exact) -> tuple[float, float]:
        """Nothing below; above, for x < 1, by δ(1/x) of the other direction."""
        epsilon = Exact(Fraction(abs(log_x)))
        delta = choose.delta(self.plan, epsilon=epsilon, adjacency=self.relation).upper
        with precision(BITS):
            x = ball(log_x).exp()
            value = ball(delta) if log_x >= 0 else 1 - x + x * ball(delta)
            return 0.0, float_up(ball(min(1.0, float_up(value))) + ball(rate) * x)

    def guess(self, log_x: float) -> float:
        """By coarse lattices and by the Rényi curve where both are, or else the bound itself."""
        at = abs(log_x)
        if not self.rough:
            return self.line(log_x, Exact(0))[1]
        try:
            value = max(one.guess(at) for one in self.rough)
        except LimitReached:
            return self.line(log_x, Exact(0))[1]
        with suppress(NoProof, LimitReached):
            curve = rdp.delta(self.plan, epsilon=Exact(Fraction(at)), adjacency=self.relation)
            value = min(value, curve.upper)
        return value if log_x >= 0 else _mirrored(log_x, value)


def _delta(profile: Profile, epsilon: arb, beside: arb) -> arb:
    """δ, as narrow as its sum with what stands beside it asks for."""
    match profile:
        case Either():
            return profile.ask(lambda one: _delta(one, epsilon, beside))
        case LatticeProfile():
            return profile.delta_beside(epsilon, beside)
        case _:
            return profile.delta_at(epsilon)


def _guess(profile: Profile, epsilon: float) -> float:
    if isinstance(profile, Either):
        if profile.used is None:
            profile.delta_at(ball(1))
        profile = profile.used or profile.first
    match profile:
        case ContourProfile():
            sketched = Sketched(profile.found, float(profile.top))
            return saddlepoint.ACCOUNTANT.guess(sketched, epsilon)
        case LatticeProfile():
            return profile.guess(epsilon)
        case _:
            return float(profile.delta_at(ball(epsilon)).mid())


def _infinite(pairs: Composition) -> tuple[float, float] | None:
    if any(_of_functions(pair) for pair, _ in pairs.parts):
        return None
    with precision(BITS):
        found = infinite(pairs)
        return max(0.0, float_down(found)), max(0.0, float_up(found))


def _of_functions(pair: Pair) -> bool:
    """Whether what a pair leaves to infinite losses is not known exactly."""
    return isinstance(pair, DensitiesPair) or (
        isinstance(pair, SampledPair) and _of_functions(pair.base)
    )


def _mirrored(log_x: float, value: float) -> float:
    return -math.expm1(log_x) + math.exp(log_x) * value
