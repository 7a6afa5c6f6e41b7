"""`bursar calibrate`: which noise, sampling probability or number of steps meets a target.

The target is an ε at a δ, or a risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    "bursar calibrate --advantage 0.05 --sampling-probability 0.01 --steps 1000",
    "bursar calibrate --tpr 0.02 --at-fpr 0.01 --steps 100",
)
_SOLVABLE = ("noise-multiplier", "sampling-probability", "steps")


def _solvable() -> Iterable[str]:
    return _SOLVABLE


@asks
def calibrate(
    *,
    steps: Steps,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The target, never exceeded.", ASKED)
    ] = None,
    at: AtDelta,
    advantage: Annotated[
        str | None,
        option("--advantage", "NUMBER", "Or: no attacker's TPR − FPR is above it.", ASKED),
    ] = None,
    tpr: Annotated[
        str | None,
        option("--tpr", "NUMBER", "Or: no attacker's true positive rate is above it…", ASKED),
    ] = None,
    at_fpr: Annotated[
        str | None, option("--at-fpr", "NUMBER", "…at this false positive rate.", ASKED)
    ] = None,
    solve: Annotated[
        str,
        option(
            "--solve",
            "NAME",
            "What is looked for: noise-multiplier, sampling-probability or steps.  "
            "[noise-multiplier]",
            ASKED,
            among=_solvable,
        ),
    ] = _SOLVABLE[0],
    neighbours: Neighbours,
    by: Method,
    manner: Manner,
) -> Answer:
    """Which noise meets a target: an ε, or a risk.

    The least noise, or with --solve the most sampling or the most steps, and the proof that it
    meets the target.
    """
    target = _target(epsilon, at, by, advantage, tpr, at_fpr)
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

        chosen: dict[str, Any] = {"method": method} if "epsilon" in target else {}
        best = calibrate(
            make_plan, integer=parameter == "steps", adjacency=adjacency, **target, **chosen
        )
        return _answer(best, parameter, known.request(make_plan(best.value), adjacency))

    safe = (lambda: ask("rdp")) if "epsilon" in target else None
    try:
        return within(manner.timeout, lambda: ask(by.method), safe)
    except Unreachable as error:
        hint = "Change the target, or what is given."
        raise Unreachable(error.need, best=error.best, hint=hint) from None


def _target(
    epsilon: str | None,
    at: AtDelta,
    by: Method,
    advantage: str | None,
    tpr: str | None,
    at_fpr: str | None,
) -> dict[str, Any]:
    """The one target that is meant, as the library's keywords."""
    if advantage is None and tpr is None and at_fpr is None:
        return {
            "epsilon": must(epsilon=epsilon, hint="Or a risk: --advantage, or --tpr."),
            **at_delta(at),
        }
    beside = {"epsilon": epsilon, "delta": at.delta, "log_delta": at.log_delta, "method": by.method}
    for name, value in beside.items():
        if value is not None:
            need = "it may not stand beside a risk"
            raise InvalidParameter(need, field=name, value=value, hint="Give one target.")
    if advantage is not None:
        if tpr is not None or at_fpr is not None:
            need = "it may not stand beside --tpr"
            raise InvalidParameter(need, field="advantage", value=advantage)
        return {"advantage": require.unit_interval(advantage=advantage)}
    together = "--tpr and --at-fpr come together."
    high = require.unit_interval(tpr=must(tpr=tpr, hint=together))
    low = require.unit_interval(at_fpr=must(at_fpr=at_fpr, hint=together))
    if not high > low:
        need = f"it must be above the false positive rate, {low}, which guessing achieves"
        raise InvalidParameter(need, field="tpr", value=tpr)
    return {"true_positive_rate": high, "false_positive_rate": low}


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
    if (witness := plans.witness) is not None:
        best = replace(best, witness=replace(witness, result=request.about_run(witness.result)))
    return Answer(
        body=best.to_json(parameter) | dict(request.told),
        sentence=f"{parameter.replace('_', ' ')} {best.value}: {words(best.result)}",
        rows=[*asked(best.result, request), ("beside it", best.beside()), *found(best.result)],
    )
