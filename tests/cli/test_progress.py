"""The line that people see while they wait: after a second, on a terminal, and never in JSON."""

from __future__ import annotations

import time
from io import StringIO

import pytest

from bursar.cli import progress
from bursar.cli.progress import counted, watched
from tests.cli.program import Terminal


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits in a test."""
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setattr(progress, "_PACE", 0.01)
    monkeypatch.setenv("TERM", "xterm")


def seen(stream: StringIO, *, quiet: bool = False) -> str:
    with watched(quiet=quiet, stream=stream):
        for _ in counted(range(4), 4):
            time.sleep(0.03)
    return stream.getvalue()


@pytest.mark.usefixtures("hasty")
def test_a_terminal_sees_how_far_it_is() -> None:
    told = seen(Terminal())
    assert "2 of 4" in told
    assert told.endswith("\r\x1b[K")  # and nothing stays
    assert "\n" not in told


@pytest.mark.parametrize("wide", [20, 40, 80])
@pytest.mark.usefixtures("hasty")
def test_it_stays_on_one_line(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a terminal wraps cannot be taken back."""
    monkeypatch.setenv("COLUMNS", str(wide))
    told = seen(Terminal())
    lines = told.replace("\x1b[K", "").split("\r")
    assert "2 of 4" in told
    assert max(map(len, lines)) < wide
    assert ("#" in told) is (wide > 40)


@pytest.mark.usefixtures("hasty")
def test_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seen(StringIO()) == ""
    assert seen(Terminal(), quiet=True) == ""
    monkeypatch.setenv("TERM", "dumb")
    assert seen(Terminal()) == ""


@pytest.mark.usefixtures("hasty")
def test_work_that_is_not_counted_shows_its_time() -> None:
    stream = Terminal()
    with watched(quiet=False, stream=stream):
        time.sleep(0.05)
    assert "computing, 0 s" in stream.getvalue()


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with watched(quiet=False, stream=stream):
        pass
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("hasty")
def test_the_line_goes_when_the_work_fails() -> None:
    stream = Terminal()
    with pytest.raises(ZeroDivisionError), watched(quiet=False, stream=stream):
        list(counted((1 // (2 - n) for n in range(4)), 4))
    assert progress._done == []
    assert not stream.getvalue() or stream.getvalue().endswith("\r\x1b[K")
