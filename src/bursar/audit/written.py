"""Outcomes as JSON and back: numbers to the last bit, texts, and of what kind and shape they are.

Nothing that is read back is code: of an error or an object of the mechanism's own, its kind and its
words are kept.  What differs as an outcome differs when it is read back.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

_PLAIN: Final = (str, int, float, bool, type(None))


class Raised(Exception):
    """An error of a mechanism, read back: its kind and its words."""


def written(outcome: Any) -> Any:
    """The outcome as JSON has it.

    >>> read(written([1, 0.1, None, "a", (2, b"b")]))
    [1, 0.1, None, 'a', (2, ('bytes', "b'b'"))]
    """
    if type(outcome) in _PLAIN:
        return outcome
    of, inside = _taken(outcome)
    return {"of": of, "is": inside}


def read(told: Any) -> Any:
    """An outcome again; ValueError, KeyError or TypeError where it is none."""
    if not isinstance(told, dict):
        return told
    of, inside = told["of"], told["is"]
    if of in _READ:
        return _READ[of](inside)
    return of, *map(read, inside)


def _array(inside: tuple[str, list[int], str]) -> Any:
    kind, shape, body = inside
    return np.frombuffer(base64.b64decode(body), dtype=_dtype(kind)).reshape(shape)


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "list": lambda inside: list(map(read, inside)),
    "tuple": lambda inside: tuple(map(read, inside)),
    "set": lambda inside: frozenset(map(read, inside)),
    "Fraction": Fraction,
    "Decimal": Decimal,
    "array": _array,
    "number": lambda inside: _array((inside[0], [1], inside[1]))[0],
    "error": Raised,
}


def _taken(outcome: Any) -> tuple[str, Any]:  # noqa: PLR0911 - one line for each kind
    if isinstance(outcome, np.ndarray) and outcome.dtype.kind in "biuf":
        body = np.ascontiguousarray(outcome).tobytes()
        return "array", [outcome.dtype.str, list(outcome.shape), base64.b64encode(body).decode()]
    if isinstance(outcome, np.generic) and outcome.dtype.kind in "biuf":
        return "number", [outcome.dtype.str, base64.b64encode(outcome.tobytes()).decode()]
    if isinstance(outcome, BaseException):
        return "error", f"{type(outcome).__name__}: {outcome}"
    if isinstance(outcome, (set, frozenset)):
        return "set", [written(one) for one in sorted(outcome, key=repr)]
    kind = type(outcome).__name__
    if type(outcome) in {list, tuple}:
        return kind, [written(one) for one in outcome]
    if type(outcome) in {Fraction, Decimal}:
        return kind, str(outcome)
    if isinstance(outcome, np.ndarray):
        return kind, [written(one) for one in outcome.ravel().tolist()]
    if dataclasses.is_dataclass(outcome) and not isinstance(outcome, type):
        return kind, [written(getattr(outcome, f.name)) for f in dataclasses.fields(outcome)]
    if isinstance(outcome, Mapping):
        pairs = sorted(outcome.items(), key=repr)
        return kind, [written(part) for name, value in pairs for part in (repr(name), value)]
    return kind, [repr(outcome)]


def _dtype(kind: object) -> np.dtype[Any]:
    found = np.dtype(str(kind))
    if found.kind not in "biuf":
        raise ValueError(kind)
    return found
