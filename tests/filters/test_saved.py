"""What is saved is restored exactly; what is older, foreign or damaged is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bursar.errors import BursarError, CorruptBooks
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.individual import IndividualFilter
from bursar.filters.individual_costs import given
from bursar.filters.machine import Filter, State
from bursar.filters.renyi import RenyiFilter
from bursar.filters.saved import restore, restore_people, save, save_people
from bursar.filters.units import LARGEST
from tests.filters.test_machine import FILTERS, step_for

COARSE = [ZcdpFilter(rho=1, delta=1e-6, unit="1e-6"), RenyiFilter({2: 1, 8: 3}, unit="1e-3")]


@pytest.mark.parametrize("machine", FILTERS + COARSE, ids=repr)
def test_exactly(machine: Filter) -> None:
    state, _ = machine.ask(machine.start(), step_for(machine))
    assert state.serial == 1
    text = save(machine, state)
    assert restore(text, at_least=1) == (machine, state)
    assert save(*restore(text)) == text
    burnt = State(state.spent, 7, "a reason")
    assert restore(save(machine, burnt)) == (machine, burnt)


def test_an_older_state_is_refused() -> None:
    machine = FILTERS[0]
    old = save(machine, machine.start())
    with pytest.raises(CorruptBooks, match="0 changes, and 1 are known of"):
        restore(old, at_least=1)


@pytest.mark.parametrize(
    ("change", "to"),
    [
        (("format",), "bursar-filter-2"),
        (("filter", "filter"), "os.system"),
        (("filter", "rho"), "nan"),
        (("filter", "surprise"), 1),
        (("filter",), None),
        (("filter",), "zcdp"),
        (("filter", "filter"), ["zcdp"]),
        (("filter", "accounts"), []),
        (("filter", "accounts", 0, "cap"), 2**61),
        (("filter", "accounts", 0, "cap"), -1),
        (("filter", "accounts", 0, "cap"), 1.5),
        (("filter", "accounts", 0, "cap"), True),
        (("filter", "accounts", 0, "unit"), "1"),
        (("filter", "accounts", 0, "name"), "epsilon"),
        (("state", "spent"), [1]),
        (("state", "spent"), [-1, 0]),
        (("state", "spent"), [0.5, 0]),
        (("state", "serial"), -1),
        (("state", "serial"), 1.5),
        (("state", "burnt"), 0),
    ],
)
def test_what_was_changed_is_refused(change: tuple[str | int, ...], to: object) -> None:
    machine = ZcdpFilter(rho="0.1", delta=1e-6)
    body = json.loads(save(machine, machine.start()))
    at = body
    for key in change[:-1]:
        at = at[key]
    at[change[-1]] = to
    with pytest.raises(BursarError):
        restore(json.dumps(body))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"state": 3}'])
def test_what_is_no_saved_filter_is_refused(text: str) -> None:
    with pytest.raises(CorruptBooks):
        restore(text)


def test_a_stored_cap_may_be_stricter_but_never_wider() -> None:
    """So a later version, whose accounts hold more, reopens no filter that was halted."""
    machine = ZcdpFilter(rho="0.1")
    body = json.loads(save(machine, machine.start()))
    body["filter"]["accounts"][0]["cap"] -= 10
    stricter, _ = restore(json.dumps(body))
    assert stricter.accounts[0].cap == machine.accounts[0].cap - 10


def test_people() -> None:
    machine = IndividualFilter.zcdp(rho="0.1", people=5)
    first, _ = machine.charge(
        machine.start(), given(machine, np.array([0.0, 0.01, 0.02, 0.1, 0.2]))
    )
    kept = first.reveal().copy()
    saved = save_people(machine, first)
    assert len(saved) == len(save_people(machine, machine.start()))
    again = restore_people(machine, saved, at_least=1)
    assert again.reveal().tolist() == kept.tolist()
    assert (again.serial, again.pending) == (1, None)
    open_ = machine.begin(again, 17)
    assert restore_people(machine, save_people(machine, open_)).pending == 17
    largest = machine.begin(again := restore_people(machine, saved), 10**200)
    assert len(save_people(machine, largest)) == len(saved)
    assert restore_people(machine, save_people(machine, largest)).pending == LARGEST
    with pytest.raises(CorruptBooks, match="1 changes, and 2"):
        restore_people(machine, saved, at_least=2)
    assert saved.count(b" 1 -1 ") == 1
    for header in (b" 1 -2 ", b" 1 x1 ", b" 1 1- "):
        with pytest.raises(CorruptBooks):
            restore_people(machine, saved.replace(b" 1 -1 ", header))
    with pytest.raises(CorruptBooks):
        restore_people(machine, saved[:-1])
    with pytest.raises(CorruptBooks):
        restore_people(machine, saved[:-1] + b"\xff")
    for other in (
        IndividualFilter.zcdp(rho="0.2", people=5),
        IndividualFilter.zcdp(rho=1, people=4),
    ):
        with pytest.raises(CorruptBooks):
            restore_people(other, saved)
