"""Lower ends: enclosures of events by another road, worst moves by enumeration, brackets."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

import bursar
from bursar import Enclosure, Estimate, InvalidParameter, LaplaceSparseVector, SparseVector
from bursar.exact import Exact
from bursar.numerics.balls import precision
from bursar.numerics.screen_event import Kind, enclosed, sketch
from bursar.screening import epsilon_enclosed, worst_neighbours, worst_profile
from tests.screening.transcripts import law, nodes_normal, normal, worst

KINDS = [Kind(0, 1, 1), Kind(3, 2, 1), Kind(5, 1, 0), Kind(40, 60, 2)]


def screen(s1=5, s2=10, **more) -> SparseVector:
    return SparseVector(threshold_noise=s1, query_noise=s2, **more)


@pytest.mark.parametrize(
    ("kind", "s1", "s2"),
    [(KINDS[0], 3, 1), (KINDS[1], "0.5", 8), (KINDS[2], 5, 10), (KINDS[3], 5, 10)],
)
def test_events_are_enclosed(kind: Kind, s1, s2) -> None:
    gaps = Fraction(4), Fraction(21, 2)
    ball = enclosed(Fraction(s1), Fraction(s2), gaps, kind)
    assert ball.rad() < 1e-30
    with mpmath.workdps(22):
        sigma, nu = mpmath.mpf(str(s1)), mpmath.mpf(str(s2))

        def seen(z):
            a, b = (mpmath.ncdf((mpmath.mpf(float(gap)) + z) / nu) for gap in gaps)
            return mpmath.npdf(z, 0, sigma) * a**kind.bottoms * (1 - b**kind.tries) ** kind.tops

        truth = mpmath.nstr(mpmath.quad(seen, mpmath.linspace(-12 * sigma, 12 * sigma, 9)), 22)
    with precision(128):
        assert abs(ball.mid() - arb(truth)) < 1e-18
    near = sketch(float(s1), float(s2), tuple(map(float, gaps)), kind)
    assert near == pytest.approx(float(ball.log()), abs=1e-7)


def test_an_event_is_a_sum_of_transcripts() -> None:
    """Three bottoms, then a top among two: the fourth or the fifth answer is the first top."""
    gaps = np.array([4.0, 4, 4, 10.5, 10.5])
    p = np.exp(law(gaps, nodes_normal(5), normal(10), 1))
    found = enclosed(Fraction(5), Fraction(10), (Fraction(4), Fraction(21, 2)), Kind(3, 2, 1))
    assert float(found) == pytest.approx(p[3] + p[4], rel=1e-9)


def test_nodes_too_far_apart_are_seen_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: a depth of 3 in place of 90: the ball is wide, and still holds the truth."""
    from bursar.numerics import screen_event

    asked = Fraction(5), Fraction(10), (Fraction(4), Fraction(21, 2)), KINDS[3]
    good = enclosed(*asked)
    monkeypatch.setattr(screen_event, "_DEPTH", 3.0)
    bad = enclosed(*asked)
    assert bad.rad() > 1e-3
    assert bad.overlaps(good)
    assert abs(bad.mid() - good.mid()) > 1e-12  # so the error is needed


def test_worst_moves_of_every_event_by_enumeration() -> None:
    """Prop. 10 (a): of all 3^4 moves none makes an event less likely than the one stated."""
    rng = np.random.default_rng(7)
    for _ in range(3):
        gaps = rng.normal(size=4) * 4
        inside = rng.random(5) < 0.5
        least = np.where(inside[:4], 1.0, -1.0)

        def chance(moves, gaps=gaps, inside=inside) -> float:
            p = np.exp(law(gaps + np.array(moves), nodes_normal(2), normal(3), 1))
            return float(p[inside].sum())

        every = [chance(moves) for moves in itertools.product((-1, 0, 1), repeat=4)]
        assert chance(least) <= min(every) + 1e-12


@pytest.mark.slow
def test_no_climb_finds_much_more() -> None:
    """ε refuted at δ = 1e-3 on three answers: random climbs over gaps, moves and any event."""
    one = screen(2, 3, length=3)
    ours = worst_neighbours(one, delta="1e-3").epsilon("1e-3")
    rng = np.random.default_rng(3)

    def refuted(gaps: np.ndarray, moved: np.ndarray) -> float:
        p, q = (np.exp(law(x, nodes_normal(2), normal(3), 1)) for x in (gaps, moved))
        best = 0.0
        for first, second in ((p, q), (q, p)):
            rank = np.argsort(-first / second)
            rest = np.cumsum(first[rank]) - 1e-3
            some = rest > 0
            best = max(best, float(np.log(rest[some] / np.cumsum(second[rank])[some]).max()))
        return best

    found = max(
        worst(refuted, (rng.normal(size=3) * 3, rng.choice([-1.0, 1], 3)), rng, steps=60)
        for _ in range(3)
    )
    assert 0.3 < found < ours * 1.05
    assert ours <= epsilon_enclosed(one, delta="1e-3").upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "least"),
    [
        (screen(length=100), 0.70),
        (screen(length=10**5), 0.80),
        (screen(length=1000, monotone=True), 0.70),
        (screen(length=1000, highest_threshold=10), 0.60),
        (screen(highest_threshold=10), 0.60),
        (screen(length=5000, cutoff=5), 0.60),
    ],
)
def test_the_bounds_are_not_far_from_the_truth(one: SparseVector, least: float) -> None:
    """How loose a bound may be, as it was measured: the lower end is at least this share."""
    found = epsilon_enclosed(one, delta="1e-6")
    assert found.upper == float(bursar.epsilon(one, delta="1e-6"))
    assert least < found.lower / found.upper < 1
    assert found.about.bill[0].bound == found.upper - found.lower


def test_one_answer_is_a_gaussian_exactly() -> None:
    for relation, moved in (("add-or-remove-one", 1), ("replace-one", 2)):
        truth = bursar.epsilon(bursar.Gaussian(noise_multiplier=Exact(5) / moved), delta="1e-6")
        found = epsilon_enclosed(screen(3, 4, length=1), delta="1e-6", adjacency=relation)
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
        assert found.upper - found.lower < 1e-13
    delta = worst_profile(screen(3, 4, length=1), epsilon="0.5")
    assert isinstance(delta, Enclosure)
    assert delta.upper == pytest.approx(
        bursar.delta(bursar.Gaussian(noise_multiplier=5), epsilon="0.5").upper, rel=1e-12
    )


@pytest.mark.slow
def test_the_profile_elsewhere_is_an_estimate_below_the_bound() -> None:
    found = worst_profile(screen(length=100), epsilon="0.5")
    assert isinstance(found, Estimate)
    assert 0 < found.value < bursar.delta(screen(length=100), epsilon="0.5").upper


def test_the_neighbours_are_neighbours() -> None:
    for one, relation, most in (
        (screen(length=50), "replace-one", 2),
        (screen(length=9, monotone=True), "add-or-remove-one", 1),
    ):
        found = worst_neighbours(one, delta="1e-6", adjacency=relation)
        moves = [b - a for a, b in zip(found.here, found.there, strict=True)]
        assert all(abs(move) <= most for move in moves)
        assert not one.monotone or moves in ([-1, 0], [0, 1])
        assert found.kind.bottoms + found.kind.tops * found.kind.tries <= 50
        assert "below" in found.sentence()
    capped = worst_neighbours(screen(length=50, highest_threshold=3), delta="1e-6")
    assert max(*capped.here, *capped.there) <= 3


def test_the_classical_screen_is_exact_at_zero_and_nearly_so_elsewhere() -> None:
    for cutoff, monotone in ((1, False), (4, False), (4, True)):
        one = LaplaceSparseVector(
            threshold_noise=10, query_noise=20, cutoff=cutoff, monotone=monotone
        )
        found = epsilon_enclosed(one, delta=0)
        assert found.upper - found.lower < 1e-15
    one = LaplaceSparseVector(threshold_noise=10, query_noise=20)
    found = epsilon_enclosed(one, delta="1e-6")
    assert 0.95 < found.lower / found.upper < 1


def test_the_limit_of_many_laplace_queries() -> None:
    """Prop. 11 with 1e7 queries and κ = 16: P and the whole of the other side by Simpson's rule."""
    s1, s2, kappa, many = 10.0, 20.0, 16.0, 1e7
    gap = s2 * math.log(many / 2 / kappa)
    z = np.linspace(-400, 900, 20_801)
    weights = np.ones_like(z)
    weights[1:-1:2], weights[2:-1:2] = 4, 2

    def chance(bottoms: float, top: float) -> float:
        u = (z + bottoms) / s2
        logs = np.where(u > 0, np.log1p(-0.5 * np.exp(-np.abs(u))), u - math.log(2))
        t = (z + top) / s2
        above = np.where(t > 0, 0.5 * np.exp(-np.abs(t)), 1 - 0.5 * np.exp(-np.abs(t)))
        inside = np.exp(-np.abs(z) / s1 + many * logs) / (2 * s1) * above
        return float(np.sum(inside * weights) * (z[1] - z[0]) / 3)

    likely, seldom = chance(gap, 0), chance(gap - 1, 1)
    s = 1 + s2 / s1
    stated = 0.25 * s2 / s1 * kappa**-s * float(mpmath.gammainc(s, 0, kappa))
    assert likely == pytest.approx(stated, rel=1e-3)
    assert stated * math.exp(-0.2) * 0.999 < seldom < stated * math.exp(-0.2) + math.exp(-kappa)


def test_bad_input() -> None:
    with pytest.raises(InvalidParameter, match="normal noises"):
        epsilon_enclosed(screen(query_law="laplace"), delta="1e-6")
    with pytest.raises(InvalidParameter, match="SparseVector"):
        worst_neighbours(bursar.Gaussian(noise_multiplier=1), delta="1e-6")  # type: ignore[arg-type]
    for delta in (-1, 2, "nan"):
        with pytest.raises(InvalidParameter):
            worst_neighbours(screen(length=3), delta=delta)
