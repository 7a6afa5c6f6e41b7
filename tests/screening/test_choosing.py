"""Screens that are chosen for a budget, a length, a rate: met, and not by far."""

from __future__ import annotations

import math

import pytest

import bursar
from bursar import InvalidParameter, SparseVector, Unreachable
from bursar.screening import (
    expected_answers,
    false_alarm_rate,
    longest,
    query_share,
    screen_for,
    screen_for_rate,
)


@pytest.mark.parametrize(("cutoff", "monotone"), [(1, False), (5, False), (5, True)])
def test_the_budget_is_met_and_used(cutoff: int, monotone: bool) -> None:
    found = screen_for(epsilon=1, delta="1e-6", length=1000, cutoff=cutoff, monotone=monotone)
    spent = float(bursar.epsilon(found, delta="1e-6"))
    assert 1 - 1e-6 < spent <= 1


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", [1, 9])
def test_noise_is_shared_so_that_false_alarms_are_few(cutoff: int) -> None:
    """At the same budget, another share of the noise has more of them; of the same length."""
    best = screen_for(epsilon=1, delta="1e-6", length=1000, cutoff=cutoff)
    rate = false_alarm_rate(best, gap=60)
    for other in (1 / 3, 3.0):
        share = float(query_share(cutoff=cutoff)) * other

        def made(noise: float, share: float = share) -> SparseVector:
            return SparseVector(
                threshold_noise=noise,
                query_noise=f"{noise * share:.8g}",
                length=1000,
                cutoff=cutoff,
            )

        found = bursar.calibrate(made, epsilon=1, delta="1e-6")
        assert false_alarm_rate(made(found.value), gap=60) > 1.1 * rate


def test_the_longest_run() -> None:
    noises = {"threshold_noise": 9, "query_noise": 14}
    found = longest(epsilon=1, delta="1e-6", **noises)
    assert found.length is not None
    one_more = SparseVector(**noises, length=found.length + 1)
    assert float(bursar.epsilon(found, delta="1e-6")) <= 1
    assert float(bursar.epsilon(one_more, delta="1e-6")) > 1
    assert longest(epsilon=9, delta="1e-6", **noises, most=500).length == 500
    with pytest.raises(Unreachable):
        longest(epsilon="0.01", delta="1e-6", **noises)


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
def test_the_rate_is_kept_and_used(law: str) -> None:
    for rate in (1e-2, 1e-9):
        found = screen_for_rate(rate=rate, gap=1500, length=10**5, law=law)
        kept = false_alarm_rate(found, gap=1500)
        assert rate * (1 - 1e-6) < kept <= rate
        assert expected_answers(found, gap=1500) > 0.1 / rate or kept * 1e5 < 1
    endless = screen_for_rate(rate=1e-3, gap=100, law="laplace")
    assert endless.length is None
    normal = screen_for_rate(rate=0.02275013, gap=2, length=5)
    assert math.hypot(normal.threshold_noise, normal.query_noise) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"rate": 0}, "rate"), ({"rate": 0.5}, "rate"), ({"gap": 0}, "gap"),
     ({"length": None}, "length"), ({"cutoff": 6}, "cutoff"), ({"law": "rounded-gaussian"}, "law"),
     ({"monotone": 1}, "monotone")],
)  # fmt: skip
def test_bad_input(changes, field: str) -> None:
    good = {"rate": 1e-3, "gap": 10, "length": 5}
    with pytest.raises(InvalidParameter) as caught:
        screen_for_rate(**good | changes)
    assert caught.value.field == field
