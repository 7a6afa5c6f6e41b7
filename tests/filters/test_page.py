"""The tables of docs/filters.md are what the filters do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bursar.adjacency import Adjacency
from bursar.exact import Exact
from bursar.filters import AnyOrderFilter, DpFilter, Filter, GdpFilter, RogersFilter, ZcdpFilter
from bursar.filters.matrix import PRICES, takers
from bursar.filters.planning import more
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.randomized_response import RandomizedResponse
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.mechanisms.views import VIEWS, views_of
from bursar.privacy.curve import GaussianCurve
from bursar.privacy.pairs import AtomsPair

PAGE = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")
STEPS: list[Mechanism] = [
    Gaussian(noise_multiplier=5),
    Laplace(scale=5),
    PoissonSubsampled(Gaussian(noise_multiplier=5), sampling_probability="0.01"),
    RandomizedResponse(epsilon=1),
    PureDP(epsilon="0.1"),
    ApproximateDP(epsilon="0.1", delta=1e-9),
    ZeroConcentratedDP(rho="0.1"),
    GaussianDP(mu="0.1"),
    RenyiDP(orders=[2], values=[1]),
]


def table(head: str) -> list[list[str]]:
    """The cells of the rows under a table's head."""
    lines = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_matrix() -> None:
    head = "| step | " + " | ".join(PRICES) + " |"
    expected = []
    for step in STEPS:
        replaced = isinstance(step, RandomizedResponse)
        relation = Adjacency.REPLACE_ONE if replaced else Adjacency.ADD_OR_REMOVE_ONE
        names = takers(step, relation)
        marks = ["✓" if name in names else "" for name in PRICES]
        expected.append([f"`{type(step).__name__}`", *marks])
    assert table(head) == expected


@dataclass(frozen=True)
class Saying:
    """What has one view and no other."""

    name: ClassVar[str] = "one view"
    view: str
    answer: Any

    def __getattr__(self, name: str) -> Any:
        if name != object.__getattribute__(self, "view"):
            raise AttributeError(name)
        return lambda *_, **__: self.answer


def test_the_matrix_of_views() -> None:
    views = {
        "RDP curve": Saying("rdp", GaussianCurve(Exact(1))),
        "zCDP": Saying("zcdp", Exact(1)),
        "GDP": Saying("gdp", Exact(1)),
        "pure ε": Saying("pure", Exact(1)),
        "pair of an (ε, δ) statement": Saying("pair", AtomsPair(Exact(1), delta=Exact("1e-9"))),
        "samples": Saying("samples", None),
    }
    assert {saying.view for saying in views.values()} == set(VIEWS)
    expected = []
    for row, saying in views.items():
        assert views_of(saying) == [saying.view]  # type: ignore[arg-type]
        names = takers(saying, Adjacency.ADD_OR_REMOVE_ONE)  # type: ignore[arg-type]
        expected.append([row, *("✓" if name in names else "" for name in PRICES)])
    assert table("| view | " + " | ".join(PRICES) + " |") == expected


COMPARED: list[Filter] = [
    AnyOrderFilter(epsilon=1, delta=1e-5),
    ZcdpFilter.within(epsilon=1, delta=1e-5),
    GdpFilter.within(epsilon=1, delta=1e-5),
    DpFilter(epsilon=1, delta=1e-5),
    DpFilter(epsilon=1, delta=1e-5, form="printed"),
    RogersFilter(epsilon=1, delta=1e-5),
]


@pytest.mark.parametrize(
    ("row", "step"),
    list(
        enumerate([Gaussian(noise_multiplier=100), PureDP(epsilon="0.01"), PureDP(epsilon="0.1")])
    ),
)
def test_how_many_steps_each_grants(row: int, step: Mechanism) -> None:
    cells = table("| step | any order |")[row][1:]
    for machine, cell in zip(COMPARED, cells, strict=True):
        if machine.name in takers(step, Adjacency.ADD_OR_REMOVE_ONE):
            assert more(machine, machine.start(), step) == int(cell)
        else:
            assert cell == ""
