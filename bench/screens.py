"""Screens: a curve over many orders, a run of a million queries, and how loose the bounds are.

Curves are cold: everything that is remembered from call to call is forgotten before each.  Times
are the processor's, of one core.
"""

from __future__ import annotations

import time
from typing import Any

from bench.keeping import Found, table

TITLE = "Screens: curves, runs, and how loose the bounds are"
DELTA = "1e-6"
ORDERS = 50
NOISES = {"threshold_noise": 10, "query_noise": 20}


def _curves() -> dict[str, Any]:
    from bursar import LaplaceSparseVector, SparseVector

    return {
        "a length of 1,000": SparseVector(**NOISES, length=1000),
        "a length, thresholds at most 20": SparseVector(
            **NOISES, length=1000, highest_threshold=20
        ),
        "no length, thresholds at most 20": SparseVector(**NOISES, highest_threshold=20),
        "20 tops of 100,000": SparseVector(**NOISES, length=10**5, cutoff=20),
        "the classical screen": LaplaceSparseVector(**NOISES),
    }


def _curve(screen: Any, repeats: int) -> dict[str, float]:
    import numpy as np

    from bursar import Adjacency
    from bursar.numerics import screen_moment, screen_top
    from bursar.privacy import screen_curve

    orders = [float(f"{order:.6g}") for order in np.geomspace(1.1, 1e3, ORDERS)]
    curve, times = screen.rdp(Adjacency.ADD_OR_REMOVE_ONE), []
    remembered = (
        screen_moment.capped,
        screen_moment.uncapped,
        screen_curve._turn,
        screen_curve._outcomes,
        screen_top.log_top,
    )
    for _ in range(repeats):
        for one in remembered:
            one.cache_clear()
        started = time.process_time()
        for order in orders:
            curve.at(order)
        times.append(time.process_time() - started)
    return {"cold ms": 1e3 * min(times)}


def _runs(many: int) -> list[dict[str, Any]]:
    import numpy as np

    from bursar import SparseVector
    from bursar.filters import Purse, RenyiFilter
    from bursar.screening import AboveThreshold

    far, rows = np.full(many, -(10**6)), []
    for law in ("gaussian", "laplace"):
        laws = {"threshold_law": law, "query_law": law}
        screen = SparseVector(threshold_noise=100, query_noise=200, length=many, **laws)
        times = []
        for _ in range(3):
            purse = Purse({"all": RenyiFilter({2: 10**9})})
            with AboveThreshold(screen, sensitivity=1, purse=purse, request="all") as asked:
                started = time.process_time()
                answers = len(asked.ask_many(far, threshold=0))
                times.append(time.process_time() - started)
            if answers != many:
                raise SystemExit(f"{answers} answers where {many} were asked")
        rows.append({"law": law, "queries": many, "seconds": min(times)})
    return rows


def _looseness(lengths: list[int]) -> list[dict[str, Any]]:
    from bursar import SparseVector
    from bursar.screening import baselines, epsilon_enclosed

    rows = []
    for length in lengths:
        started = time.process_time()
        found = epsilon_enclosed(
            SparseVector(threshold_noise=5, query_noise=10, length=length), delta=DELTA
        )
        rows.append(
            {
                "length": length,
                "refuted": found.lower,
                "proved": found.upper,
                "printed": baselines.restarts_epsilon(
                    5, 10, length=length, runs=1, delta=float(DELTA)
                ),
                "seconds": time.process_time() - started,
            }
        )
    return rows


def measure(*, small: bool) -> Found:
    """Five curves, two runs, and lengths from 1 to 1e6."""
    repeats, many = (1, 10**5) if small else (15, 10**6)
    lengths = [1, 100] if small else [10**n for n in range(7)]
    curves = _curves()
    return {
        "orders": ORDERS,
        "delta": DELTA,
        "curves": [{"screen": name, **_curve(one, repeats)} for name, one in curves.items()],
        "runs": _runs(many),
        "looseness": _looseness(lengths),
    }


def told(found: Found) -> str:
    """Three tables."""
    curves = [[row["screen"], f"{row['cold ms']:.1f}"] for row in found["curves"]]
    runs = [[row["law"], f"{row['queries']:,}", f"{row['seconds']:.2f}"] for row in found["runs"]]
    loose = [
        [
            f"{row['length']:,}",
            f"{row['refuted']:.4f}",
            f"{row['proved']:.4f}",
            f"{row['refuted'] / row['proved']:.0%}",
            f"{row['printed']:.4f}",
            f"{row['seconds']:.2f}",
        ]
        for row in found["looseness"]
    ]
    head = ["length", "ε refuted below", "ε proved", "share", "Cor. 22 in print", "seconds"]
    return f"""A curve at {found["orders"]} orders from 1.1 to 1e3, each value a proved upper bound, with nothing remembered, by the processor's clock. To reach: at most 50 ms. Best of fifteen.

{table(["screen", "ms"], curves)}

A screen asked so many queries at once, each compared exactly and every answer stored in the purse. To reach: at most 5 s. Best of three. No other library runs screens with exact comparisons.

{table(["noise", "queries", "seconds"], runs)}

How loose the bounds are, noises 5 and 10, one top, δ = {found["delta"]}: an explicit pair of neighbours refutes less than the first ε, the theorems prove the second ([screening](screening.md)).

{table(head, loose)}
"""
