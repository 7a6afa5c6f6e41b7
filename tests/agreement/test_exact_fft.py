"""Random plans on a second road: the plain tilted FFT of `tests/roads/tilted_fft.py`.

Its upper bound must be above the lower end of the enclosure, and its estimate near it.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from bursar import Direction, Enclosure, Gaussian, Laplace, Plan
from bursar.accounting import exact
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.poisson import PoissonSubsampled
from tests.roads import tilted_fft
from tests.roads.laws import Laplace as LaplaceLaw
from tests.roads.laws import Plan as Laws
from tests.roads.laws import Sampled
from tests.sweeps import quick_first

NEAR = 1e-4  # relative: the estimate's own error, not the enclosure's


def drawn(seed: int) -> tuple[Plan, Laws, Direction, float]:
    """A plan of one to four kinds of steps, a direction and a δ."""
    dice = random.Random(seed)
    plan: Plan | None = None
    laws: list[tuple[Sampled | LaplaceLaw, int]] = []
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        sigma = Fraction(round(10 ** dice.uniform(-0.1, 0.7), 2)).limit_denominator(100)
        q = Fraction(round(10 ** dice.uniform(-2.3, -0.05), 4)).limit_denominator(10**4)
        count = round(10 ** dice.uniform(0, 2.5))
        kind = dice.choice(("sampled", "sampled", "sampled", "plain", "laplace"))
        step: Mechanism
        if kind == "laplace":
            scale = 4 * sigma
            step, law = Laplace(scale=scale), LaplaceLaw(scale)
        elif kind == "plain":
            step, law = Gaussian(noise_multiplier=4 * sigma), Sampled(4 * sigma)
        else:
            step = PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)
            law = Sampled(sigma, q)
        plan = count * step if plan is None else plan + count * step
        laws.append((law, count))
    assert plan is not None
    return plan, tuple(laws), dice.choice(list(Direction)), 10 ** dice.uniform(-12, -1)


def agrees(plan: Plan, laws: Laws, way: Direction, delta: float) -> None:
    """Both roads, of ε at δ and of δ at this ε."""
    found = exact.epsilon(plan, delta=delta, direction=way)
    assert isinstance(found, Enclosure)
    other = tilted_fft.epsilon(laws, way.value, delta)
    assert other.upper >= found.lower
    assert other.estimate == pytest.approx(found.upper, rel=NEAR, abs=1e-12)
    if found.upper > 0:
        back = exact.delta(plan, epsilon=found.upper, direction=way)
        assert isinstance(back, Enclosure)
        again = tilted_fft.delta(laws, way.value, found.upper)
        assert again.upper >= back.lower
        assert again.estimate == pytest.approx(back.upper, rel=1e-3)


@pytest.mark.parametrize("seed", quick_first(range(30), 5))
def test_two_roads_meet(seed: int) -> None:
    agrees(*drawn(seed))
