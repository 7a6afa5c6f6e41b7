"""What every mechanism is: a small frozen value with a name, that plans count and add.

The views (pair, pure, zCDP, GDP, RDP) are methods that a mechanism has or has not: `views.py`.
"""

from __future__ import annotations

import dataclasses
from abc import ABC
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from bursar.adjacency import Adjacency
from bursar.errors import NoProof
from bursar.exact import Exact

if TYPE_CHECKING:
    from bursar.mechanisms.plan import Plan

ALL_RELATIONS = frozenset(Adjacency)


class Mechanism(ABC):
    """One run of something private.  `1000 * step` and `step + other` make plans."""

    name: ClassVar[str]
    relations: ClassVar[frozenset[Adjacency]] = ALL_RELATIONS
    sums: ClassVar[bool] = False  # noise on a sum: a record that contributes nothing is as none
    wraps: ClassVar[bool] = False  # it is made of other mechanisms

    def canonical(self) -> dict[str, Any]:
        """The mechanism as certificates and ledgers store it: its name, and exact text."""
        return {"mechanism": self.name} | {
            field.name: written(getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        }

    def proved_under(self, adjacency: Adjacency) -> Adjacency:
        """`adjacency`, or NoProof with the relations that are proved."""
        if adjacency in self.relations:
            return adjacency
        names = " or ".join(sorted(relation.value for relation in self.relations))
        raise NoProof(
            f"{self.name} has no proved bound under {adjacency.value}",
            hint=f"Ask for adjacency {names}.",
        )

    def __rmul__(self, count: int) -> Plan:
        from bursar.mechanisms.plan import Plan

        return Plan.of(self, count=count)

    def __mul__(self, count: int) -> Plan:
        return self.__rmul__(count)

    def __add__(self, other: Mechanism | Plan) -> Plan:
        return 1 * self + other


def written(value: object) -> Any:
    """A field as canonical text; counts stay whole numbers."""
    if isinstance(value, Exact):
        return value.text
    if isinstance(value, tuple):
        return [written(item) for item in value]
    return value


def fix(mechanism: Mechanism, values: Mapping[str, object]) -> None:
    """Set the fields of a frozen value, once, at its birth."""
    for name, value in values.items():
        object.__setattr__(mechanism, name, value)
