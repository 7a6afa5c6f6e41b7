"""Draws on a device: the law of the cores' sampler, looked at on the CPU of torch."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import bursar
from bursar import Adjacency, Direction, Gaussian, InvalidParameter, NoProof, PoissonSubsampled
from bursar.accounting.monte_carlo_coins import Keyed
from bursar.accounting.monte_carlo_designs import Design, design
from bursar.accounting.monte_carlo_runs import Manner, Moments, run
from bursar.exact import Exact
from bursar.machines import TorchDevice, chacha
from bursar.machines.device import _GroupOnDevice, _OnDevice, _Words
from bursar.mechanisms import views
from bursar.numerics.groups import groups
from bursar.numerics.tilts import Coordinate
from bursar.verification import Care, Claim, Verifiers, recheck, verify
from tests.engines import package
from tests.verification.pools import PLAN as STEPS
from tests.verification.pools import pool

pytestmark = pytest.mark.training
PLAN = 30 * PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.02")
STREAM = bytes.fromhex(
    "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
    "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
)


@cache
def torch() -> Any:
    return package("torch")


@cache
def device() -> TorchDevice:
    torch()
    return TorchDevice("cpu")


@cache
def designed(way: Direction) -> Design:
    return design(views.pairs(PLAN, Adjacency.ADD_OR_REMOVE_ONE, way), way, 0.2)


def test_the_block_of_rfc_8439() -> None:
    """Its key, its nonce, its counter: §2.3.2."""
    low, high = chacha.words(torch(), bytes(range(32)), 0x4A000000_09000000, 8, "cpu", first=1)
    whole = low.numpy().astype("<u8") | high.numpy().astype("<u8") << np.uint64(32)
    assert whole.tobytes() == STREAM


def test_words_differ_from_call_to_call() -> None:
    words = _Words(torch(), "cpu", bytes(32))
    first, second = words.host(1000), words.host(1000)
    assert len(set(first) | set(second)) == 2000
    assert (_Words(torch(), "cpu", bytes(32)).host(1000) == first).all()
    assert (_Words(torch(), "cpu", bytes(31) + b"\1").host(1000) != first).all()


@pytest.mark.parametrize("way", Direction)
def test_the_mean_is_that_of_the_cores(way: Direction) -> None:
    """Within six deviations; the same draws with a tenth more are not."""
    one, size = designed(way), 40_000
    seen = [
        run(one, Keyed(b"torch or not"), size, Moments(), manner)
        for manner in (Manner(), Manner(engine=device()))
    ]
    means = [total / size for total, _ in seen]
    scatter = math.sqrt(
        sum(squares / size - mean**2 for (_, squares), mean in zip(seen, means, strict=True)) / size
    )
    assert abs(means[0] - means[1]) < 6 * scatter
    assert abs(means[0] - 1.1 * means[1]) > 6 * scatter
    assert means[0] != means[1]


def places(flat: bool) -> np.ndarray:
    envelope = designed(Direction.REMOVE).strata[0].envelopes[0][0]
    there = _OnDevice(torch(), "cpu", envelope)
    if flat:
        there._weights = torch().full_like(there._weights, float(there._weights.mean()))
        there._sure = torch().zeros_like(there._sure)
    t = there.draw(200_000, _Words(torch(), "cpu", bytes(32)))
    assert not t.isnan().any()
    return np.asarray(t)


@pytest.mark.parametrize("flat", [False, True])
def test_places_have_the_tilted_law(flat: bool) -> None:
    """χ² of 200,000 against the law by quadrature, at 1e-9; wrong weights are seen."""
    envelope = designed(Direction.REMOVE).strata[0].envelopes[0][0]
    law, power = envelope.law, envelope.law.power(envelope.lam)
    grid = np.linspace(envelope.low, envelope.low + 4096 * envelope.width, 400_001)
    density = np.exp(power * law.log_w(grid) - 0.5 * grid**2)
    cumulative = np.cumsum(density) / density.sum()
    edges = grid[np.searchsorted(cumulative, np.linspace(0, 1, 41)[1:-1])]
    counts = np.bincount(np.searchsorted(edges, places(flat)), minlength=40)
    chi = float(((counts - 5000.0) ** 2 / 5000).sum())
    assert (chi < 39 + 6.5 * math.sqrt(78)) != flat


def test_sums_have_the_law_of_the_cores() -> None:
    """Means of 200,000 sums within six deviations; of a table with other cuts they are not."""
    law = Coordinate(Exact(1), Exact.of("0.05"), True)
    (one,) = groups(law, 2.0, *law.reach(2.0), (20,), 0.01)
    here = one.losses(200_000, np.random.SFC64(1).random_raw)
    scatter = 2 * here.std() / math.sqrt(200_000)
    for kept, near in ((one, True), (replace(one, cuts=one.cuts // 2), False)):
        there = _GroupOnDevice(torch(), "cpu", kept).losses(
            200_000, _Words(torch(), "cpu", bytes(32))
        )
        assert (abs(float(there.mean()) - here.mean()) < 6 * scatter) == near


def test_a_block_does_not_know_the_others() -> None:
    one, coins, fold = designed(Direction.REMOVE), Keyed(b"k"), Moments()
    both = dict(device().blocks(one, coins, fold, {0: 300, 7: 200}))
    alone = dict(device().blocks(one, coins, fold, {7: 200}))
    assert both[7] == alone[7]
    assert both[0] != both[7]


def test_a_claim_is_verified_on_a_device_and_replayed_there() -> None:
    delta = float(bursar.delta(STEPS, epsilon="1")) * 1.2
    care, draws = Care(gap="0.15"), Verifiers(("draws",))
    manner = Manner(engine=device())
    found = verify(
        STEPS, Claim(epsilon="1", delta=delta), verifiers=draws, care=care, manner=manner
    )
    assert found.accepted
    assert found.failure_probability == 1e-10
    assert recheck(found.record, manner=manner).replayed
    assert "words of torch" in str(recheck(found.record).reason)


def test_what_a_device_does_not_draw() -> None:
    with pytest.raises(NoProof, match="Pool"):
        list(device().blocks(pool(), Keyed(b"k"), Moments(), {0: 10}))
    with pytest.raises(InvalidParameter, match="device of torch"):
        TorchDevice("no such device")
