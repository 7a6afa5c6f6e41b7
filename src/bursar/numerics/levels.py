"""Rare jumps, proposed in float64: at which losses to cut a law, and a contour for each slice.

Where a step is usually dull and rarely loud, one contour would need millions of nodes: the many
dull steps are nearly an atom.  Soft thresholds ∞ > y₁ > … > y_J on the loss of a step telescope
δ into slices, δ = Σ δⱼ + body; slice j composes what stays below yⱼ, less what stays below
yⱼ₊₁, so the near-atom cancels inside it.  Proof: docs/proofs/contour.md, section 5.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import final

import numpy as np

from bursar.errors import LimitReached
from bursar.numerics.lines import LineSpec
from bursar.numerics.propose import Outer, Shape, joined, line, shape_bits, tilts
from bursar.numerics.sketch import Array, Cumulant, StepSketch

_EASY = 1500  # nodes of a slice that needs no more cutting
_LAST = 12_000  # of the last one
_MOST_NODES = 60_000  # of the last contour
_MOST_LEVELS = 14
_SOFT = 0.25  # of s²
_FIRM = 0.15
_HARD = 0.12  # leaks less where small losses have large tilts, for longer contours
_SIDE = 4.0  # nats of an alias's bound
_LOSS = 4.0  # nats of cancellation, beyond the least
_BLUNT = 27.0  # nats, where no contours are short enough for more
_SLANTS = np.geomspace(3e-3, 1.0, 16)


@final
@dataclass(slots=True)
class Slice:
    """The law between two thresholds, sketched: its cumulant, and how it falls."""

    found: Cumulant
    above: float  # thresholds on the loss of a step
    below: float
    reach: float  # the largest tilt that the grids hold
    soft: float  # of the thresholds, in s²
    log_keeps: list[Array] = field(init=False)
    shares: list[Array] = field(init=False)  # of what is kept above, what the cut below takes

    def __post_init__(self) -> None:
        self.log_keeps, self.shares = [], []
        for step in self.found.steps:
            keep, go, log_keep = _sides(step, self.above, self.soft)
            self.log_keeps.append(log_keep)
            if self.below == -math.inf:
                self.shares.append(np.ones_like(keep))
                continue
            stay, jump, _ = _sides(step, self.below, self.soft)
            between = np.where(jump < 0.5, jump - go, keep - stay)
            self.shares.append(np.where(keep > 1e-280, between / np.maximum(keep, 1e-280), 1.0))

    def logs(self, lam: Array) -> tuple[Array, Array]:
        """log of the slice's mass at each tilt, and log of Π M^k of the law cut above."""
        whole, change = self.found.plain(lam), np.zeros_like(lam)
        for step, keep, share in zip(self.found.steps, self.log_keeps, self.shares, strict=True):
            logs = (1 + lam)[:, None] * step.log_w + step.log_phi + keep
            top = logs.max(axis=1)
            mass = np.exp(logs - top[:, None])
            full, part = mass.sum(axis=1), mass @ share
            whole = whole + step.count * (top + np.log(full))
            change = change + step.count * np.log1p(-np.minimum(part / full, 1 - 1e-16))
        if self.below == -math.inf:
            return whole, whole
        with np.errstate(divide="ignore"):
            return whole + np.log(-np.expm1(change)), whole

    def outer(self, lam: float, digits: float, margin: float = 0.0) -> Outer:
        """The lines of this slice at a tilt, each with an error below e^-digits."""

        def shared(step: StepSketch) -> tuple[LineSpec, ...]:
            more = digits + math.log(step.count)
            cuts = (y for y in (self.above, self.below) if y > -math.inf)
            return joined(
                line(
                    step,
                    lam,
                    more,
                    above=threshold(step, y),
                    soft=softness(step, self.soft),
                    margin=margin,
                )
                for y in cuts
            )

        over, *under = zip(*map(shared, self.found.steps), strict=True)
        return Outer(lam, over, *under)

    def best_tilt(self, location: float) -> float:
        """Where the integrand on the real axis is least."""
        low, high = 1e-3, min(self.reach, 1e7)
        for _ in range(3):  # the logarithm of the height is convex
            lam = np.geomspace(low, high, 14)
            height = self.logs(lam)[0] - lam * location - np.log(lam * (1 + lam))
            at = int(np.argmin(height))
            low, high = float(lam[max(at - 1, 0)]), float(lam[min(at + 1, len(lam) - 1)])
        return float(lam[at])


def _sides(step: StepSketch, y: float, soft: float) -> tuple[Array, Array, Array]:
    """What a threshold on the loss keeps and takes away on a step's grid, and log of the first."""
    if y == math.inf:
        return np.ones_like(step.t), np.zeros_like(step.t), np.zeros_like(step.t)
    z = (step.t - threshold(step, y)) / (softness(step, soft) * math.sqrt(2))
    near = abs(z) < 27
    keep, go = np.where(z > 0, 0.0, 1.0), np.where(z > 0, 1.0, 0.0)
    keep[near], go[near] = (
        np.array([math.erfc(x) / 2 for x in side[near].tolist()]) for side in (z, -z)
    )
    far = np.maximum(z, 5.0)
    log_keep = np.where(
        z > 25, -(far**2) - np.log(2 * math.sqrt(math.pi) * far), np.log(keep + 1e-290)
    )
    return keep, go, log_keep


def softness(step: StepSketch, soft: float) -> float:
    """h: the width of a threshold in t."""
    return min(soft * step.s**2, 0.35 * step.s)


def _leak(step: StepSketch, y: float, soft: float) -> float:
    """The largest tilt at which what leaks over a soft threshold stays on the grid."""
    s2, h2 = step.s**2, softness(step, soft) ** 2
    return s2 * ((float(step.t[-1]) - step.s) * (1 / s2 + 1 / h2) - threshold(step, y) / h2) - 1


def threshold(step: StepSketch, y: float) -> float:
    """The t at which the loss is y."""
    if abs(y) == math.inf:
        return y
    return 0.5 + step.s**2 * math.log((math.expm1(y) + step.q) / step.q)


def one_jump(found: Cumulant, log_delta: float) -> float:
    """The ε at which the steps' own δ add up to a δ: where jumps are rare, the composed ε is near.

    A step's δ has a closed form: docs/proofs/contour.md, section 7.
    """

    def log_sum(epsilon: float) -> float:
        total = 0.0
        for step in found.steps:
            level = math.expm1(epsilon) + step.q
            t = 0.5 + step.s**2 * math.log(level / step.q)
            over, under = (math.erfc(x / step.s / math.sqrt(2)) / 2 for x in (t - 1, t))
            total += step.count * max(step.q * over - level * under, 0.0)
        return math.log(total) if total > 0 else -math.inf

    low, high = -40.0, math.log(500.0)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if log_sum(math.exp(middle)) > log_delta else (low, middle)
    return math.exp(high) if found.steps else 0.0


@np.errstate(all="ignore")  # what overflows is not chosen
def propose_levels(
    found: Cumulant,
    location: float,
    log_delta: float,
    tolerance: float,
    plain: Shape | None,
    *,
    quick: bool = False,
) -> tuple[list[Shape], Outer | None]:
    """Slices for δ at `location`, from the top down, and the body where it is left out.

    Or the contour of the whole law, if there is one, where slices are not at once as sharp;
    where it is to be quick, blunter slices are tried first.
    """
    if not quick:
        with suppress(LimitReached):
            return _levels(found, location, log_delta, tolerance, _SOFT, _LAST)
    if plain is not None and plain.n <= _MOST_NODES:
        return [plain], None
    blunt = min(tolerance, _BLUNT)
    sharp, firm = (_HARD, tolerance, _LAST), (_FIRM, blunt, _MOST_NODES)
    order = (firm, sharp) if quick else (sharp, firm)
    for soft, nats, most in (*order, (_HARD, blunt, _MOST_NODES)):
        with suppress(LimitReached):
            return _levels(found, location, log_delta, nats, soft, most)
    if plain is not None:
        return [plain], None
    raise LimitReached("no slice of the law is easy enough")


def _levels(
    found: Cumulant,
    location: float,
    log_delta: float,
    tolerance: float,
    soft: float,
    most: int,
) -> tuple[list[Shape], Outer | None]:
    """The slices whose thresholds have one softness; the last may have `most` nodes."""
    found = found.apart()
    for step in found.steps:
        step.refine(softness(step, soft) / 1.6)
        step.widen(_farthest(found, location, log_delta))
    reach = min(step.freeze() for step in found.steps)
    shapes: list[Shape] = []
    above, top = math.inf, math.inf
    while len(shapes) < _MOST_LEVELS:
        limit = (
            reach if above == math.inf else min(_leak(step, above, soft) for step in found.steps)
        )
        rest = Slice(found, above, -math.inf, limit, soft)
        if shapes:
            body = _body(rest, location, log_delta - tolerance)
            if body is not None:
                return shapes, body
        plain = _attempt(rest, location, log_delta, tolerance, most)
        if plain is not None and plain.n <= _LAST:
            return [*shapes, plain], None
        top = above if above < math.inf else _top(found)
        chosen = _choose(rest, top, location, log_delta, tolerance)
        if chosen is None and plain is not None:
            return [*shapes, plain], None
        if chosen is None:
            raise LimitReached("no slice of the law is easy enough")
        above, shape = chosen
        shapes.append(shape)
    raise LimitReached(f"the law would need more than {_MOST_LEVELS} slices")


def _farthest(found: Cumulant, location: float, log_delta: float) -> float:
    """A tilt beyond any that the slices will ask for."""
    lam, last = 2.0, 0.0
    while lam < 2000:
        height = float(found.at(np.array([lam]))[0][0]) - lam * location
        if height > max(last, log_delta + 60 + 0.2 * abs(log_delta)):
            break
        lam, last = 1.3 * lam, height
    return 2.5 * lam


def _top(found: Cumulant) -> float:
    return max(1.0, min(11.0, max(1 / float(step.s) ** 2 for step in found.steps)))


def _choose(
    rest: Slice, top: float, location: float, log_delta: float, tolerance: float
) -> tuple[float, Shape] | None:
    """The lowest threshold whose slice is still easy, by bisection on its logarithm."""
    high = 0.0 if rest.above == math.inf else math.log(0.75)
    low = -7.0
    best: tuple[float, Shape] | None = None
    for part in (*(0.5**j for j in range(1, 7)), 0.0):
        middle = high + (low - high) * part if best is None else (low + high) / 2
        piece = Slice(rest.found, rest.above, top * math.exp(middle), rest.reach, rest.soft)
        shape = _attempt(piece, location, log_delta, tolerance, _EASY)
        if shape is None:
            if best is None:
                continue
            low = middle
            continue
        best, high = (top * math.exp(middle), shape), middle
        if shape.n > 0.5 * _EASY or high - low < 0.2:
            break
    return best


def _attempt(
    piece: Slice, location: float, log_delta: float, tolerance: float, most: int
) -> Shape | None:
    """A contour for one slice, or None where it would have more nodes than `most`."""
    lam = piece.best_tilt(location)
    step = 0.03 * lam + 1e-6
    near = piece.logs(np.array([lam - step, lam, lam + step]))[0]
    bend = max((near[0] + near[2] - 2 * near[1]) / step**2, 1e-6)
    try:
        centre, window, right, left = tilts(
            lambda x: piece.logs(x)[0],
            lam,
            math.sqrt(bend),
            location,
            log_delta - tolerance,
            mass=None if piece.below == -math.inf else float(piece.logs(np.array([0.0]))[0][0]),
            reach=piece.reach,
            spare=_LOSS,
        )
    except LimitReached:
        return None
    part, whole = (float(x[0]) for x in piece.logs(np.array([centre])))
    loss = part - centre * location - math.log(centre * (1 + centre)) - log_delta
    if loss > 24:
        return None
    need = -tolerance - loss - math.log(centre * (1 + centre))
    found = _length(piece, centre, need + part - whole)
    if found is None:
        return None
    length, shifts, grown = found
    tau = 2 * math.pi / window
    n = math.ceil(length / tau) + 2
    if n > most:
        return None
    digits = tolerance + max(loss, 0.0) + 3 + (whole - part)

    def side(at: float) -> Outer:
        return piece.outer(at, _SIDE)

    keep_left = left > 0 or piece.below > -math.inf
    try:
        main = piece.outer(centre, digits, grown)
        sides = side(right), side(left) if keep_left else None
    except LimitReached:
        return None
    bits = shape_bits(piece.found.steps, (*main.lines, *main.under), digits)
    return Shape(centre, tau, n, loss, bits, main.lines, main.under, shifts, *sides)


def _length(
    piece: Slice, lam: float, ceiling: float
) -> tuple[float, tuple[float, ...], float] | None:
    """U beyond which the slice's integrand is below e^{ceiling} πU, relative to Π M^k."""
    falls = [
        _Fall(step, keep, share, lam, piece.below > -math.inf, piece.soft)
        for step, keep, share in zip(piece.found.steps, piece.log_keeps, piece.shares, strict=True)
    ]

    def excess(u: float) -> float:
        logs = [fall.best(u)[0] for fall in falls]
        if piece.below > -math.inf:
            total = float(
                np.logaddexp.reduce(
                    [math.log(f.count) + x for f, x in zip(falls, logs, strict=True)]
                )
            )
        else:
            total = sum(f.count * min(x, 0.0) for f, x in zip(falls, logs, strict=True))
        return total + piece.found.log_fall(lam, u) - ceiling - math.log(math.pi * u)

    low = high = 4.0
    while excess(high) > 0:
        low, high = high, 2 * high
        if high > 1e9:
            return None
    for _ in range(6):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    length = 1.07 * high
    shifts = [fall.best(length)[1] for fall in falls]
    grown = max(
        fall.growth[int(np.argmin(abs(fall.shifts - a)))]
        for fall, a in zip(falls, shifts, strict=True)
    )
    return length, tuple(shifts), float(grown)


class _Fall:
    """How a step's part of a slice falls, relative to M(λ) of the law cut above."""

    def __init__(
        self, step: StepSketch, keep: Array, share: Array, lam: float, split: bool, soft: float
    ) -> None:
        logs = step.tilted(lam) + keep
        mass = np.exp(logs - logs.max())
        part = mass * share
        live = part > 1e-80 * part.max()
        self.count, self.split, self.mass = step.count, split, part[live] / mass.sum()
        self.shifts = min(0.97 * math.pi * step.s**2, 9 * step.s) * _SLANTS
        stiff = 1 / step.s**2 + (1 / softness(step, soft) ** 2 if split or keep[-1] < 0 else 0.0)
        self.growth = self.shifts**2 * stiff / 2
        logit = math.log(step.q) - math.log1p(-step.q) + (step.t[live] - 0.5) / step.s**2
        p = 1 / (1 + np.exp(-np.clip(logit, -700, 700)))
        angle = (self.shifts / step.s**2)[:, None]
        self.turn = np.arctan2(p * np.sin(angle), 1 - p + p * np.cos(angle))

    def best(self, u: float) -> tuple[float, float]:
        """The least log bound over the shifts, and its shift."""
        if self.split:
            logs = self.growth + np.log(np.exp(-u * self.turn) @ self.mass + 1e-300)
        else:
            logs = self.growth + np.log1p(
                np.maximum(np.expm1(-u * self.turn) @ self.mass, -1 + 1e-15)
            )
        at = int(np.argmin(logs))
        return float(logs[at]), float(self.shifts[at])


def _body(rest: Slice, location: float, target: float) -> Outer | None:
    """The Chernoff bound of what is left, where that is below the target."""
    lam = np.geomspace(0.05, min(0.9 * rest.reach, 1e7), 120)
    height = rest.logs(lam)[0] - lam * location + lam * np.log(lam) - (1 + lam) * np.log1p(lam)
    at = int(np.argmin(height))
    return rest.outer(float(lam[at]), 8.0) if height[at] <= target else None
