"""What the figures of Wang et al. are computed with: sums of times, failures, estimates."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reproduce.wang import _curves
from reproduce.wang._estimates import Fft, estimator, fft, step, told_by
from tests.engines import package


def row(x: float, off: float, seconds: float = 2.0) -> dict[str, Any]:
    return {"x": x, "truth": 1.0, "width": 0.0, "off": {"FFT": off}, "seconds": {"FFT": seconds}}


def test_the_time_of_every_step_is_a_sum_of_trapezia() -> None:
    assert _curves.summed([row(10, 0), row(20, 0)], "FFT") == [(10, 20.0), (20, 40.0)]
    assert _curves.summed([row(10, 0, 0), row(20, 0, 4)], "FFT")[-1] == (20, 20.0)


def test_failures_are_counted() -> None:
    told = _curves.failures([row(1, 0.0), row(2, -0.5), row(3, math.nan), row(4, 0.05)], x="k")
    assert "| FFT | 2 of 4, k from 2 to 3 | 1 of 4 | fails at 3 |" in told


def test_errors_stand_beside_references() -> None:
    told = _curves.beside_references([row(1, -0.5), row(2, math.inf)], {1: 0.9, 3: 7}, x="k")
    assert told.splitlines()[2:] == ["| 1 | 0.9 | 1 | -5.0e-01 |"]


def test_an_error_is_of_the_answer_and_not_inside_the_enclosure() -> None:
    from bursar.truth import Enclosure

    found = _curves._beside(
        lambda: Enclosure(lower=1.0, upper=2.0),
        {"in": lambda: 1.5, "above": lambda: 3.0, "fails": lambda: 1 / 0},
    )
    assert found["off"]["in"] == 0
    assert found["off"]["above"] == 0.5
    assert math.isnan(found["off"]["fails"])
    assert found["width"] == 0.5


def test_every_estimate_is_there() -> None:
    run = 1200 * step("70", "1")
    for name in ("GDP", "GDP-Edgeworth", "AFA", "saddle point"):
        assert estimator(name).delta(run, epsilon=1).value == pytest.approx(0.006396, rel=0.02)
    assert math.isnan(told_by(lambda: 1 / 0))


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_the_estimate_is_that_of_prv_accountant() -> None:
    package("prv_accountant")
    accountant = fft("2", "0.01", 100, 0.01)
    ours = Fft(accountant, 100)
    assert ours.epsilon(1e-5) == pytest.approx(accountant.compute_epsilon(1e-5, [100])[1], rel=1e-9)
    assert ours.delta(0.1) == pytest.approx(accountant.compute_delta(0.1, [100])[1], rel=1e-9)
