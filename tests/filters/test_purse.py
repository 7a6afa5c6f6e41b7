"""The purse: the life of a charge, all scopes or none, once and for ever."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import pytest

from bursar.errors import (
    BudgetExceeded,
    CorruptBooks,
    InvalidParameter,
    NoProof,
    Refused,
    Unreachable,
)
from bursar.exact import Exact
from bursar.filters.charges import NEXT, Charge, Stage, Verb
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import State
from bursar.filters.purse import Purse
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.saved import restore, save
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import PureDP, ZeroConcentratedDP


def rho(value: str | Fraction) -> ZeroConcentratedDP:
    return ZeroConcentratedDP(rho=Exact.of(value))


def census(**more: str) -> Purse:
    return Purse({name: ZcdpFilter(rho=budget) for name, budget in {"census": "1", **more}.items()})


def test_data_is_read_only_between_start_and_commit() -> None:
    purse, seen = census(), []

    def work() -> str:
        seen.append((purse.history()[0].stage, purse.left("census")["rho"]))
        return "answer"

    assert purse.run(rho("0.4"), work, request="q") == "answer"
    assert seen == [(Stage.STARTED, Exact("0.6"))]
    assert purse.history()[0].stage is Stage.COMMITTED


def test_the_same_request_gives_the_same_answer_and_costs_nothing() -> None:
    purse = census()
    draws = iter(range(10))
    first = purse.run(rho("0.4"), lambda: next(draws), request="q", body="count")
    again = purse.run(rho("0.4"), lambda: next(draws), request="q", body="count")
    assert (first, again) == (0, 0)
    assert purse.left("census")["rho"] == Exact("0.6")
    with pytest.raises(Refused, match="another body"):
        purse.run(rho("0.4"), lambda: next(draws), request="q", body="sum")


def test_an_error_charges_in_full() -> None:
    purse = census()

    def work() -> int:
        raise KeyError("in somebody's code")

    with pytest.raises(KeyError):
        purse.run(rho("0.4"), work, request="q")
    assert purse.history()[0].stage is Stage.CHARGED_IN_FULL
    assert purse.left("census")["rho"] == Exact("0.6")
    with pytest.raises(Refused, match="cannot start"):
        purse.run(rho("0.4"), lambda: 1, request="q")


def test_all_scopes_or_none() -> None:
    purse = census(ann="0.3")
    with pytest.raises(BudgetExceeded, match=r"costs 0\.4 of rho, and 0\.3 of ann is left"):
        purse.reserve(rho("0.4"), request="q")
    assert purse.left("census")["rho"] == 1
    assert purse.history() == []
    purse.reserve(rho("0.4"), request="q", scopes=["census"])
    assert (purse.left("census")["rho"], purse.left("ann")["rho"]) == (Exact("0.6"), Exact("0.3"))
    assert not purse.may_run(rho("0.4"))
    assert purse.may_run(rho("0.4"), scopes=["census"])
    assert purse.more(rho("0.1")) == 3
    assert purse.more(rho("0.1"), scopes=["census"]) == 6
    assert purse.most(rho("0.1")) == 3
    assert purse.cost(rho("0.1"))["ann"]["rho"] == Exact("0.1")
    dearest = purse.nearest(lambda cost: ZeroConcentratedDP(rho=cost), may=0, may_not=1)
    assert 0 <= Exact("0.3") - dearest < Fraction(1, 10**14)
    assert purse.nearest(
        lambda cost: ZeroConcentratedDP(rho=cost), may=0, may_not="0.6", scopes=["census"]
    ) == Exact("0.6")
    with pytest.raises(Unreachable):
        purse.nearest(lambda cost: ZeroConcentratedDP(rho=cost), may="0.4", may_not=1)
    assert len(purse.history()) == 1


def test_only_a_reservation_is_given_back() -> None:
    purse = census()
    purse.reserve(rho("0.4"), request="a")
    assert purse.abandon("a").stage is Stage.ABANDONED
    assert purse.left("census")["rho"] == 1
    purse.reserve(rho("0.4"), request="b")
    purse.start("b")
    for forbidden in (purse.abandon, purse.start):
        with pytest.raises(Refused, match="is started"):
            forbidden("b")
    with pytest.raises(Refused, match="is abandoned"):
        purse.start("a")
    assert purse.left("census")["rho"] == Exact("0.6")


class Interrupted(dict[str, Any]):
    """Books at which somebody presses ctrl-C, once."""

    left = 1

    def _once(self) -> None:
        if self.left:
            self.left -= 1
            raise KeyboardInterrupt

    def __setitem__(self, name: str, value: Any) -> None:
        self._once()
        super().__setitem__(name, value)

    def update(self, *others: Any, **more: Any) -> None:
        if any(others):
            self._once()
        super().update(*others, **more)


@pytest.mark.parametrize("books", ["_states", "_charges"])
@pytest.mark.parametrize("act", ["reserve", "abandon", "part"])
def test_what_is_interrupted_spends_too_much_and_never_too_little(books: str, act: str) -> None:
    purse = census()
    purse.reserve(rho("0.2"), request="held")
    if act != "reserve":
        purse.reserve(2 * rho("0.1"), request="q")
    if act == "part":
        purse.start("q")

    def attempt() -> None:
        if act == "reserve":
            purse.reserve(2 * rho("0.1"), request="q")
        elif act == "abandon":
            purse.abandon("q")
        else:
            purse.commit("q", 1, used=rho("0.1"))

    setattr(purse, books, Interrupted(getattr(purse, books)))
    for _ in range(3):
        try:
            attempt()
        except (KeyboardInterrupt, Refused, InvalidParameter):
            continue
    owed = {"reserve": Fraction(2, 5), "abandon": Fraction(1, 5), "part": Fraction(3, 10)}[act]
    assert purse.left("census")["rho"] <= 1 - owed


def test_reservations_expire_and_starts_do_not() -> None:
    purse = census()
    purse.reserve(rho("0.1"), request="a", expires=10.0)
    purse.reserve(rho("0.2"), request="b", expires=10.0)
    purse.reserve(rho("0.3"), request="c", expires=20.0)
    purse.start("b")
    assert [charge.request for charge in purse.expire(10.0)] == ["a"]
    assert purse.left("census")["rho"] == Exact("0.5")


def test_after_a_crash_what_was_started_is_charged_in_full() -> None:
    purse = census()
    for name in ("a", "b"):
        purse.reserve(rho("0.1"), request=name)
    purse.start("b")
    assert [charge.request for charge in purse.recover()] == ["b"]
    assert purse.history()[1].stage is Stage.CHARGED_IN_FULL
    assert purse.left("census")["rho"] == Exact("0.8")


def test_an_open_charge_is_paid_at_its_start() -> None:
    purse = census()
    purse.reserve(rho("0.5"), request="screen", open=True)
    with pytest.raises(Refused, match="gives no answers"):
        purse.record("screen", "above")
    purse.start("screen")
    assert [purse.record("screen", answer) for answer in ("below", "above")] == ["below", "above"]
    with pytest.raises(InvalidParameter):
        purse.commit("screen", used=rho("0.1"))
    purse.commit("screen")
    assert purse.history()[0].answers == ("below", "above")
    assert purse.left("census")["rho"] == Exact("0.5")
    with pytest.raises(Refused):
        purse.record("screen", "above")
    purse.reserve(rho("0.1"), request="plain")
    with pytest.raises(Refused, match="not open"):
        purse.record("plain", 1)


def test_parts_that_never_started_return() -> None:
    purse, step = census(), rho("0.1")
    for name, used, left in (("a", 2 * step, "0.8"), ("b", 3 * step, "0.5")):
        purse.reserve(3 * step, request=name)
        purse.start(name)
        purse.commit(name, "partial", used=used)
        assert purse.left("census")["rho"] == Exact(left)
    purse.reserve(3 * step, request="c")
    purse.start("c")
    for not_a_part in (4 * step, rho("0.05"), 2 * step + rho("0.05")):
        with pytest.raises(InvalidParameter, match="part of the plan"):
            purse.commit("c", used=not_a_part)
    assert purse.left("census")["rho"] == Exact("0.2")


def test_an_owner_may_raise_a_past_cost_and_halt_the_scope() -> None:
    purse = census()
    purse.run(rho("0.4"), lambda: 1, request="q")
    purse.raise_costs(rho("0.7"), request="q: the loader shuffles")
    assert purse.left("census")["rho"] == 0
    with pytest.raises(BudgetExceeded):
        purse.reserve(rho("0"), request="r")
    with pytest.raises(Refused):
        purse.raise_costs(rho("0.7"), request="q")


def test_a_purse_goes_on_from_saved_states() -> None:
    purse = census(ann="0.3")
    purse.run(rho("0.1"), lambda: 1, request="a")
    purse.reserve(rho("0.2"), request="b", scopes=["census"])
    saved = save(ZcdpFilter(rho=1), purse.state("census"))
    machine, state = restore(saved, at_least=2)
    again = Purse({"census": machine, "ann": ZcdpFilter(rho="0.3")}, {"census": state})
    assert again.left("census")["rho"] == Exact("0.7")
    with pytest.raises(InvalidParameter):
        Purse({"census": machine}, {"nobody": state})


def test_what_makes_no_sense_is_refused() -> None:
    purse = census()
    for bad in (
        lambda: purse.start("nobody"),
        lambda: purse.reserve(rho("0.1"), request="q", scopes=["census", "nobody"]),
        lambda: purse.reserve(rho("0.1"), request="q", scopes=[]),
        lambda: purse.reserve(3, request="q"),  # type: ignore[arg-type]
        lambda: purse.left("nobody"),
        lambda: purse.reserve(rho("0.1"), request="q", scopes="census"),
        lambda: purse.reserve(rho("0.1"), request=["q"]),  # type: ignore[arg-type]
        lambda: purse.reserve(rho("0.1"), request="q", body=None),  # type: ignore[arg-type]
        lambda: Purse({}),
        lambda: Purse({"census": 3}),  # type: ignore[dict-item]
    ):
        with pytest.raises(InvalidParameter):
            bad()
    with pytest.raises(NoProof):
        Purse({"gdp": GdpFilter(mu=1)}).reserve(rho(1), request="q")
    assert purse.history() == []


def test_a_burnt_scope_refuses_everything() -> None:
    purse = census()
    purse._states["census"] = State((-1, 0))
    for name in ("a", "b"):
        with pytest.raises(CorruptBooks, match="census is burnt"):
            purse.reserve(rho(0), request=name)


def test_an_abandoned_gaussian_does_not_revive_order_infinity() -> None:
    purse = Purse({"any": AnyOrderFilter(epsilon=1, delta=1e-6)})
    purse.reserve(Gaussian(noise_multiplier=100), request="g")
    purse.abandon("g")
    assert purse.left("any")["order inf"] == 0
    assert purse.run(PureDP(epsilon="0.05"), lambda: 1, request="p") == 1


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("verb", Verb)
def test_every_transition_that_is_not_listed_is_refused(stage: Stage, verb: Verb) -> None:
    charge = Charge(request="q", body="", plan=Plan.of(rho(1)), costs=(), stage=stage)
    if (stage, verb) in NEXT:
        assert charge.then(verb).stage is NEXT[stage, verb]
    else:
        with pytest.raises(Refused):
            charge.then(verb)


def test_threads_never_overspend() -> None:
    purse = Purse({"census": RenyiFilter({2: 1})})
    refusals: list[str] = []

    def analyst(name: int) -> None:
        for i in range(25):
            try:
                purse.run(rho("0.01"), lambda: 1, request=f"{name}-{i}")
            except BudgetExceeded:
                refusals.append(f"{name}-{i}")

    threads = [threading.Thread(target=analyst, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(purse.history()) == 50
    assert len(refusals) == 50
    assert purse.left("census")["order 2"] == 0
