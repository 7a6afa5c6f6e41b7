"""`bursar verify`: is a claim true?  And a record of it, replayed or drawn for afresh."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bursar import require
from bursar.cli.answer import Answer, question
from bursar.cli.epsilon import costing
from bursar.cli.flags import ASKED, HOW, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.progress import reported
from bursar.cli.request import Request, must, requested, whole
from bursar.errors import InvalidParameter, Refused
from bursar.exact import Exact
from bursar.reports.words import steps_of
from bursar.truth import rounded

if TYPE_CHECKING:
    from bursar.verification.again import Rechecked
    from bursar.verification.sides import Power
    from bursar.verification.static import Verified

EXAMPLES = (
    "bursar verify --noise-multiplier 2 --sampling-probability 0.01 --steps 1000 "
    "--epsilon 1.1 --delta 1e-10 --out record.json",
    "bursar verify --recheck record.json --fresh",
)
_PLACES = ("cores", "torch", "ray")
_LATER = "Give it more with --timeout, more --cores, or a wider --gap; with --keep a run goes on."
_KEPT = "What was drawn is kept: the same command goes on from there."
_POWERS = ("planned", "proved")
_MEANS = "static: a statement on the mechanism, which releases nothing and charges nothing"


def verifiers() -> list[str]:
    """The names of those who may verify."""
    from bursar.verification.claims import Verifiers

    return list(Verifiers().names)


@dataclass(frozen=True, kw_only=True)
class Draws:
    """How claims that nobody settles are drawn for."""

    verifier: Annotated[
        str | None,
        option("--verifier", "NAME", "One verifier, not all of them.", HOW, among=verifiers),
    ] = None
    beta: Annotated[
        str | None,
        option("--beta", "NUMBER", "A false claim passes with this probability.  [1e-10]", HOW),
    ] = None
    gap: Annotated[
        str | None,
        option("--gap", "NUMBER", "A claim of δ/(1 − gap) or more is to pass.  [0.01]", HOW),
    ] = None
    miss: Annotated[
        str | None,
        option("--miss", "NUMBER", "And fails with about this probability.  [1e-4]", HOW),
    ] = None
    power: Annotated[
        str | None,
        option(
            "--power",
            "planned|proved",
            "At most that probability is proved, for more draws.  [planned]",
            HOW,
            among=lambda: _POWERS,
        ),
    ] = None
    cores: Annotated[str | None, option("--cores", "COUNT|all", "Cores to draw on.  [1]", HOW)] = (
        None
    )
    on: Annotated[
        str | None,
        option(
            "--on",
            "cores|torch|ray",
            "Draw on a GPU, or on a cluster.  [cores]",
            HOW,
            among=lambda: _PLACES,
        ),
    ] = None
    keep: Annotated[
        str | None,
        option("--keep", "DIR", "Where an interrupted run leaves what it has, to go on.", HOW),
    ] = None


@asks
def verify(
    *,
    steps: Steps,
    file: FromFile,
    epsilon: Annotated[
        str | None, option("--epsilon", "NUMBER", "The ε that is claimed.", ASKED)
    ] = None,
    delta: Annotated[
        str | None, option("--delta", "NUMBER", "The δ that is claimed.", ASKED)
    ] = None,
    neighbours: Neighbours,
    recheck: Annotated[
        str | None,
        option("--recheck", "FILE", "A record to replay, instead of a claim.", "or, a record"),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Draw for it again as well.", rich_help_panel="or, a record"),
    ] = False,
    draws: Draws,
    out: Annotated[
        str | None, option("--out", "FILE", "Where a record of the verdict is written.", HOW)
    ] = None,
    manner: Manner,
) -> Answer:
    """Whether a claimed (ε, δ) is true.

    An accountant settles it if it can; else it is drawn for, and a false claim passes with
    probability --beta.

    Exit code 0: it is verified.  1: it is not.
    """
    path = _writable(out)
    if recheck is not None:
        claim = (*vars(steps).items(), ("plan", file.plan), ("epsilon", epsilon), ("delta", delta))
        _alone((*claim, *vars(neighbours).items()), "The record says what was claimed.")
        told = {name: getattr(draws, name) for name in ("verifier", "gap", "miss", "power")}
        _alone((*told.items(), ("out", out)), "A record is looked at as it was made.")
        _alone((("keep", draws.keep),), "It is looked at from its beginning.")
        if not fresh:
            _alone((("beta", draws.beta),), "A fresh run has a --beta: add --fresh.")
        return within(manner.timeout, lambda: _again(recheck, draws, fresh=fresh), hint=_LATER)
    if fresh:
        raise InvalidParameter("it stands beside --recheck alone", field="fresh", value="--fresh")
    request = requested(steps, file, neighbours)
    claimed, at = must(epsilon=epsilon), must(delta=delta)
    return within(
        manner.timeout,
        lambda: _asked(request, claimed, at, draws, path),
        lambda: costing(request, {"delta": at}, "rdp"),
        _LATER if draws.keep is None else _KEPT,
    )


def _alone(asked: Iterable[tuple[str, str | None]], hint: str) -> None:
    for name, value in asked:
        if value is not None:
            need = "it may not stand beside --recheck"
            raise InvalidParameter(need, field=name, value=value, hint=hint)


def _asked(request: Request, epsilon: str, delta: str, draws: Draws, path: Path | None) -> Answer:
    from bursar.verification.claims import Claim, Verifiers
    from bursar.verification.static import BETA, verify

    with reported() as tell:
        found = verify(
            request.plan,
            Claim(epsilon=epsilon, delta=delta, adjacency=request.adjacency),
            beta=draws.beta or BETA,
            verifiers=Verifiers((draws.verifier,)) if draws.verifier else None,
            care=_care(draws),
            manner=_running(draws, tell),
            keep=None if draws.keep is None else Path(draws.keep),
        )
    if path is not None:
        _save(found, path)
    body = _body(found) | dict(request.told) | ({"out": str(path)} if path else {})
    if not found.accepted:
        raise Unverified(found.claim, body)
    rows = question(request, f"δ = {found.claim.delta}")
    rows += [("method", f"{found.method}: {found.reason}"), ("meaning", _MEANS)]
    if found.power is not None and found.failure_probability:
        rows.append(("power", _power(found.power)))
    if path is not None:
        rows.append(("record", f"{path}; to look again: bursar verify --recheck {path}"))
    return Answer(body=body, sentence=_said(found), rows=rows)


def _again(name: str, draws: Draws, *, fresh: bool) -> Answer:
    from bursar.verification.again import recheck
    from bursar.verification.records import Record
    from bursar.verification.static import BETA

    record = Record.read(name)
    with reported() as tell:
        found = recheck(record, fresh=fresh, beta=draws.beta or BETA, manner=_running(draws, tell))
    body = _again_body(found)
    if not found.accepted:
        raise Unverified(_claimed(record.document), body)
    told = record.document
    rows = [
        ("at", f"δ = {told['claim']['delta']}"),
        ("neighbours", told["claim"]["adjacency"]),
        ("run", steps_of(told["plan"])),
        ("replay", f"as recorded: {told['reason']}"),
    ]
    if found.fresh is not None:
        rows.append(("fresh", f"{found.fresh.method}: {found.fresh.reason}"))
    else:
        rows.append(("fresh", "not asked for: coins can be chosen, so a stranger adds --fresh"))
    return Answer(body=body, sentence=f"{name} holds: {_claimed(told)}-DP", rows=rows)


class Unverified(Refused):
    """A claim that is not verified: as JSON, the verdict with the error in it."""

    kind = "NotVerified"

    def __init__(self, claim: object, verdict: dict[str, Any]) -> None:
        self.verdict = verdict
        super().__init__(
            f"the claim {claim} is not verified: {verdict['reason'].rstrip('.')}",
            hint="bursar epsilon says what can be proved.",
        )

    def to_json(self) -> dict[str, Any]:
        """The verdict, and the error."""
        return {**self.verdict, **super().to_json()}


def _body(found: Verified) -> dict[str, Any]:
    bound = found.bound.to_json() if found.bound else {}
    for name in ("bill", "passed_over", "seconds", "direction"):
        bound.pop(name, None)
    return {
        "accepted": found.accepted,
        "meaning": "static",
        "claim": found.claim.canonical(),
        **bound,
        "method": found.method,
        "reason": found.reason,
        "failure_probability": found.failure_probability,
        "power": None if found.power is None else found.power.to_json(),
    }


def _again_body(found: Rechecked) -> dict[str, Any]:
    told = found.record.document
    fresh = found.fresh
    why = found.reason or (fresh.reason if fresh and not fresh.accepted else told["reason"])
    return {
        "accepted": found.accepted,
        "meaning": told["meaning"],
        "claim": told["claim"],
        "plan": told["plan"],
        "recorded": told["accepted"],
        "replayed": found.replayed,
        "reason": why,
        "fresh": None if fresh is None else _body(fresh),
    }


def _said(found: Verified) -> str:
    doubt = found.failure_probability
    but = f"; a false claim passes with probability {Exact.of(doubt)}" if doubt else ""
    return f"({found.claim.epsilon}, {found.claim.delta})-DP is verified{but}"


def _power(power: Power) -> str:
    short = f"{power.gap:.3g}"
    gap = short if float(short) == power.gap else rounded(power.gap, 3, up=True)
    proved = rounded(power.proved, 3, up=True)
    return (
        f"a claim of δ/(1 − {gap}) fails with a probability of at most {proved}, which is proved; "
        f"{power.planned:g} was planned"
    )


def _claimed(document: dict[str, Any]) -> str:
    return f"({document['claim']['epsilon']}, {document['claim']['delta']})"


def _care(draws: Draws) -> Any:
    from bursar.verification.sides import Care

    power = draws.power or _POWERS[0]
    return Care(gap=draws.gap or "0.01", miss=draws.miss or "1e-4", power=power)


def _running(draws: Draws, tell: Any) -> Any:
    from bursar.accounting.monte_carlo_runs import Manner as Running

    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    cores = available if draws.cores == "all" else whole(cores=draws.cores or "1")
    return Running(cores=cores, engine=_engine(draws.on or "cores"), progress=tell)


def _engine(place: str) -> Any:
    require.one_of(_PLACES, on=place)
    if place == "cores":
        return None
    from bursar import machines

    return machines.TorchDevice() if place == "torch" else machines.RayCluster()


def _writable(out: str | None) -> Path | None:
    if out is None:
        return None
    path = Path(out)
    if path.is_dir() or not path.parent.is_dir():
        need = "it must be a file in a directory that is there"
        raise InvalidParameter(need, field="out", value=out)
    return path


def _save(found: Verified, path: Path) -> None:
    try:
        found.record.save(path)
    except OSError as error:
        need = f"it must be a file that can be written: {error.strerror}"
        raise InvalidParameter(need, field="out", value=str(path)) from None
