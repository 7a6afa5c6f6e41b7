"""One set of paths serves all prefixes: estimates near the exact ones, bounds above them."""

from __future__ import annotations

import pytest

import bursar
from bursar import Gaussian, NoProof, PoissonSubsampled
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.accounting.monte_carlo_online import bounds, epsilons
from bursar.mechanisms.base import Mechanism

RARE = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.001")
OFTEN = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.2")


@pytest.mark.statistical
@pytest.mark.parametrize("step", [RARE, OFTEN])
def test_estimates_of_all_prefixes(step: Mechanism) -> None:
    """Within 3 %: more than 6 standard errors.  The prefix before is off by more."""
    rows = epsilons(step, steps=120, every=40, delta="1e-9", coins=Seeded(5))
    truth = bursar.epsilons(step, steps=120, every=40, delta="1e-9")
    assert [row.steps for row in rows] == [40, 80, 120]
    for row, exact in zip(rows, truth, strict=True):
        assert abs(row.epsilon / exact.upper - 1) < 0.03
    if step is OFTEN:
        assert rows[1].epsilon > 1.1 * truth[0].upper


@pytest.mark.statistical
def test_bounds_of_all_prefixes_hold_together() -> None:
    """Except with 1e-6; and they are near."""
    found = bounds(RARE, steps=120, every=40, epsilon=1, failure_probability="1e-6")
    for bound in found:
        exact = bursar.delta(bound.steps * RARE, epsilon=1).upper
        assert exact < bound.delta < 1.5 * exact


def test_paths_are_of_one_mechanism() -> None:
    with pytest.raises((NoProof, bursar.InvalidParameter)):
        epsilons(bursar.Laplace(scale=1), steps=3, delta="1e-5")
