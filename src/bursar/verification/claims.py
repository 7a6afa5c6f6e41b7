"""A claim: that a mechanism is (ε, δ)-DP for some neighbours.  And what may settle it at once.

Any accountant with a proof is a verifier (Wang et al. 2023, §3.1): one whose upper bound is at most
the claim confirms it, and one whose lower bound is above refutes it.  A lower bound from an audit
may refute it too.  Not here: draws, for what nobody settles (`sides.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

from bursar import require
from bursar.accounting.accountants import ACCOUNTANTS, PROVED
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter, LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import fix
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP
from bursar.numerics.balls import ball, float_down, precision
from bursar.truth import Enclosure, Estimate

DRAWS = "draws"


@final
@dataclass(frozen=True, slots=True, init=False)
class Claim:
    """A mechanism is (ε, δ)-DP: what is to be verified.

    >>> Claim(epsilon=1, delta="1e-5").canonical()
    {'epsilon': '1', 'delta': '1e-5', 'adjacency': 'add-or-remove-one'}
    """

    epsilon: Exact
    delta: Exact
    adjacency: Adjacency

    def __init__(
        self, *, epsilon: Number, delta: Number, adjacency: Adjacency | str = DEFAULT
    ) -> None:
        at = require.unit_interval(delta=delta)
        if not 0 < at < 1:
            need = "a claim that draws can verify has a δ above 0 and below 1"
            raise InvalidParameter(need, field="delta", value=at)
        values = {"epsilon": require.nonnegative(epsilon=epsilon), "delta": at}
        fix(self, {**values, "adjacency": Adjacency.of(adjacency)})  # type: ignore[arg-type]

    @property
    def log_delta(self) -> float:
        """log δ, rounded down."""
        with precision():
            return float_down(ball(self.delta).log())

    @property
    def epsilon_below(self) -> float:
        """A float at or below ε: at a smaller ε the same δ claims more."""
        near = float(self.epsilon)
        return near if Exact.of(near) <= self.epsilon else math.nextafter(near, -math.inf)

    @property
    def statement(self) -> ApproximateDP:
        """What is charged for a release under it."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def canonical(self) -> dict[str, str]:
        """As certificates store it."""
        return {
            "epsilon": self.epsilon.text,
            "delta": self.delta.text,
            "adjacency": self.adjacency.value,
        }

    def __str__(self) -> str:
        return f"({self.epsilon}, {self.delta})"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Whether a claim holds, who says so, and why."""

    holds: bool
    method: str
    reason: str


@runtime_checkable
class LowerEnd(Protocol):
    """What refutes: ε at this δ is at least `epsilon`, at this confidence (`audit.LowerBound`)."""

    @property
    def epsilon(self) -> float:
        """ε is at least this."""

    @property
    def delta(self) -> float:
        """At this δ."""

    @property
    def confidence(self) -> float:
        """But for a probability of 1 − confidence."""


@final
@dataclass(frozen=True, slots=True)
class Verifiers:
    """Who may settle a claim, in this order: accountants by name, then draws."""

    names: tuple[str, ...] = (*(one.name for one in PROVED), DRAWS)

    def __post_init__(self) -> None:
        proved = [one.name for one in PROVED]
        for name in self.names:
            require.one_of([one.name for one in ACCOUNTANTS] + [DRAWS], verifier=name)
            if name not in [*proved, DRAWS]:
                need = f"{name} has no proof, so it verifies nothing"
                hint = f"Take one of {', '.join([*proved, DRAWS])}."
                raise NoProof(need, field="verifier", value=name, hint=hint)

    @property
    def draws(self) -> bool:
        """Whether draws may decide."""
        return DRAWS in self.names

    def settle(self, plan: Plan, claim: Claim) -> Settled | None:
        """What the first accountant says that can say yes or no; None if none can."""
        for accountant in PROVED:
            if accountant.name not in self.names:
                continue
            try:
                found = accountant.epsilon(plan, delta=claim.delta, adjacency=claim.adjacency)
            except (NoProof, LimitReached):
                continue
            if isinstance(found, Estimate):
                continue
            told = f"{found.sentence()} at δ = {claim.delta}"
            if Exact.of(found.upper) <= claim.epsilon if math.isfinite(found.upper) else False:
                return Settled(holds=True, method=accountant.name, reason=told)
            if isinstance(found, Enclosure) and found.lower > claim.epsilon:
                return Settled(holds=False, method=accountant.name, reason=told)
        return None


def refuted(claim: Claim, evidence: Iterable[Any]) -> Settled | None:
    """The first lower bound that is against the claim.

    Evidence must come from data that nobody has to protect: a gate that closes, closes visibly.
    """
    for one in evidence:
        if not isinstance(one, LowerEnd):
            need = "each must be a lower bound with epsilon, delta and confidence"
            raise InvalidParameter(need, field="evidence", value=one)
        if Exact.of(float(one.delta)) >= claim.delta and one.epsilon > claim.epsilon:
            told = (
                f"an audit found ε ≥ {one.epsilon:.6g} at δ = {one.delta:.6g} "
                f"(confidence {one.confidence:.10g})"
            )
            return Settled(holds=False, method="audit", reason=told)
    return None
