"""Purses that hold a screen, or a million."""

from __future__ import annotations

from bursar import LaplaceSparseVector, SparseVector
from bursar.filters import AnyOrderFilter, Purse, RenyiFilter

NORMAL = SparseVector(threshold_noise=30, query_noise=60, length=1000)
CLASSICAL = LaplaceSparseVector(threshold_noise=30, query_noise=60)


def rich() -> Purse:
    """A budget that never ends."""
    return Purse({"all": RenyiFilter({2: 10**9, 16: 10**9})})


def poor(epsilon: object = 1) -> Purse:
    """A budget for a screen or two."""
    return Purse({"all": AnyOrderFilter(epsilon=epsilon, delta="1e-6")})  # type: ignore[arg-type]
