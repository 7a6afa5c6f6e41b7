"""Algorithm 4 of Wang et al. 2023, end to end: an estimate, a verdict by draws, DP-SGD on MNIST.

The training draws its batches as the plan says, each person independently; gradients are shortened
and summed on a grid, and the noise is exact: what ran is what was accounted.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import bursar
from bursar import (
    Adjacency,
    ApproximateDP,
    Direction,
    Exact,
    Gaussian,
    NotVerified,
    PoissonSubsampled,
)
from bursar.accounting.baselines.sizes import Tolerance
from bursar.accounting.baselines.verifier import prepared
from bursar.accounting.baselines.verifier import verify as as_published
from bursar.accounting.monte_carlo_coins import Fresh, Seeded
from bursar.accounting.monte_carlo_designs import design
from bursar.accounting.monte_carlo_runs import Moments
from bursar.accounting.monte_carlo_runs import run as simulate
from bursar.filters import DpFilter, Purse
from bursar.mechanisms import views
from bursar.noise import clip_to_grid, release_gaussian
from bursar.verification import Attempts, Claim, Paid, Verifiers, recheck, release
from tests.datasets import mnist
from tests.engines import package

pytestmark = pytest.mark.training
PEOPLE, BATCH, STEPS, NOISE = 60_000, 256, 250, "0.9"
CLIP, GRID, RATE = 1, 24, 2.0
RUN = STEPS * PoissonSubsampled(
    Gaussian(noise_multiplier=NOISE), sampling_probability=f"{BATCH}/{PEOPLE}"
)
DRAWS = Verifiers(("draws",))
TAU = Exact("0.99")


@cache
def digits() -> dict[str, np.ndarray]:
    """Pooled to 14 x 14 places: a fixed map of each image."""
    found = mnist()
    for name in ("train", "test"):
        images = found[name].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196)
        found[name] = np.hstack([images, np.ones((len(images), 1))])
    return found


def train() -> np.ndarray:
    """A softmax regression by DP-SGD; the weights."""
    torch: Any = package("torch")
    torch.set_num_threads(1)

    def loss(weights: Any, image: Any, label: Any) -> Any:
        return torch.nn.functional.cross_entropy(image @ weights, label)

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    images, labels = digits()["train"], digits()["train_labels"].astype(np.int64)
    weights, chances = np.zeros((197, 10)), np.random.default_rng()
    for _ in range(STEPS):
        chosen = chances.random(PEOPLE) < BATCH / PEOPLE
        found = gradients(
            torch.as_tensor(weights),
            torch.as_tensor(images[chosen]),
            torch.as_tensor(labels[chosen]),
        )
        rows = clip_to_grid(found.numpy().reshape(-1, 1970), norm=CLIP, grid=GRID)
        noised = release_gaussian(rows.total(), noise_multiplier=NOISE)
        weights -= RATE * noised.values.reshape(197, 10) / BATCH
    return weights


@cache
def estimated(epsilon: str) -> float:
    """Step 1: δ by simulation with public coins, which proves nothing."""
    found, size = [], 20_000
    for way in Direction:
        pairs = views.pairs(RUN, Adjacency.ADD_OR_REMOVE_ONE, way)
        drawn = design(pairs, way, float(epsilon))
        total, _ = simulate(drawn, Seeded(1), size, Moments())
        found.append(math.exp(drawn.log_delta(total / size)))
    return max(found)


def test_estimate_verify_release() -> None:
    purse = Purse({"digits": DpFilter(epsilon=8, delta="1e-4", delta_of_steps="5e-5")})
    gate, trained = Attempts(reserve="1e-8"), list[int]()

    def run() -> np.ndarray:
        trained.append(1)
        return train()

    guess = estimated("0.9")
    claim = Claim(epsilon="0.9", delta=str(Exact.of(guess) / TAU))
    assert 1e-9 < claim.delta < 1e-4
    with pytest.raises(NotVerified):
        release(
            RUN,
            Claim(epsilon="0.9", delta=guess / 2),
            run,
            attempts=gate,
            verifiers=DRAWS,
            paid=Paid(purse=purse, request="too good"),
        )
    assert not trained
    found = release(
        RUN,
        claim,
        run,
        attempts=gate,
        verifiers=DRAWS,
        paid=Paid(purse=purse, request="training"),
    )
    assert trained == [1]
    guessed = (digits()["test"] @ found.answer).argmax(axis=1)
    assert (guessed == digits()["test_labels"]).mean() > 0.8

    record = found.records[-1]
    assert record.document["sides"][0]["draws"] > 1000
    assert recheck(record).accepted
    assert purse.charge("training").plan.steps[0][0] == ApproximateDP(
        epsilon="0.9", delta=claim.delta
    )
    exact = bursar.epsilon(RUN, delta=claim.delta)
    assert exact.upper < 0.9 < exact.upper * 1.01, "and what the claim was worth"


def test_as_published() -> None:
    """The paper's test at its own price, where that can be paid: τ = ½ and a δ of 2e-3."""
    guess = estimated("0.2")
    for times, accepted in (("1", True), ("0.45", False)):
        near = Tolerance(delta=str(Exact.of(guess) * Exact.of(times)), tau="0.5")
        tests = prepared(RUN, epsilon="0.2", tolerance=near)
        assert max(test.size for test in tests) < 10**6
        assert as_published(tests, Fresh()).accepted is accepted
