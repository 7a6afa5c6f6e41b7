"""Exact choices: how many first words decide for each answer, against the written probability."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from bursar.errors import InvalidParameter
from bursar.noise import (
    bernoulli,
    bernoulli_exp,
    bernoullis,
    by_inversion,
    geometric,
    uniform_below,
)
from bursar.noise.entropy import drawn_from

pytestmark = pytest.mark.usefixtures("precise")

WORDS = 2**64


def on(first: int, run: Callable[[], int], *deep: int) -> int:
    """What `run` answers when the words that it reads are these, and then ones in the middle."""
    words = [first, *deep]

    def source(size: int) -> bytes:
        assert size == 8
        return (words.pop(0) if words else 2**63).to_bytes(8, "little")

    return drawn_from(source, run)


def count(run: Callable[[], int], answer: int) -> int:
    """How many first words give `answer` or more, for a sampler that falls as its number grows."""
    low, high = -1, WORDS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if on(middle, run) >= answer else (low, middle)
    return high


@pytest.mark.parametrize("p", ["1/3", "0.5", "1e-6", "0.999999", "1e-30", "7/8"])
def test_bernoulli(p: str) -> None:
    true = Fraction(p) * WORDS
    assert abs(count(lambda: bernoulli(probability=p), 1) - true) <= 1


def test_bernoulli_goes_on_where_the_first_word_is_a_tie() -> None:
    """1/3 = 0.0101…: each word of it is the same, and the second decides as the first would."""
    third = WORDS // 3
    yes = lambda: bernoulli(probability="1/3")  # noqa: E731
    assert [on(third, yes, third + d) for d in (-1, 1)] == [True, False]
    assert [on(third, yes, third, third + d) for d in (-1, 1)] == [True, False]
    assert on(2**63 - 1, lambda: bernoulli(probability="0.5"), WORDS - 1)
    assert not on(2**63, lambda: bernoulli(probability="0.5"), 0)


def test_many_are_decided_as_one() -> None:
    words = np.array([0, 2**62, 2**63 - 1, 2**63, WORDS - 1], dtype="<u8")
    chosen = drawn_from(lambda size: words.tobytes(), lambda: bernoullis(probability="0.5", size=5))
    assert chosen.tolist() == [True, True, True, False, False]
    assert bernoullis(probability=1, size=1000).all()
    assert not bernoullis(probability=0, size=1000).any()


@pytest.mark.parametrize("x", ["0.001", "1", "17.5", "1/7", "40"])
def test_bernoulli_exp(x: str) -> None:
    true = (-arb(Fraction(x).numerator) / Fraction(x).denominator).exp() * WORDS
    assert abs(count(lambda: bernoulli_exp(exponent=x), 1) - true) <= 1


@pytest.mark.parametrize("p", ["1/2", "0.01", "0.9"])
def test_geometric(p: str) -> None:
    """P(K ≥ k) = (1 − p)^k."""
    for k in (1, 2, 3, 10):
        true = (1 - Fraction(p)) ** k * WORDS
        assert abs(count(lambda: geometric(success=p), k) - true) <= 1


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_uniform_below(n: int) -> None:
    """It rises with its number, so its negative falls."""
    for k in {0, n // 2, n - 1}:
        below = count(lambda: -uniform_below(n), -k)
        assert abs(below - Fraction(k + 1, n) * WORDS) <= 1


def test_uniform_below_a_number_of_many_words() -> None:
    drawn = [uniform_below(10**60) for _ in range(50)]
    assert all(0 <= n < 10**60 for n in drawn)
    assert len({n % 2**64 for n in drawn}) == 50


def poisson(k: int) -> arb:
    term = total = (-arb(3)).exp()
    for i in range(1, k + 1):
        term = term * 3 / i
        total += term
    return total


@pytest.mark.parametrize("k", [0, 1, 2, 3, 6, 11])
def test_inversion(k: int) -> None:
    """A Poisson law of mean 3: the number of words for at most k."""
    below = count(lambda: -by_inversion(poisson), -k)
    assert abs(below - poisson(k) * WORDS) <= 1


def test_inversion_refuses_what_is_no_law() -> None:
    with pytest.raises(InvalidParameter, match="come to 1"):
        by_inversion(lambda _: arb(0))


BAD = ["nan", float("nan"), float("inf"), -1, True, None, "x"]


@pytest.mark.parametrize("bad", BAD)
def test_bad_parameters(bad: object) -> None:
    for draw in (
        lambda: bernoulli(probability=bad),
        lambda: bernoullis(probability=bad, size=3),
        lambda: bernoulli_exp(exponent=bad),
        lambda: geometric(success=bad),
        lambda: uniform_below(bad),
        lambda: bernoullis(probability=0.5, size=bad),
    ):
        with pytest.raises(InvalidParameter):
            draw()


@pytest.mark.parametrize("p", [2, "1.0000001"])
def test_probabilities_above_one(p: object) -> None:
    for draw in (lambda: bernoulli(probability=p), lambda: geometric(success=p)):
        with pytest.raises(InvalidParameter):
            draw()
    with pytest.raises(InvalidParameter):
        geometric(success=0)
    with pytest.raises(InvalidParameter):
        uniform_below(0)
