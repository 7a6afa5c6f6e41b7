"""A privacy loss that one can draw: the little that a Monte Carlo verifier asks of a mechanism.

No density is needed, only the log-ratio at the points that are drawn; they may live in any space.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from bursar.numerics.search import Floats


@runtime_checkable
class Samples(Protocol):
    """One direction of a dominating pair (P, Q)."""

    def sample(self, size: int, random: np.random.Generator) -> Any:
        """So many independent outputs drawn from P, using no other randomness."""

    def log_ratio(self, points: Any) -> Floats:
        """log dP/dQ at each of them, in float64; infinite where Q has no mass."""
