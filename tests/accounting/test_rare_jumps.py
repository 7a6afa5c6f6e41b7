"""Laws of rare jumps: answers do not depend on where a law was cut, or how softly."""

from __future__ import annotations

import pytest

from bursar import Direction, Enclosure, Gaussian, PoissonSubsampled
from bursar.accounting import exact
from bursar.mechanisms.plan import Plan
from bursar.numerics import levels


def run(sigma: str, q: str, k: int) -> Plan:
    return k * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


def epsilon(plan: Plan, delta: str) -> Enclosure:
    found = exact.epsilon(plan, delta=delta, direction=Direction.REMOVE)
    assert isinstance(found, Enclosure)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "delta", "golden"),
    [
        (run("0.5", "1e-3", 1000), "1e-5", 3.238878088789),
        (run("0.8", "1e-4", 5000), "1e-15", 1.368675088011),
    ],
)
def test_other_cuts_overlap(
    monkeypatch: pytest.MonkeyPatch, plan: Plan, delta: str, golden: float
) -> None:
    """Softer or harder thresholds, shorter contours: other slices, the same ε."""
    found = [epsilon(plan, delta)]
    for name, value in (("_SOFT", 0.15), ("_EASY", 700)):
        with monkeypatch.context() as changed:
            changed.setattr(levels, name, value)
            found.append(epsilon(plan, delta))
    assert max(one.lower for one in found) <= min(one.upper for one in found)
    assert all(one.upper - one.lower <= 1e-12 * one.upper for one in found)
    assert found[0].upper == pytest.approx(golden, rel=1e-11)


@pytest.mark.slow
def test_many_small_losses_with_a_heavy_tail() -> None:
    """Neither an atom nor a bell: the sum of a hundred losses near lognormal, ε among them."""
    found = epsilon(run("0.5", "1e-5", 100), "1e-5")
    assert found.upper - found.lower <= 1e-9 * found.upper
    assert found.lower * (1 - 1e-11) <= 0.004073447709952 <= found.upper * (1 + 1e-11)
