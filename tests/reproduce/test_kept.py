"""What is kept of the papers' figures is small and whole, and the page is what the results give."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from reproduce import keeping, page
from tests.house.tree import files, pages

WORKS = [(paper, name) for paper in keeping.papers() for name in keeping.works(paper)]


def test_there_are_works() -> None:
    assert ("wang", "fig1") in WORKS


@pytest.mark.parametrize(("paper", "name"), WORKS)
def test_a_work_is_kept_with_its_pictures(paper: str, name: str) -> None:
    found = keeping.load(keeping.RESULTS / f"{paper}-{name}.json")
    work = keeping.works(paper)[name]
    assert work.TITLE
    assert work.told(found)
    assert {"processor", "python", "bursar"} <= set(found["machine"])


def test_the_page_is_what_the_results_give() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(), "python -m reproduce page"


def test_what_is_committed_is_small() -> None:
    kept = [path for path in files() if path.parent in (keeping.RESULTS, keeping.FIGURES)]
    assert kept
    for path in kept:
        assert path.stat().st_size < (50_000 if path.suffix == ".json" else 100_000), path
    shown = "".join(path.read_text(encoding="utf-8") for path in pages())
    for path in kept:
        assert path.suffix == ".json" or path.name in shown, "a picture that no page shows"


def test_numbers_come_back(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    keeping.keep({"rows": [[1, 0.123456789], [2, math.inf]], "what": "a, b: c"}, path)
    found = keeping.load(path)
    assert found["rows"] == [[1, 0.123457], [2, math.inf]]
    assert found["what"] == "a, b: c"
    assert json.loads(path.read_text(encoding="utf-8"))["rows"][1][1] == "inf"


def test_a_table() -> None:
    assert keeping.table(["a", "b"], [[1, 0.25]]).splitlines()[2] == "| 1 | 0.25 |"
