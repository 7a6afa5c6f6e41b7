"""`bursar check`: does a certificate prove what it claims?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bursar.adjacency import Adjacency
from bursar.cli.answer import Answer, words
from bursar.cli.flags import ASKED, Manner, asks, option, relations
from bursar.cli.limits import within
from bursar.errors import NoProof, Refused
from bursar.reports.words import steps_of

EXAMPLES = ("bursar check proof.json", "bursar check proof.json --json")


class Unproved(Refused):
    """A certificate that does not prove its claim: as JSON, the verdict with the error in it."""

    kind = "Refused"

    def __init__(self, path: str, verdict: dict[str, Any]) -> None:
        self.verdict = verdict
        super().__init__(
            f"it does not prove its claim: {verdict['reason']}", field="certificate", value=path
        )

    def to_json(self) -> dict[str, Any]:
        """The verdict, and the error."""
        return {**self.verdict, **super().to_json()}


@asks
def check(
    *,
    certificate: Annotated[
        str, typer.Argument(metavar="FILE", help="A certificate.", show_default=False)
    ],
    adjacency: Annotated[
        str | None,
        option(
            "--adjacency", "NAME", "The relation that it must be about.", ASKED, among=relations
        ),
    ] = None,
    manner: Manner,
) -> Answer:
    """Whether a certificate proves what it claims.

    By a checker that shares no code with the accountant.

    Exit code 0: it does.  1: it does not.  2: the file is no certificate.
    """
    wanted = None if adjacency is None else Adjacency.of(adjacency)

    def ask() -> Answer:
        from bursar.verification.check import check

        verdict = check(certificate)
        body = verdict.to_json()
        if verdict.epsilon is None:
            raise Unproved(certificate, body)
        if wanted not in (None, verdict.adjacency):
            need = f"the certificate is about {verdict.adjacency}"
            raise NoProof(need, field="adjacency", value=wanted)
        rows = [
            ("at", f"δ = {verdict.delta}"),
            ("neighbours", str(verdict.adjacency)),
            ("run", steps_of(body["plan"])),
        ]
        sentence = f"{certificate} is valid: {words(verdict.epsilon)}"
        return Answer(body=body, sentence=sentence, rows=rows)

    return within(manner.timeout, ask)
