"""Whether float64 can hold the numbers of a plan: where it proposes, it must."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction

from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.privacy.pairs import Composition, LargerPair, Pair, SampledPair

_LARGEST = 10**50  # and its inverse
_NEARLY = 1 - Fraction(1, 10**15)


def check_floats(composition: Composition) -> None:
    """Raise LimitReached unless float64 holds all numbers and counts, with room to spare."""
    for pair, count in composition.parts:
        for one in _within(pair):
            numbers = [getattr(one, field.name) for field in fields(one)]
            sizes = [
                Fraction(value) for value in (*numbers, count) if isinstance(value, Exact | int)
            ]
            held = all(size == 0 or 1 <= size * _LARGEST <= _LARGEST**2 for size in sizes)
            if not held or getattr(one, "sampling_probability", 0) > _NEARLY:
                need = "a number of this plan is beyond what float64 can hold"
                raise LimitReached(need, hint="Ask for --method rdp.")


def _within(pair: Pair) -> Iterator[Pair]:
    yield pair
    for inner in (pair.base,) if isinstance(pair, SampledPair) else ():
        yield from _within(inner)
    for branch in pair.branches if isinstance(pair, LargerPair) else ():
        yield from _within(branch)
