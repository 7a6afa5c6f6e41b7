"""Attacks, witnesses and directions where only the lattice answers: against tests by definition."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

from bursar import (
    Adjacency,
    DiscreteGaussian,
    Enclosure,
    FromDensities,
    Gaussian,
    Laplace,
    Plan,
    PoissonSubsampled,
    RandomizedResponse,
    Table,
    UpperBound,
)
from bursar.accounting import enclosing, lattice, risk
from bursar.accounting.curve import profile
from bursar.accounting.witness import refute
from bursar.adjacency import Direction
from bursar.reports.explanation import explain
from tests.roads import best_test
from tests.roads.best_test import Law, together
from tests.sweeps import quick_first

TABLE = Table(present=["0.6", "0.3", "0.1"], absent=["0.6", "0.4", "0"])
ROWS: Law = np.array([0.6, 0.3, 0.1]), np.array([0.6, 0.4, 0.0])
ANSWER: Law = np.array([0.6, 0.4]), np.array([0.4, 0.6])
UNEVEN = Table(present=["0.5", "0.3", "0.15", "0.05"], absent=["0.2", "0.35", "0.05", "0.4"])
OUTPUTS: Law = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.2, 0.35, 0.05, 0.4])
CASES: dict[str, tuple[Plan, Law, Adjacency, float]] = {  # what cutting into cells may lose
    "two scales": (
        Laplace(scale=2) + Laplace(scale=3),
        together(best_test.laplace(2, 700), best_test.laplace(3, 700)),
        Adjacency.ADD_OR_REMOVE_ONE,
        1e-5,
    ),
    "sampled Laplace beside normal noise": (
        PoissonSubsampled(Laplace(scale="0.5"), sampling_probability="0.3")
        + Gaussian(noise_multiplier=2),
        together(
            best_test.sampled(best_test.laplace(0.5, 500), 0.3), best_test.gaussian(2.0, 1500)
        ),
        Adjacency.ADD_OR_REMOVE_ONE,
        1e-4,
    ),
    "a table": (4 * TABLE, together(*[ROWS] * 4), Adjacency.ADD_OR_REMOVE_ONE, 1e-12),
    "an uneven table": (4 * UNEVEN, together(*[OUTPUTS] * 4), Adjacency.ADD_OR_REMOVE_ONE, 1e-12),
    "corners": (
        Plan.of(
            Table(present=["5/18", "4/9", "5/18", 0], absent=["20/29", "4/29", "4/29", "1/29"])
        ),
        (np.array([5, 8, 5, 0]) / 18, np.array([20, 4, 4, 1]) / 29),
        Adjacency.ADD_OR_REMOVE_ONE,
        1e-12,
    ),
    "discrete noise": (
        3 * DiscreteGaussian(sigma=3),
        together(*[best_test.discrete_gaussian(3)] * 3),
        Adjacency.ADD_OR_REMOVE_ONE,
        1e-12,
    ),
    "an answer beside Laplace": (
        2 * RandomizedResponse(epsilon="0.405465108108164381978013115464349137") + Laplace(scale=4),
        together(ANSWER, ANSWER, best_test.laplace(2, 2000)),
        Adjacency.REPLACE_ONE,
        1e-6,
    ),
}


def plan(name: str) -> Plan:
    """The plan of a case."""
    return Plan.of(CASES[name][0])


FIRST = [
    ("an uneven table", "0.1"),
    ("corners", "0.1"),
    ("discrete noise", "0.1"),
    ("two scales", "0.97"),
]
REST = [(name, rate) for name in CASES for rate in ("0.001", "0.1", "0.5", "0.97")]


@pytest.mark.parametrize(("name", "rate"), quick_first([*FIRST, *REST], len(FIRST)))
def test_the_best_test_is_enclosed(name: str, rate: str) -> None:
    _, (p, q), relation, lost = CASES[name]
    found = risk.true_positive_rate(plan(name), false_positive_rate=rate, adjacency=relation)
    truth = max(best_test.power(law, float(rate)) for law in ((p, q), (q, p)))
    assert isinstance(found, Enclosure)
    assert found.about.method == "lattice"
    assert found.lower <= truth * (1 + lost)
    assert truth <= found.upper * (1 + 1e-12)
    assert found.upper - found.lower <= 3e-3 * found.upper


def test_which_of_both_directions_is_worse() -> None:
    """At small rates an output that gives the person away decides, at large ones its absence."""
    both = [
        risk.true_positive_rate(4 * TABLE, false_positive_rate=rate) for rate in ("0.001", "0.6")
    ]
    p, q = CASES["a table"][1]
    better = [
        "remove" if best_test.power((p, q), rate) > best_test.power((q, p), rate) else "add"
        for rate in (0.001, 0.6)
    ]
    assert [one.about.direction for one in both] == better == ["remove", "add"]


def test_what_never_happens_without_the_person_needs_no_guess() -> None:
    """Whoever calls all but the outputs that only Q has is never wrong of P."""
    found = risk.true_positive_rate(4 * TABLE, false_positive_rate="0.6561")
    assert (found.upper, found.about.direction) == (1.0, "add")
    assert isinstance(found, Enclosure)
    assert found.lower == pytest.approx(1, rel=1e-3)
    assert risk.true_positive_rate(4 * TABLE, false_positive_rate="0.65").upper < 1


def test_where_even_the_lattice_has_a_limit_there_is_a_bound() -> None:
    """More steps than it takes: the Rényi curve answers, as for plans without pairs."""
    plain = Table(present=["0.5000001", "0.4999999"], absent=["0.5", "0.5"])
    found = risk.true_positive_rate(2 * 10**12 * plain, false_positive_rate="0.1")
    assert isinstance(found, UpperBound)
    assert 0.1 < found.upper < 1


def test_at_rate_0_only_what_gives_the_person_away_counts() -> None:
    found = risk.true_positive_rate(4 * TABLE, false_positive_rate=0)
    assert found.values() == {
        "lower": pytest.approx(1 - 0.9**4),
        "upper": pytest.approx(1 - 0.9**4),
    }
    turned = Table(present=TABLE.absent, absent=TABLE.present)
    assert risk.true_positive_rate(4 * turned, false_positive_rate=0).upper == found.upper


@pytest.mark.slow
def test_what_densities_leave_out_is_not_called_impossible() -> None:
    """A tenth of the mass is nowhere: it counts as if it gave the person away."""
    lacking = FromDensities(
        label="lacking",
        present=lambda t: 0 * t + 1,
        absent=lambda t: 0 * t + arb("0.9"),
        low=0,
        high=1,
    )
    found = risk.true_positive_rate(lacking, false_positive_rate=0)
    assert isinstance(found, Enclosure)
    assert (found.lower, found.upper) == (0, pytest.approx(0.1))


@pytest.mark.parametrize("name", quick_first([*reversed(CASES)], 2))
def test_an_event_has_its_probabilities(name: str) -> None:
    _, (p, q), relation, lost = CASES[name]
    witness = refute(plan(name), epsilon="0.3", delta="1e-9", adjacency=relation)
    assert witness is not None
    law = (p, q) if witness.direction is Direction.REMOVE else (q, p)
    with_person, without = best_test.event(law, 0.3)
    gain = with_person - np.exp(0.3) * without
    assert witness.gain.lower <= gain * (1 + lost)
    assert gain <= witness.gain.upper * (1 + 1e-12)
    near = max(1e-12, 100 * lost)
    for told, truth in ((witness.with_person, with_person), (witness.without, without)):
        assert told.lower - near <= truth <= told.upper + near
        assert told.upper - told.lower <= 0.15 * told.upper + 1e-30


@pytest.mark.parametrize("name", ["a table", "an uneven table", "discrete noise"])
def test_a_claim_is_refuted_only_where_it_is_false(name: str) -> None:
    """Outputs that can be listed: δ is known to the last digits."""
    _, (p, q), relation, _ = CASES[name]
    truth = max(float(np.maximum(a - b * np.exp(0.3), 0).sum()) for a, b in ((p, q), (q, p)))
    assert refute(plan(name), epsilon="0.3", delta=truth * (1 + 1e-9), adjacency=relation) is None
    assert refute(plan(name), epsilon="0.3", delta=truth * 0.999, adjacency=relation) is not None


def test_both_directions_are_explained_with_each_error() -> None:
    found = explain(plan("an uneven table"), delta="0.2")
    assert found.result.about.method == "lattice"
    for way, told in ((Direction.REMOVE, found.remove), (Direction.ADD, found.add)):
        alone = lattice.epsilon(found.plan, delta="0.2", direction=way)
        assert told is not None
        assert told.values() == alone.values()
    labels = [label for label, _ in found.rows()]
    assert labels.count("error") == len(found.result.about.bill) == 3
    assert ("removing" in labels) is ("adding" in labels) is True
    assert "event S" in labels


def test_a_curve_has_both_directions() -> None:
    run = plan("a table")
    for point in profile(run, epsilons=["0.1", 1]):
        for way, told in ((Direction.REMOVE, point.remove), (Direction.ADD, point.add)):
            assert told is not None
            alone = lattice.delta(run, epsilon=point.given, direction=way)
            assert told.values() == alone.values()
        assert point.worst.upper == max(point.remove.upper, point.add.upper)  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["0.001", "0.3", "0.9"])
def test_both_roads_enclose_the_same_power(rate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contours and lattices share no integral."""
    run = 300 * PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.01")
    one = risk.true_positive_rate(run, false_positive_rate=rate)
    monkeypatch.setattr(enclosing, "profile", lattice.profile)
    other = risk.true_positive_rate(run, false_positive_rate=rate)
    assert (one.about.method, other.about.method) == ("exact", "lattice")
    assert isinstance(one, Enclosure)
    assert isinstance(other, Enclosure)
    assert one.lower <= other.upper
    assert other.lower <= one.upper
    assert other.upper - other.lower <= 3e-3 * other.upper
