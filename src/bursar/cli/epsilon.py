"""`bursar epsilon`: what a run costs."""

from __future__ import annotations

from bursar.cli.answer import Answer, answered
from bursar.cli.flags import AtDelta, FromFile, Manner, Method, Neighbours, Steps, asks
from bursar.cli.limits import within
from bursar.cli.request import at_delta, requested

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

    def ask(method: str | None) -> Answer:
        from bursar.accounting.choose import epsilon

        found = epsilon(request.plan, adjacency=request.adjacency, method=method, **question)
        return answered(found, request)

    return within(manner.timeout, lambda: ask(by.method), lambda: ask("rdp"))
