"""`bursar steps`: ε after every step of a run, and a certificate for any of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bursar.cli.answer import Answer, given, question, words
from bursar.cli.flags import ASKED, HOW, AtDelta, Manner, Neighbours, Steps, asks, option
from bursar.cli.leaving import Leaving
from bursar.cli.limits import within
from bursar.cli.progress import counted
from bursar.cli.request import Request, at_delta, must, relation, schedule, step, whole
from bursar.errors import InvalidParameter
from bursar.truth import Proved

EXAMPLES = (
    "bursar steps --noise-multiplier 2 --sampling-probability 0.01 --steps 1000 --delta 1e-5 "
    "--every 250",
    "bursar steps --noise-multiplier 2 --sampling-probability 0.01 --steps 1000 --delta 1e-5 "
    "--every 250 --certify-at 500 --certificate proof.json",
)
_SHOWN = 20  # rows on a page: every so many, and the last


@asks
def steps(
    *,
    steps: Steps,
    at: AtDelta,
    every: Annotated[
        str | None, option("--every", "COUNT", "After every so many steps.  [1]", ASKED)
    ] = None,
    neighbours: Neighbours,
    certify_at: Annotated[
        str | None, option("--certify-at", "STEP", "Certify the run up to this step.", HOW)
    ] = None,
    certificate: Annotated[
        str | None, option("--certificate", "FILE", "Where that certificate is written.", HOW)
    ] = None,
    leaving: Leaving,
    manner: Manner,
) -> Answer:
    """What a run has cost after each of its steps.

    Each ε is proved by itself; --certify-at writes a certificate for one of them.
    """
    adjacency, leaves = relation(neighbours), leaving.checked(as_json=manner.json)
    known = schedule(steps, adjacency)
    hint = "It is the noise of each step."
    noise = must(noise_multiplier=steps.noise_multiplier, hint=hint)
    asked = at_delta(at)
    pace = 1 if every is None else whole(every=every)
    if pace > known.steps:
        need = f"it must be at most the number of steps, {known.steps}"
        raise InvalidParameter(need, field="every", value=every)
    proof = _certificate(certify_at, certificate, known.steps, asked)
    request = known.request(known.plan(noise), adjacency)

    def ask() -> Answer:
        from bursar.accounting.online import walk

        one = step(noise, known.sampling_probability)
        walked = walk(one, steps=known.steps, every=pace, adjacency=adjacency, **asked)
        rows = [(k, request.about_run(found)) for k, found in counted(walked, known.steps // pace)]
        answer = _answer(rows, request, asked)
        if proof is not None:
            answer = _certified(answer, request, step(noise, known.sampling_probability), *proof)
        from bursar.reports import plots, tables

        return leaves.written(
            answer, lambda: tables.steps_csv(rows), lambda: plots.steps_figure(rows)
        )

    return within(manner.timeout, ask)


def _answer(rows: list[tuple[int, Proved]], request: Request, asked: dict[str, object]) -> Answer:
    apart = -(-len(rows) // _SHOWN)
    shown = [row for number, row in enumerate(rows, start=1) if number % apart == 0]
    shown = shown if shown[-1] is rows[-1] else [*shown, rows[-1]]
    return Answer(
        body={
            "steps": [{"steps": k, **found.to_json()} for k, found in rows],
            "adjacency": request.adjacency.value,
            **request.told,
        },
        sentence=f"After {rows[-1][0]} steps: {words(rows[-1][1])}",
        table=[("steps", "proved"), *((str(k), words(found)) for k, found in shown)],
        rows=question(request, given(asked)),
    )


def _certificate(
    at: str | None, file: str | None, steps: int, asked: dict[str, object]
) -> tuple[int, Path, str] | None:
    if at is None and file is None:
        return None
    must(certify_at=at, hint="--certify-at and --certificate come together.")
    path = Path(must(certificate=file, hint="--certify-at and --certificate come together."))
    which = whole(certify_at=str(at))
    if which > steps:
        need = f"it must be at most the number of steps, {steps}"
        raise InvalidParameter(need, field="certify_at", value=at)
    if "delta" not in asked:
        raise InvalidParameter("it must be given", field="delta", hint="A certificate has a δ.")
    if path.is_dir() or not path.parent.is_dir():
        need = "it must be a file in a directory that is there"
        raise InvalidParameter(need, field="certificate", value=file)
    return which, path, str(asked["delta"])


def _certified(
    answer: Answer, request: Request, one: object, which: int, path: Path, delta: str
) -> Answer:
    """The answer, and a certificate of the run up to this step."""
    from dataclasses import replace

    from bursar.mechanisms.plan import Plan
    from bursar.verification.certify import certify

    found = certify(Plan.of(one, count=which), delta=delta, adjacency=request.adjacency)  # type: ignore[arg-type]
    try:
        found.save(path)
    except OSError as error:
        need = f"it must be a file that can be written: {error.strerror}"
        raise InvalidParameter(need, field="certificate", value=str(path)) from None
    told = f"{path}, for {which} steps: {words(request.about_run(found.result))}"
    return replace(
        answer,
        body={**answer.body, "certificate": str(path)},
        rows=[*answer.rows, ("certificate", told)],
    )
