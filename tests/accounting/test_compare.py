"""Comparison: one entry for each accountant, rounded so that it stays true."""

from __future__ import annotations

import json
import re

import pytest

import bursar
from bursar import Enclosure, Estimate, Gaussian, PoissonSubsampled, RandomizedResponse, UpperBound
from bursar.accounting.accountants import ACCOUNTANTS
from bursar.accounting.compare import Comparison
from bursar.truth import Refusal

RUN = 1000 * PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.001")


@pytest.fixture(scope="module")
def found() -> Comparison:
    """Everybody's answer about one run."""
    return bursar.compare(RUN, delta="1e-5")


def test_each_accountant_has_an_entry(found: Comparison) -> None:
    assert [entry.about.method for entry in found if not isinstance(entry, Refusal)] == [
        accountant.name for accountant in ACCOUNTANTS
    ]
    exact, lattice, rdp, *guesses = found
    assert exact == bursar.epsilon(RUN, delta="1e-5")
    assert isinstance(exact, Enclosure)
    assert isinstance(lattice, Enclosure)
    assert lattice.lower <= exact.upper <= lattice.upper
    assert isinstance(rdp, UpperBound)
    assert exact.upper < rdp.upper
    assert all(isinstance(guess, Estimate) for guess in guesses)


def test_who_refuses_says_why() -> None:
    found = bursar.compare(
        5 * RandomizedResponse(epsilon=1), delta="1e-5", adjacency="replace-one"
    ).to_json()
    answered = [one for one in found["accountants"] if "refused" not in one]
    assert [one["method"] for one in answered] == ["closed-form", "lattice", "rdp", "gdp"]
    for one in found["accountants"][3:-1]:
        assert set(one) == {"method", "refused"}
        assert "atoms" in one["refused"].lower()
    limits = bursar.compare(10**400 * RUN, delta="1e-5")
    assert limits.entries[0] == Refusal(
        "exact", "a number of this plan is beyond what float64 can hold"
    )


def test_json_is_the_contract_s(found: Comparison) -> None:
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert set(told) == {"accountants"}
    first = told["accountants"][0]
    assert first["kind"] == "enclosure"
    assert first["method"] == "exact"
    assert first["delta"] == "1e-5"
    assert first["adjacency"] == "add-or-remove-one"
    assert first["direction"] == "remove"
    assert set(first["epsilon"]) == {"lower", "upper"}
    deep = bursar.compare(Gaussian(noise_multiplier=1), log_delta=-1000.5).to_json()["accountants"]
    assert {one["log_delta"] for one in deep if "refused" not in one} == {"-1000.5"}


def test_the_table_stays_true(found: Comparison) -> None:
    lines = str(found).splitlines()
    assert len(lines) == len(ACCOUNTANTS)
    exact, _, rdp, *_ = found
    assert isinstance(exact, Enclosure)
    assert isinstance(rdp, UpperBound)
    low, high = (float(text) for text in re.findall(r"[≥≤] ([\d.]+)", lines[0]))
    assert low <= exact.lower < exact.upper <= high
    assert float(lines[2].split("≤")[1]) >= rdp.upper
    assert all("no proof" in line for line in lines[3:])
    starts = {re.search(r"ε", line).start() for line in lines}  # type: ignore[union-attr]
    assert len(starts) == 1


def test_html_is_escaped() -> None:
    found = Comparison((Refusal("<b>", "a & b"),))
    assert "&lt;b&gt;" in found._repr_html_()
    assert "a &amp; b" in found._repr_html_()
