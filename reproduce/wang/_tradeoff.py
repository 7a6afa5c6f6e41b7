"""Test error against ε, by who says what the iterations cost, and what a verdict on that costs.

ε at a δ: proved by RDP and by FFT's bound; proved if a verdict passes, for the paper's verifier (an
estimate by FFT at τδ) and for bursar's gate (the ε at which δ is a gap of 1 % below the claim, and
claim and reserve are δ together); and exact.  Not here: the training (`_training`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from bursar.reports.plots import Line, drawn
from reproduce.keeping import table
from reproduce.wang._training import Recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
TAU, GAP, RESERVE = "0.99", "0.01", "1e-3"  # the reserve as a part of δ
_MARKS = {"evr": 2, "gate": 5}  # the first of every sixth row
_SECRET = b"figures 4 and 11: coins that anybody may toss again"
WAYS = {  # who says what it costs, and whether that is proved without a verdict
    "rdp": ("RDP", True),
    "fft upper": ("FFT, upper bound", True),
    "evr": (f"the paper's EVR, τ = {TAU}", False),
    "gate": ("bursar's gate", False),
    "exact": ("exact (bursar)", True),
}


def costs(recipe: Recipe, delta: str, ks: Sequence[int]) -> list[Row]:
    """ε of k iterations by each, and the seconds of the exact accountant."""
    from bursar.accounting import exact, rdp
    from bursar.truth import Enclosure
    from reproduce.wang._estimates import Fft, fft, step, told_by

    one, other, rows = step(recipe.sigma, recipe.q), fft(recipe.sigma, recipe.q, max(ks)), []
    for k in ks:
        started = time.process_time()
        found = exact.epsilon(k * one, delta=delta)
        seconds = time.process_time() - started
        rows.append(
            {
                "k": k,
                "rdp": rdp.epsilon(k * one, delta=delta).upper,
                "fft upper": told_by(partial(_fft_upper, other, delta, k)),
                "evr": Fft(other, k).epsilon(float(TAU) * float(delta)),
                "gate": exact.epsilon(k * one, delta=_passing(delta)).upper,
                "exact": found.upper,
                "width": found.upper - (found.lower if isinstance(found, Enclosure) else 0.0),
                "seconds": seconds,
            }
        )
    return rows


def _fft_upper(accountant: Any, delta: str, k: int) -> float:
    return float(accountant.compute_epsilon(float(delta), [k])[2])


def _claimed(delta: str) -> str:
    return str(Decimal(delta) * (1 - Decimal(RESERVE)))


def _passing(delta: str) -> str:
    return str(Decimal(_claimed(delta)) * (1 - Decimal(GAP)))


def verdicts(recipe: Recipe, delta: str, rows: Sequence[Row]) -> list[Row]:
    """The paper's verdict by its size and a measured draw; bursar's, run."""
    return [row | _paper(recipe, delta, row) | _gate(recipe, delta, row) for row in rows]


def _paper(recipe: Recipe, delta: str, row: Row) -> Row:
    from bursar.accounting.baselines.sizes import Tolerance
    from bursar.accounting.baselines.verifier import prepared
    from bursar.accounting.monte_carlo_coins import Seeded
    from reproduce.wang._estimates import step

    estimate = Decimal(TAU) * Decimal(delta)
    claim = Tolerance(delta=str(estimate), tau=TAU)
    run = row["k"] * step(recipe.sigma, recipe.q)
    draws, seconds, each = 0.0, 0.0, 0.0
    for test in prepared(run, epsilon=repr(row["evr"]), tolerance=claim):
        size = max(1000, 1_000_000 // test.variable.coordinates)
        started = time.process_time()
        test.variable.draw(size, Seeded(11).source(0))
        each = (time.process_time() - started) / size
        draws += math.exp(test.log_size)
        seconds += math.exp(test.log_size) * each
    least = math.exp(claim.log_size(2 * math.log(estimate)))
    return {
        "paper draws": draws,
        "paper seconds": seconds,
        "least draws": least,
        "least seconds": least * each,
    }


def _gate(recipe: Recipe, delta: str, row: Row) -> Row:
    from bursar.verification import Attempts, Care, Claim, Verifiers, release
    from reproduce.wang._estimates import step

    run, claim = row["k"] * step(recipe.sigma, recipe.q), _claimed(delta)
    reserve = str(Decimal(delta) * Decimal(RESERVE))
    started = time.process_time()
    found = release(
        run,
        Claim(epsilon=repr(row["gate"]), delta=claim),
        lambda: True,
        attempts=Attempts(reserve=reserve, secret=_SECRET),
        verifiers=Verifiers(("draws",)),
        care=Care(gap=GAP),
    )
    seconds = time.process_time() - started
    sides = found.records[-1].document["sides"]
    return {"gate draws": sum(side["draws"] for side in sides), "gate seconds": seconds}


def errors_drawn(rows: Sequence[Row]) -> Figure:
    """The test error that each ε buys; what takes a verdict by marks, for it lies on the truth."""
    lines = []
    for key, (name, proved) in _known(rows).items():
        kept = rows if proved else rows[_MARKS[key] :: 6]
        x, y = [row[key] for row in kept], [100 * error(row) for row in kept]
        lines.append(Line(name=name, x=x, y=y, proved=proved, marker="" if proved else "o"))
    return drawn(lines, x="ε", y="test error, %")


def _known(rows: Sequence[Row]) -> dict[str, tuple[str, bool]]:
    """Those that answered."""
    return {key: way for key, way in WAYS.items() if all(math.isfinite(r[key]) for r in rows)}


def times_drawn(found: Sequence[Row]) -> Figure:
    """Seconds of a verdict against ε."""
    names = {
        "paper": ("the paper's verifier, by its size", False),
        "least": ("the fewest draws of Theorem 13", False),
        "gate": ("bursar's gate, run", True),
    }
    lines = [
        Line(
            name=name,
            x=[row["exact"] for row in found],
            y=[row[f"{key} seconds"] for row in found],
            proved=proved,
        )
        for key, (name, proved) in names.items()
    ]
    x, y = [row["exact"] for row in found], [max(row["seconds"], 1e-4) for row in found]
    lines.append(Line(name="exact accountant, no verdict", x=x, y=y))
    return drawn(lines, x="ε", y="seconds, one core", log_y=True)


def error(row: Row) -> float:
    """The average over the seeds."""
    return sum(row["wrong"]) / len(row["wrong"]) / 10_000


def allowed(rows: Sequence[Row], key: str, budget: float) -> Row | None:
    """The last row that costs at most the budget, if `key` says so of any."""
    inside = [row for row in rows if row[key] <= budget]
    return max(inside, key=lambda row: row["k"], default=None)


def budgets(rows: Sequence[Row], asked: Sequence[float]) -> str:
    """For each ε, the iterations that each allows, and the test error after them."""
    lines, known = [], _known(rows)
    for budget in asked:
        found = [allowed(rows, key, budget) for key in known]
        told = [f"{row['k']}: {error(row):.2%}" if row else "none" for row in found]
        lines.append([f"{budget:g}", *told])
    return table(["ε", *(name for name, _ in known.values())], lines)


def verdict_table(found: Sequence[Row]) -> str:
    """Draws and times."""
    lines = [
        [
            row["k"],
            f"{row['exact']:.4f}",
            f"{row['evr']:.4f}",
            f"{row['gate']:.4f}",
            f"{row['paper draws']:.1e}",
            _told(row["paper seconds"]),
            _told(row["least seconds"]),
            f"{row['gate draws']:.1e}" if row["gate draws"] else "none",
            _told(row["gate seconds"]),
            f"{1e3 * row['seconds']:.0f} ms",
        ]
        for row in found
    ]
    head = ["k", "exact ε", "EVR's ε", "gate's ε", "paper: draws", "time", "at the fewest"]
    return table([*head, "gate: draws", "time", "exact: time"], lines)


def _told(seconds: float) -> str:
    year = 365.25 * 86400
    return f"{seconds / year:.1e} years" if seconds > year else f"{seconds:.2g} s"
