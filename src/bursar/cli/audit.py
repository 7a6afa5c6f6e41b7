"""`bursar audit`: does what is released break what is claimed?

Runs somebody's function, and looks.  A violation ends with exit code 1, so that a build can fail
of it.  What runs and how it is told: `auditor.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from bursar import require
from bursar.cli.answer import Answer
from bursar.cli.audited import Pairs, loaded
from bursar.cli.auditor import Audit, Claim, Manners, replayed
from bursar.cli.flags import HOW, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import must, relation, requested, whole
from bursar.errors import InvalidParameter, LimitReached
from bursar.mechanisms.statements import ApproximateDP
from bursar.reports.words import steps_of

EXAMPLES = (
    "bursar audit counts.py:release --epsilon 1 --data '[1, 1]' --neighbour '[1]' "
    "--samples 4000 --vectorised",
)
_CLAIM = "What is claimed"
_HINT = "Or a profile: --plan FILE, or --noise-multiplier for a Gaussian's."


@dataclass(frozen=True, kw_only=True)
class Looking:
    """How it is looked for."""

    samples: Annotated[str, option("--samples", "COUNT", "Runs on each side.  [100000]", HOW)] = (
        "100000"
    )
    confidence: Annotated[
        str, option("--confidence", "NUMBER", "1 − the chance of a false alarm.  [0.999999]", HOW)
    ] = "0.999999"
    grid: Annotated[
        str | None,
        option("--grid", "BITS", "Round what it gives to multiples of 2^-BITS first.", HOW),
    ] = None
    vectorised: Annotated[
        bool,
        typer.Option(
            "--vectorised",
            help="The function takes (data, size) and gives so many outcomes.",
            rich_help_panel=HOW,
        ),
    ] = False
    replay: Annotated[
        bool,
        typer.Option(
            "--replay",
            help="It takes (data, noise): compare what goes into the noise, by no statistics.",
            rich_help_panel=HOW,
        ),
    ] = False
    seed: Annotated[
        str | None,
        option("--seed", "COUNT", "Draw the same again: bursar's noise, and a parameter rng.", HOW),
    ] = None
    record: Annotated[
        str | None,
        option("--record", "FILE", "Keep outcomes in it, and go on with those it has.", HOW),
    ] = None

    def read(self) -> Manners:
        """The flags as numbers."""
        return Manners(
            samples=whole(samples=self.samples),
            confidence=require.probability(confidence=self.confidence).text,
            grid=None if self.grid is None else whole(grid=self.grid, at_least=0),
            vectorised=self.vectorised,
            seed=None if self.seed is None else whole(seed=self.seed, at_least=0),
        )


@asks
def audit(
    *,
    mechanism: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FUNCTION", help="What is run, or file.py:function.", show_default=False
        ),
    ],
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The ε that is claimed.", _CLAIM)
    ] = None,
    delta: Annotated[
        str | None, option("--delta", "NUMBER", "The δ that is claimed with it.  [0]", _CLAIM)
    ] = None,
    steps: Steps,
    file: FromFile,
    pairs: Pairs,
    neighbours: Neighbours,
    looking: Looking,
    manner: Manner,
) -> Answer:
    """Whether a mechanism breaks what is claimed of it.

    Runs a function on neighbouring data sets, and looks for an event that is too likely on one.

    Exit code 0: none found, at this resolution, which proves nothing.  1: violation found.
    """
    if looking.replay:
        beside = {"epsilon": epsilon, "delta": delta, "plan": file.plan, "record": looking.record}
        beside["noise_multiplier"] = steps.noise_multiplier
        _alone("--replay", beside, "It compares with what the noise calls declare.")
        adjacency = relation(neighbours)
        target, among = loaded(mechanism), pairs.found(adjacency)
        seed = 0 if looking.seed is None else whole(seed=looking.seed, at_least=0)
        return within(manner.timeout, lambda: replayed(target, among, adjacency, seed))
    claimed = _claimed(epsilon, delta, steps, file, neighbours)
    how = looking.read()
    audited = Audit(loaded(mechanism), pairs.found(claimed.adjacency), claimed, how, looking.record)
    try:
        return within(manner.timeout, audited.run, audited.so_far)
    except LimitReached as reached:
        again = "Run the same again, to go on with the record."
        other = "Keep what is done with --record FILE, ask for fewer --samples, or wait longer."
        reached.hint = again if looking.record else other
        raise


def _claimed(
    epsilon: str | None, delta: str | None, steps: Steps, file: FromFile, neighbours: Neighbours
) -> Claim:
    if epsilon is None and delta is None:
        if file.plan is None:
            must(epsilon=steps.noise_multiplier, hint=_HINT)
        request = requested(steps, file, neighbours)
        plan = request.plan.canonical()
        return Claim(
            claim=request.plan,
            adjacency=request.adjacency,
            body={"plan": plan, **request.told},
            words=f"the profile of {steps_of(plan)}",
        )
    beside = {"plan": file.plan, "noise_multiplier": steps.noise_multiplier}
    _alone("--epsilon", beside, "Claim one or the other.")
    at = "0" if delta is None else delta
    claim = ApproximateDP(epsilon=must(epsilon=epsilon, hint=_HINT), delta=at)
    body = {"epsilon": claim.epsilon.text, "delta": claim.delta.text}
    words = f"ε = {claim.epsilon.text}, δ = {claim.delta.text}"
    return Claim(claim=claim, adjacency=relation(neighbours), body=body, words=words)


def _alone(flag: str, beside: dict[str, str | None], hint: str) -> None:
    for name, value in beside.items():
        if value is not None:
            need = f"it may not stand beside {flag}"
            raise InvalidParameter(need, field=name, value=value, hint=hint)
