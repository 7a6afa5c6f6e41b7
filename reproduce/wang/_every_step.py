"""ε after every step of a run: what figures 5, 12 and 13 share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reproduce.keeping import Found
from reproduce.wang import _curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES = ("GDP", "GDP-Edgeworth", "saddle point")


@dataclass(frozen=True)
class EveryStep:
    """A run, the paper's numbers by k, and what its figure shows."""

    sigma: str
    q: str
    delta: str
    references: dict[int, float]
    shows: str

    def measure(self, *, small: bool) -> Found:
        """ε of k steps by each accountant, and its time."""
        ks = (100, 1000) if small else _curves.KS
        return {"rows": _curves.epsilons(self.sigma, self.q, self.delta, ks, _NAMES)}

    def pictures(self, found: Found) -> dict[str, Figure]:
        """(a) relative errors; (b) seconds for every step up to k."""
        rows = found["rows"]
        return {"a": _curves.errors_drawn(rows, x="k"), "b": _curves.times_drawn(rows)}

    def told(self, found: Found) -> str:
        """Its part of the page."""
        rows = found["rows"]
        seconds = {name: _curves.summed(rows, name)[-1][1] for name in rows[0]["seconds"]}
        times = ", ".join(f"{name} {value:.3g} s" for name, value in seconds.items())
        return f"""{self.shows} AFA is not drawn, as in the paper. The paper's truth is "almost exact"; ours is an enclosure, whose width is the solid line.

{_curves.beside_references(rows, self.references, x="k")}

{_curves.failures(rows, x="k")}

For ε after each of {rows[-1]["x"]:,} steps, each asked anew (summed from {len(rows)} values of k): {times}."""
