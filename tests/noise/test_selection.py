"""Selection by score: the exact law of who wins, and who may win at all."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from bursar.errors import InvalidParameter
from bursar.noise import exponential_mechanism, permute_and_flip
from tests.noise.feed import BITS, WORDS, fed

pytestmark = pytest.mark.usefixtures("precise")

MECHANISMS = [exponential_mechanism, permute_and_flip]


def needed(mechanism, scores: list[int], rival: int) -> int:
    """For how many W of side 0 candidate 0 beats candidate 1, whose own draw is `rival`."""
    low, high = 0, WORDS
    while high - low > 1:
        w = (low + high) // 2
        run = lambda: mechanism(np.array(scores), epsilon=2, sensitivity=1)  # noqa: E731
        wins = fed(run, [(0, w), (0, rival)]) == 0
        low, high = (w, high) if wins else (low, w)
    return high


@pytest.mark.parametrize("rival", [WORDS // 2, WORDS // 3, WORDS // 97])
@pytest.mark.parametrize("head_start", [0, 1, -2])
def test_who_wins_at_each_draw(rival: int, head_start: int) -> None:
    """Given the rival's draw, the number of W that win is the tail at (rival − head start)."""
    p = arb((2 * rival + 1, -BITS - 2))
    for mechanism in MECHANISMS:
        if mechanism is exponential_mechanism:  # the upper half: G = −log(−log(1 − p))
            value = -(-(1 - p).log()).log() - head_start
            wins = 1 - (-(-value).exp()).exp()
        else:
            value = -(2 * p).log() - head_start
            wins = (-value).exp() / 2
        found = needed(mechanism, [head_start, 0], rival)
        expected = wins * arb(2) ** (BITS + 1)
        assert abs(expected - found) <= 2 if expected < WORDS else found >= WORDS - 1


def flip_law(scores: list[int], rate: float) -> list[float]:
    """Permute-and-flip by its definition: McKenna & Sheldon 2020, Alg. 1, over all orders."""
    from itertools import permutations

    law, top = [0.0] * len(scores), max(scores)
    for order in permutations(range(len(scores))):
        left = 1.0
        for i in order:
            heads = math.exp(rate * (scores[i] - top))
            law[i] += left * heads / math.factorial(len(scores))
            left *= 1 - heads
    return law


@pytest.mark.statistical
def test_the_laws_of_both() -> None:
    """χ² on 3 degrees of freedom: a false alarm in 1e8 runs (χ² > 40); 20 % off at one is seen."""
    scores, n = [3, 0, 2, 2], 20_000
    gibbs = np.exp(np.array(scores, float))
    for mechanism, law in (
        (exponential_mechanism, gibbs / gibbs.sum()),
        (permute_and_flip, np.array(flip_law(scores, 1.0))),
    ):
        drawn = [mechanism(np.array(scores), epsilon=2, sensitivity=1) for _ in range(n)]
        counts = np.bincount(drawn, minlength=4)
        assert ((counts - n * law) ** 2 / (n * law)).sum() < 40
        other = law * np.array([0.8, 1, 1, 1])
        other /= other.sum()
        assert ((counts - n * other) ** 2 / (n * other)).sum() > 40


def test_scores_of_any_size() -> None:
    scores = np.array([2**63 - 1, -(2**63), 0])
    for mechanism in MECHANISMS:
        assert mechanism(scores, epsilon=1, sensitivity=1) == 0
        assert mechanism(-scores[1:], epsilon=1, sensitivity=2**70) in {0, 1}
        assert mechanism(scores.astype(np.uint64)[:1], epsilon=1, sensitivity=1) == 0
        found = {mechanism(scores, epsilon=Fraction(1, 2**80), sensitivity=1) for _ in range(60)}
        assert found == {0, 1, 2}


def test_ties_of_floats_are_settled_by_balls() -> None:
    """Scores that floats cannot tell apart at this rate: the draws' own bits decide."""
    scores = np.array([2**62, 2**62 + 1])
    for mechanism in MECHANISMS:
        draws = [(0, WORDS // 3), (0, WORDS // 3)]
        run = lambda m=mechanism: m(scores, epsilon=2, sensitivity=10**40)  # noqa: E731
        assert fed(run, draws, deep=[2**62, 2**63]) == 1
        assert fed(run, draws, deep=[2**63, 2**62]) == 0


@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf"), True, None])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bad_parameters(mechanism, bad: object) -> None:
    with pytest.raises(InvalidParameter):
        mechanism(np.array([1, 2]), epsilon=bad, sensitivity=1)
    with pytest.raises(InvalidParameter):
        mechanism(np.array([1, 2]), epsilon=1, sensitivity=bad)


@pytest.mark.parametrize("scores", [[], [0.5], [[1]], [True], 3, ["a"]])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bad_scores(mechanism, scores: object) -> None:
    with pytest.raises(InvalidParameter):
        mechanism(scores, epsilon=1, sensitivity=1)
