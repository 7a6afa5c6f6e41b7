"""`bursar explain`: why an ε is what it is; or a card of what may be claimed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from bursar.cli.answer import Answer, asked, question, words
from bursar.cli.flags import ASKED, HOW, AtDelta, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import Request, at_delta, requested
from bursar.errors import InvalidParameter, NoProof

EXAMPLES = (
    "bursar explain --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 --delta 1e-5",
    "bursar explain --noise-multiplier 2 --delta 1e-5 --claim 1",
    "bursar explain --noise-multiplier 2 --delta 1e-5 --card --out card.md",
)
_ENDINGS = (".md", ".json")


@asks
def explain(
    *,
    steps: Steps,
    file: FromFile,
    neighbours: Neighbours,
    at: AtDelta,
    claim: Annotated[
        str | None,
        option("--claim", "NUMBER", "An ε that is stated: is there an event against it?", ASKED),
    ] = None,
    card: Annotated[
        bool,
        typer.Option("--card", help="A card of what may be claimed.", rich_help_panel=HOW),
    ] = False,
    out: Annotated[
        str | None, option("--out", "FILE", "Write the card as .md or .json as well.", HOW)
    ] = None,
    manner: Manner,
) -> Answer:
    """Why an ε is what it is.

    Each theorem and direction, each error of the bill, why ε is 0 or infinite, what the other
    accountants say, and an event that shows that it could not be less.
    """
    request = requested(steps, file, neighbours)
    where = at_delta(at)
    if out is not None:
        _checked(out, card=card)
    if card and claim is not None:
        raise InvalidParameter("it may not stand beside --card", field="claim", value=claim)

    def ask() -> Answer:
        return _card(request, where, out) if card else _explained(request, where, claim)

    return within(manner.timeout, ask)


def _explained(request: Request, where: dict[str, object], claim: str | None) -> Answer:
    from bursar.reports.explanation import explain

    if claim is not None and not request.tight:
        raise NoProof("the run may cost less than the plan that bounds it", field="claim")
    found = explain(request.plan, adjacency=request.adjacency, claim=claim, **where)  # type: ignore[arg-type]
    result = request.about_run(found.result)
    rows = [row for row in found.rows() if request.tight or row[0] not in ("not less", "event S")]
    return Answer(
        body=found.to_json() | result.to_json() | dict(request.told),
        sentence=words(result),
        rows=[*asked(result, request), *rows],
    )


def _card(request: Request, where: dict[str, object], out: str | None) -> Answer:
    from bursar.reports.card import claim_card

    found = claim_card(request.plan, adjacency=request.adjacency, **where)  # type: ignore[arg-type]
    body = found.to_json() | dict(request.told)
    rows = found.rows()
    if out is not None:
        path = Path(out)
        text = (
            found.markdown() if path.suffix == ".md" else json.dumps(body, allow_nan=False) + "\n"
        )
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            need = f"it must be a file that can be written: {error.strerror}"
            raise InvalidParameter(need, field="out", value=out) from None
        rows, body = [*rows, ("file", out)], {**body, "out": out}
    notes = [row for row in question(request, "") if row[0] == "note"]
    return Answer(body=body, sentence=words(request.about_run(found.result)), rows=[*rows, *notes])


def _checked(out: str, *, card: bool) -> None:
    path = Path(out)
    if not card:
        raise InvalidParameter("it comes with --card", field="out", value=out)
    if path.suffix not in _ENDINGS:
        raise InvalidParameter(f"it must end in {', '.join(_ENDINGS)}", field="out", value=out)
    if path.is_dir() or not path.parent.is_dir():
        need = "it must be a file in a directory that is there"
        raise InvalidParameter(need, field="out", value=out)
