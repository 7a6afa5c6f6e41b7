"""Tilted coordinates: masses against mpmath, and what is cut off is truly below its bound."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from bursar.exact import Exact
from bursar.numerics.balls import float_up
from bursar.numerics.tilts import Coordinate

LAWS = [
    Coordinate(Exact(1), Exact.of("1e-3"), True),
    Coordinate(Exact(4), Exact.of("0.2"), False),
    Coordinate(Exact.of("0.25"), Exact(1), True),
]


def density(law: Coordinate, lam: float, t: mpmath.mpf) -> mpmath.mpf:
    m, q = mpmath.sqrt(mpmath.mpf(law.mu_squared.numerator) / law.mu_squared.denominator), law.q
    share = mpmath.mpf(q.numerator) / q.denominator
    w = 1 - share + share * mpmath.exp(m * t - m * m / 2)
    return mpmath.npdf(t) * w ** mpmath.mpf(law.power(lam))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("lam", [0.3, 6.5])
def test_masses_and_what_is_cut_off(law: Coordinate, lam: float) -> None:
    low, high = -2.0, 3.0
    with mpmath.workdps(25):
        inside = mpmath.quad(lambda t: density(law, lam, t), [low, 0, high])
        above = mpmath.quad(lambda t: density(law, lam, t), [high, 6, 10, 20, 40])
        below = mpmath.quad(lambda t: density(law, lam, t), [-40, -20, -8, low])
    assert float(law.mass(lam, low, high)) == pytest.approx(float(inside), rel=1e-13)
    assert float(above) <= float_up(law.cut_above(lam, high)) <= 1e6 * float(above)
    assert float(below) <= float_up(law.cut_below(lam, low)) <= 20 * float(below)


@pytest.mark.parametrize("law", LAWS)
def test_the_range_holds_all_but_nothing(law: Coordinate) -> None:
    low, high = law.reach(4.0)
    lost = law.cut_below(4.0, low) + law.cut_above(4.0, high)
    assert float_up(lost) < 1e-36 * float(law.mass(4.0, low, high))


def test_a_loss_is_found_where_it_is() -> None:
    law = LAWS[0]
    for loss in (-0.0005, 0.0, 0.4, 30.0):
        assert float(law.log_w(np.array([law.above(loss)]))[0]) == pytest.approx(loss, abs=1e-14)
    assert law.above(-1.0) == -np.inf
    assert np.isfinite(law.log_w(np.array([5e4]))).all()


def test_cells_share_the_masses() -> None:
    edges = np.linspace(2.0, 5.0, 7)
    under_p, under_q = LAWS[0].cells(edges)
    assert float(sum(under_p)) == pytest.approx(float(LAWS[0].mass(0.0, 2.0, 5.0)), rel=1e-13)
    assert float(sum(under_q)) == pytest.approx(float(LAWS[0].mass(-1.0, 2.0, 5.0)), rel=1e-13)
