"""Where works stand and where their results are kept; the one door of files for all of them.

A work is a module of a paper's folder, found by its file: `reproduce/wang/fig5.py` is `wang fig5`.
It has TITLE, `measure(small=…)` (numbers, as JSON holds them), `pictures(found)` and `told(found)`
(its part of the page).  Not here: how lines look (`bursar.reports.plots`).
"""

from __future__ import annotations

import json
import math
import pkgutil
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bench.machine import stamp
from bursar.reports import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
RESULTS = HERE / "results"
FIGURES = HERE.parent / "docs" / "figures"
Found = dict[str, Any]


class Work(Protocol):
    """What a module of a paper's folder offers."""

    TITLE: str

    def measure(self, *, small: bool) -> Found:
        """The numbers; few of them, in seconds, where `small`."""

    def pictures(self, found: Found) -> dict[str, Figure]:
        """Each picture by what its file's name ends in: "" for the only one."""

    def told(self, found: Found) -> str:
        """Its part of the page, below the title and the pictures."""


def papers() -> list[str]:
    """The folders of papers."""
    return sorted(entry.name for entry in pkgutil.iter_modules([str(HERE)]) if entry.ispkg)


def works(paper: str) -> dict[str, Work]:
    """The works of a paper, figures by their numbers."""
    names = [entry.name for entry in pkgutil.iter_modules([str(HERE / paper)])]
    kept = sorted((name for name in names if not name.startswith("_")), key=_order)
    return {name: import_module(f"reproduce.{paper}.{name}") for name in kept}


def _order(name: str) -> tuple[str, int, str]:
    word, number, rest = re.fullmatch(r"([a-z_]*)(\d*)(\w*)", name).groups()  # type: ignore[union-attr]
    return word, int(number or 0), rest


def make(paper: str, name: str, out: Path | None, *, small: bool, draw_only: bool) -> None:
    """Measure and keep, then draw; without a folder of one's own, where the page looks."""
    work = works(paper)[name]
    path = (out or RESULTS) / f"{paper}-{name}.json"
    if not draw_only:
        keep(work.measure(small=small), path)
    folder = out or FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for ending, figure in work.pictures(load(path)).items():
        plots.save(figure, folder / picture_name(paper, name, ending))


def picture_name(paper: str, name: str, ending: str) -> str:
    """The file of a picture."""
    return f"{paper}-{name}{'-' + ending if ending else ''}.svg"


def keep(found: Found, path: Path) -> None:
    """As JSON, numbers with six digits, with the machine beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"machine": stamp("dp-accounting", "prv-accountant"), **found}
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in rounded(whole).items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load(path: Path) -> Found:
    """What was kept; "inf" and "nan" are numbers again."""
    found: Found = json.loads(path.read_text(encoding="utf-8"))
    return _numbers(found)


def rounded(value: Any, digits: int = 6) -> Any:
    """Floats with so many significant digits, and words for those that JSON has not."""
    match value:
        case bool() | int() | str() | None:
            return value
        case dict():
            return {str(key): rounded(one, digits) for key, one in value.items()}
        case list() | tuple():
            return [rounded(one, digits) for one in value]
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    return float(f"{number:.{digits}g}")


def _numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _numbers(one) for key, one in value.items()}
        case list():
            return [_numbers(one) for one in value]
        case "inf" | "-inf" | "nan":
            return float(value)
    return value


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a page; floats are shown with four digits."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
