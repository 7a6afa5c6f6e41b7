"""Moments of the subsampled Gaussian: two other roads, and plans that are bad on purpose."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from bursar.errors import LimitReached
from bursar.numerics import mixture_moment, mixture_sketch
from bursar.numerics.balls import precision
from bursar.numerics.mixture_moment import log_moment
from bursar.numerics.mixture_plan import Meeting, Plan, planned
from tests.privacy.renyi_slow import excess, log_moment_by_sum
from tests.sweeps import quick_first

GOOD_BITS = 56


def decimal(text: str) -> Fraction:
    return Fraction(text)


def near(found: arb, truth: mp.mpf, digits: int = 25) -> bool:
    """Whether the ball meets the truth, which is known to so many digits."""
    with precision(300):
        return found.overlaps(arb(mp.nstr(truth, 50)) * (1 + arb(0, f"1e-{digits}")))


REAL = [
    ("1", "0.001", "1.1"),  # where others are off by 0.7 %
    ("1", "0.001", "1.000001"),
    ("1", "1e-9", "2.5"),
    ("2", "0.999", "5.5"),
    ("100", "0.01", "2.5"),
    ("10000", "1e-12", "1.5"),
    ("0.6", "0.01", "7.25"),
    ("0.3", "0.5", "3.7"),
    ("0.1", "0.001", "1.5"),
    ("0.15", "1e-6", "1.01"),
    ("3", "0.2", "40.5"),
]


@pytest.mark.parametrize(("sigma", "q", "order"), quick_first(REAL, 6))
def test_real_orders_agree_with_integration(sigma: str, q: str, order: str) -> None:
    setting = decimal(sigma), decimal(q), decimal(order)
    found = log_moment(*setting)
    with mp.workdps(60):
        assert near(found, mp.log1p(excess(*setting)))
    assert found.rel_accuracy_bits() >= GOOD_BITS


logs = st.floats(min_value=-1.0, max_value=4.0)


@given(logs, st.floats(min_value=-12.0, max_value=-0.01), st.integers(min_value=2, max_value=80))
def test_whole_orders_agree_with_the_binomial_theorem(
    log_s: float, log_q: float, order: int
) -> None:
    sigma, q = decimal(repr(10**log_s)), decimal(repr(10**log_q))
    found, other = log_moment(sigma, q, Fraction(order)), log_moment_by_sum(sigma, q, order)
    assert found.overlaps(other)
    assert found.rel_accuracy_bits() >= GOOD_BITS


@pytest.mark.parametrize(
    ("sigma", "q", "order"),
    [
        ("30", "0.001", 12_435),  # two humps, far apart, both in sight
        ("10", "1e-6", 2_764),
        ("10", "0.01", 1_000),
        ("20", "0.2", 700),  # one broad hump
        ("50", "0.5", 3_600),
        ("1", "0.01", 20_000),
        ("0.1", "1e-12", 30_000),  # the far hump only, at the end of a long line
    ],
)
def test_large_orders_agree_with_the_binomial_theorem(sigma: str, q: str, order: int) -> None:
    found = log_moment(decimal(sigma), decimal(q), Fraction(order))
    assert found.overlaps(log_moment_by_sum(decimal(sigma), decimal(q), order, bits=600))
    assert found.rel_accuracy_bits() >= GOOD_BITS


def test_parted_humps_are_summed_apart() -> None:
    plan = planned(Fraction(30), decimal("0.001"), Fraction(12_435))
    assert len(plan.ranges) == 2
    assert all(plan.apart)
    assert sum(last - first for first, last in plan.ranges) < 150


@given(
    logs,
    st.floats(min_value=-12.0, max_value=-1e-9),
    st.floats(min_value=-8.0, max_value=5.0),
)
def test_everything_in_the_domain_is_told_well_and_soon(
    log_s: float, log_q: float, log_more: float
) -> None:
    order = 1 + decimal(repr(10**log_more))
    found = log_moment(decimal(repr(10**log_s)), decimal(repr(10**log_q)), order)
    assert found > 0
    assert found.rel_accuracy_bits() >= GOOD_BITS


def starts(cells: Meeting) -> Meeting:
    """The first cells only, from either side."""
    return cells[0][:1], cells[1][:1]


def ends(cells: Meeting) -> Meeting:
    """One long cell from either side."""
    return cells[0][-1:], cells[1][:1] + cells[1][-1:]


def spoiled(plan: Plan, kind: str) -> Plan:
    """The plan with one part of it worse than float64 would propose."""
    (first, _), (_, last) = plan.ranges[0], plan.ranges[-1]
    middle = (first + last) // 2
    return {
        "coarse": dataclasses.replace(plan, step=1.6 * plan.step),
        "coarser": dataclasses.replace(plan, step=2.5 * plan.step),
        "low cut": dataclasses.replace(plan, ranges=((middle - 2, plan.ranges[-1][1]),)),
        "high cut": dataclasses.replace(plan, ranges=((plan.ranges[0][0], middle + 2),)),
        "few bits": dataclasses.replace(plan, bits=60),
        "no cells": dataclasses.replace(plan, near=((), ()), far=((), ())),
        "long cells": dataclasses.replace(plan, near=ends(plan.near), far=ends(plan.far)),
        "few cells": dataclasses.replace(plan, apart=ends(plan.apart)),
        "not met": dataclasses.replace(plan, far=starts(plan.far), near=starts(plan.near)),
        "far apart": dataclasses.replace(plan, apart=starts(plan.apart)),
    }[kind]


KINDS = (
    *("coarse", "coarser", "low cut", "high cut", "few bits"),
    *("no cells", "long cells", "few cells", "not met", "far apart"),
)
WHOLE = (
    *(("1", "0.01", 8), ("1", "0.01", 3), ("0.3", "0.001", 6)),
    *(("5", "0.3", 40), ("30", "0.001", 12_435), ("0.5", "1e-6", 30)),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sigma", "q", "order"), WHOLE)
def test_a_bad_plan_costs_width_or_is_refused_and_never_truth(
    monkeypatch: pytest.MonkeyPatch, sigma: str, q: str, order: int, kind: str
) -> None:
    def bad(*setting: Fraction) -> Plan:
        return spoiled(planned(*setting), kind)

    monkeypatch.setattr(mixture_moment, "planned", bad)
    truth = log_moment_by_sum(decimal(sigma), decimal(q), order, bits=600)
    try:
        found = log_moment(decimal(sigma), decimal(q), Fraction(order))
    except LimitReached:
        return
    assert found.overlaps(truth)


@pytest.mark.parametrize("part", ["_tail", "_cells", "_strip"])
def test_a_proof_that_forgets_a_part_is_caught(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """The bad plans above would show it: with one of the bounds at 0 some ball misses the truth."""
    monkeypatch.setattr(mixture_moment, part, lambda *_: arb(0))
    missed = 0
    for sigma, q, order in WHOLE:
        truth = log_moment_by_sum(decimal(sigma), decimal(q), order, bits=600)
        for kind in KINDS:
            plan = spoiled(planned(decimal(sigma), decimal(q), Fraction(order)), kind)
            monkeypatch.setattr(mixture_moment, "planned", lambda *_, plan=plan: plan)
            try:
                found = log_moment(decimal(sigma), decimal(q), Fraction(order))
            except (LimitReached, IndexError):
                continue
            missed += not found.overlaps(truth)
    assert missed


def test_everybody_sampled_is_the_plain_gaussian() -> None:
    found = log_moment(Fraction(2), Fraction(1), Fraction(5, 2))
    assert found.contains(arb(15) / 32)
    almost = log_moment(Fraction(2), 1 - Fraction(1, 10**14), Fraction(5, 2))
    assert almost < found
    assert almost > found * (1 - arb("1e-12"))


@pytest.mark.parametrize(
    "setting",
    [
        ("1e-6", "0.5", "2"),  # so little noise that the strip is too narrow
        ("1e-150", "0.5", "2"),
        ("1e150", "0.5", "2"),
        ("1", "1e-300", "2"),
        ("1", "0.5", "1e101"),
    ],
)
def test_too_large_a_computation_is_refused(setting: tuple[str, str, str]) -> None:
    with pytest.raises(LimitReached, match="needs more than"):
        log_moment(*map(decimal, setting))


@given(
    logs,
    st.floats(min_value=-12.0, max_value=-0.01),
    st.floats(min_value=-4.0, max_value=4.0),
)
def test_the_sketch_is_near(log_s: float, log_q: float, log_more: float) -> None:
    sigma, q, order = 10**log_s, 10**log_q, 1 + 10**log_more
    rows = mixture_sketch.Rows(*(np.array([value]) for value in (sigma, q, order)))
    found = log_moment(*(decimal(repr(value)) for value in (sigma, q, order)))
    assert mixture_sketch.log_moments(rows)[0] == pytest.approx(float(found), rel=1e-5)


def test_the_sketch_takes_many_rows_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    order = 1 + np.exp(np.linspace(-6, 9, 40))
    rows = mixture_sketch.Rows(np.full(40, 1.0), np.full(40, 0.01), order)
    whole = mixture_sketch.log_moments(rows)
    monkeypatch.setattr(mixture_sketch, "_CHUNK", 100)
    assert np.array_equal(mixture_sketch.log_moments(rows), whole)
    assert np.all(np.diff(whole) > 0)


def test_the_sketch_knows_orders_that_float64_cannot_place() -> None:
    rows = mixture_sketch.Rows(np.array([1e6]), np.array([1e-6]), np.array([4e16]))
    assert mixture_sketch.log_moments(rows)[0] >= 4e16 * math.log(1e-6) + 0.5 * (4e16 / 1e6) ** 2
