"""Pictures of what is known: the one door of matplotlib (extra `plots`).

One look for all of them: what is proved is a solid line, what is not is dashed, and an enclosure
that is wide enough to be seen is a band.  No state of pyplot is touched, so servers may draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from bursar.accounting.curve import PrivacyCurve
from bursar.accounting.risk import TradeOff
from bursar.errors import InvalidParameter, MissingExtra
from bursar.truth import Enclosure, Estimate, Proved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
INK = ("#1b4f72", "#b03a2e", "#1e8449", "#7d3c98", "#b9770e", "#566573", "#117a65", "#d68910")
_SMALL = 0.02  # a rate below it wants powers of ten
_SIZE = (6.0, 3.9)  # inches
_LOOK = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d5d8dc",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#566573",
    "font.size": 10,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "bursar",
    "path.simplify": True,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a picture: points, a name, and whether it is proved."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    lower: Sequence[float] | None = None
    proved: bool = True
    marker: str = ""


def profile_figure(curve: PrivacyCurve, *, title: str = "") -> Figure:
    """δ against ε, δ in powers of ten; each direction by itself where they differ."""
    remove = [(one.given, one.remove) for one in curve if one.remove is not None]
    add = [(one.given, one.add) for one in curve if one.add is not None]
    differ = len(remove) == len(add) == len(curve) and any(
        one.remove is not one.add for one in curve
    )
    named = {"remove": remove, "add": add} if differ else {"": [(p.given, p.worst) for p in curve]}
    lines = [_profile_line(name, found) for name, found in named.items()]
    lines = [line for line in lines if line.x]
    figure = drawn(lines, x="ε", y="δ", log_y=True, title=title)
    if lines:
        lowest = max(min(line.y) for line in lines)
        highest = max(max(line.y) for line in lines)
        figure.axes[0].set_ylim(lowest * 1e-3, min(highest * 10, 2.0))
    return figure


def _profile_line(name: str, found: Sequence[tuple[Any, Proved | Estimate]]) -> Line:
    rows = []
    proved = True
    for given, result in found:
        proved = proved and not isinstance(result, Estimate)
        value = result.value if isinstance(result, Estimate) else result.upper
        lower = result.lower if isinstance(result, Enclosure) else value
        at = float(given)
        low, row = (at, (at, value, lower)) if _asks_delta(result) else (value, (value, at, at))
        if math.isfinite(low) and row[1] > 0:
            rows.append(row)
    rows.sort()
    xs, ys, lows = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    return Line(name=name, x=xs, y=ys, lower=lows, proved=proved)


def _asks_delta(result: Proved | Estimate) -> bool:
    return result.about.quantity == "delta"


def trade_off_figure(curve: TradeOff, *, title: str = "") -> Figure:
    """The largest true positive rate against the false positive rate; small rates by powers."""
    small = any(0 < rate < _SMALL for rate, _ in curve)
    rows = [(rate, tpr) for rate, tpr in curve if not small or (rate > 0 and tpr.upper > 0)]
    x = [rate for rate, _ in rows]
    lines = [
        Line(
            name="best attacker",
            x=x,
            y=[tpr.upper for _, tpr in rows],
            lower=[tpr.lower if isinstance(tpr, Enclosure) else tpr.upper for _, tpr in rows],
        ),
        Line(name="guessing", x=x, y=x, proved=False),
    ]
    x_name, y_name = "false positive rate", "true positive rate"
    return drawn(lines, x=x_name, y=y_name, log_x=small, log_y=small, title=title)


def steps_figure(rows: Sequence[tuple[int, Proved]], *, title: str = "") -> Figure:
    """ε against the number of steps."""
    line = Line(
        name="ε",
        x=[float(k) for k, _ in rows],
        y=[found.upper for _, found in rows],
        lower=[found.lower if isinstance(found, Enclosure) else found.upper for _, found in rows],
    )
    return drawn([line], x="steps", y="ε", title=title)


def drawn(
    lines: Sequence[Line],
    *,
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
    size: tuple[float, float] = _SIZE,
) -> Figure:
    """A picture of these lines in the house's look."""
    matplotlib = _matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_LOOK):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        for colour, line in zip(_colours(len(lines)), lines, strict=True):
            _draw(axes, line, colour)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if log_x:
            axes.set_xscale("log")
        if log_y:
            axes.set_yscale("log")
        if title:
            axes.set_title(title, fontsize=10, loc="left")
        if len(lines) > 1:
            axes.legend()
    return figure


def _draw(axes: Axes, line: Line, colour: str) -> None:
    style = "-" if line.proved else (0, (4, 2))
    if line.marker:
        axes.plot(line.x, line.y, line.marker, color=colour, label=line.name, markersize=4)
        return
    axes.plot(line.x, line.y, linestyle=style, color=colour, label=line.name, linewidth=1.6)
    if line.lower is not None:
        axes.fill_between(line.x, line.lower, line.y, color=colour, alpha=0.2, linewidth=0)


def _colours(count: int) -> list[str]:
    return [INK[number % len(INK)] for number in range(count)]


def save(figure: Figure, path: str | Path) -> None:
    """The picture as a file; its ending says which format."""
    where = Path(path)
    if where.suffix.lower() not in FORMATS:
        need = f"a picture's name must end in {', '.join(FORMATS)}"
        raise InvalidParameter(need, field="out", value=str(path))
    with _matplotlib().rc_context(_LOOK):
        metadata: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(
            where.suffix.lower(), {}
        )
        figure.savefig(where, dpi=110, metadata=metadata)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra(
            "pictures need matplotlib",
            field="out",
            hint="pip install 'bursar[plots]', or write a .csv or .json file.",
        ) from None
    return matplotlib
