"""`bursar convert`: what one statement of privacy says in the words of another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from bursar import require
from bursar.cli.answer import Answer
from bursar.cli.flags import ASKED, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import must, relation, requested
from bursar.errors import InvalidParameter
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.reports.words import steps_of
from bursar.truth import Refusal

EXAMPLES = (
    "bursar convert --rho 0.1 --at-delta 1e-5",
    "bursar convert --epsilon 1 --to gdp",
    "bursar convert --orders 2,8,32 --values 0.1,0.5,2.4 --to approximate-dp --at-delta 1e-6",
)
_SAID = "What is stated"


def _targets() -> Iterable[str]:
    from bursar.accounting.convert import TARGETS

    return TARGETS


@asks
def convert(
    *,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "Pure ε; with --delta, (ε, δ).", _SAID)
    ] = None,
    delta: Annotated[str | None, option("--delta", "NUMBER", "The δ of (ε, δ).", _SAID)] = None,
    rho: Annotated[str | None, option("--rho", "NUMBER", "ρ of zCDP.", _SAID)] = None,
    mu: Annotated[str | None, option("--mu", "NUMBER", "μ of GDP.", _SAID)] = None,
    orders: Annotated[
        str | None, option("--orders", "LIST", "Orders of RDP, with commas between.", _SAID)
    ] = None,
    values: Annotated[
        str | None, option("--values", "LIST", "ε at each of these orders.", _SAID)
    ] = None,
    advantage: Annotated[
        str | None, option("--advantage", "NUMBER", "No attacker's TPR − FPR is above.", _SAID)
    ] = None,
    file: FromFile,
    to: Annotated[
        str | None,
        option("--to", "NAME", "What is wanted.  [all there is]", ASKED, among=_targets),
    ] = None,
    at_delta: Annotated[
        str | None, option("--at-delta", "NUMBER", "At which δ an ε is wanted.", ASKED)
    ] = None,
    at_epsilon: Annotated[
        str | None, option("--at-epsilon", "NUMBER", "Or at which ε a δ is.", ASKED)
    ] = None,
    at_order: Annotated[
        str, option("--at-order", "NUMBER", "At which order RDP is wanted.  [2]", ASKED)
    ] = "2",
    at_fpr: Annotated[
        str, option("--at-fpr", "NUMBER", "At which FPR a TPR is wanted.  [0.01]", ASKED)
    ] = "0.01",
    neighbours: Neighbours,
    manner: Manner,
) -> Answer:
    """What a statement says in the words of another.

    Each conversion with its theorem; where nothing is proved, the reason.
    """
    given = {
        "epsilon": epsilon,
        "delta": delta,
        "rho": rho,
        "mu": mu,
        "orders": orders,
        "values": values,
        "advantage": advantage,
    }
    said = {name: text for name, text in given.items() if text is not None}
    if file.plan is not None:
        for name, text in said.items():
            need = "it may not stand beside --plan"
            raise InvalidParameter(need, field=name, value=text)
        request = requested(Steps(), file, neighbours)
        plan, adjacency = request.plan, request.adjacency
    else:
        plan, adjacency = Plan.of(_statement(said)), relation(neighbours)
    at: dict[str, Any] = {
        "at_delta": at_delta,
        "at_epsilon": at_epsilon,
        "at_order": at_order,
        "at_fpr": at_fpr,
        "adjacency": adjacency,
    }

    def ask() -> Answer:
        from bursar.accounting.convert import conversions, convert

        found = [convert(plan, to=to, **at)] if to is not None else list(conversions(plan, **at))
        rows = [
            (one.method, "refused", one.why)
            if isinstance(one, Refusal)
            else (one.to, one.sentence(), one.theorem)
            for one in found
        ]
        stated = [("stated", steps_of(plan.canonical())), ("neighbours", str(adjacency))]
        body = [
            {"to": one.method, "refused": one.why} if isinstance(one, Refusal) else one.to_json()
            for one in found
        ]
        return Answer(
            body={"conversions": body, "plan": plan.canonical(), "adjacency": adjacency.value},
            sentence="What it says in other words",
            table=rows,
            rows=stated,
        )

    return within(manner.timeout, ask)


def _statement(said: dict[str, str]) -> Any:
    """The one statement that the flags make."""
    match sorted(said):
        case ["epsilon"]:
            return PureDP(epsilon=said["epsilon"])
        case ["delta", "epsilon"]:
            return ApproximateDP(epsilon=said["epsilon"], delta=said["delta"])
        case ["rho"]:
            return ZeroConcentratedDP(rho=said["rho"])
        case ["mu"]:
            return GaussianDP(mu=said["mu"])
        case ["advantage"]:
            total = require.unit_interval(advantage=said["advantage"])
            return ApproximateDP(epsilon=0, delta=total)
        case ["orders", "values"]:
            return RenyiDP(orders=said["orders"].split(","), values=said["values"].split(","))
        case []:
            hint = "Say what is stated: --epsilon, --rho, --mu, --orders, --advantage, or --plan."
            must(epsilon=None, hint=hint)
    pairs = {"delta": "epsilon", "orders": "values", "values": "orders"}
    first = next((name for name in said if name in pairs and pairs[name] not in said), None)
    if first is not None and len(said) == 1:
        missing = pairs[first]
        must(**{missing: None}, hint=f"It comes with --{first}.")
    *_, last = said
    need = "these flags do not make one statement"
    raise InvalidParameter(need, field=last, value=said[last], hint="Give one statement.")
