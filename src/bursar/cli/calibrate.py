"""`bursar calibrate`: which noise, sampling probability or number of steps meets a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from bursar import require
from bursar.cli.answer import Answer, asked, found, words
from bursar.cli.flags import ASKED, AtDelta, Manner, Method, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import Request, Schedule, at_delta, must, relation, schedule, step
from bursar.errors import InvalidParameter, Unreachable
from bursar.mechanisms.plan import Plan

if TYPE_CHECKING:
    from bursar.accounting.calibrate import Calibrated

EXAMPLES = (
    "bursar calibrate --epsilon 1 --delta 1e-5 --sampling-probability 0.01 --steps 5000",
    "bursar calibrate --epsilon 1 --delta 1e-5 --noise-multiplier 2 --sampling-probability 0.01 "
    "--solve steps",
)
_SOLVABLE = ("noise-multiplier", "sampling-probability", "steps")


@asks
def calibrate(
    steps: Steps,
    neighbours: Neighbours,
    at: AtDelta,
    by: Method,
    manner: Manner,
    *,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The target, never exceeded.", ASKED)
    ] = None,
    solve: Annotated[
        str,
        option(
            "--solve",
            "|".join(_SOLVABLE),
            "What is looked for.  [noise-multiplier]",
            ASKED,
            among=lambda: _SOLVABLE,
        ),
    ] = _SOLVABLE[0],
) -> Answer:
    """Which noise meets a target ε.

    The least noise, or with --solve the most sampling or the most steps, and the proof that it
    meets the target.
    """
    target, question = must(epsilon=epsilon), at_delta(at)
    adjacency = relation(neighbours)
    parameter = require.one_of(_SOLVABLE, solve=solve).replace("-", "_")
    if getattr(steps, parameter) is not None:
        need = "it may not be given, since it is what is looked for"
        hint = "Say with --solve what is looked for."
        raise InvalidParameter(need, field=parameter, value=getattr(steps, parameter), hint=hint)
    known = schedule(steps, adjacency)
    make_plan = _planned(parameter, steps, known)

    def ask(method: str | None) -> Answer:
        from bursar.accounting.calibrate import calibrate

        best = calibrate(
            make_plan,
            epsilon=target,
            integer=parameter == "steps",
            adjacency=adjacency,
            method=method,
            **question,
        )
        return _answer(best, parameter, known.request(make_plan(best.value), adjacency))

    try:
        return within(manner.timeout, lambda: ask(by.method), lambda: ask("rdp"))
    except Unreachable as error:
        hint = "Change the target, or what is given."
        raise Unreachable(error.need, best=error.best, hint=hint) from None


def _planned(parameter: str, steps: Steps, known: Schedule) -> Callable[[Any], Plan]:
    """The plan as a function of what is looked for."""
    if parameter == "noise_multiplier":
        return known.plan
    if known.told:
        need = "a trainer's words say how many steps there are, and how they sample"
        hint = "Leave --solve out, and the noise is looked for."
        raise InvalidParameter(need, field="solve", value=parameter.replace("_", "-"), hint=hint)
    noise = must(noise_multiplier=steps.noise_multiplier)
    if parameter == "steps":
        return lambda count: count * step(noise, known.sampling_probability)
    return lambda probability: known.steps * step(noise, probability)


def _answer(plans: Calibrated, parameter: str, request: Request) -> Answer:
    best = replace(plans, result=request.about_run(plans.result), witness=None)
    beside = "nothing beyond it is allowed"
    if (witness := plans.witness) is not None:
        best = replace(best, witness=replace(witness, result=request.about_run(witness.result)))
        lower = "ε" if best.sharp else "the bound on ε"
        beside = f"at {witness.value} {lower} is above {best.target}"
    return Answer(
        object=best.to_json(parameter) | dict(request.told),
        sentence=f"{parameter.replace('_', ' ')} {best.value}: {words(best.result)}",
        rows=[*asked(best.result, request), ("beside it", beside), *found(best.result)],
    )
