"""A claim card: the guarantee, what it means, and all that it stands on, "not covered" included.

NIST SP 800-226 has a pyramid: ε and the unit of privacy on top, beneath it what can undermine them,
and each layer depends on those below.  A card fills every layer; what bursar cannot see from the
parameters of a run is said to be not covered, never left out.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, final

from bursar.accounting import choose, risk
from bursar.accounting.risk import Risk
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.reports.words import steps_of
from bursar.truth import Proved, rounded

_UNIT = "one person, whose whole contribution keeps the bound that the noise is measured by"
_KINDS = {"enclosure": "proved on both sides", "upper-bound": "an upper bound, proved"}
_NOT_COVERED = "not covered by this card"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCard:
    """What may be claimed of a run, layer by layer from the top."""

    plan: Plan
    result: Proved
    risk: Risk | None

    def layers(self) -> dict[str, list[tuple[str, str]]]:
        """Each layer with its lines."""
        about = self.result.about
        at = f"δ = {about.given}" if about.given_name == "delta" else f"log δ = {about.given}"
        return {
            "Guarantee": [
                ("privacy", f"ε ≤ {rounded(self.result.upper, 6, up=True)} at {at}"),
                (
                    "kind",
                    "proved on both sides"
                    if self.result.kind == "enclosure"
                    else "an upper bound, proved",
                ),
                ("unit", _UNIT),
                ("neighbours", f"{about.adjacency}; both directions, the worse counts"),
                ("accountant", about.method),
                *([("because", about.reason)] if about.reason else []),
            ],
            "What an attacker could do": self._risks(),
            "Algorithm": [
                ("run", steps_of(self.plan.canonical()).replace("\n", "; ")),
                *self._assumed(),
            ],
            "Whole procedure": [
                ("tuning", f"{_NOT_COVERED}: runs that were tried and thrown away cost as well"),
                (
                    "other releases",
                    f"{_NOT_COVERED}: other releases about the same people add up",
                ),
            ],
            "Implementation": [
                ("correctness", f"{_NOT_COVERED}: that the code does what the parameters say"),
                ("noise", f"{_NOT_COVERED}: the account is of ideal noise, not of floating point"),
            ],
            "Trust and security": [
                ("trust model", f"{_NOT_COVERED}: who holds the data, and who sees what"),
                ("side channels", f"{_NOT_COVERED}: timing, memory, errors, logs"),
                ("access", f"{_NOT_COVERED}: who may run this, and how often"),
            ],
            "Data": [
                ("collection and exposure", f"{_NOT_COVERED}: what was collected, kept and shared"),
            ],
        }

    def _risks(self) -> list[tuple[str, str]]:
        if self.risk is None:
            return [("risk", "not bounded here")]
        tpr, rate = self.risk.true_positive_rate, self.risk.false_positive_rate
        return [
            ("advantage", f"TPR − FPR ≤ {rounded(self.risk.advantage.upper, 4, up=True)}"),
            ("detection", f"TPR ≤ {rounded(tpr.upper, 4, up=True)} at FPR {rate}"),
            (
                "belief",
                f"from {self.risk.prior} to at most {rounded(self.risk.belief, 4, up=True)}",
            ),
        ]

    def _assumed(self) -> list[tuple[str, str]]:
        lines = [("sensitivity", "assumed: every contribution is clipped before it is added")]
        if any(isinstance(step, PoissonSubsampled) for step, _ in self.plan.steps):
            drawn = "assumed: every person is in every batch independently, which shuffling is not"
            lines.append(("sampling", drawn))
        return lines

    def rows(self) -> list[tuple[str, str]]:
        """All lines, each layer's name before its own."""
        found = []
        for layer, lines in self.layers().items():
            found += [(layer.upper(), ""), *lines]
        return found

    def to_json(self) -> dict[str, Any]:
        """The card as data."""
        return {
            "card": {layer: dict(lines) for layer, lines in self.layers().items()},
            "epsilon": self.result.to_json(),
            "risk": None if self.risk is None else self.risk.to_json(),
            "plan": self.plan.canonical(),
        }

    def markdown(self) -> str:
        """The card as a page."""
        parts = ["# Privacy claim\n"]
        for layer, lines in self.layers().items():
            parts.append(f"## {layer}\n")
            parts += [f"- **{label}**: {words}" for label, words in lines]
            parts.append("")
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        body = "".join(
            f"<h4>{html.escape(layer)}</h4><ul>"
            + "".join(f"<li><b>{html.escape(a)}</b>: {html.escape(b)}</li>" for a, b in lines)
            + "</ul>"
            for layer, lines in self.layers().items()
        )
        return f"<div>{body}</div>"


def claim_card(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> ClaimCard:
    """What may be claimed of a plan at this δ, and what that stands on.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> claim_card(Gaussian(noise_multiplier=4), delta=1e-5).layers()["Guarantee"][0]
    ('privacy', 'ε ≤ 0.926342 at δ = 1e-5')
    """
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    result = choose.epsilon(plan, delta=delta, log_delta=log_delta, adjacency=relation)
    try:
        told = risk.risk(plan, adjacency=relation)
    except (NoProof, LimitReached):
        told = None
    return ClaimCard(plan=plan, result=result, risk=told)
