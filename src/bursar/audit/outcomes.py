"""What a mechanism answered, as a table: numbers, vectors, texts, None, errors, or any of them.

An outcome is taken apart into leaves: numbers, and words for whatever is no number (None, NaN,
text, an error with its message).  Equal outcomes have equal codes, to the last bit, so that what
floats hide (−0.0, low bits, integers beyond 2^53) stays visible.  Codes only name outcomes: no
count of anything is taken here, since half of the outcomes are not to be looked at yet.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from bursar.errors import InvalidParameter

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ABSENT, NUMBER = 0, 1  # kinds of a leaf; words come after
LOOKED_AT = 12  # columns of which low bits are kept
NO_BIT = 4000  # the place of the lowest bit of 0, and of what is no number


@final
@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Outcomes, one a row: values of numbers, kinds of leaves, lowest bits, codes of whole rows."""

    values: Floats
    kinds: Integers
    bits: Integers
    codes: Integers
    words: tuple[str, ...]  # of the kinds from 2 on
    shown: Sequence[object]  # an outcome for each code

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, start: int, stop: int) -> Table:
        """Some of the rows."""
        cut = slice(start, stop)
        return dataclasses.replace(
            self,
            values=self.values[cut],
            kinds=self.kinds[cut],
            bits=self.bits[cut],
            codes=self.codes[cut],
        )


def tables(
    first: Sequence[object], second: Sequence[object], *, grid: int | None = None
) -> tuple[Table, Table]:
    """Two tables with the same columns, words and codes; numbers on the grid, where there is one.

    What is rounded to multiples of 2^-grid no longer shows what its low bits told.
    """
    arrays = _array(first, grid), _array(second, grid)
    if arrays[0] is not None and arrays[1] is not None and arrays[0].dtype == arrays[1].dtype:
        one, two = arrays[0], arrays[1]
        if one.shape[1:] == two.shape[1:]:
            return _halves(_of_arrays(np.concatenate([one, two])), len(one))
    return _halves(_of_objects([*first, *second], grid), len(first))


def _halves(whole: Table, at: int) -> tuple[Table, Table]:
    return whole.part(0, at), whole.part(at, len(whole))


def _array(outcomes: Sequence[object], grid: int | None) -> NDArray[Any] | None:
    """The outcomes as one array of numbers, if that is what they are."""
    if isinstance(outcomes, np.ndarray):
        found = outcomes
    else:
        kinds = {(type(one), getattr(one, "shape", ())) for one in outcomes}
        if len(kinds) != 1 or not issubclass(kinds.pop()[0], (bool, int, float, np.ndarray)):
            return None
        found = np.asarray(outcomes)
    if found.dtype.kind not in "biuf" or not found.ndim:
        return None
    return _on_grid(found.astype(np.float64), grid) if found.dtype.kind == "f" else found


def _on_grid(values: Floats, grid: int | None) -> Floats:
    if grid is None:
        return values
    with np.errstate(all="ignore"):
        scaled = np.ldexp(values, grid)
        rounded = np.ldexp(np.rint(scaled), -grid) + 0.0  # no −0.0, which would tell a sign
    return np.where(np.isfinite(scaled), rounded, values)


def _of_arrays(rows: NDArray[Any]) -> Table:
    flat = np.ascontiguousarray(rows.reshape(len(rows), -1))
    values = flat.astype(np.float64)
    missing = np.isnan(values)
    whole = flat.dtype.kind in "iu"
    bits = lowest_bits(flat[:, :LOOKED_AT].astype(np.int64) if whole else values[:, :LOOKED_AT])
    if flat.shape[1] == 0:
        return Table(values, missing.astype(np.int64), bits, np.zeros(len(rows), int), (), [()])
    width = flat.dtype.itemsize * flat.shape[1]
    if width == 8:
        keys: NDArray[Any] = flat.view(np.int64).ravel()
    else:
        keys = flat.view(np.dtype((np.void, width))).ravel()
    _, where, codes = np.unique(keys, return_index=True, return_inverse=True)
    kinds = np.where(missing, NUMBER + 1, NUMBER)
    return Table(values, kinds, bits, codes.ravel(), ("nan",), _Shown(rows, where))


@final
@dataclass(frozen=True, slots=True)
class _Shown(Sequence[object]):
    """An outcome for each code, made when it is asked for."""

    rows: NDArray[Any]
    where: Integers

    def __len__(self) -> int:
        return len(self.where)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[self.where[index]].tolist()


def _of_objects(outcomes: Sequence[object], grid: int | None) -> Table:
    leaves = [[_rounded(leaf, grid) for leaf in _leaves(outcome)] for outcome in outcomes]
    columns = max((len(row) for row in leaves), default=0)
    shape = (len(leaves), columns)
    values, bits = np.full(shape, np.nan), np.full(shape, NO_BIT, dtype=np.int64)
    kinds = np.full(shape, ABSENT, dtype=np.int64)
    words: dict[str, int] = {}
    names: dict[object, int] = {}
    codes, shown = np.empty(len(leaves), dtype=np.int64), []
    for i, row in enumerate(leaves):
        for j, leaf in enumerate(row):
            if isinstance(leaf, str):
                kinds[i, j] = words.setdefault(leaf, NUMBER + 1 + len(words))
            else:
                kinds[i, j] = NUMBER
                values[i, j], bits[i, j] = _number(leaf)
        key = _key(outcomes[i], grid)
        if key not in names:
            names[key] = len(names)
            shown.append(outcomes[i])
        codes[i] = names[key]
    return Table(values, kinds, bits, codes, tuple(words), shown)


def _leaves(outcome: Any) -> Iterator[Any]:
    """The numbers and words of an outcome."""
    if isinstance(outcome, (numbers.Real, Decimal)):
        yield "nan" if outcome != outcome else outcome  # noqa: PLR0124 - NaN differs from itself
    elif isinstance(outcome, str):
        yield f"text {outcome}"
    elif isinstance(outcome, BaseException):
        yield f"error {type(outcome).__name__}: {outcome}"
    elif (parts := _parts(outcome)) is not None:
        yield from (leaf for part in parts for leaf in _leaves(part))
    else:
        yield repr(outcome)


def _key(outcome: Any, grid: int | None) -> tuple[object, ...]:
    """Equal for equal outcomes only: types, sizes, and what each leaf is to the last bit."""
    parts = None if isinstance(outcome, (str, BaseException)) else _parts(outcome)
    if parts is not None:
        return type(outcome), *(_key(part, grid) for part in parts)
    (leaf,) = _leaves(outcome)
    return type(outcome), repr(_rounded(leaf, grid))


def _parts(outcome: Any) -> Iterable[Any] | None:
    """What an outcome is made of, in an order of its own."""
    if isinstance(outcome, np.ndarray):
        return outcome.ravel().tolist()
    if dataclasses.is_dataclass(outcome) and not isinstance(outcome, type):
        return [getattr(outcome, field.name) for field in dataclasses.fields(outcome)]
    if isinstance(outcome, Mapping):
        return [part for name in sorted(outcome, key=repr) for part in (repr(name), outcome[name])]
    if isinstance(outcome, (set, frozenset)):
        return sorted(outcome, key=repr)
    return outcome if isinstance(outcome, (list, tuple)) else None


def _rounded(leaf: Any, grid: int | None) -> Any:
    if grid is None or not isinstance(leaf, float):
        return leaf
    return float(_on_grid(np.array([leaf]), grid)[0])


def _number(leaf: Any) -> tuple[float, int]:
    """The nearest float, and the place of the lowest bit."""
    if isinstance(leaf, numbers.Integral):
        whole = int(leaf)
        return _float(whole), (whole & -whole).bit_length() - 1 if whole else NO_BIT
    if isinstance(leaf, (Fraction, Decimal)):
        exact = Fraction(leaf) if isinstance(leaf, Fraction) or leaf.is_finite() else Fraction(0)
        top, bottom = exact.numerator, exact.denominator
        place = (top & -top).bit_length() - (bottom & -bottom).bit_length() if top else NO_BIT
        return _float(leaf), place
    value = float(leaf)
    return value, int(lowest_bits(np.array([value]))[0])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def lowest_bits(values: NDArray[Any]) -> Integers:
    """The place of the lowest bit that is set: 0 for odd whole numbers, −1 for odd halves.

    >>> lowest_bits(np.array([3.0, 8.0, 0.5])).tolist()
    [0, 3, -1]
    """
    if values.dtype.kind in "iu":
        mantissas, exponents = values.astype(np.int64), np.full(values.shape, 53, dtype=np.int64)
    elif values.dtype.kind == "f":
        finite = np.where(np.isfinite(values), values, 0.0).astype(np.float64)
        parts, powers = np.frexp(finite)
        mantissas, exponents = np.ldexp(parts, 53).astype(np.int64), powers.astype(np.int64)
    else:
        raise InvalidParameter("it must hold numbers", field="values", value=values.dtype)
    lowest = (mantissas & -mantissas).view(np.uint64).astype(np.float64)
    _, places = np.frexp(lowest)  # exact: a power of two
    return np.where(mantissas == 0, NO_BIT, exponents - 53 + places.astype(np.int64) - 1)
