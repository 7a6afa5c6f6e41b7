"""Tables of big jumps: never below the integral, and close to it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from bursar.errors import InternalError, LimitReached
from bursar.exact import Exact
from bursar.numerics import jumps as room
from bursar.numerics.floors import Floor, Lows
from bursar.numerics.jumps import Jumps, Table
from bursar.numerics.tilts import Coordinate

LAW, EPSILON = Coordinate(Exact(4), Exact.of("0.01"), True), 2.0
LOWEST, STEP = -1.5, 0.01
FIRST = 50


def one(loss: float) -> float:
    """g₁ by its closed form."""
    start = max(LAW.above(FIRST * STEP), LAW.above(EPSILON - loss))
    under_q = ndtr(-start)
    return 0.99 * under_q + 0.01 * ndtr(2 - start) - math.exp(EPSILON - loss) * under_q


def two(loss: float) -> float:
    """g₂ by quadrature."""

    def part(t: float) -> float:
        w = 0.99 + 0.01 * math.exp(2 * t - 2)
        return w * math.exp(-t * t / 2) / math.sqrt(2 * math.pi) * one(loss + math.log(w))

    start = LAW.above(FIRST * STEP)
    return sum(quad(part, a, a + 1.0, epsabs=0, epsrel=1e-10)[0] for a in start + np.arange(10.0))


JUMPS = Jumps.of(LAW, first=FIRST, step=STEP, reach=EPSILON - LOWEST)
LOWS = Lows.of(LAW, JUMPS, STEP)


def chain(jumps: Jumps, lows: Lows) -> tuple[list[Table], list[Floor]]:
    """Tables of up to two jumps, and what is under them."""
    found = [Table.payoff(EPSILON, STEP, LOWEST)]
    floors = [Floor.under(found[0])]
    for _ in range(2):
        found.append(found[-1].after(jumps))
        floors.append(floors[-1].after(lows))
    return found, floors


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    return chain(JUMPS, LOWS)[0]


@pytest.fixture(scope="module")
def floors() -> list[Floor]:
    return chain(JUMPS, LOWS)[1]


@pytest.mark.parametrize(("number", "truth"), [(1, one), (2, two)])
def test_a_table_is_above_the_integral_and_near(tables, number, truth) -> None:
    losses = np.array([-1.4949, -1.0, -0.303, 0.4, 0.9999, 1.5, 1.99, 2.0, 2.7, 9.0])
    exact = np.array([truth(float(loss)) for loss in losses])
    found = np.exp(tables[number].log_at(losses))
    assert (found >= exact * (1 - 1e-12)).all()
    assert (found <= exact * 1.002).all()


def places(table: Table) -> np.ndarray:
    """Where a table stands, every 20th."""
    return (table.lowest + np.arange(len(table.values)) * table.step)[::20]


@pytest.mark.parametrize(("number", "truth"), [(1, one), (2, two)])
def test_a_floor_is_below_the_integral_and_nearer_than_a_step(
    tables, floors, number, truth
) -> None:
    at = places(tables[number])
    exact = np.array([truth(float(loss)) for loss in at])
    found = floors[number].values[::20]
    assert (found <= exact * (1 + 1e-9)).all()
    assert (found >= exact * (1 - 1e-3)).all()


def test_the_ratio_of_table_and_floor_holds_everywhere(tables, floors) -> None:
    """Between the points, above ε, and for losses that are a little off."""
    losses = np.linspace(LOWEST, 9.0, 40_001)
    truth = np.array([one(float(loss)) for loss in losses])
    for shift in (0.0, 1e-3):
        bound = floors[1].log_ratio(tables[1], shift)
        apart = float((tables[1].log_at(losses + shift) - np.log(truth)).max())
        assert 0 < apart <= bound < apart + 2e-3 + 3 * shift


@pytest.mark.parametrize("wrong", ["points", "far", "balance"])
def test_floors_that_are_too_high_are_seen(wrong) -> None:
    """Each cell's jumps at the next point, far ones twice, cells a little lower than they are."""
    if wrong == "points":
        moved = replace(LOWS, dots=np.append([0.0], LOWS.dots[:-1]))
    elif wrong == "far":
        moved = replace(LOWS, beyond_p=2 * LOWS.beyond_p)
    else:
        moved = replace(LOWS, dots=LOWS.dots * (1 + 1e-3))
    tables, floors = chain(JUMPS, moved)
    at = places(tables[1])
    exact = np.array([one(float(loss)) for loss in at])
    assert (floors[1].values[::20] > exact * (1 + 1e-9)).any()


def test_below_the_table_it_is_bounded_by_its_end(tables) -> None:
    assert np.exp(tables[1].log_at(np.array([-4.0])))[0] >= one(-1.6)


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("lam", [0.4, 3.0, 12.0])
def test_the_peak_is_above_every_point(tables, number, lam) -> None:
    losses = np.linspace(LOWEST, 12.0, 20_001)
    best = float((tables[number].log_at(losses) - lam * losses).max())
    assert best - 1e-9 <= tables[number].log_peak(lam) <= best + 1e-3


def test_dots_on_one_side_would_be_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant that puts all of a cell's mass at its left end is seen."""
    jumps = Jumps.of(LAW, first=FIRST, step=STEP, reach=EPSILON - LOWEST + 6)
    low = Table.payoff(EPSILON, STEP, LOWEST).after(
        replace(jumps, dots=jumps.dots * math.exp(-STEP), beyond_p=0.0)
    )
    assert math.exp(low.log_at(np.array([0.4]))[0]) < one(0.4)


def test_what_is_not_proved_is_refused() -> None:
    with pytest.raises(InternalError):
        Jumps.of(LAW, first=0, step=STEP, reach=5.0)
    with pytest.raises(InternalError):
        Jumps.of(Coordinate(Exact(4), Exact.of("0.01"), False), first=1, step=STEP, reach=5.0)
    with pytest.raises(LimitReached):
        Jumps.of(LAW, first=1, step=room.NARROWEST / 2, reach=5.0)
    with pytest.raises(LimitReached):
        Jumps.of(Coordinate(Exact(1000), Exact.of("0.01"), True), first=1, step=STEP, reach=5.0)
