"""Figure 3: the privacy lost on a whole sequence, noise or false alarms aligned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bursar
from bursar.reports.plots import Line, drawn
from reproduce.keeping import Found, table
from reproduce.zhu_wang._screens import (
    SETTINGS,
    classical,
    private_epsilon,
    restarted,
    staged_epsilon,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figure 3: the cost of a sequence of 100,000 queries"
DELTA, QUERIES = 1e-6, 10**5
MARGIN_A, MARGIN_B = 1000, 1500
NAMES = {
    "gaussian": "Gaussian mechanism (exact)",
    "laplace": "Laplace screen",
    "normal": "Gaussian screen, restarted",
    "stages": "Gaussian screen, in stages",
    "private": "noisy screening on these data (private)",
}
MORE = {"underflow": "noisy screening, 1 − F in floats"}


def measure(*, small: bool) -> Found:
    """Both published settings of the left panel, and the right one."""
    asked = [10**2, 10**5] if small else [round(10 ** (n / 4)) for n in range(4, 21)]
    exponents = [-10, -4] if small else [-n / 2 for n in range(4, 49)]
    left = [
        {"setting": name, "asked": many, **_left(many, **noises)}
        for name, noises in SETTINGS.items()
        for many in asked
    ]
    right = [{"rate": 10**n, **_right(10**n)} for n in exponents]
    return {"delta": DELTA, "queries": QUERIES, "left": left, "right": right}


def _left(asked: int, *, threshold: float, query: float) -> dict[str, Any]:
    """After so many queries, with the false alarms that there are on average by then."""
    from bursar.screening import false_alarm_rate

    l1, l2 = threshold / math.sqrt(2), query / math.sqrt(2)
    normal = bursar.SparseVector(threshold_noise=threshold, query_noise=query, length=QUERIES)
    laplace = bursar.LaplaceSparseVector(threshold_noise=l1, query_noise=l2)
    tops = _tops(asked * false_alarm_rate(normal, gap=MARGIN_A))
    laplace_tops = _tops(asked * false_alarm_rate(laplace, gap=MARGIN_A))
    return {
        "tops": tops,
        "laplace tops": laplace_tops,
        **_costs(threshold, query, l1, l2, tops, laplace_tops, asked, MARGIN_A),
    }


def _right(rate: float) -> dict[str, Any]:
    """All queries, with noise of the queries that is above the margin at this rate."""
    from scipy.special import ndtri

    query = MARGIN_B / -float(ndtri(rate))
    laplace = MARGIN_B / -math.log(2 * rate)
    tops = _tops(rate * QUERIES)
    found = _costs(query / 2, query, laplace / 2, laplace, tops, tops, QUERIES, MARGIN_B)
    found["underflow"] = private_epsilon(
        QUERIES, gap=MARGIN_B, noise=query, delta=DELTA, underflow=True
    )
    return {"query noise": query, "laplace noise": laplace, "tops": tops, **found}


def _tops(mean: float) -> int:
    return max(1, math.ceil(mean))


def _costs(
    s1: float, s2: float, l1: float, l2: float, tops: int, laplace_tops: int, asked: int, gap: float
) -> dict[str, float]:
    def epsilon(plan: bursar.Plan | bursar.SparseVector | Any) -> float:
        return float(bursar.epsilon(plan, delta=DELTA))

    one, other = (float(f"{x:.9g}") for x in (s1, s2))
    first, second = (float(f"{x:.9g}") for x in (l1, l2))
    laplace = (
        classical(first, second, tops=laplace_tops),
        laplace_tops * classical(first, second, tops=1),
    )
    return {
        "gaussian": epsilon(asked * bursar.Gaussian(noise_multiplier=other)),
        "laplace": min(map(epsilon, laplace)),
        "normal": epsilon(restarted(one, other, tops=tops, length=QUERIES)),
        "stages": staged_epsilon(one, other, tops=tops, length=QUERIES, delta=DELTA),
        "private": private_epsilon(asked, gap=gap, noise=other, delta=DELTA),
    }


def pictures(found: Found) -> dict[str, Figure]:
    """The left panel in both settings, and the right one; what is no guarantee is dashed."""
    made = {}
    for setting in SETTINGS:
        rows = [row for row in found["left"] if row["setting"] == setting]
        made[f"a-{setting}"] = _picture(rows, "asked", "queries asked", NAMES)
    made["b"] = _picture(found["right"], "rate", "false alarms of the queries' noise", NAMES | MORE)
    return made


def _picture(rows: list[dict[str, Any]], key: str, x: str, names: dict[str, str]) -> Figure:
    lines = []
    for name, label in names.items():
        points = [(row[key], row[name]) for row in rows if row[name] > 0]
        if points:
            xs, ys = (list(column) for column in zip(*points, strict=True))
            proved = name not in ("private", "underflow")
            lines.append(Line(name=label, x=xs, y=ys, proved=proved))
    return drawn(lines, x=x, y="ε", log_x=True, log_y=True)


def told(found: Found) -> str:
    """Its part of the page."""
    left = [
        [row["setting"], f"{row['asked']:,}", row["tops"], row["laplace tops"]]
        + [f"{row[name]:.3g}" for name in NAMES]
        for row in found["left"]
        if row["asked"] in (100, 10_000, 100_000)
    ]
    right = [
        [f"{row['rate']:.0e}", f"{row['query noise']:.4g}", row["tops"]]
        + [f"{row[name]:.3g}" for name in (NAMES | MORE)]
        for row in found["right"]
        if abs(math.log10(row["rate"]) % 3) < 1e-9 or abs(math.log10(row["rate"]) % 3 - 3) < 1e-9
    ]
    printed, script = SETTINGS["printed"], SETTINGS["script"]
    return f"""Queries of 0, δ = {found["delta"]:g}. **Left**, margin {MARGIN_A}, after so many queries, with as many tops as there are false alarms on average (one at least), where the paper counts those of one run. The two published settings disagree: App. G.2 prints σ₁ = {printed["threshold"]:g} and σ₂ = √2λ₂ = {printed["query"]:g}; the public script has λ = 120 and 240, so σ₁ = {script["threshold"]:.1f} and σ₂ = {script["query"]:.1f}. Both are here. Laplace noise has the same variance.

{table(["setting", "queries", "tops", "tops (Laplace)", *NAMES.values()], left)}

**Right**, margin {MARGIN_B}, all {found["queries"]:,} queries, noise of the queries such that it is above the margin at the rate; the threshold's noise is half of it, as in the script (the appendix does not say).

{table(["rate", "σ₂", "tops", *NAMES.values(), *MORE.values()], right)}

The big gap to noisy screening that the paper reports at small rates is an underflow: below a rate of 1e-16, 1 − F in floats is 0: nothing is ever above, and nothing seems lost. In logarithms of survival functions the line goes on. That line is private: it is what is lost on these data, and no guarantee."""
