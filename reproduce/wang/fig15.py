"""Figure 15: offline estimates for q = 1e-5: δ at ε, and ε of k steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reproduce.keeping import Found
from reproduce.wang import _curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 15: δ(ε) for (σ, q, k) = (0.5, 1e-5, 100), and ε of k steps at δ = 1e-14"
_NAMES = ("GDP", "GDP-Edgeworth", "AFA", "saddle point")
_DELTAS = {0.5: 8.1727e-10, 1.0: 6.7809e-11, 1.5: 9.6872e-12, 2.0: 1.6532e-12, 3.0: 5.4566e-14}
_EPSILONS = {100: 3.49235, 1000: 4.1442}


def measure(*, small: bool) -> Found:
    """(a) δ at each ε, (b) ε of k steps, by each accountant."""
    grid = (0.5, 2.0) if small else [0.25 * n for n in range(1, 13)]
    ks = (100, 1000) if small else (100, 250, 500, 1000)
    return {
        "a": _curves.deltas("0.5", "1e-5", 100, grid, _NAMES),
        "b": _curves.epsilons("0.5", "1e-5", "1e-14", ks, _NAMES),
    }


def pictures(found: Found) -> dict[str, Figure]:
    """Relative errors."""
    return {
        "a": _curves.errors_drawn(found["a"], x="ε"),
        "b": _curves.errors_drawn(found["b"], x="k"),
    }


def told(found: Found) -> str:
    """Its part of the page."""
    return f"""The same a hundred times rarer, at δ where float64 sums end. AFA subtracts numbers near 1, and below δ = 1e-10 nothing is left of it; GDP and its correction take the loss for nearly normal, and say next to nothing; the saddle point sees one hump of two. FFT, which the paper finds far off here, is not: release 0.2 of prv_accountant adds long doubles from the far end. Its estimates are no bounds all the same: most of them are below the truth.

(a) δ at ε, relative errors:

{_curves.beside_references(found["a"], _DELTAS, x="ε")}

{_curves.failures(found["a"], x="ε")}

(b) ε of k steps at δ = 1e-14:

{_curves.beside_references(found["b"], _EPSILONS, x="k")}

{_curves.failures(found["b"], x="k")}"""
