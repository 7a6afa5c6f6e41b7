"""The gate: a mechanism runs only if its claim is verified.  Estimate, verify, release.

Wang et al. 2023, Alg. 1, with a verdict on coins that depend on no data.  What is promised is about
the release behind the gate, not about the mechanism: charged is the claim, and what false verdicts
may add is within the reserve that all attempts share (docs/proofs/release-gate.md).  No ln(1/δ) is
paid: a claim so false that its damage is large passes so seldom that it does not count.

Not here: statements that stand without a release (`static.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Generic, TypeVar, final

from bursar.accounting.monte_carlo_runs import Manner
from bursar.errors import InternalError, InvalidParameter, NoProof, NotVerified, Refused
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.noise.entropy import refuse_not_private, refuse_rehearsal
from bursar.truth import About, VerifiedClaim
from bursar.verification import records
from bursar.verification.attempts import Attempt, Attempts, Pays
from bursar.verification.claims import Claim, Settled, Verifiers, refuted
from bursar.verification.records import Record
from bursar.verification.sides import Care, Pilot, Power, Side, fingerprint, pilots
from bursar.verification.static import toss, up

T = TypeVar("T")
THEOREM = "docs/proofs/release-gate.md, Thm 4"


@final
@dataclass(frozen=True, slots=True)
class Other(Generic[T]):
    """What runs where a claim failed: another mechanism, under the same claim."""

    mechanism: Plan | Mechanism
    run: Callable[[], T]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Released(Generic[T]):
    """An answer, the claim that is charged for it, which mechanism gave it, and the records.

    The last record is the one that passed; before it are those of mechanisms that failed.
    """

    answer: T
    claim: VerifiedClaim
    mechanism: Plan
    records: tuple[Record, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A purse, the request that a release is there, and the scopes it is charged to."""

    purse: Pays
    request: str
    scopes: Iterable[str] | None = None

    def __post_init__(self) -> None:
        if self.scopes is not None:
            object.__setattr__(self, "scopes", tuple(self.scopes))


def release(
    mechanism: Plan | Mechanism,
    claim: Claim,
    run: Callable[[], T],
    *,
    attempts: Attempts,
    otherwise: Iterable[Other[T]] = (),
    tries: int = 1,
    paid: Paid | None = None,
    verifiers: Verifiers | None = None,
    evidence: Iterable[Any] = (),
    care: Care | None = None,
    manner: Manner | None = None,
    keep: Path | None = None,
) -> Released[T]:
    """Run the mechanism if its claim is verified, else the first of `otherwise` that is.

    `run` is what reads data; it is called once at most, after the verdict.  With `paid` the claim
    is held in a purse while it is verified, charged before `run` is called, and given back if
    nothing passes; the same request again gives the stored answer.  A claim that failed is refused
    without new coins until `tries` says that it may be tried more often, which is paid for.

    Raises NotVerified, with the record; BudgetExceeded; NoProof and LimitReached as `verify` does.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> gate = Attempts(reserve="1e-8")
    >>> step = 60 * Gaussian(noise_multiplier=30)
    >>> found = release(step, Claim(epsilon=1, delta="1e-5"), lambda: 42, attempts=gate)
    >>> found.answer, float(found.claim)
    (42, 1.0)
    """
    refuse_rehearsal("a release")
    asked = _Asked(claim, attempts, tries, verifiers or Verifiers(), care or Care(), manner, keep)
    plans = [(Plan.of(mechanism), run), *((Plan.of(o.mechanism), o.run) for o in otherwise)]
    if paid is None:
        return _released(asked, plans, tuple(evidence))
    if paid.purse.relations(paid.scopes) != {claim.adjacency}:
        raise InvalidParameter(
            "the purse keeps budgets for other neighbours", field="adjacency", value=claim.adjacency
        )
    attempts.pay(paid.purse, paid.scopes)
    charge = paid.purse.reserve(
        claim.statement, request=paid.request, body=_body(plans, claim), scopes=paid.scopes
    )
    if charge.answers:
        stored: Released[T] = charge.answers[-1]
        return stored
    if charge.stage != "reserved":
        raise Refused(
            f"request {paid.request!r} is {charge.stage}: it gives no answer any more",
            hint="A new release needs a new id.",
        )
    return _charged(asked, plans, tuple(evidence), paid)


@final
@dataclass(frozen=True, slots=True)
class _Asked:
    """The question, as each mechanism is asked it."""

    claim: Claim
    attempts: Attempts
    tries: int
    verifiers: Verifiers
    care: Care
    manner: Manner | None
    keep: Path | None

    def record(self, plan: Plan) -> Record:
        """The verdict on one mechanism."""
        if settled := self.verifiers.settle(plan, self.claim):
            return records.settled(plan, self.claim, settled, meaning="release")
        if not self.verifiers.draws:
            names = ", ".join(self.verifiers.names)
            raise NoProof(
                f"{names} can neither confirm nor refute the claim {self.claim}", field="verifier"
            )
        looked = pilots(plan, self.claim, self.care)
        for one in looked:
            if why := one.hopeless(self.care):
                told = Settled(holds=False, method="pilot", reason=why)
                return records.settled(plan, self.claim, told, meaning="release")
        if not any(one.draws for one in looked):
            return self._recorded(plan, tuple(one.side(self.care, float) for one in looked))
        while True:
            found = self._attempt(plan, looked)
            if found.accepted or self.attempts.failed(plan, self.claim) >= self.tries:
                return found

    def _attempt(self, plan: Plan, looked: tuple[Pilot, ...]) -> Record:
        drawn_from = [fingerprint(one.bounded) for one in looked]
        decided = json.dumps([self.care.told(self.manner), drawn_from], sort_keys=True)
        attempt = self.attempts.begin(plan, self.claim, plan=decided, tries=self.tries)
        room = attempt.log_room(self.attempts.reserve)

        def log_threshold(pull: float) -> float:
            return max(0.0, 1e-8 - room - 1 - log(pull))

        planned = tuple(one.side(self.care, log_threshold) for one in looked)
        for one in planned:
            _within(one, room)
        return self._recorded(plan, planned, attempt)

    def _recorded(
        self, plan: Plan, planned: tuple[Side, ...], attempt: Attempt | None = None
    ) -> Record:
        """The verdict, drawn for in an attempt, or without one where nothing has to be drawn."""
        key, keep, told = b"", None, None
        if attempt is not None:
            key, keep = self.attempts.key(attempt), self._kept(attempt)
            told = _told(attempt, self.attempts)
        results = toss(planned, key, self.manner, keep)
        if attempt is not None:
            self.attempts.end(attempt, passed=all(one.passed for one in results))
        return records.of_draws(
            plan,
            self.claim,
            self.care,
            Power.of(self.care, planned),
            results,
            key=key,
            meaning="release",
            failure=None,
            stream=self.manner.stream if self.manner else "",
            attempt=told,
        )

    def _kept(self, attempt: Attempt) -> Path | None:
        if self.keep is None:
            return None
        folder = self.keep / f"{self.attempts.name}-{attempt.of_all}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _within(side: Side, room: float) -> None:
    """The trial's excess is within the attempt's share: the hypothesis of Theorem 4."""
    if side.trial is not None and not side.trial.log_excess <= room:
        raise InternalError("a trial would let through more than its share of the reserve")


def _released(
    asked: _Asked, plans: list[tuple[Plan, Callable[[], T]]], evidence: tuple[Any, ...]
) -> Released[T]:
    plan, run, told, claim = _decided(asked, plans, evidence)
    return Released(answer=_answer(run), claim=claim, mechanism=plan, records=told)


def _answer(run: Callable[[], T]) -> T:
    found = run()
    refuse_not_private(found, "this answer")
    return found


def _charged(
    asked: _Asked,
    plans: list[tuple[Plan, Callable[[], T]]],
    evidence: tuple[Any, ...],
    paid: Paid,
) -> Released[T]:
    """Held, verified, charged, run; given back if it was not started, charged in full if it was."""
    stage = "held"
    try:
        plan, run, told, claim = _decided(asked, plans, evidence)
        paid.purse.start(paid.request)
        stage = "started"
        found = Released(answer=_answer(run), claim=claim, mechanism=plan, records=told)
        paid.purse.commit(paid.request, found)
        stage = "committed"
    finally:
        if stage == "held":
            paid.purse.abandon(paid.request)
        elif stage == "started":
            paid.purse.fail(paid.request)
    return found


def _decided(
    asked: _Asked, plans: list[tuple[Plan, Callable[[], T]]], evidence: tuple[Any, ...]
) -> tuple[Plan, Callable[[], T], tuple[Record, ...], VerifiedClaim]:
    """The first mechanism that passes."""
    seen: list[Record] = []
    for place, (plan, run) in enumerate(plans):
        against = refuted(asked.claim, evidence) if place == 0 else None
        if against:
            seen.append(records.settled(plan, asked.claim, against, meaning="release"))
            continue
        seen.append(asked.record(plan))
        if seen[-1].accepted:
            return plan, run, tuple(seen), _verified(asked.claim, seen[-1])
    reasons = " ".join(str(one.document["reason"]) for one in seen)
    raise NotVerified(
        f"{asked.claim} was not verified, and nothing was run: {reasons}",
        record=seen[-1],
        hint="Claim more, add noise, or name another mechanism that runs instead (otherwise=).",
    )


def _verified(claim: Claim, record: Record) -> VerifiedClaim:
    method = str(record.document["method"])
    about = About(given=claim.delta.text, method=method, adjacency=claim.adjacency)
    return VerifiedClaim(
        epsilon=up(claim.epsilon),
        delta=claim.delta.text,
        theorem=THEOREM if method == "draws" else f"{method}: {record.document['reason']}",
        certificate=record.digest,
        about=about,
    )


def _told(attempt: Attempt, attempts: Attempts) -> dict[str, Any]:
    return {
        "of_mechanism": attempt.of_mechanism,
        "of_all": attempt.of_all,
        "reserve": attempts.reserve.text,
        "ledger": attempts.name,
    }


def _body(plans: list[tuple[Plan, Callable[[], T]]], claim: Claim) -> str:
    told = [claim.canonical(), *(plan.canonical() for plan, _ in plans)]
    return json.dumps(told, sort_keys=True)
