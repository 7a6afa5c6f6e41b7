"""`bursar verify`: its fields, its exits, and every error of its flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bursar.accounting import exact
from bursar.cli import progress
from bursar.mechanisms.gaussian import Gaussian
from tests.cli.program import Ended, bursar, one_object

STEP = ("--noise-multiplier", "28.914", "--steps", "60")
TRUTH = exact.delta(60 * Gaussian(noise_multiplier="28.914"), epsilon=1).upper
DRAWN = ("--verifier", "draws", "--gap", "0.2")


def verify(times: float, *more: str) -> Ended:
    return bursar("verify", *STEP, "--epsilon", "1", "--delta", repr(TRUTH * times), *more)


def refused(ended: Ended) -> dict[str, Any]:
    assert (ended.code, ended.out) == (1, "")
    return one_object(ended.err)


def test_a_claim_that_is_settled() -> None:
    found = verify(1.01, "--json").json
    assert found["accepted"] is True
    assert found["meaning"] == "static"
    assert (found["kind"], found["method"]) == ("upper-bound", "exact")
    assert found["epsilon"] == {"upper": 1.0}
    assert found["failure_probability"] == 0
    assert found["claim"]["epsilon"] == "1"


def test_a_claim_that_is_drawn_for() -> None:
    found = verify(1.3, *DRAWN, "--beta", "1e-4", "--json").json
    assert (found["kind"], found["method"]) == ("high-probability-bound", "draws")
    assert found["epsilon"] == {"upper": 1.0, "failure_probability": 1e-4}
    assert found["failure_probability"] == 1e-4
    assert "passes with probability 0.0001" in verify(1.3, *DRAWN, "--beta", "1e-4").out


def test_how_often_a_good_claim_fails_is_told_and_proved() -> None:
    planned = verify(1.3, *DRAWN, "--json").json["power"]
    assert planned["planned"] == 1e-4
    assert 0.2 <= planned["gap"] < 0.3
    assert 1e-4 < planned["proved"] <= 1
    proved = verify(1.3, *DRAWN, "--power", "proved", "--json").json["power"]
    assert proved["gap"] == 0.2
    assert 1e-5 < proved["proved"] <= 1e-4
    said = verify(1.3, *DRAWN, "--power", "proved").out
    assert "a claim of δ/(1 − 0.2) fails" in said.replace("\n", " ")
    assert verify(1.3, "--json").json["power"] is None


def test_a_claim_that_is_not_verified() -> None:
    for more in ((), DRAWN):
        found = refused(verify(0.9, *more, "--json"))
        assert found["accepted"] is False
        assert found["meaning"] == "static"
        assert found["error"]["kind"] == "NotVerified"
        assert found["reason"]
    assert "not verified" in verify(0.9).err


def test_a_record_is_replayed_and_drawn_for_afresh(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert verify(1.3, *DRAWN, "--out", str(path), "--json").json["out"] == str(path)
    found = bursar("verify", "--recheck", str(path), "--json").json
    assert (found["accepted"], found["replayed"], found["recorded"]) == (True, True, True)
    assert found["fresh"] is None
    again = bursar("verify", "--recheck", str(path), "--fresh", "--json").json["fresh"]
    assert again["accepted"] is True
    assert again["failure_probability"] == 1e-10
    assert "--fresh" in bursar("verify", "--recheck", str(path)).out


def test_a_record_of_a_refusal_is_no_yes(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    refused(verify(0.9, "--out", str(path), "--json"))
    found = refused(bursar("verify", "--recheck", str(path), "--json"))
    assert (found["accepted"], found["recorded"], found["replayed"]) == (False, False, True)


@pytest.mark.parametrize(
    "flag",
    ["adjacency", "verifier", "gap", "miss", "power", "keep", "out", "beta", "epsilon", "delta"],
)
def test_a_record_stands_alone(flag: str, tmp_path: Path) -> None:
    """What would be ignored is refused."""
    values = {"adjacency": "zero-out", "out": str(tmp_path / "x"), "verifier": "draws"}
    ended = bursar("verify", "--recheck", "x", f"--{flag}", values.get(flag, "0.5"), "--json")
    assert (ended.code, ended.error["field"]) == (2, flag)
    assert "beside --recheck" in ended.error["need"]


def test_what_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    for name in (str(path), str(tmp_path / "none")):
        ended = bursar("verify", "--recheck", name, "--json")
        assert (ended.code, ended.error["kind"]) == (2, "NotACertificate")


def test_a_run_is_kept(tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    first = verify(1.3, *DRAWN, "--keep", str(keep), "--json").json
    key = json.loads((keep / "coins.json").read_text())["key"]
    assert key
    assert (keep / "remove.sums").exists()
    assert verify(1.3, *DRAWN, "--keep", str(keep), "--json").json == first


def test_all_cores_say_the_same(tmp_path: Path) -> None:
    found = verify(1.3, *DRAWN, "--cores", "all", "--json").json
    assert found["accepted"] is True


def test_time_runs_out_with_a_safe_answer(tmp_path: Path) -> None:
    more = ("--verifier", "draws", "--gap", "1e-3", "--timeout", "0.2")
    ended = verify(1.002, *more, "--json")
    assert ended.code == 4
    assert "--keep" in ended.error["hint"]
    kept = verify(1.002, *more, "--keep", str(tmp_path / "kept"), "--json")
    assert "the same command goes on" in kept.error["hint"]
    assert ended.error["partial"]["kind"] == "upper-bound"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("--beta", "0"), "beta"),
        (("--beta", "1"), "beta"),
        (("--gap", "1.5"), "gap"),
        (("--miss", "x"), "miss"),
        (("--power", "full"), "power"),
        (("--verifier", "gpd"), "verifier"),
        (("--verifier", "gdp"), "verifier"),
        (("--cores", "0"), "cores"),
        (("--cores", "some"), "cores"),
        (("--out", "/no/such/folder/x"), "out"),
        (("--on", "mars"), "on"),
        (("--fresh",), "fresh"),
        (("--recheck", "x"), "noise_multiplier"),
    ],
)
def test_what_is_wrong_is_named(arguments: tuple[str, ...], field: str) -> None:
    ended = verify(1.3, *arguments, "--json")
    assert ended.code == 2
    assert ended.error["field"] == field


@pytest.mark.parametrize("missing", ["epsilon", "delta"])
def test_a_claim_has_both(missing: str) -> None:
    given = {"epsilon": "1", "delta": "1e-5"}
    given.pop(missing)
    ended = bursar("verify", *STEP, *(f"--{k}={v}" for k, v in given.items()), "--json")
    assert (ended.code, ended.error["field"]) == (2, missing)


def test_a_mechanism_without_a_sampler(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[step]]\nmechanism = "laplace"\nscale = 10\ncount = 3')
    claim = ("--epsilon", "0.2", "--delta", "1e-5", "--json")
    ended = bursar("verify", "--plan", str(path), *claim, "--verifier", "draws")
    assert (ended.code, ended.error["kind"]) == (2, "NoProof")
    assert "log_ratio" in ended.error["hint"]
    settled = refused(bursar("verify", "--plan", str(path), *claim))
    assert settled["method"] == "exact"


def test_work_that_reports_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.reported() as tell:
        assert progress._line(1.0, 80) == "computing, 1 s"
        tell(3, 12, 9.0)
        assert progress._line(3.0, 80).endswith("3 of 12, 3 s, 9 s left")
    assert not progress._done
