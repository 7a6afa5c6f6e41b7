"""Questions about whole runs, each tool's own way: many kinds of steps, every step, the noise.

Heterogeneous: 200 distinct steps, 50 times each.  Watched: ε after each of 1,000 steps, in four
settings, the last with rare jumps.
Calibrated: the noise multiplier for (1, 1e-5) of 5,000 steps.  Each answer within a limit of time.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from bench import cells
from bench.keeping import Found, table
from bench.peers import CALIBRATED, PEERS, WATCHED, Step, Unknown

TITLE = "Whole runs: many kinds of steps, every step, the least noise"
OURS = "bursar"
LIMIT_S = 20
KINDS, TIMES, STEPS = 200, 50, 1000
EPSILON, DELTA, LONG = 1.0, "1e-5", 5000
WATCHED_STEPS = (("2", "0.01"), ("1", "0.01"), ("1.1", "256/60000"), ("1", "0.001"))
Row = dict[str, Any]


def multiplier(number: int) -> str:
    """The noise multiplier of one of the kinds."""
    return f"{1 + number / KINDS}"


def noisy(sigma: Any, q: str, count: int) -> Any:
    """So many steps, as a plan."""
    from bursar import Gaussian, PoissonSubsampled

    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


def ask(cell: cells.Cell) -> Row:
    """What one tool says to one of the three questions."""
    tool, kinds, steps = str(cell["tool"]), int(cell["kinds"]), int(cell["steps"])
    try:
        match cell["question"]:
            case "heterogeneous":
                return _heterogeneous(tool, kinds)
            case "watched":
                return _watched(tool, str(cell["size"]), str(cell["q"]), steps)
            case _:
                return _calibrated(tool)
    except (Unknown, KeyError) as reason:
        raise cells.Answerless(f"unknown: {reason}") from None


def _heterogeneous(tool: str, kinds: int) -> Row:
    if tool == OURS:
        import bursar

        parts = [noisy(multiplier(number), "0.01", TIMES) for number in range(kinds)]
        found = bursar.epsilon(sum(parts[1:], parts[0]), delta=DELTA)
        return found.values()
    run = [(Step(float(multiplier(number)), 0.01), TIMES) for number in range(kinds)]
    lower, upper, value = PEERS[tool](run, float(DELTA))
    return {"lower": lower, "upper": upper, "value": value}


def _watched(tool: str, size: str, q: str, steps: int) -> Row:
    if tool == OURS:
        import bursar

        found = bursar.epsilons(noisy(size, q, 1), steps=steps, delta=DELTA)
        ends = [each.values() for each in found]
        wide = max((each["upper"] - each["lower"]) / each["upper"] for each in ends)
        return {"lower": ends[-1]["lower"], "upper": ends[-1]["upper"], "width": wide}
    step = Step(float(size), float(Fraction(q)))
    return {"upper": WATCHED[tool](step, steps, float(DELTA))[-1]}


def _calibrated(tool: str) -> Row:
    if tool == OURS:
        import bursar

        found = bursar.calibrate(
            lambda sigma: noisy(sigma, "0.01", LONG), epsilon=EPSILON, delta=DELTA
        )
        return {"sigma": float(found.value)}
    return {"sigma": CALIBRATED[tool](0.01, LONG, EPSILON, float(DELTA))}


def measure(*, small: bool) -> Found:
    """Each tool on each question; with the proved ε at the noise that each found."""
    import bursar

    kinds, steps = (3, 3) if small else (KINDS, STEPS)
    tools = [OURS, *(tool for tool in PEERS if tool != "Opacus GDP")]
    asked: list[cells.Cell] = [
        {"question": question, "tool": tool, "kinds": kinds, "steps": steps, "size": size, "q": q}
        for question, size, q in (
            ("heterogeneous", "", ""),
            *(("watched", *step) for step in WATCHED_STEPS),
            ("calibrated", "", ""),
        )
        for tool in tools
    ]
    for tool in tools:
        _heterogeneous(tool, 1)
    rows = cells.measured("whole_runs", asked, ask, limit_s=LIMIT_S, repeats=1)
    for row in rows:
        if sigma := row.get("sigma"):
            row["epsilon"] = float(bursar.epsilon(noisy(sigma, "0.01", LONG), delta=DELTA))
    return {"limit": LIMIT_S, "clock": cells.CLOCK, "rows": rows}


def told(found: Found) -> str:
    """A table for each question."""
    rows = {(row["question"] + row["q"] + row["size"], row["tool"]): row for row in found["rows"]}
    tools = list(dict.fromkeys(tool for _, tool in rows))
    head = ["tool", "seconds", "times bursar's", "ε"]

    def lines(question: str) -> list[list[str]]:
        ours = rows[question, OURS]
        return [
            [
                tool,
                *_timed(rows[question, tool], ours, found["limit"]),
                _epsilon(rows[question, tool]),
            ]
            for tool in tools
        ]

    watched = "\n".join(
        f"""(σ, q) = ({size}, {q}); bursar's ends are at most {rows["watched" + q + size, OURS].get("width", math.nan):.0e} of ε apart.

{table(head, lines("watched" + q + size))}
"""
        for size, q in WATCHED_STEPS
    )
    return f"""Each tool asked in the way that it offers, once, within {found["limit"]} s by {found["clock"]}, on one core; "more than" is a tool that had not ended. The ε of `bursar` is proved on both sides.

**{KINDS} distinct steps** (σ from 1 to 2, q = 0.01), {TIMES} times each, δ = {DELTA}. To reach: 3 s.

{table(head, lines("heterogeneous"))}

**ε after each of {STEPS:,} steps**, δ = {DELTA}; the last is shown. To reach: 1 s in all.

{watched}
**The noise multiplier for ε = {EPSILON:g}, δ = {DELTA}**, q = 0.01, {LONG:,} steps. The last column is the proved ε at the noise that the tool found: above {EPSILON:g} is too little noise. dp_accounting was told to search between 1 and 10, bursar and the rest nothing (autodp's needs 0.5 to 20). To reach: 1 s, never above the target.

{table(["tool", "seconds", "times bursar's", "σ", "ε there"], [[tool, *_timed(rows["calibrated", tool], rows["calibrated", OURS], found["limit"]), *_noise(rows["calibrated", tool])] for tool in tools])}
"""


def _timed(row: Row, ours: Row, limit: float) -> tuple[str, str]:
    if "error" not in row:
        return f"{row['ms'] / 1e3:.2g}", f"{row['ms'] / ours['ms']:.2g}"
    if row["error"].startswith(">"):
        return f"more than {limit}", f"more than {1e3 * limit / ours['ms']:.0f}"
    return ("–" if row["error"].startswith("unknown") else row["error"].partition(":")[0]), ""


def _epsilon(row: Row) -> str:
    """What it says of ε."""
    said = row.get("upper", math.nan)
    return "" if math.isnan(said) else f"≤ {said:.8g}"


def _noise(row: Row) -> tuple[str, str]:
    if "sigma" not in row:
        return "", ""
    above = row["epsilon"] > EPSILON
    told = f"{row['epsilon']:.7f}"
    return f"{row['sigma']:.7g}", f"**{told}**" if above else told
