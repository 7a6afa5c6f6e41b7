"""`bursar epsilon`: what a run costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bursar.cli.answer import Answer, answered
from bursar.cli.flags import AtDelta, FromFile, Manner, Method, Neighbours, Steps, asks
from bursar.cli.limits import within
from bursar.cli.request import Request, at_delta, requested

EXAMPLES = (
    "bursar epsilon --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 --delta 1e-5",
    "bursar epsilon --examples 60000 --batch-size 256 --epochs 60 --sampler poisson "
    "--noise-multiplier 1.1 --delta 1e-5",
    "bursar epsilon --plan plan.toml --delta 1e-5",
)


@asks
def epsilon(
    steps: Steps,
    file: FromFile,
    neighbours: Neighbours,
    at: AtDelta,
    by: Method,
    manner: Manner,
) -> Answer:
    """What a run costs: the least ε proved at a δ."""
    request = requested(steps, file, neighbours)
    question = at_delta(at)

    return within(
        manner.timeout,
        lambda: costing(request, question, by.method),
        lambda: costing(request, question, "rdp"),
    )


def costing(request: Request, question: Mapping[str, Any], method: str | None) -> Answer:
    """The answer of one accountant, or of the tightest."""
    from bursar.accounting.choose import epsilon

    found = epsilon(request.plan, adjacency=request.adjacency, method=method, **question)
    return answered(found, request)
