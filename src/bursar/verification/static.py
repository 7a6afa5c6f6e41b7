"""Is a claim true?  A static answer: yes but for a probability β that a false one passes, or no.

First whoever can settle it at once: an audit against it, an accountant either way; then draws, with
coins that depend on no data.  The answer is about the mechanism, not about a release: nothing of it
may be charged (`gate.py` has what may), and whoever asks until the answer is yes will get one.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from bursar.accounting.monte_carlo_runs import Manner
from bursar.errors import CorruptBooks, InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import About, HighProbabilityBound, UpperBound
from bursar.verification import records
from bursar.verification.attempts import coins
from bursar.verification.claims import DRAWS, Claim, Settled, Verifiers, refuted
from bursar.verification.records import Record
from bursar.verification.sides import Care, Drawn, Power, Side, drawn, pilots

BETA = "1e-10"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A static answer: the claim, whether it is accepted, by whom, and the record of it.

    `power` says how often a good claim fails, where it was drawn for.
    """

    claim: Claim
    accepted: bool
    method: str
    reason: str
    failure_probability: float
    record: Record
    power: Power | None = None  # of what was drawn

    @property
    def bound(self) -> UpperBound | HighProbabilityBound | None:
        """What the answer says of ε: proved, or proved but for β; None if it was no."""
        if not self.accepted:
            return None
        about = About(
            given=self.claim.delta.text, method=self.method, adjacency=self.claim.adjacency
        )
        upper = up(self.claim.epsilon)
        if self.failure_probability == 0:
            return UpperBound(upper=upper, about=about)
        return HighProbabilityBound(
            upper=upper, failure_probability=self.failure_probability, about=about
        )


def verify(
    run: Plan | Mechanism,
    claim: Claim,
    *,
    beta: Number = BETA,
    verifiers: Verifiers | None = None,
    evidence: Iterable[Any] = (),
    care: Care | None = None,
    manner: Manner | None = None,
    keep: Path | None = None,
    key: bytes | None = None,
) -> Verified:
    """Whether a mechanism is (ε, δ)-DP; a false claim passes with probability at most β.

    `keep` is a folder in which an interrupted run leaves its coins and sums: it goes on from there.
    Raises NoProof where nobody can look at the plan, LimitReached where it would take too many
    draws.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> found = verify(60 * Gaussian(noise_multiplier=30), Claim(epsilon=1, delta="1e-5"))
    >>> found.accepted, found.method
    (True, 'exact')
    """
    plan, chosen, attention = Plan.of(run), verifiers or Verifiers(), care or Care()
    failure = log_beta(beta)
    if settled := refuted(claim, evidence) or chosen.settle(plan, claim):
        return of_settled(plan, claim, settled)
    if not chosen.draws:
        names = ", ".join(chosen.names)
        raise NoProof(
            f"{names} can neither confirm nor refute the claim {claim}",
            field="verifier",
            hint=f"{DRAWS} may; or claim what an accountant proves.",
        )
    looked = pilots(plan, claim, attention)
    for one in looked:
        if why := one.hopeless(attention):
            return of_settled(plan, claim, Settled(holds=False, method="pilot", reason=why))
    planned = tuple(one.side(attention, lambda pull: -failure) for one in looked)
    question = {
        "claim": claim.canonical(),
        "plan": plan.canonical(),
        "beta": Exact.of(beta).text,
        "care": attention.told(manner),
    }
    tossed = _key(keep, question, key)
    results = toss(planned, tossed, manner, keep)
    record = records.of_draws(
        plan,
        claim,
        attention,
        Power.of(attention, planned),
        results,
        key=tossed,
        meaning="static",
        failure=up(Exact.of(beta)) if any(one.trial for one in planned) else 0.0,
        stream=manner.stream if manner else "",
    )
    return of_record(claim, record)


def toss(
    planned: tuple[Side, ...], key: bytes, manner: Manner | None, keep: Path | None
) -> tuple[Drawn, ...]:
    """The trials of both directions, each with coins of its own."""
    how = manner or Manner()
    results = []
    for one in planned:
        kept = None if keep is None else keep / f"{one.direction.value}.sums"
        results.append(drawn(one, coins(key, one.direction), replace(how, kept=kept)))
        if not results[-1].passed:
            break
    return tuple(results)


def log_beta(beta: Number) -> float:
    """log β, rounded down."""
    exact = Exact.of(beta, field="beta")
    if not 0 < exact < 1:
        raise InvalidParameter(
            "it must be in (0, 1)",
            field="beta",
            value=beta,
            hint="A false claim may pass with this probability.",
        )
    return Claim(epsilon=0, delta=exact).log_delta


def up(value: Exact) -> float:
    """The least float at or above."""
    near = float(value)
    return near if Exact.of(near) >= value else math.nextafter(near, math.inf)


def of_settled(plan: Plan, claim: Claim, found: Settled) -> Verified:
    """The answer where nothing was drawn."""
    record = records.settled(plan, claim, found, meaning="static", failure=0.0)
    return of_record(claim, record)


def of_record(claim: Claim, record: Record) -> Verified:
    """The answer that a record has."""
    told = record.document
    return Verified(
        claim=claim,
        accepted=told["accepted"],
        method=told["method"],
        reason=told["reason"],
        failure_probability=told["failure_probability"] or 0.0,
        record=record,
        power=Power(**told["power"]) if "power" in told else None,
    )


def _key(keep: Path | None, question: dict[str, Any], given: bytes | None) -> bytes:
    """Fresh coins, or those of a run that was stopped: it asked the same, in the same way."""
    fresh = os.urandom(32) if given is None else given
    if keep is None:
        return fresh
    path = keep / "coins.json"
    if path.exists():
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            kept = bytes.fromhex(told.pop("key"))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CorruptBooks("its coins cannot be read", field="keep", value=str(keep)) from None
        if told != question:
            raise InvalidParameter(
                "it is of another claim, or was asked in another way",
                field="keep",
                value=str(keep),
                hint="Take another folder.",
            )
        return kept
    keep.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(json.dumps(question | {"key": fresh.hex()}))
    return fresh
