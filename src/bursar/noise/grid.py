"""From people's data to whole numbers: clamped, rounded and summed so that bounds hold exactly.

Each person's data goes through a fixed map of that person alone: NaN and what is no number becomes
0, infinities become bounds, nothing raises.  What is refused is a type or a shape: those of a typed
table are public.  What comes out are integers in units of 2^-grid whose l1 and l2 norms are
bounded by numbers that were known before.  At most 2^29 units a person: then even all people on
earth (2^33) and the noise fit into 62 bits.  Sums are taken modulo 2^64, so they are exact, do not
depend on the order, and stay private whatever is summed (docs/proofs/rounded-gaussian.md, Cor. 2).
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.numerics.balls import ball, float_down

Integers = NDArray[np.int64]

LARGEST = 2**29  # units of one person in one coordinate, or in l2
FINEST = 1000


@final
@dataclass(frozen=True, slots=True, eq=False, init=False)
class GridSum:
    """A sum over people in units of 2^-grid, and the largest l1 and l2 norms that one person adds.

    >>> import numpy as np
    >>> GridSum(np.array([17, 4]), l1=1)
    GridSum(units=array([17,  4]), grid=0, l1=1, l2=1)
    """

    units: Integers
    grid: int
    l1: Exact
    l2: Exact

    def __init__(
        self, units: ArrayLike, *, l1: Number, l2: Number | None = None, grid: int = 0
    ) -> None:
        """The bound in l1 is one in l2 too, which is taken unless a smaller one is given."""
        whole = _summed(units)
        if whole.dtype.kind not in "iu":
            need = "it must hold whole numbers"
            raise InvalidParameter(need, field="units", value=whole.dtype, hint="Use to_grid().")
        _set(self, units=np.ascontiguousarray(whole).astype(np.int64).reshape(whole.shape))
        _set(self, grid=_grid(grid), l1=require.positive(l1=l1))
        _set(self, l2=self.l1 if l2 is None else require.positive(l2=l2))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Whole numbers of each person, one row a person, with the norms that no row exceeds."""

    units: Integers
    grid: int
    l1: Exact
    l2: Exact

    def total(self) -> GridSum:
        """The exact sum over people."""
        summed = self.units.view(np.uint64).sum(axis=0, dtype=np.uint64)
        units = np.asarray(summed).view(np.int64)
        return GridSum(units, l1=self.l1, l2=self.l2, grid=self.grid)


def to_grid(values: ArrayLike, *, low: Number, high: Number, grid: int = 0) -> Contributions:
    """One number or one row a person, clamped to [low, high] and rounded to multiples of 2^-grid.

    NaN, and what is no number, counts as 0 and is then clamped.  The bounds are rounded inward.

    >>> to_grid([0.3, float("nan"), 9, float("-inf")], low=-1, high=2, grid=2).units
    array([ 1,  0,  8, -4])
    """
    k, data = _grid(grid), _numbers(values)
    bottom = math.ceil(require.real(low=low) * Fraction(2) ** k)
    top = math.floor(require.real(high=high) * Fraction(2) ** k)
    if not bottom <= top or bottom == top == 0:
        need = "[low, high] must hold a multiple of 2^-grid other than 0"
        raise InvalidParameter(need, field="high", value=high, hint="Choose a finer grid.")
    largest = _bounded(Fraction(max(-bottom, top)))
    with np.errstate(over="ignore"):
        units = np.rint(np.ldexp(np.where(np.isnan(data), 0.0, data), k))
    units = np.clip(units, bottom, top).astype(np.int64)
    columns = math.prod(units.shape[1:])
    return Contributions(units, k, Exact(columns * largest), Exact(root_up(columns) * largest))


def clip_to_grid(rows: ArrayLike, *, norm: Number, grid: int) -> Contributions:
    """One vector a person, shortened to l2 norm at most `norm`, then rounded toward 0 on the grid.

    NaN counts as 0, an infinity as the largest float.  No vector's units exceed norm·2^grid in l2,
    exactly: floats bound the length from above (docs/proofs/rounded-gaussian.md, Lemma 6).

    >>> clip_to_grid([[3, 4], [0.3, 0.4], [float("inf"), 0]], norm=1, grid=4).units
    array([[ 9, 12],
           [ 4,  6],
           [15,  0]])
    """
    k, data = _grid(grid), _numbers(rows)
    if data.ndim != 2:
        need = "it must be a table with one row a person"
        raise InvalidParameter(need, field="rows", value=data.shape)
    radius = _bounded(require.positive(norm=norm) * Fraction(2) ** k)
    columns = data.shape[1]
    most = np.finfo(np.float64).max
    data = np.nan_to_num(data, nan=0.0, posinf=most, neginf=-most)
    size = np.abs(data).max(axis=1, keepdims=True, initial=0.0)
    with np.errstate(over="ignore"):
        shape = data / np.where(size > 0, size, 1.0)
        length = np.sqrt((shape**2).sum(axis=1, keepdims=True)) * (1 + (columns + 8) * 2.0**-52)
        allowed = float_down(ball(radius)) / np.maximum(length, 1.0) * (1 - 2.0**-50)
        inside = np.ldexp(size, k) <= allowed
        units = np.where(inside, np.ldexp(data, k), shape * allowed)
    units = np.trunc(units).astype(np.int64)
    return Contributions(units, k, Exact(root_up(columns) * radius), radius)


def histogram(codes: ArrayLike, *, categories: int) -> GridSum:
    """How many people are in each category: one code a person, or one row of codes a person.

    A code that is not one of 0, …, categories−1 counts nowhere, and a repeated one counts once.

    >>> histogram([[0, 2], [2, 2], [7, -1]], categories=3)
    GridSum(units=array([1, 0, 2]), grid=0, l1=2, l2=1.41421413421630859375)
    """
    k, data = require.count(categories=categories), _table(codes)
    if data.dtype.kind not in "biuf" or data.ndim not in {1, 2}:
        raise InvalidParameter("it must hold codes of categories", field="codes", value=data.dtype)
    each = data.shape[1] if data.ndim == 2 else 1
    rows = data.reshape(len(data), each)
    known = (rows >= 0) & (rows < k) & (rows == np.floor(rows))
    rows = np.sort(np.where(known, rows, k).astype(np.int64), axis=1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = k
    counts = np.bincount(rows.ravel(), minlength=k + 1)[:k]
    return GridSum(counts, l1=each, l2=Exact(root_up(each)))


def root_up(n: int) -> Exact:
    """The least multiple of 2^-20 that is at or above √n."""
    scaled = n << 40
    root = math.isqrt(scaled)
    return Exact(root + (root * root < scaled), 2**20)


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    data = _table(values)
    if data.dtype.kind not in "biuf" or not data.ndim:
        need = "it must hold numbers, one or one row for each person"
        raise InvalidParameter(need, field="values", value=data.dtype)
    return data.astype(np.float64)


def _table(values: ArrayLike) -> NDArray[Any]:
    """The table; where it has no type of its own, a number for each entry, NaN for what is none.

    So an entry of one person decides nothing about another's, and no error depends on it.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return values
    try:
        data = np.asarray(values)
        if data.dtype.kind not in "biuf":
            data = np.asarray(values, dtype=object)
    except ValueError:
        need = "rows must be of one length"
        raise InvalidParameter(need, field="values", hint="Hand in an array.") from None
    if data.dtype.kind != "O":
        return data
    found = np.fromiter(map(_entry, data.ravel()), np.float64, data.size)
    return found.reshape(data.shape)


def _entry(value: Any) -> float:
    if not isinstance(value, (numbers.Real, Decimal, np.bool_)):
        return math.nan
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def _summed(units: ArrayLike) -> NDArray[Any]:
    """The sums; Python's integers modulo 2^64, as all sums are."""
    whole = np.asarray(units)
    if whole.dtype.kind != "O" or not all(type(one) is int for one in whole.flat):
        return whole
    turned = [one % 2**64 for one in whole.flat]
    return np.array(turned, dtype=np.uint64).reshape(whole.shape)


def _grid(grid: int) -> int:
    if isinstance(grid, bool) or not isinstance(grid, int) or not -FINEST <= grid <= FINEST:
        raise InvalidParameter("it must be a whole number up to 1000", field="grid", value=grid)
    return grid


def _bounded(units: Fraction) -> Exact:
    if not units <= LARGEST:
        raise InvalidParameter(
            "one person may add at most 2^29 units of the grid",
            field="grid",
            value=f"{float(units):g} units",
            hint="Choose a coarser grid.",
        )
    return Exact(units)


def _set(frozen: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(frozen, name, value)
