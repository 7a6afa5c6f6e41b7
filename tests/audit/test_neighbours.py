"""Pairs that differ by one person, in every corner of the data."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bursar import Adjacency, InvalidParameter
from bursar.audit.neighbours import SPECIAL, WHOLE, neighbours


def rows(data: np.ndarray) -> Counter[bytes]:
    """The people of a data set, whatever their order, to the last bit."""
    return Counter(row.tobytes() for row in data)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("relation", Adjacency)
def test_pairs_differ_by_one_person(relation: Adjacency, whole: bool) -> None:
    found = neighbours(low=-1, high=1, adjacency=relation, whole=whole, most=500)
    assert len(found) > 25
    for one, two in found:
        gone, come = rows(one) - rows(two), rows(two) - rows(one)
        if relation is Adjacency.ADD_OR_REMOVE_ONE:
            assert sorted([gone.total(), come.total()]) == [0, 1]
        else:
            assert (gone.total(), come.total()) == (1, 1)
            assert len(one) == len(two)
        if relation is Adjacency.ZERO_OUT:
            assert come == rows(np.zeros(1, dtype=one.dtype)) or gone == come


@pytest.mark.parametrize("relation", Adjacency)
def test_the_corners_are_there(relation: Adjacency) -> None:
    floats = neighbours(low=-1, high=1, adjacency=relation, most=500)
    seen = rows(np.concatenate([side for pair in floats for side in pair]))
    assert all(np.float64(value).tobytes() in seen for value in SPECIAL)
    whole = neighbours(low=-1, high=1, adjacency=relation, whole=True, most=500)
    numbers = {int(v) for pair in whole for side in pair for v in side}
    assert numbers >= set(WHOLE)
    sizes = {len(side) for pair in floats for side in pair}
    assert sizes >= {1, 2, 3}


def test_the_plainest_are_first_and_few_enough() -> None:
    found = neighbours(low=0, high=5, most=3)
    assert len(found) == 3
    assert all(np.isfinite(side).all() for pair in found for side in pair)
    assert (0 in {len(side) for pair in found for side in pair}) is True


@pytest.mark.parametrize("bad", [{"low": 1, "high": 1}, {"low": "nan", "high": 1}, {"most": 0}])
def test_bad_bounds_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        neighbours(**{"low": 0, "high": 1, **bad})
