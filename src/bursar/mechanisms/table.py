"""A mechanism of one's own, as the probabilities of its finitely many outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.noise_curves import TableRdp
from bursar.privacy.pairs import TablePair

_MOST = 100_000


@final
@dataclass(frozen=True, slots=True, init=False)
class Table(Mechanism):
    """A dominating pair as a table: each output's probability with the person, and without.

    What it dominates is the user's to say, and for which relation.

    >>> Table(present=["0.6", "0.4"], absent=["0.4", "0.6"])
    Table(present=(0.6, 0.4), absent=(0.4, 0.6))
    """

    name: ClassVar[str] = "table"
    present: tuple[Exact, ...]
    absent: tuple[Exact, ...]

    def __init__(self, *, present: Sequence[Number], absent: Sequence[Number]) -> None:
        laws = {"present": law("present", present), "absent": law("absent", absent)}
        if len(laws["present"]) != len(laws["absent"]):
            need = f"there must be one for each of the {len(laws['present'])} outputs"
            raise InvalidParameter(need, field="absent", value=absent)
        fix(self, laws)

    def pair(self, adjacency: Adjacency, direction: Direction) -> TablePair:
        """The table, the present person first when they are removed."""
        rows = self._rows()
        return TablePair(rows if direction is Direction.REMOVE else tuple((q, p) for p, q in rows))

    def pure(self, adjacency: Adjacency) -> Exact:
        """The largest log-ratio, rounded up; NoProof where an output gives the person away."""
        most = self.rdp(adjacency).limit()
        if most is None:
            raise NoProof("an output of this table has probability 0 in one column only")
        return Exact(most)

    def rdp(self, adjacency: Adjacency) -> TableRdp:
        """Finite sums."""
        return TableRdp(self._rows())

    def _rows(self) -> tuple[tuple[Exact, Exact], ...]:
        return tuple(zip(self.present, self.absent, strict=True))


def law(field: str, given: Sequence[Number], *, least: int = 0) -> tuple[Exact, ...]:
    """Probabilities that add up to 1, exactly."""
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
        raise InvalidParameter("it must be a list of numbers", field=field, value=given)
    values = list(given)
    if not least < len(values) <= _MOST:
        need = f"it must have {least + 1} to {_MOST:,} entries"
        raise InvalidParameter(need, field=field, value=len(values))
    found = tuple(require.unit_interval(**{field: value}) for value in values)
    if sum(found) != 1:
        need = f"the probabilities must add up to 1, not {float(sum(found))!r}"
        hint = "Write them as exact decimals or fractions: 1/3, not 0.333."
        raise InvalidParameter(need, field=field, value=given, hint=hint)
    return found
