"""Figure 14: offline estimates for q = 1e-3: δ at ε, and ε of k steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reproduce.keeping import Found
from reproduce.wang import _curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 14: δ(ε) for (σ, q, k) = (0.5, 1e-3, 1000), and ε of k steps at δ = 1e-5"
_NAMES = ("GDP", "GDP-Edgeworth", "AFA", "saddle point")
_DELTAS = {
    0.5: 0.0069692,
    1.0: 0.0015332,
    1.5: 4.5823e-4,
    2.0: 1.5097e-4,
    2.5: 5.0932e-5,
    3.0: 1.7024e-5,
}
_EPSILONS = {100: 2.10865, 500: 2.87768, 1000: 3.23889}


def measure(*, small: bool) -> Found:
    """(a) δ at each ε, (b) ε of k steps, by each accountant."""
    grid = (0.5, 2.0) if small else [0.25 * n for n in range(1, 13)]
    ks = (100, 1000) if small else (100, 250, 500, 1000)
    return {
        "a": _curves.deltas("0.5", "1e-3", 1000, grid, _NAMES),
        "b": _curves.epsilons("0.5", "1e-3", "1e-5", ks, _NAMES),
    }


def pictures(found: Found) -> dict[str, Figure]:
    """Relative errors."""
    return {
        "a": _curves.errors_drawn(found["a"], x="ε"),
        "b": _curves.errors_drawn(found["b"], x="k"),
    }


def told(found: Found) -> str:
    """Its part of the page."""
    return f"""A person is in one batch on average, and one loss of a person who is can exceed ε: no sum of many small things, which is what the central limit and its correction assume. FFT and AFA know the law of one step: FFT is right to 1e-5, AFA's quadratures to a hundredth. The saddle point sees one hump of two.

(a) δ at ε, relative errors:

{_curves.beside_references(found["a"], _DELTAS, x="ε")}

{_curves.failures(found["a"], x="ε")}

(b) ε of k steps at δ = 1e-5:

{_curves.beside_references(found["b"], _EPSILONS, x="k")}

{_curves.failures(found["b"], x="k")}"""
