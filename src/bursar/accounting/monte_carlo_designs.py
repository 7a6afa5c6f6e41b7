"""What is drawn for a claim: one bounded variable X with δ ≤ R + B·E X, and nothing left to choose.

Every coordinate is tilted by its own loss; the number of big jumps is a stratum, whose jumps are
integrated and not drawn (docs/proofs/monte-carlo.md, Thms 4 and 8).  Without strata this is the
bound 0 ≤ Z ≤ e^{K(λ)−λε} λ^λ/(1+λ)^{1+λ}, which is the RDP conversion.  B + R bounds δ without any
draw.  A design is a function of the composition and ε alone.  Not here: drawing
(`monte_carlo_draws.py`), how λ and T are found (`monte_carlo_search.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from flint import arb

from bursar.accounting.monte_carlo_bounded import SHARP, Bounded, Over, log_share
from bursar.accounting.monte_carlo_draws import Summand, draw
from bursar.accounting.monte_carlo_groups import grouped, many
from bursar.accounting.monte_carlo_over import over
from bursar.accounting.monte_carlo_search import CELLS, Cuts, Parts, search
from bursar.adjacency import Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Exact
from bursar.numerics.balls import ball, float_up, lower_of, precision
from bursar.numerics.envelope import Envelope, Source
from bursar.numerics.jumps import SLACK, Table
from bursar.numerics.tilts import Coordinate, Floats
from bursar.privacy.pairs import Composition, GaussianPair, SubsampledGaussianPair

Limits = list[tuple[float, float]]

_TERM = 1e-12  # the same, for each unit of the terms of log Z
_FINE = 320  # bits: what lies outside is about e^−90
_DEARER = math.log(50.0)  # of a bound: as much as draws that are together are cheaper
_LAST = 40  # numbers of jumps that are summed one by one in the remainder


@final
@dataclass(frozen=True, slots=True)
class Stratum:
    """A number of jumps for each part: what is drawn of the rest, and log of what it counts."""

    jumps: tuple[int, ...]
    lam: float
    envelopes: tuple[tuple[Summand, int], ...]
    table: Table
    log_scale: float  # of Z = e^{log_scale − λY} g(Y)
    log_bound: float
    slack: float  # how far the loss that is computed may be from the loss that is drawn
    doubt: float  # how far log_scale may be above the truth
    farthest: float  # no loss is larger
    log_below: float  # log of a bound on Z below the table

    def log_values(self, losses: Floats) -> Floats:
        """Upper bounds on log Z at losses that are off by at most `slack`.

        At most `log_bound`, and at most `log_below` where they are surely under the table.
        """
        tilt = self.lam * (losses - self.slack)
        found = self.table.log_at(losses + self.slack) + self.log_scale - tilt
        found += _TERM * (1 + abs(self.log_scale) + np.abs(tilt))
        if self.log_below > -math.inf:
            under = losses + self.slack < self.table.lowest
            found = np.where(under, np.minimum(found, self.log_below), found)
        return np.asarray(np.minimum(found, self.log_bound))


@final
@dataclass(frozen=True, slots=True)
class Design(Bounded):
    """δ ≤ e^{log_rest} + e^{log_bound} E X for one direction; X is in [0, 1]."""

    direction: Direction
    epsilon: float
    strata: tuple[Stratum, ...]
    log_bound: float
    log_rest: float
    parts: Parts = field(compare=False, repr=False)
    cuts: Cuts = field(compare=False, repr=False)

    @property
    def coordinates(self) -> int:
        """Coordinates of one draw, at most."""
        return max(sum(n for _, n in stratum.envelopes) for stratum in self.strata)

    @property
    def digest(self) -> str:
        """The numbers that decide a draw."""
        numbers = [self.epsilon, self.log_bound, self.log_rest]
        for one in self.strata:
            numbers += [one.lam, one.log_scale, one.log_bound]
        return ",".join(value.hex() for value in numbers)

    def draw(self, size: int, source: Source) -> Floats:
        """So many independent X."""
        return draw(self, size, source)

    def over(self) -> Over | None:
        """How far draws may be above δ; not known where losses are drawn together."""
        return over(self)


def parts_of(composition: Composition) -> Parts:
    """The coordinates of a composition; its plain Gaussians are one."""
    mu_squared, parts = Fraction(0), list[tuple[Coordinate, int]]()
    for pair, n in composition.parts:
        match pair:
            case GaussianPair():
                mu_squared += n / Fraction(pair.noise_multiplier) ** 2
            case SubsampledGaussianPair():
                shift = Exact(1 / Fraction(pair.noise_multiplier) ** 2)
                removes = pair.direction is Direction.REMOVE
                parts.append((Coordinate(shift, pair.sampling_probability, removes), n))
            case _:
                kind = type(pair).__name__.removesuffix("Pair")
                raise NoProof(
                    f"no sampler of tilted laws is written for a pair of kind {kind}",
                    hint="Give `sample` and `log_ratio` of your own, or ask the exact accountant.",
                )
    if mu_squared:
        parts.append((Coordinate(Exact(mu_squared), Exact(1), True), 1))
    for part, _ in parts:
        held = 1 < part.mu_squared * 10**12 < 10**18 and part.q * 10**12 > 1
        if not (held and (part.q == 1 or part.q * 10**12 < 10**12 - 1)):
            raise LimitReached("a number of this plan is beyond what draws in float64 can hold")
    return tuple(parts)


def design(
    composition: Composition,
    direction: Direction,
    epsilon: float,
    *,
    room: float = 0.0,
    cells: int = CELLS,
    together: bool = False,
) -> Design:
    """The design for δ(ε) of a composition in one direction, ε ≥ 0.

    With `room` its draws serve other ε too, up to so much above: `monte_carlo_curves.py`.  With
    fewer cells than usual it is found faster, and its bound is larger; with none, nothing jumps.
    Steps of which there are many may be drawn `together`: faster, and above δ by a little.

    >>> from bursar.adjacency import Adjacency
    >>> from bursar.mechanisms import views
    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> way = Direction.REMOVE
    >>> pairs = views.pairs(100 * Gaussian(noise_multiplier=30), Adjacency.ADD_OR_REMOVE_ONE, way)
    >>> round(math.exp(design(pairs, way, 1.0).log_ceiling), 5)
    0.0007
    """
    parts = parts_of(composition)
    found = certified(parts, direction, epsilon, search(parts, epsilon, room, cells))
    if not (together and many(parts)):
        return found
    plain = found
    if found.cuts.jumps:
        plain = certified(parts, direction, epsilon, search(parts, epsilon, cells=0))
    return grouped(plain) if plain.log_ceiling < found.log_ceiling + _DEARER else found


def certified(parts: Parts, direction: Direction, epsilon: float, cuts: Cuts) -> Design:
    """The design with these tilts and thresholds; all that is claimed of it follows from balls."""
    limits = [
        (
            cuts.reach[i][0],
            part.above(cuts.first * cuts.step) if i in cuts.jumps else cuts.reach[i][1],
        )
        for i, (part, _) in enumerate(parts)
    ]
    drawn: dict[tuple[int, float], tuple[Envelope, arb]] = {}
    for _, lam in cuts.strata:
        for i, ((part, _), (low, high)) in enumerate(zip(parts, limits, strict=True)):
            if (i, lam) not in drawn:
                drawn[i, lam] = Envelope.of(part, lam, low, high), part.mass(lam, low, high)
    strata = []
    for vector, lam in cuts.strata:
        table = cuts.tables[vector]
        log_scale = _log_ways(parts, vector)
        envelopes, slack, doubt, farthest = list[tuple[Summand, int]](), 0.0, 0.0, 0.0
        for i, ((part, count), n) in enumerate(zip(parts, vector, strict=True)):
            if count > n:
                one, mass = drawn[i, lam]
                envelopes.append((one, count - n))
                if not mass > 0:
                    raise LimitReached("the mass of a tilted law could not be enclosed")
                log_mass = _log_up(mass)
                log_scale += (count - n) * log_mass
                doubt += (count - n) * (log_mass + _log_up(1 / mass))
                farthest += (count - n) * float(np.abs(part.log_w(np.array(limits[i]))).max())
                slack += (count - n) * one.slack
        log_scale += _TERM * (1 + abs(log_scale))
        below = _below(parts, vector, cuts, lam, epsilon, table)
        bound = log_scale + max(table.log_peak(lam), below) + 2 * slack * (lam + 1) + SHARP
        strata.append(
            Stratum(
                vector,
                lam,
                tuple(envelopes),
                table,
                log_scale,
                bound,
                slack,
                doubt,
                farthest,
                log_scale + below,
            )
        )
    log_bound = float(np.logaddexp.reduce([one.log_bound for one in strata])) + SHARP
    rest = _log_rest(parts, limits, cuts, epsilon)
    return Design(direction, epsilon, tuple(strata), log_bound, rest, parts, cuts)


def _below(
    parts: Parts,
    vector: tuple[int, ...],
    cuts: Cuts,
    lam: float,
    epsilon: float,
    table: Table,
) -> float:
    """log of a bound on e^{−λY} g(Y) for losses under the table, where there may be any."""
    least = 0.0
    for (part, count), n in zip(parts, vector, strict=True):
        if n < count:
            sure = part.removes and part.sampled
            least += (count - n) * math.log1p(-part.share) if sure else -math.inf
    if not table.jumps or least * (1 + 1e-12) >= cuts.lowest:
        return -math.inf
    bounds = []
    for mu in (lam, 1.5 * lam, 2 * lam, 3 * lam, 4 * lam, 6 * lam, 9 * lam):
        found = log_share(mu) - mu * epsilon + (mu - lam) * table.lowest
        for (part, _), n in zip(parts, vector, strict=True):
            if n:
                found += n * _log_jumps(part, mu, part.above(cuts.first * cuts.step) - 1e-9)
        bounds.append(found + (mu + 1) * table.jumps * SLACK)
    return min(bounds) + SHARP


@lru_cache(maxsize=256)
def _log_jumps(part: Coordinate, mu: float, high: float) -> float:
    """log of the tilted mass above a place: an integral, and a bound on what is far."""
    far = part.reach(mu)[1]
    near = part.mass(mu, high, far) if far > high else arb(0)
    return _log_up(near + part.cut_above(mu, max(far, high)))


def _log_ways(parts: Parts, vector: tuple[int, ...]) -> float:
    """log of the number of ways to place the jumps."""
    with precision():
        ways = [arb(math.comb(count, n)) for (_, count), n in zip(parts, vector, strict=True)]
        total = arb(1)
        for way in ways:
            total *= way
        return float_up(total.log())


def _log_rest(parts: Parts, limits: Limits, cuts: Cuts, epsilon: float) -> float:
    """log R: all numbers of jumps that have no stratum, and all that lies outside the ranges.

    f ≤ c(λ)e^{λ(Y−ε)}, so it is c(λ)e^{−λε} times a tilted mass.  Relative to the mass inside, a
    coordinate has u above its limit and b below it: with S = Π(1+u)^k over those that jump and
    lost = Π(1+b)^k Π(1+b+u)^k, what has no stratum is at most S(lost − 1) + Σ over n > n₀.
    """
    lam = cuts.lam
    with precision(_FINE):
        inside, lost, series = arb(1), arb(1), [arb(1)]
        rates = [arb(2), arb(16), arb(128)]
        beyond = [rate ** -(_LAST + 1) for rate in rates]
        for i, ((part, count), (low, high)) in enumerate(zip(parts, limits, strict=True)):
            r, far = part.mass(lam, low, high), max(high, cuts.reach[i][1])
            above = part.cut_above(lam, far) + (part.mass(lam, high, far) if far > high else 0)
            u, below = (above / r).upper(), (part.cut_below(lam, low) / r).upper()
            inside *= r**count
            if i not in cuts.jumping:
                lost *= (1 + below + u) ** count
                continue
            lost *= (1 + below) ** count
            own = [math.comb(count, n) * u**n for n in range(min(count, _LAST) + 1)]
            series = _times(series, own)
            beyond = [
                one * (1 + rate * u) ** count for one, rate in zip(beyond, rates, strict=True)
            ]
        most = max(sum(vector) for vector, _ in cuts.strata)
        end = lower_of(*(one.upper() for one in beyond)) if cuts.jumping else arb(0)
        later = sum(series[most + 1 :], arb(0)) + end
        left = ((sum(series, arb(0)) + end) * (lost - 1) + later).upper()
        if not left > 0:
            return -math.inf
        return float_up((inside * left).log() - arb(lam) * ball(epsilon)) + log_share(lam) + SHARP


def _times(series: list[arb], other: list[arb]) -> list[arb]:
    """The product of two polynomials, as far as it is summed one by one."""
    size = min(len(series) + len(other) - 1, _LAST + 1)
    return [
        sum(
            (series[j] * other[n - j] for j in range(len(series)) if 0 <= n - j < len(other)),
            arb(0),
        )
        for n in range(size)
    ]


def _log_up(value: arb) -> float:
    with precision(128):
        return float_up(value.log())
