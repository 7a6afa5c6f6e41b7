"""The two directions of a claim, each with a variable in [0, 1] to draw and a trial of its mean.

What is drawn, how often, at which stake and which threshold is a function of the plan and the claim
alone: a pilot on public coins, which decides nothing in favour of a claim, tells how much the draws
scatter.  A direction whose bound without any draw is at most δ needs no trial.  How often a good
claim fails is planned by a normal law and by that pilot, or proved for whatever law draws may have.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, final

from bursar import require
from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Coins, Seeded
from bursar.accounting.monte_carlo_designs import design
from bursar.accounting.monte_carlo_own import own
from bursar.accounting.monte_carlo_runs import LogWealth, Manner, run
from bursar.adjacency import Direction
from bursar.errors import InvalidParameter, LimitReached
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.wealth import Threshold, Trial, planned, surely
from bursar.privacy.pairs import symmetric
from bursar.verification.claims import Claim

_COORDINATES, _FEWEST, _MOST = 2_000_000, 128, 20_000  # of a pilot, and its draws
_FAR = 6.0  # deviations at which the pilot gives a claim up
_HOPE = 4.0  # deviations that it keeps to itself when it hopes
PLANNED, PROVED = "planned", "proved"


@final
@dataclass(frozen=True, slots=True, init=False)
class Care:
    """How close to the truth a claim may be, and how often such a claim may be missed.

    A claim of δ/(1 − gap) or more passes, but for a probability of about `miss`, as a pilot and a
    normal law plan it; with `power="proved"` of at most `miss`, for more draws, often twice
    as many.  `most` bounds the draws of a direction.
    """

    gap: float
    miss: float
    most: int
    power: Literal["planned", "proved"]

    def __init__(
        self,
        *,
        gap: Number = "0.01",
        miss: Number = "1e-4",
        most: int = 2_000_000_000,
        power: str = PLANNED,
    ) -> None:
        for name, value in (("gap", gap), ("miss", miss)):
            exact = Exact.of(value, field=name)
            if not 0 < exact < 1:
                hint = "A claim of δ/(1 − gap) is to pass." if name == "gap" else None
                raise InvalidParameter("it must be in (0, 1)", field=name, value=value, hint=hint)
            object.__setattr__(self, name, float(exact))
        object.__setattr__(self, "most", require.count(most=most))
        object.__setattr__(self, "power", require.one_of((PLANNED, PROVED), power=power))

    def told(self, manner: Manner | None) -> dict[str, object]:
        """What is decided before coins are seen, as records and attempts have it."""
        return self.to_json() | {"stream": manner.stream if manner else ""}

    def to_json(self) -> dict[str, object]:
        """As records have it, and as it is made again."""
        return {"gap": self.gap, "miss": self.miss, "most": self.most, "power": self.power}

    @property
    def sure(self) -> float:
        """So many deviations, for both directions together."""
        return NormalDist().inv_cdf(1 - self.miss / 2)


@final
@dataclass(frozen=True, slots=True)
class Side:
    """One direction; no trial where none is needed.

    If δ is at most 1 − `gap` of the claim, the trial fails with probability at most e^`log_missed`.
    """

    direction: Direction
    bounded: Bounded
    log_delta: float
    trial: Trial | None
    gap: float = 0.0
    log_missed: float = -math.inf


@final
@dataclass(frozen=True, slots=True)
class Drawn:
    """What the trial of a side came to."""

    side: Side
    log_wealth: float
    average: float

    @property
    def passed(self) -> bool:
        """Whether the claim passes in this direction."""
        return self.side.trial is None or self.side.trial.passes(self.log_wealth)


@final
@dataclass(frozen=True, slots=True)
class Pilot:
    """One direction, looked at with public coins: how large its draws are, and how they scatter."""

    bounded: Bounded
    claim: Claim
    draws: int = 0
    average: float = 0.0
    variance: float = 0.0

    @property
    def scatter(self) -> float:
        """The deviation of its average."""
        return math.sqrt(self.variance / max(self.draws, 1))

    def hopeless(self, care: Care) -> str | None:
        """Why a claim is given up, if it is; never where it has to be drawn for, as what is proved.

        What a pilot sees on public coins is no theorem.
        """
        share = self.bounded.share(self.claim.log_delta)
        if care.power == PROVED or not self.draws or self.average - _FAR * self.scatter <= share:
            return None
        about = math.exp(min(self.bounded.log_delta(self.average), 0.0))
        return f"a pilot finds δ ≈ {about:.3g} in the {self.bounded.direction} direction"

    def side(self, care: Care, log_threshold: Threshold) -> Side:
        """The direction, planned."""
        way, log_delta = self.bounded.direction, self.claim.log_delta
        if not self.draws:
            return Side(way, self.bounded, log_delta, None)
        share = self.bounded.share(log_delta)
        if care.power == PROVED:
            trial = surely(
                share,
                self._mean(care.gap),
                log_miss=math.log(care.miss / 2) - 1e-9,
                log_threshold=log_threshold,
                most=care.most,
            )
            return self._told(trial, care.gap)
        spread = self.variance * (1 + 2 * _HOPE / math.sqrt(self.draws)) + self.scatter**2
        gap = max(care.gap, 0.9 * (1 - (self.average + _HOPE * self.scatter) / share))
        gap = min(gap, 0.999)
        trial = planned(
            share,
            spread / share**2,
            gap=gap,
            sure=care.sure,
            log_threshold=log_threshold,
            most=care.most,
        )
        return self._told(trial, gap)

    def _mean(self, gap: float) -> float:
        """At most the mean of the draws, where δ is at most 1 − gap of the claim."""
        return self.bounded.most(self.claim.log_delta + math.log1p(-gap) + 1e-12)

    def _told(self, trial: Trial, gap: float) -> Side:
        missed = trial.log_missed(self._mean(gap))
        way, log_delta = self.bounded.direction, self.claim.log_delta
        return Side(way, self.bounded, log_delta, trial, gap, missed)


def pilots(plan: Plan, claim: Claim, care: Care) -> tuple[Pilot, ...]:
    """The directions that a claim has to pass in.

    Steps of which there are many are drawn together, but where the power has to be proved.
    Raises NoProof for what cannot be drawn, LimitReached where what is not drawn is too much.
    """
    if any(isinstance(mechanism, views.HasSamples) for mechanism, _ in plan.steps):
        drawn_from = (own(plan, claim.adjacency, way, claim.epsilon_below) for way in Direction)
        return tuple(pilot(one, claim) for one in drawn_from)
    pairs = {way: views.pairs(plan, claim.adjacency, way) for way in Direction}
    ways = list(Direction)
    if all(symmetric(pair) for pair, _ in pairs[Direction.REMOVE].parts):
        ways = [Direction.REMOVE]
    at, together = claim.epsilon_below, care.power != PROVED
    designs = (design(pairs[way], way, at, together=together) for way in ways)
    return tuple(pilot(one, claim) for one in designs)


def pilot(bounded: Bounded, claim: Claim) -> Pilot:
    """One direction, looked at; not at all where its bound without a draw is at most δ."""
    if bounded.log_ceiling <= claim.log_delta:
        return Pilot(bounded, claim)
    if not bounded.share(claim.log_delta) > 0:
        raise LimitReached(
            f"what is not drawn is alone above δ = {claim.delta}: {bounded.direction} direction",
            hint="A larger δ can be verified.",
        )
    size = min(max(_FEWEST, _COORDINATES // max(bounded.coordinates, 1)), _MOST)
    draws = bounded.draw(size, Seeded(0).source(0))
    return Pilot(bounded, claim, size, float(draws.mean()), float(draws.var()))


@final
@dataclass(frozen=True, slots=True)
class Power:
    """A claim of δ/(1 − gap) fails with about the probability `planned`, and at most `proved`."""

    gap: float
    planned: float
    proved: float

    @classmethod
    def of(cls, care: Care, sides: Iterable[Side]) -> Power:
        """Of all directions together: where one has more room than another, the larger gap."""
        tried = [one for one in sides if one.trial]
        proved = math.fsum(math.exp(one.log_missed) for one in tried) * (1 + 1e-12)
        planned = care.miss if tried else 0.0
        return cls(max((one.gap for one in tried), default=0.0), planned, min(proved, 1.0))

    def to_json(self) -> dict[str, float]:
        """As answers and records have it."""
        return {"gap": self.gap, "planned": self.planned, "proved": self.proved}


def fingerprint(bounded: Bounded) -> str:
    """What two variables share only if they draw the same."""
    return hashlib.sha256(bounded.digest.encode()).hexdigest()


def drawn(one: Side, coins: Coins, manner: Manner | None = None) -> Drawn:
    """Draw, and bet."""
    if one.trial is None:
        return Drawn(one, math.inf, 0.0)
    fold = LogWealth(one.trial.stake, one.trial.share)
    log_wealth, total = run(one.bounded, coins, one.trial.draws, fold, manner)
    return Drawn(one, log_wealth, total / one.trial.draws)
