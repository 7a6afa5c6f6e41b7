"""Noisy screening: each query with fresh normal noise against a threshold that has none.

It costs what its Gaussians cost, k·α/2σ², whatever the answers (Zhu & Wang 2020, App. E, where the
cost is printed twice too large): the plan is `length * Gaussian(noise_multiplier=…)`.  Where
queries are far from their thresholds, far less is lost on the data at hand.  That cost depends
on the data, so it is private: `private_cost` seals it, for the owner alone; it is no guarantee, is
never charged, and may not be published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.filters.purse import Purse
from bursar.filters.sealed import Sealed
from bursar.mechanisms.gaussian import Gaussian
from bursar.noise import lazy_gaussian
from bursar.screening.held import Held
from bursar.screening.run import Bools, Integers, private, stopped, whole

Floats = NDArray[np.float64]


@final
class NoisyScreen:
    """Answers "is q + ν ≥ T?" for `length` queries, paid for in full before the first.

    >>> from bursar.filters import GdpFilter, Purse
    >>> purse = Purse({"votes": GdpFilter(mu=1)})
    >>> screen = NoisyScreen(
    ...     noise_multiplier=50, length=100, sensitivity=1, purse=purse, request="agreement")
    >>> screen.ask(3, threshold=5000)
    False
    """

    __slots__ = ("_held", "_noise", "answers", "length", "mechanism", "sensitivity")

    def __init__(
        self,
        *,
        noise_multiplier: Number,
        length: int,
        sensitivity: Number,
        purse: Purse,
        request: str,
        scopes: Iterable[str] | None = None,
    ) -> None:
        self.mechanism = Gaussian(noise_multiplier=noise_multiplier)
        self.length, self.answers = require.count(length=length), 0
        self.sensitivity = require.positive(sensitivity=sensitivity)
        self._noise = Exact(self.mechanism.noise_multiplier * self.sensitivity)
        self._held = Held(
            purse,
            self.length * self.mechanism,
            request=request,
            sensitivity=self.sensitivity,
            scopes=scopes,
        )
        self._held.start()

    @property
    def done(self) -> bool:
        """Whether it has given all its answers."""
        return self.answers >= self.length

    def ask(self, value: Number, *, threshold: Number) -> bool:
        """Whether value + ν ≥ threshold; Refused, for nothing, after the last answer."""
        level = require.real(threshold=threshold)
        self._ready()
        found = bool(private(value) + lazy_gaussian(noise_std=self._noise) >= level)
        self._finish(self._held.keep(found), 1)
        return found

    def ask_many(self, values: Integers, *, threshold: Number) -> Bools:
        """The answers to whole numbers in a row, as many as are left."""
        queries, level = whole("values", values), require.real(threshold=threshold)
        self._ready()
        queries = queries[: self.length - self.answers]
        found = queries + lazy_gaussian(noise_std=self._noise, size=len(queries)) >= level
        self._finish(self._held.keep(found), len(queries))
        return found

    def close(self) -> None:
        """Ask no more.  The charge stays."""
        self._held.close()

    def _ready(self) -> None:
        if self.done:
            raise stopped()
        self._held.check()

    def _finish(self, answer: object, many: int) -> None:
        self.answers += many
        if self.done:
            self._held.close()


@final
class PrivateCost(Sealed):
    """What a noisy screening lost on the data at hand, one number for each order: private."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<private cost at {len(self)} orders>"


def private_cost(
    values: Sequence[float] | Floats,
    *,
    threshold: float | Floats,
    noise_std: float,
    sensitivity: float,
    orders: Sequence[float] | Floats,
) -> PrivateCost:
    """The Rényi divergences of the screening's answers on these data from those of neighbours.

    The largest over a query that moves up or down, both directions, added over the queries.
    Papernot et al. 2018, Thm 6, in logarithms of survival functions: no probability is 0.
    """
    q, at = np.asarray(values, np.float64), np.asarray(orders, np.float64)
    require.positive(noise_std=noise_std)
    require.positive(sensitivity=sensitivity)
    if not np.all(at > 1):
        raise InvalidParameter("they must be above 1", field="orders", value=orders)
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(threshold))):
        need = "queries and thresholds must be finite numbers"
        raise InvalidParameter(need, field="values", value="private")
    gaps = np.subtract(threshold, q) / noise_std
    here = _logs(gaps)
    worst: Any = 0.0
    for moved in (gaps - sensitivity / noise_std, gaps + sensitivity / noise_std):
        there = _logs(moved)
        for p, r in ((here, there), (there, here)):
            worst = np.maximum(worst, _divergence(p, r, at))
    return PrivateCost(np.sum(worst, axis=1))


def _logs(gaps: Floats) -> tuple[Floats, Floats]:
    """Logarithms of the probabilities of a top and of no top."""
    from scipy.special import log_ndtr

    return log_ndtr(-gaps), log_ndtr(gaps)


def _divergence(p: tuple[Floats, Floats], q: tuple[Floats, Floats], orders: Floats) -> Floats:
    """One row an order, one column a query."""
    a = orders[:, None]
    terms = [a * x + (1 - a) * y for x, y in zip(p, q, strict=True)]
    found: Floats = np.logaddexp(*terms) / (a - 1)
    return np.maximum(found, 0.0)
