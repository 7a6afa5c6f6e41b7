"""Granted or not, a device takes the same time: when it answers does not tell what it has left."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from bursar import Gaussian
from bursar.filters import Device, LocalFilter, RenyiFilter
from bursar.noise import rounded_gaussian

pytestmark = pytest.mark.statistical

STEP = Gaussian(noise_multiplier=1)
LOCAL = LocalFilter(RenyiFilter({2: "1.5"}, adjacency="zero-out"), null=0)
CALLS = 3000


def ours(device: Device) -> int:
    """Feed a value, or the null once the budget is gone, to the same randomizer."""
    _, fed = LOCAL.feed(device, STEP, 7)
    return fed + int(rounded_gaussian(noise_std=1, size=1)[0])


def early(device: Device) -> int:
    """The kept mutant: once the budget is gone it sends its null at once."""
    _, fed = LOCAL.feed(device, STEP, 7)
    return fed + int(rounded_gaussian(noise_std=1, size=1)[0]) if fed else 0


def gap(run: Callable[[Device], int]) -> float:
    """By how much the medians of both differ, relatively; calls take turns, as a machine slows."""
    times: list[tuple[int, int]] = []
    for _ in range(CALLS):
        fresh, spent = LOCAL.start(), LOCAL.feed(LOCAL.start(), STEP, 7)[0]
        times.append((timed(run, fresh), timed(run, spent)))
    first, second = np.median(times, axis=0)
    return abs(float(second / first) - 1)


def timed(run: Callable[[Device], int], device: Device) -> int:
    start = time.perf_counter_ns()
    run(device)
    return time.perf_counter_ns() - start


def test_when_it_answers_does_not_tell_what_is_left() -> None:
    """Within 4 % of the median; both run the same statements."""
    device = LOCAL.feed(LOCAL.start(), STEP, 7)[0]
    assert LOCAL.feed(device, STEP, 7)[1] == 0  # the second step does not fit
    assert gap(ours) < 0.04


def test_an_early_null_is_caught() -> None:
    assert gap(early) > 0.2
