"""So many draws, really drawn, with the time that they took; who is stopped goes on.

Used by `bench` and by `reproduce`.  Sums and seconds of each block are kept in the system's folder
for temporary files until the work is done.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

LONGEST = 120.0  # seconds of draws that are really drawn


class Drawn(NamedTuple):
    """What the draws added up to, and the processor's seconds."""

    total: float
    squares: float
    seconds: float


@dataclass
class _Timed:
    """Fold: the sum, the sum of squares, and the seconds since the last block."""

    last: float = field(default_factory=time.process_time, repr=False)

    def __call__(self, draws: Any) -> tuple[float, ...]:
        spent, self.last = time.process_time() - self.last, time.process_time()
        return float(draws.sum()), float((draws * draws).sum()), spent


def seconds(variable: Any, size: int, *, longest: float = LONGEST) -> tuple[float, bool]:
    """The processor's time of so many draws, and whether they were drawn; else it is computed."""
    if not size:
        return 0.0, True
    few = min(size, 4000)
    each = drawn(variable, few, 1).seconds / few
    if size * each > longest:
        return size * each, False
    return drawn(variable, size, 2).seconds, True


def drawn(variable: Any, size: int, seed: int) -> Drawn:
    """On one core."""
    from bursar.accounting.monte_carlo_coins import Seeded
    from bursar.accounting.monte_carlo_runs import Manner, run

    name = hashlib.sha256(f"{variable.digest} {size} {seed}".encode()).hexdigest()[:16]
    kept = Path(gettempdir()) / f"bursar-draws-{name}"
    found = Drawn(*run(variable, Seeded(seed), size, _Timed(), Manner(kept=kept)))
    kept.unlink()
    return found
