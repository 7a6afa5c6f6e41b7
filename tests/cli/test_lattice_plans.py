"""Plans that only the lattice takes, as a person at the command line meets them."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from bursar.accounting import choose, compare
from bursar.accounting.accountants import ACCOUNTANTS
from bursar.cli import progress
from tests.cli.program import AT, ONE, bursar

TABLE = """
[[step]]
mechanism = "table"
present = [0.5, 0.3, 0.15, 0.05]
absent = [0.2, 0.35, 0.05, 0.4]
count = 4
"""
BESIDE = """
adjacency = "replace-one"
[[step]]
mechanism = "randomized-response"
epsilon = 0.4
count = 3
[[step]]
mechanism = "laplace"
scale = 5
"""


@pytest.fixture
def table(tmp_path: Path) -> tuple[str, str]:
    """A plan of outputs of one's own."""
    path = tmp_path / "table.toml"
    path.write_text(TABLE, encoding="utf-8")
    return "--plan", str(path)


@pytest.fixture
def beside(tmp_path: Path) -> tuple[str, str]:
    """Randomized response beside Laplace noise: contours do not end."""
    path = tmp_path / "beside.toml"
    path.write_text(BESIDE, encoding="utf-8")
    return "--plan", str(path)


def test_an_explanation_has_both_directions_and_each_error(table: tuple[str, str]) -> None:
    told = bursar("explain", *table, *AT, "--json").json
    assert told["method"] == "lattice"
    assert {line["name"] for line in told["bill"]} == {"round-off", "window", "lattice"}
    worse = told["directions"][told["direction"]]
    other = told["directions"]["remove" if told["direction"] == "add" else "add"]
    assert worse == told["epsilon"]
    assert other["upper"] < worse["lower"]
    assert told["witness"]["gain"]["lower"] > 1e-5
    page = bursar("explain", *table, *AT).out
    for label in ("removing", "adding", "error", "not less", "event S"):
        assert f"\n{label} " in page


def test_a_profile_has_both_directions_in_every_row(table: tuple[str, str]) -> None:
    ended = bursar("profile", *table, "--epsilons", "0:3", "--points", "4", "--csv")
    rows = list(csv.DictReader(StringIO(ended.out)))
    assert len(rows) == 4
    for row in rows:
        assert row["method"] == "lattice"
        larger = max(float(row["remove_upper"]), float(row["add_upper"]))
        assert float(row["delta_upper"]) == larger


def test_what_is_not_sharp_has_its_directions_too(
    table: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the least of all bounds is the answer, and no direction is above it."""
    monkeypatch.setattr(choose, "_SHARP", 1e-12)
    ended = bursar("profile", *table, "--epsilons", "0:3", "--points", "3", "--csv")
    for row in csv.DictReader(StringIO(ended.out)):
        assert max(float(row["remove_upper"]), float(row["add_upper"])) <= float(row["delta_upper"])
        assert float(row["remove_lower"]) <= float(row["remove_upper"])


def test_an_attacker_is_bounded_from_both_sides(beside: tuple[str, str]) -> None:
    told = bursar("profile", *beside, "--trade-off", "--points", "3", "--json").json
    assert told["kind"] == "enclosure"
    middle = told["trade_off"][1]["true_positive_rate"]
    assert 0.5 < middle["lower"] <= middle["upper"] < 1.003 * middle["lower"]


def test_a_claim_is_refuted(beside: tuple[str, str]) -> None:
    told = bursar("refute", *beside, "--epsilon", "1", *AT, "--json").json
    assert told["refuted"] is True
    assert told["gain"]["lower"] > 1e-5
    assert "|t| − |t − 1|" in told["event"]
    assert bursar("refute", *beside, "--epsilon", "1.61", *AT).code == 1


def test_a_long_number_is_shown_short_and_kept_whole(table: tuple[str, str]) -> None:
    page = bursar("convert", *table, "--at-delta", "1e-5").out
    shown = page[page.index("pure-dp") :].split()
    (converted,) = bursar("convert", *table, "--to", "pure-dp", "--json").json["conversions"]
    assert float(shown[3]) == pytest.approx(float(converted["epsilon"]), rel=1e-5)
    assert float(shown[3]) >= float(converted["epsilon"])
    assert len(shown[3]) < 10 < len(converted["epsilon"])
    assert "docs/proofs/lattice.md" in page


def test_a_comparison_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    entries = compare.entries

    def slowly(*plan: Any, **question: Any) -> Iterator[Any]:
        for entry in entries(*plan, **question):
            seen.append(progress._done[-1])
            yield entry

    monkeypatch.setattr(compare, "entries", slowly)
    assert bursar("compare", *ONE, *AT).code == 0
    assert seen == [(n, len(ACCOUNTANTS)) for n in range(len(ACCOUNTANTS))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["bursar", "prof"], "profile"),
        (["bursar", "profile", "--tr"], "--trade-off"),
        (["bursar", "epsilon", "--adjacency", "zero"], "zero-out"),
        (["bursar", "convert", "--to", "adv"], "advantage"),
    ],
)
def test_a_real_bash_completes(words: list[str], found: str) -> None:
    program = Path(sys.executable).with_name("bursar")
    if shutil.which("bash") is None or not program.exists():
        pytest.skip("no bash here, or bursar is not installed")
    script = f"""
eval "$(_BURSAR_COMPLETE=source_bash {program})"
COMP_WORDS=({" ".join(words)}) COMP_CWORD={len(words) - 1}
_bursar_completion {program} {words[-1]} {words[-2]}
echo "${{COMPREPLY[@]}}"
complete -p bursar
"""
    ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    first, second = ended.stdout.splitlines()
    assert first == found
    assert "_bursar_completion" in second
