"""Is it true, and may it run?  Certificates and their checker; claims, verdicts, the release gate.

The public names of claims and gates; each is loaded when it is first asked for.  How to use them:
docs/verify.md; why they hold: docs/proofs/release-gate.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bursar.verification.again import Rechecked, recheck
    from bursar.verification.attempts import Attempts, State
    from bursar.verification.claims import Claim, Verifiers
    from bursar.verification.gate import Other, Paid, Released, release
    from bursar.verification.records import Record
    from bursar.verification.sides import Care
    from bursar.verification.static import Verified, verify

_LATER = {
    "again": ("Rechecked", "recheck"),
    "attempts": ("Attempts", "State"),
    "claims": ("Claim", "Verifiers"),
    "gate": ("Other", "Paid", "Released", "release"),
    "records": ("Record",),
    "sides": ("Care",),
    "static": ("Verified", "verify"),
}

__all__ = [
    "Attempts",
    "Care",
    "Claim",
    "Other",
    "Paid",
    "Rechecked",
    "Record",
    "Released",
    "State",
    "Verified",
    "Verifiers",
    "recheck",
    "release",
    "verify",
]


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            found: object = getattr(import_module(f"bursar.verification.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'bursar.verification' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
