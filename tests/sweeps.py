"""Sweeps whose rows show the same thing many times: some rows are quick, the rest are `slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def quick_first(rows: Iterable[Any], quick: int) -> list[Any]:
    """The rows, of which only so many at the start run among the quick tests."""
    marked = [row if isinstance(row, tuple) else (row,) for row in rows]
    return [
        pytest.param(*row, marks=[] if at < quick else [pytest.mark.slow])
        for at, row in enumerate(marked)
    ]
