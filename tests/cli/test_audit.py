"""`bursar audit`, as its users run it: their own functions, claims, neighbours, records."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.cli.program import Ended, bursar

CODE = '''
import os
import sys
import time

import numpy as np

from bursar import noise

print("loaded")


def release(people, size):
    print("called", file=sys.stderr)
    units = np.full(size, len(people))
    return noise.release_laplace(noise.GridSum(units, l1=1), scale=1).units


def little(people, rng):
    return float(len(people) + rng.laplace(scale=0.2))


def single(people):
    total = noise.to_grid(np.array(people), low=0, high=1, grid=10).total()
    return noise.release_gaussian(total, noise_multiplier=1).units


def kinds(people, rng):
    """Everything that an outcome may be."""
    if rng.random() < 0.1:
        raise ValueError("now and then")
    coin = int(rng.integers(4))
    return {"coin": coin, "of": [None, "a", (1, 0.5), np.float32(coin)][coin], "n": np.arange(coin)}


def typo(people):
    return peple


def changes(people):
    people[0] += 1
    return 0


def leaves(people):
    raise SystemExit(3)


def slow(people):
    time.sleep(0.005)
    return len(people)


def counted(people, noise):
    return noise.laplace(float(len(people)), l1=1, scale=1)


def divided(people, noise):
    return noise.laplace(float(len(people)), l1=1, scale=1) / len(people)


def wrong_call(people, noise):
    return noise.nothing(people)


class Kept:
    @staticmethod
    def always(people):
        return 1


PAIRS = [([1, 2], [1]), ([5], [])]


def pairs():
    return PAIRS


def no_pairs():
    return [1, 2]


EMPTY = []
NUMBER = 7
'''
CLAIM = ("--epsilon", "1")
ON = ("--data", "[1, 1]", "--neighbour", "[1]")
FEW = ("--samples", "400")
FIELDS = {
    *("kind", "epsilon", "delta", "claimed", "violation", "confidence", "samples", "adjacency"),
    *("points", "worst", "resolution", "mechanism", "claim", "pair", "pairs", "errors", "grid"),
    *("seed", "record", "seconds"),
}


@pytest.fixture(scope="module", autouse=True)
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with somebody's code in it."""
    path = tmp_path_factory.mktemp("desk")
    (path / "mine.py").write_text(CODE, encoding="utf-8")
    with chdir(path):
        yield path


def audit(what: str, *arguments: str) -> Ended:
    return bursar("audit", f"mine.py:{what}", *arguments)


def broken(ended: Ended) -> dict:
    """The finding of a violation: one object on stderr, with the error in it."""
    assert (ended.code, ended.out) == (1, "")
    found = json.loads(ended.err)
    assert found["error"]["kind"] == "Refused"
    assert found["error"]["need"].startswith("violation found: ε ≥ ")
    return found


def test_none_found_ends_well_and_says_what_could_have_been_seen() -> None:
    found = audit("release", *CLAIM, *ON, *FEW, "--vectorised", "--json").json
    assert set(found) == FIELDS
    assert (found["kind"], found["violation"]) == ("lower-bound", False)
    assert 0 <= found["epsilon"]["lower"] < 1
    assert 0 < found["resolution"] < 1
    assert found["claim"] == {"epsilon": "1", "delta": "0"}
    assert found["pair"] == {"data": [1, 1], "neighbour": [1]}
    assert found["adjacency"] == "add-or-remove-one"
    page = audit("release", *CLAIM, *ON, *FEW, "--vectorised").out
    assert page.startswith("none found, at this resolution: ")
    assert "ε claimed" in page
    assert "verified" not in page


def test_a_violation_ends_with_1_and_its_witness() -> None:
    ended = audit("little", *CLAIM, *ON, *FEW, "--grid", "10", "--json")
    found = broken(ended)
    assert set(found) == FIELDS | {"error"}
    assert found["violation"] is True
    assert found["epsilon"]["lower"] > found["claimed"]
    assert sum(found["worst"]["hits"]) > 0
    told = audit("little", *CLAIM, *ON, *FEW, "--grid", "10")
    assert told.code == 1
    assert told.err.startswith("bursar: violation found: ε ≥ ")
    assert "On [1, 1] and [1]: " in told.err
    assert "low bits of floats" not in told.err
    assert "low bits of floats" in audit("little", *CLAIM, *ON, *FEW).err


def test_a_profile_is_a_claim() -> None:
    Path("plan.toml").write_text('[[step]]\nmechanism = "laplace"\nscale = 1.0\n')
    claims = [("--plan", "plan.toml"), ("--noise-multiplier", "1"), ("--epsilon", "1")]
    for claim in claims:
        found = audit("release", *claim, *ON, *FEW, "--vectorised", "--json").json
        assert found["violation"] is False
    assert found["claim"]["delta"] == "0"
    loose = ("--noise-multiplier", "8", "--grid", "10", "--json")
    assert broken(audit("little", *loose, *ON, *FEW))["claim"]["plan"][0]["mechanism"] == "gaussian"


@pytest.mark.parametrize("name", ["mine.py:PAIRS", "mine:pairs"])
def test_pairs_are_listed(name: str) -> None:
    few = ("--samples", "2000", "--grid", "10", "--json")
    found = broken(audit("little", *CLAIM, "--pairs", name, *few))
    assert found["pairs"] == 2
    assert found["pair"] in (
        {"data": [1, 2], "neighbour": [1]},
        {"data": [5], "neighbour": []},
    )


@pytest.mark.slow
def test_pairs_are_made() -> None:
    made = audit("release", *CLAIM, "--low", "0", "--high", "1", "--samples", "40000",
                 "--vectorised", "--json").json  # fmt: skip
    assert made["pairs"] > 25
    whole = audit("release", *CLAIM, "--low", "0", "--high", "3", "--whole", "--samples", "52000",
                  "--vectorised", "--adjacency", "replace-one", "--json").json  # fmt: skip
    assert whole["adjacency"] == "replace-one"
    assert len(whole["pair"]["data"]) == len(whole["pair"]["neighbour"])


def test_data_is_json_or_a_file_of_it() -> None:
    Path("data.json").write_text("[[1, 2], [3, 4]]")
    found = audit("release", *CLAIM, "--data", "@data.json", "--neighbour", "[[1, 2]]", *FEW,
                  "--vectorised", "--json").json  # fmt: skip
    assert found["pair"]["data"] == [[1, 2], [3, 4]]


def test_one_by_one_and_nothing_but_errors() -> None:
    assert audit("single", *CLAIM, "--delta", "0.5", *ON, *FEW, "--json").json["errors"] == 0
    assert audit("Kept.always", *CLAIM, *ON, *FEW, "--json").json["violation"] is False
    for name, word in (("typo", "NameError"), ("leaves", "SystemExit"), ("counted", "TypeError")):
        ended = audit(name, *CLAIM, *ON, *FEW, "--json")
        assert (ended.code, ended.error["field"]) == (2, "mechanism")
        assert word in ended.error["need"]


def test_data_that_was_changed_is_no_data() -> None:
    ended = audit("changes", *CLAIM, *ON, *FEW, "--json")
    assert (ended.code, ended.error["field"]) == (2, "mechanism")
    assert "leave its data as it is" in ended.error["need"]


def test_large_data_is_not_repeated() -> None:
    Path("large.json").write_text(json.dumps([1] * 5000))
    on = ("--data", "@large.json", "--neighbour", "[1]")
    found = audit("Kept.always", *CLAIM, *on, *FEW, "--json").json
    assert found["pair"] == {"data": "ndarray of 5000 entries", "neighbour": [1]}


def test_a_replay_needs_no_claim() -> None:
    around = ("--low", "0", "--high", "1", "--replay", "--json")
    found = audit("counted", *around).json
    assert (found["kind"], found["violation"], found["differences"]) == ("replay", False, [])
    assert found["pairs"] > 25
    ended = audit("divided", *around)
    told = json.loads(ended.err)
    assert (ended.code, told["violation"]) == (1, True)
    assert told["differences"][0]["what"] == "what comes of the same noised values"
    assert told["error"]["kind"] == "Refused"
    assert audit("wrong_call", *around).error["field"] == "mechanism"
    assert audit("counted", *around, *CLAIM).error["field"] == "epsilon"
    assert audit("divided", *ON, "--replay").err.startswith("bursar: violation found: the answer")


def test_a_seed_draws_the_same_again() -> None:
    """Of bursar's noise, and of a generator that the function asks for."""
    for what, more in (("little", ("--grid", "10")), ("release", ("--vectorised",))):

        def run(seed: str, what: str = what, more: tuple[str, ...] = more) -> dict:
            ended = audit(what, "--epsilon", "5", *ON, *FEW, *more, "--seed", seed, "--json")
            return {key: value for key, value in ended.json.items() if key != "seconds"}

        assert run("7") == run("7")
        assert run("7")["points"] != run("8")["points"]


@pytest.mark.parametrize(
    "what",
    ["little", *(pytest.param(what, marks=pytest.mark.slow) for what in ("kinds", "release"))],
)
def test_a_record_is_gone_on_with(what: str, tmp_path: Path) -> None:
    """With the same seed: stopped anywhere, an audit ends as one that was not stopped."""
    record = tmp_path / "record.jsonl"
    how = ("--epsilon", "9", *ON, "--samples", "700", "--seed", "3")
    how = (*how, "--vectorised") if what == "release" else how

    def run(*more: str) -> dict:
        found = audit(what, *how, *more, "--json").json
        return {key: value for key, value in found.items() if key not in ("seconds", "record")}

    whole = run("--record", str(record))
    body = record.read_bytes()
    assert run("--record", str(record)) == whole
    assert record.read_bytes() == body  # nothing was drawn again
    lines = body.splitlines(keepends=True)
    torn = [b"".join(lines[:2]) + lines[2][:20], lines[0][:12], lines[0][:70], b""]
    for left in torn:  # killed while it wrote
        record.write_bytes(left)
        assert run("--record", str(record)) == whole
        assert record.read_bytes() == body
    if what == "little":
        plain = run()
        assert plain == whole


def test_a_record_is_of_one_question(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    asked = (*CLAIM, *ON, *FEW, "--record", str(record), "--vectorised", "--json")
    assert audit("release", *asked).code == 0
    for other in (("--confidence", "0.9"), ("--grid", "3"), ("--seed", "1")):
        ended = audit("release", *asked, *other)
        assert (ended.code, ended.error["field"]) == (2, "record")
        assert other[0].strip("-") in ended.error["need"]
    more = list(asked)
    more[more.index("400")] = "500"
    assert "samples" in audit("release", *more).error["need"]
    with Path("mine.py").open("a", encoding="utf-8") as file:
        file.write("# another version\n")
    assert "fingerprint" in audit("release", *asked).error["need"]


@pytest.mark.parametrize(
    "body",
    ["no record\n", "[]\n", '{"format": "x"}\n', "a table,\nof somebody's, without an end", None],
)
def test_a_record_that_is_none_is_not_written_to(tmp_path: Path, body: str | None) -> None:
    record = tmp_path / "record.jsonl"
    asked = (*CLAIM, *ON, *FEW, "--record", str(record), "--vectorised", "--json")
    if body is None:  # a line in the middle that is not ours
        assert audit("release", *asked).code == 0
        body = record.read_text().replace('"outcomes"', '"others"')
    record.write_text(body)
    ended = audit("release", *asked)
    assert (ended.code, ended.error["kind"]) == (3, "CorruptBooks")
    assert record.read_text() == body


def test_when_time_is_up_it_says_how_far_it_is(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    how = (*CLAIM, *ON, "--samples", "100000", "--timeout", "0.3", "--json")
    ended = audit("slow", *how, "--record", str(record))
    assert (ended.code, ended.error["kind"]) == (4, "LimitReached")
    kept = sum(
        len(json.loads(line)["outcomes"]["is"])
        for line in record.read_text().splitlines()
        if "place" in line
    )
    assert ended.error["partial"] == {"outcomes": kept, "of": 200_000, "record": str(record)}
    assert kept > 10
    assert "to go on" in ended.error["hint"]
    assert "--record FILE" in audit("slow", *how).error["hint"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("mine.py:release", *ON), "epsilon"),
        (("mine.py:release", *CLAIM), "data"),
        (("mine.py:release", *CLAIM, *ON, "--low", "0", "--high", "1"), "data"),
        (("mine.py:release", *CLAIM, *ON, "--whole"), "data"),
        (("mine.py:release", *CLAIM, "--data", "[1]"), "neighbour"),
        (("mine.py:release", *CLAIM, "--neighbour", "[1]"), "data"),
        (("mine.py:release", *CLAIM, "--data", "[1", "--neighbour", "[1]"), "data"),
        (("mine.py:release", *CLAIM, "--data", "@gone", "--neighbour", "[1]"), "data"),
        (("mine.py:release", *CLAIM, "--low", "0"), "high"),
        (("mine.py:release", *CLAIM, "--low", "1", "--high", "0"), "high"),
        (("mine.py:release", *CLAIM, "--pairs", "mine.py:EMPTY"), "pairs"),
        (("mine.py:release", *CLAIM, "--pairs", "mine.py:no_pairs"), "pairs"),
        (("mine.py:release", *CLAIM, "--pairs", "mine.py:gone"), "pairs"),
        (("mine.py:release", *CLAIM, *ON, "--plan", "p.toml"), "plan"),
        (("mine.py:release", *CLAIM, *ON, "--noise-multiplier", "1"), "noise_multiplier"),
        (("mine.py:release", "--delta", "1e-5", *ON), "epsilon"),
        (("mine.py:release", *CLAIM, *ON, "--samples", "1e5"), "samples"),
        (("mine.py:release", *CLAIM, *ON, "--samples", "39"), "samples"),
        (("mine.py:release", *CLAIM, *ON, "--confidence", "1"), "confidence"),
        (("mine.py:release", *CLAIM, *ON, "--grid", "-1"), "grid"),
        (("mine.py:release", *CLAIM, *ON, "--seed", "x"), "seed"),
        (("mine.py:release", *CLAIM, *ON, "--adjacency", "x"), "adjacency"),
        (("mine.py:NUMBER", *CLAIM, *ON), "mechanism"),
        (("mine.py:gone", *CLAIM, *ON), "mechanism"),
        (("gone.py:release", *CLAIM, *ON), "mechanism"),
        (("no_such_module:release", *CLAIM, *ON), "mechanism"),
        (("release", *CLAIM, *ON), "mechanism"),
        (("mine.py:release", "--record", ".", *CLAIM, *ON), "record"),
        (("mine.py:release", "--record", "no/such/place", *CLAIM, *ON), "record"),
    ],
)
def test_what_it_refuses(arguments: tuple[str, ...], field: str) -> None:
    ended = bursar("audit", *arguments, "--json")
    assert (ended.code, ended.error["field"]) == (2, field)


def test_as_a_process_it_prints_one_answer_and_nothing_of_the_function_s() -> None:
    command = [sys.executable, "-m", "bursar", "audit", "mine:release", *CLAIM, *ON, *FEW]
    ended = subprocess.run(
        [*command, "--vectorised", "--json"], capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    assert json.loads(ended.stdout)["mechanism"] == "mine:release"
