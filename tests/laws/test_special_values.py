"""docs/special-values.md is a contract: every row of it runs here, and no row is missing."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import bursar
from bursar import (
    ApproximateDP,
    Direction,
    Enclosure,
    Estimate,
    Exact,
    Gaussian,
    GaussianDP,
    HighProbabilityBound,
    InternalError,
    Laplace,
    NotCharged,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    ZeroConcentratedDP,
)
from bursar.accounting import exact
from bursar.truth import number, rounded
from tests.house.tree import ROOT
from tests.laws import mechanism_rows
from tests.laws.cases import REPLACE, poisson
from tests.laws.rows import CHECKS, refused, row

PAGE = (ROOT / "docs" / "special-values.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!asked|value|given|in Python|---)(.+?) \| .+ \|$", PAGE, re.MULTILINE)


assert mechanism_rows.CHECKS is CHECKS  # its rows are of the page, too


def enclosed(result: object, value: float) -> None:
    """This value and no other, but for the last digit."""
    assert isinstance(result, Enclosure)
    assert math.nextafter(result.lower, -1) <= value <= math.nextafter(result.upper, math.inf)
    assert result.upper - result.lower <= 1e-12 * value


G = Gaussian(noise_multiplier=2)
STEP = poisson(1, "0.2")


@row("ε for δ = 0")
def _() -> None:
    enclosed(bursar.epsilon(6 * Laplace(scale=4), delta=0), 1.5)
    enclosed(bursar.epsilon(10 * PureDP(epsilon="0.1"), delta=0), 1.0)
    response = 3 * RandomizedResponse(epsilon="0.5", categories=4)
    enclosed(bursar.epsilon(response, delta=0, adjacency=REPLACE), 1.5)
    for plan in (G, 10 * STEP, G + Laplace(scale=1), ApproximateDP(epsilon=1, delta="1e-9")):
        found = bursar.epsilon(plan, delta=0)
        assert found == Enclosure(lower=math.inf, upper=math.inf)
        assert found.about.reason == "no finite ε holds: the privacy loss has no upper end"


@row("ε for a δ that is the probability of an infinite loss")
def _() -> None:
    once, twice = ApproximateDP(epsilon=1, delta="1e-5"), Fraction(199999, 10**10)
    enclosed(bursar.epsilon(once, delta="1e-5"), 1.0)
    enclosed(bursar.epsilon(2 * once + Laplace(scale=1), delta=twice), 3.0)
    for plan in (once, 2 * once + Laplace(scale=1), once + G):
        found = bursar.epsilon(plan, delta="9e-6")
        assert found == Enclosure(lower=math.inf, upper=math.inf)
        assert found.about.reason == "the probability of an infinite privacy loss is above δ"


@row("ε for δ at or above the total variation of the worse direction")
def _() -> None:
    for plan, adjacency in (
        (G, "replace-one"),
        (10 * STEP, "zero-out"),
        (3 * Laplace(scale=2), REPLACE),
    ):
        distance = bursar.delta(plan, epsilon=0, adjacency=adjacency)
        assert isinstance(distance, Enclosure)
        above = bursar.epsilon(plan, delta=Fraction(distance.upper), adjacency=adjacency)
        assert above == Enclosure(lower=0.0, upper=0.0)
        assert "total variation" in str(above.about.reason)
        below = bursar.epsilon(plan, delta=0.999 * distance.lower, adjacency=adjacency)
        assert isinstance(below, Enclosure)
        assert below.lower > 0
        assert below.about.reason is None


@row("ε for δ = 1")
def _() -> None:
    for plan in (G, 10**400 * STEP, ZeroConcentratedDP(rho=9), ApproximateDP(epsilon=1, delta=1)):
        found = bursar.epsilon(plan, delta=1)
        assert float(found) == 0
        assert found.about.reason
    assert float(bursar.epsilon(G, log_delta=0)) == 0


@row("ε for `log_delta` below −709")
def _() -> None:
    plain = bursar.epsilon(100 * STEP, delta="1e-300")
    logarithm = bursar.epsilon(100 * STEP, log_delta=-300 * math.log(10))
    assert float(logarithm) == pytest.approx(float(plain), rel=1e-12)
    assert logarithm.about.given_name == "log_delta"
    far = bursar.epsilon(100 * STEP, log_delta=-1e4)
    assert isinstance(far, Enclosure)
    assert plain.upper < far.lower < math.inf
    refused(lambda: bursar.epsilon(G, delta="1e-5", log_delta=-11.5), "delta")
    refused(lambda: bursar.epsilon(G), "delta")


@row("δ for ε = 0")
def _() -> None:
    enclosed(bursar.delta(G, epsilon=0), math.erf(0.25 / math.sqrt(2)))
    enclosed(bursar.delta(PureDP(epsilon=1), epsilon=0), math.tanh(0.5))
    once = 0.2 * math.erf(0.5 / math.sqrt(2))
    enclosed(bursar.delta(STEP, epsilon=0), once)


@row("δ for an ε at or above the largest loss")
def _() -> None:
    for plan, largest in ((6 * Laplace(scale=4), "1.5"), (3 * PureDP(epsilon="0.1"), "0.3")):
        found = bursar.delta(plan, epsilon=largest)
        assert float(found) == 0
        assert found == Enclosure(lower=0.0, upper=0.0)
        assert found.about.reason == "ε is at or above the largest privacy loss"
        assert float(bursar.delta(plan, epsilon=Fraction(largest) * 999 / 1000)) > 0
    ceiling = -20 * math.log(0.8)
    for plan in (20 * STEP,):
        at = {
            epsilon: exact.delta(plan, epsilon=epsilon, direction=Direction.ADD)
            for epsilon in (ceiling * 0.97, ceiling * 1.001)
        }
        assert [float(found) > 0 for found in at.values()] == [True, False]
        assert float(bursar.delta(plan, epsilon=ceiling * 1.001)) > 0


@row("δ that is positive and below the least float")
def _() -> None:
    found = bursar.delta(G, epsilon=100)
    assert found == Enclosure(lower=0.0, upper=math.ulp(0.0))
    assert found.about.reason is None


@row("δ for ε < 0")
def _() -> None:
    refused(lambda: bursar.delta(G, epsilon="-1e-9"), "epsilon")


@row("both directions are equally bad")
def _() -> None:
    assert bursar.epsilon(G, delta="1e-5").about.direction == "both"
    assert bursar.epsilon(10 * STEP, delta="1e-5").about.direction == "remove"
    assert bursar.delta(G, epsilon=1).about.direction == "both"


@row("`noise_multiplier` = 0, negative")
def _() -> None:
    for value in (0, "-1", -0.0):
        refused(lambda value=value: Gaussian(noise_multiplier=value), "noise_multiplier", "noise")


@row("`noise_multiplier` very large or very small")
def _() -> None:
    enclosed(bursar.delta(Gaussian(noise_multiplier="1e300"), epsilon=0), 3.989422804014327e-301)
    found = bursar.epsilon(Gaussian(noise_multiplier="1e-300"), delta="1e-5")
    assert found.upper == math.inf
    assert found.about.reason
    assert 10**6 * Gaussian(noise_multiplier="1e303") == 10**6 * Gaussian(
        noise_multiplier=Exact(10**303)
    )


@row("`scale` = 0, negative")
def _() -> None:
    for value in (0, "-1"):
        refused(lambda value=value: Laplace(scale=value), "scale", "noise")


@row("`sampling_probability` = 0")
def _() -> None:
    refused(lambda: poisson(1, 0), "sampling_probability")


@row("`sampling_probability` = 1")
def _() -> None:
    plain, whole = Gaussian(noise_multiplier=3), poisson(3, 1)
    found = bursar.epsilon(7 * whole, delta="1e-5")
    assert found == bursar.epsilon(7 * plain, delta="1e-5")
    assert found.about.method == "closed-form"


@row("`sampling_probability` > 1")
def _() -> None:
    refused(lambda: poisson(1, "1.5"), "sampling_probability", "batch_size / examples")


@row("`count`, `steps` = 0")
def _() -> None:
    refused(lambda: 0 * G, "count")


@row('`count`, `steps` = 1000.0, "1000.5", negative')
def _() -> None:
    for count in (1000.0, "1000.5", -3, True):
        refused(lambda count=count: count * G, "count")
        refused(lambda count=count: G * count, "count")
        refused(lambda count=count: (G + G) * count, "count")


@row("`epsilon` = 0 of a pure statement")
def _() -> None:
    for delta in (0, "1e-5"):
        assert float(bursar.epsilon(7 * PureDP(epsilon=0), delta=delta)) == 0
    free = bursar.epsilon(G + PureDP(epsilon=0), delta="1e-5")
    assert free.upper == pytest.approx(float(bursar.epsilon(G, delta="1e-5")), rel=1e-12)


@row("`delta` = 0 of an (ε, δ) statement")
def _() -> None:
    statement, pure = ApproximateDP(epsilon=1, delta=0), PureDP(epsilon=1)
    for delta in (0, "1e-5", "0.1"):
        assert bursar.epsilon(9 * statement, delta=delta) == bursar.epsilon(9 * pure, delta=delta)


@row("`delta` = 1 of an (ε, δ) statement")
def _() -> None:
    for plan in (ApproximateDP(epsilon=1, delta=1), G + ApproximateDP(epsilon=0, delta=1)):
        assert float(bursar.epsilon(plan, delta="0.999")) == math.inf
    assert float(bursar.delta(ApproximateDP(epsilon=1, delta=1), epsilon=9)) == 1


@row("`rho` = 0")
def _() -> None:
    assert float(bursar.epsilon(ZeroConcentratedDP(rho=0), delta="1e-5")) == 0
    refused(lambda: GaussianDP(mu=0), "mu")


@row("`orders` at or below 1, not increasing, or not as many as `values`")
def _() -> None:
    for orders in ([1, 2], ["0.5", 2], [3, 2], [2, 2], []):
        refused(lambda orders=orders: RenyiDP(orders=orders, values=[0, 0]), "orders")
    refused(lambda: RenyiDP(orders=[2, 3], values=[0]), "values")


@row("`categories` = 1")
def _() -> None:
    refused(lambda: RandomizedResponse(epsilon=1, categories=1), "categories")


@row('text: `"0.001"`, `"1e-5"`, `"256/60000"`, `" 1 / 3 "`')
def _() -> None:
    values = ("0.001", "1e-5", "256/60000", " 1 / 3 ")
    exactly = (Fraction(1, 1000), Fraction(1, 10**5), Fraction(256, 60000), Fraction(1, 3))
    assert tuple(Exact.of(value) for value in values) == exactly


@row("Python float")
def _() -> None:
    assert Exact.of(0.1) == Fraction(1, 10)
    assert bursar.epsilon(G, delta=1e-5) == bursar.epsilon(G, delta="1e-5")


@row("numpy scalar, `Fraction`, `Decimal`, int")
def _() -> None:
    assert Exact.of(np.float32(0.1)) == Fraction(13421773, 134217728)
    for value in (Fraction(1, 7), Decimal("0.1"), 12, np.int64(12), np.float64(0.25)):
        assert Exact.of(value) == Fraction(value if not hasattr(value, "item") else value.item())


@row("`True`, `False`")
def _() -> None:
    for value in (True, False, np.True_):
        refused(lambda value=value: Exact.of(value), "value")
        refused(lambda value=value: bursar.epsilon(G, delta=value), "delta")
        refused(lambda value=value: bursar.epsilon(G, log_delta=value), "log_delta")


@row("NaN, ±infinity, as a number or as text")
def _() -> None:
    for value in (
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "inf",
        "-Infinity",
        Decimal("NaN"),
        np.nan,
        np.float32(math.inf),
        Decimal("-Infinity"),
    ):
        refused(lambda value=value: Exact.of(value), "value")


@row('`"0x1p-3"`, `"1_000"`, `"1,5"`, `"1e-5 "` with anything else after it, `""`')
def _() -> None:
    for text in ("0x1p-3", "1_000", "1,5", "1e-5 x", "", "1/2/3", "٣"):
        refused(lambda text=text: Exact.of(text), "value")
    assert Exact.of(" 1e-5 ") == Fraction(1, 10**5)


@row("a denominator of 0, more than 1,000 digits or an exponent beyond it")
def _() -> None:
    for text in ("1/0", "1" * 1001, "1e1001", "1e-1001", "1e99999", Decimal("1e2000"), 10**5000):
        refused(lambda text=text: Exact.of(text), "value")
    assert Exact.of("1e1000").text == "1e1000"
    assert Exact.of("1e-1000").text == "1e-1000"


@row("`None`, lists, arrays of more than no dimension")
def _() -> None:
    for value in (None, [1], (1,), np.array([1.0]), {}, object(), 1j):
        refused(lambda value=value: Exact.of(value), "value")


@row("`math.inf`")
def _() -> None:
    written = json.dumps(bursar.epsilon(G, delta=0).to_json(), allow_nan=False)
    assert json.loads(written)["epsilon"] == {"lower": "inf", "upper": "inf"}


@row("NaN")
def _() -> None:
    with pytest.raises(InternalError) as caught:
        number(math.nan)
    assert caught.value.exit_code == 70
    for make in (
        lambda: Enclosure(lower=0, upper=math.nan),
        lambda: bursar.UpperBound(upper=math.nan),
    ):
        with pytest.raises(InternalError):
            make()


@row("printed for people")
def _() -> None:
    for value in (0.123456789, 1e-300, 7.0, 123456.7):
        for digits in (1, 3, 9):
            up, down = (float(rounded(value, digits, up=way)) for way in (True, False))
            assert down <= value <= up
    told = bursar.epsilon(G, delta="1e-5")
    assert isinstance(told, Enclosure)
    low, high = (float(text) for text in re.findall(r"[\d.]+", told.sentence(digits=3)))
    assert low <= told.lower < told.upper <= high


@row("`float(Estimate(…))`, `float(HighProbabilityBound(…))`")
def _() -> None:
    for guess in (
        Estimate(value=1.0, method="x"),
        HighProbabilityBound(upper=1.0, failure_probability=0.1),
    ):
        with pytest.raises(NotCharged):
            float(guess)


@pytest.mark.parametrize("cell", ROWS, ids=lambda cell: cell[:40])
def test_a_row_of_the_page(cell: str) -> None:
    CHECKS[cell]()


def test_every_check_is_a_row() -> None:
    assert set(CHECKS) == set(ROWS)
