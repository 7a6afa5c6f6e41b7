"""Each kept mistake is caught, and the version that is right passes the same audit."""

from __future__ import annotations

import pytest

from bursar.audit import Vectorised, look
from tests.audit.mistakes import MISTAKES, Mistake, Run

pytestmark = pytest.mark.statistical


def audited(mistake: Mistake, run: Run) -> bool:
    """A false alarm in 1e6 runs."""
    return look(
        Vectorised(run),
        *mistake.pair,
        claim=mistake.claim,
        adjacency=mistake.adjacency,
        samples=mistake.samples,
        grid=mistake.grid,
    ).found


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_caught(name: str) -> None:
    assert audited(MISTAKES[name], MISTAKES[name].wrong)


@pytest.mark.parametrize("name", MISTAKES)
def test_the_right_version_is_not(name: str) -> None:
    assert not audited(MISTAKES[name], MISTAKES[name].right)
