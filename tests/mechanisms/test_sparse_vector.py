"""Sparse vector: the bounds of each form, which one is taken, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import bursar
from bursar import Adjacency, Gaussian, InvalidParameter, LaplaceSparseVector, SparseVector
from bursar.exact import Exact
from bursar.mechanisms.sparse_vector import LAWS
from bursar.privacy.screen_curve import Form, log_outcomes

ADD, REPLACE, ZERO = Adjacency.ADD_OR_REMOVE_ONE, Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT
ROOT3 = Exact(Fraction(math.sqrt(3)))


def curve(s1, s2, threshold, length, **more):
    return SparseVector(
        threshold_noise=s1, query_noise=s2, highest_threshold=threshold, length=length, **more
    ).rdp(ADD)


# (σ₁, σ₂, T, k), order: forms (1), (2') without and with the cap.  From a quadrature of its own.
GOLDEN = [
    ((10, 20, 20, 200), 2, 5.3233, 2.5444, 2.4970),
    ((10, 20, 20, 200), 8, 0.8376, 0.5354, 0.5144),
    ((10, 20, 20, 200), 16, 0.5136, 0.4420, 0.4110),
    ((5, 5 * ROOT3, 10, 100), 8, 1.0326, 1.1713, 0.9262),
    ((1, 2, 0, 20), "1.5", 7.5890, 5.2459, 4.8668),
]


@pytest.mark.parametrize(("law", "order", "length", "uncapped", "capped"), GOLDEN)
def test_golden_numbers(law, order, length, uncapped, capped) -> None:
    order, law = Exact.of(order), [Exact(value) for value in law[:3]] + [law[3]]
    found = curve(*law)
    assert float(found.form(Form.LENGTH, order)) == pytest.approx(length, abs=6e-5)
    assert float(found.form(Form.STOPPING, order)) == pytest.approx(capped, abs=6e-5)
    endless = curve(*law[:3], None)
    assert float(endless.form(Form.STOPPING, order)) == pytest.approx(uncapped, abs=6e-5)


def test_the_smallest_bound_is_taken_and_named() -> None:
    found = curve(10, 20, 20, 200)
    assert found.best(Exact(20)).form is Form.BOTH
    for order in (2, 8, 40, 300):
        best = found.best(Exact(order))
        assert best.at >= order
        others = [float(found.form(form, Exact(order))) for form in found.forms]
        assert float(best.value) <= min(others) * (1 + 1e-15)
    laplace = LaplaceSparseVector(threshold_noise=10, query_noise=20, cutoff=3).rdp(ADD)
    assert laplace.best(Exact(2)).form is Form.PURE
    assert laplace.best(Exact(200)).form is Form.BOUNDED


def test_a_curve_never_falls_although_its_forms_do() -> None:
    found = curve(10, 20, 20, 10**5)
    values = [found.at(order) for order in (1, "1.1", 2, 5, 20, 60, 500)]
    assert values == sorted(values)
    assert found.at(2) < float(found.form(Form.LENGTH, Exact(2))) / 10


def test_a_top_costs_less_than_its_noise() -> None:
    """`tops` and `both` are below `length` and `stopping`: an event tells less than the noise."""
    for law in ((10, 20, 20, 200), (3, 2, -5, 40), (1, 1, 9, 3)):
        for cutoff in (1, 3):
            for order in ("1.01", 2, 9, 80):
                found, at = curve(*law, cutoff=cutoff), Exact.of(order)
                pairs = [(Form.TOPS, Form.LENGTH)]
                if Form.STOPPING in found.forms:
                    pairs.append((Form.BOTH, Form.STOPPING))
                for less, more in pairs:
                    assert float(found.form(less, at)) < float(found.form(more, at))
    grid = {"threshold_noise": 10, "query_noise": 20, "length": 9}
    assert Form.TOPS in SparseVector(**grid, query_law="rounded-gaussian").rdp(ADD).forms
    for law in ("discrete-gaussian", "laplace"):
        assert Form.TOPS not in SparseVector(**grid, query_law=law).rdp(ADD).forms


def test_with_a_cap_stopping_is_never_above_length() -> None:
    for law in ((10, 20, 20, 200), (3, 2, -5, 40), (1, 1, 9, 3)):
        for order in ("1.01", 2, 9, 80):
            found, at = curve(*law), Exact.of(order)
            stopping, length = (found.form(f, at) for f in (Form.STOPPING, Form.LENGTH))
            assert stopping <= length or stopping.overlaps(length)


def test_the_sketch_follows_the_bound() -> None:
    orders = np.array([1.01, 1.7, 6.0, 31.0, 400.0])
    for found in (
        curve(10, 20, 20, 200),
        curve(10, 20, 20, None),
        curve(10, 40, 20, 10**6, cutoff=5),
        LaplaceSparseVector(threshold_noise=10, query_noise=20, cutoff=3).rdp(ADD),
        SparseVector(threshold_noise=3, query_noise=8, query_law="laplace").rdp(ADD),
    ):
        bounds = [found.at(float(order)) for order in orders]
        np.testing.assert_allclose(found.sketch(orders), bounds, rtol=1e-6)


def test_outcomes_are_counted_exactly() -> None:
    """Σ_{j≤c} C(k, j): neither c·C(k, c), which is below it at c = 1, nor (k/c)^c."""
    assert (
        log_outcomes(1, 20).contains(float(np.log(21)))
        or abs(float(log_outcomes(1, 20)) - math.log(21)) < 1e-15
    )
    for cutoff, length in ((3, 10), (10, 10), (7, 400)):
        truth = math.log(sum(math.comb(length, j) for j in range(cutoff + 1)))
        assert float(log_outcomes(cutoff, length)) == pytest.approx(truth, rel=1e-14)
        assert cutoff * math.log(length / cutoff) <= truth
    assert math.log(1 * math.comb(20, 1)) < float(log_outcomes(1, 20))


def test_relations_and_monotone_queries() -> None:
    plain = SparseVector(threshold_noise=10, query_noise=20, length=50)
    monotone = SparseVector(threshold_noise=10, query_noise=20, length=50, monotone=True)
    at = Exact(12)
    extra = math.log(51) / 11
    for screen, relation, rho in (
        (plain, ADD, Fraction(1, 200) + Fraction(4, 800)),
        (plain, ZERO, Fraction(1, 200) + Fraction(4, 800)),
        (plain, REPLACE, Fraction(4, 200) + Fraction(16, 800)),
        (monotone, ADD, Fraction(1, 200) + Fraction(1, 800)),
        (monotone, REPLACE, Fraction(1, 200) + Fraction(4, 800)),
    ):
        found = float(screen.rdp(relation).form(Form.LENGTH, at))
        assert found == pytest.approx(12 * float(rho) + extra, rel=1e-14)


def test_replacing_is_a_screen_of_twice_the_sensitivity() -> None:
    ours = SparseVector(threshold_noise=10, query_noise=20, length=50, highest_threshold=8)
    half = SparseVector(threshold_noise=5, query_noise=10, length=50, highest_threshold=4)
    assert ours.rdp(REPLACE) == half.rdp(ADD)


def test_the_classical_screen() -> None:
    screen = LaplaceSparseVector(threshold_noise=10, query_noise=20, cutoff=3)
    assert screen.pure(ADD) == Fraction(1, 10) + Fraction(6, 20)
    assert screen.pure(REPLACE) == 2 * screen.pure(ADD)
    assert LaplaceSparseVector(threshold_noise=10, query_noise=20, cutoff=3, monotone=True).pure(
        ADD
    ) == Fraction(1, 10) + Fraction(3, 20)
    assert float(bursar.epsilon(screen, delta=0)) == pytest.approx(0.4)
    assert float(bursar.epsilon(screen, delta="1e-5")) <= 0.4
    assert screen.rdp(ADD).at(2) < 0.4**2 < 0.4


@pytest.mark.parametrize("law", LAWS)
def test_every_law_has_a_curve_for_whole_shifts(law: str) -> None:
    screen = SparseVector(
        threshold_noise=10, query_noise=20, threshold_law=law, query_law=law, length=50
    )
    assert 0 < screen.rdp(ADD).at(4) < screen.rdp(REPLACE).at(4)


def test_discrete_laplace_costs_what_its_law_does() -> None:
    """Exact Rényi divergence of the two-sided geometric law, moved by a whole sensitivity."""
    t, shift = 6.0, 2
    x = np.arange(-90, 91)
    p, q = np.exp(-np.abs(x) / t), np.exp(-np.abs(x - shift) / t)
    p, q = p / p.sum(), q / q.sum()
    for order in (1.5, 3.0, 20.0):
        truth = math.log(np.sum(p**order * q ** (1 - order))) / (order - 1)
        assert truth <= LAWS["discrete-laplace"](Exact(3), 1).at(order)  # scale over sensitivity


GOOD = {"threshold_noise": 10, "query_noise": 20, "length": 50}


@pytest.mark.parametrize(
    ("changes", "field", "hint"),
    [
        ({"threshold_noise": 0}, "threshold_noise", None),
        ({"query_noise": "nan"}, "query_noise", None),
        ({"query_noise": True}, "query_noise", None),
        ({"threshold_law": "gauss"}, "threshold_law", "gaussian"),
        ({"query_law": "uniform"}, "query_law", None),
        ({"cutoff": 0}, "cutoff", None),
        ({"cutoff": 2.0}, "cutoff", None),
        ({"cutoff": 51}, "cutoff", "raise the length"),
        ({"length": 0}, "length", None),
        ({"length": 1e5}, "length", None),
        ({"length": None}, "length", "Give a length"),
        ({"length": None, "query_law": "rounded-gaussian"}, "length", "Give a length"),
        ({"monotone": 1}, "monotone", None),
        ({"highest_threshold": math.inf}, "highest_threshold", None),
        ({"highest_threshold": 5, "query_law": "laplace"}, "highest_threshold", "Leave it out"),
        ({"highest_threshold": 5, "threshold_law": "rounded-gaussian"}, "highest_threshold", None),
        (
            {"highest_threshold": 5, "length": None, "query_noise": 10},
            "query_noise",
            "lower threshold_noise",
        ),
        (
            {"highest_threshold": 5, "length": None, "cutoff": 4},
            "query_noise",
            "give a length",
        ),
    ],
)
def test_what_no_theorem_bounds_is_refused(changes, field, hint) -> None:
    with pytest.raises(InvalidParameter) as caught:
        SparseVector(**GOOD | changes)
    assert caught.value.field == field
    assert hint is None or hint in str(caught.value.hint)


def test_orders_below_one_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="1 or above"):
        SparseVector(**GOOD).rdp(ADD).at("0.5")


def test_it_is_a_value_that_says_what_is_not_default() -> None:
    screen = SparseVector(**GOOD)
    assert repr(screen) == "SparseVector(threshold_noise=10, query_noise=20, length=50)"
    assert screen.canonical() == {
        "mechanism": "sparse-vector", "threshold_noise": "10", "query_noise": "20", "length": 50
    }  # fmt: skip
    assert screen == SparseVector(**GOOD | {"query_noise": "20.0"})
    assert len({screen, SparseVector(**GOOD), SparseVector(**GOOD, cutoff=2)}) == 2


def test_restarts_are_a_plan() -> None:
    one = SparseVector(**GOOD)
    whole = bursar.epsilon(3 * one, delta="1e-6")
    assert float(bursar.epsilon(one, delta="1e-6")) < float(whole)
    mixed = bursar.epsilon(3 * one + Gaussian(noise_multiplier=5), delta="1e-6")
    assert float(mixed) > float(whole)
