"""Blocks on many machines, through Ray.

A block's coins are its own, so a task that is lost and runs again gives the same sums.  The key of
the coins goes to the machines: they are trusted as this process is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, final

from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Coins
from bursar.accounting.monte_carlo_runs import Fold, Sums
from bursar.errors import MissingExtra

_AHEAD = 2  # tasks for each core, so that none waits and few are in memory


@final
class RayCluster:
    """The cluster that Ray is connected to, or the one at `address`, or a local one."""

    stream = ""

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingExtra(
                "Ray is not installed", hint="pip install 'bursar[ray]' brings it."
            ) from error
        if not ray.is_initialized():
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
        self._ray = ray

    def blocks(
        self, design: Bounded, coins: Coins, fold: Fold, sizes: Mapping[int, int]
    ) -> Iterator[tuple[int, Sums]]:
        """What each block comes to, in the order in which they are done."""
        ray: Any = self._ray
        part = ray.remote(_part)
        shared = ray.put((design, coins, fold))
        cores = int(ray.cluster_resources().get("CPU", 1))
        waiting = iter(sizes.items())
        running = [part.remote(shared, *one) for one in islice(waiting, _AHEAD * cores)]
        while running:
            done, running = ray.wait(running, num_returns=1)
            running += [part.remote(shared, *one) for one in islice(waiting, len(done))]
            yield from ray.get(done)


def _part(shared: tuple[Bounded, Coins, Fold], block: int, size: int) -> tuple[int, Sums]:
    design, coins, fold = shared
    return block, fold(design.draw(size, coins.source(block)))
