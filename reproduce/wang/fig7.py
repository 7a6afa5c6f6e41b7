"""Figure 7: how often a draw is 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bursar.reports.plots import Line, drawn
from reproduce.keeping import Found, table
from reproduce.wang._tilted import SETTING, drawn_at, grid, known, marks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 7: P(draw = 0) against the tilt"


def measure(*, small: bool) -> Found:
    """The share of zeros at each θ."""
    size = 1000 if small else 3000
    thetas = [theta for theta in grid(small=small) if theta > 0]
    rows = [[theta, float((drawn_at(theta, size)[0] == 0).mean())] for theta in thetas]
    named = {
        name: [theta, float((drawn_at(theta, size)[0] == 0).mean())]
        for name, theta in marks().items()
    }
    return {"setting": SETTING, "delta": known()[2], "rows": rows, "marks": named}


def pictures(found: Found) -> dict[str, Figure]:
    """The share, and the tilts that have a name."""
    x, y = (list(column) for column in zip(*found["rows"], strict=True))
    lines = [Line(name="share of zeros", x=x, y=y, proved=False)]
    lines += [
        Line(name=name, x=[theta], y=[share], marker="*")
        for name, (theta, share) in found["marks"].items()
    ]
    return {"": drawn(lines, x="θ", y="P(Z = 0)")}


def told(found: Found) -> str:
    """Its part of the page."""
    lines = [
        [name, f"{theta:.3f}", f"{share:.3f}"] for name, (theta, share) in found["marks"].items()
    ]
    return f"""k = 1000, δ = {found["delta"]:.4g}, as for figure 6. In print the heuristic's tilt has about 1/2, and the one of the least bound 0.88: Assumption 30 asks for 1/2 at least. With the true tilt, θ of eq. (6) has about a half too, and that of the least bound more.

{table(["θ of", "θ", "P(Z = 0)"], lines)}"""
