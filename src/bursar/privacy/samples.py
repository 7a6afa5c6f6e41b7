"""A privacy loss that one can draw: the little that a Monte Carlo verifier asks of a mechanism.

No density is needed, only the log-ratio at the points that are drawn; they may live in any space.
With more, more is proved: draws tilted towards large losses, whose weights have a proved bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import numpy as np

from bursar.numerics.search import Floats


@runtime_checkable
class Samples(Protocol):
    """One direction of a dominating pair (P, Q)."""

    def sample(self, size: int, random: np.random.Generator) -> Any:
        """So many independent outputs drawn from P, using no other randomness."""

    def log_ratio(self, points: Any) -> Floats:
        """log dP/dQ at each of them, in float64; infinite where Q has no mass."""


@runtime_checkable
class Tilted(Samples, Protocol):
    """Draws from another law P′, and log dP/dP′ ≤ log_constant − tilt · log dP/dQ."""

    tilt: float
    log_constant: float

    def log_weight(self, points: Any) -> Floats:
        """log dP/dP′ at each point."""


@runtime_checkable
class Tiltable(Samples, Protocol):
    """A pair that can be drawn tilted by any λ > 0."""

    def tilted(self, tilt: float) -> Tilted:
        """The draws with this tilt."""


@final
@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn of a plan in one direction: laws with counts, independent of each other."""

    parts: tuple[tuple[Samples, int], ...]

    def __rmul__(self, count: int) -> Drawn:
        return Drawn(tuple((one, count * n) for one, n in self.parts))

    def __add__(self, other: Drawn) -> Drawn:
        return Drawn(self.parts + other.parts)
