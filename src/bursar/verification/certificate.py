"""Certificates: what makes an ε a theorem for a stranger.

A certificate holds the claim and the plan as exact text, and for each direction the parameters of
a proof; the numbers that follow from them are computed again by whoever checks it.  The format is
described in docs/certificates.md.  Not here: how one is made (`certify.py`) and checked
(`check.py`, `checker.py`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from bursar.truth import Proved

FORMAT = "bursar-certificate"
VERSION = 1


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """A claim with its proof, as JSON; `result` is the accountant's own answer."""

    document: dict[str, Any]
    result: Proved

    @property
    def epsilon(self) -> str:
        """The claimed ε: an exact decimal, rounded up."""
        return str(self.document["claim"]["epsilon"])

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """The document with the digest of its canonical JSON, which tells damage, not forgery."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return body | {"digest": hashlib.sha256(text.encode()).hexdigest()}
