"""Explanations and claim cards: every part is there, and none says more than is proved."""

from __future__ import annotations

from typing import get_args

import pytest

from bursar.accounting import exact
from bursar.accounting.accountants import ACCOUNTANTS
from bursar.adjacency import Direction
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.mechanisms.statements import ApproximateDP, ZeroConcentratedDP
from bursar.privacy.pairs import Pair
from bursar.reports.card import claim_card
from bursar.reports.explanation import explain
from bursar.reports.words import DOMINATES
from tests.house.citations import cited, works
from tests.house.tree import ROOT

STEP = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.1")
LAYERS = [
    "Guarantee",
    "What an attacker could do",
    "Algorithm",
    "Whole procedure",
    "Implementation",
    "Trust and security",
    "Data",
]


@pytest.mark.parametrize("pair", get_args(Pair), ids=lambda pair: pair.__name__)
def test_every_pair_says_what_it_rests_on(pair: type) -> None:
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    known = set().union(*works(bibliography).values())
    assert cited(DOMINATES[pair]) <= known


def test_both_directions_stand_there() -> None:
    found = explain(STEP, delta="1e-5")
    assert found.remove == exact.epsilon(STEP, delta="1e-5", direction=Direction.REMOVE)
    assert found.add == exact.epsilon(STEP, delta="1e-5", direction=Direction.ADD)
    labels = [label for label, _ in found.rows()]
    assert labels.index("removing") < labels.index("adding") < labels.index("theorem")
    assert labels.count("error") == len(found.result.about.bill) > 0
    assert "Prop. 30" in str(found)


def test_everybody_else_is_heard() -> None:
    found = explain(ZeroConcentratedDP(rho="0.1"), delta="1e-5")
    assert len(found.others) + 1 == len(ACCOUNTANTS)
    assert found.witness is None
    assert all("cannot" in words for label, words in found.rows() if label == "beside it")
    assert ("1 × zcdp", "its Rényi curve") in found.theorems


def test_a_little_less_is_refuted() -> None:
    found = explain(Gaussian(noise_multiplier=1), delta="1e-5")
    assert found.claim is not None
    assert found.witness is not None
    assert 0.98 * found.result.upper < float(found.claim) < found.result.lower  # type: ignore[union-attr]


def test_a_claim_that_holds_is_not_called_verified() -> None:
    found = explain(Gaussian(noise_multiplier=1), delta="1e-5", claim=9)
    assert found.witness is None
    assert ("not less?", "no event refutes ε = 9, which does not prove it") in found.rows()
    assert "verified" not in str(found)
    assert "verified" not in found._repr_html_()


@pytest.mark.parametrize(
    ("run", "delta", "told"),
    [
        (Gaussian(noise_multiplier=2), "0.5", "total variation"),
        (Gaussian(noise_multiplier=2), 0, "no upper end"),
        (ApproximateDP(epsilon=1, delta="0.1"), "0.01", "infinite privacy loss"),
    ],
)
def test_nothing_and_everything_have_their_reason(run: object, delta: object, told: str) -> None:
    rows = explain(run, delta=delta).rows()  # type: ignore[arg-type]
    assert any(told in words for label, words in rows if label == "because")


def test_a_card_fills_every_layer() -> None:
    card = claim_card(STEP, delta="1e-5")
    assert list(card.layers()) == LAYERS
    assert all(card.layers().values())
    text = card.markdown()
    assert text.count("not covered") >= 7
    assert "independently" in text  # the sampling is an assumption
    assert all(f"## {layer}" in text for layer in LAYERS)
    assert card.to_json()["card"].keys() == dict.fromkeys(LAYERS).keys()
    assert "<ul>" in card._repr_html_()


def test_a_card_rounds_against_the_claim() -> None:
    card = claim_card(Gaussian(noise_multiplier=2), delta="1e-5")
    shown = card.layers()["Guarantee"][0][1].split()[2]
    assert float(shown) >= card.result.upper


def test_a_card_without_sampling_does_not_speak_of_it() -> None:
    assert "sampling" not in dict(
        claim_card(Gaussian(noise_multiplier=2), delta="1e-5").layers()["Algorithm"]
    )


def test_it_says_which_bound_of_a_screen_was_the_smallest() -> None:
    def told(delta: object, screen: Mechanism) -> str:
        return dict(explain(screen, delta=delta).theorems)[f"1 × {screen.name}"]

    noises = {"threshold_noise": 10, "query_noise": 20}
    for form, more in (
        ("tops", {"length": 200}),
        ("length", {"length": 200, "query_law": "discrete-gaussian"}),
        ("release", {"length": 4}),
        ("stopping and tops", {"length": 200, "highest_threshold": 20}),
        ("stopping and tops", {"highest_threshold": 20}),
        ("bounded", {"query_law": "laplace"}),
    ):
        assert told("1e-6", SparseVector(**noises, **more)).startswith(f"{form}, at order ")
    assert told(0, LaplaceSparseVector(**noises)).startswith("randomized response")
