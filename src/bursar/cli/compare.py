"""`bursar compare`: every accountant side by side."""

from __future__ import annotations

from bursar.cli.answer import Answer, given, question, words
from bursar.cli.epsilon import costing
from bursar.cli.flags import AtDelta, FromFile, Manner, Neighbours, Steps, asks
from bursar.cli.limits import within
from bursar.cli.progress import counted
from bursar.cli.request import at_delta, requested
from bursar.truth import Estimate, Proved, Refusal

EXAMPLES = (
    "bursar compare --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 --delta 1e-5",
)


@asks
def compare(
    steps: Steps, file: FromFile, neighbours: Neighbours, at: AtDelta, manner: Manner
) -> Answer:
    """Every accountant side by side.

    Each with the kind of its truth, or the reason why it refuses.
    """
    request = requested(steps, file, neighbours)
    at_which = at_delta(at)

    def ask() -> Answer:
        from bursar.accounting.accountants import ACCOUNTANTS
        from bursar.accounting.compare import entries

        found = entries(request.plan, adjacency=request.adjacency, **at_which)
        said = [
            entry if isinstance(entry, Refusal) else request.about_run(entry)
            for entry in counted(found, len(ACCOUNTANTS))
        ]
        return Answer(
            body={"accountants": [entry.to_json() for entry in said], **request.told},
            sentence="What each accountant says",
            table=[_row(entry) for entry in said],
            rows=question(request, given(at_which)),
        )

    return within(manner.timeout, ask, lambda: costing(request, at_which, "rdp"))


def _row(entry: Proved | Estimate | Refusal) -> tuple[str, ...]:
    if isinstance(entry, Refusal):
        return entry.method, "refused", entry.why, ""
    return entry.about.method, entry.kind, words(entry), f"{entry.about.seconds:.2f} s"
