"""Where works stand and where their results and pictures are kept.

A work is a module of a paper's folder, found by its file: `reproduce/wang/fig5.py` is `wang fig5`.
It has TITLE, `measure(small=…)` (numbers, as JSON holds them), `pictures(found)` and `told(found)`
(its part of the page).  Not here: files of results (`bench.keeping`), how lines look
(`bursar.reports.plots`).
"""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bench.keeping import Found, keep, load, table
from bursar.reports import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
RESULTS = HERE / "results"
FIGURES = HERE.parent / "docs" / "figures"
__all__ = ["FIGURES", "RESULTS", "Found", "keep", "load", "make", "papers", "table", "works"]


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
