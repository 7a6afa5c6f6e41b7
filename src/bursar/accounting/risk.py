"""What an attacker could do: advantage, true positive rate, posterior; the trade-off curve.

The attacker sees the output, knows everything but whether the person was in the data, and guesses
"in".  With P the law with the person and Q without, every test has TPR ≤ δ(x) + x·FPR for all
x > 0, δ(x) = ∫(p−xq)₊, and the best test attains the least of these (Dong, Roth & Su 2022,
Prop. 2.12).  The largest TPR − FPR is δ at x = 1.  Not here: how that is enclosed (`power.py`).
"""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

from bursar import require
from bursar.accounting import choose
from bursar.accounting.power import Attack
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import LimitReached
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_up, precision
from bursar.truth import About, Enclosure, Proved, UpperBound, number, rounded

RATES = ("0.0001", "0.001", "0.01", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "0.9")


class Point(NamedTuple):
    """A false positive rate, and the largest true positive rate of any attacker there."""

    false_positive_rate: float
    true_positive_rate: Proved


@final
@dataclass(frozen=True, slots=True)
class TradeOff:
    """The trade-off curve of f-DP at some rates: f(FPR) = 1 − TPR is the least miss rate.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> curve = trade_off(Gaussian(noise_multiplier=1), points=3)
    >>> [(rate, round(tpr.upper, 3)) for rate, tpr in curve]
    [(0.0, 0.0), (0.5, 0.841), (1.0, 1.0)]
    """

    points: tuple[Point, ...]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_json(self) -> dict[str, Any]:
        """The rows, and how the first of them was found."""
        rows = [
            {"false_positive_rate": rate, "true_positive_rate": tpr.values()}
            for rate, tpr in self.points
        ]
        return {"trade_off": rows, "kind": self.points[0].true_positive_rate.kind}

    def _repr_html_(self) -> str:
        head = "<tr><th>FPR</th><th>TPR at most</th></tr>"
        rows = "".join(
            f"<tr><td>{rate:g}</td><td>{html.escape(rounded(tpr.upper, 6, up=True))}</td></tr>"
            for rate, tpr in self.points
        )
        return f"<table>{head}{rows}</table>"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """What the best attacker achieves: the advantage, and at one false positive rate the rest.

    `belief` bounds how sure the attacker may be who held `prior` before and whose test then says
    "in": by Bayes, with odds times TPR/FPR.
    """

    advantage: Proved
    false_positive_rate: Exact
    true_positive_rate: Proved
    prior: Exact
    belief: float

    def sentence(self, digits: int = 4) -> str:
        """The numbers in words, rounded up."""
        shown = [
            rounded(value, digits, up=True)
            for value in (self.advantage.upper, self.true_positive_rate.upper, self.belief)
        ]
        return (
            f"advantage ≤ {shown[0]}; TPR ≤ {shown[1]} at FPR {self.false_positive_rate}; "
            f"belief ≤ {shown[2]} from {self.prior}"
        )

    def to_json(self) -> dict[str, Any]:
        """One object, with every digit."""
        return {
            "advantage": {name: number(value) for name, value in self.advantage.values().items()},
            "false_positive_rate": self.false_positive_rate.text,
            "true_positive_rate": self.true_positive_rate.values(),
            "prior": self.prior.text,
            "belief": {"upper": self.belief},
            "kind": self.true_positive_rate.kind,
            "adjacency": self.true_positive_rate.about.adjacency.value,
        }

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence())}</p>"


def risk(
    run: Plan | Mechanism,
    *,
    false_positive_rate: Number = "0.01",
    prior: Number = "0.5",
    adjacency: Adjacency | str = DEFAULT,
) -> Risk:
    """What the best attacker could do who sees the output of a plan.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> risk(Gaussian(noise_multiplier=1)).sentence()
    'advantage ≤ 0.383; TPR ≤ 0.09237 at FPR 0.01; belief ≤ 0.9024 from 0.5'
    """
    rate = require.probability(false_positive_rate=false_positive_rate)
    before = require.unit_interval(prior=prior)
    found = true_positive_rate(run, false_positive_rate=rate, adjacency=adjacency)
    with precision():
        odds = ball(found.upper) / ball(rate)
        told = odds * ball(before) / (1 - ball(before) + odds * ball(before))
        belief = min(1.0, float_up(told))
    return Risk(
        advantage=advantage(run, adjacency=adjacency),
        false_positive_rate=rate,
        true_positive_rate=found,
        prior=before,
        belief=belief,
    )


def advantage(run: Plan | Mechanism, *, adjacency: Adjacency | str = DEFAULT) -> Proved:
    """The largest TPR − FPR of any attacker: the total variation distance, δ at ε = 0.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> advantage(Gaussian(noise_multiplier=1)).upper
    0.3829...
    """
    found = choose.delta(run, epsilon=0, adjacency=adjacency)
    return replace(found, about=replace(found.about, quantity="advantage"))


def true_positive_rate(
    run: Plan | Mechanism, *, false_positive_rate: Number, adjacency: Adjacency | str = DEFAULT
) -> Proved:
    """The largest true positive rate of any attacker at this false positive rate.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> true_positive_rate(Gaussian(noise_multiplier=1), false_positive_rate="0.01").upper
    0.09236...
    """
    rate = require.unit_interval(false_positive_rate=false_positive_rate)
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    return next(_rates(plan, [rate], relation))


def trade_off(
    run: Plan | Mechanism,
    *,
    points: int | None = None,
    rates: Iterable[Number] | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> TradeOff:
    """The trade-off curve of f-DP: at each false positive rate, the largest true positive rate.

    At these `rates`, or at so many `points` equally far apart from 0 to 1, ends included.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> trade_off(Gaussian(noise_multiplier=1), rates=["0.01"]).points[0].true_positive_rate.upper
    0.09236...
    """
    return TradeOff(tuple(trade_off_points(run, points=points, rates=rates, adjacency=adjacency)))


def trade_off_points(
    run: Plan | Mechanism,
    *,
    points: int | None = None,
    rates: Iterable[Number] | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Iterator[Point]:
    """The points of `trade_off` one by one."""
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    if points is not None:
        steps = require.count(points=points, at_least=2) - 1
        rates = [Exact(j) / steps for j in range(steps + 1)]
    grid = [
        Exact(require.unit_interval(rates=rate)) for rate in (RATES if rates is None else rates)
    ]
    found = _rates(plan, grid, relation)
    return (Point(float(rate), tpr) for rate, tpr in zip(grid, found, strict=True))


def posterior(prior: Number, *, epsilon: Number) -> float:
    """The largest belief that a person is in the data, after an output of loss at most ε.

    >>> posterior("0.5", epsilon=1)
    0.7310...
    """
    before, loss = require.unit_interval(prior=prior), require.nonnegative(epsilon=epsilon)
    if before in (0, 1):
        return float(before)
    with precision():
        odds = ball(before) / (1 - ball(before)) * ball(loss).exp()
        return min(1.0, float_up(odds / (1 + odds)))


def _rates(plan: Plan, rates: Sequence[Exact], relation: Adjacency) -> Iterator[Proved]:
    attack = Attack.on(plan, relation)
    for rate in rates:
        started = time.perf_counter()
        try:
            found = attack.power(rate)
        except LimitReached:
            attack = Attack.bounded(plan, relation)
            found = attack.power(rate)
        about = About(
            quantity="true_positive_rate",
            given=rate.text,
            method=attack.method,
            adjacency=relation,
            direction=found.direction,
            seconds=time.perf_counter() - started,
        )
        if found.tight:
            yield Enclosure(lower=min(found.lower, found.upper), upper=found.upper, about=about)
        else:
            yield UpperBound(upper=found.upper, about=about)
