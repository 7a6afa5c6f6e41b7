"""Private arrays, one number for each person: what is seen of them is their public size alone.

Printing, comparing, hashing, pickling and copying say nothing of what is inside.  The number of
places is public, since the owner of the data declares it; which of them are taken is not.
Trusted code, which computes answers and stores the books, opens them by name: `reveal`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import CorruptBooks, InvalidParameter

Array = NDArray[Any]


class Private:
    """What is neither pickled nor copied, and is equal to itself alone."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise _secret()

    def __getstate__(self) -> NoReturn:
        raise _secret()


class Ticket(Private):
    """Goes with a state that may be used once: whoever takes it may make the next state.

    `pop` gives to one thread alone: two that used one state could spend the same budget twice.
    """

    __slots__ = ("_of", "_unused")

    def __init__(self, of: str) -> None:
        self._of, self._unused = of, [True]

    def take(self) -> None:
        """Take it; CorruptBooks if that was done before."""
        try:
            self._unused.pop()
        except IndexError:
            raise CorruptBooks(f"this state of {self._of} was replaced by a newer one") from None


class Sealed(Private):
    """A private array.

    >>> Sealed(np.array([3, 1, 4]))
    <private Sealed of 3 people>
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: Array) -> None:
        self._secret = secret

    def reveal(self) -> Array:
        """The array itself, for trusted code alone: nothing that depends on it may be published."""
        return self._secret

    def __len__(self) -> int:
        return len(self._secret)

    def __repr__(self) -> str:
        return f"<private {type(self).__name__} of {len(self)} people>"

    def one(self, person: int) -> int:
        """The entry of one person, to be told to that person alone."""
        index = require.count(person=person, at_least=0)
        if index >= len(self):
            raise InvalidParameter(f"it must be below {len(self)}", field="person", value=person)
        return int(self._secret[index])


def _secret() -> InvalidParameter:
    return InvalidParameter(
        "private state is neither pickled nor copied",
        hint="Trusted code stores it by the filter's save().",
    )


def whole(array: Array, people: int, field: str) -> Array:
    """An array of whole numbers, 0 or above, one for each person; the error shows none of them."""
    found = np.asarray(array)
    if found.shape != (people,):
        need = f"there must be one for each of the {people} people"
        raise InvalidParameter(need, field=field, value=f"shape {found.shape}")
    if found.dtype.kind not in "ui":
        raise InvalidParameter("they must be integers", field=field, value=found.dtype)
    if found.dtype.kind == "i" and people and found.min() < 0:
        raise InvalidParameter("they must be 0 or above", field=field, value="private")
    return found
