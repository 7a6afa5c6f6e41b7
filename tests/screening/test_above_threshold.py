"""A screen that runs: it stops by itself, keeps its answers, and costs once."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from bursar import BudgetExceeded, InvalidParameter, LaplaceSparseVector, Refused, SparseVector
from bursar.filters import AnyOrderFilter, Purse, Stage, ZcdpFilter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.statements import PureDP
from bursar.noise import rehearse
from bursar.screening import AboveThreshold, Run
from tests.screening.purses import CLASSICAL, NORMAL, poor, rich

FAR = 10**6  # thousands of deviations: such answers are certain


def screen(purse: Purse, mechanism=NORMAL, **more) -> AboveThreshold:
    return AboveThreshold(mechanism, **{"sensitivity": 1, "purse": purse, "request": "s"} | more)


def test_it_answers_until_its_tops() -> None:
    mechanism = SparseVector(threshold_noise=30, query_noise=60, length=10, cutoff=2)
    with screen(rich(), mechanism) as s:
        answers = [s.ask(v, threshold=0) for v in (-FAR, FAR, -FAR, FAR)]
        assert (answers, s.tops, s.answers, s.done) == ([False, True, False, True], 2, 4, True)


def test_it_answers_until_its_length() -> None:
    with screen(rich(), SparseVector(threshold_noise=30, query_noise=60, length=3)) as s:
        assert [s.ask(-FAR, threshold=0) for _ in range(3)] == [False] * 3
        assert s.done


def test_a_stopped_screen_raises_and_costs_nothing() -> None:
    purse = poor()
    with screen(purse) as s:
        s.ask(FAR, threshold=0)
        left, history = purse.left("all"), purse.history()
        for ask in (
            lambda: s.ask(1, threshold=0),
            lambda: s.ask_many(np.ones(3, int), threshold=0),
        ):
            with pytest.raises(Refused, match="has stopped"):
                ask()
        assert purse.left("all") == left
        assert purse.history() == history


def test_the_charge_stands_before_the_first_question_and_nothing_comes_back() -> None:
    purse = poor()
    before = purse.left("all")
    s = screen(purse)
    started = purse.left("all")
    assert started != before
    assert purse.charge("s").stage is Stage.STARTED
    s.ask(-FAR, threshold=0)
    assert purse.charge("s").answers == (False,)
    s.close()
    assert purse.charge("s").stage is Stage.COMMITTED
    assert purse.left("all") == started
    with pytest.raises(Refused, match="committed"):
        s.ask(1, threshold=0)


def test_an_answer_is_stored_before_it_leaves() -> None:
    class Broken:
        def __getattr__(self, name: str):
            if name == "record":
                raise OSError("disk full")
            return getattr(purse, name)

    purse = rich()
    s = AboveThreshold(NORMAL, sensitivity=1, purse=Broken(), request="s")  # type: ignore[arg-type]
    with pytest.raises(OSError, match="disk full"):
        s.ask(FAR, threshold=0)
    assert purse.charge("s").answers == ()


def test_an_error_in_between_charges_in_full() -> None:
    purse = poor()
    with pytest.raises(RuntimeError), screen(purse):
        raise RuntimeError("the data base went away")
    assert purse.charge("s").stage is Stage.CHARGED_IN_FULL


def test_a_screen_that_cannot_be_paid_is_refused_whole() -> None:
    purse = poor("0.001")
    with pytest.raises(BudgetExceeded):
        screen(purse)
    assert purse.history() == []


def test_a_request_is_run_once() -> None:
    purse = poor(9)
    screen(purse).close()
    with pytest.raises(Refused, match="a screen runs once"):
        screen(purse)
    with pytest.raises(Refused, match="another body"):
        screen(purse, CLASSICAL)


def test_many_questions_are_the_same_screen() -> None:
    mechanism = SparseVector(threshold_noise=30, query_noise=60, length=200_000, cutoff=3)
    s = screen(rich(), mechanism)
    values = np.full(150_000, -FAR)
    values[[70_000, 70_001, 140_000, 149_999]] = FAR
    found = s.ask_many(values, threshold=0)
    assert len(found) == 140_001
    assert np.flatnonzero(found).tolist() == [70_000, 70_001, 140_000]
    assert s.done
    assert s.answers == 140_001


def test_many_questions_stop_at_the_length() -> None:
    s = screen(rich(), SparseVector(threshold_noise=1, query_noise=2, length=70_000))
    assert len(s.ask_many(np.full(100_000, -FAR), threshold=0)) == 70_000
    assert s.done


def test_a_threshold_for_each_query() -> None:
    s = screen(rich())
    found = s.ask_many(np.array([FAR, FAR, FAR]), threshold=np.array([2 * FAR, 3 * FAR, 0]))
    assert found.tolist() == [False, False, True]
    for bad in (np.array([1, 2]), np.array([1.0, 2.0, 3.0]), "x", None, float("nan")):
        with pytest.raises(InvalidParameter):
            screen(rich()).ask_many(np.array([1, 2, 3]), threshold=bad)


def test_sensitivity_scales_the_noise() -> None:
    """Δ = 1e9: a query 1e6 above its threshold is no sure top any more."""
    found = [screen(rich(), sensitivity=10**9).ask(FAR, threshold=0) for _ in range(60)]
    assert 5 < sum(found) < 55


NONNEGATIVE = SparseVector(threshold_noise=30, query_noise=60, highest_threshold=100)


def test_where_the_account_needs_it_negative_queries_are_zero() -> None:
    """0 at a threshold of 0 is a top half of the time; −1e6 never would be.

    60 coins are within (5, 55) but with probability 1e-11.
    """
    single = [screen(rich(), NONNEGATIVE).ask(-FAR, threshold=0) for _ in range(60)]
    many = [
        bool(screen(rich(), NONNEGATIVE).ask_many(np.array([-FAR]), threshold=0)[0])
        for _ in range(60)
    ]
    for found in (single, many):
        assert 5 < sum(found) < 55
    with screen(rich()) as s:
        assert not s.ask(-FAR, threshold=0)


def test_a_threshold_above_the_declared_one_is_refused_before_anything_is_drawn() -> None:
    s = screen(rich(), NONNEGATIVE, sensitivity="0.5")
    for ask in (
        lambda t: s.ask(1, threshold=t),
        lambda t: s.ask_many(np.array([1]), threshold=t),
        lambda _: s.ask_many(np.array([1, 2]), threshold=np.array([0, 51])),
    ):
        with pytest.raises(InvalidParameter) as caught:
            ask("50.001")
        assert "thresholds of 50 at most" in str(caught.value)
    assert s.answers == 0
    s.ask(1, threshold=50)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "x", None, True, [3]])
def test_a_bad_query_is_refused_and_not_shown(value: object) -> None:
    with screen(rich()) as s:
        with pytest.raises(InvalidParameter) as caught:
            s.ask(value, threshold=0)  # type: ignore[arg-type]
        assert caught.value.value == "private"
        assert s.answers == 0
        with pytest.raises(InvalidParameter) as caught:
            s.ask_many(np.array([0.123456]), threshold=0)
        assert "123" not in str(caught.value)


@pytest.mark.parametrize("law", ["rounded-gaussian", "discrete-laplace"])
def test_noise_on_a_grid_is_not_run_here(law: str) -> None:
    mechanism = SparseVector(threshold_noise=3, query_noise=9, query_law=law, length=5)
    with pytest.raises(InvalidParameter, match="continuous") as caught:
        screen(rich(), mechanism)
    assert caught.value.hint == f"Use {law.partition('-')[2]}."
    with pytest.raises(InvalidParameter, match="SparseVector"):
        screen(rich(), Gaussian(noise_multiplier=1))


@pytest.mark.parametrize("sensitivity", [0, -1, "nan", None, True])
def test_a_bad_sensitivity_is_refused_before_it_costs(sensitivity: object) -> None:
    purse = rich()
    with pytest.raises(InvalidParameter):
        screen(purse, sensitivity=sensitivity)
    assert purse.history() == []


def test_a_rehearsal_is_no_screen() -> None:
    with pytest.raises(Refused, match="NOT PRIVATE"):
        rehearse(lambda: screen(rich()), seed=1)


def test_it_is_neither_copied_nor_stored() -> None:
    for one in (screen(rich()), Run(NORMAL, sensitivity=1)):
        for leave in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(InvalidParameter):
                leave(one)


def test_near_ties_are_decided_exactly() -> None:
    """Queries on thirds of 2^-60: floats cannot tell them apart from their thresholds."""
    tiny = SparseVector(threshold_noise="1e-30", query_noise="1e-30", length=5)
    for sign in (1, -1):
        value = Fraction(10**20) + sign * Fraction(1, 3 * 2**60)
        assert Run(tiny, sensitivity=1).ask(value, threshold=10**20) is (sign > 0)


def interleaved(purse: Purse, mechanism=NORMAL, other=None) -> AboveThreshold:
    s = screen(purse, mechanism)
    s.ask(-FAR, threshold=0)
    purse.run(other or PureDP(epsilon="0.001"), lambda: 1, request="other")
    return s


def test_interleaving_under_a_theorem() -> None:
    purse = Purse({"all": AnyOrderFilter(epsilon=3, delta="1e-6")})
    assert not interleaved(purse).ask(-FAR, threshold=0)
    purse = Purse({"all": ZcdpFilter(rho=1)})
    assert not interleaved(purse, CLASSICAL).ask(-FAR, threshold=0)


def test_interleaving_without_a_theorem_is_refused() -> None:
    purse = Purse({"all": ZcdpFilter(rho=1, delta="1e-6")})
    s = interleaved(purse, CLASSICAL)
    with pytest.raises(Refused, match="no theorem"):
        s.ask(-FAR, threshold=0)
    with pytest.raises(Refused, match="no theorem"):
        s.ask_many(np.array([1]), threshold=0)
    s.close()
    assert purse.charge("s").answers == (False,)


def test_what_was_finished_before_is_no_interleaving_and_neither_is_another_scope() -> None:
    approximate = ZcdpFilter(rho=1, delta="1e-6")
    purse = Purse({"all": approximate, "elsewhere": approximate})
    purse.run(PureDP(epsilon="0.001"), lambda: 1, request="before", scopes=["all"])
    s = screen(purse, CLASSICAL, scopes=["all"])
    purse.run(PureDP(epsilon="0.001"), lambda: 1, request="other", scopes=["elsewhere"])
    purse.reserve(PureDP(epsilon="0.001"), request="only reserved", scopes=["all"])
    assert not s.ask(-FAR, threshold=0)


def test_two_screens_that_alternate_are_refused_without_a_theorem() -> None:
    purse = Purse({"all": ZcdpFilter(rho=1, delta="1e-6")})
    first = screen(purse, CLASSICAL)
    second = screen(purse, CLASSICAL, request="t")
    assert not second.ask(-FAR, threshold=0)
    with pytest.raises(Refused, match="no theorem"):
        first.ask(-FAR, threshold=0)


def test_the_classical_screen_runs_without_end() -> None:
    s = screen(rich(), LaplaceSparseVector(threshold_noise=3, query_noise=9, cutoff=2))
    assert len(s.ask_many(np.full(200_000, -FAR), threshold=0)) == 200_000
    assert not s.done
