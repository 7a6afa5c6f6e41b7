"""`bursar delta`: the δ that a run has at an ε."""

from __future__ import annotations

from typing import Annotated

from bursar.cli.answer import Answer, answered
from bursar.cli.flags import ASKED, FromFile, Manner, Method, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import must, requested

EXAMPLES = (
    "bursar delta --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 --epsilon 1.0",
)


@asks
def delta(
    steps: Steps,
    file: FromFile,
    neighbours: Neighbours,
    by: Method,
    manner: Manner,
    *,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The ε, 0 or above.", ASKED)
    ] = None,
) -> Answer:
    """What a run leaves to chance: the least δ proved at an ε."""
    request = requested(steps, file, neighbours)
    at = must(epsilon=epsilon)

    def ask(method: str | None) -> Answer:
        from bursar.accounting.choose import delta

        found = delta(request.plan, epsilon=at, adjacency=request.adjacency, method=method)
        return answered(found, request)

    return within(manner.timeout, lambda: ask(by.method), lambda: ask("rdp"))
