"""Ways to tell two data sets apart by an outcome: scores that are high where the first is likelier.

A score is learned on outcomes that are used for nothing else, and an event is "the score is at
least t": so whatever a score is, its events are honest.  Exact outcomes, histograms of numbers
and of their lowest bits, and a logistic regression on all of them (Bichsel et al. 2021 learn
classifiers likewise); which of them is worth a test is for `events.py` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from bursar.audit.outcomes import LOOKED_AT, NUMBER, Table

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = Callable[[Table], Integers]

_SEEN = 3  # times that an outcome must have been seen to have a score of its own
_COLUMNS = 12  # that are looked at one by one: those that differ most
_TAILS = (0.0005, 0.001, 0.002, 0.005)
_QUANTILES = (*_TAILS, *np.linspace(0.01, 0.99, 50).tolist(), *(1 - p for p in reversed(_TAILS)))
_STEPS = 12  # of Newton's method
_RIDGE = 1.0
_CAP = 1e6  # numbers enter a regression between −cap and cap deviations


class Score(Protocol):
    """A number for each outcome, and words for "it is at least t"."""

    def __call__(self, table: Table) -> Floats:
        """The scores of these outcomes."""

    def words(self, least: float) -> str:
        """Which outcomes have a score of at least this."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A number of the outcome itself, or its negative."""

    name: str
    take: Callable[[Table], Floats]
    sign: int = 1

    def __call__(self, table: Table) -> Floats:
        """The number; −∞ where there is none."""
        values = self.take(table)
        return np.where(np.isnan(values), -np.inf, self.sign * values)

    def words(self, least: float) -> str:
        """A half-line."""
        if abs(least) > 1e308:
            return f"{self.name} is a number"
        return f"{self.name} {'≥' if self.sign > 0 else '≤'} {self.sign * least:g}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The logarithm of a ratio of counts, for each cell of a histogram."""

    name: str
    codes: Codes
    scores: Floats
    names: Callable[[int], str]

    def __call__(self, table: Table) -> Floats:
        """The score of the cell that each outcome is in."""
        return self.scores[np.clip(self.codes(table), 0, len(self.scores) - 1)]

    def words(self, least: float) -> str:
        """The cells, a few of them by name."""
        cells = np.flatnonzero(self.scores >= least)
        best = cells[np.argsort(-self.scores[cells], kind="stable")]
        told = ", ".join(self.names(int(cell)) for cell in best[:4])
        more = f" and {len(best) - 4} more" if len(best) > 4 else ""
        return f"{self.name} in {{{told}{more}}}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """A linear combination of numbers, squares, words and scores, by logistic regression."""

    features: Callable[[Table], Floats]
    weights: Floats

    def __call__(self, table: Table) -> Floats:
        """The logarithm of the odds, but for a constant."""
        found: Floats = self.features(table) @ self.weights
        return found

    def words(self, least: float) -> str:
        """No words would tell more than the weights."""
        return f"a learned score of {len(self.weights)} features is at least {least:.6g}"


def learned(first: Table, second: Table) -> list[Score]:
    """All scores, learned on these outcomes of both sides."""
    takes = _columns(first, second)
    binned = [
        cells
        for name, take in takes
        if (cells := _cells(name, *_binned(take, first, second), first, second)) is not None
    ]
    found: list[Score] = [Column(name, take, sign) for name, take in takes for sign in (1, -1)]
    exact = _exact(first, second)
    places = [
        cells
        for j in range(min(first.bits.shape[1], LOOKED_AT))
        if (cells := _cells(f"lowest bit of {_at(j)}", *_placed(j), first, second)) is not None
    ]
    numeric = all((table.kinds == NUMBER).all() for table in (first, second))
    words = None if numeric else _cells("words", *_worded(first, second), first, second)
    parts = [*binned, *places, *([exact] if exact else []), *([words] if words else [])]
    found += parts
    if len(takes) + len(parts) > 1:
        found.append(_regression(takes, parts, first, second))
    return found


def _at(column: int) -> str:
    return f"outcome[{column}]"


def _columns(first: Table, second: Table) -> list[tuple[str, Callable[[Table], Floats]]]:
    """Numbers to look at: the columns that differ most, and what sums all of them up."""
    wide = first.values.shape[1]
    with np.errstate(all="ignore"):
        one, two = (np.nan_to_num(t.values, posinf=1e300, neginf=-1e300) for t in (first, second))
        spread = np.maximum(one.std(axis=0), two.std(axis=0)) + 1e-300
        moved = np.abs(one.mean(axis=0) - two.mean(axis=0)) / spread
        turned = np.abs(np.log((one.std(axis=0) + 1e-300) / (two.std(axis=0) + 1e-300)))
    order = np.argsort(-np.nan_to_num(moved + turned), kind="stable")[:_COLUMNS]
    found = [(_at(j), _taken(j)) for j in sorted(order.tolist())]
    if wide > 1:
        found += [(f"{name} of the outcome", made) for name, made in _SUMMARIES.items()]
    return found


def _taken(column: int) -> Callable[[Table], Floats]:
    def take(table: Table) -> Floats:
        return table.values[:, column]

    return take


def _of_rows(summary: Callable[[Floats], Floats]) -> Callable[[Table], Floats]:
    def take(table: Table) -> Floats:
        with np.errstate(all="ignore"):
            return summary(np.where(np.isnan(table.values), 0.0, table.values))

    return take


_SUMMARIES: dict[str, Callable[[Table], Floats]] = {
    "sum": _of_rows(lambda rows: rows.sum(axis=1)),
    "largest": _of_rows(lambda rows: rows.max(axis=1)),
    "smallest": _of_rows(lambda rows: rows.min(axis=1)),
    "l2 norm": _of_rows(lambda rows: np.sqrt((rows**2).sum(axis=1))),
}


def _cells(
    name: str, codes: Codes, cells: int, names: Callable[[int], str], first: Table, second: Table
) -> Cells | None:
    """The histogram's score, unless all outcomes are in one cell."""
    one, two = (np.bincount(codes(table), minlength=cells) for table in (first, second))
    if np.count_nonzero(one + two) < 2:
        return None
    return Cells(name, codes, np.log((one + 0.5) / (two + 0.5)), names)


def _binned(
    take: Callable[[Table], Floats], first: Table, second: Table
) -> tuple[Codes, int, Callable[[int], str]]:
    """Cells between quantiles; what is no number has the last cell."""
    pooled = np.concatenate([take(first), take(second)])
    pooled = pooled[np.isfinite(pooled)]
    edges = np.unique(np.quantile(pooled, _QUANTILES)) if len(pooled) else np.zeros(1)

    def codes(table: Table) -> Integers:
        values = take(table)
        return np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, "right"))

    def name(cell: int) -> str:
        if cell > len(edges):
            return "no number"
        low = f"[{edges[cell - 1]:g}" if cell else "(-inf"
        return f"{low}, {edges[cell]:g})" if cell < len(edges) else f"{low}, inf)"

    return codes, len(edges) + 2, name


def _placed(column: int) -> tuple[Codes, int, Callable[[int], str]]:
    """Cells of the lowest bit's place, for each power of two of the size: porous floats."""
    places, sizes, low, small = 130, 24, -80, -12

    def codes(table: Table) -> Integers:
        with np.errstate(all="ignore"):
            _, powers = np.frexp(np.abs(table.values[:, column]))
        place = np.clip(table.bits[:, column] - low, 0, places - 1)
        size = np.clip(powers.astype(np.int64) - small, 0, sizes - 1)
        return place * sizes + size

    def name(cell: int) -> str:
        place, size = divmod(cell, sizes)
        return f"2^{place + low} below 2^{size + small}"

    return codes, places * sizes, name


def _worded(first: Table, second: Table) -> tuple[Codes, int, Callable[[int], str]]:
    """Cells of where numbers, words and nothing stand: the shape of an outcome."""
    both = np.concatenate([first.kinds, second.kinds])
    shapes, counts = np.unique(both, axis=0, return_counts=True)
    shapes = shapes[counts >= _SEEN]
    known = {row.tobytes(): cell for cell, row in enumerate(shapes)}

    def codes(table: Table) -> Integers:
        if len(known) <= 1 and len(shapes):
            return np.where((table.kinds == shapes[0]).all(axis=1), 0, 1)
        rows, where = np.unique(table.kinds, axis=0, return_inverse=True)
        cells = np.array([known.get(row.tobytes(), len(known)) for row in rows], dtype=np.int64)
        return cells[where.ravel()]

    def name(cell: int) -> str:
        if cell >= len(shapes):
            return "other"
        return " ".join(_kind(kind, first) for kind in shapes[cell].tolist() if kind)

    return codes, len(known) + 1, name


def _kind(kind: int, table: Table) -> str:
    return "number" if kind == NUMBER else table.words[kind - NUMBER - 1]


def _exact(first: Table, second: Table) -> Cells | None:
    """A cell for each outcome that was seen a few times."""
    codes, counts = np.unique(np.concatenate([first.codes, second.codes]), return_counts=True)
    known = codes[counts >= _SEEN]

    def code(table: Table) -> Integers:
        if not len(known):
            return np.zeros(len(table), dtype=np.int64)
        where = np.minimum(np.searchsorted(known, table.codes), len(known) - 1)
        return np.where(known[where] == table.codes, where, len(known))

    def name(cell: int) -> str:
        return "other" if cell >= len(known) else repr(first.shown[int(known[cell])])

    return _cells("outcome", code, len(known) + 1, name, first, second)


def _regression(
    takes: Sequence[tuple[str, Callable[[Table], Floats]]],
    parts: Sequence[Cells],
    first: Table,
    second: Table,
) -> Regression:
    raw = [[np.nan_to_num(take(t)) for _, take in takes] for t in (first, second)]
    pooled = [np.concatenate(pair) for pair in zip(*raw, strict=True)]
    centres = [float(np.median(column)) for column in pooled]
    spreads = [float(np.subtract(*np.percentile(column, [84, 16])) / 2 or 1) for column in pooled]

    def features(table: Table) -> Floats:
        columns = []
        for (_, take), centre, spread in zip(takes, centres, spreads, strict=True):
            with np.errstate(all="ignore"):
                value = (np.nan_to_num(take(table)) - centre) / spread
            value = np.clip(np.nan_to_num(value), -_CAP, _CAP)
            columns += [value, np.minimum(value**2, _CAP)]
        columns += [part(table) for part in parts]
        return np.column_stack([*columns, np.ones(len(table))])

    rows = np.concatenate([features(first), features(second)])
    labels = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
    return Regression(features, _newton(rows, labels))


def _newton(rows: Floats, labels: Floats) -> Floats:
    """Weights of a logistic regression with a ridge; a poor fit costs power, never validity."""
    weights = np.zeros(rows.shape[1])
    ridge = _RIDGE * np.eye(rows.shape[1])
    for _ in range(_STEPS):
        odds = np.clip(rows @ weights, -30, 30)
        chance = 1 / (1 + np.exp(-odds))
        slope = rows.T @ (labels - chance) - _RIDGE * weights
        curved = (rows * (chance * (1 - chance))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curved, slope)
        if not np.isfinite(step).all():
            break
        weights = weights + step
        if np.abs(step).max() < 1e-3:
            break
    return weights
