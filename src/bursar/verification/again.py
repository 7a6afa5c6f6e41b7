"""A record of a verification, looked at again: replayed, and drawn for afresh.

A replay shows that the record is what its coins give and that its trial is a valid one.  It does
not show that the claim is true: whoever made the record may have tried seeds until one suited.  A
fresh run, with the checker's own coins, does, but for the checker's own β.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, final

from bursar.accounting.monte_carlo_runs import LogWealth, Manner
from bursar.accounting.monte_carlo_runs import run as draw
from bursar.adjacency import Direction
from bursar.errors import BursarError, InvalidParameter, NotACertificate
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.files import plan_of
from bursar.mechanisms.plan import Plan
from bursar.numerics.wealth import Trial
from bursar.verification.attempts import Attempt, coins
from bursar.verification.claims import Claim, Verifiers
from bursar.verification.records import Record
from bursar.verification.sides import Care, Pilot, fingerprint, pilots
from bursar.verification.static import BETA, Verified, verify

_NEAR = 1e-9  # relative: what another processor's sums may be off


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecked:
    """Whether a record is what its coins give; and a fresh answer, where one was asked for."""

    record: Record
    replayed: bool
    reason: str | None
    fresh: Verified | None = None

    @property
    def accepted(self) -> bool:
        """The record says yes, its replay agrees, and so does the fresh run, if there was one."""
        agrees = self.fresh is None or self.fresh.accepted
        return self.record.accepted and self.replayed and agrees


def recheck(
    record: Record,
    *,
    run: Plan | Mechanism | None = None,
    fresh: bool = False,
    beta: Number = BETA,
    manner: Manner | None = None,
) -> Rechecked:
    """Replay a record, and draw for its claim again if `fresh`.

    `run` is what was verified, where no text can say it: a mechanism of one's own.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> found = verify(60 * Gaussian(noise_multiplier=30), Claim(epsilon=1, delta="1e-5"))
    >>> recheck(found.record).accepted
    True
    """
    told = record.document
    try:
        plan = plan_of(told["plan"]) if run is None else Plan.of(run)
        if plan.canonical() != told["plan"]:
            raise InvalidParameter("it is not what was verified", field="run", value=plan)
        claim = Claim(**told["claim"])
        why = _replay(told, plan, claim, manner)
    except (BursarError, KeyError, TypeError, ValueError) as error:
        raise NotACertificate(f"this record cannot be replayed: {error}") from error
    again = None
    if fresh:
        names = (told["method"],) if told["method"] in Verifiers().names else None
        again = verify(
            plan,
            claim,
            beta=beta,
            verifiers=Verifiers(names) if names else None,
            care=_care(told),
            manner=manner,
        )
    return Rechecked(record=record, replayed=why is None, reason=why, fresh=again)


def _care(told: dict[str, Any]) -> Care | None:
    care = told.get("care")
    return Care(**care) if care else None


def _replay(told: dict[str, Any], plan: Plan, claim: Claim, manner: Manner | None) -> str | None:
    """Why the record is not what it says, or None."""
    if told["method"] != "draws":
        return _settled_again(told, plan, claim)
    if told["stream"] != (manner.stream if manner else ""):
        words = told["stream"] or "cores"
        return f"it was drawn with the words of {words}: replay it with those, or draw afresh"
    key = bytes.fromhex(told["key"])
    known = {one.bounded.direction: one for one in pilots(plan, claim, _care(told) or Care())}
    kept = {Direction(side["direction"]): side for side in told["sides"]}
    if told["accepted"] and set(known) != set(kept):
        return "a direction is missing"
    passed = True
    for way, side in kept.items():
        found = _side_again(side, known[way], key, way, manner)
        if isinstance(found, str):
            return found
        passed &= found
    if told["accepted"] and (why := _too_bold(told, claim)):
        return why
    return None if passed == told["accepted"] else "the verdict is not what was drawn"


def _side_again(
    told: dict[str, Any], side: Pilot, key: bytes, way: Direction, manner: Manner | None
) -> bool | str:
    """Whether the side passes, or why its record is wrong."""
    if told["design"] != fingerprint(side.bounded):
        return (
            f"the {way} direction was drawn from another design, by another version of bursar or "
            "its libraries: only a fresh run can tell"
        )
    if not side.draws:
        return True
    if not told["draws"]:
        return f"the {way} direction was not drawn for"
    share = side.bounded.share(side.claim.log_delta)
    trial = _trial(told)
    if not trial.share <= share * (1 + 1e-15):
        return f"the {way} direction was tried against a mean that is too large"
    fold = LogWealth(trial.stake, trial.share)
    log_wealth, _ = draw(side.bounded, coins(key, way), trial.draws, fold, manner)
    said = float.fromhex(told["log_wealth"])
    if not abs(log_wealth - said) <= _NEAR * (1 + abs(said)):
        return f"the {way} direction gives another wealth with these coins"
    return trial.passes(log_wealth)


def _too_bold(told: dict[str, Any], claim: Claim) -> str | None:
    """A static yes needs a wealth of 1/β, a release that its excess is within its share."""
    for side in told["sides"]:
        if not side["draws"]:
            continue
        trial = _trial(side)
        if told["meaning"] == "static":
            claimed = told["failure_probability"]
            if not trial.log_threshold >= -log(claimed) - _NEAR:
                return f"a false claim may pass more often than with probability {claimed}"
        else:
            kept = told["attempt"]
            attempt = Attempt("", claim, kept["of_mechanism"], kept["of_all"])
            if not trial.log_excess <= attempt.log_room(Exact.of(kept["reserve"])):
                return "more may be let through than this attempt's share of the reserve"
    return None


def _trial(told: dict[str, Any]) -> Trial:
    stake, share, threshold = (float.fromhex(told[k]) for k in ("stake", "share", "log_threshold"))
    return Trial(told["draws"], stake, share, threshold)


def _settled_again(told: dict[str, Any], plan: Plan, claim: Claim) -> str | None:
    method = told["method"]
    if method not in Verifiers().names:
        return f"what {method} found cannot be replayed: only a fresh run can tell"
    found = Verifiers((method,)).settle(plan, claim)
    if found is None or found.holds != told["accepted"]:
        return f"{method} does not say so"
    return None
