"""The closed forms in print: golden numbers, and that what is charged is never above them."""

from __future__ import annotations

import math

import pytest

from bursar import Adjacency, InvalidParameter, SparseVector
from bursar.accounting import rdp
from bursar.exact import Exact
from bursar.privacy.screen_curve import Form
from bursar.screening import baselines, printed_cutoff, stagewise_epsilon
from bursar.screening.stagewise import composed_epsilon

ADD = Adjacency.ADD_OR_REMOVE_ONE
NOISES = [(100.0, 200.0), (30.0, 60.0), (80.0, 90.0), (300.0, 200.0)]


def screen(s1: float, s2: float, **more) -> SparseVector:
    return SparseVector(threshold_noise=s1, query_noise=s2, **more)


@pytest.mark.parametrize(("s1", "s2"), NOISES)
def test_corollary_22_dominates(s1: float, s2: float) -> None:
    for runs, length in ((1, 10), (5, 1000), (20, 10**6)):
        for delta in (1e-3, 1e-6, 1e-12):
            ours = float(rdp.epsilon(runs * screen(s1, s2, length=length), delta=delta))
            printed = baselines.restarts_epsilon(s1, s2, length=length, runs=runs, delta=delta)
            assert 0.3 * printed < ours < printed


@pytest.mark.parametrize(("s1", "s2"), NOISES)
def test_one_run_of_appendix_d2_dominates(s1: float, s2: float) -> None:
    for cutoff, length in ((1, 10), (5, 1000), (20, 10**6)):
        for delta in (1e-3, 1e-6, 1e-12):
            one = screen(s1, s2, length=length, cutoff=cutoff)
            printed = baselines.one_run_epsilon(s1, s2, length=length, cutoff=cutoff, delta=delta)
            assert 0.3 * printed < float(rdp.epsilon(one, delta=delta)) < printed


def test_what_d2_prints_is_below_its_own_theorem() -> None:
    """√(2A(…)) for 2√(A(…)): below the least that one order of the curve proves."""
    s1, s2, cutoff, length, delta = 100.0, 200.0, 5, 1000, 1e-6
    rho = 1 / (2 * s1**2) + 2 * cutoff / s2**2
    counted = math.log(cutoff * math.comb(length, cutoff))
    printed = rho + math.sqrt(2 * rho * (counted - math.log(delta)))
    ours = float(rdp.epsilon(screen(s1, s2, length=length, cutoff=cutoff), delta=delta))
    assert printed < ours
    assert math.log(1 * math.comb(length, 1)) < math.log1p(length)  # c·C(k, c) at c = 1


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0])
def test_strong_composition_dominates_the_optimal_one(epsilon: float) -> None:
    """Of stages that are (ε, δ′)-private by the same account: the same slack in δ for both."""
    stage = screen(300.0 / epsilon**0.5, 600.0 / epsilon**0.5, length=1000)
    stages, each, slack = 20, Exact.of("1e-8"), 1e-6
    one = float(rdp.epsilon(stage, delta=each))
    ours = float(composed_epsilon(stage, stages, Exact.of("1.2e-6"), each))
    assert ours < baselines.strong_composition(epsilon=one, stages=stages, slack=slack)


@pytest.mark.parametrize(
    ("law", "order", "printed"),
    [((10, 20, 20, 200), 2, 3.0356), ((10, 20, 20, 200), 8, 0.5537),
     ((10, 20, 20, 200), 16, 0.4450), ((5, 5 * math.sqrt(3), 10, 100), 8, 1.2049),
     ((1, 2, 0, 20), 1.5, 5.8497)],
)  # fmt: skip
def test_the_second_claim_of_theorem_8(law, order, printed) -> None:
    """Golden numbers of Hölder's form; without Hölder, and with a length, it is smaller."""
    s1, s2, highest, length = law
    found = baselines.stopping_curve(s1, s2, highest=highest, order=order)
    assert found == pytest.approx(printed, abs=6e-5)
    for many in (None, length):
        curve = screen(s1, s2, highest_threshold=highest, length=many).rdp(ADD)
        assert float(curve.form(Form.STOPPING, Exact.of(order))) < found


@pytest.mark.parametrize("gamma", [1.2, 2.0, 3.5])
def test_every_holder_pair_is_dominated(gamma: float) -> None:
    curve = screen(10.0, 20.0, highest_threshold=20).rdp(ADD)
    for order in (1.1, 3.0, 40.0):
        found = baselines.stopping_curve(10.0, 20.0, highest=20.0, order=order, gamma=gamma)
        assert float(curve.form(Form.STOPPING, Exact.of(order))) < found


@pytest.mark.parametrize(
    ("t", "right", "printed"),
    [(0.0, 2.562204, 2.475092), (0.5, 3.658585, 3.837619), (1.0, 5.084100, 5.693143),
     (2.0, 9.081326, 9.998147)],
)  # fmt: skip
def test_the_moment_in_print_is_no_bound(t: float, right: float, printed: float) -> None:
    assert baselines.stopping_moment(1, math.sqrt(3), highest=t) == pytest.approx(right, abs=6e-7)
    assert baselines.printed_moment(1, highest=t) == pytest.approx(printed, abs=6e-7)
    assert (printed < right) is (t == 0)


def test_the_stage_in_print_dominates() -> None:
    for length, delta in ((1000, 1e-8), (50, 1e-10)):
        for cutoff in range(1, printed_cutoff(length, delta) + 1):
            printed = baselines.printed_stage(100, 200, length=length, cutoff=cutoff, delta=delta)
            stage = screen(100.0, 200.0, length=length, cutoff=cutoff)
            assert float(stagewise_epsilon(stage, stages=1, delta=delta)) < printed
    with pytest.raises(InvalidParameter, match="cutoff is too large"):
        baselines.printed_stage(100, 200, length=1000, cutoff=9, delta=1e-8)


def test_bad_input_of_the_second_claim() -> None:
    for s2, order, gamma in ((14.1, 3.0, 2.0), (20.0, 1.0, 2.0), (20.0, 3.0, 1.0)):
        with pytest.raises(InvalidParameter) as caught:
            baselines.stopping_curve(10.0, s2, highest=1.0, order=order, gamma=gamma)
        assert caught.value.field == ("query_noise" if s2 < 20 else "order")
