"""Every accountant side by side: what each one proves of the same plan, or why it refuses."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from bursar.accounting.accountants import ACCOUNTANTS, Answer
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import Refusal


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """One entry for each accountant, tightest first: its answer, or its refusal."""

    entries: tuple[Answer | Refusal, ...]

    def __iter__(self) -> Iterator[Answer | Refusal]:
        return iter(self.entries)

    def __str__(self) -> str:
        cells = [row(entry) for entry in self.entries]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, wide, strict=True))
            for line in cells
        )
        return "\n".join(line.rstrip() for line in lines)

    def to_json(self) -> dict[str, Any]:
        """The object of the command line: `{"accountants": […]}`."""
        return {"accountants": [entry.to_json() for entry in self.entries]}

    def _repr_html_(self) -> str:
        lines = (
            "".join(f"<td>{html.escape(cell)}</td>" for cell in row(entry))
            for entry in self.entries
        )
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def compare(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Comparison:
    """What every accountant proves of ε at this δ, each with its kind of truth or its refusal.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> print(compare(100 * Gaussian(noise_multiplier=20), delta=1e-5))
    closed-form     enclosure    ε ≥ 1.99309, ε ≤ 1.9931
    lattice         enclosure    ε ≥ 1.99307, ε ≤ 1.9931
    rdp             upper-bound  ε ≤ 2.16...
    """
    found = entries(run, delta=delta, log_delta=log_delta, adjacency=adjacency)
    return Comparison(tuple(found))


def entries(
    run: Plan | Mechanism,
    *,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
) -> Iterator[Answer | Refusal]:
    """The entries of `compare` one by one."""
    plan, relation = Plan.of(run), Adjacency.of(adjacency)
    for accountant in ACCOUNTANTS:
        try:
            found = accountant.epsilon(plan, delta=delta, log_delta=log_delta, adjacency=relation)
        except (NoProof, LimitReached) as error:
            yield Refusal(accountant.name, error.need)
        else:
            yield found


def row(entry: Answer | Refusal) -> tuple[str, str, str]:
    """Method, kind, and the numbers rounded so that they stay true; or the reason."""
    if isinstance(entry, Refusal):
        return entry.method, "refused", entry.why
    return entry.about.method, entry.kind, entry.sentence()
