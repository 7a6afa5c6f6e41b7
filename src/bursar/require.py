"""Checks at the door, in the positive form: what is not proved to be right is refused.

Each takes one keyword, so that the error can name the field, and gives back the exact value.
"""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable

from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number

_HINTS = {
    "sampling_probability": "Did you mean batch_size / examples?",
    "noise_multiplier": "It is the noise's standard deviation over one person's largest l2 norm.",
    "scale": "It is the noise's scale over one person's largest l1 norm.",
    "delta": "Use --log-delta (log_delta=) for a delta below 1e-308.",
    "count": "A plan runs a step a whole number of times: write 1000 * step.",
    "steps": "A plan runs a step a whole number of times.",
}


def positive(**field: Number) -> Exact:
    """A finite number above 0."""
    name, exact = _exact(field)
    if not exact > 0:
        raise _invalid(name, exact, "it must be a finite number above 0")
    return exact


def nonnegative(**field: Number) -> Exact:
    """A finite number, 0 or above."""
    name, exact = _exact(field)
    if not exact >= 0:
        raise _invalid(name, exact, "it must be a finite number, 0 or above")
    return exact


def probability(**field: Number) -> Exact:
    """A number in (0, 1]."""
    name, exact = _exact(field)
    if not 0 < exact <= 1:
        raise _invalid(name, exact, "it must be in (0, 1]")
    return exact


def unit_interval(**field: Number) -> Exact:
    """A number in [0, 1]."""
    name, exact = _exact(field)
    if not 0 <= exact <= 1:
        raise _invalid(name, exact, "it must be in [0, 1]")
    return exact


def real(**field: Number) -> Exact:
    """Any finite number."""
    return _exact(field)[1]


def count(*, at_least: int = 1, **field: object) -> int:
    """A whole number; a float is refused even when it is whole, because counts are not measured."""
    ((name, value),) = field.items()
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and int(value) >= at_least:  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload,no-any-return]
    raise _invalid(name, value, f"it must be a whole number (int), {at_least} or above")


def log_delta(value: object) -> float:
    """A natural logarithm of delta: a finite float, 0 or below."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and -math.inf < value <= 0:
        return float(value)
    raise _invalid("log_delta", value, "it must be a finite number, 0 or below")


def one_of(allowed: Iterable[str], **field: object) -> str:
    """One of a closed set of names; the error offers the nearest."""
    ((name, value),) = field.items()
    names = list(allowed)
    if isinstance(value, str) and value in names:
        return value
    near = difflib.get_close_matches(str(value), names, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else None
    raise InvalidParameter(
        f"it must be one of {', '.join(names)}", field=name, value=value, hint=hint
    )


def _exact(field: dict[str, Number]) -> tuple[str, Exact]:
    ((name, value),) = field.items()
    return name, Exact.of(value, field=name)


def _invalid(name: str, value: object, need: str) -> InvalidParameter:
    return InvalidParameter(need, field=name, value=value, hint=_HINTS.get(name))
