"""Noisy screening: what it answers, what it costs whatever the data, and the private cost."""

from __future__ import annotations

import copy
import math
import pickle

import mpmath
import numpy as np
import pytest

from bursar import Gaussian, InvalidParameter, Refused
from bursar.exact import Exact
from bursar.filters import GdpFilter, Purse, Stage
from bursar.screening import NoisyScreen, private_cost
from tests.screening.purses import rich

FAR = 10**6
ORDERS = [1.5, 2.0, 8.0, 64.0]


def screen(purse: Purse, **more) -> NoisyScreen:
    base = {"noise_multiplier": 10, "length": 4, "sensitivity": 1, "purse": purse, "request": "s"}
    return NoisyScreen(**base | more)


def test_it_answers_and_stops() -> None:
    purse = rich()
    s = screen(purse)
    assert [s.ask(v, threshold=0) for v in (FAR, -FAR)] == [True, False]
    assert s.ask_many(np.array([FAR, -FAR, FAR]), threshold=0).tolist() == [True, False]
    assert s.done
    for ask in (s.ask, s.ask_many):
        with pytest.raises(Refused, match="has stopped"):
            ask(np.array([1]) if ask == s.ask_many else 1, threshold=0)
    assert purse.charge("s").stage is Stage.COMMITTED


def test_it_costs_what_its_gaussians_cost() -> None:
    """kΔ²/2σ² a unit of α: half of what App. E prints."""
    purse = Purse({"all": GdpFilter(mu=1)})
    screen(purse).close()
    assert purse.left("all") == {"mu squared": Exact.of("0.96")}
    assert purse.charge("s").plan == 4 * Gaussian(noise_multiplier=10)


@pytest.mark.parametrize(
    "changes", [{"noise_multiplier": 0}, {"length": 0}, {"length": 1.5}, {"sensitivity": "nan"}]
)
def test_bad_input_is_refused_before_it_costs(changes) -> None:
    purse = rich()
    with pytest.raises(InvalidParameter):
        screen(purse, **changes)
    assert purse.history() == []


def slow(q: float, threshold: float, sigma: float, delta: float, order: float) -> mpmath.mpf:
    """The largest divergence for one query, with 60 digits."""
    with mpmath.workdps(60):

        def tops(value):
            return mpmath.ncdf((mpmath.mpf(value) - threshold) / sigma)

        def divergence(p, r):
            a = mpmath.mpf(order)
            moment = p**a * r ** (1 - a) + (1 - p) ** a * (1 - r) ** (1 - a)
            return mpmath.log(moment) / (a - 1)

        p = tops(q)
        others = [tops(q - delta), tops(q + delta)]
        return max(divergence(*pair) for r in others for pair in ((p, r), (r, p)))


@pytest.mark.parametrize("q", [0.0, 90.0, 100.0, 130.0])
def test_the_private_cost_of_one_query(q: float) -> None:
    found = private_cost([q], threshold=100.0, noise_std=10.0, sensitivity=1.0, orders=ORDERS)
    for value, order in zip(found.reveal(), ORDERS, strict=True):
        truth = slow(q, 100, 10, 1, order)
        assert float(value) == pytest.approx(float(truth), rel=1e-9, abs=1e-18)
        assert value <= order / (2 * 100) * (1 + 1e-12)  # never above what is charged


def test_far_below_the_threshold_nothing_underflows() -> None:
    """At 40 deviations scipy's sf is 0, which would make the cost 0; its logarithm is −804.6."""
    far = private_cost([0.0], threshold=40.0, noise_std=1.0, sensitivity=1.0, orders=[1e20])
    assert far.reveal()[0] > 0
    near = private_cost([0.0] * 3, threshold=5.0, noise_std=1.0, sensitivity=1.0, orders=[2.0])
    assert math.isclose(float(near.reveal()[0]), 3 * float(slow(0, 5, 1, 1, 2)), rel_tol=1e-9)


def test_the_private_cost_is_sealed() -> None:
    found = private_cost([3.0], threshold=4.0, noise_std=1.0, sensitivity=1.0, orders=ORDERS)
    assert repr(found) == str(found) == "<private cost at 4 orders>"
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(InvalidParameter):
            leave(found)
    with pytest.raises(TypeError):
        float(found)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [{"noise_std": 0.0}, {"noise_std": math.nan}, {"sensitivity": -1.0}, {"orders": [1.0]},
     {"orders": [math.nan]}, {"values": [math.nan]}],
)  # fmt: skip
def test_bad_input_of_the_private_cost(changes) -> None:
    good = {"threshold": 4.0, "noise_std": 1.0, "sensitivity": 1.0, "orders": ORDERS}
    (field,) = changes
    values = changes.get("values", [3.0])
    with pytest.raises(InvalidParameter) as caught:
        private_cost(values, **good | {k: v for k, v in changes.items() if k != "values"})
    assert caught.value.field == field
    assert field != "values" or caught.value.value == "private"
