"""Two proved roads that share no integral: contours and lattices have to overlap, everywhere."""

from __future__ import annotations

import pytest

from bursar import (
    ApproximateDP,
    Direction,
    Enclosure,
    Gaussian,
    Laplace,
    Plan,
    PoissonSubsampled,
    PureDP,
    RandomizedResponse,
)
from bursar.accounting import exact, lattice
from bursar.mechanisms.base import Mechanism
from tests.sweeps import quick_first


def step(sigma: str, q: str) -> PoissonSubsampled:
    return PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


ROWS: list[tuple[Plan | Mechanism, str, str, float]] = [  # plan, neighbours, δ, relative width
    (1000 * step("2", "0.01"), "add-or-remove-one", "1e-5", 1e-4),
    (1200 * Gaussian(noise_multiplier=70), "replace-one", "1e-100", 1e-4),
    (10 * Laplace(scale=1), "zero-out", "1e-15", 1e-4),
    (25 * RandomizedResponse(epsilon="0.4", categories=5), "replace-one", "1e-6", 1e-6),
    (3 * Laplace(scale=2) + Gaussian(noise_multiplier=2), "add-or-remove-one", "1e-5", 1e-4),
    (10_000 * step("2", "0.01"), "add-or-remove-one", "1e-9", 1e-4),
    (1000 * step("2", "0.01"), "add-or-remove-one", "1e-30", 1e-3),
    (14_000 * step("0.8", "256/60000"), "zero-out", "1e-5", 1e-4),
    (1000 * step("1", "0.001"), "add-or-remove-one", "1e-5", 1e-3),
    (1000 * step("1", "0.001"), "add-or-remove-one", "1e-15", 5e-2),
    (1000 * step("0.5", "0.001"), "add-or-remove-one", "1e-5", 1e-3),
    (300 * step("1", "0.01") + 200 * step("2", "0.03"), "add-or-remove-one", "1e-6", 1e-3),
    (100 * Laplace(scale=10), "replace-one", "1e-30", 1e-3),
    (40 * PureDP(epsilon="0.1"), "add-or-remove-one", "1e-12", 1e-6),
    (9 * ApproximateDP(epsilon="0.3", delta="1e-8"), "add-or-remove-one", "1e-6", 1e-6),
    (step("0.7", "0.3"), "add-or-remove-one", "1e-3", 1e-3),
    (2 * step("0.7", "0.3"), "zero-out", "0.2", 1e-3),
]


@pytest.mark.parametrize(("plan", "adjacency", "delta", "width"), quick_first(ROWS, 4))
def test_both_roads_enclose_the_same_epsilon(
    plan: Plan | Mechanism, adjacency: str, delta: str, width: float
) -> None:
    one = exact.epsilon(plan, delta=delta, adjacency=adjacency)
    other = lattice.epsilon(plan, delta=delta, adjacency=adjacency)
    assert isinstance(one, Enclosure)
    assert isinstance(other, Enclosure)
    assert other.lower <= one.upper
    assert one.lower <= other.upper
    assert other.upper - other.lower <= width * other.upper


@pytest.mark.parametrize("epsilon", quick_first(["0.5", "0", "3"], 1))
@pytest.mark.parametrize(
    ("plan", "adjacency", "delta", "width"), quick_first([ROWS[0], *ROWS[2:5], ROWS[9]], 1)
)
def test_both_roads_enclose_the_same_delta(
    plan: Plan | Mechanism, adjacency: str, delta: str, width: float, epsilon: str
) -> None:
    for way in Direction:
        one, other = (
            road.delta(plan, epsilon=epsilon, adjacency=adjacency, direction=way)
            for road in (exact, lattice)
        )
        assert isinstance(one, Enclosure)
        assert isinstance(other, Enclosure)
        assert other.lower <= one.upper
        assert one.lower <= other.upper


def test_the_comparison_has_teeth() -> None:
    """One step more or less of a thousand would be seen, and the other direction too."""
    truth = exact.epsilon(1000 * step("2", "0.01"), delta="1e-5")
    for plan in (1001 * step("2", "0.01"), 999 * step("2", "0.01")):
        found = lattice.epsilon(plan, delta="1e-5", direction=Direction.REMOVE)
        assert isinstance(found, Enclosure)
        assert isinstance(truth, Enclosure)
        assert found.lower > truth.upper or found.upper < truth.lower
    added = lattice.epsilon(1000 * step("2", "0.01"), delta="1e-5", direction=Direction.ADD)
    assert added.upper < truth.lower
