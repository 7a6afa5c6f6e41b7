"""δ of the drawn law is at most what the continuous law's account says, at every ε.

The law is the one found from the sampler's decisions (feed.table), the account is the exact δ(ε) of
the Gaussian or of the Laplace law.  A discrete Gaussian accounted as a continuous one is kept as
the counter-example.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest
from flint import arb

from bursar.noise import discrete_laplace, rounded_gaussian, rounded_laplace
from tests.noise import laws
from tests.noise.feed import BITS, table

pytestmark = pytest.mark.usefixtures("precise")

EPSILONS = [Fraction(i, 3) + Fraction(1, 10) for i in range(20)]
SIGMAS = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7, 2)]


@cache
def drawn(sigma: Fraction) -> laws.Law:
    """The sampler's own law, as balls around the counts of its words."""
    found = table(lambda size: rounded_gaussian(noise_std=sigma, size=size), int(11 * sigma) + 2)
    unit = arb(2) ** (-BITS - 1)
    return {j: arb(low).union(arb(up)) * unit for j, (low, up) in found.items()}


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("sigma", SIGMAS, ids=str)
def test_the_rounded_gaussian_costs_at_most_what_is_accounted(sigma: Fraction, shift: int) -> None:
    law = drawn(sigma)
    for epsilon in EPSILONS:
        # 2^-80: the few counts that bisection leaves open, and the tail beyond the table
        cost = laws.profile(law, shift, epsilon).upper() - arb(2) ** -80
        assert cost <= laws.gaussian_profile(sigma, shift, epsilon).lower(), float(epsilon)


def test_the_bound_is_attained_where_the_grid_meets_the_threshold() -> None:
    """The worst event is x > σ²ε/Δ + Δ/2; if that is a half-integer, rounding loses nothing."""
    law = drawn(Fraction(1))
    for epsilon, ratio in ((Fraction(1), 1.0), (Fraction(2), 1.0), (Fraction(3, 2), 0.85)):
        cost = laws.profile(law, 1, epsilon) / laws.gaussian_profile(Fraction(1), 1, epsilon)
        assert abs(cost - 1) < 1e-12 if ratio == 1 else cost < ratio


@pytest.mark.parametrize("sigma", SIGMAS, ids=str)
def test_a_discrete_gaussian_accounted_as_a_continuous_one_is_caught(sigma: Fraction) -> None:
    law = laws.discrete_gaussian(sigma, 200)
    broken = [
        laws.profile(law, 1, epsilon).lower() > laws.gaussian_profile(sigma, 1, epsilon).upper()
        for epsilon in EPSILONS
    ]
    assert any(broken)


def test_the_kept_counter_example() -> None:
    """σ = 1, Δ = 1, ε = 7.375: the discrete Gaussian spends 2.8 times the continuous one's δ."""
    epsilon = Fraction("7.375")
    spent = laws.profile(laws.discrete_gaussian(Fraction(1), 200), 1, epsilon)
    assert spent / laws.gaussian_profile(Fraction(1), 1, epsilon) > 2.8


@pytest.mark.parametrize("sigma", SIGMAS, ids=str)
def test_half_the_noise_is_caught(sigma: Fraction) -> None:
    law = drawn(sigma / 2)
    assert all(
        laws.profile(law, 1, epsilon).lower() > laws.gaussian_profile(sigma, 1, epsilon).upper()
        for epsilon in EPSILONS[:3]
    )


def test_replacing_a_person_is_two_contributions() -> None:
    """Moved by 2, the law costs what σ/2 costs, and more than is accounted for one contribution."""
    law, sigma = drawn(Fraction(2)), Fraction(2)
    for epsilon in EPSILONS[:8]:
        cost = laws.profile(law, 2, epsilon)
        assert cost.lower() > laws.gaussian_profile(sigma, 1, epsilon).upper()
        assert cost.upper() - arb(2) ** -80 <= laws.gaussian_profile(sigma / 2, 1, epsilon).lower()


# Laplace ------------------------------------------------------------------------------------------

SCALES = [Fraction(1, 2), Fraction(1), Fraction(3, 2)]


@cache
def drawn_laplace(scale: Fraction, *, discrete: bool = False) -> laws.Law:
    """The sampler's own law; beyond the table there is less than 2^-80 of it."""
    sampler = discrete_laplace if discrete else rounded_laplace
    found = table(lambda size: sampler(scale=scale, size=size), int(58 * scale) + 2)
    unit = arb(2) ** (-BITS - 1)
    return {j: arb(low).union(arb(up)) * unit for j, (low, up) in found.items()}


def fractions_of(ratio: Fraction) -> list[Fraction]:
    """Twenty ε from 0 to a little above the pure ε."""
    return [ratio * i / 18 for i in range(20)]


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_rounded_laplace_costs_at_most_what_is_accounted(scale: Fraction, shift: int) -> None:
    law, ratio = drawn_laplace(scale), shift / scale
    for epsilon in fractions_of(ratio):
        cost = laws.profile(law, shift, epsilon).upper() - arb(2) ** -78
        assert cost <= laws.laplace_profile(scale, shift, epsilon).lower(), float(epsilon)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_discrete_laplace_keeps_its_pure_epsilon_and_not_the_continuous_profile(
    scale: Fraction,
) -> None:
    """A law of its own: below its pure ε it may cost more than the continuous one does."""
    law = drawn_laplace(scale, discrete=True)
    assert laws.profile(law, 1, 1 / scale).upper() <= arb(2) ** -78
    own, continuous = (
        [of(epsilon) for epsilon in fractions_of(1 / scale)]
        for of in (
            lambda epsilon: laws.profile(law, 1, epsilon),
            lambda epsilon: laws.laplace_profile(scale, 1, epsilon),
        )
    )
    assert any(one.lower() > other.upper() for one, other in zip(own, continuous, strict=True))


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_half_the_laplace_noise_is_caught(scale: Fraction) -> None:
    law = drawn_laplace(scale / 2)
    broken = [
        laws.profile(law, 1, epsilon).lower() > laws.laplace_profile(scale, 1, epsilon).upper()
        for epsilon in fractions_of(1 / scale)
    ]
    assert sum(broken) >= 10
