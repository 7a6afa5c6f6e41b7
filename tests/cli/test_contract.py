"""What programs read: the objects of --json, field by field, and the kinds of truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bursar.accounting import exact
from bursar.accounting.accountants import ACCOUNTANTS
from bursar.exact import Exact
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from tests.cli.program import AT, ONE, RUN, bursar

SAMPLED = 1000 * PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.001")


def has_the_fields(found: dict[str, Any], *, at: str = "delta", of: str = "epsilon") -> None:
    """The fields of the contract, each of its type."""
    assert isinstance(found[of], dict)
    assert found["kind"] in {"enclosure", "upper-bound", "estimate"}
    assert isinstance(found["method"], str)
    assert isinstance(found[at], str)
    assert found["adjacency"] in {"add-or-remove-one", "replace-one", "zero-out"}
    assert found["direction"] in {"remove", "add", "both"}
    assert found["reason"] is None or isinstance(found["reason"], str)
    assert isinstance(found["seconds"], float)


def test_epsilon_is_an_enclosure() -> None:
    found = bursar("epsilon", *RUN, *AT, "--json").json
    has_the_fields(found)
    truth = exact.epsilon(SAMPLED, delta="1e-5")
    assert found["epsilon"] == {"lower": truth.lower, "upper": truth.upper}
    assert (found["kind"], found["method"]) == ("enclosure", "exact")
    assert (found["delta"], found["direction"]) == ("1e-5", "remove")
    assert found["adjacency"] == "add-or-remove-one"
    assert found["reason"] is None


def test_an_upper_bound_has_no_lower_end() -> None:
    found = bursar("epsilon", *RUN, *AT, "--method", "rdp", "--json").json
    has_the_fields(found)
    assert (found["kind"], found["method"]) == ("upper-bound", "rdp")
    assert set(found["epsilon"]) == {"upper"}


def test_an_estimate_has_a_value_and_no_end() -> None:
    found = bursar("epsilon", *RUN, *AT, "--method", "gdp", "--json").json
    has_the_fields(found)
    assert found["kind"] == "estimate"
    assert set(found["epsilon"]) == {"value"}


@pytest.mark.parametrize("text", ["1e-5", "0.00001", "1/100000", "10e-6"])
def test_a_delta_is_written_one_way(text: str) -> None:
    found = bursar("epsilon", *ONE, "--delta", text, "--json").json
    assert found["delta"] == "1e-5"
    assert found["epsilon"] == bursar("epsilon", *ONE, *AT, "--json").json["epsilon"]


def test_log_delta_stands_in_place_of_delta() -> None:
    found = bursar("epsilon", *ONE, "--log-delta", "-2000", "--json").json
    has_the_fields(found, at="log_delta")
    assert found["log_delta"] == "-2000.0"
    assert "delta" not in found


@pytest.mark.parametrize("text", ["-800.1", "-800.10000000000000001", "-800.09999999999999999"])
def test_log_delta_is_never_taken_for_more_than_it_says(text: str) -> None:
    used = bursar("epsilon", *ONE, "--log-delta", text, "--json").json["log_delta"]
    assert float(used) == pytest.approx(-800.1, rel=1e-14)
    assert Exact.of(used) <= Exact.of(text)


def test_delta_has_the_same_fields() -> None:
    found = bursar("delta", *RUN, "--epsilon", "1.0", "--json").json
    has_the_fields(found, at="epsilon", of="delta")
    assert set(found["delta"]) == {"lower", "upper"}
    assert found["epsilon"] == "1"
    assert found["delta"]["lower"] <= found["delta"]["upper"] < 1e-12


@pytest.mark.parametrize(
    ("arguments", "upper"), [(("--delta", "0"), "inf"), (("--delta", "1"), 0.0)]
)
def test_the_reason_of_nothing_and_of_everything(
    arguments: tuple[str, ...], upper: float | str
) -> None:
    found = bursar("epsilon", *ONE, *arguments, "--json").json
    assert found["epsilon"] == {"lower": upper, "upper": upper}
    assert isinstance(found["reason"], str)


def test_calibrate_has_the_parameter_under_its_name() -> None:
    target = ("--epsilon", "1", *AT)
    noise = bursar("calibrate", *target, "--steps", "100", "--json").json
    has_the_fields(noise)
    assert isinstance(noise["noise_multiplier"], float)
    sigma = repr(noise["noise_multiplier"])
    again = bursar("epsilon", "--noise-multiplier", sigma, "--steps", "100", *AT, "--json").json
    assert again["epsilon"] == noise["epsilon"]
    assert noise["epsilon"]["upper"] <= 1

    solve = (*target, "--noise-multiplier", "2", "--solve")
    steps = bursar("calibrate", *solve, "steps", "--sampling-probability", "0.1", "--json").json
    assert isinstance(steps["steps"], int)
    assert steps["epsilon"]["upper"] <= 1
    often = bursar("calibrate", *solve, "sampling-probability", "--steps", "9", "--json").json
    assert 0 < often["sampling_probability"] < 1
    assert often["epsilon"]["upper"] <= 1


def test_compare_has_every_accountant() -> None:
    entries = bursar("compare", *ONE, *AT, "--json").json["accountants"]
    assert len(entries) == len(ACCOUNTANTS)
    for entry in entries:
        has_the_fields(entry)
    assert [entry["kind"] for entry in entries[:3]] == ["enclosure", "enclosure", "upper-bound"]


def test_compare_says_who_refuses_and_why(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[step]]\nmechanism = "zcdp"\nrho = 0.1')
    entries = bursar("compare", "--plan", str(path), *AT, "--json").json["accountants"]
    assert set(entries[0]) == {"method", "refused"}
    assert "zcdp" in entries[0]["refused"]
    assert any(entry.get("kind") == "upper-bound" for entry in entries)


def test_certify_and_check(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    written = bursar("certify", *RUN, *AT, "--out", str(path), "--json").json
    has_the_fields(written)
    assert written["certificate"] == str(path)
    assert next(iter(written)) == "certificate"

    checked = bursar("check", str(path), "--json").json
    assert set(checked) == {"valid", "epsilon", "delta", "adjacency", "plan", "reason"}
    assert checked["valid"] is True
    assert checked["epsilon"]["upper"] >= written["epsilon"]["lower"]
    assert checked["epsilon"]["upper"] == pytest.approx(written["epsilon"]["upper"], rel=1e-15)
    assert (checked["delta"], checked["adjacency"]) == ("1e-5", "add-or-remove-one")
    assert checked["plan"] == SAMPLED.canonical()
    assert checked["reason"] is None


def test_a_false_certificate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    bursar("certify", *RUN, *AT, "--out", str(path))
    document = json.loads(path.read_text())
    document["claim"]["epsilon"] = "0.1"
    path.write_text(json.dumps(document))

    ended = bursar("check", str(path), "--json")
    verdict = json.loads(ended.err)
    assert ended.code == 1
    assert ended.error["kind"] == "Refused"
    assert ended.error["field"] == "certificate"
    assert verdict["valid"] is False
    assert verdict["epsilon"] is None
    assert isinstance(verdict["reason"], str)
    assert bursar("check", str(path)).code == 1


def test_a_certificate_for_other_neighbours_is_not_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    bursar("certify", *ONE, *AT, "--out", str(path), "--adjacency", "zero-out")
    assert bursar("check", str(path), "--adjacency", "zero-out", "--json").json["valid"] is True
    ended = bursar("check", str(path), "--adjacency", "replace-one", "--json")
    assert (ended.code, ended.error["kind"]) == (2, "NoProof")


@pytest.mark.parametrize("body", ["", "{}", "[1]", "not json", '{"format": "bursar-certificate"}'])
def test_what_is_no_certificate_is_a_bad_request(tmp_path: Path, body: str) -> None:
    path = tmp_path / "proof.json"
    path.write_text(body)
    ended = bursar("check", str(path), "--json")
    assert (ended.code, ended.error["kind"]) == (2, "NotACertificate")


def test_a_flag_overrides_nothing_it_only_names() -> None:
    replaced = bursar("epsilon", *ONE, *AT, "--adjacency", "replace-one", "--json").json
    half = bursar("epsilon", "--noise-multiplier", "1", *AT, "--json").json
    assert replaced["adjacency"] == "replace-one"
    assert replaced["epsilon"] == half["epsilon"]
