"""From one statement of privacy to another: each conversion with its theorem, or why there is none.

Pure ε, (ε, δ), zCDP, GDP, RDP, and what an attacker could do.  What a statement implies is asked of
the views it has; a conversion without a proof is refused with the reason, never approximated.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from bursar import require
from bursar.accounting import choose, exact, lattice, rdp, risk
from bursar.accounting.gdp_steps import step_square
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import InvalidParameter, LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import ApproximateDP, PureDP
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.conversions import pure_to_gdp
from bursar.truth import Proved, Refusal, number, rounded

TARGETS = ("pure-dp", "approximate-dp", "zcdp", "gdp", "rdp", "advantage", "tpr")

_HALF = "Bun & Steinke 2016, Prop. 3.3"
_SIMULATED = "Kairouz, Oh & Viswanath 2015, Thm 3.3"
_ORDERS = "Canonne, Kamath & Steinke 2020, Prop. 12, at the best order"
_GAUSSIAN = "the Gaussian of this μ dominates (Dong, Roth & Su 2022, Def. 2.6)"
_ATTACK = "Dong, Roth & Su 2022, Prop. 2.12; docs/proofs/risk.md"
_SAME = "it is the same statement"

_THEOREMS = {
    ("pure-dp", "approximate-dp"): f"randomized response dominates: {_SIMULATED}",
    ("pure-dp", "zcdp"): _HALF,
    ("pure-dp", "gdp"): "docs/proofs/conversions.md, section 1",
    ("pure-dp", "rdp"): f"randomized response dominates: {_SIMULATED}",
    ("approximate-dp", "approximate-dp"): f"its own pair dominates: {_SIMULATED}",
    ("zcdp", "approximate-dp"): _ORDERS,
    ("zcdp", "rdp"): "Bun & Steinke 2016, Def. 1.1",
    ("gdp", "approximate-dp"): "Dong, Roth & Su 2022, Cor. 2.13",
    ("gdp", "zcdp"): f"{_GAUSSIAN}, and has ρ = μ²/2: Bun & Steinke 2016, Prop. 1.6",
    ("gdp", "rdp"): f"{_GAUSSIAN}, and has ε(α) = αμ²/2: Mironov 2017, Cor. 3",
    ("rdp", "approximate-dp"): _ORDERS,
    ("rdp", "rdp"): "it rises, and (α−1)ε(α) is convex: van Erven & Harremoës 2014, Thm 3, Cor. 2",
}
_PROOFS = {
    exact.NAME: "the exact accountant: docs/proofs/contour.md",
    "closed-form": "the exact accountant: docs/proofs/contour.md",
    lattice.NAME: "the lattice accountant: docs/proofs/lattice.md",
    rdp.NAME: _ORDERS,
}
_RULES = {
    "pure": "ε adds up: Dwork et al. 2006",
    "zcdp": "ρ adds up: Bun & Steinke 2016, Lemma 1.7",
    "gdp": "μ² adds up: Dong, Roth & Su 2022, Cor. 3.3",
    "rdp": "ε(α) adds up: Mironov 2017, Prop. 1",
}
_PURE_GDP = "a pure step is GDP: docs/proofs/conversions.md, section 1"
_INFINITE = "with probability δ the loss may be infinite"
_TAIL = "the Gaussian meets the statement, and its loss has no upper end"
_UNSHAPED = "divergences bound tails, not a whole trade-off curve: no μ is proved here"
_REASONS = {
    ("approximate-dp", "pure-dp"): f"{_INFINITE}, and no ε bounds it",
    ("zcdp", "pure-dp"): _TAIL,
    ("gdp", "pure-dp"): _TAIL,
    ("rdp", "pure-dp"): "finite orders leave the loss without an upper end",
    ("approximate-dp", "zcdp"): f"{_INFINITE}, and then no divergence is finite",
    ("rdp", "zcdp"): "zCDP is about every order above 1, and these are finitely many",
    ("approximate-dp", "gdp"): f"{_INFINITE}, which no μ allows",
    ("zcdp", "gdp"): _UNSHAPED,
    ("rdp", "gdp"): _UNSHAPED,
    ("approximate-dp", "rdp"): f"{_INFINITE}, and then no divergence is finite",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a statement implies: the parameters of another, each rounded up, and the theorem."""

    to: str
    values: dict[str, Exact | float]
    theorem: str
    result: Proved | None = None

    def sentence(self, digits: int = 6) -> str:
        """The statement in words, its numbers rounded up."""
        shown = {
            name: value.text
            if isinstance(value, Exact) and len(value.text) <= _LONG
            else rounded(_float_up(value), digits, up=True)
            for name, value in self.values.items()
        }
        return ", ".join(f"{_WORDS.get(name, name)} = {value}" for name, value in shown.items())

    def to_json(self) -> dict[str, Any]:
        """One object, with every digit; exact numbers are text."""
        values = {
            name: value.text if isinstance(value, Exact) else number(value)
            for name, value in self.values.items()
        }
        return {"to": self.to, **values, "theorem": self.theorem}

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.to)}: {html.escape(self.sentence())}</p>"


def _float_up(value: Exact | float) -> float:
    with precision():
        return float_up(ball(value))


_LONG = 12  # letters of an exact number that is shown as it is
_WORDS = {
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "mu": "μ",
    "order": "α",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """Where a statement of more than one number is wanted."""

    delta: Number | None = None
    epsilon: Number | None = None
    order: Number = 2
    false_positive_rate: Number = "0.01"


def convert(
    run: Plan | Mechanism,
    *,
    to: str,
    at_delta: Number | None = None,
    at_epsilon: Number | None = None,
    at_order: Number = 2,
    at_fpr: Number = "0.01",
    adjacency: Adjacency | str = DEFAULT,
) -> Converted:
    """What a statement, or a plan, implies in other words; NoProof, with the reason, if nothing.

    `to` is one of pure-dp, approximate-dp (at a δ, or at an ε), zcdp, gdp, rdp (at an order),
    advantage, and tpr (at a false positive rate).

    >>> from bursar.mechanisms.statements import GaussianDP
    >>> convert(GaussianDP(mu="0.5"), to="zcdp").sentence()
    'ρ = 0.125'
    """
    target = require.one_of(TARGETS, to=to)
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    at = At(delta=at_delta, epsilon=at_epsilon, order=at_order, false_positive_rate=at_fpr)
    known = _source(plan) or "", target
    try:
        values, result, theorem = _FINDERS[target](_sharpest(plan), relation, at)
    except NoProof as error:
        raise NoProof(_REASONS.get(known, error.need), hint=error.hint) from None
    return Converted(
        to=target,
        values=values,
        theorem=theorem or _THEOREMS.get(known, _general(plan, target, result)),
        result=result,
    )


def conversions(
    run: Plan | Mechanism,
    *,
    at_delta: Number | None = None,
    at_epsilon: Number | None = None,
    at_order: Number = 2,
    at_fpr: Number = "0.01",
    adjacency: Adjacency | str = DEFAULT,
) -> Iterator[Converted | Refusal]:
    """All of them: what is implied, or why it is not."""
    for target in TARGETS:
        if target == "approximate-dp" and at_delta is None and at_epsilon is None:
            yield Refusal(target, "at which δ, or at which ε?")
            continue
        try:
            yield convert(
                run,
                to=target,
                at_delta=at_delta,
                at_epsilon=at_epsilon,
                at_order=at_order,
                at_fpr=at_fpr,
                adjacency=adjacency,
            )
        except (NoProof, LimitReached) as error:
            yield Refusal(target, error.need)


_Found = tuple[dict[str, Exact | float], Proved | None, str | None]


def _pure(plan: Plan, relation: Adjacency, at: At) -> _Found:
    del at
    return {"epsilon": Exact(views.pure(plan, relation))}, None, _additive(plan, "pure")


def _approximate(plan: Plan, relation: Adjacency, at: At) -> _Found:
    if (at.delta is None) == (at.epsilon is None):
        need = "give exactly one of at_delta and at_epsilon"
        raise InvalidParameter(need, field="at_delta", value=at.delta)
    if at.delta is not None:
        delta = require.unit_interval(at_delta=at.delta)
        found = choose.epsilon(plan, delta=delta, adjacency=relation)
        if found.upper == float("inf"):
            raise NoProof(f"no finite ε holds: {found.about.reason or 'at this δ'}")
        return {"epsilon": found.upper, "delta": delta}, found, None
    epsilon = require.nonnegative(at_epsilon=at.epsilon)  # type: ignore[arg-type]
    found = choose.delta(plan, epsilon=epsilon, adjacency=relation)
    return {"epsilon": epsilon, "delta": found.upper}, found, None


def _zcdp(plan: Plan, relation: Adjacency, at: At) -> _Found:
    """By the view, or since a step is pure."""
    del at
    try:
        return {"rho": Exact(views.zcdp(plan, relation))}, None, _additive(plan, "zcdp")
    except NoProof:
        rho = plan.total(lambda step: _rho(step, relation))
        return {"rho": Exact(rho)}, None, f"ρ = ε²/2 of a pure step: {_HALF}; {_RULES['zcdp']}"


def _rho(step: Mechanism, relation: Adjacency) -> Fraction:
    alone = Plan.of(step)
    try:
        return views.zcdp(alone, relation)
    except NoProof:
        with suppress(NoProof):
            return views.pure(alone, relation) ** 2 / 2
        raise


def _gdp(plan: Plan, relation: Adjacency, at: At) -> _Found:
    del at
    alone = plan.steps[0][0] if len(plan.steps) == 1 and plan.steps[0][1] == 1 else None
    if isinstance(alone, PureDP):
        return {"mu": pure_to_gdp(alone.epsilon)}, None, None
    try:
        return {"mu": _root(views.gdp(plan, relation))}, None, _additive(plan, "gdp")
    except NoProof as error:
        with suppress(NoProof):
            square = plan.total(lambda step: step_square(step, relation))
            if square != math.inf:
                return {"mu": _root(Fraction(square))}, None, f"{_PURE_GDP}; {_RULES['gdp']}"
        raise error from None


def _root(square: Fraction) -> Exact | float:
    """The root itself where it is rational, else the least float above it."""
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if root**2 == square:
        return Exact(root)
    with precision():
        return float_up(ball(square).sqrt())


def _rdp(plan: Plan, relation: Adjacency, at: At) -> _Found:
    order = Exact.of(at.order, field="at_order")
    if not order >= 1:
        raise InvalidParameter("it must be 1 or above", field="at_order", value=at.order)
    value = views.rdp(plan, relation).at(order)
    if value == float("inf"):
        raise NoProof("the statement says nothing of this order", field="at_order", value=at.order)
    return {"order": order, "epsilon": value}, None, _additive(plan, "rdp")


def _advantage(plan: Plan, relation: Adjacency, at: At) -> _Found:
    del at
    found = risk.advantage(plan, adjacency=relation)
    return {"advantage": found.upper}, found, f"the total variation is δ at ε = 0; {_ATTACK}"


def _tpr(plan: Plan, relation: Adjacency, at: At) -> _Found:
    rate = require.unit_interval(at_fpr=at.false_positive_rate)
    found = risk.true_positive_rate(plan, false_positive_rate=rate, adjacency=relation)
    return {"true_positive_rate": found.upper, "false_positive_rate": rate}, found, _ATTACK


_FINDERS = {
    "pure-dp": _pure,
    "approximate-dp": _approximate,
    "zcdp": _zcdp,
    "gdp": _gdp,
    "rdp": _rdp,
    "advantage": _advantage,
    "tpr": _tpr,
}


def _source(plan: Plan) -> str | None:
    """The name of the statement that the plan is, once; None for anything composed."""
    alone = _sharpest(plan)
    return alone.steps[0][0].name if len(alone.steps) == 1 and alone.steps[0][1] == 1 else None


def _sharpest(plan: Plan) -> Plan:
    """(ε, 0) is pure ε, which has more views."""
    if len(plan.steps) == 1:
        (step, n), *_ = plan.steps
        if isinstance(step, ApproximateDP) and step.delta == 0:
            return Plan.of(PureDP(epsilon=step.epsilon), count=n)
    return plan


def _additive(plan: Plan, view: str) -> str | None:
    """For what adds up over several steps, that it does; None for one statement."""
    if _source(plan) is not None:
        same = plan.steps[0][0].name.removesuffix("-dp") == view and view != "rdp"
        return _SAME if same else None
    return _RULES[view]


def _general(plan: Plan, target: str, result: Proved | None) -> str:
    if result is not None:
        return _PROOFS.get(result.about.method, _ORDERS)
    return (
        f"the {target} view of {plan.steps[0][0].name}" if len(plan.steps) == 1 else "composition"
    )
