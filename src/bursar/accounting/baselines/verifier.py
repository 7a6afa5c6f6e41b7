"""The paper's verifier, both directions: Wang et al. 2023, Algorithms 2 and 4.

From a plan and a claim to the estimator, the number of draws and a verdict.  In the remove
direction one coordinate is tilted, or none where that takes fewer draws; in the other none is.  A
claim passes if it passes in both: where some direction's δ is too large, it is that test which must
fail to see it, so the directions share no failure probability.  As published, the pass is followed
by the release (`release.py`).  `Verdict.size` may be far beyond what can be run: ask `prepared`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, final

from bursar import require
from bursar.accounting import exact
from bursar.accounting.baselines.estimators import OneTilted, Simple
from bursar.accounting.baselines.moments import Moments
from bursar.accounting.baselines.parts import parts_of
from bursar.accounting.baselines.sizes import Asymmetry, Tolerance
from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Coins
from bursar.accounting.monte_carlo_runs import Manner, run
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics import means
from bursar.numerics.envelope import Source
from bursar.numerics.tilts import Floats

Estimator = Literal["simple", "importance", "best"]
_MOST = 10**8  # draws of one verdict
_SHOWN = math.log(1e-6)  # failure probability of what is said about Assumption 30


@final
@dataclass(frozen=True, slots=True)
class Test:
    """One direction of a verdict: what is drawn, how often, and what that proves."""

    variable: Bounded
    tolerance: Tolerance
    log_moment: float  # of the bound on E X²

    @property
    def size(self) -> int:
        """Draws: Thm 13."""
        return self.tolerance.size(self.log_moment)

    @property
    def log_size(self) -> float:
        """Its logarithm, which is never too large."""
        return self.tolerance.log_size(self.log_moment)

    @property
    def log_false_negative(self) -> float:
        """log of the proved bound on refusing a claim with δ_est ≥ ρδ."""
        one = self.variable
        return self.tolerance.log_false_negative(self.size, self.log_moment, one.log_bound)


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim passed, with the average of each direction, and Assumption 30 as seen."""

    accepted: bool
    averages: tuple[float, ...]
    tests: tuple[Test, ...]
    asymmetry: tuple[Asymmetry, ...]


@final
@dataclass(frozen=True, slots=True)
class _Seen:
    """Fold: the sum, and how many are 0."""

    def __call__(self, draws: Floats) -> tuple[float, ...]:
        return float(draws.sum()), float((draws == 0).sum())


def prepared(
    plan: Plan | Mechanism,
    *,
    epsilon: Number,
    tolerance: Tolerance,
    estimator: Estimator = "best",
    sharpened: bool = False,
    adjacency: Adjacency | str = DEFAULT,
) -> tuple[Test, ...]:
    """The tests of a claim, one a direction; those whose δ is 0 at this ε are left out.

    `sharpened` lets the exact accountant's δ bound the second moments where that is smaller.
    """
    run_, relation = Plan.of(plan), Adjacency.of(adjacency)
    at = require.positive(epsilon=epsilon)
    require.one_of(("simple", "importance", "best"), estimator=estimator)
    return tuple(
        test
        for way in Direction
        for test in _tests(run_, relation, way, float(at), tolerance, estimator, sharpened)
    )


def _tests(
    plan: Plan,
    relation: Adjacency,
    way: Direction,
    epsilon: float,
    tolerance: Tolerance,
    estimator: Estimator,
    sharpened: bool,
) -> Iterable[Test]:
    pairs = views.pairs(plan, relation, way)
    parts = parts_of(pairs)
    least = [n * -math.log1p(-p.share) if p.sampled else math.inf for p, n in parts]
    one_sided = all(part.removes for part, _ in parts)
    if not one_sided and sum(least) * (1 + 1e-9) < epsilon:
        return
    proved = exact.delta(plan, epsilon=epsilon, direction=way, adjacency=relation).upper
    log_delta = math.log(proved) if sharpened and proved > 0 else 0.0
    moments = Moments(parts, epsilon, log_delta)
    simple = Test(Simple.of(pairs, way, epsilon), tolerance, moments.simple())
    if estimator == "simple" or not one_sided:
        yield simple
        return
    theta = moments.best_theta()
    tilted = OneTilted.of(pairs, way, epsilon, theta)
    found = Test(tilted, tolerance, moments.importance(theta))
    fewer = estimator == "best" and simple.log_moment < found.log_moment
    yield simple if fewer else found


def verify(tests: Iterable[Test], coins: Coins, manner: Manner | None = None) -> Verdict:
    """Algorithm 2 in every direction: passes where each average is below δ_est/τ − Δ.

    The coins must depend on no data.  Raises LimitReached where a test needs more than 1e8 draws.
    """
    chosen = tuple(tests)
    averages, shares, accepted = [], [], True
    for place, test in enumerate(chosen):
        if test.log_size > math.log(_MOST):
            raise LimitReached(
                f"this verdict needs 10^{test.log_size / math.log(10):.1f} draws",
                hint="Bounds with fewer draws: accounting.monte_carlo_designs, or method exact.",
            )
        total, zeros = run(test.variable, _Apart(coins, place), test.size, _Seen(), manner)
        log_scale = test.variable.log_bound
        averages.append(total / test.size * math.exp(log_scale) + math.exp(test.variable.log_rest))
        shown = means.lower(zeros / test.size, test.size, _SHOWN)
        shares.append(Asymmetry(int(zeros), test.size, shown))
        accepted &= averages[-1] < test.tolerance.threshold
    return Verdict(accepted, tuple(averages), chosen, tuple(shares))


@final
@dataclass(frozen=True, slots=True)
class _Apart:
    """The coins of one direction: every second block is its own."""

    coins: Coins
    place: int

    def source(self, block: int) -> Source:
        """The words of a block."""
        return self.coins.source(len(Direction) * block + self.place)
