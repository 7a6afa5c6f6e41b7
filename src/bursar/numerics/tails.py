"""How fast |M(λ+iu)| falls: a bound for every u ≥ U, from one shifted line.

With Im t = a the modulus is at most e^{a²/2s²} ∫ φ |w(t+ia)^A| e^{−u arg w(t+ia)} dt, which does
not increase in u.  Relative to M(λ) it is one minus a gain, and the gain is bounded below over
cells, so that the ratio stays sharp when it is raised to the power of many steps.
Proof: docs/proofs/contour.md, section 4.
"""

from __future__ import annotations

import math

from flint import acb, arb

from bursar.errors import InternalError
from bursar.numerics.balls import ball, upper_of
from bursar.numerics.lines import (
    LineSpec,
    kept,
    log_slope,
    slanted_mass,
    stiffness,
    taken,
    tilted_density,
    truncated_tails,
    truncation,
)
from bursar.numerics.steps import Step

_LITTLE = 0.5  # below this rest, one minus a gain has lost its digits


def decay(step: Step, spec: LineSpec, mass: arb, u: arb, shift: float) -> arb:
    """Above |M(λ+iv)|/M(λ) for every v ≥ u.

    Computes:  e^{a²/2s²} (1 − gain), a = `shift`, or 1 where that is less; where little is left,
               also a sum of what is left, which keeps its digits there.
    Valid for: 0 < a < πs² (remove), a ≤ πs²/2 (add); `mass` a ball for M(λ).
    Error:     none: each cell's part is rounded to the safe side.
    Cost:      a complex logarithm a cell.
    Source:    docs/proofs/contour.md, section 4.
    """
    if not (
        0 < arb(shift) < arb.pi() * ball(step.s) ** 2 * (1 if step.removes else arb(0.5)) and u >= 0
    ):
        raise InternalError("a tail's shift is outside its lemma")
    part = _removed if step.removes else _added
    growth = (arb(shift) ** 2 * stiffness(step, spec) / 2).exp()
    rest = 1 - part(step, spec, mass, u, arb(shift))
    ratio = growth * rest
    if rest < _LITTLE:
        ratio = ratio.min(_left(step, spec, u, arb(shift)) / mass)
    return ratio.min(arb(1))


def _left(step: Step, spec: LineSpec, u: arb, shift: arb) -> arb:
    """Above e^{a²γ/2} ∫ φ |w(t+ia)^A| e^{−u arg w}: every cell's part is rounded up."""
    if not step.removes:
        return slanted_mass(step, spec, shift, u=u, cells=spec.cells)
    growth = (shift**2 * stiffness(step, spec) / 2).exp()
    ends = arb(spec.eta) * spec.first, arb(spec.eta) * spec.last
    return growth * (_swept(step, spec, None, ends, u, shift) + truncation(step, spec))


def _swept(
    step: Step, upper: LineSpec, lower: LineSpec | None, ends: tuple[arb, arb], u: arb, shift: arb
) -> arb:
    """Above ∫ φ w^A kept(T) (1 − kept(T′)) e^{−u arg w} between two ends.  Remove only.

    Log w is convex: on a cell φ w^A is under a parabola through its chord, whose top is bounded.
    """
    s2, a, scale = ball(step.s) ** 2, step.exponent(arb(upper.lam)), _height(step)
    left, right = ends
    gap = (right - left) / upper.cells
    if not gap > 0:
        raise InternalError("a slice ends below its threshold")
    edge, flat, grow = step.exp_x(acb(left, shift)), step.exp_x(acb(left)), (gap / s2).exp()
    log_left, stays, total = step.log_w(flat).real, kept(upper, acb(left)).real, arb(0)
    for j in range(upper.cells):
        low, high = left + j * gap, left + (j + 1) * gap
        flat *= grow
        log_right = step.log_w(flat).real
        lean = a * (log_right - log_left) / gap
        peak = (lean * s2).max(low).min(high)
        height = (a * log_left + lean * (peak - low) - peak**2 / (2 * s2)).exp()
        goes = taken(lower, high) if lower else arb(1)
        total += height * goes * stays * (-u * step.log_w(edge).imag).exp()
        edge, log_left, stays = edge * grow, log_right, kept(upper, acb(high)).real
    return total * gap * scale


def _height(step: Step) -> arb:
    """φ(0)."""
    return 1 / (ball(step.s) * (2 * arb.pi()).sqrt())


def _removed(step: Step, spec: LineSpec, mass: arb, u: arb, shift: arb) -> arb:
    """Below E[1 − e^{−u arg w}] under the tilted law: log w is convex (Jensen) in each cell."""
    s2, a = ball(step.s) ** 2, step.exponent(arb(spec.lam))
    left = arb(spec.eta) * spec.first
    half = arb(spec.eta) * (spec.last - spec.first) / (2 * spec.cells)
    gap = 2 * half
    shrink = gap * _height(step) * (-(half**2) / (6 * s2)).exp() / mass
    edge, middle = step.exp_x(acb(left, shift)), step.exp_x(acb(left + half))
    grow = (gap / s2).exp()
    gain = arb(0)
    for j in range(spec.cells):
        t = left + (2 * j + 1) * half
        density = (a * step.log_w(middle).real - t * t / (2 * s2)).exp()
        if spec.cut:
            density *= kept(spec, acb(t + half)).real
        gain += density * -(-u * step.log_w(edge).imag).expm1()
        edge, middle = edge * grow, middle * grow
    return gain * shrink


def burst(step: Step, upper: LineSpec, lower: LineSpec, mass: arb, u: arb, shift: float) -> arb:
    """Above |M(λ+iv)| of the law between two thresholds, for every v ≥ u.  Remove only.

    Computes:  e^{a²γ/2} times cell suprema of φ w^A kept(T) (1 − kept(T′)) e^{−u arg w}; what is
               left of the cells is below `mass`, M(λ) of the law under T, times 1 − kept(T′).
    Valid for: 0 < a < πs², both lines at one tilt.
    Error:     none: each cell's part is rounded up.
    Cost:      a complex logarithm and two error functions a cell.
    Source:    docs/proofs/contour.md, section 5.
    """
    in_strip = 0 < arb(shift) < arb.pi() * ball(step.s) ** 2
    ordered = lower.cut and lower.above < upper.above and upper.soft in (lower.soft, math.inf)
    if not (step.removes and in_strip and u >= 0 and ordered and upper.lam == lower.lam):
        raise InternalError("a tail's shift or thresholds are outside its lemma")
    high = arb(upper.eta) * upper.last
    start = (arb(lower.above) - 20 * arb(lower.soft)).min(high)
    bend = (arb(lower.above) + 4 * arb(lower.soft)).min(high)
    angle, total = arb(shift), mass * taken(lower, start) + truncation(step, upper)
    for ends in ((start, bend), (bend, high)):
        if not ends[1] <= ends[0]:
            total += _swept(step, upper, lower, ends, u, angle)
    return (angle**2 * stiffness(step, lower) / 2).exp() * total


def _added(step: Step, spec: LineSpec, mass: arb, u: arb, shift: arb) -> arb:
    """Below 1 − E[|w(t+ia)/w|^{−λ} e^{−u arg w}]: the tilted density is log-concave here."""
    s2, lam = ball(step.s) ** 2, arb(spec.lam)
    left = arb(spec.eta) * spec.first
    half = arb(spec.eta) * (spec.last - spec.first) / (2 * spec.cells)
    scale = _height(step)
    right = left + 2 * spec.cells * half
    loss = truncated_tails(step, spec.lam, left, right, shift, u=u)
    loss *= (-(shift**2) / (2 * s2)).exp()  # the Gaussian's growth is counted by the caller
    bend = 2 * (shift / (2 * s2)).sin() ** 2
    jensen = (-(half**2) / (6 * s2)).exp()
    gain = arb(0)
    share, log_w = step.share(left), step.log_w(step.exp_x(acb(left))).real
    for j in range(spec.cells):
        end, t = left + 2 * (j + 1) * half, left + (2 * j + 1) * half
        share_end, log_end = step.share(end), step.log_w(step.exp_x(acb(end))).real
        spread = _most_spread(share, share_end)
        turn = step.log_w(step.exp_x(acb(end - 2 * half, shift))).imag
        factor = (-(lam / 2) * (-2 * bend * spread).log1p() - u * turn).expm1()
        if factor < 0:
            low = 2 * half * scale * jensen * (-(lam * (log_w + log_end) + t * t / s2) / 2).exp()
            gain -= low * factor
        else:
            lean = log_slope(step, spec.lam, t, arb(0)) * half
            high = 2 * half * tilted_density(step, spec.lam, t, arb(0)) * (lean**2 / 6).exp()
            loss += high * upper_of(factor).max(arb(0))
        share, log_w = share_end, log_end
    return (gain - loss) / mass


def _most_spread(low: arb, high: arb) -> arb:
    """Above p(1−p) on a cell where p runs from `low` to `high`."""
    if high < 0.5:
        return high * (1 - high)
    if low > 0.5:
        return low * (1 - low)
    return arb(0.25)
