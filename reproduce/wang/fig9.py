"""Figure 9: how long draws take, and how long a verdict would."""

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

TITLE = "Figure 9: seconds for draws of the mixture, and for a verdict with k = 1000"
_SIGMA, _Q = "0.6", "1e-3"
_SEED = 9


def measure(*, small: bool) -> Found:
    """(a) draws of (1−q)N(0, σ²) + qN(1, σ²) on the processor; (b) verdicts by σ."""
    sizes = [10**n for n in range(3, 6 if small else 7)]
    rows = []
    for name, draw in _drawers().items():
        draw(1000)
        for size in sizes:
            started = time.process_time()
            draw(size)
            rows.append({"name": name, "size": size, "seconds": time.process_time() - started})
    sigmas = ("0.6", "1") if small else ("0.5", "0.6", "0.8", "1")
    return {"seed": _SEED, "rows": rows, "verdicts": [_verdict(sigma) for sigma in sigmas]}


def _drawers() -> dict[str, Callable[[int], object]]:
    from bursar.accounting.baselines.parts import parts_of, plain
    from bursar.accounting.monte_carlo_coins import Seeded
    from bursar.adjacency import Adjacency, Direction
    from bursar.mechanisms import views
    from bursar.mechanisms.plan import Plan
    from reproduce.wang._estimates import step

    pairs = views.pairs(Plan.of(step(_SIGMA, _Q)), Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)
    envelope, source = plain(parts_of(pairs)[0][0]), Seeded(_SEED).source(0)
    random = np.random.Generator(np.random.SFC64(_SEED))

    def numpy(size: int) -> object:
        return random.standard_normal(size) * float(_SIGMA) + (random.random(size) < float(_Q))

    found: dict[str, Callable[[int], object]] = {
        "numpy": numpy,
        "bursar's exact envelope": lambda size: envelope.draw(size, source),
    }
    try:
        import torch
    except ImportError:
        return found
    torch.manual_seed(_SEED)
    torch.set_num_threads(1)
    found["torch, processor"] = lambda size: (
        torch.randn(size) * float(_SIGMA) + (torch.rand(size) < float(_Q))
    )
    return found


def _verdict(sigma: str) -> dict[str, Any]:
    """Draws and seconds for a claim of 0.8 δ(1.5), so that a δ of 1e-r or 5e-r is proved."""
    from bursar import Adjacency, Direction
    from bursar.accounting import exact
    from bursar.accounting.baselines.estimators import OneTilted
    from bursar.accounting.baselines.moments import Moments
    from bursar.accounting.baselines.parts import parts_of
    from bursar.accounting.baselines.sizes import Tolerance
    from bursar.accounting.monte_carlo_coins import Seeded
    from bursar.accounting.monte_carlo_designs import design
    from bursar.mechanisms import views
    from bursar.numerics import means
    from reproduce.wang._estimates import step

    plan, epsilon, way = 1000 * step(sigma, _Q), 1.5, Direction.REMOVE
    delta = exact.delta(plan, epsilon=epsilon, direction=way).upper
    decade = 10.0 ** math.floor(math.log10(delta))
    proved = 5 * decade if delta < 5 * decade else 10 * decade
    claim = Tolerance(delta=repr(0.8 * delta), tau=repr(0.8 * delta / proved))
    pairs = views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, way)
    moments = Moments(parts_of(pairs), epsilon)
    theta = moments.best_theta()
    ours = design(pairs, way, epsilon)
    share = ours.share(math.log(proved))
    fewer = 0
    if share < 1:
        fewer = means.draws_to_tell(claim.offset / proved, share, math.log(proved))
    row = {"sigma": sigma, "delta": delta, "proved": proved, "ours": fewer}
    row["paper"] = math.exp(claim.log_size(moments.importance(theta)))
    for name, variable in (("paper", OneTilted.of(pairs, way, epsilon, theta)), ("ours", ours)):
        started = time.process_time()
        variable.draw(300, Seeded(_SEED).source(0))
        row[f"{name}, a draw"] = (time.process_time() - started) / 300
    return row


def pictures(found: Found) -> dict[str, Figure]:
    """(a) and (b)."""
    names = dict.fromkeys(row["name"] for row in found["rows"])
    first = [
        Line(
            name=name,
            x=[row["size"] for row in found["rows"] if row["name"] == name],
            y=[max(row["seconds"], 1e-6) for row in found["rows"] if row["name"] == name],
            proved=False,
        )
        for name in names
    ]
    second = [
        Line(
            name=name,
            x=[row["proved"] for row in found["verdicts"]],
            y=[max(row[key] * row[f"{key}, a draw"], 1e-3) for row in found["verdicts"]],
            proved=False,
        )
        for key, name in (("paper", "the paper's, as corrected"), ("ours", "bursar's designs"))
    ]
    return {
        "a": drawn(first, x="draws", y="seconds, one core", log_x=True, log_y=True),
        "b": drawn(
            second, x="proved δ = false positives", y="seconds, one core", log_x=True, log_y=True
        ),
    }


def told(found: Found) -> str:
    """Its part of the page."""
    most = max(row["size"] for row in found["rows"])
    speeds = ", ".join(
        f"{row['name']} {row['seconds'] / most * 1e9:.0f} ns"
        for row in found["rows"]
        if row["size"] == most
    )
    lines = [
        [
            row["sigma"],
            f"{row['delta']:.2e}",
            f"{row['proved']:.0e}",
            f"{row['paper']:.1e}",
            f"{row['paper'] * row['paper, a draw']:.2g} s",
            f"{row['ours']:.1e}" if row["ours"] else "none",
            f"{row['ours'] * row['ours, a draw']:.2g} s",
        ]
        for row in found["verdicts"]
    ]
    head = ["σ", "δ(1.5)", "proved", "paper: draws", "time", "bursar: draws", "time"]
    return f"""(a) There is no GPU here: a draw of the mixture takes {speeds}. The paper's A100 is some 1e3 times faster than its processor. bursar's envelope draws the law itself, decided bit by bit; floats of numpy and torch do not.

(b) k = 1000, q = {_Q}, ε = 1.5, δ_est = 0.8 δ; the proved δ is the least of 1e-r and 5e-r above δ, and bounds false positives too. In print it takes about three hours at 1e-10 on the A100. Where the largest value of bursar's variable is below the claim, nothing is drawn (1e-3 s in the picture).

{table(head, lines)}"""
