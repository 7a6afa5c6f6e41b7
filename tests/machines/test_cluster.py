"""Ray, started here: a cluster comes to what a core comes to, bit by bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bursar
from bursar import Gaussian
from bursar.accounting.monte_carlo_coins import Keyed
from bursar.accounting.monte_carlo_runs import Manner, Moments, run
from bursar.machines import RayCluster
from bursar.verification import Attempts, Care, Claim, Verifiers, recheck, release, verify
from tests.engines import package
from tests.verification.pools import PLAN as STEPS
from tests.verification.pools import pool

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    ray: Any = package("ray")
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    ray.init(
        num_cpus=1,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=80_000_000,
        runtime_env={"env_vars": {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}},
    )
    yield RayCluster()
    ray.shutdown()


@pytest.mark.filterwarnings("default")
def test_a_cluster_comes_to_what_a_core_comes_to(
    cluster: RayCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bursar.accounting.monte_carlo_draws._BLOCK", 10_000)
    seen: list[int] = []

    def tell(done: int, blocks: int, left: float) -> None:
        seen.append(done)

    manner = Manner(engine=cluster, progress=tell)
    there = run(pool(), Keyed(b"k"), 55_000, Moments(), manner)
    assert there == run(pool(), Keyed(b"k"), 55_000, Moments())
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.filterwarnings("default")
def test_a_gate_verifies_on_a_cluster(cluster: RayCluster) -> None:
    claim = Claim(epsilon="1", delta=float(bursar.delta(STEPS, epsilon="1")) * 1.2)
    draws, care = Verifiers(("draws",)), Care(gap="0.15")
    manner = Manner(engine=cluster)
    gate = Attempts(reserve="1e-7")
    found = release(
        STEPS, claim, lambda: 7, attempts=gate, verifiers=draws, care=care, manner=manner
    )
    assert found.answer == 7
    assert found.records[-1].document["sides"][0]["draws"] > 1000
    assert recheck(found.records[-1]).accepted, "replayed on this core"
    false = Claim(epsilon="1", delta=claim.delta * 3 / 4)
    assert not verify(
        60 * Gaussian(noise_multiplier="28.914"), false, verifiers=draws, manner=manner
    ).accepted
