"""Sparse vector: which of many queries are above their thresholds, paid for by the answers "above".

One threshold noise ρ stands for the whole run, each query has its own noise ν: a query is answered
"above" (a top) where q + ν ≥ T + ρ, and the run ends after `cutoff` tops or `length` answers.
Noise is given over the sensitivity: the most that one person moves any query.  `c` runs with a
cutoff of 1, restarted after each top, are the plan `c * SparseVector(…)`; stages are plans too.

Not here: why each bound holds (privacy/screen_curve.py, docs/proofs/sparse-vector.md), and the
screens that run it (screening).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix, written
from bursar.mechanisms.gaussian import sensitivity
from bursar.privacy.curve import GaussianCurve, RdpCurve
from bursar.privacy.curves import AtomsCurve, LaplaceCurve
from bursar.privacy.screen_curve import ScreenCurve, Stopping, released


def _normal(noise: Exact, shift: int) -> RdpCurve:
    return GaussianCurve(Exact(shift**2 / (2 * noise**2)))


def _double_exponential(noise: Exact, shift: int) -> RdpCurve:
    return LaplaceCurve(Exact(noise / shift))


def _geometric(noise: Exact, shift: int) -> RdpCurve:
    return AtomsCurve(Exact(shift / noise))


# What the noise costs where it is moved by so many sensitivities.  Rounded noise is added to whole
# numbers, which is rounding a sum; discrete noise is moved by whole numbers.
LAWS: dict[str, Callable[[Exact, int], RdpCurve]] = {
    "gaussian": _normal,
    "laplace": _double_exponential,
    "rounded-gaussian": _normal,
    "rounded-laplace": _double_exponential,
    "discrete-gaussian": _normal,  # Canonne, Kamath & Steinke 2020, Prop. 5
    "discrete-laplace": _geometric,
}
NORMAL = "gaussian"


@final
@dataclass(frozen=True, slots=True, init=False)
class SparseVector(Mechanism):
    """A screen that ends after `cutoff` tops, or `length` answers, with noise of any pair of laws.

    With `highest_threshold`, thresholds are at most so many sensitivities, and negative queries
    count as 0: then continuous normal noise may do without a length.  `monotone`: one person adds
    to every query between 0 and the sensitivity.  Laws other than gaussian and laplace are for
    whole numbers on a grid, with a whole sensitivity.

    >>> SparseVector(threshold_noise=10, query_noise=20, length=200)
    SparseVector(threshold_noise=10, query_noise=20, length=200)
    """

    name: ClassVar[str] = "sparse-vector"
    threshold_noise: Exact
    query_noise: Exact
    threshold_law: str
    query_law: str
    cutoff: int
    length: int | None
    highest_threshold: Exact | None
    monotone: bool

    def __init__(
        self,
        *,
        threshold_noise: Number,
        query_noise: Number,
        threshold_law: str = NORMAL,
        query_law: str = NORMAL,
        cutoff: int = 1,
        length: int | None = None,
        highest_threshold: Number | None = None,
        monotone: bool = False,
    ) -> None:
        laws = {
            "threshold_law": require.one_of(LAWS, threshold_law=threshold_law),
            "query_law": require.one_of(LAWS, query_law=query_law),
        }
        highest = highest_threshold
        if highest is not None:
            highest = require.real(highest_threshold=highest)
        fields = {
            "threshold_noise": require.positive(threshold_noise=threshold_noise),
            "query_noise": require.positive(query_noise=query_noise),
            **laws,
            "cutoff": require.count(cutoff=cutoff),
            "length": None if length is None else require.count(length=length),
            "highest_threshold": None
            if highest is None
            else require.real(highest_threshold=highest),
            "monotone": yes_or_no(monotone=monotone),
        }
        fix(self, fields)
        self._bounded()

    def rdp(self, adjacency: Adjacency) -> ScreenCurve:
        """At each order the smallest bound that holds.  Zhu & Wang 2020, Thms 8 and 11."""
        unit, moved = _shifts(adjacency, self.monotone)
        threshold = LAWS[self.threshold_law](self.threshold_noise, unit)
        query = LAWS[self.query_law](self.query_noise, moved)
        stopping = None
        if self.highest_threshold is not None:
            over = (self.threshold_noise, self.query_noise, self.highest_threshold)
            stopping = Stopping(*(Exact(value / unit) for value in over))
        normal = self.query_law in (NORMAL, "rounded-gaussian")  # rounding moves thresholds alone
        shift = Exact(moved / self.query_noise) if normal else None
        ends = self.cutoff, self.length, stopping, self._released(adjacency), shift
        return ScreenCurve(threshold, query, *ends)

    def _released(self, adjacency: Adjacency) -> GaussianCurve | None:
        """That of all noisy gaps: of use where the run is short, or may have many tops."""
        if self.length is None or {self.threshold_law, self.query_law} != {NORMAL}:
            return None
        low, high = self.moves(adjacency)[0]
        return released(self.threshold_noise, self.query_noise, self.length, (low, high))

    def moves(self, adjacency: Adjacency) -> tuple[tuple[int, int], ...]:
        """The least and the most that one person moves every query by; monotone ones two ways."""
        unit, moved = _shifts(adjacency, self.monotone)
        return ((-1, 0), (0, 1)) if moved == unit else ((-(moved // 2), moved // 2),)

    def canonical(self) -> dict[str, Any]:
        """The mechanism's name, and what is not left to its default."""
        return {"mechanism": self.name} | {key: written(v) for key, v in self._given().items()}

    def _given(self) -> dict[str, object]:
        plain = {"threshold_law": NORMAL, "query_law": NORMAL, "cutoff": 1, "monotone": False}
        plain |= {"length": None, "highest_threshold": None}
        every = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: v for name, v in every.items() if name not in plain or v != plain[name]}

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self._given().items())
        return f"SparseVector({told})"

    def _bounded(self) -> None:
        """Refuse what no theorem bounds, and say what to change."""
        if self.length is not None and self.cutoff > self.length:
            raise InvalidParameter(
                f"a screen of {self.length} answers has no more tops than that",
                field="cutoff",
                value=self.cutoff,
                hint="Lower the cutoff, or raise the length.",
            )
        if self.highest_threshold is not None and {self.threshold_law, self.query_law} != {NORMAL}:
            raise InvalidParameter(
                "it is of use where both noises are continuous and normal",
                field="highest_threshold",
                value=self.highest_threshold,
                hint="Leave it out, and give a length where the queries' noise is normal.",
            )
        if self.length is not None or "laplace" in self.query_law:
            return
        if self.highest_threshold is None:
            hint = "Give a length; or highest_threshold, and negative queries count as 0."
            raise InvalidParameter(
                "normal noise needs a bound on the run", field="length", hint=hint
            )
        if not self.query_noise**2 > self.cutoff * self.threshold_noise**2:
            raise InvalidParameter(
                "without a length it must be above √cutoff times threshold_noise",
                field="query_noise",
                value=self.query_noise,
                hint="Raise it, lower threshold_noise, or give a length.",
            )


@final
@dataclass(frozen=True, slots=True, init=False)
class LaplaceSparseVector(Mechanism):
    """The classical screen: Laplace noise, of any length, pure differential privacy.

    >>> from bursar import Adjacency
    >>> screen = LaplaceSparseVector(threshold_noise=10, query_noise=20, cutoff=3)
    >>> screen.pure(Adjacency.ADD_OR_REMOVE_ONE)
    0.4
    """

    name: ClassVar[str] = "laplace-sparse-vector"
    threshold_noise: Exact
    query_noise: Exact
    cutoff: int
    monotone: bool

    def __init__(
        self,
        *,
        threshold_noise: Number,
        query_noise: Number,
        cutoff: int = 1,
        monotone: bool = False,
    ) -> None:
        fields = {
            "threshold_noise": require.positive(threshold_noise=threshold_noise),
            "query_noise": require.positive(query_noise=query_noise),
            "cutoff": require.count(cutoff=cutoff),
            "monotone": yes_or_no(monotone=monotone),
        }
        fix(self, fields)

    def pure(self, adjacency: Adjacency, *, tops: int | None = None) -> Exact:
        """Δ/λ₁ + 2cΔ/λ₂, or cΔ/λ₂ if monotone; with `tops`, the loss of answers with so many.

        Lyu, Su & Li 2017, Thms 4 and 5.
        """
        unit, moved = _shifts(adjacency, self.monotone)
        many = self.cutoff if tops is None else tops
        return Exact(unit / self.threshold_noise + many * moved / self.query_noise)

    def rdp(self, adjacency: Adjacency) -> ScreenCurve:
        """The smaller of two bounds at each order.  Zhu & Wang 2020, Thm 8 (3)."""
        unit, moved = _shifts(adjacency, self.monotone)
        noises = LaplaceCurve(Exact(self.threshold_noise / unit)), Exact(self.query_noise / moved)
        return ScreenCurve(noises[0], LaplaceCurve(noises[1]), self.cutoff)


Screen = SparseVector | LaplaceSparseVector


def yes_or_no(**field: object) -> bool:
    """True or False, and nothing that only counts as one of them."""
    ((name, value),) = field.items()
    if not isinstance(value, bool):
        raise InvalidParameter("it must be True or False", field=name, value=value)
    return value


def _shifts(adjacency: Adjacency, monotone: bool) -> tuple[int, int]:
    """By how many sensitivities the threshold moves, and a query against it.

    A replaced person takes one contribution and gives one; where each is between 0 and the
    sensitivity (monotone), that moves a query by one sensitivity, either way.
    """
    if monotone:
        return (1, 2) if adjacency is Adjacency.REPLACE_ONE else (1, 1)
    unit = sensitivity(adjacency)
    return unit, 2 * unit
