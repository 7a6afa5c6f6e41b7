"""Every accountant of bursar and of the other libraries on the same questions, in one run.

The question is ε at a δ, the worse of both directions.  The truth is the exact enclosure, so a
claim can be called too small or too large; how far a claim is off is relative to the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from bench import cells, regimes
from bench.keeping import Found, table
from bench.peers import PEERS, Unknown
from bench.settings import ALL, Setting

TITLE = "Every accountant on the same runs"
DELTAS = ("1e-5", "1e-9", "1e-12", "1e-30", "1e-100")
LIMIT_S = 10
REPEATS = 3
TICK = 4  # ms: what a short-lived process's clock counts in
SLOW = ("bursar monte_carlo",)  # asked at the first δ alone: more of it in `monte_carlo`
EXACT = "bursar exact"
Row = dict[str, Any]


def ours() -> list[str]:
    """bursar's accountants, as the page calls them."""
    from bursar.accounting.accountants import ACCOUNTANTS

    return [f"bursar {one.name}" for one in ACCOUNTANTS]


def ask(cell: cells.Cell) -> Row:
    """What one tool says of one run."""
    setting, delta = next(one for one in ALL if one.name == cell["run"]), str(cell["delta"])
    tool = str(cell["tool"])
    if tool.startswith("bursar "):
        return asked(setting, tool.removeprefix("bursar "), delta)
    try:
        lower, upper, value = PEERS[tool](setting.run(), float(delta))
    except Unknown as reason:
        raise cells.Answerless(f"unknown: {reason}") from None
    return {"lower": lower, "upper": upper, "value": value}


def asked(setting: Setting, method: str, delta: str) -> Row:
    """What one accountant of bursar says."""
    import bursar

    try:
        found = bursar.epsilon(setting.plan(), delta=delta, method=method)
    except bursar.NoProof as reason:
        raise cells.Answerless(f"unknown: {reason.need}") from None
    known = found.values()
    return {part: known.get(part) for part in ("lower", "upper", "value")}


def warm(cell: cells.Cell) -> None:
    """The cell's tool is asked something else."""
    ask({"tool": cell["tool"], "run": ALL[0].name, "delta": "1e-4"})


def measure(*, small: bool) -> Found:
    """Each tool on each run at each δ."""
    tools = [*ours(), *PEERS]
    for tool in tools:
        warm({"tool": tool})
    runs, deltas = (ALL[:2], DELTAS[:2]) if small else (ALL, DELTAS)
    asked = [
        {"run": run.name, "delta": delta, "tool": tool}
        for run in runs
        for delta in deltas
        for tool in tools
        if delta == deltas[0] or tool not in SLOW
    ]
    rows = cells.measured("accountants", asked, ask, limit_s=LIMIT_S, repeats=REPEATS, warm=warm)
    return {
        "limit": LIMIT_S,
        "repeats": REPEATS,
        "clock": cells.CLOCK,
        "tools": tools,
        "rows": [_short(row) for row in rows],
    }


def _short(row: Row) -> Row:
    """Without what is None; times and memory with few digits."""
    kept = {key: value for key, value in row.items() if value is not None}
    return kept | {key: float(f"{row[key]:.3g}") for key in ("ms", "mib") if key in row}


def told(found: Found) -> str:
    """Tables: time, width and memory at 1e-5; claims at every δ; the ratios; who is wrong."""
    table_of = _by_question(found["rows"])
    tools = [tool for tool in found["tools"] if any(tool in rows for rows in table_of.values())]
    first = {run: rows for (run, delta), rows in table_of.items() if delta == DELTAS[0]}
    head = ["(σ, q, k)", *tools]

    def matrix(cell: Callable[[Row, Row], str]) -> str:
        rows = [
            [run, *(cell(rows[tool], rows[EXACT]) if tool in rows else "" for tool in tools)]
            for run, rows in first.items()
        ]
        return table(head, rows)

    deep = [
        [
            run,
            delta,
            _number(truth(rows)[1]),
            _width(rows[EXACT], rows[EXACT]),
            _time(rows[EXACT]),
            *(_claim(rows[tool], rows[EXACT]) if tool in rows else "" for tool in tools[1:]),
        ]
        for (run, delta), rows in table_of.items()
    ]
    return f"""Each answer is from a process of its own, forked from one that has loaded and tried every tool; the best of {found["repeats"]} (what takes long is asked once) by {found["clock"]}, on one core, within {found["limit"]:g} s; that clock ticks every {TICK} ms, and less than a tick counts as one in ratios. Runs are Poisson-subsampled Gaussian steps (σ, q, k), Gaussian noise σ × k, Laplace noise b × k; add-or-remove-one, the worse direction. Settings of the other tools are their own defaults; `prv_accountant` needs an error, and has 0.1 in ε and δ/1000 in δ.

**Where each tool fails first.** The largest δ of {", ".join(DELTAS)} at which a bound is proved **false**, refused, no number, later than {found["limit"]:g} s, or twice the truth (×) or more, and an estimate off by a factor of two (×) either way. A dot: it never fails here; a dash: the tool does not know the mechanism.

{regimes.told(table_of, tools, EXACT)}

**Milliseconds at δ = {DELTAS[0]}**

{matrix(lambda row, _: _time(row))}

**Width at δ = {DELTAS[0]}**: (upper − lower)/ε where both are claimed, else how far the claim is from the truth, over the truth. ≈ marks an estimate.

{matrix(_width)}

**Memory at δ = {DELTAS[0]}**: MiB beyond what the loaded tools hold.

{matrix(lambda row, _: f"{row['mib']:.3g}" if "mib" in row else "")}

**Faster and tighter at once.** How many times the other's time is bursar's, and the other's width ours, at δ = {DELTAS[0]}, in this run.

{_ratios(first)}

**Claims at every δ**: how far above (+) or below (−) the proved ε each claim is. In bold: a bound that is proved to be **too small**. ≈: an estimate. A dash: the tool does not know the mechanism.

{table(["(σ, q, k)", "δ", "proved ε", "width", "ms", *tools[1:]], deep)}

**Bounds that are false**, proved so by the enclosure:

{_false(table_of)}
"""


def _by_question(rows: Iterable[Row]) -> dict[tuple[str, str], dict[str, Row]]:
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((row["run"], row["delta"]), {})[row["tool"]] = row
    return found


def truth(rows: dict[str, Row]) -> tuple[float, float]:
    """The enclosure's ends, or NaN."""
    row = rows[EXACT]
    return float(row.get("lower", math.nan)), float(row.get("upper", math.nan))


def claim(row: Row) -> float:
    """The ε that a tool would have one report."""
    return float(row.get("upper", row.get("value", math.nan)))


def width(row: Row, exact: Row) -> float:
    """(upper − lower)/ε, or the distance to the truth."""
    if "error" in exact:
        return math.nan
    low = float(row.get("lower", exact["lower"]))
    return abs(claim(row) - low) / float(exact["upper"])


def _number(value: float) -> str:
    return f"{value:.10g}"


def _time(row: Row) -> str:
    return _error(row) if "error" in row else time_of(row)


def time_of(row: Row) -> str:
    """How long an answer took, as far as the clock tells."""
    return f"{row['ms']:.3g}" if row["ms"] >= TICK else f"< {TICK:g}"


def times(row: Row, other: Row) -> float:
    """How many times as long one took; what is below a tick counts as one."""
    return float(max(row["ms"], TICK) / max(other["ms"], TICK))


def _error(row: Row) -> str:
    """A word for it; the whole is in the results."""
    reason = str(row["error"])
    if reason.startswith("unknown"):
        return "–"
    return reason if reason.startswith(">") or reason == "died" else reason.partition(":")[0]


def _width(row: Row, exact: Row) -> str:
    if "error" in row:
        return _error(row)
    found = width(row, exact)
    if math.isnan(found):
        return "?" if "error" in exact else "NaN"
    return f"{'≈ ' if 'upper' not in row else ''}{found:.0e}" if math.isfinite(found) else "inf"


def _claim(row: Row, exact: Row) -> str:
    if "error" in row:
        return _error(row)
    if "error" in exact:
        return _number(claim(row))
    low, high, said = float(exact["lower"]), float(exact["upper"]), claim(row)
    if not math.isfinite(said):
        return str(said)
    off = (said - (high if said > high else low)) / high if not low <= said <= high else 0.0
    shown = _off(off)
    if "upper" not in row:
        return f"≈ {shown}"
    return f"**{shown}**" if said < low else shown


def _off(off: float) -> str:
    """A relative error: a factor, per cent, or a power of ten."""
    if off >= 1:
        return f"× {1 + off:.2g}"
    if abs(off) >= 0.01:
        return f"{100 * off:+.0f} %"
    return f"{off:+.0e}" if off else "0"


def _ratios(first: dict[str, dict[str, Row]]) -> str:
    others = [name for name in PEERS if name != "Opacus GDP"]
    lines = []
    for run, rows in first.items():
        exact = rows[EXACT]
        line = [run]
        for name in others:
            row = rows.get(name, {"error": ""})
            if "error" in row or "error" in exact or not math.isfinite(claim(row)):
                line.append(
                    _error(row) if "error" in row else "?" if "error" in exact else "no bound"
                )
                continue
            wider = width(row, exact) / max(width(exact, exact), 2**-53)
            line.append(f"{times(row, exact):.2g} × time, {wider:.0e} × width")
        lines.append(line)
    return table(["(σ, q, k)", *others], lines)


def _false(table_of: dict[tuple[str, str], dict[str, Row]]) -> str:
    lines = []
    for (run, delta), rows in table_of.items():
        low, high = truth(rows)
        for tool, row in rows.items():
            said, lower = float(row.get("upper", math.nan)), float(row.get("lower", math.nan))
            if said < low:
                lines.append([run, delta, tool, f"ε ≤ {_number(said)}", f"ε ≥ {_number(low)}"])
            if lower > high:
                lines.append([run, delta, tool, f"ε ≥ {_number(lower)}", f"ε ≤ {_number(high)}"])
    return (
        table(["(σ, q, k)", "δ", "tool", "says", "proved"], lines) if lines else "None in this run."
    )
