"""The Monte Carlo accountant: ε for a δ, or δ for an ε, from draws that are kept, with an interval.

Wang et al. 2023, Alg. 3, with draws that tilt every coordinate and integrate big jumps.  The first
small sample is aimed by the saddle point, others by the one before; ε is where the last one's curve
falls to δ.  The answer is an `Estimate`: for one on which something may be built, see
`monte_carlo_bounds.py`.  It takes Gaussian plans, sampled or not, and one's own samples.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, final

from bursar import require
from bursar.accounting import saddlepoint
from bursar.accounting.estimates import sketched
from bursar.accounting.monte_carlo_coins import Coins, Seeded
from bursar.accounting.monte_carlo_curves import Curve, OfDesign, OfWeights, crossing
from bursar.accounting.monte_carlo_designs import Design, design, parts_of
from bursar.accounting.monte_carlo_own import Own, own
from bursar.accounting.monte_carlo_search import CELLS, COARSE, best_tilt, log_ceiling
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import About, Estimate

NAME = "monte_carlo"
_COINS = Seeded(0)
_WORK = 2_000_000  # coordinates of a sample, where draws are not given
_FEWEST, _MOST = 400, 20_000
_LARGEST = 10**6  # coordinates of one draw
_ROUNDS, _NEAR = 16, 0.1
_CELLS = 1000  # of a table: finer than draws can tell
_DEEPEST = -690.0  # of a log δ, for the saddle point
_NEVER = -1e4  # log of a δ that counts as 0


@final
@dataclass(frozen=True, slots=True)
class Drawable:
    """A plan in one direction, as what can be drawn at an ε."""

    plan: Plan
    adjacency: Adjacency
    direction: Direction

    @property
    def own(self) -> bool:
        """Whether it is made of one's own samples."""
        return any(isinstance(mechanism, views.HasSamples) for mechanism, _ in self.plan.steps)

    def at(self, epsilon: float, cells: int = CELLS) -> Design | Own:
        """The bounded variable for δ(ε)."""
        if self.own:
            return own(self.plan, self.adjacency, self.direction, epsilon)
        pairs = views.pairs(self.plan, self.adjacency, self.direction)
        return design(pairs, self.direction, epsilon, room=_room(epsilon), cells=cells)

    def curve(self, epsilon: float, draws: int, coins: Coins, cells: int = _CELLS) -> Curve:
        """Draws that are aimed at an ε."""
        variable = self.at(epsilon, cells)
        source = coins.source(list(Direction).index(self.direction))
        if isinstance(variable, Design):
            return OfDesign.drawn(variable, draws, source, epsilon + _room(epsilon))
        return OfWeights(*variable.pairs(draws, source))

    def ceiling(self, log_delta: float) -> float:
        """About the ε of the bound of one tilt, which is above that of δ."""
        if self.own:
            return crossing(lambda epsilon: self.at(epsilon).log_bound, log_delta)
        parts = parts_of(views.pairs(self.plan, self.adjacency, self.direction))

        def log_bound(epsilon: float) -> float:
            return log_ceiling(parts, best_tilt(parts, epsilon), epsilon)

        return crossing(log_bound, log_delta)

    def first(self, log_delta: float) -> float:
        """An ε to aim at first: the saddle point's where it has one, or the bound's."""
        if not self.own and log_delta > _DEEPEST:
            with suppress(NoProof, LimitReached):
                sketch = sketched(self.plan, self.adjacency)[list(Direction).index(self.direction)]
                found = saddlepoint.ACCOUNTANT.solve([sketch], math.exp(log_delta))
                if 0 < found < math.inf:
                    return found
        return self.ceiling(log_delta)

    @property
    def coordinates(self) -> int:
        """Of one draw."""
        return sum(count for _, count in self.plan.steps)


def drawable(run: Plan | Mechanism, adjacency: Adjacency | str = DEFAULT) -> tuple[Drawable, ...]:
    """Both directions of a plan, or NoProof where nothing of it can be drawn."""
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    both = tuple(Drawable(plan, relation, way) for way in Direction)
    if both[0].coordinates > _LARGEST:
        raise LimitReached(
            f"one draw of this plan has more than {_LARGEST:,} coordinates",
            hint="The exact accountant's time does not grow with the number of steps.",
        )
    for one in both:
        if one.own:
            views.samples(plan, relation, one.direction)
        else:
            parts_of(views.pairs(plan, relation, one.direction))
    return both


def delta(
    run: Plan | Mechanism,
    *,
    epsilon: Number,
    adjacency: Adjacency | str = DEFAULT,
    draws: int | None = None,
    coins: Coins = _COINS,
    confidence: float = 0.95,
) -> Estimate:
    """An estimate of the least δ at this ε, with an interval for each direction's worst.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> found = delta(Gaussian(noise_multiplier=5), epsilon=1)  # 1.7546e-8
    >>> found.interval[0] < 1.7546e-8 < found.interval[1] < 1.9e-8
    True
    """
    started = time.perf_counter()
    at, relation = require.nonnegative(epsilon=epsilon), Adjacency.of(adjacency)
    both, alpha = drawable(run, relation), _failing(confidence)
    found = list[tuple[float, float, float]]()
    for one in both:
        if one.at(float(at)).log_ceiling < _NEVER:
            continue
        curve = one.curve(float(at), _draws(one, draws), coins)
        found.append((curve.at(float(at)).log_mean, *curve.interval(float(at), alpha)))
    logs = [max(column) for column in zip(*found, strict=True)] if found else [-math.inf] * 3
    value, low, high = (min(math.exp(one), 1.0) for one in logs)
    return _answer(value, (low, high), confidence, "delta", at.text, relation, started)


def epsilon(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    draws: int | None = None,
    coins: Coins = _COINS,
    confidence: float = 0.95,
) -> Estimate:
    """An estimate of the least ε at this δ, with an interval: one sample answers for every ε.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> found = epsilon(Gaussian(noise_multiplier=5), delta=1e-8)  # 1.02179
    >>> found.interval[0] < 1.02179 < found.interval[1] < 1.025
    True
    """
    started = time.perf_counter()
    question, relation = Question.of_delta(delta, log_delta), Adjacency.of(adjacency)
    both, alpha = drawable(run, relation), _failing(confidence)
    if question.is_zero or question.is_one:
        value = 0.0 if question.is_one else math.inf
        return _answer(value, None, confidence, "epsilon", question.text, relation, started)
    target = float(question.log_ball().mid())
    found = list[tuple[float, float, float]]()
    for one in both:
        if found and one.ceiling(target) < found[0][1]:
            continue
        curve = aimed(one, target, draws, coins)
        at = curve.solve(target)
        found.append((at, *curve.around(at, alpha)))
    value, low, high = (max(column) for column in zip(*found, strict=True))
    return _answer(value, (low, high), confidence, "epsilon", question.text, relation, started)


def aimed(one: Drawable, log_delta: float, draws: int | None, coins: Coins) -> Curve:
    """Draws aimed at the ε of a δ, which small samples find: each is aimed where the last points.

    Far from its aim a sample sees too little, so a step goes down to a quarter at most.
    """
    size = _draws(one, draws)
    at, top = one.first(log_delta), None
    for _ in range(_ROUNDS):
        if not 0 < at < math.inf:
            break
        rough = one.curve(at, _FEWEST // 2, coins, COARSE)
        found = rough.solve(log_delta)
        if found >= rough.limit * (1 - 1e-9):
            top = one.ceiling(log_delta) if top is None else top
            found = max(min(3 * at, top), found)
        last, at = at, max(found, at / 4)
        if abs(at - last) < _NEAR * last:
            break
    return one.curve(at if at < math.inf else 1.0, size, coins)


def _room(epsilon: float) -> float:
    """How far above an ε its draws are used."""
    return 0.2 * epsilon + 0.01


def taken(plan: Plan, adjacency: Adjacency) -> object:
    """The view of a plan that this accountant takes."""
    try:
        return drawable(plan, adjacency)
    except LimitReached:
        return plan


def _draws(one: Drawable, draws: int | None) -> int:
    if draws is not None:
        return require.count(draws=draws, at_least=100)
    return min(max(_WORK // one.coordinates, _FEWEST), _MOST)


def _failing(confidence: float) -> float:
    return max(1 - float(require.probability(confidence=confidence)), 1e-12)


def _answer(
    value: float,
    interval: tuple[float, float] | None,
    confidence: float,
    quantity: Any,
    given: str,
    relation: Adjacency,
    started: float,
) -> Estimate:
    about = About(
        quantity=quantity,
        given=given,
        method=NAME,
        adjacency=relation,
        seconds=time.perf_counter() - started,
    )
    return Estimate(value=value, method=NAME, interval=interval, confidence=confidence, about=about)
