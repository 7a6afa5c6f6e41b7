"""Figure 10: ε of k steps at δ = 1e-5, σ = 2, q = 0.01: FFT's bound and the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bursar.accounting import exact, rdp
from bursar.reports.plots import Line, drawn
from reproduce.keeping import Found, table
from reproduce.wang._estimates import DELTA_ERROR, Fft, fft, step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 10: ε of k steps, (σ, δ, q) = (2, 1e-5, 0.01)"
_EPS_ERROR = 0.1
_REFERENCE = {500: 0.43203, 1000: 0.62210, 2000: 0.90013, 3000: 1.11968, 5000: 1.47756}


def measure(*, small: bool) -> Found:
    """ε by each accountant."""
    one, most = step("2", "0.01"), 5000
    other = fft("2", "0.01", most, _EPS_ERROR)
    rows = []
    for k in (500, 5000) if small else range(500, most + 1, 500):
        proved = exact.epsilon(k * one, delta="1e-5")
        _, _, upper = other.compute_epsilon(1e-5, [k])
        rows.append(
            {
                "k": k,
                "lower": proved.lower,
                "exact": proved.upper,
                "fft": Fft(other, k).epsilon(1e-5),
                "fft upper": upper,
                "rdp": rdp.epsilon(k * one, delta="1e-5").upper,
            }
        )
    return {"eps_error": _EPS_ERROR, "delta_error": DELTA_ERROR, "rows": rows}


def pictures(found: Found) -> dict[str, Figure]:
    """Proved lines are solid, estimates dashed."""
    names = {
        "exact": ("exact (bursar)", True),
        "rdp": ("moments accountant (bursar's RDP)", True),
        "fft upper": ("FFT, upper bound", True),
        "fft": ("FFT, estimate", False),
    }
    rows = found["rows"]
    x = [row["k"] for row in rows]
    lines = [
        Line(name=name, x=x, y=[row[key] for row in rows], proved=proved)
        for key, (name, proved) in names.items()
    ]
    return {"": drawn(lines, x="k", y="ε")}


def told(found: Found) -> str:
    """Its part of the page."""
    rows = {row["k"]: row for row in found["rows"]}
    lines = [
        [
            k,
            f"{reference:.5f}",
            *(f"{rows[k][key]:.5f}" for key in ("exact", "fft", "fft upper", "rdp")),
        ]
        for k, reference in _REFERENCE.items()
        if k in rows
    ]
    gaps = [row["fft upper"] / row["exact"] - 1 for row in found["rows"]]
    head = ["k", "by a lattice, rounded up", "exact", "FFT estimate", "FFT upper", "RDP"]
    return f"""FFT's bound is its estimate plus the error that it was allowed, {found["eps_error"]} in ε ({found["delta_error"]} in δ): {max(gaps):.0%} above the truth for the fewest steps, {min(gaps):.0%} for the most, and for few steps the moments accountant is the better bound. The paper closes this gap with estimates that are verified by sampling; the exact accountant has none.

{table(head, lines)}"""
