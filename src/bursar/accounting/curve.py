"""The whole privacy profile of a plan: δ at many ε or ε at many δ, in both directions.

Each point is an answer as any other, with its own proof.  Where the exact accountant or the lattice
encloses it, each direction is told by itself, and the worse is the answer; else there is one bound
for both.  Not here: pictures (reports).
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, final

from bursar import require
from bursar.accounting import choose, exact, lattice
from bursar.accounting.accountants import Answer
from bursar.accounting.directions import ROADS, directions
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import InvalidParameter, LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import SYMBOLS, Enclosure, Proved, number

_MOST = 100_000  # points of a curve


@final
@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What was given, the answer, and each direction's where it is known by itself."""

    given: Exact
    worst: Answer
    remove: Proved | None = None
    add: Proved | None = None

    def to_json(self) -> dict[str, Any]:
        """The numbers of the point."""
        about = self.worst.about
        found: dict[str, Any] = {about.given_name: self.given.text}
        found[about.quantity] = _numbers(self.worst)
        for name, one in (("remove", self.remove), ("add", self.add)):
            if one is not None:
                found[name] = _numbers(one)
        return {**found, "kind": self.worst.kind, "method": about.method}


@final
@dataclass(frozen=True, slots=True)
class PrivacyCurve:
    """Points of a privacy profile, in the order in which they were asked for."""

    points: tuple[CurvePoint, ...]

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_json(self) -> dict[str, Any]:
        """The object of the command line."""
        return {"profile": [point.to_json() for point in self.points]}

    def _repr_html_(self) -> str:
        if not self.points:
            return "<p>no points</p>"
        about = self.points[0].worst.about
        head = SYMBOLS[about.given_name], SYMBOLS[about.quantity], "method"
        rows = [
            (point.given.text, point.worst.sentence(), point.worst.about.method)
            for point in self.points
        ]
        lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        top = "".join(f"<th>{one}</th>" for one in head)
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in [top, *lines])}</table>"


def profile(
    run: Plan | Mechanism,
    *,
    epsilons: Iterable[Number] | None = None,
    deltas: Iterable[Number] | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> PrivacyCurve:
    """δ at each of these `epsilons`, or ε at each of these `deltas`.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> for point in profile(Gaussian(noise_multiplier=1), epsilons=[0, 1, 2]):
    ...     print(point.given, point.worst.sentence(3))
    0 δ ≥ 0.382, δ ≤ 0.383
    1 δ ≥ 0.126, δ ≤ 0.127
    2 δ ≥ 0.0209, δ ≤ 0.021
    """
    found = points(run, epsilons=epsilons, deltas=deltas, adjacency=adjacency, method=method)
    return PrivacyCurve(tuple(found))


def points(
    run: Plan | Mechanism,
    *,
    epsilons: Iterable[Number] | None = None,
    deltas: Iterable[Number] | None = None,
    adjacency: Adjacency | str = DEFAULT,
    method: str | None = None,
) -> Iterator[CurvePoint]:
    """The points of `profile` one by one."""
    if (epsilons is None) == (deltas is None):
        need = "give exactly one of epsilons and deltas"
        raise InvalidParameter(need, field="epsilons", value=epsilons)
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    if epsilons is not None:
        given = [Exact(require.nonnegative(epsilons=value)) for value in epsilons]
    else:
        given = [Exact(require.unit_interval(deltas=value)) for value in deltas or ()]
    name = "epsilon" if epsilons is not None else "delta"
    return (_point(plan, relation, name, value, method) for value in given)


def _point(
    plan: Plan, relation: Adjacency, name: str, value: Exact, method: str | None
) -> CurvePoint:
    chosen = choose.delta if name == "epsilon" else choose.epsilon
    asked = {name: value}
    if method is None or method in ROADS:
        with suppress(NoProof, LimitReached):
            tight = views.pairs(plan, relation, Direction.REMOVE).tight
            first = method if method is not None or tight else exact.NAME
            both = directions(plan, relation, asked, method=first)
            worst = both.remove if both.remove is both.add else _worse(*both)
            if method is not None or worst.about.method != lattice.NAME or choose.sharp(worst):
                return CurvePoint(value, worst, *both)
            least: Proved = chosen(plan, adjacency=relation, **asked)  # type: ignore[call-overload]
            return CurvePoint(value, least, *(_at_most(one, least.upper) for one in both))
    return CurvePoint(value, chosen(plan, adjacency=relation, method=method, **asked))  # type: ignore[call-overload]


def _at_most(one: Proved, upper: float) -> Proved:
    """An answer of one direction, where a bound on both is less."""
    return replace(one, upper=min(one.upper, upper))


def _worse(remove: Proved, add: Proved) -> Proved:
    """The larger of both directions, whichever it is."""
    first, second = (remove, add) if remove.upper >= add.upper else (add, remove)
    if not (isinstance(first, Enclosure) and isinstance(second, Enclosure)):
        return first
    if second.upper < first.lower:
        return first
    lower = max(first.lower, second.lower)
    return replace(first, lower=lower, about=replace(first.about, direction="both"))


def spaced(low: float, high: float, count: int) -> list[Exact]:
    """So many numbers from low to high, equally far apart, as short decimals."""
    return [_short(low + (high - low) * j / (count - 1)) for j in range(count)]


def log_spaced(low: float, high: float, count: int) -> list[Exact]:
    """The same, equally far apart in their logarithms: from 1e-9 to 1e-5 by five decades."""
    ends = math.log10(low), math.log10(high)
    return [Exact.of(f"{10.0 ** (e % 1):.6g}e{math.floor(e)}") for e in _steps(*ends, count)]


def _steps(low: float, high: float, count: int) -> list[float]:
    return [round(low + (high - low) * j / (count - 1), 9) for j in range(count)]


def _short(value: float) -> Exact:
    return Exact.of(f"{value:.6g}")


def _numbers(result: Answer) -> dict[str, float | str]:
    return {name: number(value) for name, value in result.values().items()}
