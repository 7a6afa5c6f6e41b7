"""Conversions between statements: by formulas of a second road, and refused where nothing holds."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from bursar.accounting.convert import TARGETS, conversions, convert
from bursar.errors import InvalidParameter, NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.statements import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.privacy.conversions import pure_to_gdp
from bursar.truth import Refusal

STATEMENTS: dict[str, Mechanism] = {
    "pure-dp": PureDP(epsilon=1),
    "approximate-dp": ApproximateDP(epsilon=1, delta="1e-6"),
    "zcdp": ZeroConcentratedDP(rho="0.1"),
    "gdp": GaussianDP(mu="0.5"),
    "rdp": RenyiDP(orders=[2, 8], values=["0.1", "0.5"]),
}
IMPLIED = {  # what has a proof here, row by row in the order of TARGETS
    "pure-dp": "1111111",
    "approximate-dp": "0100011",
    "zcdp": "0110111",
    "gdp": "0111111",
    "rdp": "0100111",
}


def test_pure_steps_have_a_rho_and_a_mu() -> None:
    """Each step's own, added up; what is only (ε, δ) has neither."""
    plan = 3 * Laplace(scale=2) + 2 * PureDP(epsilon="0.1") + Gaussian(noise_multiplier=2)
    rho = convert(plan, to="zcdp")
    assert rho.values["rho"] == Fraction(3, 8) + Fraction(2, 200) + Fraction(1, 8)
    assert "Prop. 3.3" in rho.theorem
    found = convert(plan, to="gdp")
    square = 3 * pure_to_gdp("0.5") ** 2 + 2 * pure_to_gdp("0.1") ** 2 + 0.25
    assert float(found.values["mu"]) == pytest.approx(square**0.5, rel=1e-14)
    assert "section 1" in found.theorem
    mixed = plan + ApproximateDP(epsilon=1, delta="1e-6")
    for target in ("zcdp", "gdp"):
        with pytest.raises(NoProof, match="view"):
            convert(mixed, to=target)
    with pytest.raises(NoProof, match="no gdp view"):
        convert(PureDP(epsilon=300) + Laplace(scale=2), to="gdp")


@pytest.mark.parametrize("source", STATEMENTS)
def test_what_is_implied_and_what_is_refused(source: str) -> None:
    found = list(conversions(STATEMENTS[source], at_delta="1e-5"))
    shown = "".join("0" if isinstance(one, Refusal) else "1" for one in found)
    assert shown == IMPLIED[source]
    for target, one in zip(TARGETS, found, strict=True):
        if isinstance(one, Refusal):
            assert "view" not in one.why  # the reason is the theory's, not the program's
            with pytest.raises(NoProof):
                convert(STATEMENTS[source], to=target)
        else:
            assert one.theorem
            assert one.to_json()["theorem"] == one.theorem


@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "1", "3", "20"])
def test_pure_is_gdp_by_the_corner_of_its_curve(epsilon: str) -> None:
    with mpmath.workdps(50):
        share = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        least = 2 * mpmath.sqrt(2) * mpmath.erfinv(2 * share - 1)
        assert least <= pure_to_gdp(epsilon) <= least * (1 + mpmath.mpf("1e-15"))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_gaussians_curve_is_below_that_of_every_pure_mechanism(epsilon: float) -> None:
    """G_μ ≤ f at many rates; a μ that is smaller by a millionth is above f at the corner."""

    def gaussian(mu: float, rate: mpmath.mpf) -> mpmath.mpf:
        return mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * rate) - mu)

    def pure(rate: mpmath.mpf) -> mpmath.mpf:
        grown = mpmath.exp(mpmath.mpf(repr(epsilon)))
        return max(mpmath.mpf(0), 1 - grown * rate, (1 - rate) / grown)

    with mpmath.workdps(30):
        mu = pure_to_gdp(epsilon)
        corner = 1 / (1 + mpmath.exp(mpmath.mpf(repr(epsilon))))
        rates = [mpmath.mpf(j) / 200 for j in range(1, 200, 9)] + [corner, mpmath.mpf("1e-9")]
        assert all(gaussian(mu, rate) <= pure(rate) for rate in rates)
        assert gaussian(mu * (1 - 1e-6), corner) > pure(corner)


def test_zcdp_of_a_gdp_is_exact() -> None:
    assert convert(GaussianDP(mu="0.3"), to="zcdp").sentence() == "ρ = 0.045"
    assert convert(GaussianDP(mu="0.3"), to="gdp").sentence() == "μ = 0.3"


def test_nothing_is_lost_on_the_way_back() -> None:
    """(ε, 0) is pure ε; a μ-GDP statement is that of its own Gaussian."""
    same = convert(ApproximateDP(epsilon=1, delta=0), to="zcdp")
    assert same.values == convert(PureDP(epsilon=1), to="zcdp").values
    left = convert(GaussianDP(mu="0.5"), to="approximate-dp", at_epsilon=1)
    right = convert(Gaussian(noise_multiplier=2), to="approximate-dp", at_epsilon=1)
    assert left.values == right.values


def test_plans_convert_by_adding_up() -> None:
    run = 3 * ZeroConcentratedDP(rho="0.1") + 2 * PureDP(epsilon="0.2")
    found = convert(run, to="zcdp")
    assert found.sentence() == "ρ = 0.34"
    assert "adds up" in found.theorem


@pytest.mark.parametrize(
    "asked",
    [
        {"to": "nonsense"},
        {"to": "approximate-dp"},
        {"to": "approximate-dp", "at_delta": 1, "at_epsilon": 1},
        {"to": "approximate-dp", "at_delta": 2},
        {"to": "rdp", "at_order": "0.5"},
        {"to": "tpr", "at_fpr": -1},
    ],
)
def test_questions_that_are_none(asked: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        convert(PureDP(epsilon=1), **asked)  # type: ignore[arg-type]


def test_no_finite_epsilon_is_no_conversion() -> None:
    with pytest.raises(NoProof):
        convert(ApproximateDP(epsilon=1, delta="0.1"), to="approximate-dp", at_delta="0.01")
    with pytest.raises(NoProof):
        convert(RenyiDP(orders=[2], values=[1]), to="rdp", at_order=3)
