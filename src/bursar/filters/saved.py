"""Filters and states as text, and back: exact, versioned, and never an older state for a newer.

What is read is data: a name is looked up in a closed table.  A saved state says of which filter it
is and how many changes it has seen; whoever restores it says how many they know of, by a record
that is kept elsewhere, and a state that has seen fewer is refused.
The people's state is private: its bytes are for trusted storage, and their length is public.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bursar import require
from bursar.errors import CorruptBooks
from bursar.exact import Exact
from bursar.filters.approximate import DpFilter, RogersFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import IndividualFilter, Standing
from bursar.filters.machine import Filter, State
from bursar.filters.renyi import AnyOrderFilter, RenyiFilter
from bursar.filters.units import Account

FORMAT = "bursar-filter-1"
PEOPLE = b"bursar-people-2\n"
_HEADER = 192  # bytes: of constant size, whatever is in it

TABLE: dict[str, Callable[..., Filter]] = {
    RenyiFilter.name: lambda *, budgets, **rest: RenyiFilter(dict(budgets), **rest),
    AnyOrderFilter.name: AnyOrderFilter,
    ZcdpFilter.name: ZcdpFilter,
    GdpFilter.name: GdpFilter,
    DpFilter.name: DpFilter,
    RogersFilter.name: RogersFilter,
}


def revived(body: Mapping[str, Any]) -> Filter:
    """The filter that `canonical` described; CorruptBooks where its accounts hold too much."""
    try:
        fields = dict(body)
        make = TABLE[fields.pop("filter")]
        accounts = [
            Account(a["name"], Exact.of(a["unit"]), require.count(cap=a["cap"], at_least=0))
            for a in fields.pop("accounts")
        ]
        found = make(**fields)
        if [a.unit for a in found.accounts] != [a.unit for a in accounts]:
            found = make(**fields, unit=accounts[0].unit)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CorruptBooks(f"this describes no filter: {error!r}") from None
    return found.holding(accounts)


def save(filter: Filter, state: State) -> str:  # noqa: A002 - it is the filter
    """The filter and its state as canonical JSON.

    >>> from bursar.filters.concentrated import ZcdpFilter
    >>> zcdp = ZcdpFilter(rho=1)
    >>> restore(save(zcdp, zcdp.start())) == (zcdp, zcdp.start())
    True
    """
    told = {"spent": state.spent, "serial": state.serial, "burnt": state.burnt}
    body = {"format": FORMAT, "filter": filter.canonical(), "state": told}
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def restore(text: str, *, at_least: int = 0) -> tuple[Filter, State]:
    """What `save` wrote; CorruptBooks if it has seen fewer changes than `at_least`."""
    try:
        body = json.loads(text)
        told = body["state"]
        state = State(tuple(told["spent"]), told["serial"], told["burnt"])
        version, described = body["format"], body["filter"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CorruptBooks(f"this is no saved filter: {error!r}") from None
    if version != FORMAT:
        raise CorruptBooks(f"the format is {version!r}, not {FORMAT!r}")
    found = revived(described)
    newest(state.serial, at_least)
    if not isinstance(state.burnt, str) and found.checked(state).burnt is not None:
        raise CorruptBooks("the saved sums are no sums of this filter")
    return found, state


def save_people(filter: IndividualFilter, standing: Standing) -> bytes:  # noqa: A002
    """The people's state, for trusted storage: private, and of a size that says nothing."""
    pending = -1 if standing.pending is None else standing.pending
    told = f"{fingerprint(filter)} {filter.people} {standing.serial} {pending}"
    array = np.ascontiguousarray(standing.reveal()).astype(
        standing.reveal().dtype.newbyteorder("<")
    )
    return PEOPLE + told.encode().ljust(_HEADER) + array.tobytes()


def restore_people(
    filter: IndividualFilter,  # noqa: A002
    saved: bytes,
    *,
    at_least: int = 0,
) -> Standing:
    """What `save_people` wrote; CorruptBooks if it is another filter's, damaged, or older."""
    fresh = filter.start()
    start = len(PEOPLE) + _HEADER
    dtype = fresh.reveal().dtype
    if not saved.startswith(PEOPLE) or len(saved) != start + filter.people * dtype.itemsize:
        raise CorruptBooks("this is no saved state of these people")
    try:
        of, *told = saved[len(PEOPLE) : start].decode("ascii").split()
        people, serial, pending = map(int, told)
    except ValueError:
        raise CorruptBooks("the header of this saved state is damaged") from None
    left = np.frombuffer(saved, dtype.newbyteorder("<"), offset=start).astype(dtype)
    damaged = pending < -1 or bool(left.max(initial=0) > filter.account.cap)
    if (of, people) != (fingerprint(filter), filter.people) or damaged:
        raise CorruptBooks("this is a saved state of other people")
    newest(serial, at_least)
    return Standing(left, serial=serial, pending=None if pending < 0 else pending)


def fingerprint(filter: IndividualFilter) -> str:  # noqa: A002 - it is the filter
    """What filter a state is of, all of it public: promise, units, relation, number of people.

    Two budgets may have the same cap, in units that differ: their states must not be exchanged.
    """
    account = filter.account
    told = [filter.promise.canonical(), account.name, account.unit.text, account.cap]
    told += [filter.adjacency.value, filter.people]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def newest(serial: object, at_least: int) -> None:
    """Refuse a state that has seen fewer changes than are known of."""
    known = require.count(at_least=0, known=at_least)
    found = require.count(at_least=0, serial=serial)
    if found < known:
        raise CorruptBooks(
            f"this state has seen {found} changes, and {known} are known of",
            hint="An older state cannot replace a newer one.",
        )
