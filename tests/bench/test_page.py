"""What is kept of benchmarks is small and whole, and the page is what the results give."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import page
from bench.keeping import keep, load
from tests.house.tree import files

KEPT = sorted(path.stem for path in page.RESULTS.glob("*.json"))


def test_there_are_results() -> None:
    assert "filters" in KEPT


@pytest.mark.parametrize("name", KEPT)
def test_a_result_is_told(name: str) -> None:
    found = load(page.RESULTS / f"{name}.json")
    suite = page.suites()[name]
    assert suite.told(found).strip() in page.text()
    assert {"processor", "python", "bursar"} <= set(found["machine"])


def test_the_page_is_what_the_results_give() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(), "python -m bench page"


def test_tables_are_whole() -> None:
    for block in page.PAGE.read_text(encoding="utf-8").split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1, block


def test_a_result_that_nobody_tells_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    assert "##" not in page.text()
    keep({"rows": []}, tmp_path / "orphan.json")
    with pytest.raises(SystemExit, match="orphan"):
        page.text()


def test_what_is_committed_is_small() -> None:
    kept = [path for path in files() if path.parent == page.RESULTS]
    assert kept
    for path in kept:
        assert path.stat().st_size < 150_000, path
        assert path.suffix == ".json", path
