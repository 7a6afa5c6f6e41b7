"""Where each tool fails first: of every run and tool, the largest δ at which it is of no use.

Made of what `accountants` keeps, and measured by nothing of its own.  A bound fails if it is proved
false, refused, no number, late, or twice the truth; an estimate if it is off by a factor of two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bench.keeping import table

Row = Mapping[str, Any]
Answers = Mapping[tuple[str, str], Mapping[str, Row]]
TWICE = 2.0
NEVER = "·"
UNKNOWN = "–"


def told(answers: Answers, tools: Sequence[str], exact: str) -> str:
    """One table: a line for each run, a column for each tool but the one that has the truth."""
    runs = list(dict.fromkeys(run for run, _ in answers))
    rest = [tool for tool in tools if tool != exact]
    lines = [[run, *(first(answers, run, tool, exact) for tool in rest)] for run in runs]
    held = ["fails in", *(_share([line[n + 1] for line in lines]) for n in range(len(rest)))]
    return table(["(σ, q, k)", *rest], [*lines, held])


def first(answers: Answers, run: str, tool: str, exact: str) -> str:
    """The largest δ at which a tool fails on a run, and how; what was asked of it, if not all."""
    asked = [(delta, rows) for (name, delta), rows in answers.items() if name == run]
    known = [(delta, rows) for delta, rows in asked if tool in rows]
    for delta, rows in known:
        why = failure(rows[tool], rows[exact])
        if why == UNKNOWN:
            return UNKNOWN
        if why is not None:
            return f"{delta}: {why}"
    if not known:
        return ""
    return NEVER if len(known) == len(asked) else f"{NEVER} ({known[-1][0]} alone)"


def failure(row: Row, exact: Row) -> str | None:
    """How an answer fails beside the enclosure, if it does."""
    if "error" in row:
        return _error(str(row["error"]))
    said = float(row.get("upper", row.get("value", math.nan)))
    if not math.isfinite(said):
        return str(said)
    return None if "error" in exact else _off(row, said, exact)


def _off(row: Row, said: float, exact: Row) -> str | None:
    """How a number fails."""
    low, high = float(exact["lower"]), float(exact["upper"])
    if "upper" in row and (said < low or float(row.get("lower", low)) > high):
        return "**false**"
    if low > 0 and said >= TWICE * high:
        return f"× {said / high:.2g}"
    if "upper" not in row and said <= low / TWICE:
        return f"× {said / low:.1g}"
    return None


def _error(reason: str) -> str:
    if reason.startswith("unknown"):
        return UNKNOWN
    return reason if reason.startswith(">") or reason == "died" else "refuses"


def _share(cells: Sequence[str]) -> str:
    """Of the runs that a tool knows, in how many it fails somewhere."""
    taken = [cell for cell in cells if cell not in ("", UNKNOWN)]
    return f"{sum(not cell.startswith(NEVER) for cell in taken)} of {len(taken)}"
