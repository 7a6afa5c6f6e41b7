"""What can only be drawn: plans of one's own mechanisms as a bounded variable, in any dimension.

X = (1 − e^{ε−Y})₊ with Y the sum of the log-ratios, in [0, 1]: so n draws bound δ to about
√(δ/n), however many dimensions there are (Wang et al. 2023, Remark 17).  Where a mechanism can be
drawn tilted, with weights of which e^{a−λY} is a proved bound, Z = f(Y)·Πw ≤ e^{Σa−λε} c(λ):
docs/proofs/monte-carlo.md, Prop. 12.  That the laws are a dominating pair is the user's to say;
that no weight drawn is above its bound is checked, and a violation raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from bursar.accounting.monte_carlo_bounded import SHARP, Bounded, Over, log_share
from bursar.accounting.monte_carlo_search import golden
from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats
from bursar.privacy.samples import Samples, Tiltable, Tilted

_DEAR = 256  # coordinates that a draw of one's own counts as: what it costs is not known
_AT_ONCE = 1 << 14
_ROUND = 1e-9  # of a weight against its bound
_OWN = Over(1e-8, 1e-8)  # what float64 may be off in a mean
Part = tuple[Samples, int]


@final
@dataclass(frozen=True, slots=True)
class Own(Bounded):
    """δ ≤ e^{log_bound} E X for one direction of a plan that can only be drawn from."""

    direction: Direction
    epsilon: float
    parts: tuple[Part, ...]
    name: str
    log_bound: float
    log_rest: float = -math.inf

    @property
    def coordinates(self) -> int:
        """What one draw counts as."""
        return _DEAR * sum(count for _, count in self.parts)

    @property
    def digest(self) -> str:
        """Labels and tilts: functions have no text, so they must be the same ones."""
        return f"own:{self.name}:{self.direction.value}:{self.epsilon.hex()}:{self.log_bound.hex()}"

    def over(self) -> Over:
        """Rounding: one's own functions are taken at their word."""
        return _OWN

    def pairs(self, size: int, source: Source) -> tuple[Floats, Floats]:
        """So many losses, and logs of their weights."""
        random = np.random.Generator(np.random.SFC64(np.random.SeedSequence(source(4).tolist())))
        losses, log_weights = np.zeros(size), np.zeros(size)
        for samples, count in self.parts:
            rows = max(1, _AT_ONCE // count)
            for start in range(0, size, rows):
                many = min(rows, size - start)
                here = slice(start, start + many)
                ratios, weights = _drawn(samples, many * count, random)
                losses[here] += ratios.reshape(many, count).sum(axis=1)
                log_weights[here] += weights.reshape(many, count).sum(axis=1)
        return losses, log_weights

    def draw(self, size: int, source: Source) -> Floats:
        """So many independent X."""
        losses, log_weights = self.pairs(size, source)
        with np.errstate(under="ignore"):
            payoff = -np.expm1(np.minimum(self.epsilon - losses, 0.0))
            found = payoff * np.exp(np.minimum(log_weights - self.log_bound + SHARP / 2, 0.0))
        return np.asarray(found)


def own(plan: Plan, adjacency: Adjacency, direction: Direction, epsilon: float) -> Own:
    """The bounded variable of a plan whose mechanisms have the view `samples`.

    The tilt is the one of the smallest bound; where a mechanism cannot be tilted, nothing is.
    """
    composition = views.samples(plan, adjacency, direction).parts
    name = repr(plan.canonical())
    free = [one for one, _ in composition if isinstance(one, Tiltable)]
    if len(free) != len(composition):
        fixed = len(composition) == 1 and isinstance(composition[0][0], Tilted)
        bound = log_bound(composition, epsilon) if fixed else 0.0
        return Own(direction, epsilon, composition, name, bound)

    def tilted(log_lam: float) -> tuple[Part, ...]:
        lam = math.exp(log_lam)
        return tuple((one.tilted(lam), n) for one, n in composition)  # type: ignore[attr-defined]

    best = golden(lambda x: log_bound(tilted(x), epsilon), -4.0, 6.0, 40)
    bound = log_bound(tilted(best), epsilon)
    if not bound < 0:
        return Own(direction, epsilon, composition, name, 0.0)
    return Own(direction, epsilon, tilted(best), name, bound)


def log_bound(parts: tuple[Any, ...], epsilon: float) -> float:
    """log of e^{Σa − λε} c(λ), with the tilt that all parts share."""
    lams = {one.tilt for one, _ in parts}
    if len(lams) != 1:
        raise InvalidParameter("all mechanisms of a plan must have one", field="tilt", value=lams)
    (lam,) = lams
    if not (lam >= 0 and all(math.isfinite(one.log_constant) for one, _ in parts)):
        raise InvalidParameter(
            "it must be 0 or above, with a finite bound", field="tilt", value=lam
        )
    total = float(sum(count * one.log_constant for one, count in parts))
    return total - float(lam) * epsilon + log_share(lam) + SHARP * (1 + abs(total))


def _drawn(samples: Samples, size: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    points = samples.sample(size, random)
    ratios = _checked(samples.log_ratio, points, size, "log_ratio")
    if np.isneginf(ratios).any():
        raise InvalidParameter(
            "it must be above −∞ at every point that sample draws", field="log_ratio"
        )
    if not isinstance(samples, Tilted):
        return ratios, np.zeros(size)
    weights = _checked(samples.log_weight, points, size, "log_weight")
    bound = samples.log_constant - samples.tilt * ratios
    if (weights > bound + _ROUND * (1 + np.abs(bound))).any():
        raise InvalidParameter(
            "a weight is above log_constant − tilt·log_ratio, so that bound is false",
            field="log_weight",
            value=float((weights - bound).max()),
        )
    return ratios, weights


def _checked(function: Callable[[Any], Any], points: Any, size: int, field: str) -> Floats:
    found = np.asarray(function(points), dtype=np.float64)
    if found.shape != (size,) or np.isnan(found).any():
        need = f"it must give one number for each of the {size} points, and no NaN"
        raise InvalidParameter(need, field=field, value=f"an array of shape {found.shape}")
    return found
