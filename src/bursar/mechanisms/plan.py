"""Plans: mechanisms with counts.  Composition has no order, so equal plans are equal values.

`Plan.total` is the one line of the system where counts meet views.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, final

from bursar import require
from bursar.errors import InvalidParameter
from bursar.mechanisms.base import Mechanism

_V = TypeVar("_V", bound="Additive")


class Additive(Protocol):
    """A view that composes by addition."""

    def __rmul__(self: _V, count: int, /) -> Any:
        """So many times this."""

    def __add__(self: _V, other: _V, /) -> Any:
        """This and that."""


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: each mechanism with the number of times.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> 2 * Gaussian(noise_multiplier=1) + Gaussian(noise_multiplier=1)
    3 * Gaussian(noise_multiplier=1)
    """

    steps: tuple[tuple[Mechanism, int], ...]

    def __post_init__(self) -> None:
        if not self.steps or not all(isinstance(step, Mechanism) for step, _ in self.steps):
            need = "it must have one step at least, and each must be a mechanism with its count"
            raise InvalidParameter(need, field="steps", value=self.steps)
        whole = tuple((step, require.count(count=n)) for step, n in self.steps)
        object.__setattr__(self, "steps", whole)

    @classmethod
    def of(cls, run: Mechanism | Plan, *, count: int = 1) -> Plan:
        """A plan of one mechanism, or the plan itself, so many times."""
        times = require.count(count=count)
        if isinstance(run, Plan):
            return cls(tuple((mechanism, times * n) for mechanism, n in run.steps))
        if isinstance(run, Mechanism):
            return cls(((run, times),))
        raise InvalidParameter(
            "it must be a mechanism or a plan", field="plan", value=run, hint="Write 1000 * step."
        )

    @classmethod
    def collected(cls, steps: Iterable[tuple[Mechanism, int]]) -> Plan:
        """The plan of all these steps; equal mechanisms are counted together."""
        counts: Counter[Mechanism] = Counter()
        for mechanism, n in steps:
            counts[mechanism] += n
        return cls(tuple(sorted(counts.items(), key=_text)))

    def __add__(self, other: Mechanism | Plan) -> Plan:
        return Plan.collected(self.steps + Plan.of(other).steps)

    def __rmul__(self, count: int) -> Plan:
        return Plan.of(self, count=count)

    def __mul__(self, count: int) -> Plan:
        return Plan.of(self, count=count)

    def __repr__(self) -> str:
        return " + ".join(f"{n} * {mechanism!r}" for mechanism, n in self.steps)

    def total(self, view: Callable[[Mechanism], _V]) -> _V:
        """The composed view: the sum of count x view over the steps."""
        first, *rest = (n * view(mechanism) for mechanism, n in self.steps)
        for term in rest:
            first = first + term
        return first  # type: ignore[no-any-return]

    def canonical(self) -> list[dict[str, Any]]:
        """The steps as certificates and ledgers store them."""
        return [mechanism.canonical() | {"count": n} for mechanism, n in self.steps]


def _text(step: tuple[Mechanism, int]) -> str:
    return json.dumps(step[0].canonical(), sort_keys=True)
