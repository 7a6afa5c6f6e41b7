"""Figures 5 and 12 to 15: the Monte Carlo curves, the paper's and bursar's, and table 1's rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bursar.reports.plots import Line, drawn
from reproduce.keeping import Found, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Figures 5 and 12 to 15, table 1: the Monte Carlo accountants"
_ONLINE = {  # σ, q, δ, and the k of each
    "fig5": ("1", "1e-3", "1e-9", (250, 500, 750, 1000)),
    "fig12": ("0.5", "1e-3", "1e-5", (250, 500, 750, 1000)),
    "fig13": ("0.5", "1e-3", "1e-13", (250, 500, 750, 1000)),
    "fig15b": ("0.5", "1e-5", "1e-14", (250, 500, 750, 1000)),
}
_OFFLINE = {  # σ, q, k, and the ε of each
    "fig14a": ("0.5", "1e-3", 1000, (0.5, 1.0, 2.0, 3.0)),
    "fig15a": ("0.5", "1e-5", 100, (0.5, 1.0, 2.0, 3.0)),
}
_PATHS, _RUNS, _SEED = 1000, 5, 5


def measure(*, small: bool) -> Found:
    """Relative errors of ε or δ, with the spread of five runs, and seconds."""
    runs = 2 if small else _RUNS
    rows = [row for name in _ONLINE for row in _online(name, runs)]
    rows += [row for name in _OFFLINE for row in _offline(name, runs)]
    return {"paths": _PATHS, "runs": runs, "seed": _SEED, "rows": rows}


def _online(name: str, runs: int) -> list[dict[str, Any]]:
    from bursar.accounting import exact
    from bursar.accounting.monte_carlo_coins import Seeded
    from bursar.accounting.monte_carlo_online import epsilons
    from reproduce.wang._estimates import step

    sigma, q, delta, ks = _ONLINE[name]
    one = step(sigma, q)
    truths = [exact.epsilon(k * one, delta=delta).upper for k in ks]

    def paper(run: int) -> list[float]:
        found = Paths(float(sigma), float(q), max(ks), truths[-1], run)
        return [found.curve(k).solve(math.log(float(delta))) for k in ks]

    def ours(run: int) -> list[float]:
        rows = epsilons(one, steps=max(ks), every=ks[0], delta=delta, draws=300, coins=Seeded(run))
        return [row.epsilon for row in rows]

    return [
        *_beside(name, "paper's tilt", ks, truths, paper, runs),
        *_beside(name, "bursar", ks, truths, ours, min(runs, 2)),
    ]


def _offline(name: str, runs: int) -> list[dict[str, Any]]:
    from bursar.accounting import exact, monte_carlo
    from bursar.accounting.monte_carlo_coins import Seeded
    from reproduce.wang._estimates import step

    sigma, q, k, grid = _OFFLINE[name]
    plan = k * step(sigma, q)
    truths = [exact.delta(plan, epsilon=e).upper for e in grid]

    def paper(run: int) -> list[float]:
        s, p = float(sigma), float(q)
        found = [Paths(s, p, k, e, run).curve(k).at(e).log_mean for e in grid]
        return [math.exp(one) for one in found]

    def ours(run: int) -> list[float]:
        coins = Seeded(run)
        return [monte_carlo.delta(plan, epsilon=e, draws=1000, coins=coins).value for e in grid]

    return [
        *_beside(name, "paper's tilt", grid, truths, paper, runs),
        *_beside(name, "bursar", grid, truths, ours, min(runs, 2)),
    ]


def _beside(
    figure: str,
    who: str,
    xs: Any,
    truths: list[float],
    ask: Callable[[int], list[float]],
    runs: int,
) -> list[dict[str, Any]]:
    started = time.process_time()
    found = np.array([ask(_SEED + run) for run in range(runs)])
    seconds = (time.process_time() - started) / runs
    off = found / np.array(truths) - 1
    return [
        {
            "figure": figure,
            "who": who,
            "x": x,
            "truth": truth,
            "off": float(np.sqrt((column**2).mean())),
            "seconds": seconds,
        }
        for x, truth, column in zip(xs, truths, off.T, strict=True)
    ]


class Paths:
    """The paper's draws for all prefixes: one step of k is tilted, the true tilt, θ of eq. (6).

    For a prefix of i steps the weight is k / (Σ e^{θt}/M + k − i): the tilted one may be later.
    """

    def __init__(self, sigma: float, q: float, k: int, epsilon: float, seed: int) -> None:
        from bursar.accounting.baselines import parts
        from bursar.exact import Exact
        from bursar.numerics.tilts import Coordinate

        random = np.random.Generator(np.random.SFC64(seed))
        law = Coordinate(Exact.of(1 / sigma**2), Exact.of(q), True)
        theta = parts.true_tilt(law, epsilon)
        share = parts.shifted_share(law, theta)
        t = sigma * random.standard_normal((_PATHS, k)) + (random.random((_PATHS, k)) < q)
        moved = sigma * random.standard_normal(_PATHS) + (random.random(_PATHS) < share)
        t[np.arange(_PATHS), random.integers(k, size=_PATHS)] = moved + theta * sigma**2
        self.losses = np.cumsum(np.log1p(q * np.expm1((2 * t - 1) / (2 * sigma**2))), axis=1)
        self.tilts = np.cumsum(np.exp(theta * t - parts.log_moment(law, theta)), axis=1)
        self.steps = k

    def curve(self, prefix: int) -> Any:
        """δ at every ε after so many steps."""
        from bursar.accounting.monte_carlo_curves import OfWeights

        weights = self.tilts[:, prefix - 1] + self.steps - prefix
        return OfWeights(self.losses[:, prefix - 1], math.log(self.steps) - np.log(weights))


def pictures(found: Found) -> dict[str, Figure]:
    """Relative errors: ε of k steps, and δ at ε."""
    result = {}
    for ending, names, x in (("online", _ONLINE, "k"), ("offline", _OFFLINE, "ε")):
        lines = []
        for figure in names:
            for who in ("paper's tilt", "bursar"):
                rows = [r for r in found["rows"] if (r["figure"], r["who"]) == (figure, who)]
                xs, ys = [r["x"] for r in rows], [max(r["off"], 1e-8) for r in rows]
                lines.append(Line(name=f"{figure}, {who}", x=xs, y=ys, proved=False))
        result[ending] = drawn(lines, x=x, y="relative error", log_y=True)
    return result


def told(found: Found) -> str:
    """Its part of the page."""
    lines = []
    for figure in (*_ONLINE, *_OFFLINE):
        for who in ("paper's tilt", "bursar"):
            rows = [r for r in found["rows"] if (r["figure"], r["who"]) == (figure, who)]
            errors = ", ".join(f"{row['x']:g}: {row['off']:.1e}" for row in rows)
            lines.append([figure, who, errors, f"{rows[0]['seconds']:.2g}"])
    head = ["figure", "accountant", "relative error (root mean square)", "seconds for the row"]
    return f"""ε of k steps online (5, 12, 13, 15 b), and δ at an ε offline (14 a, 15 a), against the exact accountant. The paper's accountant has {found["paths"]:,} paths here, where it had 1e7, with the weights that Alg. 3 lacks, {found["runs"]} runs, seeds from {found["seed"]}; the error of 1e7 draws would be 100 times smaller. bursar's has some hundreds of paths for each number of jumps. bursar's rows take 10 to 170 times longer, most of it for finding where to cut: with as many more paths the paper's errors would be 3 to 13 times smaller.

Table 1 below has the paper's accountant with all of its 1e7 draws.

{table(head, lines)}"""
