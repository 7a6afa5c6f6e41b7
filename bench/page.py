"""docs/benchmarks.md, made of the kept results of every suite: `python -m bench page`.

A suite is a module of this folder with TITLE, `measure(small=…)` and `told(found)`; README.md says
more.  A result without a suite that tells it is an error, so that none is kept but not shown.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bench.keeping import Found, load
from bench.machine import told as on

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
FIGURES = HERE.parent / "docs" / "figures"
ORDER = (
    *("numbers", "accountants", "precision", "whole_runs", "monte_carlo", "verification"),
    *("filters", "noise"),
)
_HEAD = """# Benchmarks

Each part is made of numbers that `python -m bench <suite>` measures and keeps; `python -m bench page` writes this page ([how](../bench/README.md)). All tools of a part were measured in one run, on the machine that it names. Machines are noisy: read the ratios.
"""


class Suite(Protocol):
    """What a module of this folder offers.  `pictures(found)` too, where it has some."""

    TITLE: str

    def measure(self, *, small: bool) -> Found:
        """The numbers; few of them, in seconds, where `small`."""

    def told(self, found: Found) -> str:
        """Its part of the page, below the title and the pictures."""


def suites() -> dict[str, Suite]:
    """Every suite by its name, in the order of the page; those that ORDER does not name are last."""
    names = {entry.name for entry in pkgutil.iter_modules([str(HERE)])}
    known = [name for name in ORDER if name in names]
    rest = sorted(name for name in names - set(known) if not name.startswith("_"))
    found = {name: import_module(f"bench.{name}") for name in [*known, *rest]}
    return {name: module for name, module in found.items() if hasattr(module, "TITLE")}


def text() -> str:
    """The page as the kept results give it."""
    known = suites()
    kept = {path.stem for path in RESULTS.glob("*.json")}
    if untold := kept - set(known):
        raise SystemExit(f"no suite tells the results {', '.join(sorted(untold))}")
    return "\n".join([_HEAD, *(_part(name, known[name]) for name in known if name in kept)])


def _part(name: str, suite: Suite) -> str:
    found = load(RESULTS / f"{name}.json")
    pictures = "\n".join(
        f"![{path.stem.partition('-')[2]}](figures/{path.name})"
        for path in sorted(FIGURES.glob(f"bench_{name}-*.svg"))
    )
    measured = f"<sub>`python -m bench {name}`; {on(found['machine'])}.</sub>"
    blocks = [f"## {suite.TITLE}", pictures, suite.told(found).strip(), measured]
    return "\n\n".join(block for block in blocks if block) + "\n"


def draw(name: str, suite: Suite, found: Found, folder: Path) -> None:
    """The pictures of a suite, if it has some."""
    from bursar.reports import plots

    make = getattr(suite, "pictures", None)
    made: dict[str, Figure] = make(found) if make else {}
    folder.mkdir(parents=True, exist_ok=True)
    for ending, figure in made.items():
        plots.save(figure, folder / f"bench_{name}-{ending}.svg")


def write() -> None:
    """Write the page."""
    PAGE.write_text(text(), encoding="utf-8")
