"""Where randomness comes from: the operating system, when it is needed, and nowhere else.

There is no generator and no buffer.  A draw asks the kernel (getrandom) for the bytes that it
uses, and keeps none for later: there is no state that a fork, a thread, a pickle or a restored
snapshot of a machine could run twice.

For tests there is a rehearsal: the same code on a stream that a seed decides.  All that leaves
it is marked NOT PRIVATE, and `refuse_rehearsal` is how whoever charges or releases says no.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import Refused

T = TypeVar("T")
Source = Callable[[int], bytes]

_source: ContextVar[Source] = ContextVar("entropy", default=os.urandom)


@final
@dataclass(frozen=True, slots=True)
class NotPrivate(Generic[T]):
    """NOT PRIVATE: what a rehearsal gave, with noise that a seed decided."""

    value: T


def rehearse(run: Callable[[], T], *, seed: int) -> NotPrivate[T]:
    """Run with noise that a seed decides: the same answer each time, and no privacy.

    >>> import bursar.noise as noise
    >>> rehearse(lambda: noise.rounded_gaussian(noise_std=10, size=3), seed=7).value.tolist()
    [-17, 18, -6]
    """
    key = f"bursar rehearsal {require.count(seed=seed, at_least=0)}".encode()
    calls = count()

    def stream(size: int) -> bytes:
        return hashlib.shake_256(key + b" %d" % next(calls)).digest(size)

    return NotPrivate(drawn_from(stream, run))


def drawn_from(source: Source, run: Callable[[], T]) -> T:
    """Run on bytes from elsewhere: for `rehearse`, and for tests that ask for each decision."""
    before = _source.set(source)
    try:
        return run()
    finally:
        _source.reset(before)


def rehearsing() -> bool:
    """Whether noise is decided by a seed here."""
    return _source.get() is not os.urandom


def refuse_rehearsal(doing: str) -> None:
    """Raise Refused inside a rehearsal: nothing may be charged or released there."""
    if rehearsing():
        raise Refused(f"{doing} is refused in a rehearsal: its noise is NOT PRIVATE")


def refuse_not_private(value: object, doing: str) -> None:
    """Raise Refused for what a rehearsal gave, or what says of itself that it is not private."""
    if isinstance(value, NotPrivate) or getattr(value, "private", True) is False:
        raise Refused(f"{doing} is refused: it is of a rehearsal, and NOT PRIVATE")


def word() -> int:
    """64 bits."""
    return int.from_bytes(_source.get()(8), "little")


def words(size: int) -> NDArray[np.uint64]:
    """So many times 64 bits."""
    return np.frombuffer(_source.get()(8 * size), dtype="<u8")


def halves(size: int) -> NDArray[np.uint32]:
    """So many times 32 bits."""
    return np.frombuffer(_source.get()(4 * size), dtype="<u4")
