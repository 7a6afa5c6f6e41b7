"""Privacy profiles in balls: δ(ε) of a composition in one direction, and its inverse.

`Profile` is what the exact accountant asks; here are the closed forms.  The contour, for
everything that has none, is in `contour_profile.py`; finite sums are in `atoms.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from flint import arb

from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.numerics.balls import ball, normal_tail
from bursar.numerics.roots import Bracket, bracket_root
from bursar.numerics.search import refined
from bursar.numerics.steps import Step
from bursar.privacy.conversions import gaussian_delta
from bursar.truth import BillLine

_T = TypeVar("_T")
_CLOSED = (BillLine("rounding", 2.0**-52, "ball arithmetic, outward rounding to a float"),)


class Profile(Protocol):
    """δ(ε) of one direction, non-increasing in ε."""

    @property
    def method(self) -> str:
        """The name of the accountant that answers."""

    def delta_at(self, epsilon: arb) -> arb:
        """A ball for δ at ε ≥ 0, an exact ball."""

    def epsilon_at(self, target: arb) -> Bracket:
        """A bracket for the least ε ≥ 0 with δ(ε) ≤ target, 0 < target < 1."""

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """Whether δ(ε) ≤ target is proved.  False means only that it was not."""

    def bill(self) -> tuple[BillLine, ...]:
        """The errors of the last answer, relative to δ."""


@final
@dataclass(frozen=True, slots=True)
class GaussianProfile:
    """N(μ, 1) against N(0, 1): δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2).  Balle & Wang 2018, Thm 8."""

    mu_squared: Exact
    method: str = "closed-form"

    def delta_at(self, epsilon: arb) -> arb:
        """The formula, with as much precision as its cancellation needs."""
        return refined(lambda: gaussian_delta(ball(self.mu_squared).sqrt(), epsilon))

    def epsilon_at(self, target: arb) -> Bracket:
        """By bracketing."""
        return bracket_root(self.delta_at, target)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By the formula."""
        return bool(self.delta_at(epsilon) <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """Rounding only."""
        return _CLOSED


@final
@dataclass(frozen=True, slots=True)
class SingleProfile:
    """One subsampled Gaussian step, by its closed form.

    P's density over Q's crosses e^ε at one t, so δ is a difference of normal tails there:
    docs/proofs/contour.md, section 7.
    """

    step: Step
    method: str = "closed-form"

    def delta_at(self, epsilon: arb) -> arb:
        """The formula, with as much precision as its cancellation needs."""
        return refined(lambda: self._remove(epsilon) if self.step.removes else self._add(epsilon))

    def _remove(self, epsilon: arb) -> arb:
        s, q = ball(self.step.s), ball(self.step.q)
        rest = epsilon.exp() - (1 - q)
        t = arb(0.5) + s**2 * (rest / q).log()
        return q * normal_tail((t - 1) / s) - rest * normal_tail(t / s)

    def _add(self, epsilon: arb) -> arb:
        s, q = ball(self.step.s), ball(self.step.q)
        rest = (-epsilon).exp() - (1 - q)
        if rest <= 0:
            return arb(0)
        t = arb(0.5) + s**2 * (rest / q).log()
        inner = (1 - q) * normal_tail(-t / s) + q * normal_tail((1 - t) / s)
        return normal_tail(-t / s) - epsilon.exp() * inner

    def epsilon_at(self, target: arb) -> Bracket:
        """By bracketing."""
        return bracket_root(self.delta_at, target)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By the formula."""
        return bool(self.delta_at(epsilon) <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """Rounding only."""
        return _CLOSED


@final
@dataclass(frozen=True, slots=True)
class ConstantProfile:
    """δ at or beyond the largest finite loss: the probability of an infinite one, at every ε."""

    infinite: arb
    method: str = "closed-form"

    def delta_at(self, epsilon: arb) -> arb:
        """The same everywhere."""
        return self.infinite

    def epsilon_at(self, target: arb) -> Bracket:
        """0, or none."""
        if self.infinite <= target:
            return Bracket(arb(0), arb(0))
        return Bracket(arb("inf"), None)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By comparison."""
        return bool(self.infinite <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """Rounding only."""
        return _CLOSED


@final
@dataclass(slots=True)
class Either:
    """Two profiles of one law: where one reaches a limit the other answers, and is asked next."""

    first: Profile
    second: Profile
    used: Profile | None = None

    @property
    def method(self) -> str:
        """That of the one that answered."""
        return (self.used or self.first).method

    def delta_at(self, epsilon: arb) -> arb:
        """A ball for δ at ε."""
        return self.ask(lambda profile: profile.delta_at(epsilon))

    def epsilon_at(self, target: arb) -> Bracket:
        """A bracket for ε."""
        return self.ask(lambda profile: profile.epsilon_at(target))

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """Whether δ(ε) ≤ target is proved."""
        return self.ask(lambda profile: profile.at_most(epsilon, target))

    def bill(self) -> tuple[BillLine, ...]:
        """The errors of the last answer."""
        return (self.used or self.first).bill()

    def ask(self, ask: Callable[[Profile], _T]) -> _T:
        """One after the other: anything that a profile may be asked."""
        asked = self.used or self.first
        try:
            found = ask(asked)
        except LimitReached:
            asked = self.second if asked is self.first else self.first
            found = ask(asked)
        self.used = asked
        return found
