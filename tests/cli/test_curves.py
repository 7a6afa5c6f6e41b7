"""`profile`, `steps` and `refute`: their fields, their files, and every way to refuse."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from bursar.accounting import exact
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from tests.cli.program import AT, ONE, bursar, on_terminal
from tests.engines import package

MANY = ("--noise-multiplier", "9", "--steps", "12")
STEP = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="0.1")
SAMPLED = ("--noise-multiplier", "1", "--sampling-probability", "0.1")


def test_a_profile_has_both_directions() -> None:
    found = bursar("profile", *SAMPLED, "--epsilons", "0.05:1.5", "--points", "2", "--json").json
    assert found["adjacency"] == "add-or-remove-one"
    first, last = found["profile"]
    truth = exact.delta(STEP, epsilon="0.05")
    assert first["delta"]["upper"] == truth.upper
    assert first["remove"]["upper"] > first["add"]["upper"] > 0
    assert (first["kind"], first["epsilon"], last["epsilon"]) == ("enclosure", "0.05", "1.5")


def test_a_profile_by_delta_is_in_powers_of_ten() -> None:
    found = bursar("profile", *ONE, "--deltas", "1e-8:1e-4", "--points", "3", "--json").json
    assert [point["delta"] for point in found["profile"]] == ["1e-8", "1e-6", "0.0001"]
    uppers = [point["epsilon"]["upper"] for point in found["profile"]]
    assert uppers == sorted(uppers, reverse=True)


def test_csv_has_every_digit() -> None:
    rows = list(csv.reader(StringIO(bursar("profile", *SAMPLED, "--points", "2", "--csv").out)))
    assert rows[0][:3] == ["epsilon", "delta_lower", "delta_upper"]
    body = bursar("profile", *SAMPLED, "--points", "2", "--json").json["profile"]
    assert [float(row[2]) for row in rows[1:]] == [point["delta"]["upper"] for point in body]


def test_the_trade_off_is_the_advantage_at_its_widest() -> None:
    found = bursar("profile", *ONE, "--trade-off", "--points", "11", "--json").json
    rates = [
        (row["false_positive_rate"], row["true_positive_rate"]["upper"])
        for row in found["trade_off"]
    ]
    assert rates[0] == (0.0, 0.0)
    assert rates[-1] == (1.0, 1.0)
    assert max(tpr - fpr for fpr, tpr in rates) == pytest.approx(0.1974, abs=2e-3)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_file_says_what_the_program_says(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"curve.{ending}"
    shown = bursar("profile", *ONE, "--points", "2", "--out", str(path), "--json").json
    assert shown["out"] == str(path)
    text = path.read_text(encoding="utf-8")
    if ending == "json":
        assert json.loads(text)["profile"] == shown["profile"]
    else:
        assert text == bursar("profile", *ONE, "--points", "2", "--csv").out


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("profile", *ONE), ("profile", *ONE, "--trade-off"), ("steps", *MANY, *AT)]
)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures(tmp_path: Path, command: tuple[str, ...], ending: str) -> None:
    package("matplotlib")
    path = tmp_path / f"picture.{ending}"
    assert bursar(*command, "--out", str(path)).code == 0
    body = path.read_bytes()
    assert body.startswith(b"\x89PNG" if ending == "png" else b"<?xml")
    assert len(body) > 2_000


def test_the_steps_are_the_prefixes() -> None:
    found = bursar("steps", *MANY, *AT, "--every", "5", "--json").json["steps"]
    assert [entry["steps"] for entry in found] == [5, 10]
    for entry in found:
        truth = exact.epsilon(entry["steps"] * Gaussian(noise_multiplier=9), delta="1e-5")
        assert entry["epsilon"]["upper"] == pytest.approx(truth.upper, rel=1e-12)


def test_any_step_is_certified_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    asked = ("steps", *MANY, *AT, "--every", "6", "--certify-at", "5", "--certificate", str(path))
    assert bursar(*asked, "--json").json["certificate"] == str(path)
    checked = bursar("check", str(path), "--json").json
    assert checked["plan"] == (5 * Gaussian(noise_multiplier=9)).canonical()


def test_a_false_claim_is_refuted_and_others_are_not() -> None:
    found = bursar("refute", *ONE, *AT, "--epsilon", "1", "--json").json
    assert found["refuted"] is True
    assert found["gain"]["lower"] > 1e-5
    ended = bursar("refute", *ONE, *AT, "--epsilon", "2", "--json")
    assert (ended.code, ended.error["kind"]) == (1, "Refused")
    assert "does not prove" in ended.error["need"]
    assert "verified" not in ended.err


def test_what_is_only_bounded_cannot_be_refuted(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[step]]\nmechanism = "zcdp"\nrho = 0.1')
    ended = bursar("refute", "--plan", str(path), *AT, "--epsilon", "0.1", "--json")
    assert (ended.code, ended.error["kind"]) == (2, "NoProof")
    words = ("--examples", "100", "--batch-size", "10", "--epochs", "2", "--sampler", "shuffle")
    noise = ("--noise-multiplier", "2", "--adjacency", "zero-out")
    ended = bursar("refute", *words, *noise, *AT, "--epsilon", "0.1", "--json")
    assert (ended.code, ended.error["field"]) == (2, "sampler")


def test_noise_for_a_risk() -> None:
    found = bursar("calibrate", "--advantage", "0.05", "--steps", "50", "--json").json
    assert found["advantage"]["upper"] <= 0.05 < found["witness"]["advantage"]["lower"]
    asked = ("--tpr", "0.02", "--at-fpr", "0.01", "--steps", "50")
    found = bursar("calibrate", *asked, "--json").json
    assert found["true_positive_rate"]["upper"] <= 0.02
    assert found["false_positive_rate"] == "0.01"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("profile", *ONE, "--points", "1"), "points"),
        (("profile", *ONE, "--points", "x"), "points"),
        (("profile", *ONE, "--epsilons", "1"), "epsilons"),
        (("profile", *ONE, "--epsilons", "2:1"), "epsilons"),
        (("profile", *ONE, "--epsilons", "-1:1"), "epsilons"),
        (("profile", *ONE, "--deltas", "0:1"), "deltas"),
        (("profile", *ONE, "--deltas", "1e-400:1"), "deltas"),
        (("profile", *ONE, "--deltas", "1e-9:1e-5", "--epsilons", "0:1"), "epsilons"),
        (("profile", *ONE, "--trade-off", "--epsilons", "0:1"), "epsilons"),
        (("profile", *ONE, "--csv", "--json"), "csv"),
        (("profile", *ONE, "--out", "curve.doc"), "out"),
        (("profile", *ONE, "--out", "no/such/folder/curve.csv"), "out"),
        (("profile",), "noise_multiplier"),
        (("steps", *MANY), "delta"),
        (("steps", *MANY, *AT, "--every", "13"), "every"),
        (("steps", *MANY, *AT, "--every", "0"), "every"),
        (("steps", *MANY, *AT, "--certify-at", "3"), "certificate"),
        (("steps", *MANY, *AT, "--certificate", "x.json"), "certify_at"),
        (("steps", *MANY, *AT, "--certify-at", "13", "--certificate", "x.json"), "certify_at"),
        (("steps", *MANY, "--log-delta", "-9", "--certify-at", "3", "--certificate", "x"), "delta"),
        (("steps", "--steps", "3", *AT), "noise_multiplier"),
        (("refute", *ONE, *AT), "epsilon"),
        (("refute", *ONE, "--epsilon", "1"), "delta"),
        (("refute", *ONE, *AT, "--epsilon", "-1"), "epsilon"),
        (("calibrate", "--advantage", "0.1", "--epsilon", "1"), "epsilon"),
        (("calibrate", "--advantage", "0.1", "--tpr", "0.2"), "advantage"),
        (("calibrate", "--advantage", "1.1"), "advantage"),
        (("calibrate", "--tpr", "0.2"), "at_fpr"),
        (("calibrate", "--at-fpr", "0.2"), "tpr"),
        (("calibrate", "--tpr", "0.1", "--at-fpr", "0.2"), "tpr"),
        (("calibrate", "--tpr", "nan", "--at-fpr", "0.2"), "tpr"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_bad_requests_name_their_field(arguments: tuple[str, ...], field: str) -> None:
    if "--csv" in arguments:
        assert bursar(*arguments).error["field"] == field
        return
    ended = bursar(*arguments, "--json")
    assert (ended.code, ended.error["field"]) == (2, field)
    assert f"--{field.replace('_', '-')}" in bursar(*arguments).err


def test_a_picture_without_matplotlib_is_a_missing_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    ended = bursar("profile", *ONE, "--out", str(tmp_path / "curve.png"), "--json")
    assert (ended.code, ended.error["kind"]) == (2, "MissingExtra")
    assert "bursar[plots]" in ended.error["hint"]


def test_a_terminal_gets_nothing_on_stderr_when_it_is_quick() -> None:
    assert on_terminal(80, "profile", *ONE, "--points", "2").err == ""


def test_a_statement_in_other_words() -> None:
    found = bursar("convert", "--rho", "0.1", "--at-delta", "1e-5", "--json").json
    assert [one["to"] for one in found["conversions"]][:3] == ["pure-dp", "approximate-dp", "zcdp"]
    assert "refused" in found["conversions"][0]
    assert found["conversions"][1]["epsilon"] == pytest.approx(1.91424, rel=1e-5)
    ended = bursar("convert", "--rho", "0.1", "--to", "gdp", "--json")
    assert (ended.code, ended.error["kind"]) == (2, "NoProof")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((), "epsilon"),
        (("--delta", "0.1"), "epsilon"),
        (("--orders", "2"), "values"),
        (("--values", "2"), "orders"),
        (("--rho", "1", "--mu", "1"), "mu"),
        (("--rho", "-1"), "rho"),
        (("--advantage", "2"), "advantage"),
        (("--rho", "1", "--to", "nothing"), "to"),
        (("--rho", "1", "--to", "tpr", "--at-fpr", "2"), "at_fpr"),
        (("--rho", "1", "--plan", "x.toml"), "rho"),
    ],
)
def test_what_is_no_statement(arguments: tuple[str, ...], field: str) -> None:
    ended = bursar("convert", *arguments, "--json")
    assert (ended.code, ended.error["field"]) == (2, field)


def test_an_explanation_has_the_fields_of_epsilon_and_more(tmp_path: Path) -> None:
    found = bursar("explain", *ONE, *AT, "--claim", "1", "--json").json
    same = bursar("epsilon", *ONE, *AT, "--json").json
    assert found["epsilon"] == same["epsilon"]
    assert found["witness"]["refuted"] is True
    assert found["claim"] == "1"
    assert found["accountants"]
    path = tmp_path / "card.md"
    card = bursar("explain", *ONE, *AT, "--card", "--out", str(path), "--json").json
    assert card["card"]["Guarantee"]["neighbours"].startswith("add-or-remove-one")
    assert path.read_text(encoding="utf-8").startswith("# Privacy claim")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((), "delta"),
        ((*AT, "--claim", "-1"), "epsilon"),
        ((*AT, "--claim", "x"), "claim"),
        ((*AT, "--card", "--claim", "1"), "claim"),
        ((*AT, "--out", "card.md"), "out"),
        ((*AT, "--card", "--out", "card.png"), "out"),
        ((*AT, "--card", "--out", "no/such/folder/card.md"), "out"),
    ],
)
def test_what_cannot_be_explained(arguments: tuple[str, ...], field: str) -> None:
    ended = bursar("explain", *ONE, *arguments, "--json")
    assert (ended.code, ended.error["field"]) == (2, field)
