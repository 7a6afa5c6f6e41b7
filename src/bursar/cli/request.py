"""From flags to what is asked: a plan and its neighbours.

The trainer's words are turned into a step and a count here, and nowhere else: with a Poisson
sampler the sampling probability is batch size / examples and an epoch has
ceil(examples / batch size) steps; with a shuffled list each person is in one batch an epoch, and
that is one Gaussian, without amplification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf, nextafter
from typing import Any, cast, final, overload

from bursar import require
from bursar.adjacency import DEFAULT, Adjacency
from bursar.cli.flags import SAMPLERS, AtDelta, FromFile, Neighbours, Steps
from bursar.errors import InvalidParameter, NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.files import PlanFile
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.truth import Enclosure, Estimate, Proved, UpperBound

_TRAINER = ("examples", "batch_size", "epochs", "sampler")
_TOGETHER = "--examples, --batch-size, --epochs and --sampler come together."
_SAMPLER = (
    "Say poisson if each batch draws every person independently with the same probability, and "
    "shuffle if an epoch goes through a shuffled list, as most loaders do."
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How often a step runs, and on which part of the people; `told` is what the output adds.

    Where it is not `tight` the run itself may cost less than the plan.
    """

    sampling_probability: Exact
    steps: int
    told: Mapping[str, Any] = field(default_factory=dict)
    tight: bool = True

    def plan(self, noise_multiplier: Number) -> Plan:
        """The plan with this noise."""
        return self.steps * step(noise_multiplier, self.sampling_probability)

    def request(self, plan: Plan, adjacency: Adjacency) -> Request:
        """The question about such a plan."""
        return Request(plan=plan, adjacency=adjacency, told=self.told, tight=self.tight)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan, its neighbours, and what the output adds about them."""

    plan: Plan
    adjacency: Adjacency
    told: Mapping[str, Any] = field(default_factory=dict)
    tight: bool = True

    @overload
    def about_run(self, result: Proved) -> Proved: ...
    @overload
    def about_run(self, result: Proved | Estimate) -> Proved | Estimate: ...
    def about_run(self, result: Proved | Estimate) -> Proved | Estimate:
        """What a result about the plan says of the run: only the upper end, if not `tight`."""
        if self.tight or not isinstance(result, Enclosure):
            return result
        return UpperBound(upper=result.upper, about=result.about)


def step(noise_multiplier: Number, sampling_probability: Number) -> Mechanism:
    """A Gaussian, on a Poisson sample where the probability is below 1."""
    gaussian = Gaussian(noise_multiplier=noise_multiplier)
    q = require.probability(sampling_probability=sampling_probability)
    return gaussian if q == 1 else PoissonSubsampled(gaussian, sampling_probability=q)


def requested(steps: Steps, file: FromFile, neighbours: Neighbours) -> Request:
    """The plan that a file or the flags of a step say."""
    if file.plan is None:
        adjacency = relation(neighbours)
        known = schedule(steps, adjacency)
        hint = "Or give a file with --plan."
        noise = must(noise_multiplier=steps.noise_multiplier, hint=hint)
        return known.request(known.plan(noise), adjacency)
    for flag in fields(steps):
        if getattr(steps, flag.name) is not None:
            raise _beside(steps, flag.name, "--plan", "The steps of the file say what is run.")
    read = PlanFile.read(file.plan)
    adjacency = relation(neighbours, default=read.adjacency or DEFAULT)
    if read.adjacency not in (None, adjacency):
        need = f"the plan is for {read.adjacency}"
        hint = "Leave --adjacency out, or change the file."
        raise InvalidParameter(need, field="adjacency", value=adjacency.value, hint=hint)
    return Request(plan=read.plan, adjacency=adjacency)


def schedule(steps: Steps, adjacency: Adjacency) -> Schedule:
    """How often, and on whom: from --steps and --sampling-probability, or a trainer's words."""
    if all(getattr(steps, word) is None for word in _TRAINER):
        often = "1" if steps.sampling_probability is None else steps.sampling_probability
        probability = require.probability(sampling_probability=often)
        times = 1 if steps.steps is None else whole(steps=steps.steps)
        return Schedule(sampling_probability=probability, steps=times)
    for name in ("sampling_probability", "steps"):
        if getattr(steps, name) is not None:
            raise _beside(steps, name, "a trainer's words", "It follows from them.")
    for word in _TRAINER:
        must(hint=_SAMPLER if word == "sampler" else _TOGETHER, **{word: getattr(steps, word)})
    require.one_of(SAMPLERS, sampler=steps.sampler)
    examples, batch_size, epochs = (whole(**{word: getattr(steps, word)}) for word in _TRAINER[:3])
    if not batch_size <= examples:
        need = f"it must be at most the number of examples, {examples}"
        raise InvalidParameter(need, field="batch_size", value=batch_size)
    if steps.sampler == "poisson":
        batches = -(-examples // batch_size)
        return _trained(Exact(batch_size, examples), batches * epochs, sampler="poisson")
    return _shuffled(epochs, adjacency)


def _shuffled(epochs: int, adjacency: Adjacency) -> Schedule:
    if adjacency is Adjacency.ADD_OR_REMOVE_ONE:
        raise NoProof(
            f"shuffled batches have no proved account under {adjacency}",
            field="sampler",
            value="shuffle",
            hint=f"Under --adjacency zero-out it costs no more than {epochs} Gaussian steps "
            "without amplification, since each person is in one batch an epoch: ask for that, or "
            "draw the batches with a Poisson sampler.",
        )
    note = (
        f"no amplification by shuffling is used: each person is in one batch an epoch, so this is "
        f"the account of {epochs} Gaussian steps under {adjacency}"
    )
    return _trained(Exact(1), epochs, tight=False, sampler="shuffle", note=note)


def _trained(probability: Exact, steps: int, *, tight: bool = True, **told: str) -> Schedule:
    follows = {"sampling_probability": probability.text, "steps": steps}
    return Schedule(
        sampling_probability=probability, steps=steps, told={**told, **follows}, tight=tight
    )


def relation(neighbours: Neighbours, *, default: Adjacency = DEFAULT) -> Adjacency:
    """The neighbours that a flag names."""
    return default if neighbours.adjacency is None else Adjacency.of(neighbours.adjacency)


def at_delta(at: AtDelta) -> dict[str, Any]:
    """The δ of a question, as the keyword that says it."""
    if at.delta is not None and at.log_delta is not None:
        raise _beside(at, "log_delta", "--delta", "Give one of the two.")
    if at.log_delta is not None:
        return {"log_delta": logarithm(at.log_delta)}
    return {"delta": must(delta=at.delta, hint="Or --log-delta.")}


def must(*, hint: str | None = None, **flag: str | None) -> str:
    """A flag that has to be there."""
    ((name, text),) = flag.items()
    if text is None:
        raise InvalidParameter("it must be given", field=name, hint=hint)
    return text


def whole(*, at_least: int = 1, **flag: str) -> int:
    """A count: digits only, since counts are not measured."""
    ((name, text),) = flag.items()
    digits = text.isascii() and text.isdigit() and len(text) <= 300
    given = cast(dict[str, Any], {name: int(text) if digits else text})
    return require.count(at_least=at_least, **given)


def logarithm(text: str) -> float:
    """A log δ as a float that is not above it, so that what is proved for it holds for the text."""
    exact = require.real(log_delta=text)
    nearest = require.log_delta(float(exact)) if exact <= 0 else require.log_delta(text)
    return nearest if Exact.of(nearest) <= exact else nextafter(nearest, -inf)


def _beside(flags: object, name: str, what: str, hint: str) -> InvalidParameter:
    need = f"it may not stand beside {what}"
    return InvalidParameter(need, field=name, value=getattr(flags, name), hint=hint)
