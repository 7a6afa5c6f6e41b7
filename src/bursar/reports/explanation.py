"""Why an ε is what it is: theorems, directions, the bill line by line, the others, a witness.

Nothing is computed here that the accountants do not answer for; this only asks them all, and puts
beside each other what they say.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, final

from bursar.accounting import choose, rdp, risk
from bursar.accounting.accountants import ACCOUNTANTS, PROVED, Accountant, Answer
from bursar.accounting.directions import directions
from bursar.accounting.witness import Witness, refute
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import BursarError, LimitReached, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.privacy.screen_curve import Form, ScreenCurve
from bursar.reports.words import ACCOUNTS, ADDED, COMPOSED, DOMINATES
from bursar.truth import Enclosure, Estimate, Proved, Refusal, rounded

_LESS = 0.99  # of ε: the claim that the witness is against, unless another is named


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """An ε at a δ, and everything that is known of why."""

    plan: Plan
    result: Proved
    remove: Proved | None
    add: Proved | None
    theorems: tuple[tuple[str, str], ...]
    others: tuple[Answer | Refusal, ...]
    claim: Exact | None
    witness: Witness | None
    unseen: str
    total_variation: Proved | None

    def rows(self) -> list[tuple[str, str]]:
        """Label and words, line by line."""
        found = [*self._directions()]
        found += [("theorem", f"{of}: {what}") for of, what in self.theorems]
        found += [
            ("error", f"{line.name} ≤ {rounded(line.bound, 2, up=True)}: {line.source}")
            for line in self.result.about.bill
        ]
        if self.result.about.reason:
            found.append(("because", self.result.about.reason))
        if self.total_variation is not None:
            tv = rounded(self.total_variation.upper, 6, up=True)
            found.append(("because", f"the total variation distance is at most {tv}"))
        found += [("beside it", _beside(one, self.result.upper)) for one in self.others]
        if self.witness is not None:
            found.append(("not less", self.witness.sentence()))
            found.append(("event S", self.witness.event))
        elif self.unseen:
            found.append(("not less?", self.unseen))
        return found

    def _directions(self) -> list[tuple[str, str]]:
        if self.remove is None or self.add is None:
            return []
        if self.remove is self.add:
            return [("directions", "removing and adding a person cost the same")]
        return [("removing", self.remove.sentence()), ("adding", self.add.sentence())]

    def to_json(self) -> dict[str, Any]:
        """One object, with every digit."""
        return {
            **self.result.to_json(),
            "plan": self.plan.canonical(),
            "directions": {
                name: one.values()
                for name, one in (("remove", self.remove), ("add", self.add))
                if one is not None
            },
            "theorems": [{"of": of, "theorem": what} for of, what in self.theorems],
            "accountants": [one.to_json() for one in self.others],
            "claim": None if self.claim is None else self.claim.text,
            "witness": None if self.witness is None else self.witness.to_json(),
        }

    def __str__(self) -> str:
        wide = max(len(label) for label, _ in self.rows())
        lines = [f"{label.ljust(wide)}   {words}" for label, words in self.rows()]
        return "\n".join([self.result.sentence(), "", *lines])

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><td>{html.escape(label)}</td><td>{html.escape(words)}</td></tr>"
            for label, words in self.rows()
        )
        return f"<table><caption>{html.escape(self.result.sentence())}</caption>{lines}</table>"


def explain(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    claim: Number | None = None,
) -> Explanation:
    """Why the ε of a plan at this δ is what it is.

    With `claim`, an ε that somebody states: the witness is one against it, if there is one.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> told = explain(Gaussian(noise_multiplier=1), delta=1e-5)
    >>> told.theorems[0]
    ('1 × gaussian', 'N(1, σ²) against N(0, σ²): Balle & Wang 2018, Thm 8')
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    question: dict[str, Any] = {"delta": delta, "log_delta": log_delta, "adjacency": relation}
    answers: dict[str, Answer | BursarError] = {}

    def ask(accountant: Accountant) -> Answer:
        if accountant.name not in answers:
            try:
                answers[accountant.name] = accountant.epsilon(plan, **question)
            except (NoProof, LimitReached) as error:
                answers[accountant.name] = error
        found = answers[accountant.name]
        if isinstance(found, BursarError):
            raise found
        return found

    result = choose.tightest(ask, PROVED)
    others: list[Answer | Refusal] = []
    for accountant in ACCOUNTANTS:
        try:
            found = ask(accountant)
        except (NoProof, LimitReached) as error:
            others.append(Refusal(accountant.name, error.need))
            continue
        if found.about.method != result.about.method:
            others.append(found)
    remove, add = _directions(plan, relation, result, question)
    against = None if claim is None else Exact.of(claim, field="claim")
    witness, unseen, against = _witness(plan, result, question, against)
    zero = result.upper == 0 and question["delta"] != 1
    return Explanation(
        plan=plan,
        result=result,
        remove=remove,
        add=add,
        theorems=(*_theorems(plan, relation, result, question), *_account(result)),
        others=tuple(others),
        claim=against,
        witness=witness,
        unseen=unseen,
        total_variation=risk.advantage(plan, adjacency=relation) if zero else None,
    )


def _directions(
    plan: Plan, relation: Adjacency, result: Proved, question: dict[str, Any]
) -> tuple[Proved | None, Proved | None]:
    """Each direction by itself, where one that encloses them takes the plan."""
    asked = {name: value for name, value in question.items() if name != "adjacency"}
    try:
        remove, add = directions(plan, relation, asked)
    except (NoProof, LimitReached):
        return None, None
    if max(remove.upper, add.upper) > result.upper and not isinstance(remove, Enclosure):
        return None, None
    return remove, add


def _theorems(
    plan: Plan, relation: Adjacency, result: Proved, question: dict[str, Any]
) -> list[tuple[str, str]]:
    """What bounds each step, and why the whole."""
    by_curves = result.about.method.startswith("rdp")
    order = rdp.order(plan, **question) if by_curves else None
    found = []
    for step, n in plan.steps:
        what = _curve(step, relation, order) if by_curves else _dominates(Plan.of(step), relation)
        found.append((f"{n} × {step.name}", what))
    if len(plan.steps) > 1 or plan.steps[0][1] > 1:
        found.append(("together", ADDED if by_curves else COMPOSED))
    return found


def _curve(step: Mechanism, relation: Adjacency, order: Exact | None) -> str:
    """A step's Rényi curve; of a screen, which of its bounds is the smallest where it was used."""
    curve = views.rdp(Plan.of(step), relation)
    if not isinstance(curve, ScreenCurve):
        return "its Rényi curve"
    if order is None:
        return Form.PURE.theorem
    best = curve.best(order)
    return f"{best.form}, at order {float(best.at):.6g}: {best.form.theorem}"


def _dominates(step: Plan, relation: Adjacency) -> str:
    ((pair, _),) = views.pairs(step, relation, Direction.REMOVE).parts
    return DOMINATES[type(pair)]


def _account(result: Proved) -> list[tuple[str, str]]:
    method = result.about.method
    return [(method, ACCOUNTS[method])] if method in ACCOUNTS else []


def _witness(
    plan: Plan, result: Proved, question: dict[str, Any], claim: Exact | None
) -> tuple[Witness | None, str, Exact | None]:
    """An event against the claim, or against an ε that is one in a hundred less."""
    if claim is None:
        if not isinstance(result, Enclosure) or not 0 < result.lower < float("inf"):
            return None, "", None
        claim = Exact.of(rounded(_LESS * result.lower, 6, up=False))
    try:
        found = refute(plan, epsilon=claim, **question)
    except (NoProof, LimitReached) as error:
        return None, f"nothing is shown against ε = {claim}: {error.need}", claim
    if found is None:
        return None, f"no event refutes ε = {claim}, which does not prove it", claim
    return found, "", claim


def _beside(one: Answer | Refusal, tightest: float) -> str:
    if isinstance(one, Refusal):
        return f"{one.method} cannot: {one.why}"
    looser = not isinstance(one, Estimate) and one.upper > tightest
    return f"{one.about.method} says {one.sentence()}{', which is not as tight' if looser else ''}"
