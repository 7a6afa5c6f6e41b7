"""Stopping rules: exact sums under the noise, sensitivities that are attained, and their costs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from bursar.errors import CorruptBooks, InvalidParameter
from bursar.exact import Exact
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.individual import IndividualFilter, Inside
from bursar.filters.individual_costs import given
from bursar.filters.planning import cost
from bursar.filters.stopping import AccuracyChecks, ActiveCount, Attendance, StillActive
from bursar.mechanisms.gaussian import Gaussian


def silence(**asked: Any) -> np.ndarray:
    """A sampler that adds nothing."""
    return np.zeros(asked["size"], np.int64)


class Counting:
    """A sampler that numbers its draws, to see what each of them is added to."""

    def __init__(self) -> None:
        self.draws = 0

    def __call__(self, **asked: Any) -> np.ndarray:
        self.draws += 1
        return np.full(asked["size"], 10 ** (2 + self.draws), np.int64)


@over(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_without_noise_the_count_is_exact(finished: list[int]) -> None:
    rule = ActiveCount(horizon=len(finished), noise_std=1)
    tree, active = rule.tell(rule.start(), 1000, silence)
    for done in finished:
        tree, told = rule.tell(tree, -done, silence)
        active -= done
        assert told == active
    with pytest.raises(InvalidParameter, match="made for"):
        rule.tell(tree, 0, silence)


@pytest.mark.parametrize("horizon", [1, 2, 7, 8, 30])
def test_a_person_changes_no_more_sums_than_are_paid_for(horizon: int) -> None:
    """Over all times of finishing; the worst one changes nearly all sums of the plan."""
    rule = ActiveCount(horizon=horizon, noise_std=5)

    def sums(finish: int | None) -> list[int]:
        tree, found = rule.start(), []
        for time in range(horizon + 1):
            change = (time == 0) - (time == finish) if finish is not None else 0
            tree, _ = rule.tell(tree, int(change), silence)
            sums, _ = tree.reveal()
            found.append(next(s for i, s in enumerate(sums) if (tree.time >> i) & 1))
        return found

    changed = [sum(s**2 for s in sums(finish)) for finish in range(1, horizon + 2)]
    ((_, paid),) = rule.plan.steps
    assert max(changed) <= paid
    assert paid <= 2 * rule.levels


def test_the_noise_of_an_answer_is_that_of_its_sums() -> None:
    rule, sampler = ActiveCount(horizon=14, noise_std=10), Counting()
    tree = rule.start()
    for time in range(15):
        tree, told = rule.tell(tree, 0, sampler)
        assert str(told).count("1") == (time + 1).bit_count()
        assert rule.std_at(time) == pytest.approx(math.sqrt(100.25 * (time + 1).bit_count()))
    assert sampler.draws == 15
    assert "10000" not in repr(tree)


def test_attendance_counts_everybody_once() -> None:
    machine = IndividualFilter.zcdp(rho=10, people=4, unit=1)
    standing, here = machine.start(), Attendance(np.array([True, True, True, False]))
    left = []
    for costs in ([6, 11, 1, 0], [5, 1, 1, 0], [1, 1, 10, 0]):
        standing, inside = machine.charge(standing, given(machine, np.array(costs)))
        here, finished = here.after(inside)
        left.append((finished, here.here()))
    assert left == [(1, 2), (1, 1), (1, 0)]
    assert here.after(Inside(np.ones(4, np.bool_)))[1] == 0


def two_sided(scale: float, at: int) -> float:
    return (1 - math.exp(-1 / scale)) / (1 + math.exp(-1 / scale)) * math.exp(-abs(at) / scale)


def at_least(scale: float, at: int) -> float:
    """P(noise ≥ at)."""
    if at > 0:
        return math.exp(-at / scale) / (1 + math.exp(-1 / scale))
    return 1 - at_least(scale, 1 - at)


def said(rule: StillActive, counts: list[int], until: int) -> float:
    """The probability of yes to all counts before `until`, and no to that one."""
    first, second = float(rule.threshold_scale), float(rule.count_scale)
    total = 0.0
    for noise in range(-400, 401):
        yes = [at_least(second, rule.least + noise - count) for count in counts]
        total += two_sided(first, noise) * math.prod(yes[:until]) * (1 - yes[until])
    return total


@over(
    st.lists(st.tuples(st.integers(-6, 6), st.booleans()), min_size=1, max_size=6),
    st.sampled_from([(1, 2), (3, 2), (2, 5)]),
)
def test_the_screen_costs_no_more_than_it_says(
    run: list[tuple[int, bool]], scales: tuple[int, int]
) -> None:
    rule = StillActive(least=10, threshold_scale=scales[0], count_scale=scales[1])
    without = [10 + count for count, _ in run]
    with_one = [count + there for count, (_, there) in zip(without, run, strict=True)]
    p, q = (said(rule, counts, len(run) - 1) for counts in (with_one, without))
    epsilon = float(1 / Fraction(scales[0]) + 1 / Fraction(scales[1]))
    assert abs(math.log(p / q)) <= epsilon * (1 + 1e-9)
    assert rule.plan.steps[0][0].epsilon == Exact(Fraction(1, scales[0]) + Fraction(1, scales[1]))  # type: ignore[attr-defined]


def test_the_screen_is_nearly_attained_and_half_of_it_is_too_little() -> None:
    rule = StillActive(least=10, threshold_scale=4, count_scale=4)
    many = [(11, 10)] * 40 + [(10, 10)]
    with_one, without = ([pair[i] for pair in many] for i in (0, 1))
    loss = abs(math.log(said(rule, with_one, 40) / said(rule, without, 40)))
    assert 0.25 < loss <= 0.5


def test_a_screen_is_over_after_a_no() -> None:
    rule = StillActive(least=10, threshold_scale=1, count_scale=1)
    screen = rule.start(silence)
    screen, enough = rule.tell(screen, 10, silence)
    assert enough
    screen, enough = rule.tell(screen, 9, silence)
    assert not enough
    with pytest.raises(CorruptBooks, match="over"):
        rule.tell(screen, 100, silence)
    assert "noise" not in repr(rule.start(Counting()))


def test_accuracy_at_a_resolution() -> None:
    rule = AccuracyChecks(people=60_000, checks=8, resolution="0.01", failure="0.05")
    assert rule.plan == 8 * Gaussian(noise_multiplier=rule.noise_std)
    tail = 2 * 0.5 * math.erfc(599.5 / float(rule.noise_std) / math.sqrt(2))
    assert tail <= 0.05
    checks = rule.start()
    with pytest.raises(InvalidParameter, match="no check was made"):
        rule.best(checks.told)
    for right in (30_000, 45_000, 54_000, 54_300, 54_200):
        checks = rule.tell(checks, right, silence)
    assert rule.best(checks.told) == 3
    assert rule.plateau(checks.told)
    assert not rule.plateau(checks.told[:3])
    assert rule.plateau((Exact("0.5"), Exact("0.509")), patience=1)
    assert not rule.plateau((Exact("0.5"), Exact("0.51")), patience=1)
    for _ in range(3):
        checks = rule.tell(checks, 0, silence)
    with pytest.raises(InvalidParameter, match="all checks"):
        rule.tell(checks, 0, silence)


def test_a_rule_answers_once_for_each_state() -> None:
    """Told again, it would draw new noise for what was paid once."""
    count = ActiveCount(horizon=3, noise_std=5)
    screen = StillActive(least=3, threshold_scale=5, count_scale=5)
    checks = AccuracyChecks(people=1000, checks=2, resolution="0.1", failure="0.1")
    for rule, state, other in (
        (count, count.start(), ActiveCount(horizon=3, noise_std=6)),
        (screen, screen.start(silence), StillActive(least=3, threshold_scale=5, count_scale=6)),
        (
            checks,
            checks.start(),
            AccuracyChecks(people=1000, checks=9, resolution="0.1", failure="0.1"),
        ),
    ):
        with pytest.raises(CorruptBooks, match="another rule"):
            other.tell(state, 4, silence)  # type: ignore[attr-defined]
        with pytest.raises(InvalidParameter):
            rule.tell(state, "4", silence)  # type: ignore[attr-defined]
        rule.tell(state, 4, silence)  # type: ignore[attr-defined]
        with pytest.raises(CorruptBooks, match="newer one"):
            rule.tell(state, 4, silence)  # type: ignore[attr-defined]


def test_what_the_checks_of_the_experiments_cost() -> None:
    """One standard deviation of noise per resolution: 8 checks of 1% cost less than one step of
    ε = 0.3 or 0.5, and of 0.1% some two dozen steps of ε = 1, which is 5% of ρ and not 1%."""
    zcdp = ZcdpFilter(rho=1)

    def rho(count: int, noise_std: int) -> Fraction:
        found = cost(zcdp, count * Gaussian(noise_multiplier=noise_std))["rho"]
        assert found is not None
        return found

    assert rho(8, 600) < min(rho(1, 170), rho(1, 130))
    assert 20 < rho(8, 60) / rho(1, 100) < 25
    assert 0.05 < rho(8, 60) / rho(420, 100) < 0.06


@pytest.mark.parametrize(
    "bad",
    [
        lambda: ActiveCount(horizon=0, noise_std=1),
        lambda: ActiveCount(horizon=3, noise_std=0),
        lambda: StillActive(least=-1, threshold_scale=1, count_scale=1),
        lambda: StillActive(least=1, threshold_scale=math.inf, count_scale=1),
        lambda: AccuracyChecks(people=10, checks=1, resolution="0.01", failure="0.1"),
        lambda: AccuracyChecks(people=10, checks=0, resolution="0.1", failure="0.1"),
        lambda: ActiveCount(horizon=3, noise_std=1).tell(
            ActiveCount(horizon=3, noise_std=1).start(), 1.5, silence
        ),  # type: ignore[arg-type]
    ],
)
def test_bad_rules_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidParameter):
        bad()
