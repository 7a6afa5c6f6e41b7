"""The curve of randomized response against its definition, E_Q[(P/Q)^α] over the categories."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bursar.exact import Exact
from bursar.privacy.curves import AtomsCurve


@pytest.mark.parametrize("order", [1.25, 2, 3, 8, 40])
@pytest.mark.parametrize(("odds", "categories"), [(2, 2), (1.1, 2), (5, 2), (2, 3), (3, 10)])
def test_it_is_the_divergence_of_the_laws(order: float, odds: float, categories: int) -> None:
    p = np.array([odds, 1, *[1] * (categories - 2)]) / (odds + categories - 1)
    q = np.array([1, odds, *[1] * (categories - 2)]) / (odds + categories - 1)
    divergence = math.log(np.sum(p**order * q ** (1 - order))) / (order - 1)
    curve = AtomsCurve(Exact.of(math.log(odds)), categories)
    assert curve.at(order) == pytest.approx(divergence, rel=1e-12)
    assert curve.sketch(np.array([order]))[0] == pytest.approx(divergence, rel=1e-9)
