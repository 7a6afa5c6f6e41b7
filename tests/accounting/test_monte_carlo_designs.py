"""Designs: bounds above the exact δ and near it, and a variable whose mean is δ."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bursar import Adjacency, Direction, Gaussian, Laplace, PoissonSubsampled
from bursar.accounting import exact
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.accounting.monte_carlo_designs import Design, certified, design, parts_of
from bursar.accounting.monte_carlo_draws import draw, picks
from bursar.accounting.monte_carlo_search import search
from bursar.errors import LimitReached, NoProof
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.numerics.envelope import Envelope, Source


def steps(sigma: str, q: str, count: int) -> Plan:
    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


CASES = [  # plan, ε, how far B + R may be above δ
    (steps("1", "1e-3", 1000), "1.292", 1.3),
    (steps("0.5", "1e-3", 1000), "16.47", 1.02),
    (steps("2", "0.01", 1000), "0.625", 4.5),
    (steps("0.6", "1e-3", 100), "1.5", 1.3),
    (60 * Gaussian(noise_multiplier="28.914"), "1", 10.0),
    (steps("20", "0.01", 1000), "0.05", 3.7),
    (steps("2", "0.01", 100) + steps("1", "1e-3", 50) + 3 * Gaussian(noise_multiplier=9), "1", 5.2),
    (steps("0.8", "1e-3", 200) + steps("1.1", "0.003", 300) + Gaussian(noise_multiplier=9), "2", 3),
]


@cache
def designed(plan: Plan, epsilon: str, way: Direction) -> Design:
    return design(views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, way), way, float(epsilon))


def log_delta(plan: Plan, epsilon: str, way: Direction) -> float:
    return math.log(exact.delta(plan, epsilon=epsilon, direction=way).upper)


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "epsilon", "times"), CASES)
def test_without_a_draw_it_is_a_bound(plan: Plan, epsilon: str, times: float) -> None:
    found = designed(plan, epsilon, Direction.REMOVE)
    above = found.log_ceiling - log_delta(plan, epsilon, Direction.REMOVE)
    assert 0 < above < math.log(times)
    assert found.log_rest < found.log_bound + math.log(2e-4)


@pytest.mark.parametrize("way", Direction)
def test_draws_are_bounded_and_repeat(way: Direction) -> None:
    found = designed(steps("2", "0.01", 100), "0.5", way)
    first, again = (draw(found, 400, Seeded(7).source(3)) for _ in range(2))
    assert (first == again).all()
    assert (first != draw(found, 400, Seeded(7).source(4))).any()
    assert (first >= 0).all()
    assert (first <= 1).all()


def test_picks_are_never_below_their_share() -> None:
    found = designed(*CASES[3][:2], Direction.REMOVE)
    units = picks(found)
    assert sum(units) == 1 << 62
    for unit, stratum in zip(units, found.strata, strict=True):
        assert math.log(unit) - 62 * math.log(2) + found.log_bound >= stratum.log_bound


GRID = [
    *[(steps("2", "0.02", 50), e, way) for e in ("0.1", "0.8") for way in Direction],
    (steps("1", "1e-3", 1000), "0.415", Direction.REMOVE),
    (steps("1", "1e-3", 1000), "0.415", Direction.ADD),
    (steps("0.5", "1e-3", 1000), "41.56", Direction.REMOVE),
    (CASES[-1][0], "2", Direction.REMOVE),
    (CASES[-1][0], "0.5", Direction.ADD),
    (60 * Gaussian(noise_multiplier="28.914"), "1", Direction.REMOVE),
]


def error(found: Design, values: np.ndarray, truth: float) -> float:
    """How many standard errors the estimate is away from the truth."""
    scale = math.exp(found.log_bound - truth)
    estimate = math.exp(found.log_rest - truth) + scale * values.mean()
    return (estimate - 1) / max(scale * values.std() / math.sqrt(len(values)), 2e-4)


@pytest.mark.statistical
@pytest.mark.parametrize(("plan", "epsilon", "way"), GRID)
def test_the_mean_is_delta(plan: Plan, epsilon: str, way: Direction) -> None:
    """From 1e-3 to 1e-50: 6 standard errors, a false alarm in 1e8; what rounding up adds is 2e-4.

    Power: the same draws at an ε that is 1 % off, or with λ forgotten in the weight, are seen.
    """
    found = designed(plan, epsilon, way)
    truth = log_delta(plan, epsilon, way)
    size = max(1000, 2_000_000 // found.coordinates)
    values = draw(found, size, Seeded(11).source(0))
    assert abs(error(found, values, truth)) < 6
    off = log_delta(plan, str(float(epsilon) * 0.5), way)
    assert abs(error(found, values, off)) > 6


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(NoProof, match="log_ratio"):
        designed(3 * Laplace(scale=1), "1", Direction.REMOVE)
    with pytest.raises(LimitReached):
        designed(3 * Gaussian(noise_multiplier="1e9"), "1", Direction.REMOVE)


@pytest.mark.slow
def test_a_bound_does_not_depend_on_where_it_was_cut() -> None:
    """Other tilts and thresholds, proposed badly: still bounds."""
    plan, epsilon = CASES[3][:2]
    parts = parts_of(views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE))
    truth = log_delta(plan, epsilon, Direction.REMOVE)
    cuts = search(parts, float(epsilon))
    for change in (0.5, 1.7):
        worse = type(cuts)(
            cuts.lam * change,
            tuple((low, high + 2) for low, high in cuts.reach),
            cuts.step,
            cuts.first,
            cuts.lowest,
            cuts.jumps,
            cuts.tables,
            tuple((vector, lam * change) for vector, lam in cuts.strata[:3]),
        )
        found = certified(parts, Direction.REMOVE, float(epsilon), worse)
        assert found.log_ceiling > truth


def test_an_undecided_coin_makes_its_draw_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    found = designed(steps("2", "0.1", 10), "0.05", Direction.ADD)
    whole = sum(n for _, n in found.strata[0].envelopes)
    assert whole == 10
    before = draw(found, 50, Seeded(1).source(0))
    assert before[7] < 1
    kept = Envelope.draw

    def one_is_open(self: Envelope, size: int, source: Source) -> np.ndarray:
        places = kept(self, size, source)
        places[7 * whole + 3] = math.nan
        return places

    monkeypatch.setattr(Envelope, "draw", one_is_open)
    after = draw(found, 50, Seeded(1).source(0))
    assert after[7] == 1
    assert (np.delete(after, 7) == np.delete(before, 7)).all()


@pytest.mark.statistical
@pytest.mark.parametrize(("plan", "epsilon", "way"), GRID)
def test_how_far_draws_are_above_is_known(plan: Plan, epsilon: str, way: Direction) -> None:
    """B·E X ≤ e^ratio δ + B·excess, near enough to tell δ from below."""
    found = designed(plan, epsilon, way)
    over, truth = found.over(), log_delta(plan, epsilon, way)
    share = math.exp(truth - found.log_bound)
    assert 0 < over.log_ratio < 0.02
    assert 0 < over.excess < 0.01 * share
    assert share < found.most(truth) < share * 1.02
    assert truth - 0.02 < found.log_least(share) < truth
    values = draw(found, 2000, Seeded(12).source(0))
    assert values.mean() - 6 * values.std() / math.sqrt(2000) < found.most(truth)


def test_below_the_table_values_are_capped_and_known_to_be_small() -> None:
    found = designed(steps("2", "0.01", 1000), "1.658", Direction.REMOVE)
    (one,) = [s for s in found.strata if s.jumps == (1,)]
    lowest = one.table.lowest
    assert -math.inf < one.log_below < one.log_bound
    under, above = one.log_values(np.array([lowest - 2.0, lowest + 3.0]))
    assert under <= one.log_below < above
    free = replace(one, log_below=one.log_bound)
    assert free.log_values(np.array([lowest - 2.0]))[0] >= under
    strata = tuple(free if s is one else s for s in found.strata)
    assert replace(found, strata=strata).over().excess > 1e-4 > 5 * found.over().excess


def test_a_table_that_is_too_high_is_known_to_be() -> None:
    """The mutant whose jumps weigh 2 % more has a ratio of 2 % a jump."""
    found = designed(steps("1", "1e-3", 300), "1.292", Direction.REMOVE)
    sane = found.over().log_ratio
    strata = tuple(
        replace(one, table=replace(one.table, values=one.table.values * 1.02**one.table.jumps))
        for one in found.strata
    )
    assert replace(found, strata=strata).over().log_ratio > sane + 0.9 * math.log(1.02)


def test_losses_beyond_what_a_float_holds_are_not_integrated() -> None:
    found = designed(steps("1", "0.9", 1000), "1500", Direction.REMOVE)
    assert not found.cuts.jumps
    assert found.log_ceiling > log_delta(steps("1", "0.9", 1000), "1500", Direction.REMOVE)


@pytest.mark.statistical
@pytest.mark.parametrize("way", Direction)
def test_many_steps_are_drawn_together(way: Direction) -> None:
    """100 sums a draw; the mean is δ, at 6 standard errors, and an ε that is 2 % off is seen."""
    plan = steps("1", "0.01", 20_000) + Gaussian(noise_multiplier=2)
    epsilon = "10" if way is Direction.REMOVE else "8"
    pairs = views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, way)
    found = design(pairs, way, float(epsilon), together=True)
    assert found.coordinates <= 102
    truth = log_delta(plan, epsilon, way)
    assert found.log_ceiling > truth
    assert found.over() is None
    assert found.log_rest < truth + math.log(1e-6)
    alone = design(pairs, way, float(epsilon))
    assert alone.log_ceiling < found.log_ceiling < alone.log_ceiling + 1e-3
    values = draw(found, 40_000, Seeded(13).source(0))
    assert abs(error(found, values, truth)) < 6
    assert abs(error(found, values, log_delta(plan, str(float(epsilon) * 0.98), way))) > 6
