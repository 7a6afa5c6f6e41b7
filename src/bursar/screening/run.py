"""One run of a screen: the threshold's noise, drawn once, and what is left of its tops and length.

The comparison q + ν ≥ T + ρ is that of real numbers (`noise.lazy`): nothing is rounded, so the
accounts of continuous noise hold for the answers that leave.  Where the account counts on
`highest_threshold`, a negative query counts as 0, and a threshold of more sensitivities than that
is refused.  Not here: what a run is charged (`held.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter, Refused
from bursar.exact import Exact, Number
from bursar.mechanisms.sparse_vector import Screen, SparseVector
from bursar.noise import LazyReals, lazy_gaussian, lazy_laplace

Integers = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]

CHUNK = 1 << 16  # queries at a time, so that an early stop saves work

_DRAW: dict[str, Callable[[Exact, int | None], LazyReals]] = {
    "gaussian": lambda scale, size: lazy_gaussian(noise_std=scale, size=size),
    "laplace": lambda scale, size: lazy_laplace(scale=scale, size=size),
}


@final
class Run:
    """A screen that is under way: it stops by itself, and is never resumed, copied or stored."""

    __slots__ = ("_laws", "_query_noise", "_rho", "answers", "mechanism", "sensitivity", "tops")

    def __init__(self, mechanism: Screen, *, sensitivity: Number) -> None:
        self.mechanism = checked(mechanism)
        self.sensitivity = require.positive(sensitivity=sensitivity)
        self._laws = laws(mechanism)
        self._query_noise = Exact(mechanism.query_noise * self.sensitivity)
        scale = Exact(mechanism.threshold_noise * self.sensitivity)
        self._rho = _DRAW[self._laws[0]](scale, None)
        self.answers = self.tops = 0

    @property
    def length(self) -> int | None:
        """How many answers it gives at most."""
        return self.mechanism.length if isinstance(self.mechanism, SparseVector) else None

    @property
    def done(self) -> bool:
        """Whether it has stopped."""
        return self.tops >= self.mechanism.cutoff or self.answers == self.length

    def ask(self, value: Number, *, threshold: Number) -> bool:
        """Whether value + ν ≥ threshold + ρ; True is a top."""
        self._open()
        level = self._allowed(require.real(threshold=threshold))
        found = self._counted(private(value)) + self._noise(None) >= level + self._rho
        self._count(np.array([answer := bool(found)]))
        return answer

    def ask_many(self, values: Integers, *, threshold: Number | Integers) -> Bools:
        """The answers to whole numbers, one after another, up to the one that stops the run."""
        self._open()
        queries = whole("values", values)
        levels = self._levels(threshold, len(queries))
        parts = []
        for start in range(0, len(queries), CHUNK):
            if self.done:
                break
            here = slice(start, start + CHUNK)
            level = levels[here] if isinstance(levels, np.ndarray) else levels
            parts.append(self._chunk(queries[here], level))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)

    def _levels(self, threshold: Number | Integers, many: int) -> Integers | Exact:
        if not isinstance(threshold, np.ndarray):
            return self._allowed(require.real(threshold=threshold))
        levels = whole("threshold", threshold)
        if len(levels) != many:
            need = f"there must be one for each of the {many} queries"
            raise InvalidParameter(need, field="threshold", value=f"{len(levels)} thresholds")
        if many:
            self._allowed(Exact(int(levels.max())))
        return levels

    def _chunk(self, queries: Integers, levels: Integers | Exact) -> Bools:
        if self.length is not None:
            queries = queries[: self.length - self.answers]
            levels = levels[: len(queries)] if isinstance(levels, np.ndarray) else levels
        if self._clamps:
            queries = np.maximum(queries, 0)
        gap = self._noise(len(queries)) - self._rho
        above = gap + queries >= levels
        ends = np.flatnonzero(above)[self.mechanism.cutoff - self.tops - 1 :]
        above = above[: ends[0] + 1] if len(ends) else above
        self._count(above)
        return above

    @property
    def _clamps(self) -> bool:
        return isinstance(self.mechanism, SparseVector) and (
            self.mechanism.highest_threshold is not None
        )

    def _noise(self, size: int | None) -> LazyReals:
        return _DRAW[self._laws[1]](self._query_noise, size)

    def _count(self, above: Bools) -> None:
        self.answers += len(above)
        self.tops += int(above.sum())

    def _counted(self, value: Fraction) -> Fraction:
        return max(value, Fraction(0)) if self._clamps else value

    def _allowed(self, threshold: Exact) -> Exact:
        if isinstance(self.mechanism, SparseVector) and self._clamps:
            highest = (self.mechanism.highest_threshold or Exact(0)) * self.sensitivity
            if threshold > highest:
                raise InvalidParameter(
                    f"this screen's account holds for thresholds of {Exact(highest)} at most",
                    field="threshold",
                    value=threshold,
                    hint="Declare a higher highest_threshold when the screen is made.",
                )
        return threshold

    def _open(self) -> None:
        if self.done:
            raise stopped()

    def __reduce__(self) -> NoReturn:
        raise InvalidParameter("it is under way, and cannot be copied or stored", field="screen")


def stopped() -> Refused:
    """The refusal of a screen that has stopped: nothing is asked of data, nothing is charged."""
    return Refused("this screen has stopped", hint="Nothing was charged. Start another one.")


def checked(mechanism: Screen) -> Screen:
    """The mechanism, if it is one that can be run here exactly as it is accounted."""
    if not isinstance(mechanism, Screen):
        need = "it must be a SparseVector or a LaplaceSparseVector"
        raise InvalidParameter(need, field="mechanism", value=mechanism)
    for law in laws(mechanism):
        if law not in _DRAW:
            raise InvalidParameter(
                "screens here draw continuous noise, which is compared and never rounded",
                field="law",
                value=law,
                hint=f"Use {law.partition('-')[2]}.",
            )
    return mechanism


def laws(mechanism: Screen) -> tuple[str, str]:
    """The laws of the threshold's noise and of the queries'."""
    if isinstance(mechanism, SparseVector):
        return mechanism.threshold_law, mechanism.query_law
    return "laplace", "laplace"


def private(value: Number) -> Exact:
    """The exact value of a query; the error does not show it."""
    try:
        return Exact.of(value, field="value")
    except InvalidParameter as error:
        raise InvalidParameter(error.need, field="value", value="private") from None


def whole(field: str, values: Integers) -> Integers:
    """An array of whole numbers in one dimension; the error shows none of them."""
    found = np.asarray(values)
    if found.dtype.kind not in "iu" or found.ndim != 1:
        raise InvalidParameter(
            "it must be a list of whole numbers in one dimension",
            field=field,
            value=f"{found.dtype}, {found.ndim} dimensions",
            hint="Put the values on a grid: to_grid(); or ask one by one, with exact numbers.",
        )
    return found
