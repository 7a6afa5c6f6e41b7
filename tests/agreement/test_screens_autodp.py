"""autodp's formulas for screens: counter-examples to each, kept; ours hold at the same points.

They account and run nothing.  A formula that is below what an explicit pair of neighbours loses, or
below its own theorem as it is proved, is no bound.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from bursar import Adjacency, LaplaceSparseVector, SparseVector
from bursar.exact import Exact
from bursar.privacy.screen_curve import Form, log_outcomes
from bursar.screening import stagewise_epsilon
from tests.screening.transcripts import law, nodes_normal, normal

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore"),  # theirs
]
ADD = Adjacency.ADD_OR_REMOVE_ONE


def bank():
    return pytest.importorskip("autodp.rdp_bank")


def test_outcomes_are_undercounted() -> None:
    """c·log(k/c) for log Σ_{j≤c} C(k, j): it is 0 where c = k, though there are 2^k outcomes.

    Their noises are σ and 2σ, so that the two formulas differ in the count of outcomes alone.
    """
    theirs = bank().RDP_gaussian_svt_cgreater1
    for sigma, cutoff, length, order in ((20.0, 10, 10, 1.5), (30.0, 3, 40, 2.0)):
        noises = {"threshold_noise": Exact.of(sigma), "query_noise": Exact.of(2 * sigma)}
        ours = SparseVector(**noises, cutoff=cutoff, length=length).rdp(ADD)
        missing = float(log_outcomes(cutoff, length)) - cutoff * math.log(length / cutoff)
        assert missing > 1.5
        right = float(ours.form(Form.LENGTH, Exact.of(order)))
        found = theirs({"sigma": sigma, "c": cutoff, "k": length}, order)
        assert right - found == pytest.approx(missing / (order - 1), rel=1e-9)


def test_one_length_is_one_outcome_too_few() -> None:
    """log k for log(1+k): with k = 1 nothing is added, though there are two outcomes."""
    theirs = bank().RDP_gaussian_svt_c1
    at = {"sigma": 3.0, "sigma2": 4.0, "k": 20}
    for order in (2.0, 9.0):
        rho_and_nu = order / 9 + 2 * order / 16
        assert theirs(at, order) - rho_and_nu == pytest.approx(math.log(20) / (order - 1))


def test_the_moment_of_the_stopping_time_is_below_the_right_one() -> None:
    """Prop. 10's closed form at T = 0 beside the quadrature: 2.475092 < 2.562204."""
    theirs = bank().RDP_gaussian_svt_c1
    order, root = 2.0, math.sqrt(3)
    value = theirs({"sigma": 1.0, "sigma2": root, "margin": 0.0}, order)
    moment = 2 * (order - 1) * (value - order - 2 * order / 3)
    assert moment == pytest.approx(2.475092, abs=1e-6)
    assert moment < 2.562204


def test_proposition_10_in_use_is_below_all_proved_forms() -> None:
    """σ = (1, 2), T = 0, k = 20, α = 1.5: 4.7251 where the least that is proved is 4.8668."""
    theirs = bank().RDP_gaussian_svt_c1({"sigma": 1.0, "sigma2": 2.0, "margin": 0.0}, 1.5)
    assert theirs == pytest.approx(4.7251, abs=1e-3)
    noises = {"threshold_noise": 1, "query_noise": 2, "length": 20}
    ours = SparseVector(**noises, highest_threshold=0).rdp(ADD)
    assert theirs < float(ours.form(Form.STOPPING, Exact.of("1.5"))) - 0.1


def test_laplace_with_a_length_is_below_its_theorem() -> None:
    """c·log(k/c) again, and every noise the same: with k = c the queries cost nothing extra."""
    theirs = bank().RDP_svt_laplace
    found = theirs({"b": 2.0, "k": 4, "c": 4}, 1.05)
    ours = LaplaceSparseVector(threshold_noise=2, query_noise=4, cutoff=4).rdp(ADD)
    assert found < ours.at("1.05")


def test_a_stage_is_refuted() -> None:
    """√(A·L) for 2√(A·L): (0.9144, 1e-6) is claimed, and these neighbours have δ ≥ 3.4e-5.

    Fifty answers "below" move one way, any of fifty "above" the other way.
    """
    claimed = pytest.importorskip("autodp.dp_bank").get_eps_gaussian_svt
    sigma, length = 5.0, 100
    found = claimed({"sigma": sigma, "k": length, "c": 1, "c_tilde": 1}, 1e-6)
    assert found == pytest.approx(0.914387, abs=1e-6)
    gaps = np.repeat([7.306, 20.618], length // 2)
    moved = gaps + np.repeat([-1.0, 1.0], length // 2)
    p, q = (np.exp(law(x, nodes_normal(sigma), normal(2 * sigma), 1)) for x in (gaps, moved))
    assert p.sum() == pytest.approx(1, abs=1e-9)
    delta = np.maximum(p - math.exp(found) * q, 0).sum()
    assert delta > 3.4e-5
    ours = stagewise_epsilon(
        SparseVector(threshold_noise=5, query_noise=10, length=length), stages=1, delta=delta
    )
    assert float(ours) > found
