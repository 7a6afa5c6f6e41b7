"""What is kept of a verdict, so that others can look at it again: plain JSON.

`"meaning"` says what the verdict is about: "static", a statement on the mechanism that fails with
probability β, or "release", a theorem on one release behind a gate.  Seeds can be tried until one
suits (nobody sees how many were), so a replay shows that the record is what was drawn; that the
claim is true, a stranger learns from a fresh run.  Both: `again.py`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

from bursar.errors import NotACertificate
from bursar.mechanisms.plan import Plan
from bursar.truth import number
from bursar.verification.certificate import sealed
from bursar.verification.claims import Claim, Settled
from bursar.verification.sides import Care, Drawn, Power, Side, fingerprint

FORMAT = "bursar-verification"
VERSION = 1
LONGEST = 8_000_000

Meaning = Literal["static", "release"]


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A verdict as a document."""

    document: dict[str, Any]

    @property
    def accepted(self) -> bool:
        """The verdict."""
        return bool(self.document["accepted"])

    @property
    def digest(self) -> str:
        """SHA-256 of the rest: it tells damage, not forgery."""
        return str(self.document["digest"])

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: str | Path) -> Record:
        """The record in a file; NotACertificate for what is none."""
        try:
            with Path(path).open("rb") as file:
                document = json.loads(file.read(LONGEST + 1))
        except (OSError, ValueError, RecursionError) as error:
            raise _foreign(f"it cannot be read: {error}") from None
        return cls.of(document)

    @classmethod
    def of(cls, document: object) -> Record:
        """The record that a document is."""
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise _foreign(f"it is no {FORMAT}")
        if document.get("version") != VERSION:
            raise _foreign(f"it is not of version {VERSION}")
        body = {name: value for name, value in document.items() if name != "digest"}
        if sealed(body) != document:
            raise _foreign("it is damaged")
        return cls(document)


def settled(
    plan: Plan, claim: Claim, found: Settled, *, meaning: Meaning, failure: float | None = None
) -> Record:
    """Of a claim that was settled without draws; from an audit, at its confidence."""
    body = _body(plan, claim, accepted=found.holds, meaning=meaning)
    told = {"method": found.method, "reason": found.reason}
    return Record(sealed(body | told | {"failure_probability": failure}))


def of_draws(
    plan: Plan,
    claim: Claim,
    care: Care,
    power: Power,
    results: tuple[Drawn, ...],
    *,
    key: bytes,
    meaning: Meaning,
    failure: float | None,
    stream: str = "",
    attempt: dict[str, Any] | None = None,
) -> Record:
    """Of a claim that was drawn for."""
    accepted = all(one.passed for one in results)
    body = _body(plan, claim, accepted=accepted, meaning=meaning)
    told = {
        "method": "draws",
        "reason": " ".join(_told(one) for one in results),
        "failure_probability": failure,
        "care": care.to_json(),
        "power": power.to_json(),
        "key": key.hex(),
        "stream": stream,
        "sides": [_side(one) for one in results],
        "attempt": attempt,
    }
    return Record(sealed(body | told))


def _body(plan: Plan, claim: Claim, *, accepted: bool, meaning: Meaning) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "meaning": meaning,
        "accepted": accepted,
        "claim": claim.canonical(),
        "plan": plan.canonical(),
    }


def _side(one: Drawn) -> dict[str, Any]:
    side, trial = one.side, one.side.trial
    told: dict[str, Any] = {
        "direction": side.direction.value,
        "design": fingerprint(side.bounded),
        "log_ceiling": number(side.bounded.log_ceiling) if _finite(side) else "-inf",
    }
    if trial is None:
        return told | {"draws": 0}
    return told | {
        "draws": trial.draws,
        "share": trial.share.hex(),
        "stake": trial.stake.hex(),
        "log_threshold": trial.log_threshold.hex(),
        "log_wealth": one.log_wealth.hex(),
        "average": one.average.hex(),
    }


def _finite(side: Side) -> bool:
    return math.isfinite(side.bounded.log_ceiling)


def _told(one: Drawn) -> str:
    side, trial = one.side, one.side.trial
    if trial is None:
        return f"{side.direction}: at most δ without a draw."
    about = one.average / trial.share
    word = "passed" if one.passed else "failed"
    return f"{side.direction}: {trial.draws} draws, an average of {about:.6g} of the claim, {word}."


def _foreign(why: str) -> NotACertificate:
    return NotACertificate(
        f"this is no record of a verification: {why}",
        hint="bursar verify --out FILE writes one.",
    )
