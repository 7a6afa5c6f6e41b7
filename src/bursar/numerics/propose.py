"""The sizes of a contour, proposed in float64: tilts, step, length, lines.

Any proposal gives a true bound; this file makes it sharp and cheap.  What each size is for
stands in docs/proofs/contour.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from bursar.errors import LimitReached
from bursar.numerics.lines import LineSpec
from bursar.numerics.sketch import Array, Cumulant, StepSketch

TOLERANCE = 44.0  # nats: each error term is proposed to be below e^-44 of δ
_LARGEST_LOSS = 14.0  # nats of cancellation that a contour may have
_MOST_NODES = 2**17  # as many as a certificate may have
_SLANTS = np.geomspace(2e-4, 1.0, 22)
_TWOFOLD = 68.0  # nats of weights against the error: more is beyond twofold doubles
_SLOWER = 4  # times
_CELLS = 80  # of a line: about those of the tail's bound


@final
@dataclass(frozen=True, slots=True)
class Outer:
    """Another tilt, with its lines: for an alias, or for a body that is left out."""

    lam: float
    lines: tuple[LineSpec, ...]
    under: tuple[LineSpec, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Shape:
    """Where a contour runs: Re z = lam, step tau, n nodes; tilts and lines for its aliases."""

    lam: float
    tau: float
    n: int
    loss: float
    bits: int
    lines: tuple[LineSpec, ...]
    under: tuple[LineSpec, ...]  # of the law cut below, where this is a slice
    shifts: tuple[float, ...]
    right: Outer
    left: Outer | None  # None: no tilt, and mass at most 1


@np.errstate(all="ignore")  # what overflows is not chosen
def propose(
    found: Cumulant, lam: float, location: float, log_delta: float, tolerance: float = TOLERANCE
) -> Shape:
    """A contour for δ at `location`, given its saddle point λ and log δ there."""
    width = math.sqrt(max(float(found.at(np.array([lam]))[2][0]), 1e-12))
    centre, window, right, left = tilts(
        lambda x: found.at(x)[0], lam, width, location, log_delta - tolerance
    )
    value = float(found.at(np.array([centre]))[0][0])
    loss = value - centre * location - math.log(centre) - math.log1p(centre) - log_delta
    ceiling = -loss - math.log1p(centre) - math.log(centre) - tolerance
    tau = 2 * math.pi / window
    length, shifts = _length(found, centre, ceiling)
    n = math.ceil(length / tau) + 2
    if n > _MOST_NODES:
        raise LimitReached(f"the contour would need {n} nodes")
    log_counts = [math.log(step.count) for step in found.steps]
    digits = tolerance + max(loss, 0) + 3
    lines = tuple(
        line(step, centre, digits + more, tail=shift)
        for step, more, shift in zip(found.steps, log_counts, shifts, strict=True)
    )
    bits = shape_bits(found.steps, lines, digits)
    plain = 6.0 + tolerance / 8

    def side(at: float) -> Outer:
        each = zip(found.steps, log_counts, strict=True)
        return Outer(at, tuple(line(s, at, plain + more) for s, more in each))

    outer = side(right), side(left) if left > 0 else None
    return Shape(centre, tau, n, loss, bits, lines, (), shifts, *outer)


def shape_bits(steps: tuple[StepSketch, ...], lines: tuple[LineSpec, ...], digits: float) -> int:
    """The working precision for so many nats, the growth on the slanted lines included."""
    need = 0.0
    for step, spec in zip(steps * 2, lines, strict=False):
        stiff = 1 / step.s**2 + (1 / spec.soft**2 if spec.cut else 0.0)
        need = max(need, math.log(step.count) + spec.shift**2 * stiff / 8)
    return 32 * math.ceil((digits + need + 24) / math.log(2) / 32)


@np.errstate(all="ignore")  # what overflows is not chosen
def tilts(
    cumulant: Callable[[Array], Array],
    lam: float,
    width: float,
    location: float,
    target: float,
    *,
    mass: float | None = None,
    reach: float = math.inf,
    spare: float = _LARGEST_LOSS,
) -> tuple[float, float, float, float]:
    """The tilt and the narrowest window W whose aliases are below e^target, with their tilts.

    `mass` is the logarithm of the law's total mass where that is below 1 and known; `spare` nats of
    cancellation, beyond the least, buy a narrower window.
    """
    near = lam * np.geomspace(0.3, 3, 15)
    away = np.geomspace(0.4, 14, 10) / width
    found = np.unique(np.concatenate([near, [lam], lam + away, lam - away]))
    found = found[(found > 0) & (found < min(reach, 60 * lam + 60))]
    if len(found) < 2:
        raise LimitReached("the tilts are beyond the grid")
    k = cumulant(found)
    chernoff = k - found * location + found * np.log(found) - (1 + found) * np.log1p(found)
    gaps = found[None, :] - found[:, None]
    need = (chernoff[None, :] - target) / np.abs(gaps)
    right = np.where(gaps > 0, need, np.inf)
    left = np.where(gaps < 0, need, np.inf)
    none = ((mass or 0.0) - target) / found
    window = np.maximum(right.min(axis=1), np.minimum(left.min(axis=1), none))
    window = np.maximum(window, 4 / found)
    loss = k - found * location - np.log(found) - np.log1p(found)
    window = np.where(loss <= loss.min() + spare, window, np.inf)
    best = int(np.argmin(window))
    if not math.isfinite(window[best]):
        raise LimitReached("no window holds the tilted loss")
    far = float(found[int(np.argmin(right[best]))])
    close = 0.0 if none[best] <= left[best].min() else float(found[int(np.argmin(left[best]))])
    return float(found[best]), float(window[best]), far, close


def _length(found: Cumulant, lam: float, ceiling: float) -> tuple[float, tuple[float, ...]]:
    """U with prod |M(λ+iu)/M(λ)|^k ≤ e^{ceiling} πU for u ≥ U, and each step's shift there."""
    slants = [Slants(step, lam) for step in found.steps]

    def excess(u: float) -> float:
        logs = sum(s.count * s.best(u)[0] for s in slants)
        return logs + found.log_fall(lam, u) - ceiling - math.log(math.pi * u)

    low = high = lam + 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
        if high > 1e15 * (lam + 1):
            raise LimitReached("the loss has an atom that the contour cannot resolve")
    while high > 1e-9 and excess(low) <= 0:
        low, high = low / 2, low
    for _ in range(7):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    length = 1.04 * high
    return length, tuple(s.best(length)[1] for s in slants)


@final
class Slants:
    """The decay bound of one step in float64, for a range of shifts."""

    def __init__(self, sketch: StepSketch, lam: float) -> None:
        logs = sketch.tilted(lam)
        keep = logs > logs.max() - 46
        mass = np.exp(logs[keep] - logs.max())
        self.count, self.mass = sketch.count, mass / mass.sum()
        t, s2 = sketch.t[keep], sketch.s**2
        gap = (t[-1] - t[0]) / _CELLS  # the bound is taken cell by cell: its angle at the left end
        limit = (0.97 if sketch.step.removes else 0.48) * math.pi * s2
        self.shifts = min(limit, 9 * sketch.s) * _SLANTS
        self.growth = self.shifts**2 / (2 * s2)
        share = _share(sketch, t - gap)
        angle = (self.shifts / s2)[:, None]
        self.turn = np.arctan2(share * np.sin(angle), 1 - share + share * np.cos(angle))
        self.spread = np.zeros_like(self.turn)
        if not sketch.step.removes:
            share = _share(sketch, t + gap)
            self.spread = -(lam / 2) * np.log1p(-4 * share * (1 - share) * np.sin(angle / 2) ** 2)

    def best(self, u: float) -> tuple[float, float]:
        """The least log ratio over the shifts, and the shift."""
        change = np.expm1(self.spread - u * self.turn) @ self.mass
        logs = self.growth + np.log1p(np.maximum(change, -1 + 1e-15))
        at = int(np.argmin(logs))
        return min(float(logs[at]), 0.0), float(self.shifts[at])


@np.errstate(all="ignore")  # what overflows is not chosen
def line(
    sketch: StepSketch,
    lam: float,
    digits: float,
    *,
    above: float = math.inf,
    soft: float = math.inf,
    margin: float = 0.0,
    tail: float = 0.0,
) -> LineSpec:
    """The line with the fewest nodes whose error is below e^-digits of M(λ).

    `margin` nats more are kept at its ends, for a tail that grows on a line of its own; at the
    shift `tail` the add direction's integrand falls beyond them too.
    """
    s, s2 = sketch.s, sketch.s**2
    soft = soft if above < math.inf else math.inf
    stiff = 1 / s2 + (1 / soft**2 if soft < math.inf else 0.0)
    logs = sketch.tilted(lam)
    if above < math.inf:
        logs = logs - 0.5 * np.maximum((sketch.t - above) / soft, 0.0) ** 2
    limit = (0.98 if sketch.step.removes else 0.49) * math.pi * s2
    tried = np.minimum(np.geomspace(0.02, 1.0, 12) * 1.6 * math.sqrt(2 * digits / stiff), limit)
    found: LineSpec | None = None
    least = fewest = math.inf
    for shift in np.unique(tried):
        growth = shift**2 * stiff / 2
        penalty = 0.0 if sketch.step.removes else _penalty(sketch, logs, lam, float(shift))
        eta = math.pi * shift / (digits + np.logaddexp(0, growth + penalty))
        kept = np.flatnonzero(logs > logs.max() - digits - max(growth / 4, margin) - penalty - 2)
        low, high = sketch.t[kept[0]], sketch.t[kept[-1]]
        if sketch.step.removes:
            low = min(low, -s)
            balance = ((1 + lam) / s2 + above / soft**2) / stiff if above < math.inf else 1 + lam
            high = max(high, balance + min(s, soft))
        else:
            for off in (float(shift), float(shift) / 2, tail):
                low, high = _falling(sketch, lam, off, low, high)
        nodes = (high - low) / eta
        cost = nodes * (_SLOWER if digits + growth / 4 > _TWOFOLD else 1)
        if cost < least:
            least, fewest = cost, nodes
            ends = math.floor(low / eta), math.ceil(high / eta)
            found = LineSpec(lam, float(eta), *ends, float(shift), 96, above, soft)
    if found is None or fewest > 20_000:
        raise LimitReached(f"a step's line would need {fewest:.0f} nodes")
    return found


def joined(lines: Iterable[LineSpec]) -> tuple[LineSpec, ...]:
    """The lines with the same nodes: the finest, where any of them has some."""
    found = tuple(lines)
    finest = min(found, key=lambda spec: spec.eta)
    first = math.floor(min(spec.first * spec.eta for spec in found) / finest.eta)
    last = math.ceil(max(spec.last * spec.eta for spec in found) / finest.eta)
    return tuple(
        replace(spec, eta=finest.eta, first=first, last=last, shift=finest.shift) for spec in found
    )


def _share(sketch: StepSketch, t: Array) -> Array:
    logit = math.log(sketch.q) - math.log1p(-sketch.q) + (t - 0.5) / sketch.s**2
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -700, 700))))


def _falling(
    sketch: StepSketch, lam: float, off: float, low: float, high: float
) -> tuple[float, float]:
    """Ends no nearer than these, where the add direction's integrand falls on a slanted line."""
    odds = np.exp(
        np.clip(math.log(sketch.q / (1 - sketch.q)) + (sketch.t - 0.5) / sketch.s**2, -700, 300)
    )
    cosine = math.cos(off / sketch.s**2)
    lean = sketch.t + lam * odds * (odds + cosine) / (1 + odds * (odds + 2 * cosine))
    low = min(low, float(sketch.t[lean < -sketch.s].max(initial=sketch.t[0])))
    high = max(high, float(sketch.t[lean > sketch.s].min(initial=sketch.t[-1])))
    return low, high


def _penalty(sketch: StepSketch, logs: Array, lam: float, shift: float) -> float:
    """log of how much the add direction's integrand grows on its slanted line."""
    share = _share(sketch, sketch.t)
    spread = np.log1p(-4 * share * (1 - share) * math.sin(shift / (2 * sketch.s**2)) ** 2)
    grown = logs - 0.5 * lam * spread
    return float(grown.max() - logs.max())
