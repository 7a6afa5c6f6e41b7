"""The law that is drawn is the law that is written: probability by probability, from the bits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from bursar.errors import InternalError, InvalidParameter
from bursar.exact import Exact
from bursar.noise import discrete_gaussian, discrete_laplace, rounded_gaussian, rounded_laplace
from bursar.noise.entropy import drawn_from
from bursar.noise.rounded import _survives
from tests.noise import laws
from tests.noise.feed import BITS, WORDS, fed, table, thresholds
from tests.sweeps import quick_first

pytestmark = pytest.mark.usefixtures("precise")

SCALES = [Fraction(5, 2), Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction("7.3")]
LARGEST = 25


def gaussian(scale):
    return lambda size: rounded_gaussian(noise_std=scale, size=size)


def laplace(scale):
    return lambda size: rounded_laplace(scale=scale, size=size)


def two_sided(scale):
    return lambda size: discrete_laplace(scale=scale, size=size)


LAWS = {
    "rounded gaussian": (gaussian, lambda s, n: laws.rounded(laws.normal_tail, s, n)),
    "rounded laplace": (laplace, lambda s, n: laws.rounded(laws.laplace_tail, s, n)),
    "discrete laplace": (two_sided, lambda s, n: laws.discrete_laplace(s, 200 * n)),
}


@pytest.mark.parametrize("scale", quick_first(SCALES, 2))
@pytest.mark.parametrize("name", LAWS)
def test_the_table_of_the_drawn_law(name: str, scale: Fraction) -> None:
    sampler, written = LAWS[name]
    drawn = table(sampler(scale), LARGEST)
    law = written(scale, LARGEST)
    for j, (low, up) in drawn.items():
        truth = law[j] * arb(2) ** (BITS + 1)
        assert truth.upper() >= low, j
        assert truth.lower() <= up, j


def test_a_wrong_scale_has_another_table() -> None:
    """The table sees a relative change of 2^-70 in the scale."""
    low, up = table(gaussian(Fraction(5, 2) * (1 + Fraction(1, 2**70))), 1)[0]
    truth = laws.rounded(laws.normal_tail, Fraction(5, 2), 1)[0] * arb(2) ** (BITS + 1)
    assert not low <= truth <= up


@pytest.mark.parametrize("scale", [Fraction(10**6, 3), Fraction(2**40)], ids=str)
@pytest.mark.parametrize("name", ["rounded gaussian", "rounded laplace"])
def test_thresholds_of_large_scales(name: str, scale: Fraction) -> None:
    tail = laws.normal_tail if "gaussian" in name else laws.laplace_tail
    sampler = LAWS[name][0](scale)
    values = [0, 1, 12345, int(scale), int(5 * scale) + 1, int(10 * scale)]
    for side in (0, 1):
        for m, above in zip(values, thresholds(sampler, values, side=side), strict=True):
            truth = tail(laws.ball(Fraction(2 * m + 1, 2) / scale)) * arb(2) ** (BITS + 1)
            assert abs(truth - above) <= 1


def test_random_words_agree_with_balls() -> None:
    """Between the thresholds too: 3 x 1,000 random draws, of all magnitudes of p."""
    rng = np.random.default_rng(5)
    for scale in (Fraction(1, 2), Fraction(1000), Fraction(2**36)):
        words = [int.from_bytes(rng.bytes(12), "little") % WORDS >> i % 94 for i in range(1000)]
        draws = [(i % 3 % 2, w + 2) for i, w in enumerate(words)]
        found = fed(lambda s=scale: rounded_gaussian(noise_std=s, size=1000), draws)
        for (side, w), j in zip(draws, found.tolist(), strict=True):
            p = arb((2 * w + 1, -BITS - 2), (1, -BITS - 2))  # all that it can be
            cell = (2 * p).erfcinv() * arb(2).sqrt() * laws.ball(scale) + arb(0.5)
            assert cell.lower().floor() <= abs(j) <= cell.upper().floor()
            assert j == 0 or (j < 0) == bool(side)


@pytest.mark.parametrize(("deeper", "j"), [(0, 1), (2**64 - 1, 0)])
def test_the_word_on_the_boundary_asks_for_more_bits(deeper: int, j: int) -> None:
    """σ = 1: p below Q(1/2) gives 1, and the word that holds Q(1/2) is settled by the next one."""
    on = int((laws.normal_tail(arb(0.5)) * arb(2) ** (BITS + 1)).floor().unique_fmpz())
    draw = lambda: rounded_gaussian(noise_std=1, size=1)  # noqa: E731
    assert fed(draw, [(0, on)], deep=[deeper]).tolist() == [j]
    rest = (laws.normal_tail(arb(0.5)) * arb(2) ** (BITS + 1) - on) * arb(2) ** 64
    next_word = int(rest.floor().unique_fmpz())
    assert fed(draw, [(0, on)], deep=[next_word - 1]).tolist() == [1]
    assert fed(draw, [(0, on)], deep=[next_word + 1]).tolist() == [0]


def test_the_far_tail_is_decided_by_balls() -> None:
    for w in (0, 1, 2**40, 2**64):
        (found,) = fed(lambda: rounded_gaussian(noise_std=10, size=1), [(1, w)])
        ends = [2 * arb(2) ** (-BITS - 1) * (w + up) for up in (arb(2) ** -200, 1)]
        high, low = ((end.erfcinv() * arb(2).sqrt() * 10 + arb(0.5)).floor() for end in ends)
        assert low <= -int(found) <= high


def test_a_dead_source_is_noticed() -> None:
    with pytest.raises(InternalError, match="entropy"):
        drawn_from(bytes, lambda: rounded_gaussian(noise_std=1, size=1))


# The discrete Gaussian: a proposal whose table stands above, and its acceptance ----------------


@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(1), Fraction(10, 3)], ids=str)
def test_the_discrete_gaussian_keeps_with_the_written_probability(sigma: Fraction) -> None:
    """P(kept) for each proposal, from the exponential draw's bits; the product is the law."""
    t = int(sigma) + 1
    values = np.arange(0, 12)

    def survived(words: list[int]) -> np.ndarray:
        draws = [(0, w) for w in words]
        return fed(lambda: _survives(values, t, Exact(sigma)), draws)

    low, high = [0] * len(values), [WORDS] * len(values)  # small p: a large draw, which survives
    for _ in range(BITS):
        middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        for i, kept in enumerate(survived(middle)):
            low[i], high[i] = (middle[i], high[i]) if kept else (low[i], middle[i])
    weights = {}
    for j, count in zip(values.tolist(), high, strict=True):
        exponent = (j - sigma**2 / t) ** 2 / (2 * sigma**2)
        assert abs((-laws.ball(exponent)).exp() * WORDS - count) <= 1
        weights[j] = (-laws.ball(Fraction(j, t))).exp() * count / WORDS
    law = laws.discrete_gaussian(sigma, 2000)
    for j in range(1, 6):
        ratio = weights[j] / weights[0] / (law[j] / law[0])
        assert abs(ratio - 1) <= arb(2) / high[j] + 1e-15


@pytest.mark.parametrize("sampler", [gaussian, laplace, two_sided])
@pytest.mark.parametrize("scale", [0, -1, "nan", float("nan"), float("inf"), True, None, 2**41])
def test_scales_are_positive_finite_and_bounded(sampler, scale) -> None:
    with pytest.raises(InvalidParameter):
        sampler(scale)(3)


@pytest.mark.parametrize("size", [-1, 1.0, True, None])
def test_sizes_are_counts(size) -> None:
    for draw in (
        gaussian(1),
        laplace(1),
        two_sided(1),
        lambda n: discrete_gaussian(sigma=1, size=n),
    ):
        with pytest.raises(InvalidParameter):
            draw(size)


def test_sizes_of_nothing_and_of_many_chunks() -> None:
    assert rounded_gaussian(noise_std=1, size=0).shape == (0,)
    assert discrete_gaussian(sigma=1, size=0).shape == (0,)
    drawn = rounded_gaussian(noise_std=100, size=50_001)
    assert drawn.dtype == np.int64
    assert drawn.shape == (50_001,)
    assert np.unique(drawn[-100:]).size > 10
