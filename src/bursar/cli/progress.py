"""What people see while they wait: after a second, a line on stderr that says how far it is.

Only where stderr is a terminal that can take a line back, and never with --json.  `counted` tells
how many parts of a piece of work there are; where nobody counts, the line has the time alone.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, TypeVar

_T = TypeVar("_T")
_PATIENCE = 1.0  # seconds before anything is shown
_PACE = 0.25
_WIDE = 24  # letters of the bar
_CLEAR = "\r\x1b[K"
_done: list[tuple[int, int]] = []  # of the innermost work that is counted


def counted(parts: Iterable[_T], total: int) -> Generator[_T]:
    """The parts, counted while they come."""
    _done.append((0, total))
    try:
        for number, part in enumerate(parts, start=1):
            yield part
            _done[-1] = (number, total)
    finally:
        _done.pop()


@contextmanager
def reported() -> Iterator[Callable[[int, int, float], None]]:
    """For work that says itself how far it is: how many parts are done, and of how many."""
    _done.append((0, 0))

    def tell(done: int, total: int, _left: float) -> None:
        _done[-1] = (done, total)

    try:
        yield tell
    finally:
        _done.pop()


@contextmanager
def watched(*, quiet: bool, stream: TextIO | None = None) -> Iterator[None]:
    """Show a line while the block runs, if it takes more than a second."""
    to = stream or sys.stderr
    if quiet or to is None or not to.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    line = threading.Thread(target=_show, args=(to, over), daemon=True)
    line.start()
    try:
        yield
    finally:
        over.set()
        line.join()


def _show(to: TextIO, over: threading.Event) -> None:
    started, shown = time.monotonic(), False
    wait = _PATIENCE
    while not over.wait(wait):
        wait, shown = _PACE, True
        with suppress(OSError, ValueError):
            wide = shutil.get_terminal_size().columns - 1
            to.write(_CLEAR + _line(time.monotonic() - started, wide))
            to.flush()
    if shown:
        with suppress(OSError, ValueError):
            to.write(_CLEAR)
            to.flush()


def _line(seconds: float, wide: int) -> str:
    """How far it is, in one line of a terminal: where there is no room for the bar, without it."""
    passed = f"{seconds:.0f} s"
    done, total = _done[-1] if _done else (0, 0)
    if not total:
        return f"computing, {passed}"[:wide]
    full = _WIDE * done // max(total, 1)
    left = f", {seconds / done * (total - done):.0f} s left" if 0 < done < total else ""
    told = f"{done} of {total}, {passed}{left}"
    bar = f"[{'#' * full}{'.' * (_WIDE - full)}] "
    return bar + told if len(bar + told) <= wide else told[:wide]
