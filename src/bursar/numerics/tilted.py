"""The tilted law of one step in balls: its mass M(λ), its mean, its central moments.

Under the tilt λ a loss Y has density proportional to e^{λy}; M(λ) = E e^{λY}.  Subsampled steps by
rigorous quadrature over the noise, steps with a closed form by its power series.
Proof: docs/proofs/edgeworth.md, section 3.  Legend as in `steps.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from flint import acb, acb_series, arb, ctx

from bursar.errors import LimitReached
from bursar.numerics.balls import ball, precision
from bursar.numerics.factors import Factor
from bursar.numerics.sketch import StepSketch
from bursar.numerics.steps import Step

_ORDERS = range(7)
_GOOD = 70  # bits of each moment, relative to its scale
_MOST_BITS = 1024
_FARTHEST = 2000  # steps of s that an end may lie from the middle


@final
@dataclass(frozen=True, slots=True)
class Tilted:
    """M(λ), the mean, and the central moments from the second to the sixth; the last from above.

    The means are those of the loss less `top`, as everywhere in a contour.
    """

    mass: arb
    mean: arb
    second: arb
    third: arb
    fourth: arb
    fifth: arb
    sixth: arb

    def cumulants(self) -> tuple[arb, arb, arb, arb, arb]:
        """From the first to the fifth."""
        fourth = self.fourth - 3 * self.second**2
        return (
            self.mean,
            self.second,
            self.third,
            fourth,
            self.fifth - 10 * self.second * self.third,
        )

    def modulus_squared(self, u: arb) -> arb:
        """Above |φ(u)|² of the tilted law, for this u."""
        return 1 - u**2 * self.second + u**4 * (self.fourth + 3 * self.second**2) / 12

    def trusted(self) -> arb:
        """Up to here `modulus_squared` falls."""
        return (6 * self.second / (self.fourth + 3 * self.second**2)).sqrt()


def of_step(sketch: StepSketch, lam: float) -> Tilted:
    """The tilted law of a subsampled step, sharp enough for as many as its sketch counts.

    Computes:  ∫ φ w^A (Y−c)^r for r = 0 … 6, c the mean in float64; then moments about the
               mean.
    Valid for: λ > 0; the ends are checked.
    Error:     Arb's quadrature, and both tails; all in the balls.
    Cost:      some milliseconds.
    Source:    Johansson 2018; docs/proofs/edgeworth.md, section 3.
    """
    log_mass, mean, variance = (float(part[0]) for part in sketch.moments(np.array([lam])))
    scale = math.sqrt(variance)
    bits = _GOOD + math.log2(sketch.count) + 6 * max(0.0, -math.log2(scale))
    bits = 32 * math.ceil((bits + 24) / 32)
    if bits > _MOST_BITS:
        raise LimitReached("a step's loss is too small for its moments")
    with precision(bits):
        ends = _ends(sketch, lam, bits * math.log(2))
        goal = arb(log_mass).exp() * arb(2) ** -(_GOOD + sketch.count.bit_length())
        rest = _left_out(sketch.step, lam, ends) * abs(arb(mean)).exp()
        raw = []
        for r in _ORDERS:
            tolerance = goal * arb(scale) ** r
            value = _integral(_integrand(sketch.step, lam, mean, r), ends, tolerance)
            raw.append(value + math.factorial(r) * rest * arb(0, 1))
        return _about_mean(raw[0], [one / raw[0] for one in raw[1:]], mean)


def of_factor(factor: Factor, lam: float, mean: float) -> Tilted:
    """The tilted law of a step with a closed form; `mean` is about its mean."""
    with precision(max(ctx.prec, 256)):
        tilt: Any = acb_series([acb(lam), acb(1)], 7)
        series: Any = factor.mgf(tilt)
        mass = series[0].real
        moved = series * acb_series([acb(0), acb(-mean)], 7).exp()
        raw = [moved[r].real * math.factorial(r) / mass for r in _ORDERS[1:]]
        return _about_mean(mass, raw, mean)


def _about_mean(mass: arb, raw: list[arb], centre: float) -> Tilted:
    """From moments about a point near the mean; the sixth by Minkowski's inequality."""
    first, second, third, fourth, fifth, sixth = raw
    return Tilted(
        mass,
        first + arb(centre),
        second - first**2,
        third - 3 * second * first + 2 * first**3,
        fourth - 4 * third * first + 6 * second * first**2 - 3 * first**4,
        fifth - 5 * fourth * first + 10 * third * first**2 - 10 * second * first**3 + 4 * first**5,
        (abs(sixth).upper().root(6) + abs(first)) ** 6,
    )


def _integrand(step: Step, lam: float, centre: float, r: int) -> Callable[[acb, bool], acb]:
    s2, a, c = ball(step.s) ** 2, step.exponent(arb(lam)), arb(centre)
    scale, sign = 1 / (2 * arb.pi() * s2).sqrt(), 1 if step.removes else -1

    def at(t: acb, analytic: bool) -> acb:
        log_w = _analytic_log_w(step, t) if analytic else step.log_w(step.exp_x(t))
        return scale * (a * log_w - t * t / (2 * s2)).exp() * (sign * log_w - c) ** r

    return at


def _analytic_log_w(step: Step, t: acb) -> acb:
    """L on a ball of noises, or nothing where that meets the logarithm's cut."""
    exp_x, q = step.exp_x(t), ball(step.q)
    w = 1 - q + q * exp_x if step.removes else 1 + step.odds() * exp_x
    return w.log(analytic=True)


def _integral(
    function: Callable[[acb, bool], acb], ends: tuple[float, float], tolerance: arb
) -> arb:
    never = arb(2) ** (-4 * ctx.prec)
    found = acb.integral(
        function, acb(ends[0]), acb(ends[1]), rel_tol=never, abs_tol=tolerance.mid()
    )
    if not found.is_finite():
        raise LimitReached("a moment of a step is beyond its quadrature")
    return found.real


def _ends(sketch: StepSketch, lam: float, nats: float) -> tuple[float, float]:
    """Where φ w^A (w + 1/w) has fallen so many nats below the top of φ w^A, and falls on."""
    s, a = sketch.s, 1 + lam if sketch.step.removes else -lam
    logs = sketch.tilted(lam)
    mode, floor = float(sketch.t[int(np.argmax(logs))]), float(logs.max()) - nats
    odds = math.log(sketch.q) - math.log1p(-sketch.q)
    less = math.log1p(-sketch.q) if sketch.step.removes else 0.0

    def low_enough(t: float) -> bool:
        log_odds = odds + (t - 0.5) / s**2
        log_w = less + float(np.logaddexp(0.0, log_odds))
        share = math.exp(log_odds - float(np.logaddexp(0.0, log_odds)))
        slope = max(a + 1, 0.0) - t if t > mode else t - min(a - 1, 0.0) * share
        return a * log_w + abs(log_w) - t * t / (2 * s * s) < floor and slope < -0.5 * s

    def walked(stride: float) -> float:
        at = mode + stride
        for _ in range(_FARTHEST):
            if low_enough(at):
                break
            at += stride
        return at

    return walked(-s), walked(s)


def _left_out(step: Step, lam: float, ends: tuple[float, float]) -> arb:
    """Above ∫ φ w^A (w + 1/w) outside of the ends."""
    s2, total = ball(step.s) ** 2, arb(0)
    left, right = arb(ends[0]), arb(ends[1])
    for change in (-1, 1):
        a = step.exponent(arb(lam)) + change
        down = (right - a.max(arb(0))) / s2
        up = (a.min(arb(0)) * step.share(left) - left) / s2
        if not (down > 0 and up > 0):
            raise LimitReached("a step's loss does not fall where its quadrature ends")
        total += _height(step, a, right) / down + _height(step, a, left) / up
    return total


def _height(step: Step, a: arb, t: arb) -> arb:
    """φ w^a."""
    s2 = ball(step.s) ** 2
    log_w = step.log_w(step.exp_x(acb(t))).real
    return (a * log_w - t * t / (2 * s2)).exp() / (2 * arb.pi() * s2).sqrt()
