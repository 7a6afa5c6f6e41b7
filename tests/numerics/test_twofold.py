"""Twofold doubles: their balls hold the truth and are as sharp as they say."""

from __future__ import annotations

import cmath
import math
import random

import numpy as np
import pytest
from flint import acb, acb_mat, arb

from bursar.errors import InternalError
from bursar.numerics import twofold
from bursar.numerics.balls import precision

SHARP = 2.0**-88


def nodes(seed: int, count: int = 60, *, fall: float = 0.3) -> tuple[list[acb], list[acb]]:
    """Weights of many sizes and turning ratios that fall, of more digits than a double."""
    rng = random.Random(seed)
    with precision(400):
        third = arb(1) / 3
        weights = [
            acb(rng.uniform(-1, 1), rng.uniform(-1, 1)) * third * math.exp(-40 * rng.random())
            for _ in range(count)
        ]
        turns = [acb(-fall * rng.random() ** 3, rng.uniform(-7, 7)) * third for _ in range(count)]
        return weights, [turn.exp() for turn in turns]


def truth(weights: list[acb], ratios: list[acb], n: int) -> list[acb]:
    """The same sums by plain balls of many bits."""
    found = []
    powers = list(weights)
    for _ in range(n):
        found.append(sum(powers, acb(0)))
        powers = [power * ratio for power, ratio in zip(powers, ratios, strict=True)]
    return found


def held(weights: list[acb], ratios: list[acb], n: int, error: float = SHARP) -> bool:
    """Whether every ball holds its sum; the radii are below what was asked for."""
    with precision(400):
        found = twofold.sums([weights], ratios, n, error, 8 * error)
        assert found is not None
        mass = sum((abs(w) for w in weights), arb(0))
        assert all(value.real.rad() < 16 * error * mass for value in found[0])
        pairs = zip(found[0], truth(weights, ratios, n), strict=True)
        return all(ball.contains(value) for ball, value in pairs)


@pytest.mark.parametrize("n", [2, 3, 64, 65, 400])
def test_the_balls_hold_the_sums(n: int) -> None:
    assert held(*nodes(n), n)
    assert held(*nodes(n, fall=60.0), n)


@pytest.mark.parametrize("error", [1e-6, 1e-12, 1e-20, SHARP])
def test_blunt_sums_hold_too(error: float) -> None:
    assert held(*nodes(5), 100, error)


def test_the_order_of_the_terms_changes_no_bit() -> None:
    weights, ratios = nodes(3)
    with precision(200):
        once = twofold.sums([weights], ratios, 90, SHARP, 1.0)
        again = twofold.sums([weights[::-1]], ratios[::-1], 90, SHARP, 1.0)
    assert once is not None
    assert again is not None
    for one, other in zip(once[0], again[0], strict=True):
        assert one.real.mid() == other.real.mid()
        assert one.imag.mid() == other.imag.mid()


def test_rows_share_their_powers_and_keep_their_own_error() -> None:
    weights, ratios = nodes(8)
    with precision(200):
        tiny = [w * arb(2) ** -60 for w in weights]
        both = twofold.sums([weights, tiny], ratios, 70, SHARP, 1.0)
        assert both is not None
        for large, small in zip(*both, strict=True):
            assert (small.real * arb(2) ** 60).overlaps(large.real)
            assert small.real.rad() < arb(2) ** -59 * large.real.rad()


def test_products_are_as_sharp_as_proved() -> None:
    rng = random.Random(1)
    with precision(300):
        values = [acb(rng.gauss(0, 1), rng.gauss(0, 1)) * (arb(1) / 7) for _ in range(2000)]
        x, away = twofold.converted(values)
        y = x.rows(slice(None, None, -1))
        found = twofold.times(x, y)
        worst = 0.0
        for j in range(len(values)):
            a, b, c = (exact(z, j) for z in (x, y, found))
            worst = max(worst, float((abs(c - a * b) / abs(a * b)).upper()))
    assert 2.0**-108 < worst < twofold.EACH
    assert 0 < away.max() < 2.0**-104


def exact(values: twofold.Complex, j: int) -> acb:
    """One entry, without rounding."""
    re, im = values
    return acb(arb(re.hi[j]) + arb(re.lo[j]), arb(im.hi[j]) + arb(im.lo[j]))


@pytest.mark.parametrize("part", ["slices", "conversion", "products"])
def test_a_part_of_the_error_that_is_forgotten_is_seen(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    weights, ratios = nodes(11)
    if part == "slices":
        monkeypatch.setattr(twofold, "_MOST_SLICES", 2)
        monkeypatch.setattr(twofold, "_dropped", lambda *_: 0.0)
    elif part == "conversion":
        kept = twofold.converted
        blunt = 2.0**-80

        def rounded(values: list[acb]) -> tuple[twofold.Complex, np.ndarray]:
            found, away = kept(values)
            found.re.lo[:] += found.re.hi * blunt
            return found, away

        monkeypatch.setattr(twofold, "converted", rounded)
    else:
        monkeypatch.setattr(twofold, "_times", lambda x, y: twofold._product(x.hi, y.hi))
    with precision(400):
        found = twofold.sums([weights], ratios, 90, SHARP, 8 * SHARP)
        assert found is not None
        pairs = zip(found[0], truth(weights, ratios, 90), strict=True)
        assert not all(ball.contains(value) for ball, value in pairs)


def test_what_twofold_numbers_cannot_do_is_left_to_balls() -> None:
    weights, ratios = nodes(2)
    with precision(200):
        assert twofold.sums([weights], ratios, 90, 2.0**-130, 2.0**-120) is None
        assert twofold.sums([weights], [1.5 * x for x in ratios], 90, SHARP, 1.0) is None
        assert twofold.sums([[w * acb(2) ** 400 for w in weights]], ratios, 90, SHARP, 1.0) is None
        assert twofold.sums([weights], [acb("nan"), *ratios[1:]], 90, SHARP, 1.0) is None
        with pytest.raises(InternalError, match="infinite"):
            twofold.sums([[acb("nan"), *weights[1:]]], ratios, 90, SHARP, 1.0)


def test_powers_turn_like_the_circle() -> None:
    with precision(200):
        base, _ = twofold.converted([acb(0, 1).exp()])
    found = twofold.powers(base, 50)
    for j in range(50):
        value = complex(found.re.hi[j, 0], found.im.hi[j, 0])
        assert abs(value - cmath.exp(1j * j)) < 1e-14


def test_plain_balls_agree() -> None:
    """By one product of two matrices of balls, as a second road."""
    weights, ratios = nodes(21)
    with precision(256):
        table = [[ratio**j for ratio in ratios] for j in range(40)]
        flat = [entry for row in table for entry in row]
        whole = acb_mat(40, len(ratios), flat) * acb_mat(len(ratios), 1, weights)
        found = twofold.sums([weights], ratios, 40, SHARP, 1.0)
    assert found is not None
    assert all(a.overlaps(b) for a, b in zip(found[0], whole.entries(), strict=True))


def test_arithmetic_that_is_no_double_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert twofold.exact()
    weights, ratios = nodes(4)
    kept = twofold._product

    def single(a: np.ndarray, b: np.ndarray) -> twofold.Twofold:
        found = kept(a, b)
        return twofold.Twofold(found.hi, found.lo.astype(np.float32).astype(np.float64))

    monkeypatch.setattr(twofold, "_product", single)
    twofold.exact.cache_clear()
    with precision(200):
        assert twofold.sums([weights], ratios, 90, SHARP, 1.0) is None
    twofold.exact.cache_clear()
