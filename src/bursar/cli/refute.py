"""`bursar refute`: is a claim too good?  An event that shows it, where there is one."""

from __future__ import annotations

from typing import Annotated

from bursar.cli.answer import Answer, question
from bursar.cli.flags import ASKED, AtDelta, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import at_delta, must, requested
from bursar.errors import NoProof, Refused
from bursar.truth import Enclosure, rounded

EXAMPLES = (
    "bursar refute --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 "
    "--epsilon 0.1 --delta 1e-5",
)
_DIGITS = 6


@asks
def refute(
    *,
    steps: Steps,
    file: FromFile,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The ε that is claimed.", ASKED)
    ] = None,
    at: AtDelta,
    neighbours: Neighbours,
    manner: Manner,
) -> Answer:
    """Whether a claimed (ε, δ) is too good to be true.

    Exit code 0: an event shows that it is false.  1: no event does, which proves nothing; for a
    proof, certify.
    """
    request = requested(steps, file, neighbours)
    claimed, asked = must(epsilon=epsilon), at_delta(at)
    if not request.tight:
        raise NoProof(
            "the run may cost less than the plan that bounds it, so no event of the plan refutes",
            field="sampler",
            value=steps.sampler,
        )

    def ask() -> Answer:
        from bursar.accounting.witness import refute

        found = refute(request.plan, epsilon=claimed, adjacency=request.adjacency, **asked)
        if found is None:
            raise Refused(
                f"no event refutes the claim ({claimed}, {_told(asked)}), which does not prove it",
                hint="bursar certify proves what the run costs.",
            )
        worlds = (
            ("with the person", "without")
            if found.to_json()["direction"] == "remove"
            else (
                "without the person",
                "with",
            )
        )
        return Answer(
            body=found.to_json() | dict(request.told),
            sentence=f"({found.epsilon}, {found.delta})-DP is false",
            rows=[
                ("event S", found.event),
                (worlds[0], f"P(S) {_within(found.with_person)}"),
                (worlds[1], f"Q(S) {_within(found.without)}"),
                ("P − e^ε Q", f"{_within(found.gain)}, above δ = {found.delta}"),
                *question(request, f"ε = {found.epsilon}, δ = {found.delta}")[1:],
            ],
        )

    return within(manner.timeout, ask)


def _told(asked: dict[str, object]) -> str:
    return str(asked["delta"]) if "delta" in asked else f"e^{asked['log_delta']}"


def _within(value: Enclosure) -> str:
    low, high = (
        rounded(value.lower, _DIGITS, up=False),
        rounded(value.upper, _DIGITS, up=True),
    )
    return f"= {low}" if low == high else f"is in [{low}, {high}]"
