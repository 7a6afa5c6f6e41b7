"""All proved accountants, over the registry: whoever answers overlaps with whoever else does."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest

import bursar
from bursar import Adjacency, Enclosure, LimitReached, NoProof, UpperBound
from bursar.accounting import edgeworth
from bursar.accounting.accountants import PROVED, takers
from tests.laws.cases import APART, SILENT, Case, swept

ROWS = [(case, relation) for case, relation in APART if case.name not in SILENT]


def answers(case: Case, relation: Adjacency, count: int, delta: str) -> dict[str, list[float]]:
    """The lower and upper end of everybody who has an answer."""
    found = {}
    for accountant in PROVED:
        with suppress(NoProof, LimitReached):
            one = accountant.epsilon(case.plan(count), delta=delta, adjacency=relation)
            found[accountant.name] = [one.lower if isinstance(one, Enclosure) else 0.0, float(one)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("case", "relation"), swept(ROWS))
def test_nobody_s_bound_is_below_another_s(case: Case, relation: Adjacency) -> None:
    for count, delta in ((1, "1e-3"), (20, "1e-7")):
        found = answers(case, relation, count, delta)
        assert found
        assert max(low for low, _ in found.values()) <= min(high for _, high in found.values())


@pytest.mark.slow
def test_a_bound_that_is_too_low_would_be_seen() -> None:
    case, relation = next(row for row in ROWS if row[0].name == "laplace")
    found = answers(case, relation, 7, "1e-7")
    assert {"exact", "lattice", "rdp"} <= set(found)
    low = max(low for low, _ in found.values())
    assert all(before != after for before, after in pairwise(found.values()))
    assert 0.999 * found["exact"][1] < low


EXPANDED = [
    (case, relation)
    for case, relation in ROWS
    for taker in takers(case.plan(), adjacency=relation)
    if taker.method == edgeworth.NAME and taker.refused is None
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "relation"), EXPANDED)
def test_edgeworth_s_bound_is_not_below_another_s(case: Case, relation: Adjacency) -> None:
    bounds = 0
    for count, delta in ((40, "1e-2"), (1000, "1e-6")):
        found: object = None
        with suppress(LimitReached):
            found = edgeworth.epsilon(case.plan(count), delta=delta, adjacency=relation)
        if isinstance(found, UpperBound):
            truth = bursar.epsilon(case.plan(count), delta=delta, adjacency=relation)
            assert getattr(truth, "lower", 0.0) <= found.upper
            bounds += 1
    assert bounds
