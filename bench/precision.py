"""Work against precision: what a tool's time buys, as its own error setting is made smaller.

bursar's exact accountant has no such setting: it is one point.  A width is that of `accountants`:
between both bounds, or from the one bound to the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from bench import accountants, cells
from bench.keeping import Found, table
from bench.peers import PEERS, Peer, google_pld, opacus_prv, prv
from bench.settings import GRID, PLAIN, RARE, Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Work against precision"
SETTINGS = (GRID[0], GRID[2], RARE[3], PLAIN[0])
DELTA = "1e-5"
LIMIT_S = 10
ERRORS = ("1", "0.1", "0.01", "0.001", "0.0001")
SWEPT: dict[str, tuple[Callable[[float], Peer], tuple[str, ...]]] = {
    "dp_accounting PLD": (
        lambda error: partial(google_pld, interval=error),
        ("0.01", "0.001", "0.0001", "0.00001"),
    ),
    "prv_accountant": (lambda error: partial(prv, eps_error=error), ERRORS),
    "Opacus PRV": (lambda error: partial(opacus_prv, eps_error=error), ERRORS),
}
FIXED = ("dp_accounting RDP", "Opacus RDP", "autodp RDP")
SHARP = 2.0**-53
Row = dict[str, Any]


def ask(cell: cells.Cell) -> Row:
    """What one tool says with one error setting."""
    setting, tool = _setting(cell["run"]), str(cell["tool"])
    if tool not in SWEPT:
        return accountants.ask({**cell, "delta": DELTA})
    make, _ = SWEPT[tool]
    lower, upper, value = make(float(cell["error set"]))(setting.run(), float(DELTA))
    return {"lower": lower, "upper": upper, "value": value}


def _setting(name: object) -> Setting:
    return next(one for one in SETTINGS if one.name == name)


def measure(*, small: bool) -> Found:
    """Each tool with each of its settings, on each run."""
    from bursar.accounting.accountants import PROVED

    ours = [f"bursar {one.name}" for one in PROVED]
    for tool in [*ours, *PEERS]:
        accountants.warm({"tool": tool})
    asked: list[cells.Cell] = []
    for setting in SETTINGS[:1] if small else SETTINGS:
        asked += [{"run": setting.name, "tool": tool, "error set": ""} for tool in [*ours, *FIXED]]
        for tool, (_, errors) in SWEPT.items():
            asked += [
                {"run": setting.name, "tool": tool, "error set": error}
                for error in (errors[:2] if small else errors)
            ]
    rows = cells.measured("precision", asked, ask, limit_s=LIMIT_S, warm=accountants.warm)
    exact = {row["run"]: row for row in rows if row["tool"] == accountants.EXACT}
    return {
        "limit": LIMIT_S,
        "clock": cells.CLOCK,
        "rows": [_point(row, exact[row["run"]]) for row in rows],
    }


def _point(row: Row, exact: Row) -> Row:
    kept = {key: row[key] for key in ("run", "tool", "error set")}
    if "error" in row:
        return kept | {"error": row["error"]}
    width = max(accountants.width({k: v for k, v in row.items() if v is not None}, exact), SHARP)
    low = float(exact["lower"])
    return kept | {
        "ms": float(f"{row['ms']:.3g}"),
        "width": float(f"{width:.3g}"),
        "false": accountants.claim(row) < low,
    }


def pictures(found: Found) -> dict[str, Figure]:
    """Time against width for each run: lower and further left is better."""
    from bursar.reports.plots import Line, drawn

    made = {}
    for number, setting in enumerate(SETTINGS):
        lines = []
        for tool in dict.fromkeys(row["tool"] for row in found["rows"]):
            points = [
                (row["width"], max(row["ms"], accountants.TICK))
                for row in found["rows"]
                if row["run"] == setting.name and row["tool"] == tool and _shown(row)
            ]
            if points:
                x, y = (list(column) for column in zip(*sorted(points), strict=True))
                lines.append(Line(name=tool, x=x, y=y, marker="o-" if len(x) > 1 else "o"))
        if lines:
            made[f"{number + 1}"] = drawn(
                lines,
                x="relative width of ε",
                y="milliseconds",
                log_x=True,
                log_y=True,
                title=f"{setting.name}, δ = {DELTA}",
            )
    return made


def _shown(row: Row) -> bool:
    return math.isfinite(row.get("width", math.nan)) and not row["false"]


def told(found: Found) -> str:
    """The narrowest that each tool reached, and its time."""
    lines = []
    for setting in SETTINGS:
        rows = [row for row in found["rows"] if row["run"] == setting.name and "ms" in row]
        if not rows:
            continue
        ours = next(row for row in rows if row["tool"] == accountants.EXACT)
        for tool in dict.fromkeys(row["tool"] for row in rows):
            reached = [row for row in rows if row["tool"] == tool and _shown(row)]
            if not reached:
                continue
            best = min(reached, key=lambda row: row["width"])
            lines.append(
                [
                    setting.name,
                    tool,
                    best["error set"] or "–",
                    f"{best['width']:.1e}",
                    accountants.time_of(best),
                    f"{accountants.times(best, ours):.2g}",
                    f"{best['width'] / ours['width']:.0e}",
                ]
            )
    head = [
        "(σ, q, k)",
        "tool",
        "its error setting",
        "relative width",
        "ms",
        "times our time",
        "times our width",
    ]
    return f"""Each point is a tool with one setting of its own error (the step of dp_accounting's lattice, the error in ε of the two PRV accountants), at δ = {DELTA}, within {found["limit"]} s by {found["clock"]}. The table has the narrowest that each reached. Further left is tighter, lower is faster; what is proved false is not drawn.

{table(head, lines)}
"""
