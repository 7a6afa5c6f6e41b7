"""The shifted t-line: M(z) of one step at z = λ + inτ, all n at once, with a proved error.

The integrand φ w^A is analytic for |Im t| < πs².  On the line Im t = ±α/2 (+ for remove, − for
add) the factor w^{iu} decays with u, so one set of nodes serves every u ≥ 0, and the trapezoid
error is bounded by the integrals over Im t = 0 and Im t = ±α, uniformly in u.  In the remove
direction the law may be cut softly: kept(T) = Φ((T−t)/h) takes away what lies above a threshold T.
Proofs: docs/proofs/contour.md, sections 2, 3 and 5.  Legend as in `steps.py`; `shift` is α, `soft`
is h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from flint import acb, acb_mat, arb, ctx

from bursar.errors import InternalError
from bursar.numerics.balls import ball, upper_of
from bursar.numerics.steps import Step
from bursar.numerics.twofold import sums

_MANY = 64  # sums, for which twofold doubles are worth their making
_SPARE = 4.0  # nats by which sums may be blunter than their line
_CHEAP = 1e-20  # relative: an error that takes no time
_LAST_SPARE = 11.0  # before they are made at the working precision instead
_SLANTED_CELLS = 40  # each under a tangent, so few are enough


@final
@dataclass(frozen=True, slots=True)
class LineSpec:
    """A line as float64 proposes it; any values give a true bound, good ones a tight one."""

    lam: float
    eta: float
    first: int
    last: int
    shift: float
    cells: int
    above: float = math.inf  # the law is cut above this threshold
    soft: float = math.inf

    @property
    def cut(self) -> bool:
        """Whether a threshold is set."""
        return self.above < math.inf


def line_values(step: Step, spec: LineSpec, tau: float, n: int) -> list[acb]:
    """Balls for M(λ + ijτ), j = 0..n−1, of the law below the line's threshold.

    Computes:  the trapezoid sum over the line's nodes, by small and by large steps.
    Valid for: u ≥ 0; 0 < α < πs² (remove), α ≤ πs²/2 (add).
    Error:     strip, truncation and rounding, all in the balls' radii.
    Cost:      n x nodes multiplications in one matrix product.
    Source:    docs/proofs/contour.md, sections 2, 3, 5 and 9.
    """
    check(step, spec)
    weights, ratios = _nodes(step, spec, tau, n)
    (values,) = _summed([_below(spec, weights, _keeps(spec))], ratios, n, _fineness(step, spec))
    return _enclosed(values, line_error(step, spec, values[0].real))


def slice_values(
    step: Step, upper: LineSpec, lower: LineSpec, tau: float, n: int
) -> tuple[list[acb], list[acb]]:
    """Balls for M of the law below the upper threshold, and for what lies above the lower one.

    On shared nodes the second is a sum of its own, with an error of its own size.
    """
    if _places(upper) != _places(lower):
        values, rest = (line_values(step, spec, tau, n) for spec in (upper, lower))
        return values, [x - y for x, y in zip(values, rest, strict=True)]
    check(step, upper)
    check(step, lower)
    weights, ratios = _nodes(step, upper, tau, n)
    over, under = _keeps(upper), _keeps(lower)
    both = [_below(upper, weights, over), _between(lower, weights, over, under)]
    whole, part = (sum((abs(w).upper() for w in row), arb(0)) for row in both)
    error = _fineness(step, lower) * float((whole / part).upper())
    values, gaps = _summed(both, ratios, n, error)
    off = line_error(step, upper, values[0].real)
    return _enclosed(values, off), _enclosed(gaps, gap_error(step, upper, lower, gaps[0].real))


def _places(spec: LineSpec) -> tuple[float, float, int, int, float]:
    return spec.lam, spec.eta, spec.first, spec.last, spec.shift


def _enclosed(values: list[acb], error: arb) -> list[acb]:
    radius = upper_of(error)
    slack = acb(arb(0, radius), arb(0, radius))
    return [acb(values[0].real + arb(0, radius))] + [value + slack for value in values[1:]]


def _summed(rows: list[list[acb]], ratios: list[acb], n: int, error: float) -> list[list[acb]]:
    """Σᵣ weightᵣ ratioᵣʲ for each row: in twofold doubles, where these are sharp enough."""
    found = None
    if n >= _MANY and error < 1:
        wanted = min(error * math.exp(_SPARE), _CHEAP)
        found = sums(rows, ratios, n, wanted, error * math.exp(_LAST_SPARE))
    return found or [_sums(row, ratios, n) for row in rows]


def _sums(weights: list[acb], ratios: list[acb], n: int) -> list[acb]:
    """Balls for Σᵣ weightᵣ ratioᵣʲ, j = 0 … n−1, at the working precision."""
    if n == 1:
        return [sum(weights, acb(0))]
    baby = math.isqrt(n - 1) + 1
    giant = (n + baby - 1) // baby
    babies = [powers(ratio, baby + 1) for ratio in ratios]
    strides = [powers(line.pop(), giant) for line in babies]
    moved = [[w * p for p in line] for w, line in zip(weights, strides, strict=True)]
    rows = [entry for row in zip(*moved, strict=True) for entry in row]
    flat = [entry for line in babies for entry in line]
    found = acb_mat(giant, len(ratios), rows) * acb_mat(len(ratios), baby, flat)
    return found.entries()[:n]


def _fineness(step: Step, spec: LineSpec) -> float:
    """What the line's own error is, about, over the sum of its weights' moduli."""
    stiff = 1 / float(step.s) ** 2 + 1 / spec.soft**2
    return math.exp(-math.pi * spec.shift / spec.eta + 0.375 * spec.shift**2 * stiff)


def check(step: Step, spec: LineSpec) -> None:
    """Every hypothesis of the line's lemmas that is about its parameters."""
    strip = arb.pi() * ball(step.s) ** 2 * (arb(1) if step.removes else arb(0.5))
    held = (
        0 <= spec.lam < math.inf
        and 0 < spec.eta < math.inf
        and spec.first < spec.last
        and spec.cells > 0
        and spec.shift > 0
        and arb(spec.shift) < strip
        and spec.soft > 0
        and spec.above > -math.inf
        and (step.removes or not spec.cut)
        and (spec.soft < math.inf) == spec.cut
    )
    if not held:
        raise InternalError(f"a line's parameters are outside its lemma: {spec}")


def line_error(step: Step, spec: LineSpec, at_zero: arb) -> arb:
    """A bound on |Q − M| at every u ≥ 0, from the trapezoid sum Q at u = 0."""
    cut = truncation(step, spec)
    if step.removes:
        return _strip_error(spec, stiffness(step, spec), at_zero, cut)
    gain = (arb.pi() * arb(spec.shift) / arb(spec.eta)).expm1()
    if not gain > 2:
        raise InternalError("a line's step is too wide for its strip")
    edge = slanted_mass(step, spec, arb(spec.shift))
    largest = (abs(at_zero) + cut + edge / gain) / (1 - 1 / gain)
    return (largest + edge) / gain + cut


def gap_error(step: Step, upper: LineSpec, lower: LineSpec, at_zero: arb) -> arb:
    """The same for what lies between two thresholds."""
    if not (step.removes and lower.cut and upper.soft in (lower.soft, math.inf)):
        raise InternalError("the thresholds of a slice do not belong together")
    return _strip_error(
        lower, stiffness(step, lower), at_zero, truncation(step, upper, lower=lower)
    )


def _strip_error(spec: LineSpec, stiff: arb, at_zero: arb, cut: arb) -> arb:
    gain = (arb.pi() * arb(spec.shift) / arb(spec.eta)).expm1()
    share = (1 + (arb(spec.shift) ** 2 * stiff / 2).exp()) / gain
    if not share < 0.5:
        raise InternalError("a line's step is too wide for its strip")
    return share * (abs(at_zero) + cut) / (1 - share) + cut


def powers(base: acb, n: int) -> list[acb]:
    """base^0 … base^(n−1), each of log n factors: a ball turned n times would grow like 1.4^n."""
    found = [acb(1), base]
    for j in range(2, n):
        half = found[j // 2]
        found.append(half * half if j % 2 == 0 else half * found[j // 2 + 1])
    return found[:n]


def stiffness(step: Step, spec: LineSpec) -> arb:
    """γ: the integrand grows by at most e^{a²γ/2} on Im t = a."""
    normal = 1 / ball(step.s) ** 2
    return normal + 1 / arb(spec.soft) ** 2 if spec.cut else normal


def kept(spec: LineSpec, t: acb) -> acb:
    """What the soft threshold leaves at t: Φ((T−t)/h)."""
    if not spec.cut:
        return acb(1)
    return ((t - spec.above) / (arb(spec.soft) * arb(2).sqrt())).erfc() / 2


def taken(spec: LineSpec, t: arb) -> arb:
    """What the soft threshold takes away at a real t: Φ((t−T)/h), with its own digits."""
    return ((spec.above - t) / (arb(spec.soft) * arb(2).sqrt())).erfc() / 2


def _nodes(step: Step, spec: LineSpec, tau: float, n: int) -> tuple[list[acb], list[acb]]:
    """For each node: η φ w^{A(λ)}, and, for more than one u, the factor w^{±iτ} to the next."""
    s2, eta, off = ball(step.s) ** 2, arb(spec.eta), _offset(step, spec)
    t = spec.first * eta
    exp_x, ratio = step.exp_x(acb(t, off)), (eta / s2).exp()
    phi, slope = ((off**2 - t**2) / (2 * s2)).exp(), (-(2 * t + eta) * eta / (2 * s2)).exp()
    bend = (-(eta**2) / s2).exp()
    phi *= eta / (ball(step.s) * (2 * arb.pi()).sqrt())
    turn = acb(0, arb(tau) if step.removes else -arb(tau))
    a, phase = step.exponent(arb(spec.lam)), -off / s2
    weights, ratios = [], []
    for j in range(spec.first, spec.last + 1):
        log_w = step.log_w(exp_x)
        weights.append(phi * (a * log_w + acb(0, phase * eta * j)).exp())
        if n > 1:
            ratios.append((turn * log_w).exp())
        exp_x, phi, slope = exp_x * ratio, phi * slope, slope * bend
    return weights, ratios


def _offset(step: Step, spec: LineSpec) -> arb:
    """Im t of the nodes."""
    return arb(spec.shift) / 2 if step.removes else -arb(spec.shift) / 2


def _below(spec: LineSpec, weights: list[acb], keeps: list[acb]) -> list[acb]:
    """The nodes' weights below the threshold; far below it, as good as untouched."""
    if not spec.cut:
        return weights
    start = len(weights) - len(keeps)
    least = _untouched(spec)[1]
    whole = 1 + acb(arb(0, least), arb(0, least))
    found = [w * whole for w in weights[:start]]
    return found + [w * share for w, share in zip(weights[start:], keeps, strict=True)]


def _between(spec: LineSpec, weights: list[acb], over: list[acb], under: list[acb]) -> list[acb]:
    """The nodes' weights between two thresholds, of which `spec` has the lower."""
    start = len(weights) - len(under)
    least = 2 * _untouched(spec)[1]
    none = acb(arb(0, least), arb(0, least))
    over = [acb(1) + none] * (len(under) - len(over)) + over
    between = zip(weights[start:], over, under, strict=True)
    return [w * none for w in weights[:start]] + [w * (x - y) for w, x, y in between]


def _keeps(spec: LineSpec) -> list[acb]:
    """What the threshold leaves at the nodes that it touches, which are the last."""
    if not spec.cut:
        return []
    off, eta = arb(spec.shift) / 2, arb(spec.eta)
    start = spec.first + _untouched(spec)[0]
    return [kept(spec, acb(eta * j, off)) for j in range(start, spec.last + 1)]


def _untouched(spec: LineSpec) -> tuple[int, arb]:
    """How many nodes are so far below the threshold that it takes less than an ulp, and how much.

    At t+ia it takes at most e^{a²/2h²} Φ((t−T)/h), and Φ(−x) ≤ e^{−x²/2}/2.
    """
    far = math.hypot(math.sqrt(1.4 * ctx.prec + 12) * spec.soft, spec.shift / 2)
    last = math.floor((spec.above - far) / spec.eta)
    count = min(max(last - spec.first + 1, 0), spec.last - spec.first + 1)
    away = (spec.above - arb(spec.eta) * (spec.first + count - 1)) / arb(spec.soft)
    least = (((arb(spec.shift) / 2 / arb(spec.soft)) ** 2 - away**2) / 2).exp() / 2
    return count, upper_of(least) if count else arb(0)


def truncation(step: Step, spec: LineSpec, *, lower: LineSpec | None = None) -> arb:
    """A bound, for every u ≥ 0, on what the nodes beyond both ends would have added.

    Of the law below the line's threshold; or between it and a lower one, where that is given.

    There |integrand| is at most a function whose logarithm falls at least as fast as at the end
    node, so the sum is below h(end)/slope.
    """
    s2 = ball(step.s) ** 2
    left, right = (arb(spec.eta) * end for end in (spec.first, spec.last))
    if step.removes:
        a = step.exponent(arb(spec.lam))
        slopes = -left / s2, (right - a) / s2
        grown = (arb(spec.shift) ** 2 * stiffness(step, lower or spec) / 8).exp()
        heights = [grown * tilted_density(step, spec.lam, end, arb(0)) for end in (left, right)]
        if spec.cut:
            slopes = slopes[0], slopes[1] + (right - spec.above) / arb(spec.soft) ** 2
            heights[1] *= kept(spec, acb(right)).real
        if lower is not None:
            heights[0] *= taken(lower, left)
    else:
        angle = arb(spec.shift) / 2
        slopes = (
            log_slope(step, spec.lam, left, angle),
            -log_slope(step, spec.lam, right, angle),
        )
        heights = [tilted_density(step, spec.lam, end, angle) for end in (left, right)]
    if not (slopes[0] > 0 and slopes[1] > 0):
        raise InternalError("a line ends before its integrand falls")
    return heights[0] / slopes[0] + heights[1] / slopes[1]


def tilted_density(step: Step, lam: float, t: arb, off: arb) -> arb:
    """|φ(t+i off)| |w(t + i off)|^A at real λ; `off` = 0 for the remove direction."""
    s = ball(step.s)
    log_w = step.log_w(step.exp_x(acb(t, off))).real
    phi = ((off**2 - t**2) / (2 * s**2)).exp() / (s * (2 * arb.pi()).sqrt())
    return phi * (step.exponent(arb(lam)) * log_w).exp()


def log_slope(step: Step, lam: float, t: arb, off: arb) -> arb:
    """The slope of log |φ w^A| along Im t = off: (−t + A Re p)/s²."""
    turned = step.exp_x(acb(t, off)) * step.odds()
    share = (turned / (1 + turned)).real
    return (-t + step.exponent(arb(lam)) * share) / ball(step.s) ** 2


def slanted_mass(
    step: Step, spec: LineSpec, off: arb, *, u: arb | None = None, cells: int = _SLANTED_CELLS
) -> arb:
    """Above ∫ |φ w^A| e^{−u arg w} along Im t = off in the add direction; u is 0 unless given.

    For off ≤ πs²/2 the first factor is log-concave: each cell is under the tangent at its middle,
    each tail under the exponential at its end.  The second is largest at a cell's left end.
    """
    left, right = arb(spec.eta) * spec.first, arb(spec.eta) * spec.last
    half = (right - left) / (2 * cells)
    total = truncated_tails(step, spec.lam, left, right, off, u=u)
    for j in range(cells):
        middle = left + (2 * j + 1) * half
        lean = log_slope(step, spec.lam, middle, off) * half
        part = tilted_density(step, spec.lam, middle, off) * (lean**2 / 6).exp()
        if u is not None:
            part *= (-u * step.log_w(step.exp_x(acb(middle - half, off))).imag).exp()
        total += 2 * half * part
    return total


def truncated_tails(
    step: Step, lam: float, left: arb, right: arb, off: arb, *, u: arb | None = None
) -> arb:
    """Above the two tails of ∫ |φ w^A| e^{−u arg w} in the add direction; arg w increases."""
    up, down = log_slope(step, lam, left, off), -log_slope(step, lam, right, off)
    if not (up > 0 and down > 0):
        raise InternalError("the tails of a line do not fall")
    beyond = tilted_density(step, lam, right, off) / down
    if u is not None:
        beyond *= (-u * step.log_w(step.exp_x(acb(right, off))).imag).exp()
    return tilted_density(step, lam, left, off) / up + beyond
