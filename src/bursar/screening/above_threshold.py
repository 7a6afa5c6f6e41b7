"""A screen over one purse: which queries are above their thresholds, until so many are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn, TypeVar, final

from bursar.errors import InvalidParameter
from bursar.exact import Number
from bursar.filters.purse import Purse
from bursar.mechanisms.sparse_vector import Screen
from bursar.screening.held import Held
from bursar.screening.run import Bools, Integers, Run, stopped

T = TypeVar("T")


@final
class AboveThreshold:
    """Answers "is this query above its threshold?" until `cutoff` tops, or `length` answers.

    The whole screen is charged before its first question.  `sensitivity` is the most that one
    person moves any query; the mechanism's noise is in units of it.  Use it in a `with` block.

    >>> from bursar import SparseVector
    >>> from bursar.filters import AnyOrderFilter, Purse
    >>> purse = Purse({"logs": AnyOrderFilter(epsilon=1, delta=1e-6)})
    >>> mechanism = SparseVector(threshold_noise=30, query_noise=60, length=1000)
    >>> with AboveThreshold(mechanism, sensitivity=1, purse=purse, request="errors") as screen:
    ...     screen.ask(3, threshold=5000), screen.ask(90_000, threshold=5000), screen.done
    (False, True, True)
    """

    __slots__ = ("_held", "_run")

    def __init__(
        self,
        mechanism: Screen,
        *,
        sensitivity: Number,
        purse: Purse,
        request: str,
        scopes: Iterable[str] | None = None,
    ) -> None:
        self._run = Run(mechanism, sensitivity=sensitivity)
        self._held = Held(
            purse,
            mechanism,
            request=request,
            sensitivity=self._run.sensitivity,
            scopes=scopes,
        )
        self._held.start()

    @property
    def mechanism(self) -> Screen:
        """What is run, and charged."""
        return self._run.mechanism

    @property
    def done(self) -> bool:
        """Whether it has stopped."""
        return self._run.done

    @property
    def tops(self) -> int:
        """How many answers were "above"."""
        return self._run.tops

    @property
    def answers(self) -> int:
        """How many answers were given."""
        return self._run.answers

    def ask(self, value: Number, *, threshold: Number) -> bool:
        """Whether the query, with noise, is above its threshold, with noise: True is a top.

        `value` is the query on the data, which this trusted code reads.  Raises Refused, and costs
        nothing, once the screen has stopped.
        """
        self._ready()
        return self._finish(self._held.keep(self._run.ask(value, threshold=threshold)))

    def ask_many(self, values: Integers, *, threshold: Number | Integers) -> Bools:
        """The answers to whole numbers in a row; shorter than they are if the screen stops."""
        self._ready()
        found = self._run.ask_many(values, threshold=threshold)
        return self._finish(self._held.keep(found))

    def close(self) -> None:
        """Ask no more.  The charge stays: nothing of a screen that began comes back."""
        self._held.close()

    def _ready(self) -> None:
        if self.done:
            raise stopped()
        self._held.check()

    def _finish(self, answer: T) -> T:
        if self.done:
            self._held.close()
        return answer

    def __enter__(self) -> AboveThreshold:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self._held.close(failed=kind is not None)

    def __reduce__(self) -> NoReturn:
        raise InvalidParameter("it is under way, and cannot be copied or stored", field="screen")
