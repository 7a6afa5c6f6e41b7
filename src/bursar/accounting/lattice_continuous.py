"""Continuous losses in closed form: normal laws, mixtures of them, and Laplace noise.

Legend: σ is the noise, t an output, w(t) the ratio of the densities; Y > y beyond a crossing t(y).
docs/proofs/lattice.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from bursar.accounting.lattice_losses import Both, Losses, Lump, Lumps, Smooth
from bursar.adjacency import Direction
from bursar.exact import Exact
from bursar.numerics.balls import ball, normal_tail
from bursar.privacy.pairs import MixturePair

_ALL, _NONE = (arb(1), arb(1)), (arb(0), arb(0))
_GOOD = 90  # bits of a crossing
_MOST = 400  # steps towards one


def gaussian(mu: arb) -> Losses:
    """Y is N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q."""

    def above(y: arb) -> Both:
        return normal_tail(y / mu - mu / 2), normal_tail(y / mu + mu / 2)

    return Losses.of(Smooth(above, _ALL))


def subsampled(s: arb, q: arb, *, removes: bool) -> Losses:
    """t(y) = ½ + σ² log((e^{±y} − 1 + q)/q)."""
    end, outside = (-q).log1p(), _ALL if removes else _NONE

    def above(y: arb) -> Both:
        rest = (y if removes else -y).expm1() + q
        if rest <= 0:
            return outside
        if not rest > 0:  # y is too near the end to tell
            return _either(outside, beyond(rest.upper()))
        return beyond(rest)

    def beyond(rest: arb) -> Both:
        t = arb(0.5) + s**2 * (rest / q).log()
        if removes:
            out, into = normal_tail(t / s), normal_tail((t - 1) / s)
            return (1 - q) * out + q * into, out
        out, into = normal_tail(-t / s), normal_tail((1 - t) / s)
        return out, (1 - q) * out + q * into

    return Losses.of(Smooth(above, _ALL, low=end) if removes else Smooth(above, _ALL, high=-end))


def laplace(scale: Exact) -> Losses:
    """Beyond both centres the loss is ±1/b; between them Y > y where t > (by + 1)/2."""
    r, half = 1 / ball(scale), arb(0.5)
    rare = half * (-r).exp()

    def above(y: arb) -> Both:
        y = y.max(-r).min(r)
        return half - half * ((y - r) / 2).exp(), half * (-(y + r) / 2).exp() - rare

    whole = half - rare, half - rare
    ends = Lump.at(1 / scale, half, rare), Lump.at(-1 / scale, rare, half)
    return Losses.of(Smooth(above, whole, -r, r), Lumps(ends), 1 / scale)


def mixture(pair: MixturePair) -> Losses:
    """Σ wᵢN(sᵢ, σ²) against N(0, σ²): log w rises with t, since no sᵢ is below 0."""
    s = ball(pair.noise_multiplier)
    parts = [(ball(w), ball(a)) for w, a in zip(pair.weights, pair.shifts, strict=True) if w]
    removes = pair.direction is Direction.REMOVE
    still = sum((w for w, a in parts if a == 0), arb(0))
    end = still.log() if still > 0 else None
    outside = _ALL if removes else _NONE

    def ratio(t: arb) -> Both:
        """log w at t, and its slope."""
        terms = [(w * ((2 * t * a - a * a) / (2 * s * s)).exp(), a) for w, a in parts]
        whole = sum((term for term, _ in terms), arb(0))
        return whole.log(), sum((term * a for term, a in terms), arb(0)) / (s * s * whole)

    def above(y: arb) -> Both:
        at = y if removes else -y
        if end is not None and at <= end:
            return outside
        if end is not None and not at > end:  # y is too near the end to tell
            return _either(outside, beyond((at - end).upper() + end.upper()))
        return beyond(at)

    def beyond(at: arb) -> Both:
        t = crossing(ratio, at)
        sign = 1 if removes else -1
        out = normal_tail(sign * t / s)
        mixed = sum((w * normal_tail(sign * (t - a) / s) for w, a in parts), arb(0))
        return (mixed, out) if removes else (out, mixed)

    if end is None:
        return Losses.of(Smooth(above, _ALL))
    return Losses.of(Smooth(above, _ALL, low=end) if removes else Smooth(above, _ALL, high=-end))


def _either(one: Both, other: Both) -> Both:
    return one[0].union(other[0]), one[1].union(other[1])


def crossing(function: Callable[[arb], Both], y: arb) -> arb:
    """Where a rising function, which comes with its slope, is y: Newton in balls, or bisection.

    Invariant: the function is below y at low and above it at high, both certain.
    """
    low, high = arb(-1), arb(1)
    for _ in range(_MOST):
        if function(low)[0] < y:
            break
        low *= 2
    for _ in range(_MOST):
        if function(high)[0] > y:
            break
        high *= 2
    for _ in range(_MOST):
        wide = low.union(high)
        middle = wide.mid()
        value, slope = function(middle)
        tangent = function(wide)[1]
        near = _meet(middle - (value - y) / tangent, low, high) if tangent > 0 else None
        if near is not None and 4 * (near[1] - near[0]) < high - low:
            low, high = near
        else:
            low, high = _around(function, middle, (value - y) / slope, low, high, y)
        if high - low <= (1 + abs(middle)) * arb(2) ** -_GOOD:
            break
    return low.union(high)


def _meet(near: arb, low: arb, high: arb) -> tuple[arb, arb] | None:
    if not near.is_finite():
        return None
    return near.lower().max(low), near.upper().min(high)


def _around(
    function: Callable[[arb], Both], middle: arb, step: arb, low: arb, high: arb, y: arb
) -> tuple[arb, arb]:
    """A narrower bracket: near the root that Newton proposes, and at the middle."""
    guess = middle - step
    wide = abs(step) / 16 + (high - low) / 2**20
    for point in (middle, guess - wide, guess + wide):
        at = point.mid()
        if not (at.is_finite() and low < at < high):
            continue
        value = function(at)[0]
        if value < y:
            low = low.max(at)
        elif value > y:
            high = high.min(at)
    return low, high
