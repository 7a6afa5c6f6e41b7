"""The numbers that bursar holds itself to, each measured on this machine.

    python -m bench.own_numbers [--out bench/results/numbers.json]

Best of three where a row is short.  `report.py` puts them on docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.accountants import GRID, RARE, _plan
from bursar.accounting import choose, exact, online
from bursar.accounting.calibrate import calibrate
from bursar.adjacency import Direction
from bursar.errors import LimitReached
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.verification.certify import certify
from bursar.verification.check import check


def best(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least time of a few, and the last result."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - started)
    return min(times), result


def grid() -> list[dict[str, Any]]:
    """ε and its width on the grid and with rare jumps, one direction at a time."""
    rows = []
    for setting in GRID + RARE:
        for delta in ("1e-5", "1e-30", "1e-100") + (("1e-300",) if setting in GRID else ()):
            for way in Direction:
                plan = _plan(*setting)
                row = {"setting": setting, "delta": delta, "direction": way.value}
                row["rare"] = setting in RARE
                try:
                    seconds, found = best(
                        lambda plan=plan, delta=delta, way=way: exact.epsilon(
                            plan, delta=delta, direction=way
                        )
                    )
                except LimitReached as limit:
                    rows.append(row | {"limit": str(limit)})
                    continue
                width = (found.upper - found.lower) / found.upper if found.upper else 0.0
                rows.append(row | {"ms": round(1e3 * seconds, 1), "width": width})
    return rows


def certificates() -> list[dict[str, Any]]:
    """Checking, for every direction of a certificate, in a warm process."""
    rows = []
    for setting in GRID:
        for delta in ("1e-5", "1e-30"):
            document = certify(_plan(*setting), delta=delta).document
            seconds, verdict = best(lambda document=document: check(document))
            if not verdict.valid:
                raise SystemExit(f"a certificate is refused: {setting} {verdict.reason}")
            rows.append({"setting": setting, "delta": delta, "ms": round(1e3 * seconds, 1)})
    return rows


def _step(j: int) -> PoissonSubsampled:
    gaussian = Gaussian(noise_multiplier=f"{1 + j / 200}")
    return PoissonSubsampled(gaussian, sampling_probability="0.01")


def single() -> dict[str, float]:
    """Heterogeneous, online, calibration, start-up: seconds."""
    many = sum((50 * _step(j) for j in range(1, 200)), 50 * _step(0))
    run = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.01")

    def noisy(sigma: Any) -> Any:
        return 5000 * PoissonSubsampled(
            Gaussian(noise_multiplier=sigma), sampling_probability="0.01"
        )

    command = [sys.executable, "-m", "bursar", "epsilon", "--noise-multiplier", "1"]
    command += ["--sampling-probability", "0.001", "--steps", "1000", "--delta", "1e-5"]
    bare = [sys.executable, "-c", "pass"]
    start = best(lambda: subprocess.run(bare, check=True), 5)[0]
    loaded = best(lambda: subprocess.run([*bare[:2], "import bursar"], check=True), 5)[0]
    return {
        "200 distinct steps, 50 times each": best(lambda: choose.epsilon(many, delta="1e-5"))[0],
        "epsilon after each of 1,000 steps": best(
            lambda: online.epsilons(run, steps=1000, delta="1e-5"), 2
        )[0],
        "calibration of the noise multiplier": best(
            lambda: calibrate(noisy, epsilon=1, delta="1e-5")
        )[0],
        "import bursar": loaded - start,
        "bursar epsilon, with process start": best(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), 5
        )[0],
    }


def main() -> None:
    """Measure everything and write one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results/numbers.json")
    chosen = parser.parse_args()
    found = {"grid": grid(), "certificates": certificates(), "single": single()}
    chosen.out.parent.mkdir(exist_ok=True)
    chosen.out.write_text(json.dumps(found, indent=0))
    print(json.dumps(found["single"], indent=1))


if __name__ == "__main__":
    main()
