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


# By another implementation, in float64: soft thresholds and shifted lines, to its last digits.
KNOWN = [
    ("1", "1e-3", 1000, "1e-5", 0.1489015579652, 0.1178681494982),
    ("0.6", "1e-3", 100, "1e-9", 3.435144052878, 0.07065308655415),
    ("0.5", "1e-3", 1000, "1e-5", 3.238878088789, 0.3842088328397),
    ("0.8", "1e-4", 5000, "1e-15", 1.368675088011, 0.08314131080899),
    ("0.5", "1e-5", 100, "1e-30", 11.8438854488, 0.0009508709372758),
]
# By another implementation, in balls of 128 bits.
DEEP = [
    ("2", "0.01", 1000, "1e-100", 6.8128890732894867),
    ("0.8", "256/60000", 14000, "1e-300", 127.36098714301161),
    ("1", "0.01", 100_000, "1e-30", 57.061695304237894),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "q", "k", "delta", "remove", "add"), KNOWN)
def test_both_directions_are_known(
    sigma: str, q: str, k: int, delta: str, remove: float, add: float
) -> None:
    for way, known in ((Direction.REMOVE, remove), (Direction.ADD, add)):
        found = exact.epsilon(run(sigma, q, k), delta=delta, direction=way)
        assert isinstance(found, Enclosure)
        assert found.upper == pytest.approx(known, rel=1e-11)
        assert found.upper - found.lower <= 1e-9 * found.upper


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "q", "k", "delta", "known"), DEEP)
def test_far_deltas_are_known(sigma: str, q: str, k: int, delta: str, known: float) -> None:
    found = epsilon(run(sigma, q, k), delta)
    assert found.upper == pytest.approx(known, rel=1e-15)
    assert found.upper - found.lower <= 1e-15 * found.upper
