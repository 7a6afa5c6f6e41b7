"""Two densities on the line, given as functions, and what it takes to prove things of them.

A function is called with `flint.arb` balls and with `flint.arb_series` (truncated power series
over balls), and has to answer with one that encloses its values: written with the methods of
those types (`exp`, `log`, `sqrt`, …), it does.  Where it is not smooth, `breaks` says so: between
them Taylor's theorem is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from bursar.exact import Exact

BallFunction = Callable[[Any], Any]


@final
@dataclass(frozen=True, slots=True)
class Densities:
    """P with the person, Q without, on [low, high]; what lies outside counts as unknown."""

    present: BallFunction
    absent: BallFunction
    low: Exact
    high: Exact
    breaks: tuple[Exact, ...] = ()
