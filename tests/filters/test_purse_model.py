"""A slow and obvious purse beside the real one: what is held is the sum of what lives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bursar.errors import BudgetExceeded, Refused
from bursar.filters.charges import NEXT, Stage, Verb
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.purse import Purse
from tests.filters.test_purse import rho

BUDGETS = {"census": 100, "ann": 40}
AMOUNTS = st.integers(0, 45)


class Model(RuleBasedStateMachine):
    """A slow and obvious purse beside the real one: what is held is the sum of what lives."""

    def __init__(self) -> None:
        super().__init__()
        self.purse = Purse({n: ZcdpFilter(rho=b, unit=1) for n, b in BUDGETS.items()})
        self.held: dict[str, tuple[int, list[str], str]] = {}
        self.released: set[str] = set()
        self.made = 0

    def spent(self, scope: str) -> int:
        return sum(
            cost
            for cost, scopes, stage in self.held.values()
            if scope in scopes and stage != "abandoned"
        )

    def pick(self, stage: str, data: Any) -> str:
        return data.draw(st.sampled_from([n for n, (_, _, s) in self.held.items() if s == stage]))

    def has(self, stage: str) -> bool:
        return any(s == stage for _, _, s in self.held.values())

    @rule(cost=AMOUNTS, both=st.booleans())
    def reserve(self, cost: int, both: bool) -> None:
        scopes = ["census", "ann"] if both else ["census"]
        fits = all(self.spent(scope) + cost <= BUDGETS[scope] for scope in scopes)
        assert self.purse.may_run(rho(cost), scopes=scopes) is fits
        self.made += 1
        name = f"q{self.made}"
        try:
            self.purse.reserve(rho(cost), request=name, scopes=scopes)
        except BudgetExceeded:
            assert not fits
        else:
            assert fits
            self.held[name] = (cost, scopes, "reserved")

    def move(self, name: str, stage: str) -> None:
        cost, scopes, _ = self.held[name]
        self.held[name] = (cost, scopes, stage)

    @precondition(lambda self: self.has("reserved"))
    @rule(data=st.data())
    def start(self, data: Any) -> None:
        name = self.pick("reserved", data)
        self.purse.start(name)
        self.move(name, "started")

    @precondition(lambda self: self.has("reserved"))
    @rule(data=st.data())
    def abandon(self, data: Any) -> None:
        name = self.pick("reserved", data)
        self.purse.abandon(name)
        self.move(name, "abandoned")

    @precondition(lambda self: self.has("started"))
    @rule(data=st.data())
    def commit(self, data: Any) -> None:
        name = self.pick("started", data)
        assert self.purse.commit(name, name) == name
        self.released.add(name)
        self.move(name, "committed")

    @precondition(lambda self: self.held)
    @rule(data=st.data(), verb=st.sampled_from(["start", "abandon", "commit", "fail"]))
    def what_is_illegal_changes_nothing(self, data: Any, verb: str) -> None:
        name = data.draw(st.sampled_from(list(self.held)))
        stage = self.held[name][2]
        if (Stage(stage), Verb(verb)) not in NEXT:
            with pytest.raises(Refused):
                getattr(self.purse, verb)(name)

    @rule()
    def crash(self) -> None:
        self.purse.recover()
        for name, (_, _, stage) in list(self.held.items()):
            if stage == "started":
                self.move(name, "charged-in-full")

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def ask_again(self, data: Any) -> None:
        name = data.draw(st.sampled_from(list(self.held)))
        cost, scopes, stage = self.held[name]
        assert self.purse.reserve(rho(cost), request=name, scopes=scopes).stage == stage
        for plan, others in ((rho(cost + 1), scopes), (rho(cost), ["ann"])):
            with pytest.raises(Refused, match="made before with another"):
                self.purse.reserve(plan, request=name, scopes=others)

    @invariant()
    def released_is_committed_is_within_the_budget(self) -> None:
        stages = {charge.request: charge.stage for charge in self.purse.history()}
        assert stages == {name: stage for name, (_, _, stage) in self.held.items()}
        assert all(stages[name] is Stage.COMMITTED for name in self.released)
        for scope, budget in BUDGETS.items():
            assert self.spent(scope) <= budget
            assert self.purse.left(scope)["rho"] == budget - self.spent(scope)


Model.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestModel = Model.TestCase
