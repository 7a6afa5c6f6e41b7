"""ε and δ after every so many steps, from one set of paths: Wang et al. 2023, Sec. 5, and beyond.

For each number n of jumps there are paths, tilted and cut at one threshold.  For the prefix of i
steps, Z_i = Σ_n C(i, n) r^{i−n} e^{−λY_{i−n}} g_n(Y_{i−n}): the path without n steps, those
integrated.  So each prefix has a bounded variable of its own on the same draws; their errors are
correlated, which a bound for each with β/k does not mind.  docs/proofs/monte-carlo.md, Prop. 13.
For Gaussian plans `online.py` is exact and faster; this is its second road.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from bursar import require
from bursar.accounting.monte_carlo import aimed, drawable
from bursar.accounting.monte_carlo_bounds import failing
from bursar.accounting.monte_carlo_coins import Coins, Fresh, Seeded
from bursar.accounting.monte_carlo_curves import OfDesign
from bursar.accounting.monte_carlo_designs import Design, Stratum, certified, parts_of
from bursar.accounting.monte_carlo_draws import at_most_one
from bursar.accounting.monte_carlo_search import Vector, search
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics import means
from bursar.numerics.envelope import Envelope, Source
from bursar.numerics.tilts import Floats

_DRAWS = 1000
_AT_ONCE = 1 << 19  # coordinates
_SHARED = 2  # a set of paths serves the marks down to this part of its longest
_CELLS = 1000  # of a table


@final
@dataclass(frozen=True, slots=True)
class Row:
    """An estimate of ε after so many steps."""

    steps: int
    epsilon: float


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """δ at most, after so many steps; all bounds of a run hold together, except with β."""

    steps: int
    delta: float


def epsilons(
    step: Mechanism,
    *,
    steps: int,
    delta: Number,
    every: int = 1,
    adjacency: Adjacency | str = DEFAULT,
    draws: int = _DRAWS,
    coins: Coins | None = None,
) -> list[Row]:
    """Estimates of ε after every so many steps of one mechanism, at a δ in (0, 1)."""
    relation, words = Adjacency.of(adjacency), coins or Seeded(0)
    log_delta = math.log(float(require.probability(delta=delta)))
    best = dict.fromkeys(_marks(steps, every), 0.0)
    for way in Direction:
        for group, block in _groups(tuple(best)):
            whole = drawable(max(group) * step, relation)[list(Direction).index(way)]
            aim = max(aimed(whole, log_delta, None, words).solve(log_delta), 1e-3)
            paths = Paths.drawn(step, relation, way, aim, group, draws, words.source(block))
            for i in group:
                best[i] = max(best[i], paths.curve(i).solve(log_delta))
    return [Row(i, found) for i, found in best.items()]


def bounds(
    step: Mechanism,
    *,
    steps: int,
    epsilon: Number,
    failure_probability: Number,
    every: int = 1,
    adjacency: Adjacency | str = DEFAULT,
    draws: int = _DRAWS,
    coins: Coins | None = None,
) -> list[Bound]:
    """Upper bounds on δ at this ε after every so many steps, with β shared evenly among them."""
    relation, words = Adjacency.of(adjacency), coins or Fresh()
    at = float(require.positive(epsilon=epsilon))
    marks = _marks(steps, every)
    log_beta = math.log(float(failing(failure_probability)) / len(marks))
    best = dict.fromkeys(marks, -math.inf)
    for way in Direction:
        for group, block in _groups(marks):
            paths = Paths.drawn(step, relation, way, at, group, draws, words.source(block))
            for i in group:
                mean = means.upper(float(paths.values(i).mean()), draws, log_beta)
                best[i] = max(best[i], paths.designs[i].log_delta(mean))
    return [Bound(i, min(math.exp(found), 1.0)) for i, found in best.items()]


def _marks(steps: int, every: int) -> tuple[int, ...]:
    count, pace = require.count(steps=steps), require.count(every=every)
    return tuple(range(pace, count + 1, pace))


def _groups(marks: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Marks that share their paths, from the largest down, with a number for their coins."""
    left, block = list(marks), 0
    while left:
        least = left[-1] / _SHARED
        yield tuple(i for i in left if i > least), block
        left, block = [i for i in left if i <= least], block + 1


@final
@dataclass(frozen=True, slots=True)
class Paths:
    """Sums of tilted losses at the prefixes that are needed, in one direction."""

    designs: dict[int, Design]  # of each mark, with the same tilts and threshold
    sums: dict[tuple[Vector, int], Floats]  # by numbers of jumps, and of steps
    limit: float

    @classmethod
    def drawn(
        cls,
        step: Mechanism,
        relation: Adjacency,
        way: Direction,
        epsilon: float,
        marks: tuple[int, ...],
        size: int,
        source: Source,
    ) -> Paths:
        """So many paths for each number of jumps, aimed at this ε for the longest prefix."""
        pieces = parts_of(views.pairs(Plan.of(step), relation, way))
        if len(pieces) != 1:
            raise NoProof("paths are of one mechanism, run again and again")
        part, longest = pieces[0][0], max(marks)
        room = 0.2 * epsilon + 0.01
        cuts = search(((part, longest),), epsilon, room, _CELLS)
        designs = {}
        for i in marks:
            kept = tuple((vector, lam) for vector, lam in cuts.strata if vector[0] <= i)
            designs[i] = certified(((part, i),), way, epsilon, replace(cuts, strata=kept))
        sums: dict[tuple[Vector, int], Floats] = {}
        for one in designs[longest].strata:
            (jumps,) = one.jumps
            needed = [i - jumps for i in marks if i >= jumps]
            sums |= {(one.jumps, i): np.zeros(size) for i in needed}
            for (envelope, most), start, many in _batches(one, size):
                places = envelope.draw(many * most, source)
                losses = envelope.law.log_w(places).reshape(many, most)
                path = np.cumsum(losses if part.removes else -losses, axis=1)
                for i in needed:
                    if i:
                        sums[one.jumps, i][start : start + many] = path[:, i - 1]
        return cls(designs, sums, epsilon + room)

    def values(self, mark: int) -> Floats:
        """X in [0, 1] with δ ≤ R + B·E X after so many steps, one for each path."""
        whole = self.designs[mark]
        total = np.zeros(len(next(iter(self.sums.values()))))
        for one, sums in self._of(mark):
            total += at_most_one(one.log_values(sums) - whole.log_bound)
        return np.asarray(np.minimum(total, 1.0))

    def curve(self, mark: int) -> OfDesign:
        """δ at every ε after so many steps."""
        whole = self.designs[mark]
        known = tuple((one, sums[~np.isnan(sums)]) for one, sums in self._of(mark))
        return OfDesign(known, whole.epsilon, whole.log_bound, self.limit)

    def _of(self, mark: int) -> tuple[tuple[Stratum, Floats], ...]:
        strata = self.designs[mark].strata
        return tuple((one, self.sums[one.jumps, mark - one.jumps[0]]) for one in strata)


def _batches(one: Stratum, size: int) -> Iterator[tuple[tuple[Envelope, int], int, int]]:
    """What is drawn for a stratum, in rows that memory holds: envelope, first row, rows."""
    for envelope, most in one.envelopes:
        if not isinstance(envelope, Envelope):
            continue
        rows = max(1, _AT_ONCE // most)
        for start in range(0, size, rows):
            yield (envelope, most), start, min(rows, size - start)
