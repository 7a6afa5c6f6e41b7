"""Every wrong sparse vector is caught at the ε that it claims, and the right one is not."""

from __future__ import annotations

import numpy as np
import pytest

from bursar import LaplaceSparseVector, PureDP, epsilon
from bursar.audit import Vectorised, search
from tests.audit.wrong_screens import CLAIM, PAIRS, WRONG, Variant, right

pytestmark = pytest.mark.statistical


def audited(run: Variant) -> bool:
    """A false alarm in 1e6 runs, on any pair of queries; floats are rounded to 2^-20 first."""
    claim, pairs = PureDP(epsilon=CLAIM), PAIRS.values()
    return search(Vectorised(run), pairs, claim=claim, samples=100_000, grid=20).found


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_screen_is_caught(name: str) -> None:
    assert audited(WRONG[name])


@pytest.mark.parametrize("tops", sorted({wrong.tops or 5 for wrong in WRONG.values()}))
def test_the_right_screen_is_not(tops: int) -> None:
    assert not audited(right(tops))


@pytest.mark.parametrize("tops", [1, 5])
def test_the_right_screen_is_what_bursar_accounts(tops: int) -> None:
    of = right(tops)
    ours = LaplaceSparseVector(
        threshold_noise=of.threshold_scale, query_noise=of.query_scale, cutoff=tops
    )
    assert float(epsilon(ours, delta=0)) == pytest.approx(CLAIM, rel=1e-12)


def test_rows_are_the_tops() -> None:
    """Without noise: the first ones above the threshold, and −1 where there is none."""
    plain = Variant(source="", threshold_scale=0, query_scale=0, tops=2, shows="number")
    assert plain(np.array([-1.0, 3.0, -2.0, 5.0, 7.0]), 1).tolist() == [[1, 3, 3, 5]]
    assert plain(np.array([-1.0, 3.0]), 1).tolist() == [[1, -1, 3, 0]]
