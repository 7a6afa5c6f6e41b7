"""What fresh draws prove, except with probability β: bounds on δ at an ε, and on ε at a δ.

δ ≤ R + B·U in each direction, U what Hoeffding leaves of the mean (docs/proofs/monte-carlo.md,
Thm 5); where some direction is above what is claimed, its own bound must have failed, so both may
use the whole β.  For ε at a δ an estimate proposes, fresh draws at the proposal decide, and each
proposal has its own share of β.  `watch` holds at all times at once.  These bounds are no numbers
that may be charged: a release gate turns them into a claim (`bursar.verification`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from bursar import require
from bursar.accounting.monte_carlo import NAME, aimed, drawable
from bursar.accounting.monte_carlo_bounded import SHARP, Bounded
from bursar.accounting.monte_carlo_coins import Coins, Fresh, Seeded
from bursar.accounting.monte_carlo_draws import block_size
from bursar.accounting.monte_carlo_runs import Manner, Moments, run
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics import means
from bursar.numerics.envelope import Source
from bursar.truth import About, BillLine, HighProbabilityBound

_DRAWS = 20_000
_PROPOSALS = 12
_MARKS = 400  # means that are bet against
_SOURCE = "Hoeffding 1963, Thm 1"


@final
@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of δ, right at once except with the failure probability."""

    lower: float
    upper: float
    failure_probability: float
    draws: int


def delta_bound(
    run_: Plan | Mechanism,
    /,
    *,
    epsilon: Number,
    failure_probability: Number,
    adjacency: Adjacency | str = DEFAULT,
    draws: int = _DRAWS,
    coins: Coins | None = None,
    manner: Manner | None = None,
) -> HighProbabilityBound:
    """An upper bound on δ at this ε that fails with probability at most β.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> step = Gaussian(noise_multiplier=5)
    >>> found = delta_bound(step, epsilon=1, failure_probability=1e-9, coins=Seeded(1))
    >>> 1.7546e-8 < found.upper < 2e-8
    True
    """
    started = time.perf_counter()
    at, relation = require.nonnegative(epsilon=epsilon), Adjacency.of(adjacency)
    beta, size = failing(failure_probability), require.count(draws=draws, at_least=100)
    log_delta = max(
        _upper(one.at(float(at)), size, math.log(beta), coins or Fresh(), manner)
        for one in drawable(run_, relation)
    )
    about = _about("delta", at, relation, beta, started)
    upper = min(math.nextafter(math.exp(log_delta), math.inf), 1.0)
    return HighProbabilityBound(upper=upper, failure_probability=float(beta), about=about)


def delta_interval(
    run_: Plan | Mechanism,
    /,
    *,
    epsilon: Number,
    failure_probability: Number,
    adjacency: Adjacency | str = DEFAULT,
    draws: int = _DRAWS,
    coins: Coins | None = None,
    manner: Manner | None = None,
) -> Interval:
    """Both ends of δ at this ε: half of β for the upper one, a quarter for each direction's lower.

    The lower end is that of the pairs, which the mechanism attains where they are tight; the same
    draws say both.
    """
    at, relation = require.nonnegative(epsilon=epsilon), Adjacency.of(adjacency)
    beta, size = float(failing(failure_probability)), require.count(draws=draws, at_least=100)
    lows, highs = [], []
    for one in drawable(run_, relation):
        variable = one.at(float(at))
        if not math.isfinite(variable.log_bound):
            highs.append(variable.log_rest)
            continue
        total, _ = run(variable, coins or Fresh(), size, Moments(), manner)
        highs.append(_upper_of(variable, total / size, size, math.log(beta / 2)))
        lows.append(_lower(variable, means.lower(total / size, size, math.log(beta / 4))))
    return Interval(max(lows, default=0.0), min(math.exp(max(highs)), 1.0), beta, size)


def _lower(variable: Bounded, mean: float) -> float:
    """δ at least, for a lower bound on the mean of X as it is computed; rounded down."""
    return math.exp(variable.log_least(mean)) * (1 - SHARP)


def epsilon_bound(
    run_: Plan | Mechanism,
    /,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    failure_probability: Number,
    adjacency: Adjacency | str = DEFAULT,
    draws: int = _DRAWS,
    coins: Coins | None = None,
    manner: Manner | None = None,
) -> HighProbabilityBound:
    """An ε that holds at this δ, except with probability β.

    An estimate, with other coins, proposes; fresh draws decide; what was not shown is proposed
    again, larger, with half of the β that is left.  Raises LimitReached where nothing is shown.
    """
    started = time.perf_counter()
    question, relation = Question.of_delta(delta, log_delta), Adjacency.of(adjacency)
    beta, size = failing(failure_probability), require.count(draws=draws, at_least=100)
    if question.is_zero or question.is_one:
        need = "it must be in (0, 1): the ends need no draws"
        raise InvalidParameter(need, field="delta", value=question.delta)
    target = float(question.log_ball().mid()) * (1 + 1e-15)
    both = drawable(run_, relation)
    curves = [aimed(one, target, None, Seeded(0)) for one in both]
    slack = 0.0
    for proposal in range(_PROPOSALS):
        log_beta = math.log(beta) - (proposal + 1) * math.log(2)
        at = max(curve.solve(target - slack) for curve in curves)
        worst = max(
            _upper(one.at(at), size, log_beta, _Later(coins or Fresh(), proposal), manner)
            for one in both
        )
        if worst <= target:
            about = _about("epsilon", question.text, relation, beta, started)
            return HighProbabilityBound(upper=at, failure_probability=float(beta), about=about)
        slack = max(1.3 * (worst - target + slack), 2 * slack, 0.01)
    raise LimitReached("no ε was shown for this δ", hint="Give more draws.")


@final
@dataclass(frozen=True, slots=True)
class _Later:
    """The coins of one proposal."""

    coins: Coins
    proposal: int

    def source(self, block: int) -> Source:
        return self.coins.source(block * _PROPOSALS + self.proposal)


def _upper(
    variable: Bounded, size: int, log_beta: float, coins: Coins, manner: Manner | None
) -> float:
    """log of the bound on δ of one direction; without a draw where B says enough."""
    if not math.isfinite(variable.log_bound):
        return variable.log_rest
    total, _ = run(variable, coins, size, Moments(), manner)
    return _upper_of(variable, total / size, size, log_beta)


def _upper_of(variable: Bounded, average: float, size: int, log_beta: float) -> float:
    """log of the bound on δ of one direction, from the average of so many draws."""
    mean = means.upper(min(average * (1 + 1e-12), 1.0), size, log_beta)
    return min(variable.log_delta(mean), variable.log_ceiling)


def watch(
    variable: Bounded, coins: Coins, *, failure_probability: Number, batch: int | None = None
) -> Iterator[Interval]:
    """The bounds of one direction after each batch, right at all times at once: stop when you like.

    By betting (docs/proofs/monte-carlo.md, §5), half of β a side.
    """
    beta = float(failing(failure_probability))
    parts = [np.geomspace(1e-6, 0.5, _MARKS), np.linspace(0.5, 0.9999, _MARKS // 4)]
    grid = np.unique(np.concatenate(parts))
    bets = means.Betting.over(math.log(beta / 2), grid)
    size = batch or block_size(variable.coordinates)
    block = 0
    while True:
        bets.see(variable.draw(size, coins.source(block)))
        block += 1
        low, high = bets.bounds
        upper = min(math.exp(variable.log_delta(high)), 1.0)
        yield Interval(_lower(variable, low), upper, beta, bets.drawn)


def failing(failure_probability: Number) -> Exact:
    """β, checked."""
    beta = require.probability(failure_probability=failure_probability)
    if not beta < 1:
        need = "it must be below 1: with 1, every number is a bound"
        raise InvalidParameter(need, field="failure_probability", value=beta)
    return beta


def _about(quantity: str, given: object, relation: Adjacency, beta: Exact, started: float) -> About:
    text = given.text if isinstance(given, Exact) else str(given)
    return About(
        quantity="delta" if quantity == "delta" else "epsilon",
        given=text,
        method=NAME,
        adjacency=relation,
        bill=(BillLine("chance that the bound fails", float(beta), _SOURCE),),
        seconds=time.perf_counter() - started,
    )
