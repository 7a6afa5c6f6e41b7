"""The mechanisms that the laws run over, with what makes each cost more.

A case makes a plan from knobs.  Each knob lists values in the order in which ε grows; the first
of them are the base.  A mechanism without a case fails `test_registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from bursar import (
    Adjacency,
    ApproximateDP,
    Gaussian,
    GaussianDP,
    Laplace,
    LaplaceSparseVector,
    Plan,
    PoissonSubsampled,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    SparseVector,
    ZeroConcentratedDP,
)
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.views import views_of

ADD, REPLACE, ZERO = Adjacency.ADD_OR_REMOVE_ONE, Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT
DELTAS = ("1e-40", "1e-9", "1e-5", "0.01", "0.3")
EPSILONS = (0, "0.01", "0.5", 2, 9)


@dataclass(frozen=True)
class Case:
    """A mechanism, its relations, and its knobs."""

    name: str
    make: Callable[..., Mechanism]
    knobs: dict[str, tuple[Any, ...]]
    relations: tuple[Adjacency, ...] = (ADD,)
    counts: tuple[int, ...] = (1, 3, 40)

    def plan(self, count: int = 1, **changes: Any) -> Plan:
        """The plan at the base, but for what is changed."""
        base = {name: values[0] for name, values in self.knobs.items()}
        return count * self.make(**base | changes)

    def views(self) -> set[str]:
        """The names of the views that the mechanism has."""
        (mechanism, _), *_ = self.plan().steps
        return set(views_of(mechanism))

    def dearer(self) -> list[tuple[Plan, Plan]]:
        """Pairs of plans, of which the second costs more: one knob, or the count, is turned."""
        turned = [
            (self.plan(10, **{name: less}), self.plan(10, **{name: more}))
            for name, values in self.knobs.items()
            for less, more in pairwise(values)
        ]
        return turned + [(self.plan(less), self.plan(more)) for less, more in pairwise(self.counts)]


def poisson(noise_multiplier: object, sampling_probability: object) -> PoissonSubsampled:
    """A subsampled Gaussian in one call."""
    base = Gaussian(noise_multiplier=noise_multiplier)  # type: ignore[arg-type]
    return PoissonSubsampled(base, sampling_probability=sampling_probability)  # type: ignore[arg-type]


def table(value: object) -> RenyiDP:
    """A curve of three orders, so many times (2, 8, 32)/100."""
    return RenyiDP(orders=[2, 8, 32], values=[f"{int(str(value)) * n}/100" for n in (2, 8, 32)])


CASES = (
    Case("gaussian", Gaussian, {"noise_multiplier": (8, 4, "1.5")}, (ADD, REPLACE, ZERO)),
    Case(
        "poisson",
        poisson,
        {"noise_multiplier": (2, 1, "0.7"), "sampling_probability": ("0.05", "0.2", "0.9", 1)},
        (ADD, ZERO),
        (1, 10, 60),
    ),
    Case("laplace", Laplace, {"scale": (20, 5, "0.8")}, (ADD, REPLACE, ZERO)),
    Case("randomized-response", RandomizedResponse, {"epsilon": ("0.1", "0.7", 2)}, (REPLACE,)),
    Case(
        "five categories",
        lambda epsilon: RandomizedResponse(epsilon=epsilon, categories=5),
        {"epsilon": ("0.1", "0.7", 2)},
        (REPLACE,),
    ),
    Case("pure-dp", PureDP, {"epsilon": ("0.1", "0.7", 2)}, (ADD, REPLACE)),
    Case(
        "approximate-dp",
        ApproximateDP,
        {"epsilon": ("0.1", "0.7", 2), "delta": ("1e-12", "1e-7", "1e-4")},
    ),
    Case("gdp", GaussianDP, {"mu": ("0.1", "0.5", 2)}),
    Case("zcdp", ZeroConcentratedDP, {"rho": ("0.01", "0.1", 1)}),
    Case("rdp", table, {"value": (1, 3, 20)}),
    Case(
        "sparse-vector",
        partial(SparseVector, highest_threshold=20),
        {"threshold_noise": (30, 10), "query_noise": (60, 20), "length": (20, 10**6)},
        (ADD, REPLACE),
        (1, 3),
    ),
    Case(
        "laplace-sparse-vector",
        LaplaceSparseVector,
        {"threshold_noise": (30, 10), "query_noise": (60, 20), "cutoff": (1, 5)},
        (ADD, REPLACE, ZERO),
        (1, 3),
    ),
)
NAMES = [case.name for case in CASES]
EVERY = [(case, relation) for case in CASES for relation in case.relations]
IDS = [f"{case.name}-{relation}" for case, relation in EVERY]
# Zero-out has the pairs of add-or-remove-one.
APART = [(case, relation) for case, relation in EVERY if relation is not ZERO]
APART_IDS = [f"{case.name}-{relation}" for case, relation in APART]
