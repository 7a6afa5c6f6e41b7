"""A limit of time, kept by the system's own clock where it has one (not on Windows).

The clock's signal interrupts the computation between two operations of Python, wherever it is, so
no loop has to watch it.  When time or memory is up, the safe answer so far is asked for, which
has a little time of its own; a second signal follows each first, should one be lost.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from bursar import require
from bursar.errors import BursarError, LimitReached

_T = TypeVar("_T")
_LONGEST = 10**8  # seconds: three years; more would not fit everywhere
_AGAIN = 0.5
_GRACE = 10  # seconds for the safe answer


class _TimeIsUp(BaseException):
    """Not an Exception, so that nothing on its way takes it for a failure of its own."""


_MORE = "Give it more with --timeout, or ask for --method rdp, which is fast and not tight."


def within(
    seconds: str,
    ask: Callable[[], _T],
    otherwise: Callable[[], object] | None = None,
    hint: str = _MORE,
) -> _T:
    """What `ask` answers; LimitReached with what `otherwise` answers when time or memory is up."""
    limit = require.positive(timeout=seconds)
    try:
        with _alarm(min(float(limit), _LONGEST)):
            return ask()
    except _TimeIsUp:
        need = f"time is up after {limit} s"
    except MemoryError:
        need = "memory is used up"
    except LimitReached as reached:
        reached.partial = reached.partial or _safe(otherwise)
        raise
    raise LimitReached(need, partial=_safe(otherwise), hint=hint)


def _safe(otherwise: Callable[[], object] | None) -> object:
    try:
        with _alarm(_GRACE):
            return otherwise() if otherwise else None
    except (BursarError, _TimeIsUp, MemoryError):
        return None


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: object) -> NoReturn:
    raise _TimeIsUp
