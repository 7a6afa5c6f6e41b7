"""Quantile functions in float64, for whole arrays, with a proved bound on the error.

A tail's probability p is a float; its exponent and five more bits name one of a thousand pieces,
its other bits are the exact offset t from the piece's middle, and the value is a Taylor polynomial
in t.  Only additions, multiplications and integer operations occur, which IEEE 754 rounds in one
way.  The bound sums four terms, each evaluated in balls when the table is made: the remainder, the
coefficients' rounding, Horner's rounding, and p's own (docs/proofs/rounded-gaussian.md, Prop. 4).
Not here: what is done where the error leaves a decision open (uniform.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.errors import InternalError
from bursar.noise.laws import Law, Tail
from bursar.numerics.balls import float_up, precision, upper_of

CHUNK = 1 << 14  # draws at a time, so that the arrays stay in the cache

_TERMS = 9
_SPLIT = 5  # bits of the mantissa that name a piece
_OFFSET = 52 - _SPLIT
_LEAST = -30  # p below 2^-30 has no float value: balls decide
_FIRST = (1023 + _LEAST) << _SPLIT
_PIECES = ((-1 - _LEAST) << _SPLIT) + 1  # up to 1/2, to which p may round
_BITS = 96


@final
@dataclass(frozen=True, slots=True, eq=False)
class Quantile:
    """A law's values in float64: each within `error` of the truth, and at most `largest`."""

    coefficients: NDArray[np.float64]
    error: Fraction
    largest: Fraction

    def near(self, high: NDArray[np.uint64], low: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The values for p = (bits of high after the first, then of low); NaN where p is tiny.

        Computes: Σ c_n t^n on the piece of p, on the side that the first bit of `high` names.
        Valid for: p at or above 2^-30; elsewhere the value is NaN, which decides nothing.
        Error: `error`, absolute, whatever the bits after those given.
        Cost: 40 passes over arrays in the cache, about 45 ns a value.
        Source: docs/proofs/rounded-gaussian.md, Prop. 4.
        """
        value = np.empty(len(high))
        for start in range(0, len(high), CHUNK):
            here = slice(start, start + CHUNK)
            self._fill(value[here], high[here], low[here])
        return value

    def _fill(
        self, value: NDArray[np.float64], high: NDArray[np.uint64], low: NDArray[np.uint32]
    ) -> None:
        p = (high.view(np.int64) & (2**63 - 1)).astype(np.float64)
        p *= 2.0**-64
        p += low * 2.0**-96
        bits = p.view(np.int64)
        piece = (bits >> _OFFSET) - _FIRST
        tiny = np.flatnonzero(piece < 0)
        piece[tiny] = 0
        piece += (high >> np.uint64(63)).view(np.int64) * _PIECES
        bits &= 2**_OFFSET - 1
        t = bits.astype(np.float64)
        t -= 2.0 ** (_OFFSET - 1)
        t *= 2.0**-_OFFSET
        self.coefficients[-1].take(piece, out=value, mode="clip")
        term = np.empty_like(value)
        for coefficients in self.coefficients[-2::-1]:
            value *= t
            value += coefficients.take(piece, out=term, mode="clip")
        value[tiny] = np.nan


@cache
def quantile(law: Law) -> Quantile:
    """The table of a law, made once in a process, in a tenth of a second."""
    upper = _half(law.upper)
    lower = upper if law.lower is law.upper else _half(law.lower)
    error = max(upper.error, lower.error)
    if not error < Fraction(1, 2**44):
        raise InternalError(f"the table of the {law.name} law has an error of {float(error)}")
    return Quantile(
        np.hstack([upper.coefficients, law.mirror * lower.coefficients]),
        error,
        max(upper.largest, lower.largest),
    )


def _half(tail: Tail) -> Quantile:
    columns, errors, slopes, largest = [], [], [], arb(0)
    with precision(_BITS):
        for low, width in _pieces():
            column, error, slope, top = _piece(tail, low, width)
            columns.append(column)
            errors.append(error)
            slopes.append(slope)
            largest = upper_of(largest, top)
        # p is two roundings from the truth, and 2^-66 for the bits not seen
        error = upper_of(*errors) + arb(2.01) * 2.0**-53 * upper_of(*slopes)
        return Quantile(
            np.array(columns).T.copy(), Fraction(float_up(error)), Fraction(float_up(largest))
        )


def _pieces() -> Iterator[tuple[float, float]]:
    """The least p of each piece, and the piece's width: powers of two times small integers."""
    for index in range(_PIECES):
        step, place = divmod(index, 1 << _SPLIT)
        width = math.ldexp(1.0, _LEAST + step - _SPLIT)
        yield math.ldexp(1.0, _LEAST + step) + place * width, width


def _piece(tail: Tail, low: float, width: float) -> tuple[list[float], arb, arb, arb]:
    """The coefficients in t, the error with them, the largest |p x derivative|, and |value|."""
    middle, span = arb(low + width / 2), arb(low + width / 2, width / 2)
    true = [c * arb(width) ** n for n, c in enumerate(tail(middle, _TERMS))]
    given = [float(c.mid()) for c in true]
    rounding = arb(0)
    for n, (c, near) in enumerate(zip(true, given, strict=True)):
        roundings = min(2 * n + 1, 2 * _TERMS - 2)  # Higham 2002, Sec. 5.1
        horner = abs(arb(near)) * roundings / (2**53 - roundings)
        rounding += (abs(c - near) + horner) * arb(0.5) ** n
    wide = tail(span, _TERMS + 1)
    remainder = abs(wide[-1]) * (arb(width) / 2) ** _TERMS
    return given, (remainder + rounding).upper(), abs(wide[1] * span).upper(), abs(wide[0]).upper()
