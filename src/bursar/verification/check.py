"""Checking a certificate: the verdict of the checker, as the rest of the house sees it.

All judgement is in `checker.py`, which knows no other module of bursar; here a file or a value
becomes the text that it reads, and the claim that it proved becomes an `UpperBound`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from bursar.adjacency import Adjacency
from bursar.errors import NotACertificate
from bursar.truth import About, UpperBound
from bursar.verification import checker
from bursar.verification.certificate import Certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a certificate proves its claim.  Where it does, ε is a proved upper bound.

    `delta`, `adjacency` and `plan` say what is claimed, valid or not, where that is well-formed.
    """

    valid: bool
    epsilon: UpperBound | None = None
    delta: str | None = None
    adjacency: Adjacency | None = None
    plan: tuple[dict[str, Any], ...] | None = field(default=None, hash=False)
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The object of the command line's `--json`."""
        return {
            "valid": self.valid,
            "epsilon": {"upper": self.epsilon.to_json()["epsilon"]["upper"]}
            if self.epsilon
            else None,
            "delta": self.delta,
            "adjacency": self.adjacency.value if self.adjacency else None,
            "plan": list(self.plan) if self.plan else None,
            "reason": self.reason,
        }


def check(source: str | Path | dict[str, Any] | Certificate) -> Verdict:
    """The verdict on a certificate: a file, its document, or what `certify` gave.

    Raises NotACertificate for what is no certificate of a known format, and for nothing else.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> from bursar.verification.certify import certify
    >>> check(certify(100 * Gaussian(noise_multiplier=20), delta="1e-5")).epsilon
    UpperBound(upper=1.9930...)
    """
    try:
        found = checker.check(_text(source))
    except (checker.NotACertificate, OSError, TypeError, ValueError, RecursionError) as error:
        raise NotACertificate(
            f"this is no certificate that can be checked: {error}",
            hint="bursar certify writes one; docs/certificates.md has the format.",
        ) from error
    claim, plan = found.claim, tuple(found.plan or ())
    if claim is None:
        return Verdict(valid=False, reason=found.reason)
    relation = Adjacency.of(claim["adjacency"])
    about = About(given=claim["delta"], method="certificate", adjacency=relation)
    return Verdict(
        valid=found.valid,
        epsilon=UpperBound(upper=_up(claim["epsilon"]), about=about) if found.valid else None,
        delta=claim["delta"],
        adjacency=relation,
        plan=plan,
        reason=found.reason,
    )


def _text(source: str | Path | dict[str, Any] | Certificate) -> str | bytes:
    if isinstance(source, str | Path):
        with Path(source).open("rb") as file:
            return file.read(checker.LONGEST + 1)
    return json.dumps(source.document if isinstance(source, Certificate) else source)


def _up(text: str) -> float:
    """The least float that is no smaller; infinity above them all."""
    exact = Fraction(text)
    try:
        near = float(exact)
    except OverflowError:
        return math.inf
    return near if exact <= Fraction(near) else math.nextafter(near, math.inf)
