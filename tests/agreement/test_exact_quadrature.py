"""Two random steps against nested quadrature in Arb: both ends of ε are on their sides of δ."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import arb, ctx

from bursar import Direction, Enclosure, Gaussian, LimitReached, PoissonSubsampled
from bursar.accounting import exact
from tests.roads import quadrature
from tests.roads.laws import Sampled
from tests.sweeps import quick_first

# These need a longer contour than there is, or no slice of the law is easy: an upper bound answers.
LIMITS = {7}


@pytest.mark.parametrize("seed", quick_first(range(14), 2))
def test_both_ends(seed: int) -> None:
    dice = random.Random(seed)
    laws = [
        Sampled(
            Fraction(f"{10 ** dice.uniform(-0.2, 1.2):.3g}"),
            Fraction(f"{10 ** dice.uniform(-3, -0.001):.3g}"),
        )
        for _ in range(2)
    ]
    first, second = (
        PoissonSubsampled(Gaussian(noise_multiplier=law.sigma), sampling_probability=law.q)
        for law in laws
    )
    delta = dice.choice(["0.01", "1e-4", "1e-6", "1e-12", "1e-40"])
    way = dice.choice(list(Direction))
    try:
        found = exact.epsilon(first + second, delta=delta, direction=way)
    except LimitReached:
        assert seed in LIMITS
        return
    assert isinstance(found, Enclosure)
    with ctx.workprec(220):
        target, plan = arb(delta), tuple((law, 1) for law in laws)
        low, high = (
            quadrature.delta(plan, way.value, arb(end), tolerance=target * arb("1e-24"))
            for end in (found.lower, found.upper)
        )
        assert found.upper == 0 or low >= target * (1 - arb("1e-20"))
        assert high <= target * (1 + arb("1e-20"))
