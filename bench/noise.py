"""Noise: bursar's exact samplers, OpenDP's, and numpy's unsafe ones, in one run.

Each row is the best of three runs of one call that draws `draws` numbers, in nanoseconds a draw.
OpenDP's measurements add noise to a list of zeros, which is how they are called; their samplers
are exact too (discrete, or on a grid for floats).  numpy's are floats from a generator with a
seedable state: fast, and not private.  opendp is optional: without it its column is null.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.keeping import Found, table
from bursar import noise

TITLE = "Noise: exact samplers"
SIGMA = 1000


def best(call: Callable[[], object], draws: int) -> float:
    """Nanoseconds a draw, of the best of three runs, by the processor's clock."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return round(min(times) / draws * 1e9, 1)


def ours() -> dict[str, tuple[Callable[[], object], int]]:
    """The calls of bursar, with how many numbers each draws."""
    million = 10**6
    queries, scores = np.zeros(million, dtype=np.int64), np.arange(1000)
    total = noise.GridSum(np.zeros(10 * million, dtype=np.int64), l1=2**20, grid=20)

    def compare() -> object:
        threshold = noise.lazy_laplace(scale=SIGMA)
        return queries + noise.lazy_laplace(scale=2 * SIGMA, size=million) >= threshold

    return {
        "gaussian": (lambda: noise.rounded_gaussian(noise_std=SIGMA, size=million), million),
        "gaussian, one at a time": (_each(noise.rounded_gaussian, noise_std=SIGMA), 1000),
        "gaussian, largest scale": (
            lambda: noise.rounded_gaussian(noise_std=2**40, size=million),
            million,
        ),
        "gradient of 1e7": (
            lambda: noise.release_gaussian(total, noise_multiplier=1),
            10 * million,
        ),
        "laplace": (lambda: noise.rounded_laplace(scale=SIGMA, size=million), million),
        "discrete gaussian": (lambda: noise.discrete_gaussian(sigma=SIGMA, size=million), million),
        "discrete laplace": (lambda: noise.discrete_laplace(scale=SIGMA, size=million), million),
        "comparisons": (compare, million),
        "poisson sample": (lambda: noise.bernoullis(probability=0.01, size=million), million),
        "selection among 1000": (_select(scores), 100),
    }


def _each(sampler: Callable[..., object], **scale: int) -> Callable[[], object]:
    return lambda: [sampler(**scale, size=1) for _ in range(1000)]


def _select(scores: Any) -> Callable[[], object]:
    return lambda: [
        noise.exponential_mechanism(scores, epsilon=1, sensitivity=1) for _ in range(100)
    ]


def numpys() -> dict[str, tuple[Callable[[], object], int]]:
    """The same from numpy: floats, not private."""
    rng, million = np.random.default_rng(), 10**6
    scores = np.arange(1000) / 2
    return {
        "gaussian": (lambda: np.rint(rng.normal(0, SIGMA, million)), million),
        "gaussian, one at a time": (lambda: [rng.normal(0, SIGMA) for _ in range(1000)], 1000),
        "gaussian, largest scale": (lambda: np.rint(rng.normal(0, 2**40, million)), million),
        "gradient of 1e7": (lambda: np.rint(rng.normal(0, 2**20, 10 * million)), 10 * million),
        "laplace": (lambda: np.rint(rng.laplace(0, SIGMA, million)), million),
        "comparisons": (
            lambda: rng.laplace(0, 2 * SIGMA, million) >= rng.laplace(0, SIGMA),
            million,
        ),
        "poisson sample": (lambda: rng.random(million) < 0.01, million),
        "selection among 1000": (
            lambda: [np.argmax(scores + rng.gumbel(size=1000)) for _ in range(100)],
            100,
        ),
    }


def opendps() -> dict[str, tuple[Callable[[], object], int]]:
    """The same from OpenDP, or nothing where it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return {}
    dp.enable_features("contrib", "honest-but-curious")
    many = 20_000
    whole = dp.vector_domain(dp.atom_domain(T=int))
    one = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    gaussian = dp.m.make_gaussian(whole, dp.l2_distance(T=int), scale=float(SIGMA))
    single = dp.m.make_gaussian(*one, scale=float(SIGMA))
    largest = dp.m.make_gaussian(whole, dp.l2_distance(T=int), scale=2.0**40)
    floats = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=many)
    gradient = dp.m.make_gaussian(floats, dp.l2_distance(T=float), scale=1.0, k=-20)
    laplace = dp.m.make_laplace(whole, dp.l1_distance(T=int), scale=float(SIGMA))
    noisy = dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T=int)),
        dp.linf_distance(T=int),
        dp.zero_concentrated_divergence(),
        scale=2.0,
    )
    zeros, reals, scores = [0] * many, [0.0] * many, list(range(1000))
    return {
        "gaussian": (lambda: gaussian(zeros), many),
        "gaussian, one at a time": (lambda: [single(0) for _ in range(1000)], 1000),
        "gaussian, largest scale": (lambda: largest(zeros), many),
        "gradient of 1e7": (lambda: gradient(reals), many),
        "laplace": (lambda: laplace(zeros), many),
        "discrete gaussian": (lambda: gaussian(zeros), many),
        "discrete laplace": (lambda: laplace(zeros), many),
        "selection among 1000": (lambda: [noisy(scores) for _ in range(20)], 20),
    }


AIMS = {"gaussian": (10**6, 0.5), "gradient of 1e7": (10**7, 3.0)}  # draws, seconds


def slope(draw: Callable[[], int], draws: int) -> dict[str, float]:
    """The 99 % interval of the slope of a draw's time on |noise|/σ, in shares of the median time.

    Times are cut at their 95th percentile: what is above comes from other processes.
    """
    found = np.array([_timed(draw) for _ in range(draws)], dtype=float)
    times, x = found[:, 0], np.abs(found[:, 1]) / SIGMA
    y = np.minimum(times, np.quantile(times, 0.95)) / np.median(times)
    x = x - x.mean()
    middle = (x * y).sum() / (x * x).sum()
    rest = y - y.mean() - middle * x
    error = 2.576 * np.sqrt((rest**2).sum() / (draws - 2) / (x * x).sum())
    return {"low": middle - error, "high": middle + error, "median ns": float(np.median(times))}


def _timed(draw: Callable[[], int]) -> tuple[int, int]:
    start = time.perf_counter_ns()
    value = draw()
    return time.perf_counter_ns() - start, value


def single() -> dict[str, Callable[[], int]]:
    """One draw, of each sampler whose time is looked at."""
    found: dict[str, Callable[[], int]] = {
        "bursar, Gaussian": lambda: int(noise.rounded_gaussian(noise_std=SIGMA, size=1)[0]),
        "bursar, Laplace": lambda: int(noise.rounded_laplace(scale=SIGMA, size=1)[0]),
    }
    try:
        import opendp.prelude as dp
    except ImportError:
        return found
    one = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    gaussian = dp.m.make_gaussian(*one, scale=float(SIGMA))
    laplace = dp.m.make_laplace(*one, scale=float(SIGMA))
    return found | {
        "OpenDP, discrete Gaussian": lambda: int(gaussian(0)),
        "OpenDP, discrete Laplace": lambda: int(laplace(0)),
    }


def measure(*, small: bool) -> Found:
    """Nanoseconds a draw, by each library, and the slope of time; few rows only where small."""
    columns = {"bursar": ours(), "opendp": opendps(), "numpy, unsafe": numpys()}
    names = list(columns["bursar"])[1:2] if small else list(columns["bursar"])
    rows = {
        name: {who: best(*calls[name]) if name in calls else None for who, calls in columns.items()}
        for name in names
    }
    draws = 1000 if small else 10**5
    return {
        "unit": "nanoseconds a draw",
        "rows": rows,
        "aims": [
            {"what": name, "draws": n, "to reach": aim, "seconds": rows[name]["bursar"] * n / 1e9}
            for name, (n, aim) in AIMS.items()
            if name in rows
        ],
        "draws": draws,
        "slopes": [{"what": name, **slope(draw, draws)} for name, draw in single().items()],
    }


def told(found: Found) -> str:
    """Three tables: the aims, all rows, and the slopes."""
    aims = [
        [row["what"], f"{row['draws']:,}", f"≤ {row['to reach']} s", f"{row['seconds']:.2f} s"]
        for row in found["aims"]
    ]
    lines = [
        [name, *map(_shown, row.values()), _ratio(row["opendp"], row["bursar"])]
        for name, row in found["rows"].items()
    ]
    head = ["", *next(iter(found["rows"].values())), "OpenDP / bursar"]
    slopes = [
        [
            row["what"],
            f"{row['median ns'] / 1000:.0f}",
            f"{100 * row['low']:+.2f} % to {100 * row['high']:+.2f} %",
        ]
        for row in found["slopes"]
    ]
    return f"""{table(["", "draws", "to reach", "measured"], aims)}

{found["unit"].capitalize()}, the best of three calls by the processor's clock. OpenDP adds noise to a list of zeros, which is how it is called; numpy's draws are floats from a generator with a seed: fast, and not private.

{table(head, lines)}

Does the time of a draw tell its value? The slope of time on \\|noise\\|, per σ, in shares of the median time: 99 % intervals from {found["draws"]:,} single draws. To reach: within ±1 %.

{table(["", "median µs", "slope"], slopes)}
"""


def _shown(nanoseconds: float | None) -> str:
    return "–" if nanoseconds is None else f"{nanoseconds:,.0f}"


def _ratio(theirs: float | None, ours: float) -> str:
    return "–" if theirs is None else f"{theirs / ours:.3g}"
