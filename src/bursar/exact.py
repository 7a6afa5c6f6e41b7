"""Numbers that mean what is written.

Text is an exact decimal or fraction; a Python float means its shortest decimal (its repr);
int, Fraction, Decimal and numpy scalars are taken exactly; bool is refused.  `Exact` is a
Fraction that prints as the one canonical text, which certificates and ledgers store.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, SupportsFloat, final

from bursar.errors import InvalidParameter

if TYPE_CHECKING:
    import numpy

    Number = int | float | str | Fraction | Decimal | numpy.number
else:
    Number = object

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)
_LONGEST = 1_000  # digits of a numerator or denominator: beyond any meaning
_LONGEST_TEXT = 4_000  # characters: 1/2**3321 has 2,323 digits; Python prints no more than 4,300


@final
class Exact(Fraction):
    """A rational number with one canonical text.

    >>> Exact.of("256/60000"), Exact.of(1e-5), Exact.of("0.0010")
    (8/1875, 1e-5, 0.001)
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: Number, *, field: str = "value") -> Exact:
        """The exact value of a number or text; raises InvalidParameter for what is neither."""
        if isinstance(value, Exact):
            return value
        found = cls(_fraction(value, field))
        if max(abs(found.numerator), found.denominator) > 10**_LONGEST:
            raise InvalidParameter("it has too many digits", field=field, value=value)
        return found

    @property
    def text(self) -> str:
        """Canonical text: a shortest decimal where one exists, else numerator/denominator."""
        return canonical(self)

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Exact], tuple[int, int]]:
        return Exact, (self.numerator, self.denominator)


def canonical(value: Fraction) -> str:
    """`value` as text, written one way: 0.001, 1e-5, 1200, 1e20, 8/1875."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator)
    stripped = digits.rstrip("0") or "0"
    exponent = len(digits) - len(stripped) - places
    sign = "-" if value < 0 else ""
    return sign + ("0" if value == 0 else _placed(stripped, exponent))


def _placed(digits: str, exponent: int) -> str:
    """digits x 10^exponent, plain between 1e-4 and 1e16 as Python prints floats."""
    point = len(digits) + exponent
    if not -4 < point <= 16:
        head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{head}e{point - 1}"
    if point <= 0:
        return "0." + "0" * -point + digits
    if exponent >= 0:
        return digits + "0" * exponent
    return digits[:point] + "." + digits[point:]


def _fraction(value: object, field: str) -> Fraction:
    if isinstance(value, bool):
        raise InvalidParameter("it must be a number, not a bool", field=field, value=value)
    if isinstance(value, str):
        return _from_text(value, field)
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return _from_numpy(value, field)
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if isinstance(value, float):
        _finite(value, field)
        return Fraction(repr(value))
    if isinstance(value, Decimal):
        _finite(value, field)
        if abs(value.adjusted()) > _LONGEST:
            raise InvalidParameter("it has too many digits", field=field, value=value)
        return Fraction(value)
    raise InvalidParameter(
        "it must be a number or its text",
        field=field,
        value=value,
        hint=f"Got {type(value).__name__}.",
    )


def _from_numpy(value: object, field: str) -> Fraction:
    item = value.item() if getattr(value, "ndim", 1) == 0 else None  # type: ignore[attr-defined]
    if isinstance(item, float):
        _finite(item, field)
        return Fraction(item)
    if isinstance(item, int) and not isinstance(item, bool):
        return Fraction(item)
    raise InvalidParameter("it must be one real number", field=field, value=value)


def _from_text(text: str, field: str) -> Fraction:
    top, slash, bottom = text.strip().partition("/")
    parts = [top.strip(), bottom.strip()] if slash else [top]
    if not all(_DECIMAL.fullmatch(part) for part in parts):
        need = "it must be an exact finite number such as 0.001, 1e-5 or 256/60000"
        raise InvalidParameter(need, field=field, value=text)
    if any(len(part) > _LONGEST_TEXT or _size(part) > _LONGEST for part in parts):
        raise InvalidParameter("it has too many digits", field=field, value=text)
    values = [Fraction(part) for part in parts]
    if slash and values[1] == 0:
        raise InvalidParameter("its denominator must not be 0", field=field, value=text)
    return values[0] / values[1] if slash else values[0]


def _size(part: str) -> int:
    exponent = re.search(r"[eE]([+-]?\d+)$", part)
    return abs(int(exponent.group(1))) if exponent else 0


def _finite(value: SupportsFloat, field: str) -> None:
    if not (math.isfinite(value) if isinstance(value, (float, Decimal)) else False):
        raise InvalidParameter("it must be a finite number", field=field, value=value)
