"""How long screens last: quadrature beside sums, other rules, and screens that run."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from bursar import InvalidParameter, LaplaceSparseVector, SparseVector
from bursar.errors import LimitReached
from bursar.numerics.screen_moment import Capped
from bursar.screening import Run, expected_answers, false_alarm_rate, never_stops, open_after

LAPLACE = {"threshold_law": "laplace", "query_law": "laplace"}


def screen(s1=10, s2=20, **more) -> SparseVector:
    return SparseVector(threshold_noise=s1, query_noise=s2, **more)


def test_the_answers_are_the_proved_moment_at_order_zero() -> None:
    """E m(z), z ~ N(0, σ₁²), of `screen_moment`: another rule, in balls."""
    for s1, s2, gap, length in ((10, 20, 60, 1000), (3, 1, -2, 50), (1, 4, 20, 10**6)):
        proved = Capped(*(Fraction(x) for x in (s1, s2, gap)), length).log_bound(Fraction(0))
        found = expected_answers(screen(s1, s2, length=length), gap=gap)
        assert found == pytest.approx(math.exp(float(proved)), rel=1e-9)


@pytest.mark.parametrize("laws", [{}, LAPLACE, {"query_law": "laplace"}])
@pytest.mark.parametrize("cutoff", [1, 2, 5])
def test_the_answers_are_the_sum_of_staying_open(laws, cutoff: int) -> None:
    one = screen(3, 5, length=12, cutoff=cutoff, **laws)
    for gap in (-4, 0, 11):
        open_before = open_after(one, gaps=[gap] * 11)
        assert expected_answers(one, gap=gap) == pytest.approx(open_before.sum(), rel=1e-6)


def test_without_a_length() -> None:
    with mpmath.workdps(25):
        exact = mpmath.quad(
            lambda z: mpmath.npdf(z, 0, 10) / mpmath.ncdf(-(60 + z) / mpmath.mpf(20)),
            mpmath.linspace(-130, 160, 30),
        )
    endless = screen(cutoff=1, highest_threshold=60)
    assert expected_answers(endless, gap=60) == pytest.approx(float(exact), rel=1e-8)
    three = screen(cutoff=3, highest_threshold=60)
    assert expected_answers(three, gap=60) == pytest.approx(3 * float(exact), rel=1e-8)
    # e^{(gap+ρ)/λ₂} of Laplace ρ has mean e^{gap/λ₂}/(1 − λ₁²/λ₂²), and the rest is below 1.1
    classical = LaplaceSparseVector(threshold_noise=10, query_noise=20)
    mean = 2 * math.exp(15) / (1 - 0.25)
    assert expected_answers(classical, gap=300) == pytest.approx(mean, rel=1e-6)
    tilted = screen(10, 20, query_law="laplace")
    mean = 2 * math.exp(15 + 1 / 8)
    assert expected_answers(tilted, gap=300) == pytest.approx(mean, rel=1e-6)


def test_where_there_is_no_mean_it_is_infinite() -> None:
    for one in (
        LaplaceSparseVector(threshold_noise=20, query_noise=20),
        LaplaceSparseVector(threshold_noise=21, query_noise=20),
    ):
        assert expected_answers(one, gap=1) == math.inf
    capped = screen(20, 5, length=10**6)
    assert 1 < expected_answers(capped, gap=100) < 10**6


def test_nothing_underflows() -> None:
    """At 50 deviations Q is 0 in floats: the run lasts its whole length, and no longer."""
    for cutoff in (1, 4):
        far = screen(1, 1, length=1000, cutoff=cutoff)
        assert expected_answers(far, gap=100) == pytest.approx(1000, rel=1e-12)
        assert expected_answers(far, gap=-100) == pytest.approx(cutoff, rel=1e-12)
    assert false_alarm_rate(screen(1, 1, query_law="laplace"), gap=600) > 0
    assert 0 < false_alarm_rate(screen(3, 4, length=5), gap=187) < 1e-300


def test_false_alarms() -> None:
    normal = false_alarm_rate(screen(3, 4, length=5), gap=5)
    assert normal == pytest.approx(0.15865525393145707, rel=1e-12)
    # the sum of two Laplace laws of one scale: Q(t) = (2 + t)e^{-t}/4
    both = LaplaceSparseVector(threshold_noise=3, query_noise=3)
    assert false_alarm_rate(both, gap=6) == pytest.approx(math.exp(-2), rel=1e-9)
    assert false_alarm_rate(both, gap=-6) == pytest.approx(1 - math.exp(-2), rel=1e-9)


def test_growing_thresholds_never_stop_for_good() -> None:
    """Prop. 26 with the threshold's noise, by Simpson's rule; without it the value is another."""
    one = LaplaceSparseVector(threshold_noise=10, query_noise=20)
    z = np.linspace(-400, 400, 40_001)
    density = np.exp(-np.abs(z) / 10) / 20
    lasts = np.ones_like(z)
    for i in range(12):
        t = (30 * 2.0**i + z) / 20
        lasts *= np.where(t < 0, 0.5 * np.exp(np.minimum(t, 0)), 1 - 0.5 * np.exp(-np.abs(t)))
    weights = np.ones_like(z)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    truth = float(np.sum(density * lasts * weights) * (z[1] - z[0]) / 3)
    found = never_stops(one, first_gap=30, growth=2)
    assert found == pytest.approx(truth, rel=1e-6)
    quiet = math.prod(1 - 0.5 * math.exp(-1.5 * 2**i) for i in range(12))
    assert quiet - found > 0.02
    assert found == pytest.approx(open_after(one, gaps=30 * 2.0 ** np.arange(14))[-1], rel=1e-9)
    # where the printed sum is above 1, and so says nothing, the probability is still above 0
    near = LaplaceSparseVector(threshold_noise=1, query_noise=20)
    assert sum(0.5 * math.exp(-0.05 * 1.1**i) for i in range(90)) > 1
    assert never_stops(near, first_gap=1, growth="1.1") > 0
    assert never_stops(screen(length=9), first_gap=1, growth=2) == 0


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda s: expected_answers(s, gap=math.nan), "gap"),
        (lambda s: open_after(s, gaps=[1, math.inf]), "gaps"),
        (lambda s: open_after(s, gaps=3), "gaps"),
        (lambda s: never_stops(s, first_gap=0, growth=2), "first_gap"),
        (lambda s: never_stops(s, first_gap=1, growth=1), "growth"),
        (
            lambda _: never_stops(
                LaplaceSparseVector(threshold_noise=1, query_noise=2, cutoff=2),
                first_gap=1,
                growth=2,
            ),
            "cutoff",
        ),
        (
            lambda _: false_alarm_rate(screen(length=3, query_law="discrete-laplace"), gap=1),
            "law",
        ),
    ],
)
def test_bad_input(call, field: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        call(screen(length=9))
    assert caught.value.field == field


def test_too_slow_a_growth_is_a_limit() -> None:
    one = LaplaceSparseVector(threshold_noise=10, query_noise=20)
    with pytest.raises(LimitReached, match="too slowly"):
        never_stops(one, first_gap=1, growth="1.00001")


@pytest.mark.statistical
@pytest.mark.parametrize("laws", [{}, LAPLACE], ids=["normal", "laplace"])
def test_screens_that_run_last_so_long(laws) -> None:
    """4,000 runs; 5 deviations: false alarm 6e-7.  A mean without the threshold's noise fails."""
    for cutoff, gap in ((1, 30), (3, 20)):
        one = screen(15, 20, length=60, cutoff=cutoff, **laws)
        runs = []
        for _ in range(2000):
            run = Run(one, sensitivity=1)
            run.ask_many(np.zeros(60, int), threshold=gap)
            runs.append(run.answers)
        error = np.std(runs) / math.sqrt(len(runs))
        assert abs(np.mean(runs) - expected_answers(one, gap=gap)) < 5 * error
        still = screen("1e-9", 20, length=60, cutoff=cutoff, query_law=one.query_law)
        assert abs(np.mean(runs) - expected_answers(still, gap=gap)) > 8 * error
