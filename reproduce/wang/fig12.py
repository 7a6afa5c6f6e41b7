"""Figure 12: ε after every step, (σ, δ, q) = (0.5, 1e-5, 1e-3): errors and times of the estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reproduce.keeping import Found
from reproduce.wang import _curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 12: ε after each of k steps, (σ, δ, q) = (0.5, 1e-5, 1e-3)"
_NAMES = ("GDP", "GDP-Edgeworth", "saddle point")
_REFERENCES = {100: 2.10865, 500: 2.87768, 1000: 3.23889}


def measure(*, small: bool) -> Found:
    """ε of k steps by each accountant, and its time."""
    ks = (100, 1000) if small else _curves.KS
    return {"rows": _curves.epsilons("0.5", "1e-3", "1e-5", ks, _NAMES)}


def pictures(found: Found) -> dict[str, Figure]:
    """(a) relative errors; (b) seconds for every step up to k."""
    rows = found["rows"]
    return {"a": _curves.errors_drawn(rows, x="k"), "b": _curves.times_drawn(rows)}


def told(found: Found) -> str:
    """Its part of the page."""
    rows = found["rows"]
    seconds = {name: _curves.summed(rows, name)[-1][1] for name in rows[0]["seconds"]}
    times = ", ".join(f"{name} {value:.3g} s" for name, value in seconds.items())
    return f"""The losses are rare and large: the central limit says nothing, FFT is right. AFA is not drawn, as in the paper. The paper's truth is "almost exact"; ours is an enclosure, whose width is the solid line.

{_curves.beside_references(rows, _REFERENCES, x="k")}

{_curves.failures(rows, x="k")}

For ε after each of {rows[-1]["x"]:,} steps, each asked anew (summed from {len(rows)} values of k): {times}."""
