"""`bursar profile`: the whole curve, δ against ε, or what an attacker could do."""

from __future__ import annotations

from typing import Annotated

import typer

from bursar import require
from bursar.cli.answer import Answer, question
from bursar.cli.flags import ASKED, FromFile, Manner, Method, Neighbours, Steps, asks, option
from bursar.cli.leaving import Leaving
from bursar.cli.limits import within
from bursar.cli.progress import counted
from bursar.cli.request import Request, requested, whole
from bursar.errors import InvalidParameter
from bursar.exact import Exact
from bursar.truth import Enclosure, Estimate, Proved, rounded

EXAMPLES = (
    "bursar profile --noise-multiplier 1.0 --sampling-probability 0.01 --steps 1000 "
    "--epsilons 0:4 --points 5",
    "bursar profile --noise-multiplier 1.0 --sampling-probability 0.01 --steps 1000 "
    "--deltas 1e-9:1e-5 --points 3 --csv",
    "bursar profile --noise-multiplier 2 --trade-off --out curve.csv",
)
_DIGITS = 5
_MOST = 10_000


@asks
def profile(
    *,
    steps: Steps,
    file: FromFile,
    epsilons: Annotated[
        str | None,
        option("--epsilons", "FROM:TO", "δ at ε between these.  [0:4]", ASKED),
    ] = None,
    deltas: Annotated[
        str | None,
        option("--deltas", "FROM:TO", "Or ε at δ between these, in powers of ten.", ASKED),
    ] = None,
    trade_off: Annotated[
        bool,
        typer.Option(
            "--trade-off",
            help="Or the largest true positive rate of an attacker at each false positive rate.",
            rich_help_panel=ASKED,
        ),
    ] = False,
    points: Annotated[
        str | None,
        option("--points", "COUNT", "So many, equally far apart.  [11]", ASKED),
    ] = None,
    neighbours: Neighbours,
    by: Method,
    leaving: Leaving,
    manner: Manner,
) -> Answer:
    """The whole curve of a run, each point proved.

    δ at many ε, or ε at many δ, in both directions; or with --trade-off what the best attacker
    achieves.
    """
    request = requested(steps, file, neighbours)
    leaves = leaving.checked(as_json=manner.json)
    count = 11 if points is None else whole(points=points)
    if not 2 <= count <= _MOST:
        raise InvalidParameter(f"it must be 2 to {_MOST}", field="points", value=points)
    if trade_off:
        _alone("trade_off", epsilons=epsilons, deltas=deltas, method=by.method)
        equally = None if points is None else count
        return within(manner.timeout, lambda: _trade_off(request, equally, leaves))
    if deltas is not None:
        _alone("deltas", epsilons=epsilons)
    grid = _deltas(deltas, count) if deltas is not None else _epsilons(epsilons or "0:4", count)
    name = "epsilons" if deltas is None else "deltas"
    return within(manner.timeout, lambda: _curve(request, name, grid, by.method, leaves))


def _curve(
    request: Request, name: str, grid: list[Exact], method: str | None, leaves: Leaving
) -> Answer:
    from bursar.accounting.curve import PrivacyCurve, points
    from bursar.reports import plots, tables

    found = points(request.plan, adjacency=request.adjacency, method=method, **{name: grid})
    curve = PrivacyCurve(tuple(counted(found, len(grid))))
    of = ("ε", "δ") if name == "epsilons" else ("δ", "ε")
    head = [(of[0], f"{of[1]} at least", "at most", "remove", "add", "method")]
    rows = [
        (
            point.given.text,
            *_ends(request.about_run(point.worst)),
            _upper(point.remove),
            _upper(point.add),
            point.worst.about.method,
        )
        for point in curve
    ]
    what = "δ at each ε" if name == "epsilons" else "ε at each δ"
    answer = Answer(
        body=curve.to_json() | {"adjacency": request.adjacency.value} | dict(request.told),
        sentence=f"{what}, each point proved" if method is None else f"{what}, by {method}",
        table=head + rows,
        rows=question(request, f"{len(grid)} points"),
    )
    return leaves.written(
        answer, lambda: tables.profile_csv(curve), lambda: plots.profile_figure(curve)
    )


def _trade_off(request: Request, equally: int | None, leaves: Leaving) -> Answer:
    from bursar.accounting.risk import RATES, TradeOff, trade_off_points
    from bursar.reports import plots, tables

    found = trade_off_points(request.plan, points=equally, adjacency=request.adjacency)
    count = equally or len(RATES)
    curve = TradeOff(tuple(counted(found, count)))
    rows = [(f"{rate:.6g}", *_ends(request.about_run(tpr))) for rate, tpr in curve]
    answer = Answer(
        body=curve.to_json() | {"adjacency": request.adjacency.value} | dict(request.told),
        sentence="What the best attacker achieves at each false positive rate",
        table=[("FPR", "TPR at least", "at most"), *rows],
        rows=question(request, f"{count} points"),
    )
    return leaves.written(
        answer, lambda: tables.trade_off_csv(curve), lambda: plots.trade_off_figure(curve)
    )


def _alone(flag: str, **others: str | None) -> None:
    for name, value in others.items():
        if value is not None:
            need = f"it may not stand beside --{flag.replace('_', '-')}"
            raise InvalidParameter(need, field=name, value=value)


def _range(text: str, field: str) -> tuple[Exact, Exact]:
    low, colon, high = text.partition(":")
    if not colon:
        raise InvalidParameter("it must be two numbers, FROM:TO", field=field, value=text)
    ends = Exact.of(low, field=field), Exact.of(high, field=field)
    if not ends[0] < ends[1]:
        raise InvalidParameter("FROM must be below TO", field=field, value=text)
    return ends


def _epsilons(text: str, count: int) -> list[Exact]:
    from bursar.accounting.curve import spaced

    low, high = (require.nonnegative(epsilons=end) for end in _range(text, "epsilons"))
    return spaced(float(low), float(high), count)


def _deltas(text: str, count: int) -> list[Exact]:
    from bursar.accounting.curve import log_spaced

    low, high = (require.probability(deltas=end) for end in _range(text, "deltas"))
    if not float(low) > 0:
        raise InvalidParameter("it must be above 1e-308", field="deltas", value=text)
    return log_spaced(float(low), float(high), count)


def _ends(result: Proved | Estimate) -> tuple[str, str]:
    if isinstance(result, Estimate):
        return "", f"≈ {rounded(result.value, _DIGITS, up=None)}"
    lower = result.lower if isinstance(result, Enclosure) else None
    told = "" if lower is None else rounded(lower, _DIGITS, up=False)
    return told, rounded(result.upper, _DIGITS, up=True)


def _upper(result: Proved | None) -> str:
    return "" if result is None else rounded(result.upper, _DIGITS, up=True)
