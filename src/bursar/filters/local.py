"""The local filter: a person's own device keeps their own budget (Feldman & Zrnic 2021, Rem. 4.6).

What a step costs may depend on the person's value, and then so does when the budget ends: falling
silent would tell.  So once a step does not fit, the device feeds a fixed null value to the same
randomizer: same size, same path, and nothing of it is charged.  Costs are measured against that
null, so the promise is for zero-out: nobody can tell the person from one who holds the null.
Real silence is only for costs that are public: ask an ordinary `Filter`, whose refusals show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

from bursar.adjacency import Adjacency
from bursar.errors import CorruptBooks, InvalidParameter, NoProof
from bursar.filters.approximate import DpFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.machine import State, add, priced
from bursar.filters.renyi import RenyiFilter
from bursar.filters.sealed import Private, Ticket
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan

Summing = RenyiFilter | ZcdpFilter | GdpFilter | DpFilter
T = TypeVar("T")


@final
class Device(Private):
    """What a device has spent: private, since costs may depend on the value; fed once."""

    __slots__ = ("_state", "_ticket")

    def __init__(self, state: State) -> None:
        self._state, self._ticket = state, Ticket("the device")

    def reveal(self) -> State:
        """The state, for the device itself and its own storage."""
        return self._state

    def use(self) -> State:
        """The state, to make the next one of it; CorruptBooks if that was done before."""
        self._ticket.take()
        return self._state

    def __repr__(self) -> str:
        return "<private Device>"


@final
@dataclass(frozen=True, slots=True)
class LocalFilter(Generic[T]):
    """Whatever is sent, the person cannot be told from one who holds `null`.

    >>> local = LocalFilter(RenyiFilter({2: 1}, adjacency="replace-one"), null=0)
    >>> local.start()
    <private Device>
    """

    filter: Summing
    null: T

    def __post_init__(self) -> None:
        if not isinstance(self.filter, Summing):
            raise NoProof(
                "the local filter is proved for filters that hold all their sums",
                hint="Use a Rényi, zCDP, GDP or (ε, δ) filter.",
            )
        if self.filter.adjacency is Adjacency.ADD_OR_REMOVE_ONE:
            need = "a device that is absent sends nothing: costs are against the null"
            raise NoProof(need, hint="Make the filter with adjacency zero-out or replace-one.")

    def start(self) -> Device:
        """Nothing spent."""
        return Device(self.filter.start())

    def feed(self, device: Device, step: Mechanism | Plan, value: T) -> tuple[Device, T]:
        """What to feed to the randomizer of this step: the value, or the null once it is spent.

        `step` says what the randomizer costs for this value, against the null.
        """
        _alike(value, self.null)
        state = self.filter.checked(device.reveal())
        if state.burnt is not None:
            raise CorruptBooks("the state of this device is burnt")
        after = add(state.spent, priced(self.filter, Plan.of(step)))
        device.use()
        held = [total <= a.cap for a, total in zip(self.filter.accounts, after, strict=True)]
        fits = sum(held) == len(held)
        spent = (state.spent, after)[fits]
        return Device(State(spent, state.serial + 1)), (self.null, value)[fits]


def _alike(value: object, null: object) -> None:
    """Refuse a null that could be told from a value by its kind, size or shape."""
    if type(value) is not type(null) or _size(value) != _size(null):
        raise InvalidParameter("it must be of the kind and size of the null", field="value")


def _size(value: Any) -> object:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return shape, getattr(value, "dtype", None)
    return len(value) if hasattr(value, "__len__") else None
