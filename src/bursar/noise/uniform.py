"""A real number at random, of which only the bits that a decision needs are ever drawn.

A uniform number is the ball around its known bits; an answer is given once every point of the
ball gives that answer, and until then more bits are drawn.  So each answer has exactly the
probability that the real number gives it: there is no rounding left to account for
(docs/proofs/exact-samplers.md, Thm 1).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NoReturn, TypeVar, final

from flint import arb

from bursar.errors import InternalError, InvalidParameter
from bursar.noise import entropy
from bursar.numerics.balls import precision

T = TypeVar("T")

STEP = 64  # bits drawn at a time
ROUNDS = 64  # a working source is undecided after so many with probability below 2^-4000
GUARD = 64  # bits of precision beyond those that are known


@final
class Uniform:
    """A secret number, uniform in [0, 1), known to as many bits as anyone has needed."""

    __slots__ = ("_known", "_lock")

    def __init__(self, known: tuple[int, int] | None = None) -> None:
        self._known = known or (entropy.word(), STEP)
        self._lock = threading.Lock()

    @property
    def bits(self) -> int:
        """How many bits are known."""
        return self._known[1]

    def ball(self) -> arb:
        """All that the number can still be."""
        word, bits = self._known
        return arb((2 * word + 1, -bits - 1), (1, -bits - 1))

    def deepen(self, beyond: int) -> None:
        """Draw more bits, unless another thread has already gone beyond so many."""
        with self._lock:
            word, bits = self._known
            if bits == beyond:
                self._known = word << STEP | entropy.word(), bits + STEP

    def __reduce__(self) -> NoReturn:
        raise secret()


def settle(answer: Callable[[], T | None], *numbers: Uniform) -> T:
    """The answer, once the balls of these numbers allow only one; None asks for more bits."""
    for _ in range(ROUNDS):
        bits = [number.bits for number in numbers]
        with precision(max(bits) + GUARD):
            found = answer()
        if found is not None:
            return found
        for number, beyond in zip(numbers, bits, strict=True):
            number.deepen(beyond)
    raise InternalError("randomness did not decide in 4096 bits: is the entropy source broken?")


def whole(value: arb) -> int | None:
    """The floor of all points of the ball, or None while it is not one number."""
    found = value.floor().unique_fmpz() if value.is_finite() else None
    return None if found is None else int(found)


def above(value: arb, other: arb) -> bool | None:
    """Whether the one ball is above the other, or None while they touch."""
    return True if value > other else False if value < other else None


def secret() -> InvalidParameter:
    """The refusal to copy or store what must be used where it was drawn."""
    return InvalidParameter(
        "it is secret, and cannot be copied or stored", field="noise", value="secret"
    )
