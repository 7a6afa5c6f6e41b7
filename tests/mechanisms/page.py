"""The table of docs/mechanisms.md, from the mechanisms themselves.

`python -m tests.mechanisms.page` writes it again.
"""

from __future__ import annotations

import inspect
import re

from bursar.adjacency import Adjacency, Direction
from bursar.errors import NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.registry import AROUND, UNWRITTEN
from bursar.mechanisms.selection import BoundedRange, ExponentialMechanism, ReportNoisyMax
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.mechanisms.table import Table
from bursar.mechanisms.views import views_of
from tests.house.tree import ROOT
from tests.mechanisms.examples import EXAMPLES

PAGE = ROOT / "docs" / "mechanisms.md"
_TABLE = re.compile(
    r"(?<=<!-- table: written by python -m tests.mechanisms.page -->\n).*?(?=<!--)", re.S
)
_STATED = (
    PureDP,
    ApproximateDP,
    ZeroConcentratedDP,
    GaussianDP,
    RenyiDP,
    BoundedRange,
    ExponentialMechanism,
    ReportNoisyMax,
    Table,
    *UNWRITTEN,
)
_HEAD = "| Python | in files | fields | relations | views | tight |\n|---|---|---|---|---|---|\n"


def row(mechanism: Mechanism) -> str:
    """One mechanism: its names, fields, relations, views."""
    kind = type(mechanism)
    fields = ", ".join(f"`{name}`" for name in inspect.signature(kind).parameters)
    relations = (
        "all three"
        if len(mechanism.relations) == 3
        else ", ".join(relation.value for relation in Adjacency if relation in mechanism.relations)
    )
    mark = "¹" if kind in _STATED else "²" if kind in AROUND else ""
    if kind in UNWRITTEN:
        file = "no"
    elif kind in AROUND:
        file = "`people`" if mechanism.name == "group" else f'`sampling = "{mechanism.name}"`'
    else:
        file = f"`{mechanism.name}`"
    views = ", ".join(views_of(mechanism))
    cells = (f"`{kind.__name__}`", file, fields, relations + mark, views, tight(mechanism))
    return f"| {' | '.join(cells)} |"


def tight(mechanism: Mechanism) -> str:
    """Whether its pair is attained."""
    if not hasattr(mechanism, "pair"):
        return ""
    for relation in Adjacency:
        try:
            return "yes" if mechanism.pair(relation, Direction.REMOVE).tight else "no"
        except NoProof:
            continue
    return ""


def written(page: str) -> str:
    """The page with its table made again."""
    rows = "\n".join(row(mechanism) for mechanism in EXAMPLES)
    return _TABLE.sub(lambda _: f"\n{_HEAD}{rows}\n\n", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
