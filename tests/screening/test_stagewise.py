"""Stages: fresh noise, a charge each, what returns, and what they cost together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bursar import BudgetExceeded, InvalidParameter, LaplaceSparseVector, Refused, SparseVector
from bursar.accounting import rdp
from bursar.exact import Exact
from bursar.filters import AnyOrderFilter, Purse, RenyiFilter, Stage, ZcdpFilter
from bursar.mechanisms.statements import PureDP
from bursar.screening import StagewiseScreen, best_staging, printed_cutoff, stagewise_epsilon
from bursar.screening.stagewise import composed_epsilon
from tests.screening.purses import CLASSICAL, poor, rich

FAR = 10**7
STAGE = SparseVector(threshold_noise=90, query_noise=180, length=4, cutoff=2)


def screen(purse: Purse, mechanism=STAGE, **more) -> StagewiseScreen:
    base = {"sensitivity": 1, "purse": purse, "request": "s", "stages": 3}
    return StagewiseScreen(mechanism, **base | more)


def test_each_stage_has_its_own_tops_length_and_charge() -> None:
    purse = rich()
    with screen(purse) as s:
        asked = [FAR, -FAR, FAR, -FAR, -FAR, -FAR, FAR, FAR, -FAR]
        found, stages = [], []
        for value in asked:
            found.append(s.ask(value, threshold=0))
            stages.append(s.stage)
        assert found == [value > 0 for value in asked]
        assert stages == [1, 1, 1, 2, 2, 2, 2, 3, 3]
    assert [c.answers for c in purse.history()] == [
        (True, False, True), (False, False, False, True), (True, False)
    ]  # fmt: skip
    assert {c.stage for c in purse.history()} == {Stage.COMMITTED}


def test_noise_is_fresh_in_every_stage() -> None:
    """A threshold noise of 1e6 and hardly any query noise: a stage's answers show its draw."""
    wide = SparseVector(threshold_noise=10**6, query_noise="0.001", length=1)
    s = screen(Purse({"all": RenyiFilter({2: 10**20})}), wide, stages=200)
    found = [s.ask(0, threshold=0) for _ in range(200)]
    assert 60 < sum(found) < 140  # 200 coins; false alarm 1e-8.  One draw would give 0 or 200


def test_stages_that_never_started_return() -> None:
    purse, alone = poor(2), poor(2)
    s = screen(purse)
    for value in (FAR, FAR, FAR):
        s.ask(value, threshold=0)
    s.close()
    with screen(alone, stages=2) as other:
        for _ in range(4):
            other.ask(FAR, threshold=0)
    assert purse.left("all") == alone.left("all")
    assert [c.stage for c in purse.history()] == [Stage.COMMITTED] * 2 + [Stage.ABANDONED]
    with pytest.raises(Refused, match="has stopped"):
        s.ask(1, threshold=0)
    assert s.done


def test_all_stages_or_none() -> None:
    purse = poor("0.3")
    before = purse.left("all")
    with pytest.raises(BudgetExceeded):
        screen(purse, stages=400)
    assert purse.left("all") == before
    assert purse.history() == []


def test_stopped_after_the_last_stage() -> None:
    s = screen(rich(), stages=1)
    s.ask_many(np.array([FAR, FAR, FAR]), threshold=0)
    assert s.done
    with pytest.raises(Refused, match="has stopped"):
        s.ask(1, threshold=0)


def test_a_filter_grants_stages_until_it_refuses() -> None:
    purse = poor("0.5")
    s = screen(purse, stages=None)
    for _ in range(purse.more(STAGE) + 1):
        assert s.ask(FAR, threshold=0)
        assert s.ask(FAR, threshold=0)
    assert s.stage > 2
    with pytest.raises(BudgetExceeded):
        s.ask(FAR, threshold=0)
    assert s.done
    with pytest.raises(Refused, match="has stopped"):
        s.ask(FAR, threshold=0)
    with pytest.raises(BudgetExceeded):
        screen(purse, stages=1, request="more")


def test_answers_of_one_stage_at_a_time() -> None:
    s = screen(rich())
    assert s.ask_many(np.full(9, -FAR), threshold=0).tolist() == [False] * 4
    assert s.ask_many(np.full(9, FAR), threshold=0).tolist() == [True] * 2
    assert s.stage == 2


def test_an_error_charges_the_stage_and_returns_the_rest() -> None:
    purse = rich()

    def work() -> None:
        with screen(purse) as s:
            s.ask(FAR, threshold=0)
            raise RuntimeError("the data base went away")

    with pytest.raises(RuntimeError):
        work()
    stages = [Stage.CHARGED_IN_FULL, Stage.ABANDONED, Stage.ABANDONED]
    assert [c.stage for c in purse.history()] == stages


def test_stages_do_not_interleave_with_themselves_but_with_others() -> None:
    purse = Purse({"all": ZcdpFilter(rho=1, delta="1e-6")})
    s = screen(purse, CLASSICAL)
    assert s.ask(FAR, threshold=0)
    assert not s.ask(-FAR, threshold=0)
    purse.run(PureDP(epsilon="0.01"), lambda: 1, request="other")
    with pytest.raises(Refused, match="no theorem"):
        s.ask(-FAR, threshold=0)


@pytest.mark.parametrize("stages", [0, -1, 2.0, "3", True])
def test_bad_stages_are_refused(stages: object) -> None:
    with pytest.raises(InvalidParameter):
        screen(rich(), stages=stages)
    with pytest.raises(InvalidParameter):
        stagewise_epsilon(STAGE, stages=stages, delta="1e-6")  # type: ignore[arg-type]


def test_the_smaller_bound_of_two_is_taken() -> None:
    """Laplace stages have a pure ε each: there the optimal composition is below RDP's bound."""
    stage = LaplaceSparseVector(threshold_noise=20, query_noise=40)
    found = stagewise_epsilon(stage, stages=30, delta="1e-6")
    other = rdp.epsilon(30 * stage, delta="1e-6")
    assert found.about.method == "optimal composition"
    assert float(found) < float(other)
    normal = SparseVector(threshold_noise=90, query_noise=180, length=1000)
    assert stagewise_epsilon(normal, stages=5, delta="1e-6").about.method == "rdp"


def test_the_optimal_composition_is_below_strong_composition() -> None:
    """Lemma 16, and the closed form of Thm 12's stage, are never better."""
    stage = SparseVector(threshold_noise=300, query_noise=600, length=1000, cutoff=2)
    each, stages, slack = Exact.of("1e-8"), 20, 1e-6
    ours = float(composed_epsilon(stage, stages, Exact.of("1.2e-6"), each))
    one = float(rdp.epsilon(stage, delta=each))
    strong = math.sqrt(2 * stages * math.log(1 / slack)) * one + stages * one * math.tanh(one / 2)
    assert ours < strong


def test_the_printed_rule_for_the_cutoff() -> None:
    for length, delta in ((1000, 1e-6), (50, 1e-6), (3, 1e-9), (10**5, 1e-10)):
        found = printed_cutoff(length, delta)
        if found < length:
            assert sum(math.comb(length, j) for j in range(found + 2)) > 1 / delta
        assert found == 1 or sum(math.comb(length, j) for j in range(found + 1)) <= 1 / delta


def test_the_best_staging_is_no_worse_than_any() -> None:
    stage = SparseVector(threshold_noise=90, query_noise=180, length=1000)
    found = best_staging(stage, tops=6, delta="1e-6")
    assert found.cutoff * found.stages >= 6
    ones = stagewise_epsilon(stage, stages=6, delta="1e-6")
    assert float(found.epsilon) <= float(ones)


def test_a_filter_prices_what_a_stage_costs() -> None:
    purse = Purse({"all": AnyOrderFilter(epsilon=1, delta="1e-6")})
    assert purse.may_run(STAGE)
