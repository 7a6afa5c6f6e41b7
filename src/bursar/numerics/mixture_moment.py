"""Moments of the subsampled Gaussian in ball arithmetic: log E w(t)^α for t ~ N(0, σ²), proved.

w(t) = a + b e^{t/σ²} with a = 1−q, b = q e^{−1/2σ²}, and any real α > 1.  The mean is summed by
the trapezoidal rule at t = jη, around one hump of f = φ w^α or two.  Its errors are all bounded:

strip.  f is analytic and decays for |Im t| < πσ² (there w avoids the negative half-line), and
  |f(x+iy)| ≤ e^{y²/2σ²} f(x).  So |Q − M| ≤ κM, κ = 2e^{B²/2σ²}/(e^{2πB/η}−1), for any B ≤ πσ².
cells.  The nodes in [c, d], c ≥ 0, add at most (d−c+η) φ(c) w(d)^α, since w rises.
mirror.  t → α−t turns f into one of the same kind, with b e^{α/2σ²} for a and a e^{−α/2σ²} for b.
tails.  The nodes above s ≥ α, which is one, add at most ∫ f ≤ f(s)σ²/(s−α), since (log f)' =
  αw'/w − t/σ² ≤ (α−s)/σ² there.  Those below any s add at most w(s)^α (1+ηφ(0)); the mirror
  makes of this a bound on those above.
rounding.  Balls.

`mixture_plan` proposes the nodes and the cells; a bad proposal costs width, never truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import final

from flint import arb

from bursar.errors import LimitReached
from bursar.numerics.balls import ball, precision
from bursar.numerics.mixture_plan import Cells, Meeting, Plan, planned


def log_moment(sigma: Fraction, q: Fraction, order: Fraction) -> arb:
    """Computes a ball around log E w^α, α = order.

    Valid for: σ > 0, 0 < q ≤ 1, order > 1.  Error: within the ball, about 2^-60 relative, however
    near 1 the moment is.  Cost: 3 µs a node: 30 to 100 where σ ≥ 1, as 1/σ² below; up to α/σ where
    two humps are about to part; LimitReached above 200,000.  Source: Trefethen & Weideman 2014,
    Thm 5.1, for the strip.
    """
    if q == 1:
        with precision(128):
            return ball(order * (order - 1) / (2 * sigma**2))
    plan = planned(sigma, q, order)
    with precision(plan.bits):
        variance, share = ball(sigma) ** 2, ball(q)
        law = _Law(ball(order), variance, 1 - share, share * (-1 / (2 * variance)).exp())
        return _summed(law, plan)


@final
@dataclass(frozen=True, slots=True)
class _Law:
    """f but for the constant of φ: e^{α log w − t²/2σ²}, w = a + b e^{t/σ²}."""

    alpha: arb
    variance: arb
    a: arb
    b: arb

    def mirrored(self) -> _Law:
        """The law that t → α−t makes of it."""
        shift = (self.alpha / (2 * self.variance)).exp()
        return _Law(self.alpha, self.variance, self.b * shift, self.a / shift)

    def power(self, t: arb, lost_at: arb) -> arb:
        """w(t)^α times the fall of φ from 0 to another point."""
        log_w = (self.a + self.b * (t / self.variance).exp()).log()
        return (self.alpha * log_w - lost_at**2 / (2 * self.variance)).exp()

    def nodes(self, step: arb, first: int, last: int) -> arb:
        """The sum of f over the nodes jη, first ≤ j ≤ last."""
        rising = self.b * (first * step / self.variance).exp()
        ratio, lost = (step / self.variance).exp(), step**2 / (2 * self.variance)
        total = arb(0)
        for j in range(first, last + 1):
            total += (self.alpha * (self.a + rising).log() - lost * (j * j)).exp()
            rising *= ratio
        return total


def _summed(law: _Law, plan: Plan) -> arb:
    """log M: the nodes that are summed, a bound on those that are not, and the strip."""
    step, mirror = arb(plan.step), law.mirrored()
    ends = [(first * step, last * step) for first, last in plan.ranges]
    missed = _tail(law, mirror, ends[-1][1], plan.far, step)
    missed += _tail(mirror, law, law.alpha - ends[0][0], plan.near, step)
    for (_, left), (right, _) in pairwise(ends):
        missed += _meeting(law, mirror, left, law.alpha - right, plan.apart, step)
    total = sum((law.nodes(step, *both) for both in plan.ranges), arb(0)) * step
    whole = (total + missed * arb(0.5, 0.5)) / (2 * arb.pi() * law.variance).sqrt()
    moment = (whole * (1 + _strip(law.variance, step) * arb(0, 1)) - 1).log1p()
    if not moment.is_finite():
        raise LimitReached("a moment cannot be told from 1")
    return moment


def _tail(law: _Law, mirror: _Law, edge: arb, cells: Meeting, step: arb) -> arb:
    """At most η times the sum of f over all nodes above `edge`, which is one."""
    if cells[1]:
        away = arb(cells[1][0])
        beyond = mirror.power(away, arb(0)) * ((2 * arb.pi() * law.variance).sqrt() + step)
        return beyond + _meeting(law, mirror, edge, away, cells, step)
    past = edge - law.alpha
    if not past > 0:
        raise LimitReached("the tail of a moment has no slope at the window's edge")
    return mirror.power(-past, past) * law.variance / past


def _meeting(law: _Law, mirror: _Law, start: arb, away: arb, cells: Meeting, step: arb) -> arb:
    """At most η times the sum of f over all nodes between `start` and α − `away`."""
    ahead, back = cells
    if not (ahead and back and arb(ahead[-1]) + back[-1] >= law.alpha):
        raise LimitReached("the cells of a moment do not meet")
    return _cells(law, start, ahead, step) + _cells(mirror, away, back, step)


def _cells(law: _Law, start: arb, ends: Cells, step: arb) -> arb:
    """At most η times the sum of f over all nodes from `start` to the last of the ends."""
    total = arb(0)
    for end in map(arb, ends):
        if end <= start:
            continue
        if not start >= 0:
            raise LimitReached("the cells of a moment begin below 0")
        total += (end - start + step) * law.power(end, start)
        start = end
    return total


def _strip(variance: arb, step: arb) -> arb:
    """κ/(1−κ): how far the whole sum may be from the integral, relative to the sum."""
    height = 2 * arb.pi() * variance / step if step >= 2 else arb.pi() * variance
    wave = (2 * arb.pi() * height / step).exp() - 1
    kappa = 2 * (height**2 / (2 * variance)).exp() / wave
    if not kappa < 1:
        raise LimitReached("the nodes of a moment are too far apart")
    return kappa / (1 - kappa)
