"""Kept mistakes of accounts: a dropped count, swapped directions, a rounding flipped, a lost end.

Each is made in the code that runs, and a test of the suite has to fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from bursar import BursarError, Direction, Plan
from bursar.accounting import asking, exact
from bursar.accounting.contour import Loss
from bursar.accounting.contour_profile import ContourProfile
from bursar.mechanisms import views
from bursar.numerics.steps import Step
from tests.accounting.test_exact import test_a_gaussian_by_its_formula as gaussian_by_its_formula
from tests.agreement.test_exact_fft import agrees
from tests.laws import laws
from tests.laws.cases import poisson
from tests.roads.laws import sampled
from tests.sweeps import quick_first

Check = Callable[[], None]


def two_roads(way: Direction) -> Check:
    """An asymmetric, heterogeneous plan on the second road."""
    plan = 30 * poisson(1, "0.1") + 20 * poisson(2, "0.2")
    return lambda: agrees(plan, (*sampled("1", "0.1", 30), *sampled("2", "0.2", 20)), way, 1e-5)


def a_gaussian() -> None:
    gaussian_by_its_formula("28.914", 60, "1e-5")


def dropped(self: Plan, view: Callable[[Any], Any]) -> Any:
    """`Plan.total` without its count."""
    first, *rest = (view(mechanism) for mechanism, _ in self.steps)
    for term in rest:
        first = first + term
    return first


def one_count_dropped(composition: views.Composition, honest: Any = exact.loss_of) -> Loss:
    """The last subsampled step counts once."""
    loss = honest(composition)
    *steps, (last, _) = loss.steps
    return Loss((*steps, (last, 1)), loss.factors)


def swapped(plan: Plan, adjacency: Any, way: Direction, honest: Any = views.pairs) -> Any:
    """The pairs of the other direction."""
    other = Direction.ADD if way is Direction.REMOVE else Direction.REMOVE
    return honest(plan, adjacency, other)


def second_only(road: Any, first: Any, pairs: Any, question: Any, target: Any) -> Any:
    """Only the add direction is answered."""
    return road._solved(pairs, question, target), "add"


MUTANTS: dict[str, tuple[Any, str, Any, Check]] = {
    "all counts dropped": (Plan, "total", dropped, two_roads(Direction.REMOVE)),
    "directions swapped": (views, "pairs", swapped, two_roads(Direction.REMOVE)),
    "upper ends rounded down": (
        asking,
        "float_up",
        lambda ball: math.nextafter(float(ball.lower()), 0),
        a_gaussian,
    ),
    "lower ends rounded up": (
        asking,
        "float_down",
        lambda ball: math.nextafter(float(ball.upper()), math.inf),
        a_gaussian,
    ),
    "one count dropped": (exact, "loss_of", one_count_dropped, two_roads(Direction.ADD)),
    "directions swapped back": (views, "pairs", swapped, two_roads(Direction.ADD)),
    "one direction": (asking.Road, "_worse", second_only, laws.both_directions_count),
    "top forgotten": (
        ContourProfile,
        "location",
        lambda self, epsilon: epsilon,
        two_roads(Direction.ADD),
    ),
    "w without its odds": (
        Step,
        "log_w",
        lambda self, exp_x: (self.odds() * exp_x + 1).log(),
        two_roads(Direction.REMOVE),
    ),
}


@pytest.mark.parametrize("name", quick_first(MUTANTS, 4))
def test_the_suite_catches_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, part, mistake, check = MUTANTS[name]
    check()
    monkeypatch.setattr(room, part, mistake)
    with pytest.raises((AssertionError, BursarError)):
        check()
