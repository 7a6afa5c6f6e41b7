"""Small adversarial data sets, in pairs that differ by one person, for each neighbouring relation.

Violations live in the corners: data sets of one to three people, everybody at a bound but one,
mixed signs, NaN, infinities, −0.0, numbers where floats lose units, the ends of int64, another
order.  The person in whom a pair differs stands last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Number

Data = NDArray[np.float64] | NDArray[np.int64]
Pair = tuple[Data, Data]

SPECIAL = (float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 2.0**63, -(2.0**53), 2.0**53)
WHOLE = (2**62, 2**63 - 1, -(2**63), 2**53 + 1, -(2**53), 2**53)


def neighbours(
    *,
    low: Number,
    high: Number,
    adjacency: Adjacency | str = DEFAULT,
    whole: bool = False,
    null: Number = 0,
    sizes: Sequence[int] = (1, 2, 3),
    most: int = 64,
) -> list[Pair]:
    """Pairs of neighbours with values in and beyond [low, high], the plainest first.

    `whole` gives int64 data; `null` is what a zeroed-out person holds.

    >>> neighbours(low=0, high=1, most=1)
    [(array([1.]), array([], dtype=float64))]
    """
    relation = Adjacency.of(adjacency)
    bottom, top = float(require.real(low=low)), float(require.real(high=high))
    if not bottom < top:
        raise InvalidParameter("it must be above low", field="high", value=high)
    cap = require.count(most=most)
    counted = [require.count(sizes=size) for size in sizes]
    middle = [0.0] if bottom < 0 < top else [(bottom + top) / 2]
    plain = [top, bottom, *middle]
    odd: list[float] = list(WHOLE) if whole else list(SPECIAL)
    dtype = np.int64 if whole else np.float64
    found = islice(_pairs(relation, plain, odd, float(require.real(null=null)), counted), cap)
    return [(_array(one, dtype), _array(two, dtype)) for one, two in found]


def _pairs(
    relation: Adjacency,
    plain: Sequence[float],
    odd: Sequence[float],
    null: float,
    sizes: Sequence[int],
) -> Iterator[tuple[list[float], list[float]]]:
    """Plain people first, then one odd person who differs, then odd people who stay."""
    for size in sizes:
        for person in plain:
            for others in product(plain[:2], repeat=size - 1) if size < 3 else [(plain[0],) * 2]:
                yield from _around(relation, list(others), person, plain, null)
    for person in odd:
        yield from _around(relation, [plain[0]] * (max(sizes) - 1), person, plain, null)
    for stays in odd:
        yield from _around(relation, [stays], plain[0], plain, null)
        yield from _around(relation, [stays, plain[1]], plain[0], plain, null)
    mixed = [odd[-1], *plain[:2]]  # another order of those who stay is the same data
    for one, two in _around(relation, mixed, plain[0], plain, null):
        yield [*reversed(mixed), *one[len(mixed) :]], two


def _around(
    relation: Adjacency, others: list[float], person: float, plain: Sequence[float], null: float
) -> Iterator[tuple[list[float], list[float]]]:
    if relation is Adjacency.ADD_OR_REMOVE_ONE:
        yield [*others, person], others
    elif relation is Adjacency.ZERO_OUT:
        if person != null:
            yield [*others, person], [*others, null]
    else:
        for other in plain:
            if other != person:
                yield [*others, person], [*others, other]


def _array(values: Sequence[float], dtype: type) -> Data:
    if dtype is np.float64:
        return np.array(values, dtype=np.float64)
    return np.array([int(value) for value in values], dtype=np.int64)
