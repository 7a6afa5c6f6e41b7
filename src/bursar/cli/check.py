"""`bursar check`: does a certificate prove what it claims?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bursar.adjacency import Adjacency
from bursar.cli.answer import Answer, steps_of, words
from bursar.cli.flags import Manner, Neighbours, asks
from bursar.cli.limits import within
from bursar.errors import NoProof, Refused

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
    certificate: Annotated[
        str, typer.Argument(metavar="FILE", help="A certificate.", show_default=False)
    ],
    neighbours: Neighbours,
    manner: Manner,
) -> Answer:
    """Whether a certificate proves what it claims.

    By a checker that shares no code with the accountant.

    Exit code 0: it does.  1: it does not.  2: the file is no certificate.
    """
    wanted = None if neighbours.adjacency is None else Adjacency.of(neighbours.adjacency)

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
        return Answer(object=body, sentence=sentence, rows=rows)

    return within(manner.timeout, ask)
