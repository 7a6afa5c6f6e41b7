"""The tables of docs/filters.md are what the filters do."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from bursar.adjacency import Adjacency
from bursar.exact import Exact
from bursar.filters import AnyOrderFilter, DpFilter, Filter, GdpFilter, RogersFilter, ZcdpFilter
from bursar.filters.matrix import PRICES, takers
from bursar.filters.planning import more
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.group import Group
from bursar.mechanisms.own import FromDensities, FromSamples
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.registry import AROUND, MECHANISMS, UNWRITTEN
from bursar.mechanisms.statements import PureDP
from bursar.mechanisms.views import VIEWS, views_of
from bursar.privacy.curve import GaussianCurve
from bursar.privacy.pairs import AtomsPair
from tests.laws.cases import EVERY

PAGE = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")


def table(head: str) -> list[list[str]]:
    """The cells of the rows under a table's head."""
    lines = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def every_step() -> list[tuple[Mechanism, Adjacency]]:
    """Every mechanism of the registry, in every relation that it is proved in."""
    steps = [(case.plan().steps[0][0], relation) for case, relation in EVERY]
    held: list[Mechanism] = [
        densities(),
        FromSamples(label="drawn", remove=Nothing(), add=Nothing()),
    ]
    return [*steps, *((step, Adjacency.ADD_OR_REMOVE_ONE) for step in held)]


def densities() -> FromDensities:
    def flat(x: Any) -> Any:
        return 0 * x + 1

    return FromDensities(label="flat", present=flat, absent=flat, low=0, high=1)


class Nothing:
    """A loss that is always 0."""

    def sample(self, size: int, random: np.random.Generator) -> Any:
        return np.zeros(size)

    def log_ratio(self, points: Any) -> Any:
        return 0 * points


def test_the_matrix() -> None:
    """Mechanisms with the same filters share a row; those made of others are as these are."""
    marks: dict[str, set[tuple[str, ...]]] = {}
    for step, relation in every_step():
        names = takers(step, relation)
        row = tuple("✓" if name in names else "" for name in PRICES)
        marks.setdefault(type(step).__name__, set()).add(row)
    known = {kind.__name__ for kind in (*MECHANISMS.values(), *AROUND, *UNWRITTEN)}
    assert set(marks) == known
    made_of_others = {"Group", "Parallel"}
    assert {name for name, rows in marks.items() if len(rows) > 1} <= made_of_others
    rows: dict[tuple[str, ...], list[str]] = {}
    for name, (row, *_) in marks.items():
        if name not in made_of_others:
            rows.setdefault(row, []).append(f"`{name}`")
    expected = [[", ".join(names), *row] for row, names in rows.items()]
    assert table("| step | " + " | ".join(PRICES) + " |") == expected


def test_what_is_made_of_others_is_taken_where_these_are() -> None:
    """A group where its step is; parallel branches where each of them is."""
    add = Adjacency.ADD_OR_REMOVE_ONE
    steps = [
        step
        for step, relation in every_step()
        if relation is add and not isinstance(step, (Group, Parallel, FromDensities, FromSamples))
    ]
    for step in steps:
        assert takers(Group(step, people=2), add) == takers(step, add)
    for one, other in combinations(steps, 2):
        both = [name for name in takers(one, add) if name in takers(other, add)]
        assert takers(Parallel(one, other), add) == both, (one, other)


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
