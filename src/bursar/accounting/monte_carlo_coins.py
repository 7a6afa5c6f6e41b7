"""Where the random words of a simulation come from: a block's words depend on its number alone.

So cores and machines may share the blocks, and a run that was stopped goes on with the coins that
it had.  Seeded words are for estimates and tests; keyed ones for release gates, whose key is a
secret of the installation; fresh ones, from the operating system, for whoever trusts neither.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np

from bursar import require
from bursar.noise import entropy
from bursar.numerics.envelope import Source, Words


@runtime_checkable
class Coins(Protocol):
    """Independent uniform 64-bit words, for each block its own."""

    def source(self, block: int) -> Source:
        """The words of a block, from the first on."""


@final
@dataclass(frozen=True, slots=True)
class Seeded:
    """Words that a public seed decides: for estimates and tests, never for a release."""

    seed: int

    def __post_init__(self) -> None:
        require.count(seed=self.seed, at_least=0)

    def source(self, block: int) -> Source:
        """SFC64, seeded with the seed and the block."""
        generator = np.random.SFC64(np.random.SeedSequence([self.seed, block]))

        def words(size: int) -> Words:
            return np.asarray(generator.random_raw(size), dtype=np.uint64)

        return words


@final
@dataclass(frozen=True, slots=True, repr=False)
class Keyed:
    """Words that a secret key decides, by SHAKE-128: the same key gives the same verdict again."""

    key: bytes

    def source(self, block: int) -> Source:
        """SHAKE-128 of key, block and call."""
        calls = 0

        def words(size: int) -> Words:
            nonlocal calls
            calls += 1
            text = b"%s:%d:%d" % (self.key, block, calls)
            return np.frombuffer(hashlib.shake_128(text).digest(8 * size), dtype="<u8")

        return words


@final
@dataclass(frozen=True, slots=True)
class Fresh:
    """Words from the operating system, at each call anew."""

    def source(self, block: int) -> Source:
        """The kernel's words, whatever the block."""
        return entropy.words
