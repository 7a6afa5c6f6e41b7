"""The numbers that bursar holds itself to, each measured on this machine.

A row is an aim, what was measured, and whether it holds: the best of three in a warm process, or
of five fresh ones for what a start takes, by the processor's clock on one core.  Others are in
`whole_runs`.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from bench.keeping import Found, table
from bench.settings import GRID, RARE, Setting

TITLE = "The numbers that bursar holds itself to"
NEAR, FAR = ("1e-5", "1e-12", "1e-30"), ("1e-100", "1e-300")
Row = dict[str, Any]


def best(
    run: Callable[[], Any], repeats: int = 3, clock: Callable[[], float] = time.process_time
) -> tuple[float, Any]:
    """The least time of a few in ms, and the last result."""
    times = []
    for _ in range(repeats):
        started = clock()
        result = run()
        times.append(1e3 * (clock() - started))
    return float(f"{min(times):.3g}"), result


def enclosures(settings: Iterable[Setting], deltas: Iterable[str]) -> list[Row]:
    """ε and its width, one direction at a time."""
    from bursar.accounting import exact
    from bursar.adjacency import Direction
    from bursar.errors import LimitReached

    rows = []
    for setting in settings:
        for delta in deltas:
            for way in Direction:

                def run(
                    delta: str = delta, setting: Setting = setting, way: Direction = way
                ) -> Any:
                    return exact.epsilon(setting.plan(), delta=delta, direction=way)

                row: Row = {"run": setting.name, "delta": delta, "direction": way.value}
                row["rare"] = setting in RARE
                try:
                    row["ms"], found = best(run)
                except LimitReached as limit:
                    row["limit"] = str(limit)
                else:
                    row["width"] = (found.upper - found.lower) / found.upper if found.upper else 0.0
                rows.append(row)
    return rows


def certificates(settings: Iterable[Setting]) -> list[Row]:
    """Checking a certificate in a warm process: all its directions together."""
    from bursar.verification.certify import certify
    from bursar.verification.check import check

    rows = []
    for setting in settings:
        for delta in NEAR:
            document = certify(setting.plan(), delta=delta).document
            ms, verdict = best(lambda document=document: check(document))
            if not verdict.valid:
                raise SystemExit(f"a certificate is refused: {setting} {verdict.reason}")
            directions = len(document["proofs"])
            rows.append(
                {
                    "run": setting.name,
                    "delta": delta,
                    "directions": directions,
                    "ms": ms / directions,
                }
            )
    return rows


def starts() -> dict[str, float]:
    """Milliseconds from nothing: an import beyond Python's own start, a command with it."""
    bare = [sys.executable, "-c", "pass"]
    command = [sys.executable, "-m", "bursar", "epsilon", "--noise-multiplier", "1"]
    command += ["--sampling-probability", "0.001", "--steps", "1000", "--delta", "1e-5"]

    def fresh(line: list[str]) -> float:
        def run() -> object:
            return subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

        return best(run, 5, lambda: sum(os.times()[2:4]))[0]  # the children's

    return {"import": fresh([*bare[:2], "import bursar"]) - fresh(bare), "command": fresh(command)}


def measure(*, small: bool) -> Found:
    """Everything, or the first of each."""
    if small:
        return {
            "rows": enclosures([GRID[0], RARE[3]], NEAR[:1]),
            "certificates": certificates(GRID[:1]),
            "starts": starts(),
        }
    return {
        "rows": enclosures(GRID, NEAR + FAR) + enclosures(RARE, (*NEAR, FAR[0])),
        "certificates": certificates(GRID),
        "starts": starts(),
    }


def told(found: Found) -> str:
    """Aims beside what was measured, and every cell that misses one."""
    rows = found["rows"]
    rare = [row for row in rows if row["rare"]]
    plain = [row for row in rows if not row["rare"]]
    near = [row for row in plain if row["delta"] in NEAR]
    aims = [
        (
            "relative width of ε on G, each direction, δ from 1e-5 to 1e-300",
            1e-12,
            _worst(plain, "width"),
            "",
        ),
        ("time there, δ ≥ 1e-30", 100, _worst(near, "ms"), " ms"),
        ("time there, δ ≥ 1e-300", 300, _worst(plain, "ms"), " ms"),
        (
            "relative width with rare jumps, each direction, δ from 1e-5 to 1e-100",
            1e-9,
            _worst(rare, "width"),
            "",
        ),
        ("time there", 500, _worst(rare, "ms"), " ms"),
        (
            "checking a certificate on G, δ ≥ 1e-30, a direction",
            200,
            _worst(found["certificates"], "ms"),
            " ms",
        ),
        ("`import bursar`", 300, found["starts"]["import"], " ms"),
        ("`bursar epsilon`, with process start", 600, found["starts"]["command"], " ms"),
    ]
    lines = [
        [what, f"≤ {aim:g}{unit}", f"{worst:.3g}{unit}", "yes" if worst <= aim else "**no**"]
        for what, aim, worst, unit in aims
    ]
    missed = [
        [
            row["run"],
            row["delta"],
            row["direction"],
            row["limit"] if "limit" in row else f"{row['ms']:.0f} ms, width {row['width']:.1e}",
        ]
        for row in rows
        if "limit" in row
        or row["ms"] > _limit(row)
        or row["width"] > (1e-9 if row["rare"] else 1e-12)
    ]
    others = (
        f"Cells that miss an aim:\n\n{table(['(σ, q, k)', 'δ', 'direction', 'measured'], missed)}"
        if missed
        else "No cell misses its aim."
    )
    return f"""The worst cell of each row. G is {", ".join(one.name for one in GRID)} of (σ, q, k); rare jumps are {", ".join(one.name for one in RARE)}. Composed plans, runs that are watched and calibration stand below, beside other tools.

{table(["what", "to reach", "measured", "holds"], lines)}

{others}
"""


def _limit(row: Row) -> float:
    if row["rare"]:
        return 500
    return 100 if row["delta"] in NEAR else 300


def _worst(rows: Iterable[Row], key: str) -> float:
    return max((row.get(key, math.inf) for row in rows), default=math.nan)
