"""float64 values of the laws, against balls: never further away than is claimed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from bursar.noise.laws import EXPONENTIAL, GUMBEL, LAPLACE, NORMAL, Law, _hermite
from bursar.noise.quantile import _piece, quantile
from tests.noise.feed import BITS

pytestmark = pytest.mark.usefixtures("precise")

ALL = [NORMAL, LAPLACE, EXPONENTIAL, GUMBEL]
LEAST = -30
PIECES = 29 * 32 + 1  # of a side


def definition(law: Law, below: bool, p: arb) -> arb:
    """The value from its textbook formula, which shares nothing with the table."""
    if law is NORMAL:
        z = (1 - 2 * p).erfinv() * arb(2).sqrt()
        return -z if below else z
    if law is GUMBEL:
        return -(-(p if below else 1 - p).log()).log()
    x = -(2 * p).log()
    return -x if below and law is LAPLACE else x


def words(size: int) -> list[int]:
    """W with p = W/2^96: at every scale, and at the first and last floats of the pieces."""
    rng = np.random.default_rng(3)
    random = [int.from_bytes(rng.bytes(12), "little") >> 1 + i % 30 for i in range(size)]
    ends = [(32 + i) << (96 + e - 5) for e in range(LEAST, -1) for i in range(32)]
    return random + [end + d for end in ends for d in (-1, 0, 1) if end + d >= 1 << (96 + LEAST)]


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.name)
def test_the_error_is_as_claimed(law: Law) -> None:
    table, chosen = quantile(law), [*words(1500), 2**BITS - 1]
    for side in (0, 1):
        high = np.array([side << 63 | w >> 32 for w in chosen], dtype=np.uint64)
        low = np.array([w & (2**32 - 1) for w in chosen], dtype=np.uint32)
        near = table.near(high, low)
        worst = 0.0
        for w, value in zip(chosen, near.tolist(), strict=True):
            if w < 1 << (96 + LEAST):
                assert np.isnan(value)
                continue
            truth = definition(law, bool(side), arb((2 * w + 1, -BITS - 2)))
            worst = max(worst, float(abs(truth - value)))
        assert worst <= table.error
        assert worst > table.error / 16, "the bound is far from what happens"


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.name)
def test_each_error_has_its_term(law: Law) -> None:
    """Roundings in Horner's rule, of values and of p, recomputed from the coefficients alone."""
    table = quantile(law)
    size = np.abs(table.coefficients)
    weights = np.array([min(2 * n + 1, 16) * 0.5**n for n in range(9)])
    roundings = (weights[:, None] * size).sum(axis=0)
    slopes = 0.0
    for i, value in enumerate(table.coefficients[0].tolist()):
        below, (binade, place) = i >= PIECES, divmod(i % PIECES, 32)
        middle = arb(32.5 + place) * arb(2) ** (LEAST + binade - 5)
        roundings[i] += float(abs(definition(law, below, middle) - value) * 2**53)
        slopes = max(slopes, size[1][i] * (32 + place))
    assert table.error * 2**53 >= roundings.max() + 2 * slopes


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.name)
def test_a_wide_piece_has_the_remainder_in_its_error(law: Law) -> None:
    for tail, below in ((law.upper, False), (law.lower, True)):
        column, error, _, _ = _piece(tail, 0.25, 0.0625)
        sign = law.mirror if below else 1
        worst = arb(0)
        for t in np.linspace(-0.5, 0.5, 33).tolist():
            near = sum((arb(c) * arb(t) ** n for n, c in enumerate(column)), arb(0))
            truth = definition(law, below, arb(0.28125) + arb(0.0625) * t)
            worst = max(worst, abs(truth - sign * near))
        assert worst <= error
        assert worst > 2**-45  # of which no rounding is capable


def test_what_is_too_small_for_floats_is_nan() -> None:
    table = quantile(NORMAL)
    high = np.array([0, 2**33 - 1, 2**34, 2**63, 2**63 + 2**33 - 1], dtype=np.uint64)
    near = table.near(high, np.zeros(5, dtype=np.uint32))
    assert np.isnan(near).tolist() == [True, True, False, True, True]


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.name)
@pytest.mark.parametrize("p", ["0.4", "0.1", "1e-8"])
def test_taylor_coefficients(law: Law, p: str) -> None:
    """The series at p, summed at p + h, is the value there."""
    h = arb(p) * arb(2) ** -20
    for below, tail in ((False, law.upper), (True, law.lower)):
        summed = sum((c * h**n for n, c in enumerate(tail(arb(p), 12))), arb(0))
        sign = law.mirror if below else 1
        assert abs(sign * summed - definition(law, below, arb(p) + h)) < arb(2) ** -200


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.name)
def test_coefficients_of_a_wide_ball_hold_those_inside(law: Law) -> None:
    wide = arb(0.3, 0.005)
    for tail in (law.upper, law.lower):
        outer = tail(wide, 10)
        for inside in (0.2951, 0.3, 0.3049):
            for out, c in zip(outer, tail(arb(inside), 10), strict=True):
                assert out.contains(c)


def test_the_polynomials_of_the_derivatives() -> None:
    """H_3 = 1 + 2z², H_4 = 7z + 6z³; all are nonnegative."""
    assert _hermite(2) == [0, 1]
    assert _hermite(3) == [1, 0, 2]
    assert _hermite(4) == [0, 7, 0, 6]
    assert min(_hermite(9)) >= 0


def test_the_bounds_of_the_tables() -> None:
    for law, roundings in ((NORMAL, 13), (LAPLACE, 38), (EXPONENTIAL, 38), (GUMBEL, 39)):
        assert quantile(law).error < Fraction(roundings, 2**53)
    assert 6 < quantile(NORMAL).largest < Fraction(61, 10)
    for law in ALL:
        assert quantile(law) is quantile(law)
        assert np.abs(quantile(law).coefficients).min() > 2**-60  # so that nothing underflows
