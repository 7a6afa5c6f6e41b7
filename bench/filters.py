"""How fast filters decide: people against `state += cost`, and a million charges to each budget.

People: one round of the public door, `IndividualFilter.charge`, and `state += cost` on the same
arrays, alternated in one process; medians, and the peak of memory.  Charges: each next step
depends on the decision before it, and some are too dear; the time of the first and last tenth.
"""

from __future__ import annotations

import resource
import statistics
import time
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from bench.keeping import Found, table
from bursar.exact import Exact
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import IndividualFilter
from bursar.filters.individual_costs import of_squared_norms
from bursar.filters.machine import Filter, Granted
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.statements import PureDP

TITLE = "Filters: people and charges"
KINDS = {  # what is kept, and what a question costs
    "32 bits, costs of 32": (40_000, np.uint32),
    "64 bits, costs of 32": (2**40, np.uint32),
    "64 bits, costs of 64": (2**40, np.uint64),
}


def people(n: int, kind: str, rounds: int) -> dict[str, Any]:
    """One question to n people, so many times."""
    budget, of_costs = KINDS[kind]
    before = peak()
    variance = Exact(Fraction(budget, 2))
    machine = IndividualFilter.for_norms(rho=1, noise_variance=variance, people=n)
    cost = np.random.default_rng(1).integers(0, min(budget // 4, 2**31), n, dtype=of_costs)
    standing = machine.start()
    held = standing.reveal().nbytes + cost.nbytes + n  # and who is inside
    times: dict[str, list[float]] = {"plain": [], "filter": []}
    for _ in range(rounds):
        times["plain"].append(plain(standing.reveal(), cost))
        started = time.perf_counter()
        costs = of_squared_norms(machine, cost, noise_variance=variance)
        standing, _ = machine.charge(standing, costs)
        times["filter"].append(time.perf_counter() - started)
    median = {name: statistics.median(values) for name, values in times.items()}
    return {
        "people": n,
        "kind": kind,
        "median seconds": {name: round(value, 5) for name, value in median.items()},
        "ratio": round(median["filter"] / median["plain"], 2),
        "bytes per person": round(held / n, 2),
        "new peak, bytes per person": round((peak() - before) / n, 2),
    }


def plain(state: Any, cost: Any) -> float:
    """`state += cost`, and then back again, which is not timed."""
    started = time.perf_counter()
    state += cost
    taken = time.perf_counter() - started
    state -= cost
    return taken


def charges(name: str, machine: Filter, menu: list[Mechanism], total: int) -> dict[str, Any]:
    """So many charges, each chosen by the decision before."""
    state, at, granted = machine.start(), 0, 0
    marks = [time.perf_counter()]
    tenth = total // 10
    for i in range(total):
        state, decision = machine.ask(state, menu[at])
        grant = isinstance(decision, Granted)
        granted += grant
        at = (at * 31 + i + 7 * grant) % len(menu)
        if (i + 1) % tenth == 0:
            marks.append(time.perf_counter())
    parts = [(b - a) / tenth * 1e6 for a, b in pairwise(marks)]
    return {
        "filter": name,
        "charges": total,
        "granted": granted,
        "microseconds per charge": {
            "first tenth": round(parts[0], 2),
            "last tenth": round(parts[-1], 2),
        },
    }


def datasets() -> dict[str, tuple[Filter, list[Mechanism]]]:
    """Each filter with room for a million of its steps, and a hundred steps to choose from."""
    gaussians: list[Mechanism] = [Gaussian(noise_multiplier=1000 + i) for i in range(90)]
    pure: list[Mechanism] = [PureDP(epsilon=Exact(Fraction(1, 1000 + i))) for i in range(90)]
    gaussians += [Gaussian(noise_multiplier=Exact(Fraction(1, 100 + i))) for i in range(10)]
    pure += [PureDP(epsilon=1000 + i) for i in range(10)]  # ten that no budget here holds
    return {
        "renyi": (RenyiFilter({8: 100}), gaussians),
        "renyi, 3 orders": (RenyiFilter({2: 100, 8: 100, 32: 100}), pure),
        "any of 4 orders": (AnyOrderFilter(epsilon=20, delta=1e-9, orders=[4, 8, 16]), pure),
        "zcdp": (ZcdpFilter(rho=100), gaussians),
        "gdp": (GdpFilter(mu=10), gaussians),
        "dp, best": (DpFilter(epsilon=20, delta=1e-9), pure),
        "dp, printed": (DpFilter(epsilon=20, delta=1e-9, form="printed"), pure),
        "rogers": (RogersFilter(epsilon=20, delta=1e-9), pure),
    }


def peak() -> int:
    """The most memory that this process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(*, small: bool) -> Found:
    """Ten and a hundred million people, and a million charges to each filter."""
    rounds, counts, asked = (3, [10**5], 10**3) if small else (9, [10**7, 10**8], 10**6)
    return {
        "rounds": rounds,
        "people": [people(n, kind, rounds) for n in counts for kind in KINDS],
        "charges": [
            charges(name, machine, menu, asked) for name, (machine, menu) in datasets().items()
        ],
    }


def told(found: Found) -> str:
    """Two tables."""
    rounds = [
        [
            f"{row['people']:,}",
            row["kind"],
            f"{1e3 * row['median seconds']['plain']:.1f}",
            f"{1e3 * row['median seconds']['filter']:.1f}",
            f"{row['ratio']:.2f}",
            row["bytes per person"],
        ]
        for row in found["people"]
    ]
    asked = [
        [
            row["filter"],
            f"{row['charges']:,}",
            f"{row['granted']:,}",
            *row["microseconds per charge"].values(),
        ]
        for row in found["charges"]
    ]
    head = [
        "people",
        "kept, and charged",
        "`state += cost`, ms",
        "filter, ms",
        "ratio",
        "bytes a person",
    ]
    return f"""One question to everybody, in memory: `IndividualFilter.charge` and `state += cost` on the same arrays, alternated, medians of {found["rounds"]}. To reach: at most 6 times.

{table(head, rounds)}

Charges to one budget, each chosen by the decision before it; time for one does not grow with how many there were.

{table(["filter", "charges", "granted", "µs, first tenth", "µs, last tenth"], asked)}
"""
