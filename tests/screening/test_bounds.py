"""No bound is below what is lost on any neighbours: random ones, and ones that were searched."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bursar import Adjacency, LaplaceSparseVector, SparseVector
from bursar.exact import Exact
from bursar.privacy.screen_curve import Form
from tests.screening import transcripts
from tests.screening.transcripts import laplace, lattice, law, normal, renyi, worst

ADD = Adjacency.ADD_OR_REMOVE_ONE
ORDERS = (1.5, 6.0, 100.0)


def discrete_normal(sigma: float):
    return lambda n: -((n / sigma) ** 2) / 2


def geometric(scale: float):
    return lambda n: -np.abs(n) / scale


def _rounded(n, sigma):
    a, b = (np.abs(n) - 0.5) / sigma, (np.abs(n) + 0.5) / sigma
    high, low = transcripts.log_ndtr(-a), transcripts.log_ndtr(-b)
    middle = math.log(math.erf(0.5 / sigma / math.sqrt(2)))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n == 0, middle, high + np.log(-np.expm1(low - high)))


def grid_nodes(weights, reach: int):
    z = np.arange(-reach, reach + 1)
    logs = weights(z)
    return z.astype(float), logs - transcripts.logsumexp(logs)


def screens(s1, s2, laws, **more):
    return SparseVector(
        threshold_noise=s1, query_noise=s2, threshold_law=laws[0], query_law=laws[1], **more
    )


PLAIN, LAP = "gaussian", "laplace"
# mechanism, nodes of ρ, law of ν, whether gaps are whole, highest gap
CASES = {
    "normal": (screens(2, 3, (PLAIN, PLAIN), length=5), transcripts.nodes_normal(2), normal(3)),
    "normal, little noise": (
        screens(1, 1, (PLAIN, PLAIN), length=6),
        transcripts.nodes_normal(1),
        normal(1),
    ),
    "normal, three tops": (
        screens(2, 3, (PLAIN, PLAIN), length=5, cutoff=3),
        transcripts.nodes_normal(2),
        normal(3),
    ),
    "normal, monotone": (
        screens(2, 3, (PLAIN, PLAIN), length=5, monotone=True),
        transcripts.nodes_normal(2),
        normal(3),
    ),
    "normal, thresholds at most 1": (
        screens(2, 3, (PLAIN, PLAIN), length=5, highest_threshold=1),
        transcripts.nodes_normal(2),
        normal(3),
    ),
    "normal, thresholds at most 1, two tops, no length": (
        screens(1, 3, (PLAIN, PLAIN), cutoff=2, highest_threshold=1),
        transcripts.nodes_normal(1),
        normal(3),
    ),
    "laplace": (
        LaplaceSparseVector(threshold_noise=2, query_noise=3),
        transcripts.nodes_laplace(2),
        laplace(3),
    ),
    "laplace, two tops, monotone": (
        LaplaceSparseVector(threshold_noise=2, query_noise=3, cutoff=2, monotone=True),
        transcripts.nodes_laplace(2),
        laplace(3),
    ),
    "normal threshold, laplace queries": (
        screens(2, 3, (PLAIN, LAP)),
        transcripts.nodes_normal(2),
        laplace(3),
    ),
    "laplace threshold, normal queries": (
        screens(2, 3, (LAP, PLAIN), length=5),
        transcripts.nodes_laplace(2),
        normal(3),
    ),
    "discrete normal": (
        screens(2, 3, ("discrete-gaussian", "discrete-gaussian"), length=5),
        grid_nodes(discrete_normal(2), 40),
        lattice(discrete_normal(3), 200),
    ),
    "discrete laplace": (
        screens(2, 3, ("discrete-laplace", "discrete-laplace"), cutoff=2),
        grid_nodes(geometric(2), 80),
        lattice(geometric(3), 300),
    ),
    "rounded normal": (
        screens(2, 3, ("rounded-gaussian", "rounded-gaussian"), length=5, cutoff=2),
        grid_nodes(lambda n: _rounded(n, 2), 20),
        lattice(lambda n: _rounded(n, 3), 60),
    ),
}


def moves_of(mechanism) -> tuple[tuple[float, ...], ...]:
    return ((-1.0, 0.0), (0.0, 1.0)) if mechanism.monotone else ((-1.0, 0.0, 1.0),)


def found(name: str, order: float, steps: int, starts: int, seed: int = 5) -> float:
    """The largest divergence over both directions, from random starts and the theory's worst."""
    mechanism, nodes, query = CASES[name]
    many = getattr(mechanism, "length", None) or 5
    highest = getattr(mechanism, "highest_threshold", None)
    whole = "discrete" in name or "rounded" in name
    rng = np.random.default_rng(seed)

    def divergence(gaps, moved):
        if highest is not None:  # the gap of a query of 0 is the largest there is
            gaps, moved = np.minimum(gaps, float(highest)), np.minimum(moved, float(highest))
        p, q = (law(x, nodes, query, mechanism.cutoff) for x in (gaps, moved))
        return max(renyi(p, q, order), renyi(q, p, order))

    best = 0.0
    for moves in moves_of(mechanism):
        for start in range(starts):
            gaps = np.rint(rng.normal(size=many) * rng.choice([2, 6]))
            moved = rng.choice(moves, size=many)
            if start == 0:  # everything moves one way, and the last query the other way
                far = min(order, 60.0)
                gaps, moved = np.full(many, -far), np.full(many, moves[0])
                gaps[-1], moved[-1] = far, moves[-1]
            climbed = worst(divergence, (gaps, moved), rng, steps=steps, whole=whole, moves=moves)
            best = max(best, climbed)
    return best


def above(name: str, order: float, lost: float) -> None:
    curve = CASES[name][0].rdp(ADD)
    at = Exact.of(order)
    for form in curve.forms:
        assert lost <= float(curve.form(form, at)) * (1 + 1e-9), (form, lost)
    assert lost <= float(curve.best(at).value) * (1 + 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_no_form_is_below_random_neighbours(name: str) -> None:
    for order in (2.0, 30.0):
        above(name, order, found(name, order, steps=3, starts=2))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_no_form_is_below_neighbours_that_were_searched(name: str) -> None:
    cheap = CASES[name][0].cutoff == 1
    for order in ORDERS:
        above(name, order, found(name, order, steps=60 if cheap else 15, starts=3))


NEEDED = {  # a mistake in a bound, and where the search finds neighbours above it
    "queries move by one sensitivity": (
        "normal, little noise",
        30.0,
        lambda a: a + math.log(6) / 29,
    ),
    "the threshold does not move": ("laplace", 100.0, lambda a: 2 / 3),
    "all queries move one way": ("normal", 30.0, lambda a: a / 2 * (5 - 25 / 7.25) / 9),
    "monotone: as if none moved": ("normal, monotone", 30.0, lambda a: a / 2 / 13),
    "thresholds cap the loss": (
        "normal, thresholds at most 1, two tops, no length",
        30.0,
        lambda a: a / 2 / 10,
    ),
}


@pytest.mark.parametrize("mistake", NEEDED)
def test_the_search_finds_what_a_mistaken_bound_leaves_out(mistake: str) -> None:
    name, order, bound = NEEDED[mistake]
    assert found(name, order, steps=25, starts=1) > bound(order)


@pytest.mark.parametrize(("s1", "s2"), [(2, 3), (1, 1), (5, 1), (1, 4)])
def test_all_noisy_gaps_cost_what_the_worst_moves_do(s1: int, s2: int) -> None:
    """vᵀΣ⁻¹v over all corners, with Σ inverted by a solver."""
    for length in (1, 2, 3, 6):
        covariance = s2**2 * np.eye(length) + s1**2
        corners = np.array(np.meshgrid(*[[0, 1]] * length)).reshape(length, -1)
        for monotone, moves in ((False, 2 * corners - 1), (True, corners)):
            truth = np.max(np.sum(moves * np.linalg.solve(covariance, moves), axis=0))
            screen = screens(s1, s2, (PLAIN, PLAIN), length=length, monotone=monotone)
            found = float(screen.rdp(ADD).form(Form.RELEASE, Exact(7)))
            assert found == pytest.approx(3.5 * truth, rel=1e-12)


def test_a_screen_of_one_answer_is_one_gaussian() -> None:
    one = screens(3, 4, (PLAIN, PLAIN), length=1).rdp(ADD)
    assert one.best(Exact(9)).form is Form.RELEASE
    assert one.at(9) == pytest.approx(9 / 50, rel=1e-15)
    for adjacency, moved in ((Adjacency.REPLACE_ONE, 4), (Adjacency.ZERO_OUT, 1)):
        other = screens(3, 4, (PLAIN, PLAIN), length=1).rdp(adjacency)
        assert other.at(9) == pytest.approx(9 * moved / 50, rel=1e-15)
