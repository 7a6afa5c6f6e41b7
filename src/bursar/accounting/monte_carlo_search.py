"""Where to tilt and where to cut, found in float64: nothing here proves anything.

λ is the argument of the least RDP bound, or of each stratum's own; the threshold of a big jump is
scanned.  What is claimed of the result is computed again, in balls: `monte_carlo_designs.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from bursar.numerics.jumps import NARROWEST, STEEPEST, Jumps, Table
from bursar.numerics.tilts import Coordinate, Floats

Parts = tuple[tuple[Coordinate, int], ...]
Vector = tuple[int, ...]

_POINTS = 1200
COARSE, CELLS = 200, 4000  # cells of a table, while scanning and at the end
_MOST = 256  # strata
_DEEPEST = 30  # jumps
_ENOUGH = 1e-4  # of B, for what has no stratum
_THRESHOLDS = 14
_LARGEST = 12.0  # log λ
_SMALL = 30.0  # nats below the bound of one tilt: a stratum that hardly counts
_FAINT, _DIM = 12.0, 45.0  # nats: strata, and losses, that hardly count
_PAYS = 0.1  # nats: jumps that gain less are drawn like all else
_WIDEST = 600.0  # of a table: e to it is a float
_RAREST = 1e-200  # probability of the jumps of a stratum, in float64


@final
@dataclass(frozen=True, slots=True)
class Cuts:
    """λ of the whole and of each stratum; the loss from which a jump is big; where tables start."""

    lam: float
    reach: tuple[tuple[float, float], ...]
    step: float
    first: int
    lowest: float
    jumps: dict[int, Jumps]
    tables: dict[Vector, Table]
    strata: tuple[tuple[Vector, float], ...]
    deep: float = -math.inf  # losses below hardly count

    @property
    def jumping(self) -> set[int]:
        """The parts that have big jumps."""
        return set(self.jumps)


def search(parts: Parts, epsilon: float, room: float = 0.0, cells: int = CELLS) -> Cuts:
    """Cuts with a small bound; without jumps where these do not pay.

    Tables go `room` further down than they must, so that they serve larger ε too; with fewer cells,
    of which few thresholds are tried, they are found faster; with none, nothing jumps.
    """
    lam = best_tilt(parts, epsilon)
    reach = tuple(part.reach(lam) for part, _ in parts)
    nothing = tuple(0 for _ in parts)
    payoff = Table.payoff(epsilon, 1.0, epsilon - 2.0)
    plain = Cuts(lam, reach, 1.0, 1, 0.0, {}, {nothing: payoff}, ((nothing, lam),))
    jumping = frozenset(
        i
        for i, (part, _) in enumerate(parts)
        if part.removes and part.sampled and part.slope < STEEPEST
    )
    best_log = log_ceiling(parts, lam, epsilon)
    held = epsilon - _lowest(parts, epsilon) < _WIDEST
    if not (jumping and cells and best_log > -550 and epsilon > 0 and held):
        return plain
    best, best_log = plain, best_log - _PAYS
    count = _THRESHOLDS if len(jumping) < 9 and cells == CELLS else 4
    for loss in epsilon * np.linspace(0.06, 0.98, count):
        cuts, found = _at(parts, epsilon, lam, reach, jumping, float(loss), COARSE, room)
        if found < best_log - 0.01:
            best, best_log = cuts, found
    if best is plain:
        return plain
    loss = best.first * best.step
    if cells <= COARSE:
        return best
    each = max(cells // len(jumping), 500)
    return _at(parts, epsilon, lam, reach, jumping, loss, each, room, best.deep)[0]


def best_tilt(parts: Parts, epsilon: float) -> float:
    """The λ of the least RDP bound at this ε."""
    exponents = np.linspace(-7.0, 11.0, 19)
    values = [log_ceiling(parts, math.exp(x), epsilon) for x in exponents]
    i = int(np.argmin(values))
    low, high = exponents[max(i - 1, 0)], exponents[min(i + 1, len(exponents) - 1)]
    return math.exp(golden(lambda x: log_ceiling(parts, math.exp(x), epsilon), low, high, 30))


def log_ceiling(parts: Parts, lam: float, epsilon: float) -> float:
    """log of e^{K(λ)−λε} c(λ)."""
    total = lam * math.log(lam) - (1 + lam) * math.log1p(lam) - lam * epsilon
    return total + sum(count * log_mass(part, lam, *part.reach(lam)) for part, count in parts)


def log_mass(part: Coordinate, lam: float, low: float, high: float) -> float:
    """log of a tilted mass, by the trapezoidal rule."""
    if not part.sampled and not math.isinf(high) and high > 20 * part.slope + low:
        power = part.power(lam)
        return power * (power - 1) * part.slope**2 / 2
    t = np.linspace(low, high, _POINTS)
    heights = part.power(lam) * part.log_w(t) - 0.5 * t * t
    top = float(heights.max())
    weights = np.exp(heights - top)
    area = float(weights.sum() - 0.5 * (weights[0] + weights[-1])) * (t[1] - t[0])
    return top + math.log(area) - 0.5 * math.log(2 * math.pi)


def golden(f: Callable[[float], float], low: float, high: float, rounds: int) -> float:
    """About the least point of a function with one valley between low and high."""
    part = (math.sqrt(5) - 1) / 2
    a, b = high - part * (high - low), low + part * (high - low)
    at_a, at_b = f(a), f(b)
    for _ in range(rounds):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - part * (high - low)
            at_a = f(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + part * (high - low)
            at_b = f(b)
    return a if at_a < at_b else b


def _at(
    parts: Parts,
    epsilon: float,
    lam: float,
    reach: tuple[tuple[float, float], ...],
    jumping: frozenset[int],
    loss: float,
    cells: int,
    room: float,
    deep: float = -math.inf,
) -> tuple[Cuts, float]:
    """Cuts with jumps from this loss on, and about log(B + R)."""
    lowest = max(_lowest(parts, epsilon), deep) - room
    step = max((epsilon - lowest) / cells, NARROWEST)
    first = max(round(loss / step), 1)
    reach_up = epsilon - lowest + 2 * step
    jumps = {i: Jumps.of(parts[i][0], first=first, step=step, reach=reach_up) for i in jumping}
    limits = [part.above(first * step) for part, _ in parts]
    payoff = Table.payoff(epsilon, step, lowest)
    tables: dict[Vector, Table] = {}
    most_log = log_ceiling(parts, lam, epsilon)
    strata, total = list[tuple[Vector, float]](), -math.inf
    counts = list[tuple[float, float]]()  # log of a bound, and from which loss on it is made
    rests = _rests(parts, reach, jumping, limits, lam, epsilon)
    for n in range(_DEEPEST + 1):
        vectors = _vectors(parts, jumping, n)
        if strata and len(strata) + len(vectors) > _MOST:
            break
        more = {vector: _table(vector, tables, jumps, payoff) for vector in vectors}
        if min(one.under_p for one in more.values()) < _RAREST:
            break
        tables |= more
        best, log_bound = _best_stratum(
            parts, reach, jumping, limits, tables, vectors, lam, most_log - _SMALL
        )
        strata += [(vector, best) for vector in vectors]
        counts += [(log_bound, _deep(tables[vector], best)) for vector in vectors if n]
        total = float(np.logaddexp(total, log_bound))
        if rests[n] < total + math.log(_ENOUGH) or n == sum(parts[i][1] for i in jumping):
            break
    seen = [from_ for log_bound, from_ in counts if log_bound > total - _FAINT]
    deepest = min(seen, default=lowest) - 2 * step
    cuts = Cuts(lam, reach, step, first, lowest, jumps, tables, tuple(strata), deepest)
    most = max(sum(vector) for vector, _ in strata)
    return cuts, float(np.logaddexp(total, rests[most]))


def _deep(table: Table, lam: float) -> float:
    """From which loss on e^{−λY} g(Y) counts."""
    losses = table.lowest + np.arange(len(table.values)) * table.step
    heights = np.log(table.values) - lam * losses
    return float(losses[np.flatnonzero(heights > heights.max() - _DIM)[0]])


def _table(
    vector: Vector, known: dict[Vector, Table], jumps: dict[int, Jumps], payoff: Table
) -> Table:
    i = next((i for i, m in enumerate(vector) if m), None)
    if i is None:
        return payoff
    return known[tuple(m - (j == i) for j, m in enumerate(vector))].after(jumps[i])


def _lowest(parts: Parts, epsilon: float) -> float:
    """Where tables start: the least loss there can be, or far enough below ε."""
    least = 0.0
    for part, count in parts:
        least += count * math.log1p(-part.share) if part.sampled else -math.inf
    return max(least * (1 + 1e-9) - 1e-9, -epsilon - 15.0)


def _vectors(parts: Parts, jumping: frozenset[int], n: int) -> list[Vector]:
    """All ways to share n jumps among the parts that have them; one more than allowed is enough."""
    ways = itertools.combinations_with_replacement(sorted(jumping), n)
    found = [
        tuple(way.count(i) for i in range(len(parts))) for way in itertools.islice(ways, _MOST + 1)
    ]
    return [
        one for one in found if all(m <= count for m, (_, count) in zip(one, parts, strict=True))
    ]


def _best_stratum(
    parts: Parts,
    reach: tuple[tuple[float, float], ...],
    jumping: frozenset[int],
    limits: list[float],
    tables: dict[Vector, Table],
    vectors: list[Vector],
    lam: float,
    enough: float,
) -> tuple[float, float]:
    """The λ that all vectors share, and about log of the sum of their bounds.

    A sum whose logarithm is below `enough` is small enough.
    """

    def log_bound(log_lam: float) -> float:
        at = math.exp(log_lam)
        masses = [
            log_mass(part, at, reach[i][0], limits[i] if i in jumping else reach[i][1])
            for i, (part, _) in enumerate(parts)
        ]
        terms = []
        for vector in vectors:
            term = tables[vector].log_peak(at)
            for (_, count), m, one in zip(parts, vector, masses, strict=True):
                term += _log_choose(count, m) + (count - m) * one
            terms.append(term)
        return float(np.logaddexp.reduce(terms)) if terms else -math.inf

    middle = math.log(lam)
    grid = middle + np.linspace(-3.0, 2.5, 12)
    values = [log_bound(x) for x in grid]
    while int(np.argmin(values)) == len(grid) - 1 and grid[-1] < _LARGEST and values[-1] > enough:
        grid = np.append(grid, grid[-1] + 0.5)
        values.append(log_bound(grid[-1]))
    i = int(np.argmin(values))
    low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
    found = golden(log_bound, low, high, 12)
    return math.exp(found), log_bound(found)


def _rests(
    parts: Parts,
    reach: tuple[tuple[float, float], ...],
    jumping: frozenset[int],
    limits: list[float],
    lam: float,
    epsilon: float,
) -> Floats:
    """About log R after n jumps, for each n."""
    series = np.ones(1)
    inside = lam * math.log(lam) - (1 + lam) * math.log1p(lam) - lam * epsilon
    for i, (part, count) in enumerate(parts):
        if i not in jumping:
            inside += count * log_mass(part, lam, *reach[i])
            continue
        r = log_mass(part, lam, reach[i][0], limits[i])
        top = max(reach[i][1], limits[i] + 1.0)
        u = math.exp(min(log_mass(part, lam, limits[i], top) - r, 300.0))
        inside += count * r
        log_u = math.log(max(u, 1e-300))
        own = [math.exp(min(_log_choose(count, n) + n * log_u, 600.0)) for n in range(60)]
        series = np.convolve(series, own)[:60]
    tails = np.cumsum(series[::-1])[::-1]
    with np.errstate(divide="ignore", over="ignore"):
        found: Floats = inside + np.log(np.append(tails[1:], 0.0))
    return found


def _log_choose(count: int, n: int) -> float:
    if n > count:
        return -math.inf
    return math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1)
