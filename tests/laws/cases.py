"""The mechanisms that the laws run over, with what makes each cost more.

A case makes a plan from knobs.  Each knob lists values in the order in which ε grows; the first
of them are the base.  A mechanism without a case fails `test_laws.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from flint import arb

from bursar import (
    Adjacency,
    ApproximateDP,
    BoundedRange,
    ClaimedRenyiDP,
    Direction,
    DiscreteGaussian,
    DiscreteLaplace,
    Enclosure,
    ExponentialMechanism,
    FromDensities,
    Gaussian,
    GaussianDP,
    GaussianMixture,
    Group,
    Laplace,
    LaplaceSparseVector,
    NoProof,
    Parallel,
    Plan,
    PoissonSubsampled,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    ReportNoisyMax,
    RoundedGaussian,
    RoundedLaplace,
    SparseVector,
    Table,
    WithoutReplacement,
    ZeroConcentratedDP,
)
from bursar.accounting import exact
from bursar.accounting.accountants import takers
from bursar.mechanisms import views
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

    def enclosing(self, relation: Adjacency) -> list[str]:
        """The accountants that enclose its cost: where its pairs are tight, and they take them."""
        try:
            tight = all(views.pairs(self.plan(), relation, way).tight for way in Direction)
        except NoProof:
            return []
        able = [taker for taker in takers(self.plan(), adjacency=relation) if not taker.refused]
        return [taker.method for taker in able if tight and taker.kind == Enclosure.kind]

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


def on_sample(base: Callable[..., Mechanism]) -> Callable[..., Mechanism]:
    """A base on a Poisson sample, with the base's knobs and the probability as one."""

    def make(sampling_probability: str, **knobs: object) -> Mechanism:
        return PoissonSubsampled(base(**knobs), sampling_probability=sampling_probability)

    return make


def in_batches(base: Callable[..., Mechanism]) -> Callable[..., Mechanism]:
    """A base on a batch of fixed size."""

    def make(sampling_probability: str, **knobs: object) -> Mechanism:
        return WithoutReplacement(base(**knobs), sampling_probability=sampling_probability)

    return make


def of_group(base: Callable[..., Mechanism]) -> Callable[..., Mechanism]:
    """A base for a group, with the base's knobs and the number of people as one."""

    def make(people: int, **knobs: object) -> Mechanism:
        return Group(base(**knobs), people=people)

    return make


def branches(first: str, second: str) -> Mechanism:
    """Gaussian noise on one part of the people, Laplace noise on the other."""
    return Parallel(Gaussian(noise_multiplier=first), Laplace(scale=second))


def two_rows(likelier: str) -> Mechanism:
    """A table of three outputs: the first likelier with the person, the second without."""
    more, rest = f"{likelier}/100", f"{90 - int(likelier)}/100"
    return Table(present=[more, rest, "0.1"], absent=[rest, more, "0.1"])


def claimed(rate: int) -> Mechanism:
    """A curve that somebody claims."""
    return ClaimedRenyiDP(label="a claim", curve=lambda order: rate * order / 100)


def two_slopes(slope: int) -> Mechanism:
    """Densities that rise with the person, and fall without."""
    rate = arb(slope) / 4
    return FromDensities(
        label=f"slope {slope}/4",
        present=lambda x: 1 + rate * (x - arb(0.5)),
        absent=lambda x: 1 - rate * (x - arb(0.5)),
        low=0,
        high=1,
    )


def mixed(noise_multiplier: str, weights: tuple[str, ...]) -> Mechanism:
    """Nobody, one or two of a pair of people take part."""
    return GaussianMixture(noise_multiplier=noise_multiplier, shifts=[0, 1, 2], weights=weights)


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
    Case("rounded-gaussian", RoundedGaussian, {"noise_multiplier": (8, "1.5")}, (ADD, REPLACE)),
    Case("rounded-laplace", RoundedLaplace, {"scale": (20, "0.8")}, (ADD, REPLACE)),
    Case(
        "discrete-gaussian",
        DiscreteGaussian,
        {"sigma": (8, 4, "1.5"), "most": (1, 2)},
        (ADD, REPLACE, ZERO),
    ),
    Case(
        "discrete-laplace",
        DiscreteLaplace,
        {"scale": (20, 5, "0.8"), "most": (1, 3)},
        (ADD, REPLACE, ZERO),
    ),
    Case("bounded-range", BoundedRange, {"epsilon": ("0.1", 2)}),
    Case("exponential", ExponentialMechanism, {"epsilon": ("0.1", 2)}),
    Case(
        "report-noisy-max",
        ReportNoisyMax,
        {"epsilon": ("0.1", 2), "noise": ("gumbel", "exponential")},
    ),
    Case("table", two_rows, {"likelier": ("50", "60", "85")}),
    Case(
        "gaussian-mixture",
        mixed,
        {
            "noise_multiplier": (3, 1),
            "weights": (("0.81", "0.18", "0.01"), ("0.36", "0.48", "0.16")),
        },
        (ADD, ZERO),
    ),
    Case("parallel", branches, {"first": (8, 2), "second": (20, 2)}),
    Case(
        "group",
        of_group(poisson),
        {
            "people": (2, 3),
            "noise_multiplier": (3, 1),
            "sampling_probability": ("0.05", "0.2"),
        },
        (ADD, ZERO),
    ),
    Case(
        "group of responses",
        of_group(RandomizedResponse),
        {"people": (2, 3), "epsilon": ("0.1", "0.7")},
        (REPLACE,),
    ),
    Case(
        "group on samples",
        of_group(on_sample(Laplace)),
        {"people": (2, 3), "scale": (5, 1), "sampling_probability": ("0.05", "0.2")},
        (ADD, ZERO),
    ),
    Case(
        "laplace on samples",
        on_sample(Laplace),
        {"scale": (5, 1), "sampling_probability": ("0.05", "0.2", 1)},
        (ADD, ZERO),
        (1, 10, 60),
    ),
    Case(
        "zcdp on samples",
        on_sample(ZeroConcentratedDP),
        {"rho": ("0.01", "0.1"), "sampling_probability": ("0.05", "0.2", 1)},
    ),
    Case(
        "without-replacement",
        in_batches(Gaussian),
        {"noise_multiplier": (5, 2), "sampling_probability": ("0.05", "0.2")},
        (REPLACE,),
    ),
    Case("densities", two_slopes, {"slope": (1, 2)}, (ADD,), (1, 2)),
    Case("claimed-rdp", claimed, {"rate": (1, 5, 30)}),
    Case(
        "sparse-vector",
        partial(SparseVector, highest_threshold=20),
        {"threshold_noise": (30, 10), "query_noise": (60, 20), "length": (2000, 10**6)},
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
SILENT = {"samples"}  # no accountant here takes them
NAMES = [case.name for case in CASES]
EVERY = [(case, relation) for case in CASES for relation in case.relations]
IDS = [f"{case.name}-{relation}" for case, relation in EVERY]


QUICK = {"discrete-laplace"}  # of those that only the lattice accountant encloses
# Zero-out has the pairs of add-or-remove-one.
APART = [(case, relation) for case, relation in EVERY if relation is not ZERO]
SPLIT = ("group on samples", "report-noisy-max", "sparse-vector")  # one law of these is enough


def swept(rows: Iterable[tuple[Case, Adjacency]], *, heavy: bool = False) -> list[Any]:
    """The rows with their names; quick are those of each case's first relation, if contours do."""
    return [
        pytest.param(
            case,
            relation,
            id=f"{case.name}-{relation}",
            marks=[pytest.mark.slow] if _slow(case, relation, heavy=heavy) else [],
        )
        for case, relation in rows
    ]


def _slow(case: Case, relation: Adjacency, *, heavy: bool) -> bool:
    if relation is not case.relations[0] or (heavy and case.name in SPLIT):
        return True
    try:
        exact.pairs_of(case.plan(10), relation, Direction.REMOVE)
    except NoProof:
        return "pair" in case.views() and case.name not in QUICK
    return False
