"""Reference numbers of Feldman & Zrnic 2021: budgets, settings of the experiments, and k₀.

The three columns of BUDGETS were made by filter_budgets.py.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from bursar.exact import Exact
from bursar.filters.approximate import DpFilter
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.gaussian import GdpFilter
from bursar.filters.individual import IndividualFilter
from bursar.filters.planning import more
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.statements import PureDP
from bursar.privacy.conversions import gdp_profile, zcdp_to_epsilon

BUDGETS = {  # (ε, δ): ρ as printed (Thm 4.9), the largest ρ of one order, the largest μ
    ("0.3", "1e-5"): (0.001929269854988375, 0.003302986550793592, 0.08898345287381181),
    ("0.5", "1e-5"): (0.005313904230770509, 0.008505530591181911, 0.1422105586692612),
    ("1", "1e-5"): (0.02081993833953546, 0.03055659519763957, 0.2680511232112942),
    ("1", "1e-6"): (0.01746890476912338, 0.02435597035953837, 0.2367043806634357),
    ("0.1", "1e-6"): (0.0001803040801807577, 0.0003210476903457401, 0.02754465024382762),
    ("3", "1e-6"): (0.1472638900802128, 0.1850698406534015, 0.6477265306887304),
}
SETTINGS = {  # target ε: noise multiplier, clip, steps; at δ = 1e-5 (Appendix A)
    "0.3": (170, 10, 112),
    "0.5": (130, 15, 180),
    "1": (100, 10, 420),
}


@pytest.mark.parametrize(("pair", "numbers"), BUDGETS.items())
def test_budgets(pair: tuple[str, str], numbers: tuple[float, float, float]) -> None:
    epsilon, delta = pair
    printed = DpFilter(epsilon=epsilon, delta=delta, form="printed").accounts[0].budget
    best = ZcdpFilter.within(epsilon=epsilon, delta=delta).rho
    mu = GdpFilter.within(epsilon=epsilon, delta=delta).mu
    for found, number in zip((printed, best, mu), numbers, strict=True):
        assert float(found) == pytest.approx(number, rel=1e-13)
        assert found <= Fraction(number) * (1 + Fraction(1, 10**15))


@pytest.mark.parametrize(("target", "setting"), SETTINGS.items())
def test_the_settings_slightly_exceed_their_targets(
    target: str, setting: tuple[int, int, int]
) -> None:
    """ρ + 2√(ρ log 1/δ) is 0.30066, 0.50055, 1.00441: a strict filter stops 1 to 4 steps before."""
    sigma, clip, steps = setting
    step = Gaussian(noise_multiplier=sigma)
    rho = Exact(Fraction(steps, 2 * sigma**2))
    mironov = zcdp_to_epsilon(rho, math.log(1e-5))
    assert mironov == pytest.approx(
        {"0.3": 0.300660, "0.5": 0.500548, "1": 1.004405}[target], abs=1e-6
    )
    printed = ZcdpFilter(
        rho=DpFilter(epsilon=target, delta=1e-5, form="printed").accounts[0].budget
    )
    strict = more(printed, printed.start(), step)
    assert strict == {"0.3": 111, "0.5": 179, "1": 416}[target]
    exact = GdpFilter.within(epsilon=target, delta=1e-5)
    assert more(exact, exact.start(), step) == {"0.3": 228, "0.5": 341, "1": 718}[target]
    budget = steps * clip**2
    assert budget == {"0.3": 11_200, "0.5": 40_500, "1": 42_000}[target]
    people = IndividualFilter.for_norms(rho=rho, noise_variance=(sigma * clip) ** 2, people=1)
    assert people.account.cap == budget
    assert people.planned(Fraction(clip**2, 2 * (sigma * clip) ** 2)) == steps


@pytest.mark.parametrize(
    ("target", "epsilon"), [("0.3", "0.203269"), ("0.5", "0.352572"), ("1", "0.745138")]
)
def test_the_exact_epsilon_of_the_settings(target: str, epsilon: str) -> None:
    sigma, _, steps = SETTINGS[target]
    exact = Exact.of(epsilon)
    below, above = (
        gdp_profile(Exact(Fraction(steps, sigma**2)), Exact(exact + Fraction(shift, 10**6)))
        for shift in (1, -1)
    )
    assert below < 1e-5 < above


def test_the_settings_that_are_not_tuned() -> None:
    """A clip of 1.5 C (2 C) leaves 1/2.25 (1/4) of the steps at the same σC and B_norm."""
    for target, factor, steps in (
        ("0.3", Fraction(3, 2), 49),
        ("0.5", Fraction(3, 2), 80),
        ("1", Fraction(2), 105),
    ):
        sigma, clip, k = SETTINGS[target]
        rho, variance = Exact(Fraction(k, 2 * sigma**2)), (2 * sigma * clip) ** 2  # a grid of 1/2
        people = IndividualFilter.for_norms(rho=rho, noise_variance=variance, people=1)
        assert people.planned((2 * factor * clip) ** 2 / (2 * variance)) == steps


def test_the_public_planning_number() -> None:
    """k₀ = ⌊2Bσ²/(C²α)⌋: everybody is inside for so many questions, whatever their data."""
    order, budget, variance, clip = 8, Fraction(1, 2), 10_000, 5
    people = IndividualFilter.renyi(order=order, budget=Exact(budget), people=2)
    worst = Fraction(order * clip**2, 2 * variance)
    assert people.planned(worst) == math.floor(2 * budget * variance / (clip**2 * order)) == 50


def test_pure_steps_under_both_forms() -> None:
    """ε = 0.01 steps within (1, 1e-5): ½ε² under B* as printed, ε·tanh(ε/2) under the best."""
    step = PureDP(epsilon="0.01")
    counts = {
        form: more(one, one.start(), step)
        for form in ("printed", "best")
        for one in [DpFilter(epsilon=1, delta=1e-5, form=form)]  # type: ignore[arg-type]
    }
    assert counts == {"printed": 416, "best": 611}
