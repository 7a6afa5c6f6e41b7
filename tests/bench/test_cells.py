"""A cell that hangs, dies or raises costs its own answer, and a stopped run goes on."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import cells


@pytest.fixture(autouse=True)
def _logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "LOGS", tmp_path)
    monkeypatch.setattr(cells, "MEMORY", 2 << 30)
    monkeypatch.setattr(cells, "SLACK", 9)


def ask(cell: cells.Cell) -> cells.Row:
    match cell["what"]:
        case "hangs":
            time.sleep(60)
        case "waits":
            time.sleep(0.3)
        case "dies":
            os._exit(9)
        case "raises":
            raise ValueError("no\nsuch thing")
        case "unknown":
            raise cells.Answerless("unknown: Laplace")
        case "greedy":
            np.ones(1 << 29).sum()
        case "holds":
            return {"held": float(np.ones(4 << 20).sum())}
    return {"value": math.inf, "pid": os.getpid()}


def run(*whats: str, **settings: Any) -> list[cells.Row]:
    asked: list[cells.Cell] = [{"what": what} for what in whats]
    return cells.measured("test", asked, ask, limit_s=1, **settings)


@pytest.mark.slow
def test_what_has_no_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "SLACK", 0.5)
    (hangs,) = run("hangs")
    assert hangs["error"] == "> 1 s"


def test_what_goes_wrong_stays_in_its_cell() -> None:
    dies, raises, unknown, greedy, well = run("dies", "raises", "unknown", "greedy", "well")
    assert dies["error"] == "died"
    assert raises["error"] == "ValueError: no such thing"
    assert unknown["error"] == "unknown: Laplace"
    assert "Memory" in greedy["error"]
    assert well["value"] == "inf"
    assert well["ms"] < 1000


@pytest.mark.slow
def test_the_clock_is_the_processors() -> None:
    (row,) = run("waits")
    assert row["ms"] < 200


def test_memory_is_that_of_the_cell() -> None:
    (row,) = run("holds")
    assert 30 < row["mib"] < 60


def test_a_repetition_starts_anew() -> None:
    (row,) = run("well", repeats=2)
    assert row["pid"] != os.getpid()


def test_a_stopped_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    answer = cells.once

    def counted(ask: Any, cell: cells.Cell, *rest: Any) -> cells.Row:
        calls.append(str(cell["what"]))
        if cell["what"] == "stop" and calls.count("stop") == 1:
            raise KeyboardInterrupt
        return answer(ask, cell, *rest)

    monkeypatch.setattr(cells, "once", counted)
    with pytest.raises(KeyboardInterrupt):
        run("well", "stop", "other", repeats=1)
    rows = run("well", "stop", "other", repeats=1)
    assert [row["what"] for row in rows] == ["well", "stop", "other"]
    assert calls == ["well", "stop", "stop", "other"]
    assert not list(tmp_path.iterdir()), "what is finished leaves no log"


def test_a_log_of_other_versions_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test.jsonl").write_text('{"python": "2"}\n{"what": "well", "ms": -1}\n')
    (row,) = run("well")
    assert row["ms"] >= 0
