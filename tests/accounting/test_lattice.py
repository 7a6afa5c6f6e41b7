"""The lattice accountant against definitions: convolutions in rational numbers and in balls."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

import bursar
from bursar import (
    Adjacency,
    ApproximateDP,
    Direction,
    DiscreteGaussian,
    DiscreteLaplace,
    Enclosure,
    FromDensities,
    Gaussian,
    Laplace,
    LimitReached,
    NoProof,
    Plan,
    PoissonSubsampled,
    RandomizedResponse,
    Table,
    UpperBound,
    ZeroConcentratedDP,
)
from bursar.accounting import lattice, lattice_law
from bursar.accounting.lattice_kinds import losses
from bursar.accounting.lattice_law import Cells, Lattice
from bursar.accounting.lattice_profile import LatticeProfile
from bursar.mechanisms import views
from bursar.numerics import fourier
from bursar.numerics.balls import precision
from bursar.privacy.pairs import Composition, TablePair

REPLACE = Adjacency.REPLACE_ONE
Rows = list[tuple[Fraction, Fraction]]


def delta_of(rows: Rows, count: int, epsilon: str) -> mpmath.mpf:
    """Σ max(P − e^ε Q, 0) over all outputs of so many runs."""
    law = {(Fraction(1), Fraction(1)): 1}
    for _ in range(count):
        grown: dict[tuple[Fraction, Fraction], int] = defaultdict(int)
        for ((p, q), n), (r, s) in itertools.product(law.items(), rows):
            grown[p * r, q * s] += n
        law = grown
    with mpmath.workdps(50):
        x = mpmath.exp(mpmath.mpf(epsilon))
        parts = [
            n * (mpmath.mpf(p.numerator) / p.denominator - x * q.numerator / q.denominator)
            for (p, q), n in law.items()
        ]
        return mpmath.fsum(part for part in parts if part > 0)


def holds(found: object, truth: object, width: float) -> None:
    """An enclosure of the truth, and no wider than this, relatively."""
    assert isinstance(found, Enclosure)
    assert mpmath.mpf(found.lower) <= truth <= mpmath.mpf(found.upper)
    assert found.upper - found.lower <= width * found.upper


@pytest.mark.parametrize("epsilon", ["0", "0.4", "1.7", "3"])
def test_a_table_by_definition(epsilon: str) -> None:
    table = Table(present=["0.5", "0.3", "0.15", "0.05"], absent=["0.2", "0.35", "0.05", "0.4"])
    rows = [(Fraction(p), Fraction(q)) for p, q in zip(table.present, table.absent, strict=True)]
    for way in Direction:
        ordered = rows if way is Direction.REMOVE else [(q, p) for p, q in rows]
        found = lattice.delta(4 * table, epsilon=epsilon, direction=way)
        holds(found, delta_of(ordered, 4, epsilon), 2e-3)


def test_an_output_that_gives_the_person_away() -> None:
    table = Table(present=["0.6", "0.3", "0.1"], absent=["0.6", "0.4", "0"])
    rows = [(Fraction(p), Fraction(q)) for p, q in zip(table.present, table.absent, strict=True)]
    found = lattice.delta(3 * table, epsilon="0.1", direction=Direction.REMOVE)
    holds(found, delta_of(rows, 3, "0.1"), 1e-3)
    never = 1 - Fraction(9, 10) ** 3
    last = lattice.epsilon(3 * table, delta=never, direction=Direction.REMOVE)
    assert last.upper == 0.0
    assert lattice.epsilon(3 * table, delta=never / 2, direction=Direction.REMOVE).upper == math.inf
    assert lattice.epsilon(3 * table, delta=0, direction=Direction.ADD).upper < 1


@pytest.mark.parametrize("way", list(Direction))
def test_a_table_on_samples_by_definition(way: Direction) -> None:
    """The mixture's own rows, one of which the base's other law never has."""
    table = Table(present=["0.6", "0.3", "0.1", "0"], absent=["0.3", "0.6", "0", "0.1"])
    q = Fraction(1, 5)
    base = list(zip(map(Fraction, table.present), map(Fraction, table.absent), strict=True))
    rows = [((1 - q) * b + q * a, b) for a, b in base]
    if way is Direction.ADD:
        rows = [(b, a) for a, b in rows]
    sampled = PoissonSubsampled(table, sampling_probability="0.2")
    for epsilon in ("0", "0.2", "0.6"):
        found = lattice.delta(4 * sampled, epsilon=epsilon, direction=way)
        holds(found, delta_of(rows, 4, epsilon), 2e-3)


def discrete_gaussian_delta(sigma: int, shift: int, count: int, epsilon: float) -> mpmath.mpf:
    """By the law of the sum of the outputs: the loss is linear in it."""
    with mpmath.workdps(40):
        reach = 30 * sigma
        mass = {
            x: mpmath.exp(-mpmath.mpf(x * x) / (2 * sigma**2)) for x in range(-reach, reach + 1)
        }
        whole = mpmath.fsum(mass.values())
        law = {0: mpmath.mpf(1)}
        for _ in range(count):
            grown: dict[int, mpmath.mpf] = defaultdict(mpmath.mpf)
            for (a, p), (b, r) in itertools.product(law.items(), mass.items()):
                grown[a + b] += p * r / whole
            law = grown
        total = mpmath.mpf(0)
        for s, p in law.items():  # s is the sum of the noises
            y = mpmath.mpf(2 * s * shift + count * shift * shift) / (2 * sigma**2)
            if y > epsilon:
                total += p * (1 - mpmath.exp(epsilon - y))
        return total


def test_discrete_gaussian_noise_by_definition() -> None:
    for sigma, most, count, epsilon in ((2, 1, 3, 1.0), (3, 2, 2, 2.5)):
        plan = count * DiscreteGaussian(sigma=sigma, most=most)
        truth = discrete_gaussian_delta(sigma, most, count, epsilon)
        holds(lattice.delta(plan, epsilon=epsilon), truth, 1e-9)


def test_discrete_laplace_noise_by_definition() -> None:
    """Three losses, or more where a person moves the number by more than one."""
    mechanism = DiscreteLaplace(scale=2, most=3)
    with mpmath.workdps(40):
        a = mpmath.exp(mpmath.mpf(-1) / 2)
        noise = {x: (1 - a) / (1 + a) * a ** abs(x) for x in range(-150, 151)}
        for epsilon in (0.3, 2.2, 2.9):
            total, by_loss = mpmath.mpf(0), defaultdict(mpmath.mpf)
            for x, mass in noise.items():
                by_loss[abs(x + 3) - abs(x)] += mass
            for (j, p), (k, r) in itertools.product(by_loss.items(), repeat=2):
                total += p * r * max(0, 1 - mpmath.exp(epsilon - mpmath.mpf(j + k) / 2))
            holds(lattice.delta(2 * mechanism, epsilon=epsilon), total, 1e-9)


def test_laplace_noise_on_samples_in_closed_form() -> None:
    """The mixture's loss crosses ε where the base's crosses another, in either direction."""
    q, step = 0.3, PoissonSubsampled(Laplace(scale=2), sampling_probability="0.3")
    for epsilon in ("0.05", "0.12"):
        x = math.exp(float(epsilon))
        p, absent = _laplace_above(2, math.log1p((x - 1) / q))
        removed = (1 - q) * absent + q * p - x * absent
        p, absent = _laplace_above(2, -math.log1p((1 / x - 1) / q))
        added = p - x * ((1 - q) * p + q * absent)
        for way, truth in ((Direction.REMOVE, removed), (Direction.ADD, added)):
            found = lattice.delta(step, epsilon=epsilon, direction=way)
            assert isinstance(found, Enclosure)
            assert found.lower - 1e-15 <= truth <= found.upper + 1e-15
            assert found.upper - found.lower <= 1e-3 * found.upper


def test_densities_by_their_integral() -> None:
    """1 + s(x − ½) against 1 − s(x − ½) on [0, 1], once: the integral is a polynomial."""
    mine = FromDensities(
        label="slopes",
        present=lambda x: 0.75 + arb(0.5) * x,
        absent=lambda x: 1.25 - arb(0.5) * x,
        low=0,
        high=1,
    )
    for epsilon in ("0.1", "0.4"):
        with mpmath.workdps(30):
            e = mpmath.exp(mpmath.mpf(epsilon))
            level, slope = 0.75 - 1.25 * e, 0.5 + 0.5 * e
            turn = -level / slope
            truth = level * (1 - turn) + slope * (1 - turn**2) / 2
        holds(lattice.delta(mine, epsilon=epsilon), truth, 1e-3)
    with pytest.raises(NoProof, match="functions"):
        lattice.epsilon(mine, delta=0)


def test_what_densities_lack_is_infinite() -> None:
    short = FromDensities(
        label="short",
        present=lambda x: 0 * x + arb("0.9"),
        absent=lambda x: 0 * x + 1,
        low=0,
        high=1,
    )
    found = lattice.delta(short, epsilon=1, direction=Direction.REMOVE)
    assert found.lower == pytest.approx(0.1)
    with pytest.raises(bursar.InvalidParameter, match="at most 1"):
        lattice.delta(
            FromDensities(
                label="more",
                present=lambda x: 0 * x + arb("1.1"),
                absent=lambda x: 0 * x + 1,
                low=0,
                high=1,
            ),
            epsilon=1,
        )


def test_both_laws_keep_their_sides() -> None:
    """At every multiple of the step, for one step: upper at or above the profile, lower below."""
    pair = views.pairs(Plan.of(Laplace(scale=3)), Adjacency("add-or-remove-one"), Direction.REMOVE)
    with precision(128):
        law, grid = losses(pair.parts[0][0], -40.0), Lattice(Fraction(1, 31))
        cells = Cells.cut(law, law.cut(100), grid, list(range(-11, 12)))
        for epsilon in (-0.2, 0.0, 0.1, 0.25, 0.33):
            truth = _laplace_delta(3, epsilon)
            for found, sign in (
                (lattice_law.upper(cells, grid), 1),
                (lattice_law.lower(cells, grid, 5.0), -1),
            ):
                delta = sum(
                    (
                        mass * (1 - (epsilon - place * grid.width).exp())
                        for place, mass in zip(found.places, found.masses, strict=True)
                        if place * grid.width > epsilon
                    ),
                    arb(0),
                )
                assert sign * (float(delta) - truth) >= -1e-15
                assert abs(float(delta) - truth) <= 4e-3


def _laplace_delta(scale: float, epsilon: float) -> float:
    p, q = _laplace_above(scale, epsilon)
    return max(p - math.exp(epsilon) * q, 0.0)


def _laplace_above(scale: float, epsilon: float) -> tuple[float, float]:
    """P(Y > ε) and Q(Y > ε) for |ε| < 1/b: Y > ε is t > (bε + 1)/2."""
    t = (scale * epsilon + 1) / 2
    return 1 - math.exp((t - 1) / scale) / 2, math.exp(-t / scale) / 2


@pytest.mark.parametrize("size", [1, 2, 64, 4096])
def test_the_transform_is_within_its_bound(size: int) -> None:
    random = np.random.default_rng(size)
    x = random.random(size) + 1j * random.random(size)
    wide = fourier.norm_up(x) * math.sqrt(size) * fourier.growth(size)
    error = np.linalg.norm(fourier.transform(x) - np.fft.fft(x))
    assert error <= 2 * wide + 1e-15 * math.sqrt(size) * np.linalg.norm(x)


def test_powers_of_a_ball() -> None:
    with precision(128):
        base = (-arb("0.001")).exp()
        found = fourier.powers(base, 3000)
        truth = np.array([float(base**j) for j in range(3000)])
    assert np.all(np.abs(found - truth) <= 4 * fourier.UNIT * truth)


def test_a_width_is_reached_or_the_best_is_given() -> None:
    pairs = views.pairs(
        Plan.of(100 * Laplace(scale=10)), Adjacency("add-or-remove-one"), Direction.REMOVE
    )
    with precision(128):
        coarse, fine = (
            LatticeProfile(pairs, aim=aim).epsilon_at(arb("1e-5")) for aim in (1e-2, 1e-4)
        )
    assert coarse.high is not None
    assert fine.high is not None
    assert float(fine.high - fine.low) <= 1e-4 * float(fine.high)
    assert coarse.low <= fine.high
    assert fine.low <= coarse.high
    assert fine.high <= coarse.high


def test_the_bill_has_a_line_for_each_error() -> None:
    found = lattice.epsilon(10 * Laplace(scale=4) + Gaussian(noise_multiplier=3), delta="1e-6")
    assert [line.name for line in found.about.bill] == ["round-off", "window", "lattice"]
    assert all(0 <= line.bound < 0.1 for line in found.about.bill)
    assert found.about.method == "lattice"


def test_what_is_infinite_and_what_ends() -> None:
    plan = 20 * ApproximateDP(epsilon="0.1", delta="1e-9") + 4 * Laplace(scale=10)
    assert lattice.epsilon(plan, delta="1e-9").upper == math.inf
    assert lattice.epsilon(plan, delta="1e-9").about.reason is not None
    found = lattice.epsilon(plan, delta="1e-6")
    assert isinstance(found, Enclosure)
    assert 1.99 < found.lower < found.upper < 2.0
    assert lattice.epsilon(2 * DiscreteLaplace(scale=4, most=3), delta=0).upper == 1.5
    assert lattice.delta(2 * DiscreteLaplace(scale=4, most=3), epsilon="1.5").upper == 0.0
    assert lattice.epsilon(2 * DiscreteGaussian(sigma=4), delta=0).upper == math.inf
    assert lattice.epsilon(plan, delta="0.9").upper == 0.0
    assert lattice.epsilon(plan, delta=1).upper == 0.0


def test_a_delta_far_below_the_last_atom() -> None:
    """ε is a hair under the largest loss, and nothing is lost beyond it."""
    for plan in (
        20 * Laplace(scale=20),
        20 * PoissonSubsampled(Laplace(scale=5), sampling_probability="0.05"),
    ):
        found, most = lattice.epsilon(plan, delta="1e-40"), lattice.epsilon(plan, delta=0)
        assert found.upper <= most.upper
        assert found.upper == pytest.approx(most.upper)


def test_the_choice_takes_the_lattice_where_contours_cannot() -> None:
    mixed = 20 * ApproximateDP(epsilon="0.1", delta="1e-9") + 4 * Laplace(scale=10)
    for plan, relation in (
        (mixed, "add-or-remove-one"),
        (10 * DiscreteGaussian(sigma=4), "zero-out"),
        (10 * Table(present=["0.6", "0.4"], absent=["0.4", "0.6"]), "replace-one"),
        (5 * RandomizedResponse(epsilon=1) + 2 * Laplace(scale=7), "replace-one"),
    ):
        found = bursar.epsilon(plan, delta="1e-6", adjacency=relation)
        assert isinstance(found, Enclosure)
        assert found.upper - found.lower <= 1e-3 * found.upper


def test_what_is_no_more_than_an_upper_bound() -> None:
    one, other = Gaussian(noise_multiplier=8), Laplace(scale=20)
    found = lattice.epsilon(20 * bursar.parallel(one, other), delta="1e-6")
    assert isinstance(found, UpperBound)
    alone = [lattice.epsilon(20 * branch, delta="1e-6") for branch in (one, other)]
    assert found.upper >= max(branch.upper for branch in alone) * (1 - 1e-4)
    assert found.upper <= lattice.epsilon(20 * one + 20 * other, delta="1e-6").upper


def test_refusals() -> None:
    with pytest.raises(NoProof, match="no pair view"):
        lattice.epsilon(ZeroConcentratedDP(rho=1), delta="1e-5")
    with pytest.raises(LimitReached, match="float64"):
        lattice.epsilon(10**400 * Gaussian(noise_multiplier=2), delta="1e-5")
    with pytest.raises(LimitReached, match="too many"):
        lattice.epsilon(10**14 * Gaussian(noise_multiplier="1e9"), delta="1e-5")
    with pytest.raises(LimitReached, match="whole numbers"):
        lattice.epsilon(DiscreteGaussian(sigma=10**6), delta="1e-5")


def test_a_pair_that_is_silent_costs_nothing() -> None:
    silent = Composition(((TablePair(((bursar.Exact.of("0.5"),) * 2,) * 2), 3),))
    with precision(128):
        assert LatticeProfile(silent).delta_at(arb(0)).upper() < 1e-9
