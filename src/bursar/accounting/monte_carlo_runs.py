"""Running a simulation: blocks in bounded memory, on all cores, resumable, with the time left.

A block's draws depend on its coins alone and are folded into a few sums; sums are added in the
order of blocks.  So the result does not depend on how many cores there were, and a run that was
stopped goes on from the sums that it kept, with no new coins.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol, final

import numpy as np

from bursar import require
from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Coins
from bursar.accounting.monte_carlo_draws import block_size
from bursar.errors import CorruptBooks
from bursar.numerics.tilts import Floats

Sums = tuple[float, ...]
Fold = Callable[[Floats], Sums]
Progress = Callable[[int, int, float], None]


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """Fold: the sum and the sum of squares."""

    def __call__(self, draws: Floats) -> tuple[float, ...]:
        """Of these draws."""
        return float(draws.sum()), float((draws * draws).sum())


@final
@dataclass(frozen=True, slots=True)
class LogWealth:
    """Fold: Σ log(1 − l(X − p)), which bets on a mean below p; and the sum."""

    stake: float
    mean: float

    def __call__(self, draws: Floats) -> tuple[float, ...]:
        """Of these draws."""
        return float(np.log1p(-self.stake * (draws - self.mean)).sum()), float(draws.sum())


class Engine(Protocol):
    """Whoever computes blocks elsewhere (`bursar.machines`); one `stream` always draws the same."""

    @property
    def stream(self) -> str:
        """Which words it makes of a block's coins: empty for those that cores use."""

    def blocks(
        self, design: Bounded, coins: Coins, fold: Fold, sizes: Mapping[int, int]
    ) -> Iterator[tuple[int, Sums]]:
        """What each block of these sizes comes to, in any order."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a simulation runs: on how many cores, who is told, where sums are kept meanwhile.

    `kept` is a file; it belongs to one question, and its coins must be keyed or seeded.  An
    `engine` takes the place of cores.
    """

    cores: int = 1
    engine: Engine | None = field(default=None, compare=False)
    progress: Progress | None = field(default=None, compare=False)
    kept: Path | None = None

    def __post_init__(self) -> None:
        require.count(cores=self.cores)

    @property
    def stream(self) -> str:
        """Which words are made of coins."""
        return self.engine.stream if self.engine else ""

    @classmethod
    def all_cores(cls) -> Manner:
        """On all cores that this process may use."""
        return cls(cores=len(os.sched_getaffinity(0)))


def run(
    design: Bounded, coins: Coins, size: int, fold: Fold, manner: Manner | None = None
) -> tuple[float, ...]:
    """The folds of `size` draws of a design, added up."""
    how = manner or Manner()
    rows = block_size(design.coordinates)
    blocks = math.ceil(size / rows)
    sizes = [min(rows, size - block * rows) for block in range(blocks)]
    name = f"{design.digest}:{size}:{fold!r}{how.stream and ':'}{how.stream}"
    done = _kept(how.kept, name)
    started, before = time.perf_counter(), len(done)
    for block, found in _computed(design, coins, fold, how, sizes, done):
        done[block] = found
        if how.kept is not None:
            with how.kept.open("a", encoding="utf-8") as file:
                hexes = [value.hex() for value in found]
                file.write(json.dumps([name, block, hexes]) + "\n")
        if how.progress is not None:
            spent, fresh = time.perf_counter() - started, len(done) - before
            how.progress(len(done), blocks, spent / fresh * (blocks - len(done)))
    columns = zip(*(done[block] for block in range(blocks)), strict=True)
    return tuple(math.fsum(column) for column in columns)


def _computed(
    design: Bounded,
    coins: Coins,
    fold: Fold,
    how: Manner,
    sizes: list[int],
    done: dict[int, tuple[float, ...]],
) -> Iterator[tuple[int, tuple[float, ...]]]:
    missing = [block for block in range(len(sizes)) if block not in done]
    if how.engine is not None:
        yield from how.engine.blocks(design, coins, fold, {b: sizes[b] for b in missing})
        return
    if how.cores == 1 or len(missing) < 2:
        for block in missing:
            yield block, fold(design.draw(sizes[block], coins.source(block)))
        return
    with _pool(design, coins, fold, how.cores) as pool:
        yield from pool.map(_one, missing, [sizes[block] for block in missing])


@contextmanager
def _pool(design: Bounded, coins: Coins, fold: Fold, cores: int) -> Iterator[Executor]:
    with ProcessPoolExecutor(
        cores, mp_context=get_context("spawn"), initializer=_begin, initargs=(design, coins, fold)
    ) as pool:
        yield pool


_WORK: list[tuple[Bounded, Coins, Fold]] = []  # of a worker: what it was started for


def _begin(design: Bounded, coins: Coins, fold: Fold) -> None:
    _WORK[:] = [(design, coins, fold)]


def _one(block: int, size: int) -> tuple[int, tuple[float, ...]]:
    design, coins, fold = _WORK[0]
    return block, fold(design.draw(size, coins.source(block)))


def _kept(path: Path | None, name: str) -> dict[int, tuple[float, ...]]:
    if path is None or not path.exists():
        return {}
    found, whole = {}, 0
    text = path.read_text(encoding="utf-8")
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            os.truncate(path, whole)  # the last line of a run that was killed while it wrote
            break
        whole += len(line.encode())
        try:
            question, block, values = json.loads(line)
            found[int(block)] = tuple(float.fromhex(value) for value in values)
        except (ValueError, TypeError) as error:
            raise CorruptBooks(f"{path.name} is damaged", field="kept", value=line) from error
        if question != name:
            raise CorruptBooks(
                f"{path.name} is about another question", hint="Keep each run in its own file."
            )
    return found
