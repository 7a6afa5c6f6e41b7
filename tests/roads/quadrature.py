"""One, two or three steps: closed forms, and nested quadrature over all steps but the last.

One step: δ(ε) = P(Y > ε) − e^ε Q(Y > ε), with normal tails; for all real ε.
More: δ(ε) = E δ_rest(ε − Y₁), the expectation over the first step's output by Gauss-Legendre
panels, the last step in closed form.  All in Arb at the working precision `ctx.prec`: the
round-off is bounded by the balls, the quadrature is refined to a tolerance and not proved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from flint import acb, arb

from tests.roads.laws import Direction, Laplace, Law, Plan, Sampled, ball, singles
from tests.roads.panels import panel


def delta_gaussian(mu: arb, epsilon: arb) -> arb:
    """Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ).  Balle & Wang 2018, Thm 8."""
    return normal(mu / 2 - epsilon / mu) - epsilon.exp() * normal(-mu / 2 - epsilon / mu)


def delta_one(law: Law, direction: Direction, epsilon: arb) -> arb:
    """δ(ε) of a single step, for any real ε."""
    if isinstance(law, Laplace):
        return _delta_laplace(ball(law.scale), epsilon)
    s, q = ball(law.sigma), ball(law.q)
    sign = 1 if direction == "remove" else -1
    excess = ((sign * epsilon).exp() - (1 - q)) / q
    if excess > 0:
        t = arb(1) / 2 + s * s * excess.log()
        without, mixed = normal(-sign * t / s), normal(-sign * (t - 1) / s)
        mixed = (1 - q) * without + q * mixed
        p, other = (mixed, without) if sign == 1 else (without, mixed)
        return p - epsilon.exp() * other
    if excess <= 0:
        return 1 - epsilon.exp() if direction == "remove" else arb(0)
    raise ArithmeticError("ε is too near the end of the loss for this precision")


def _delta_laplace(b: arb, epsilon: arb) -> arb:
    if epsilon >= 1 / b:
        return arb(0)
    if epsilon <= -1 / b:
        return 1 - epsilon.exp()
    return 1 - ((epsilon - 1 / b) / 2).exp()


def delta(
    plan: Plan, direction: Direction, epsilon: arb, *, tolerance: arb, order: int = 24
) -> arb:
    """δ(ε) of a few steps, to an absolute `tolerance`."""
    return _nested(singles(plan), direction, epsilon, tolerance, order)


def _nested(laws: list[Law], direction: Direction, epsilon: arb, tolerance: arb, order: int) -> arb:
    first, *rest = laws
    if not rest:
        return delta_one(first, direction, epsilon)
    return expectation(
        first,
        direction,
        lambda loss: _nested(rest, direction, epsilon - loss, tolerance / 4, order),
        tolerance=tolerance / 4,
        order=order,
    )


def expectation(
    law: Law, direction: Direction, g: Callable[[arb], arb], *, tolerance: arb, order: int
) -> arb:
    """E g(Y) for 0 ≤ g ≤ 1, over one step's loss."""
    total = arb(0)
    if isinstance(law, Laplace):
        b = ball(law.scale)
        total += (g(1 / b) + (-1 / b).exp() * g(-1 / b)) / 2
        edges = [arb(i) / 4 for i in range(5)]
        weigh, loss = _laplace_density(b), _laplace_loss(b)
    else:
        edges = _edges(law, direction, tolerance)
        weigh, loss = _normal_density(law, direction), _normal_loss(law, direction)

    def f(x: arb) -> acb:
        return acb(weigh(x) * g(loss(x)))

    for low, high in pairwise(edges):
        for s in panel(f, low, high, tolerance=tolerance / len(edges), order=order):
            total += s.weight * s.value.real
    return total


def _laplace_density(b: arb) -> Callable[[arb], arb]:
    return lambda x: ((x - 1) / b).exp() / (2 * b)


def _laplace_loss(b: arb) -> Callable[[arb], arb]:
    return lambda x: (2 * x - 1) / b


def _edges(law: Sampled, direction: Direction, tolerance: arb) -> list[arb]:
    """Panels of width σ, so wide that less than `tolerance` of P is outside."""
    s = ball(law.sigma)
    steps = int(float((2 * (1 / tolerance).log()).sqrt())) + 2
    top = 1 if direction == "remove" else 0
    count = 2 * steps + int(float(top / s)) + 1
    low, high = -steps * s, top + steps * s
    return [(low + (high - low) * i / count).mid() for i in range(count + 1)]


def _normal_density(law: Sampled, direction: Direction) -> Callable[[arb], arb]:
    s, q = ball(law.sigma), ball(law.q)
    scale = s * (2 * arb.pi()).sqrt()
    if direction == "add":
        return lambda t: (-t * t / (2 * s * s)).exp() / scale
    return lambda t: (
        ((1 - q) * (-t * t / (2 * s * s)).exp() + q * (-((t - 1) ** 2) / (2 * s * s)).exp()) / scale
    )


def _normal_loss(law: Sampled, direction: Direction) -> Callable[[arb], arb]:
    s, q = ball(law.sigma), ball(law.q)
    sign = 1 if direction == "remove" else -1
    return lambda t: sign * (1 - q + q * ((2 * t - 1) / (2 * s * s)).exp()).log()


def normal(x: arb) -> arb:
    """Φ(x), accurate in both tails."""
    return (-x / arb(2).sqrt()).erfc() / 2
