"""Independent draws of one standard law, each a real number: a near value now, its bits on demand.

96 bits a draw give a float64 within `error` of the number.  Where that leaves a decision open,
the draw's own uniform number is deepened, and balls decide (uniform.py).
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import NoReturn, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from bursar.errors import Refused
from bursar.noise import entropy
from bursar.noise.laws import Law
from bursar.noise.quantile import quantile
from bursar.noise.uniform import Uniform, secret

_LOW = 32


@final
class Draws:
    """Secret draws of a law, that stay in the process which made them."""

    __slots__ = ("_deep", "_high", "_law", "_low", "_near", "_process", "error", "private", "shape")

    def __init__(self, law: Law, size: int | None) -> None:
        many, table = 1 if size is None else size, quantile(law)
        self.shape: tuple[int, ...] = () if size is None else (size,)
        self._law = law
        self._high, self._low = entropy.words(many), entropy.halves(many)
        self._near = table.near(self._high, self._low).reshape(self.shape)
        self._deep: dict[int, Uniform] = {}
        self._process = os.getpid()
        self.error: Fraction = table.error
        self.private = not entropy.rehearsing()

    @property
    def near(self) -> NDArray[np.float64]:
        """Each draw to within `error`; NaN for one so far out that only balls can tell."""
        if self._process != os.getpid():
            raise Refused(
                "these draws were made in another process, before a fork",
                hint="Draw again here: noise that two processes share protects neither.",
            )
        return self._near

    def uniform(self, index: int) -> Uniform:
        """The number whose bits decide this draw; a single one stands at every index."""
        index = index if self.shape else 0
        word = (int(self._high[index]) & (2**63 - 1)) << _LOW | int(self._low[index])
        return self._deep.setdefault(index, Uniform((word, 63 + _LOW)))

    def ball(self, index: int) -> arb:
        """All that this draw can still be."""
        below = bool(self._high[index if self.shape else 0] >> np.uint64(63))
        return self._law.value(below, self.uniform(index).ball() / 2)

    def __reduce__(self) -> NoReturn:
        raise secret()
