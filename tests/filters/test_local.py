"""The local filter: what is sent never shows that the budget is spent, and keeps its promise."""

from __future__ import annotations

import pickle
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from bursar.errors import CorruptBooks, InvalidParameter, NoProof
from bursar.exact import Exact
from bursar.filters.local import Device, LocalFilter
from bursar.filters.machine import State
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.mechanisms.statements import PureDP, ZeroConcentratedDP
from tests.filters import game
from tests.filters.test_finite_game import renyi_budget, share_of_claim

ORDER = 2


def local(budget: Exact) -> LocalFilter[int]:
    return LocalFilter(RenyiFilter({ORDER: budget}, adjacency="zero-out"), null=0)


def test_once_spent_the_null_is_fed() -> None:
    machine, step = local(Exact(1)), ZeroConcentratedDP(rho="0.2")
    device, fed = machine.start(), []
    for _ in range(4):
        device, value = machine.feed(device, step, 7)
        fed.append(value)
    device, cheap = machine.feed(device, ZeroConcentratedDP(rho="0.1"), 7)
    assert fed == [7, 7, 0, 0]
    assert cheap == 7
    assert device.reveal().serial == 5


def test_nothing_is_seen() -> None:
    machine = local(Exact(1))
    spent, fresh = machine.feed(machine.start(), PureDP(epsilon=9), 7)[0], machine.start()
    assert repr(spent) == repr(fresh) == f"{spent}" == "<private Device>"
    with pytest.raises(InvalidParameter):
        pickle.dumps(spent)


@pytest.mark.parametrize(
    ("null", "bad"), [(0, "0"), (b"00", b"0"), ("a", "ab"), (np.zeros(3), np.zeros(2)), (0, True)]
)
def test_a_null_that_could_be_told_is_refused(null: object, bad: object) -> None:
    machine = LocalFilter(RenyiFilter({2: 1}, adjacency="zero-out"), null=null)
    with pytest.raises(InvalidParameter, match="kind and size"):
        machine.feed(machine.start(), PureDP(epsilon=1), bad)


def test_what_is_not_proved_is_refused() -> None:
    with pytest.raises(NoProof, match="absent"):
        LocalFilter(RenyiFilter({2: 1}), null=0)
    with pytest.raises(NoProof, match="all their sums"):
        LocalFilter(AnyOrderFilter(epsilon=1, delta=1e-6, adjacency="zero-out"), null=0)  # type: ignore[arg-type]
    with pytest.raises(CorruptBooks):
        local(Exact(1)).feed(Device(State((-1,))), PureDP(epsilon=1), 1)


def worst(budget: Exact, depth: int, *, silent: bool) -> float:
    """The largest divergence between a person's transcript and the null's: the adversary picks
    questions to which this person's value is 1, which costs, or 0, which is the null and free."""
    machine, moves = local(budget), [game.response(Fraction(ratio)) for ratio in ("3/2", "2", "4")]

    @lru_cache(None)
    def value(state: State, left: int) -> Fraction:
        best = Fraction(1)
        for move in moves if left else ():
            device, fed = machine.feed(Device(state), move.step, 1)
            p = move.p if fed == 1 else move.q
            step = sum(
                (x**ORDER / y ** (ORDER - 1) for x, y in zip(p, move.q, strict=True)), Fraction(0)
            )
            if silent and fed == 0:  # mutant: says nothing where the null would answer
                step = Fraction(10**9)
            best = max(best, step * value(device.reveal(), left - 1))
        return best

    return share_of_claim(value(machine.start().reveal(), depth), ORDER, budget)


def test_no_adversary_beats_it_and_silence_is_beaten() -> None:
    budget = renyi_budget(ORDER, 4)
    assert 0.999 < worst(budget, 8, silent=False) <= 1
    assert worst(budget, 8, silent=True) > 10
