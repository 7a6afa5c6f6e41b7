"""Each kind of account that a run has is kept by it, and broken by a run with less noise.

600 runs on each of two neighbours; a false alarm in 1e6 audits.  The same screen with a hundredth
of the noise must be found at as many runs.  Wrong variants in print: test_wrong_screens.py;
each door of the room: released_rooms.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bursar import LaplaceSparseVector, SparseVector
from bursar.audit import look
from bursar.exact import Exact
from bursar.filters import Purse
from bursar.mechanisms.base import Mechanism
from bursar.screening import AboveThreshold
from tests.screening.purses import rich

pytestmark = pytest.mark.statistical

DATA, NEIGHBOUR = np.array([0, 0, 0, 2]), np.array([1, 1, 1, 1])
RUNS = 600
Answers = tuple[bool, ...]
Asked = Callable[[Purse, str, np.ndarray], Answers]


def noises(scale: Exact) -> dict[str, Exact]:
    return {"threshold_noise": Exact(4 * scale), "query_noise": Exact(7 * scale)}


def above(mechanism: SparseVector | LaplaceSparseVector) -> tuple[Mechanism, Asked]:
    def ask(purse: Purse, request: str, queries: np.ndarray) -> Answers:
        with AboveThreshold(mechanism, sensitivity=1, purse=purse, request=request) as screen:
            return tuple(screen.ask_many(queries, threshold="0.5"))

    return mechanism, ask


SCREENS: dict[str, Callable[[Exact], tuple[Mechanism, Asked]]] = {
    "normal": lambda scale: above(SparseVector(**noises(scale), length=4, cutoff=2)),
    "thresholds declared": lambda scale: above(
        SparseVector(**noises(scale), highest_threshold="0.5")
    ),
    "classical": lambda scale: above(LaplaceSparseVector(**noises(scale), cutoff=2)),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_keeps_its_claim_and_one_with_less_noise_breaks_it(name: str) -> None:
    claim, right = SCREENS[name](Exact(1))
    _, wrong = SCREENS[name](Exact.of("0.01"))
    for ask, found in ((right, False), (wrong, True)):
        purse, number = rich(), iter(range(10 * RUNS))

        def answers(queries: np.ndarray, ask=ask, purse=purse, number=number) -> Answers:
            return ask(purse, str(next(number)), queries)

        assert look(answers, DATA, NEIGHBOUR, claim=claim, samples=RUNS).found is found
