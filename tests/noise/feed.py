"""Samplers on chosen bits: what each decides for a given uniform number, and so its exact law.

A draw reads 96 bits (a side, and 95 bits W of p = (W + U)/2^96), and more only where those leave
it open.  `decided` runs a sampler on chosen ones; `thresholds` finds by bisection, for each value
m, how many W give a magnitude above m: the exact law, read off the decisions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from bursar.noise.entropy import drawn_from

BITS = 95
WORDS = 2**BITS


def fed(
    run: Callable[[], object], draws: Sequence[tuple[int, int]], deep: Sequence[int] = ()
) -> object:
    """What `run` gives when its only draw of many reads these (side, W), and deeper words these."""
    high = np.array([side << 63 | w >> 32 for side, w in draws], dtype="<u8").tobytes()
    low = np.array([w & (2**32 - 1) for _, w in draws], dtype="<u4").tobytes()
    chunks = [high, low, *(word.to_bytes(8, "little") for word in deep)]
    later = count()

    def source(size: int) -> bytes:
        chunk = chunks.pop(0) if chunks else b"%08d" % next(later)
        assert len(chunk) == size
        return chunk

    return drawn_from(source, run)


def thresholds(
    sample: Callable[[int], np.ndarray], values: Sequence[int], *, side: int = 0
) -> list[int]:
    """For each m, the number of W for which the magnitude of the draw is above m."""
    low, high = [0] * len(values), [WORDS] * len(values)
    for _ in range(BITS):
        middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        found = fed(lambda: sample(len(values)), [(side, w) for w in middle])
        above = np.abs(found) > np.array(values)
        for i, is_above in enumerate(above):
            low[i], high[i] = (middle[i], high[i]) if is_above else (low[i], middle[i])
    return high


def table(sample: Callable[[int], np.ndarray], largest: int) -> dict[int, tuple[int, int]]:
    """The drawn law: for each |j| ≤ largest, bounds on P(j)·2^96."""
    law: dict[int, tuple[int, int]] = {}
    for side, sign in ((0, 1), (1, -1)):
        above = thresholds(sample, range(largest + 1), side=side)
        for j, (before, after) in enumerate(zip([WORDS, *above], above, strict=False)):
            low, up = law.get(sign * j, (0, 0))
            words = before - after
            law[sign * j] = low + max(words - 1, 0), up + words + 1
    return law
