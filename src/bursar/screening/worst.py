"""How loose the bounds are: what a screen loses on the worst neighbours that are found.

Whatever the event, its worst neighbours are known: queries whose "below" is in the event move one
way, and those whose "above" is, the other way (docs/proofs/sparse-vector.md, Prop. 10).  Events are
sought among these: some bottoms, and then a top among the next queries, for each top.  What is
found is enclosed in balls, so it is a proved lower end; the theorems are the upper end.  Where the
worst case is proved (one answer; the classical screen at δ = 0) both ends meet.

Here are normal noises of any length and cutoff, and the classical Laplace screen without a length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import final

from flint import arb

from bursar import require
from bursar.accounting import exact, rdp
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.sparse_vector import NORMAL, LaplaceSparseVector, Screen, SparseVector
from bursar.numerics import screen_event
from bursar.numerics.balls import BITS, ball, float_down, precision
from bursar.numerics.screen_event import Kind
from bursar.truth import About, BillLine, Enclosure, Estimate, Proved

_LONG = 10**6  # answers that are looked at, where there is no length
_SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)  # of the queries, to be bottoms
_AROUND = (-3.0, -1.5, 0.0, 1.5, 3.0)  # deviations of ν − ρ from where an answer is even
_GRID = tuple(product(_AROUND, repeat=2))
_CLIMBED, _STEPS = 5, 120
_TOPS = 12  # more of them are too seldom
_KAPPAS = tuple(2 ** (n / 4) for n in range(4, 29))

Point = tuple[float, float]
Objective = Callable[[float, float], float]  # of the logarithms of both probabilities


@final
@dataclass(frozen=True, slots=True)
class Neighbours:
    """An event and its worst neighbours: gaps of the bottoms and of the tries, on either of them.

    `likely` and `seldom` are balls around its two probabilities.
    """

    kind: Kind
    here: tuple[Exact, Exact]
    there: tuple[Exact, Exact]
    likely: arb
    seldom: arb

    def epsilon(self, delta: Number) -> float:
        """The largest ε that the event refutes at this δ, rounded down."""
        with precision(BITS):
            rest = self.likely.lower() - ball(Exact.of(delta))
            if not rest > self.seldom.upper():
                return 0.0
            return float_down((rest / self.seldom.upper()).log())

    def delta(self, epsilon: Number) -> float:
        """The largest δ that the event refutes at this ε, rounded down."""
        with precision(BITS):
            left = self.likely.lower() - ball(Exact.of(epsilon)).exp() * self.seldom.upper()
            return max(float_down(left), 0.0)

    def sentence(self) -> str:
        """The event in words: gaps are those of one data set, and of the other."""
        gaps = [
            f"{float(a):.4g} ({float(b):.4g})" for a, b in zip(self.here, self.there, strict=True)
        ]
        parts = []
        if self.kind.bottoms:
            parts.append(f"{self.kind.bottoms} queries {gaps[0]} below their thresholds stay below")
        if self.kind.tops:
            times = "" if self.kind.tops == 1 else f", {self.kind.tops} times over"
            parts.append(f"one of {self.kind.tries} queries {gaps[1]} below is above{times}")
        return "; then ".join(parts)


def worst_neighbours(
    mechanism: SparseVector, *, delta: Number, adjacency: Adjacency | str = DEFAULT
) -> Neighbours:
    """The event, of those that are looked at, which refutes the largest ε at this δ.

    >>> screen = SparseVector(threshold_noise=5, query_noise=10, length=100)
    >>> found = worst_neighbours(screen, delta=1e-6)
    >>> 1.1 < found.epsilon(1e-6) < 1.2
    True
    """
    at = float(require.probability(delta=delta))

    def refuted(likely: float, seldom: float) -> float:
        over = math.exp(likely) - at
        return math.log(over) - seldom if over > 0 else likely - 1e3

    return _found(mechanism, Adjacency.of(adjacency), refuted)


def worst_profile(
    mechanism: SparseVector, *, epsilon: Number, adjacency: Adjacency | str = DEFAULT
) -> Enclosure | Estimate:
    """δ on the worst neighbours: an enclosure where they are proved to be, for one answer.

    Elsewhere an estimate, of the worst that are found.  It is a lower bound but for its rounding.

    >>> worst_profile(SparseVector(threshold_noise=3, query_noise=4, length=1), epsilon=1)
    Enclosure(lower=1.7546...e-08, upper=1.7546...e-08)
    """
    at, relation = require.nonnegative(epsilon=epsilon), Adjacency.of(adjacency)
    if _checked(mechanism).length == 1:
        low, high = (exact.delta(one, epsilon=at) for one in _one_answer(mechanism, relation))
        return Enclosure(lower=_lower(low), upper=high.upper, about=high.about)
    factor = math.exp(min(float(at), 700.0))  # to search with

    def refuted(likely: float, seldom: float) -> float:
        return math.exp(likely) - factor * math.exp(seldom)

    found = _found(mechanism, relation, refuted)
    about = About(quantity="delta", given=at.text, method="worst-neighbours", adjacency=relation)
    return Estimate(value=found.delta(at), method="worst neighbours found", about=about)


def epsilon_enclosed(
    mechanism: Screen, *, delta: Number, adjacency: Adjacency | str = DEFAULT
) -> Enclosure:
    """ε of the screen itself: above what an explicit event refutes, at most what is proved.

    How far the ends are apart is how loose the bound may be; the bill says which event it was.

    >>> epsilon_enclosed(SparseVector(threshold_noise=3, query_noise=4, length=1), delta="1e-6")
    Enclosure(lower=0.834..., upper=0.834...)
    """
    relation, at = Adjacency.of(adjacency), require.unit_interval(delta=delta)
    proved = rdp.epsilon(mechanism, delta=at, adjacency=relation)
    upper = proved.upper
    if isinstance(mechanism, LaplaceSparseVector):
        lower, source = _classical(mechanism, relation, at), "an event in the limit of many queries"
    elif _checked(mechanism).length == 1:
        low, high = (exact.epsilon(one, delta=at) for one in _one_answer(mechanism, relation))
        lower, upper, source = _lower(low), min(upper, high.upper), "a single Gaussian: exact"
    else:
        found = worst_neighbours(mechanism, delta=at, adjacency=relation)
        lower, source = found.epsilon(at), found.sentence()
    line = BillLine("the worst case is not proved", max(upper - lower, 0.0), source)
    about = About(
        given=at.text,
        method="worst-neighbours",
        adjacency=relation,
        bill=(line, *proved.about.bill),
    )
    return Enclosure(lower=min(lower, upper), upper=upper, about=about)


def _lower(found: Proved) -> float:
    return found.lower if isinstance(found, Enclosure) else 0.0


def _checked(mechanism: SparseVector) -> SparseVector:
    if not isinstance(mechanism, SparseVector):
        raise InvalidParameter("it must be a SparseVector", field="mechanism", value=mechanism)
    if {mechanism.threshold_law, mechanism.query_law} != {NORMAL}:
        raise InvalidParameter(
            "worst neighbours are sought for normal noises",
            field="law",
            value=(mechanism.threshold_law, mechanism.query_law),
            hint="The classical Laplace screen is LaplaceSparseVector.",
        )
    return mechanism


def _one_answer(mechanism: SparseVector, relation: Adjacency) -> tuple[Gaussian, Gaussian]:
    """q + ν − ρ is one Gaussian: of slightly more noise than it has, and of slightly less."""
    moved = max(abs(move) for moves in mechanism.moves(relation) for move in moves)
    variance = (mechanism.threshold_noise**2 + mechanism.query_noise**2) / Fraction(moved) ** 2
    near = Fraction(math.sqrt(variance))
    more, less = near * (1 + Fraction(1, 2**50)), near * (1 - Fraction(1, 2**50))
    if not less**2 < variance < more**2:
        raise InvalidParameter("noises must be within floats", field="query_noise")
    return Gaussian(noise_multiplier=Exact(more)), Gaussian(noise_multiplier=Exact(less))


def _classical(mechanism: LaplaceSparseVector, relation: Adjacency, delta: Exact) -> float:
    """The largest over κ and j ≤ c tops of log((P − δ)/(e^{−ε_j}P + e^{−κ})).  Prop. 11.

    P = 2^{−j−1} (λ₂/λ₁) κ^{−s} γ(s, κ), s = j + λ₂/λ₁; for δ = 0 the limit is ε_c itself.
    """
    with precision(BITS):
        if delta == 0:
            return float_down(ball(mechanism.pure(relation)))
        ratio, found = ball(mechanism.query_noise / mechanism.threshold_noise), [0.0]
        for tops, kappa in product(range(min(mechanism.cutoff, _TOPS) + 1), _KAPPAS):
            s = tops + ratio
            likely = ratio * arb(kappa) ** -s * arb(kappa).gamma_lower(s) / 2 ** (tops + 1)
            rest = likely - ball(delta)
            if rest > 0:
                loss = ball(mechanism.pure(relation, tops=tops))
                against = (-loss).exp() * likely + (-arb(kappa)).exp()
                found.append(float_down((rest / against).log()))
        return max(found)


def _found(mechanism: SparseVector, relation: Adjacency, objective: Objective) -> Neighbours:
    """The best event over kinds, moves and gaps, enclosed."""
    one = _checked(mechanism)
    pairs = product(_kinds(one), one.moves(relation))
    hopes = [_Sought(one, kind, moves, objective) for kind, moves in pairs]
    hopes.sort(key=lambda sought: sought.start[0], reverse=True)
    climbed = [(sought.climbed(), sought) for sought in hopes[:_CLIMBED]]
    (_, point), sought = max(climbed, key=lambda found: found[0][0])
    here, moves = sought.gaps(point), sought.moves
    there = Exact(here[0] + moves[0]), Exact(here[1] + moves[1])
    balls = [
        screen_event.enclosed(one.threshold_noise, one.query_noise, gaps, sought.kind)
        for gaps in (here, there)
    ]
    return Neighbours(sought.kind, here, there, *balls)


def _kinds(mechanism: SparseVector) -> Iterator[Kind]:
    """Some bottoms, then a top among the next for each top; of the whole length, or of a part."""
    cutoff, whole = mechanism.cutoff, mechanism.length or _LONG
    parts = [whole]
    if mechanism.highest_threshold is not None:  # then long runs end by themselves
        parts += [10**n for n in range(1, len(str(whole)))]
    seen = set()
    for length, share, tops in product(parts, _SHARES, sorted({0, 1, cutoff})):
        if length < tops:
            continue
        bottoms = length if tops == 0 else min(round(share * length), length - tops)
        kind = Kind(bottoms, (length - bottoms) // tops if tops else 1, tops)
        if kind not in seen:
            seen.add(kind)
            yield kind


@final
class _Sought:
    """Gaps for one kind of event: the best point of a grid, and where a simplex gets from it."""

    def __init__(
        self, mechanism: SparseVector, kind: Kind, moves: tuple[int, int], objective: Objective
    ) -> None:
        self.kind, self.moves, self._objective = kind, moves, objective
        self._noises = float(mechanism.threshold_noise), float(mechanism.query_noise)
        highest = mechanism.highest_threshold
        top = math.inf if highest is None else float(highest)
        self._most = [top - max(move, 0) for move in moves]
        self._unit = math.hypot(*self._noises)
        even = [self._noises[1] * _even(many) for many in (kind.bottoms, kind.tries)]
        grid = [(even[0] + self._unit * u, even[1] + self._unit * v) for u, v in _GRID]
        self.start = max((self._value(point), point) for point in grid)

    def gaps(self, point: Point) -> tuple[Exact, Exact]:
        """The gaps on one data set: those that are allowed on both, in six digits."""
        first, second = (min(a, b) for a, b in zip(point, self._most, strict=True))
        return Exact.of(f"{first:.6g}"), Exact.of(f"{second:.6g}")

    def climbed(self) -> tuple[float, Point]:
        """The best value and where it is."""
        from scipy.optimize import minimize

        (x, y), unit = self.start[1], self._unit
        options = {
            "maxfev": _STEPS,
            "initial_simplex": [(x, y), (x + unit, y), (x, y + unit)],
            "xatol": 1e-4 * unit,
            "fatol": 1e-9,
        }
        found = minimize(
            lambda at: -self._value((at[0], at[1])), (x, y), method="Nelder-Mead", options=options
        )
        point = float(found.x[0]), float(found.x[1])
        return max(self.start, (self._value(point), point))

    def _value(self, point: Point) -> float:
        here = [float(gap) for gap in self.gaps(point)]
        there = [gap + move for gap, move in zip(here, self.moves, strict=True)]
        likely, seldom = (
            screen_event.sketch(*self._noises, (gaps[0], gaps[1]), self.kind)
            for gaps in (here, there)
        )
        return self._objective(likely, seldom) if seldom > -700 else -math.inf


def _even(many: int) -> float:
    """Where so many answers are all below, half of the time."""
    from scipy.special import ndtri_exp

    return float(ndtri_exp(-math.log(2) / max(many, 1)))
