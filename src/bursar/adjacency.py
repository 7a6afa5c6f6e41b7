"""Neighbouring relations, and the two directions of a pair of neighbours."""

from __future__ import annotations

from enum import StrEnum, unique

from bursar import require


@unique
class Adjacency(StrEnum):
    """Which two data sets are neighbours."""

    ADD_OR_REMOVE_ONE = "add-or-remove-one"
    REPLACE_ONE = "replace-one"
    ZERO_OUT = "zero-out"

    @classmethod
    def of(cls, value: Adjacency | str) -> Adjacency:
        """The relation of that name.

        >>> Adjacency.of("zero-out")
        <Adjacency.ZERO_OUT: 'zero-out'>
        """
        return cls(require.one_of([relation.value for relation in cls], adjacency=value))


@unique
class Direction(StrEnum):
    """`remove` bounds P(with the person) by Q(without); `add` the other way round."""

    REMOVE = "remove"
    ADD = "add"


DEFAULT = Adjacency.ADD_OR_REMOVE_ONE
