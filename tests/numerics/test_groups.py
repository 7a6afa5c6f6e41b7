"""Sums of losses from a table: never below the law of the sum, near it, and drawn as it says."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from bursar.errors import LimitReached
from bursar.exact import Exact
from bursar.numerics.groups import Dots, Group, groups
from bursar.numerics.tilts import Coordinate, Floats

LAWS = [
    (Coordinate(Exact(1), Exact.of("0.05"), True), 2.0),
    (Coordinate(Exact.of("0.25"), Exact.of("0.2"), True), 9.0),
    (Coordinate(Exact(1), Exact.of("0.05"), False), 3.0),
]
COUNT, STEP = 5, 0.01


def mass(law: Coordinate, lam: float, epsilon: float) -> float:
    """∫ (1 − e^{ε−y})₊ e^{λ(y−ε)} over one loss under P, by quadrature; ε = −∞ leaves it out."""
    low, high = law.reach(lam)

    def part(t: float) -> float:
        ell = float(law.log_w(np.array([t]))[0])
        loss, power = (ell, 1.0) if law.removes else (-ell, 0.0)
        gain = 1.0 if epsilon == -math.inf else max(-math.expm1(epsilon - loss), 0.0)
        shift = 0.0 if epsilon == -math.inf else epsilon
        weight = math.exp(power * ell - t * t / 2 + lam * (loss - shift))
        return gain * weight / math.sqrt(2 * math.pi)

    cuts = np.linspace(low, high, 60)
    return math.fsum(quad(part, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in pairwise(cuts))


def profile(dots: Dots, lam: float, epsilon: float) -> float:
    """δ(ε) of what was dotted."""
    losses = dots.places * dots.step
    masses = dots.weights * np.exp(dots.log_mass - lam * losses)
    return float((masses * -np.expm1(np.minimum(epsilon - losses, 0.0))).sum())


@pytest.mark.parametrize(("law", "lam"), LAWS)
def test_dots_are_above_the_law_and_near(law: Coordinate, lam: float) -> None:
    dots = Dots.of(law, lam, *law.reach(lam), STEP)
    assert dots.weights.sum() == pytest.approx(1, abs=1e-12)
    assert 0 < dots.log_mass - math.log(mass(law, lam, -math.inf)) < lam * (lam + 1) * STEP**2
    for epsilon in (0.0, 0.013, 0.04):
        exact = mass(law, 0.0, epsilon)
        assert exact * (1 - 1e-9) <= profile(dots, lam, epsilon) <= exact * 1.05 + 1e-12


@pytest.mark.parametrize("wrong", ["left", "narrow"])
def test_dots_that_are_too_low_are_seen(wrong: str) -> None:
    """All mass a place lower; masses without their cells' spread."""
    law, lam = LAWS[0]
    dots = Dots.of(law, lam, *law.reach(lam), STEP)
    if wrong == "left":
        moved = replace(dots, places=dots.places - 1)
    else:
        moved = replace(dots, log_mass=math.log(mass(law, lam, -math.inf)) - 1e-3)
    assert any(profile(moved, lam, e) < mass(law, 0.0, e) for e in (0.0, 0.013, 0.04))


def table(one: Group) -> Floats:
    """The probabilities of a table, from its columns, in integers."""
    size = len(one.cuts)
    depth = 2**64 // size
    have: Counter[int] = Counter()
    for column, (cut, other) in enumerate(zip(one.cuts.tolist(), one.other.tolist(), strict=True)):
        have[column] += cut
        have[other] += depth - cut
    assert sum(have.values()) == 2**64
    return np.array([have[place] / 2**64 for place in range(size)])


@pytest.mark.parametrize(("law", "lam"), LAWS)
def test_a_table_is_at_or_above_the_law_of_the_sum(law: Coordinate, lam: float) -> None:
    reach = law.reach(lam)
    (one,) = groups(law, lam, *reach, (COUNT,), STEP)
    dots = Dots.of(law, lam, *reach, one.step)
    places = dots.places - dots.places.min()
    single = np.bincount(places, dots.weights)
    whole = np.ones(1)
    for _ in range(COUNT):
        whole = np.convolve(whole, single)
    start = COUNT * int(dots.places.min()) - one.first
    inside = np.zeros(len(one.cuts))
    taken = slice(max(-start, 0), max(-start, 0) + min(len(whole), len(inside)))
    part = whole[taken][: len(inside) - max(start, 0)]
    inside[max(start, 0) : max(start, 0) + len(part)] = part
    missing = 1 - inside.sum()
    assert missing <= math.exp(one.log_outside) + 1e-12
    said = table(one) * math.exp(one.log_weight - COUNT * dots.log_mass)
    assert (said >= inside * (1 - 1e-12)).all()
    assert said.sum() < 1 + 1e-6


@pytest.mark.statistical
def test_sums_are_drawn_as_the_table_says() -> None:
    """χ² on 40 bins, wrong alarms 1e-9; the columns without their cuts are seen."""
    law, lam = LAWS[0]
    (one,) = groups(law, lam, *law.reach(lam), (COUNT,), STEP)
    shares = table(one)
    bins = np.minimum((shares.cumsum() * 40).astype(int), 39)
    for kept, wrong in ((one, False), (replace(one, cuts=one.cuts // 2), True)):
        drawn = kept.losses(200_000, np.random.SFC64(3).random_raw)
        places = np.rint(drawn / one.step).astype(int) - one.first
        counts = np.bincount(bins[places], minlength=40)
        wanted = np.bincount(bins, shares, minlength=40) * len(drawn)
        held = wanted > 0
        far = float(((counts - wanted)[held] ** 2 / wanted[held]).sum())
        assert (far > chi2.isf(1e-9, held.sum() - 1)) == wrong


def test_a_lattice_that_is_too_fine_is_refused() -> None:
    law, lam = LAWS[0]
    with pytest.raises(LimitReached):
        groups(law, lam, *law.reach(lam), (COUNT,), 1e-9)


def test_sums_of_several_counts_share_a_lattice() -> None:
    law, lam = LAWS[0]
    both = groups(law, lam, *law.reach(lam), (COUNT, 2), STEP)
    assert [one.count for one in both] == [COUNT, 2]
    assert both[0].step == both[1].step
    assert both[0].slack < 1e-12
