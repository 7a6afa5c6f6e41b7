"""bursar's accountants and the other tools, on the same questions, in one run.

    python -m bench.accountants [--quick] [--out bench/results/accountants.json]

Every tool answers in a process of its own, warmed by one question, with a limit of time; a time is
the best of three.  The truth is bursar's enclosure.  `report.py` makes docs/benchmarks.md of it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import multiprocessing
import platform
import resource
import time
from pathlib import Path
from typing import Any

GRID = [
    ("2", "0.01", 1000),
    ("2", "0.01", 10000),
    ("0.8", "256/60000", 14000),
    ("1", "0.01", 100000),
    ("1.3", "0.02", 500),
]
RARE = [
    ("0.5", "1e-5", 100),
    ("0.5", "1e-3", 1000),
    ("0.6", "1e-3", 100),
    ("1", "1e-3", 1000),
    ("0.8", "1e-4", 5000),
]
PLAIN = [("70", "1", 1200)]
DELTAS = ["1e-5", "1e-12", "1e-30", "1e-100"]
PEER_DELTAS = ["1e-5", "1e-12"]  # below, they answer inf, raise, or only RDP is left
LIMIT_S = 60
PACKAGES = ["dp-accounting", "prv-accountant", "opacus", "autodp", "numpy", "scipy", "python-flint"]


def bursar_exact(sigma: str, q: str, k: int, delta: str) -> dict[str, Any]:
    """Our enclosure."""
    from bursar.accounting import exact

    result = exact.epsilon(_plan(sigma, q, k), delta=delta)
    return {"lower": result.lower, "upper": result.upper, "value": None}


def bursar_rdp(sigma: str, q: str, k: int, delta: str) -> dict[str, Any]:
    """Our RDP bound."""
    from bursar.accounting import rdp

    return {
        "lower": None,
        "upper": rdp.epsilon(_plan(sigma, q, k), delta=delta).upper,
        "value": None,
    }


def bursar_check(sigma: str, q: str, k: int, delta: str) -> dict[str, Any]:
    """Checking a certificate: only its time counts, the certificate is made before."""
    from bursar.verification.certify import certify
    from bursar.verification.check import check

    key = (sigma, q, k, delta)
    if key not in _CERTIFICATES:
        _CERTIFICATES[key] = certify(_plan(sigma, q, k), delta=delta).document
    started = time.perf_counter()
    verdict = check(_CERTIFICATES[key])
    seconds = time.perf_counter() - started
    return {
        "lower": None,
        "upper": verdict.epsilon.upper if verdict.valid else None,
        "value": None,
        "seconds": seconds,
        "directions": len(_CERTIFICATES[key]["proofs"]),
    }


_CERTIFICATES: dict[tuple[str, str, int, str], dict[str, Any]] = {}


def _plan(sigma: str, q: str, k: int) -> Any:
    from bursar.mechanisms.gaussian import Gaussian
    from bursar.mechanisms.poisson import PoissonSubsampled

    gaussian = Gaussian(noise_multiplier=sigma)
    return k * (gaussian if q == "1" else PoissonSubsampled(gaussian, sampling_probability=q))


def _ask(name: str, question: tuple[str, str, int, str]) -> dict[str, Any]:
    ours = {"bursar exact": bursar_exact, "bursar rdp": bursar_rdp, "bursar check": bursar_check}
    if name in ours:
        return ours[name](*question)
    from bench.peers import PEERS, Step

    sigma, q, k, delta = question
    share = float(q.split("/")[0]) / float(q.split("/")[1]) if "/" in q else float(q)
    lower, upper, value = PEERS[name]([(Step(float(sigma), share), k)], float(delta))
    return {"lower": lower, "upper": upper, "value": value}


def _work(name: str, question: tuple[str, str, int, str], repeats: int, pipe: Any) -> None:
    try:
        _ask(name, ("2", "0.01", 10, "1e-5"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        best = math.inf
        for _ in range(repeats):
            started = time.perf_counter()
            answer = _ask(name, question)
            best = min(best, answer.pop("seconds", time.perf_counter() - started))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer |= {
            "seconds": best,
            "peak_mib": round(peak / 1024),
            "grown_mib": (peak - before) >> 10,
        }
        pipe.send({key: _plain(value) for key, value in answer.items()})
    except BaseException as error:  # noqa: BLE001 - a peer's failure of any kind is a result
        pipe.send({"error": f"{type(error).__name__}: {str(error)[:120]}"})


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf"
    return value


def run(name: str, question: tuple[str, str, int, str], repeats: int) -> dict[str, Any]:
    """One tool, one question, in a process of its own."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(
        target=_work, args=(name, question, repeats, theirs)
    )
    worker.start()
    answer = ours.recv() if ours.poll(LIMIT_S) else {"error": f"no answer within {LIMIT_S} s"}
    worker.kill()
    worker.join()
    sigma, q, k, delta = question
    return {"tool": name, "sigma": sigma, "q": q, "k": k, "delta": delta} | answer


def main() -> None:
    """Run every tool on every question and write one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the grid at δ = 1e-5 only")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "results/accountants.json"
    )
    chosen = parser.parse_args()
    settings = GRID if chosen.quick else GRID + RARE + PLAIN
    deltas = DELTAS[:1] if chosen.quick else DELTAS
    from bench.peers import PEERS

    rows = []
    for setting in settings:
        for delta in deltas:
            for name in ["bursar exact", "bursar rdp", "bursar check", *PEERS]:
                if not name.startswith("bursar") and delta not in PEER_DELTAS:
                    continue
                rows.append(run(name, (*setting, delta), 3))
                print(json.dumps(rows[-1]), flush=True)
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    machine = {
        "processor": platform.processor() or platform.machine(),
        "cores": multiprocessing.cpu_count(),
        "python": platform.python_version(),
    }
    chosen.out.parent.mkdir(exist_ok=True)
    chosen.out.write_text(
        json.dumps({"machine": machine, "versions": versions, "rows": rows}, indent=0)
    )


if __name__ == "__main__":
    main()
