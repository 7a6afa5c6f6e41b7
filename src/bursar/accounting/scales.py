"""The values that a search tries, in their order: decimals of eight digits, or whole numbers.

Neighbours are one index apart.  A decimal becomes the float that prints as it, so that a value
is exactly what is written, and neighbours differ by less than 1e-6 of themselves.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Protocol, final

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Number

_DIGITS = 8
_FIRST = 10_000_000  # the least mantissa
_DECADE = 9 * _FIRST  # decimals of so many digits from one power of ten to the next


class Scale(Protocol):
    """Positive values in their order."""

    low: float  # where a search without a bracket looks: logarithms to base 2
    start: float
    high: float

    def at(self, index: int) -> float:
        """The value at an index: an int where the values are whole."""

    def nearest(self, log: float) -> int:
        """The index whose value is nearest to 2^log, which is within low … high."""

    def within(self, bracket: tuple[Number, Number]) -> tuple[int, int]:
        """The first and the last index of a bracket that a person gives."""


@final
class Decimals:
    """Decimals of eight digits; 1 has the index 0."""

    low, start, high = -100.0, 0.0, 100.0

    def at(self, index: int) -> float:
        """The float that prints as the decimal."""
        exponent, mantissa = divmod(index, _DECADE)
        return float(f"{mantissa + _FIRST}e{exponent - _DIGITS + 1}")

    def nearest(self, log: float) -> int:
        """By rounding."""
        return _index(
            Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN).create_decimal(math.exp2(log))
        )

    def within(self, bracket: tuple[Number, Number]) -> tuple[int, int]:
        """Rounded inward."""
        ends = []
        for value, mode in zip(_two(bracket), (ROUND_CEILING, ROUND_FLOOR), strict=True):
            exact = require.positive(bracket=value)
            if not 1e-300 < exact < 1e300:
                raise InvalidParameter("it must be a float", field="bracket", value=value)
            context = Context(prec=_DIGITS, rounding=mode)
            ends.append(
                _index(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))
            )
        return _ordered(ends, bracket)


@final
class Wholes:
    """Whole numbers from 1."""

    low, start, high = 0.0, 5.0, 50.0

    def at(self, index: int) -> int:
        """Itself."""
        return index

    def nearest(self, log: float) -> int:
        """By rounding."""
        return max(round(math.exp2(log)), 1)

    def within(self, bracket: tuple[Number, Number]) -> tuple[int, int]:
        """The numbers themselves."""
        return _ordered([require.count(bracket=end) for end in _two(bracket)], bracket)


def _index(value: Decimal) -> int:
    exponent = value.adjusted()
    return exponent * _DECADE + int(value.scaleb(_DIGITS - 1 - exponent)) - _FIRST


def _two(bracket: object) -> tuple[Any, Any]:
    if isinstance(bracket, tuple | list) and len(bracket) == 2:
        return bracket[0], bracket[1]
    raise _invalid("it must be two numbers", bracket)


def _ordered(ends: list[int], bracket: object) -> tuple[int, int]:
    low, high = ends
    if not low < high:
        raise _invalid("its first end must be below its second", bracket)
    return low, high


def _invalid(need: str, bracket: object) -> InvalidParameter:
    return InvalidParameter(need, field="bracket", value=bracket, hint="Write bracket=(low, high).")
