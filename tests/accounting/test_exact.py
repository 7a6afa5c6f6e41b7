"""The exact accountant against truths: numbers of other roads, and the Gaussian's formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx

from bursar import Direction, Enclosure, Gaussian, Plan
from bursar.accounting import exact
from bursar.mechanisms.files import plan_of
from tests.roads import quadrature
from tests.roads.golden import Golden, load
from tests.roads.laws import ball, rational
from tests.sweeps import quick_first

WIDTH = 1e-12  # relative, of ε: the promise; in truth it is a unit in the last place
FEW = [row for row in load("exact") if sum(step["count"] for step in row.steps) <= 2]
MANY = [row for row in load("exact") if row not in FEW]
HARD = {"0.6", "0.7", "0.8", "1"}  # two steps with one of these have rare jumps, or fall slowly
FEW.sort(
    key=lambda row: (
        sum(s["count"] for s in row.steps) > 1
        and any(s["noise_multiplier"] in HARD for s in row.steps)
    )
)
QUICK = 26  # rows of the others


def holds(row: Golden, plan: Plan, way: Direction) -> None:
    """The enclosures of ε, and of δ at this ε, hold the truth, and that of ε is narrow."""
    truth, slack = row.exact_epsilon, Fraction(row.accuracy)
    found = exact.epsilon(plan, delta=row.delta, direction=way)
    assert isinstance(found, Enclosure)
    assert found.about.direction == row.direction
    assert Fraction(found.lower) <= truth * (1 + slack)
    assert Fraction(found.upper) >= truth * (1 - slack)
    assert found.upper - found.lower <= WIDTH * found.upper
    back = exact.delta(plan, epsilon=row.epsilon, direction=way)
    assert isinstance(back, Enclosure)
    near = Fraction(1, 10**12)  # what a last digit of the stored ε, or of its gap, may change
    assert Fraction(back.lower) <= rational(row.delta) * (1 + near)
    assert Fraction(back.upper) >= rational(row.delta) * (1 - near)


@pytest.mark.parametrize("row", quick_first(FEW, QUICK))
def test_a_few_steps_by_quadrature(row: Golden) -> None:
    holds(row, plan_of(list(row.steps)), Direction(row.direction))


@pytest.mark.parametrize("row", quick_first(MANY, 4))
def test_many_steps_by_another_contour(row: Golden) -> None:
    holds(row, plan_of(list(row.steps)), Direction(row.direction))


# The pure Gaussian by its formula -------------------------------------------------------------

GAUSSIANS = [
    *(("1", 1), ("0.1", 1), ("70", 1200), ("28.914", 60)),
    *(("1e6", 10**9), ("1e150", 1), ("1e-4", 5)),
]


@pytest.mark.parametrize(("sigma", "count"), GAUSSIANS)
@pytest.mark.parametrize("delta", ["0.999999", "0.3", "1e-5", "1e-30", "1e-300"])
def test_a_gaussian_by_its_formula(sigma: str, count: int, delta: str) -> None:
    """δ at both ends of the enclosure, in balls of 2,048 bits, is on both sides."""
    plan = count * Gaussian(noise_multiplier=sigma)
    found = exact.epsilon(plan, delta=delta)
    assert isinstance(found, Enclosure)
    assert found.upper - found.lower <= 2e-15 * found.upper
    with ctx.workprec(2048):
        mu, target = arb(count).sqrt() / ball(rational(sigma)), ball(rational(delta))
        assert quadrature.delta_gaussian(mu, arb(found.upper)) <= target
        if found.upper > 0:
            assert quadrature.delta_gaussian(mu, arb(found.lower)) >= target
