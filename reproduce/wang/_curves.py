"""Estimates along a curve, ε of k steps at a δ or δ at an ε, beside the enclosure, with their times by the processor's clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bursar.accounting import exact
from bursar.reports.plots import Line, drawn
from reproduce.keeping import table
from reproduce.wang._estimates import FFT, Fft, estimator, fft, step, told_by

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
FLOOR = 2.0**-53  # relative errors below it are drawn there
KS = (10, 100, 250, 500, 1000)


def epsilons(sigma: str, q: str, delta: str, ks: Sequence[int], names: Iterable[str]) -> list[Row]:
    """ε of k steps by each, with the seconds that each took for that k."""
    one, other, rows = step(sigma, q), fft(sigma, q, max(ks)), []
    for k in ks:
        answers: dict[str, Callable[[], float]] = {
            name: lambda k=k, n=name: estimator(n).epsilon(k * one, delta=delta).value
            for name in names
        }
        answers[FFT] = lambda k=k: Fft(other, k).epsilon(float(delta))
        rows.append({"x": k} | _beside(lambda k=k: exact.epsilon(k * one, delta=delta), answers))
    return rows


def deltas(sigma: str, q: str, k: int, grid: Sequence[float], names: Iterable[str]) -> list[Row]:
    """δ of k steps at each ε by each."""
    run, composed, rows = k * step(sigma, q), Fft(fft(sigma, q, k), k), []
    for epsilon in grid:
        answers: dict[str, Callable[[], float]] = {
            name: lambda e=epsilon, n=name: estimator(n).delta(run, epsilon=e).value
            for name in names
        }
        answers[FFT] = lambda e=epsilon: composed.delta(e)
        rows.append(
            {"x": epsilon} | _beside(lambda e=epsilon: exact.delta(run, epsilon=e), answers)
        )
    return rows


def _beside(truth: Callable[[], Any], answers: dict[str, Callable[[], float]]) -> Row:
    """The truth, and how far each answer is from it: relative, above 0 or below."""
    started = time.process_time()
    found = truth()
    seconds = {"exact": time.process_time() - started}
    errors = {}
    for name, answer in answers.items():
        started = time.process_time()
        said = told_by(answer)
        seconds[name] = time.process_time() - started
        inside = found.lower <= said <= found.upper
        errors[name] = 0.0 if inside else (said - found.upper) / found.upper
    width = (found.upper - found.lower) / found.upper
    return {"truth": found.upper, "width": width, "off": errors, "seconds": seconds}


def errors_drawn(rows: Sequence[Row], *, x: str) -> Figure:
    """The relative error of every estimate, in powers of ten."""
    lines = []
    for name in _names(rows):
        points = [(row["x"], max(abs(row["off"][name]), FLOOR)) for row in rows]
        points = [point for point in points if math.isfinite(point[1])]
        if points:
            xs, ys = (list(column) for column in zip(*points, strict=True))
            lines.append(Line(name=name, x=xs, y=ys, proved=False))
    widths = [max(row["width"], FLOOR) for row in rows]
    lines.append(Line(name="exact (width)", x=[row["x"] for row in rows], y=widths))
    figure = drawn(lines, x=x, y="relative error", log_y=True)
    figure.axes[0].set_ylim(bottom=1e-5 * FLOOR)  # room for the names
    return figure


def times_drawn(rows: Sequence[Row]) -> Figure:
    """Seconds for ε after each of k steps."""
    names = list(rows[0]["seconds"])
    lines = [
        Line(
            name=name,
            x=[row["x"] for row in rows],
            y=[total for _, total in summed(rows, name)],
            proved=name == "exact",
        )
        for name in names
    ]
    return drawn(lines, x="k", y="seconds, all steps up to k", log_y=True)


def summed(rows: Sequence[Row], name: str) -> list[tuple[int, float]]:
    """What every step up to k takes, the steps between those measured taken to be in between."""
    total, before, found = 0.0, (0, rows[0]["seconds"][name]), []
    for row in rows:
        k, seconds = row["x"], row["seconds"][name]
        total += (k - before[0]) * (seconds + before[1]) / 2
        before = k, seconds
        found.append((k, total))
    return found


def beside_references(rows: Sequence[Row], references: dict[float, float], *, x: str) -> str:
    """The values that were computed by another road, and everybody's error there."""
    known, names = {row["x"]: row for row in rows}, _names(rows)
    lines = [
        [
            f"{at:g}",
            f"{value:.6g}",
            f"{known[at]['truth']:.6g}",
            *(_error(known[at], name) for name in names),
        ]
        for at, value in references.items()
        if at in known
    ]
    return table([x, "by a lattice, rounded up", "exact", *names], lines)


def failures(rows: Sequence[Row], *, x: str) -> str:
    """Where each estimate is off by more than a tenth, and by how much at worst."""
    lines = []
    for name in _names(rows):
        poor = [row["x"] for row in rows if not abs(row["off"][name]) <= 0.1]
        below = sum(row["off"][name] < 0 for row in rows)
        worst = max(rows, key=lambda row, n=name: _or_inf(abs(row["off"][n])))
        lines.append(
            [
                name,
                f"{len(poor)} of {len(rows)}"
                + (f", {x} from {min(poor):g} to {max(poor):g}" if poor else ""),
                f"{below} of {len(rows)}",
                f"{_error(worst, name)} at {worst['x']:g}",
            ]
        )
    return table(["estimate", "off by more than a tenth", "below the truth", "worst"], lines)


def _names(rows: Sequence[Row]) -> list[str]:
    return list(rows[0]["off"])


def _error(row: Row, name: str) -> str:
    error = row["off"][name]
    if math.isnan(error):
        return "fails"
    return "inf" if math.isinf(error) else f"{error:+.1e}"


def _or_inf(value: float) -> float:
    return math.inf if math.isnan(value) else value
