"""Propose, test, release: its distance, its law, and its claim under the auditor."""

from __future__ import annotations

import itertools
import math
from collections import deque

import numpy as np
import pytest
from scipy.stats import binom

from bursar import ApproximateDP, BudgetExceeded, InvalidParameter
from bursar.audit import Vectorised, look
from bursar.filters import DpFilter, Purse, Stage
from bursar.noise import discrete_laplace
from bursar.screening.stable import Proposal, StableRelease, most_common

Counts = tuple[int, ...]


def purse(epsilon: int = 8) -> Purse:
    return Purse({"shop": DpFilter(epsilon=epsilon, delta="1e-3", delta_of_steps="5e-4")})


def favourite(counts: Counts) -> int:
    return most_common(dict(enumerate(counts))).value


def neighbours(counts: Counts) -> list[Counts]:
    moved = [(i, by) for i in range(len(counts)) for by in (-1, 1)]
    found = [tuple(n + by * (j == i) for j, n in enumerate(counts)) for i, by in moved]
    return [one for one in found if min(one) >= 0]


def by_search(counts: Counts) -> int:
    """The distance to unstable data, by looking at all data sets in turn."""
    seen, waiting = {counts}, deque([(counts, 0)])
    while True:
        one, far = waiting.popleft()
        if any(favourite(near) != favourite(one) for near in neighbours(one)):
            return far
        for near in neighbours(one):
            if near not in seen:
                seen.add(near)
                waiting.append((near, far + 1))


@pytest.mark.parametrize("counts", list(itertools.product(range(4), repeat=3)))
def test_the_distance_is_the_distance(counts: Counts) -> None:
    assert most_common(dict(enumerate(counts))).distance == by_search(counts)


def test_one_category_is_always_stable() -> None:
    assert StableRelease(epsilon=1, delta="1e-9").passes(most_common({"tea": 0}).distance)


@pytest.mark.parametrize("delta", ["0.4", "0.01", "1e-6", "1e-300"])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "20"])
def test_the_threshold_is_the_least(epsilon: str, delta: str) -> None:
    found = StableRelease(epsilon=epsilon, delta=delta)
    e = float(epsilon)

    def log_tail(t: int) -> float:
        return -t * e - math.log1p(math.exp(-e))

    assert log_tail(found.threshold) <= math.log(float(delta)) + 1e-12
    assert found.threshold == 0 or log_tail(found.threshold - 1) > math.log(float(delta)) - 1e-12


@pytest.mark.statistical
def test_an_unstable_answer_leaves_as_seldom_as_delta() -> None:
    """2,000 tests at δ = 0.1; a false alarm in 1e9, and twice as often is seen."""
    test = StableRelease(epsilon="0.5", delta="0.1")
    chance = math.exp(-0.5 * test.threshold) / (1 + math.exp(-0.5))
    passed = sum(test.passes(0) for _ in range(2000))
    assert binom.ppf(5e-10, 2000, chance) <= passed <= binom.ppf(1 - 5e-10, 2000, chance)
    assert passed < binom.ppf(1e-9, 2000, 2 * chance)


def test_it_is_paid_for_before_data_is_read_and_whether_it_passes_or_not() -> None:
    money, test = purse(), StableRelease(epsilon=1, delta="1e-6")
    stages: list[Stage] = []

    def propose() -> Proposal[str]:
        stages.append(money.charge("q").stage)
        return Proposal("tea", 0)

    assert test.release(propose, purse=money, request="q") is None
    assert stages == [Stage.STARTED]
    assert test.release(propose, purse=money, request="q") is None, "the stored answer"
    assert len(stages) == 1
    assert money.history()[0].plan.steps[0][0] == ApproximateDP(epsilon=1, delta="1e-6")
    with pytest.raises(BudgetExceeded):
        test.release(propose, purse=purse(0), request="q")
    assert len(stages) == 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "field"),
    [
        ("0", "1e-6", "epsilon"),
        ("1", "0", "delta"),
        ("1", "1", "delta"),
        ("1e-300", "0.1", "epsilon"),
    ],
)
def test_bad_parameters(epsilon: str, delta: str, field: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        StableRelease(epsilon=epsilon, delta=delta)
    assert error.value.field == field


def test_bad_proposals() -> None:
    test = StableRelease(epsilon=1, delta="0.1")
    for distance in (-1, 1.5, True):
        with pytest.raises(InvalidParameter):
            test.passes(distance)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        most_common({})
    with pytest.raises(InvalidParameter):
        most_common({"tea": -1})
    assert "tea" not in repr(most_common({"tea": 7, "coffee": 2}))


CLAIM = ApproximateDP(epsilon="0.5", delta="0.01")


def outcomes(threshold: int, *, twice: bool = False, noisy: bool = True) -> Vectorised[Counts]:
    """Many runs at once, with the released value or −1; or a variant that is wrong."""

    def run(counts: Counts, size: int) -> np.ndarray:
        found = most_common(dict(enumerate(counts)))
        noise = discrete_laplace(scale=2, size=size) if noisy else np.zeros(size, np.int64)
        far = found.distance * (3 if twice else 1)
        return np.where(far + noise >= threshold, found.value, -1)

    return Vectorised(run)


RIGHT = StableRelease(epsilon="0.5", delta="0.01").threshold


@pytest.mark.statistical
@pytest.mark.parametrize("data", [(4, 4), (7, 4), (14, 5)])
def test_the_auditor_finds_nothing(data: Counts) -> None:
    near = (data[0] - 1, data[1])
    found = look(outcomes(RIGHT), data, near, claim=CLAIM, samples=60_000)
    assert not found.found
    assert found.resolution < 0.02


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("broken", "data"),
    [
        (outcomes(RIGHT // 2), (4, 4)),
        (outcomes(RIGHT, noisy=False), (RIGHT + 4, 4)),
        (outcomes(RIGHT, twice=True), (7, 4)),
    ],
    ids=["half the threshold", "no noise", "a distance of steps of three"],
)
def test_the_auditor_catches_what_is_wrong(broken: Vectorised[Counts], data: Counts) -> None:
    near = (data[0] - 1, data[1])
    assert look(broken, data, near, claim=CLAIM, samples=60_000).found
