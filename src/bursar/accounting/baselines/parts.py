"""A plan as the paper sees it: coordinates t with one person at 1, and how t may be tilted.

Legend: t = σz with z standard normal without the person; P = (1−q)N(0, σ²) + qN(1, σ²) (remove) or
N(0, σ²) (add); y the loss of a coordinate.  Tilted by e^{θt}, the true tilt, P is a mixture with
the weights 1−w and w, w = qe^θ/(1−q+qe^θ): the paper prints 1−q and q, which is another law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import arb

from bursar.accounting.monte_carlo_designs import parts_of
from bursar.accounting.monte_carlo_search import Parts
from bursar.adjacency import Direction
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.numerics.balls import float_up, precision
from bursar.numerics.envelope import Envelope
from bursar.numerics.tilts import Coordinate
from bursar.privacy.pairs import Composition

FAR = 28.0  # standard deviations: what lies outside has a mass of about e^−392
__all__ = ["FAR", "Parts", "log_moment", "parts_of", "plain", "reach", "target", "tilted", "tilts"]


def one_sided(composition: Composition, direction: Direction) -> Parts:
    """The coordinates of a plan that one outlier can push over ε: the remove direction's."""
    parts = parts_of(composition)
    if not all(part.removes for part, _ in parts):
        raise InvalidParameter(
            "a loss that has an upper end has no outliers to tilt towards",
            field="direction",
            value=direction.value,
            hint="In this direction take simple Monte Carlo, or a design.",
        )
    return parts


def reach(part: Coordinate) -> tuple[float, float]:
    """From where to where z is drawn."""
    middle = 0.0 if part.sampled or not part.removes else part.slope
    high = part.slope if part.removes else 0.0
    return middle - FAR, high + FAR


def log_outside(parts: Parts) -> float:
    """log of a bound on the probability that any coordinate is outside its reach."""
    with precision(96):
        total = arb(0)
        for part, count in parts:
            low, high = reach(part)
            total += count * (part.cut_below(0.0, low) + part.cut_above(0.0, high))
        return float_up(total.log())


def plain(part: Coordinate) -> Envelope:
    """Draws of P."""
    return Envelope.of(part, 0.0, *reach(part))


def tilted(part: Coordinate, theta: float, *, weight: float | None = None) -> Envelope:
    """Draws of P tilted by e^{θt}, moved by −θσ: a mixture of the same kind, with another weight.

    Another `weight` of its second part than the true one makes another law: what the paper prints.
    """
    if not part.sampled:
        return plain(part)
    share = shifted_share(part, theta) if weight is None else weight
    moved = Coordinate(part.mu_squared, Exact.of(min(max(share, 1e-300), 1 - 1e-16)), True)
    return Envelope.of(moved, 0.0, *reach(part))


def shifted_share(part: Coordinate, theta: float) -> float:
    """w, the weight of the shifted part of the tilted law."""
    if not part.sampled:
        return 1.0
    return 1 / (1 + math.exp(min(-theta, 700.0)) * (1 - part.share) / part.share)


def log_moment(part: Coordinate, theta: float) -> float:
    """log M_P(θ) = θ²σ²/2 + log(1−q+qe^θ)."""
    bend = theta if not part.sampled else _log1p_exp(theta, part.share)
    return 0.5 * (theta / part.slope) ** 2 + bend


def _log1p_exp(theta: float, q: float) -> float:
    if theta < 600:
        return math.log1p(q * math.expm1(theta))
    return theta + math.log(q)


def target(part: Coordinate, epsilon: float) -> float:
    """t*, where the loss of one coordinate is ε."""
    return part.above(epsilon) / part.slope


def true_tilt(part: Coordinate, epsilon: float) -> float:
    """θ of Wang et al. 2023, eq. (6): the tilted law has its mean at t*; at least 0."""
    goal, variance = target(part, epsilon), part.slope**-2
    low, high = 0.0, max(goal / variance, 1.0)
    if not variance * low + shifted_share(part, low) < goal:
        return 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        above = variance * middle + shifted_share(part, middle) > goal
        low, high = (low, middle) if above else (middle, high)
    return 0.5 * (low + high)


def tilts(part: Coordinate, epsilon: float) -> dict[str, float]:
    """θ by name: from eq. (6); as eq. (8) has it, t*/σ²; as Def. 18 prints it, t* itself."""
    goal = target(part, epsilon)
    return {
        "eq. (6)": true_tilt(part, epsilon),
        "eq. (8)": goal * part.slope**2,
        "Def. 18, printed": goal,
    }


def heaviest(parts: Parts, epsilon: float) -> Coordinate:
    """The part of which an outlier above ε is the likeliest."""

    def log_tail(part: Coordinate, count: int) -> float:
        at = part.above(epsilon) - part.slope
        size = 0.5 * at * at if at > 0 else 0.0
        return math.log(count * part.share) - size - math.log1p(max(at, 0.0))

    return max(parts, key=lambda one: log_tail(*one))[0]


def steps_in(parts: Sequence[tuple[Coordinate, int]]) -> int:
    """k."""
    return sum(count for _, count in parts)
