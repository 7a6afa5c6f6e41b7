"""The training behind figures 4 and 11 of Wang et al. does what it says, and so do their tables."""

from __future__ import annotations

import numpy as np
import pytest

from bursar.accounting import exact
from bursar.accounting.baselines.estimators import OneTilted, payoff
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.adjacency import Adjacency, Direction
from bursar.mechanisms import views
from reproduce.wang import _tradeoff, _training
from reproduce.wang._estimates import step
from reproduce.wang._moments import second_moments
from reproduce.wang._training import Recipe, clipped_sum, wrong

RANDOM = np.random.default_rng(4)
IMAGES = (RANDOM.random((40, 5)) * RANDOM.choice([0.1, 3.0], (40, 1))).astype(np.float32)
LABELS = RANDOM.integers(0, 10, 40)
WEIGHTS = RANDOM.standard_normal((5, 10)).astype(np.float32)


def gradients(weights: np.ndarray) -> np.ndarray:
    """Everybody's, one by one."""
    found = []
    for image, label in zip(IMAGES.astype(float), LABELS, strict=True):
        likely = np.exp(image @ weights)
        found.append(np.outer(image, likely / likely.sum() - np.eye(10)[label]))
    return np.array(found)


def clipped(weights: np.ndarray) -> np.ndarray:
    found = gradients(weights)
    lengths = np.linalg.norm(found.reshape(40, -1), axis=1)
    return np.asarray((found / np.maximum(lengths, 1)[:, None, None]).sum(axis=0))


def test_each_gradient_is_shortened_to_length_1() -> None:
    lengths = np.linalg.norm(gradients(WEIGHTS).reshape(40, -1), axis=1)
    assert 0.2 < (lengths > 1).mean() < 0.8, "some are clipped, and some are not"
    found = clipped_sum(IMAGES, LABELS, WEIGHTS)
    assert found == pytest.approx(clipped(WEIGHTS), abs=1e-4)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_without_noise_it_is_gradient_descent(
    monkeypatch: pytest.MonkeyPatch, momentum: float
) -> None:
    monkeypatch.setattr(_training, "digits", lambda: (IMAGES, LABELS, IMAGES, LABELS))
    weights = pace = np.zeros((5, 10))
    expected = []
    for _ in range(40):
        pace = momentum * pace + clipped(weights) / 40
        weights = weights - 5.0 * pace
        expected.append(int(((IMAGES @ weights).argmax(axis=1) != LABELS).sum()))
    marks = [1, 5, 20, 40]
    assert len({expected[k - 1] for k in marks}) > 2
    recipe = Recipe(sigma="0", q="1", rate=5.0, momentum=momentum)
    assert wrong(recipe, 1, marks) == [expected[k - 1] for k in marks]


def test_noise_and_batches_are_those_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, moved = [], []

    def nothing(images: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        assert len(images) == len(labels)
        sizes.append(len(images))
        moved.append(weights.copy())
        return np.zeros_like(weights)

    images, labels = np.ones((2000, 50), np.float32), np.zeros(2000, np.int64)
    monkeypatch.setattr(_training, "digits", lambda: (images, labels, images[:1], labels[:1]))
    monkeypatch.setattr(_training, "clipped_sum", nothing)
    wrong(Recipe(sigma="7", q="0.25", rate=3.0), 1, [40])
    assert np.mean(sizes) == pytest.approx(500, rel=0.03)
    assert np.std(sizes) == pytest.approx((2000 * 0.25 * 0.75) ** 0.5, rel=0.5)
    assert np.std(np.diff(moved, axis=0)) == pytest.approx(7 * 3 / 500, rel=0.03)


def test_what_a_budget_allows() -> None:
    rows = [{"k": k, "exact": k / 10, "wrong": [1000 - k, 1000 + k]} for k in (1, 2, 3)]
    found = _tradeoff.allowed(rows, "exact", 0.2)
    assert found is not None
    assert (found["k"], _tradeoff.error(found)) == (2, 0.1)
    assert _tradeoff.allowed(rows, "exact", 0.05) is None


def test_what_the_gate_is_asked_is_paid_within_delta() -> None:
    claim, reserve = float(_tradeoff._claimed("1e-12")), 1e-12 * float(_tradeoff.RESERVE)
    assert claim + reserve == pytest.approx(1e-12, rel=1e-12, abs=0)
    assert float(_tradeoff._passing("1e-12")) == pytest.approx(0.99 * claim, rel=1e-12, abs=0)


def test_second_moments_are_those_of_the_estimator() -> None:
    """Beside direct draws, where these can show them."""
    sigma, q, k, epsilon = 2.0, 0.1, 30, 0.3
    run = k * step("2", "0.1")
    delta, found = second_moments(sigma, q, k, epsilon, size=20_000, seed=1)
    assert delta == pytest.approx(
        exact.delta(run, epsilon=epsilon, direction=Direction.REMOVE).upper, rel=0.02
    )
    pairs = views.pairs(run, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)
    for theta in (0.0, 0.5):
        one = OneTilted.of(pairs, Direction.REMOVE, epsilon, theta)
        losses, log_weights = one.pairs(100_000, Seeded(1).source(0))
        drawn = (payoff(losses, epsilon) * np.exp(log_weights)) ** 2
        assert found[theta] * delta**2 == pytest.approx(drawn.mean(), rel=0.05)
