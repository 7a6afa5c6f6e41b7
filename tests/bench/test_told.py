"""What the page says of claims: who is below the truth, by how much, and who has no answer."""

from __future__ import annotations

from typing import Any

import pytest

from bench import accountants, numbers, whole_runs
from bench.settings import ALL, GRID

EXACT = {"lower": 1.0, "upper": 1.0 + 1e-15, "ms": 10.0, "mib": 1.0}


def page(**row: Any) -> str:
    """The suite's part for one question and one other tool."""
    at = {"run": GRID[0].name, "delta": "1e-5"}
    tools = {"bursar exact": EXACT, "prv_accountant": {"ms": 20.0, "mib": 2.0} | row}
    rows = [{**at, "tool": tool, **answer} for tool, answer in tools.items()]
    return accountants.told(
        {"limit": 10, "repeats": 3, "clock": "c", "tools": list(tools), "rows": rows}
    )


def claims(text: str) -> str:
    return text[text.index("**Claims") : text.index("**Bounds")]


def test_a_bound_below_the_truth_is_called_false() -> None:
    text = page(upper=0.9)
    assert "**-10 %**" in claims(text)
    assert "ε ≤ 0.9 | ε ≥ 1" in text


def test_a_table_has_as_many_cells_in_every_line() -> None:
    for block in page(lower=0.9, upper=1.2).split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1, block


def test_a_lower_bound_above_the_truth_is_called_false() -> None:
    assert "ε ≥ 1.1 | ε ≤ 1" in page(lower=1.1, upper=1.2)


def test_a_true_bound_is_not() -> None:
    text = page(lower=0.9, upper=1.2)
    assert "| +20 % |" in claims(text)
    assert "None in this run." in text
    assert "2 × time, 3e+14 × width" in text


def test_an_estimate_is_no_bound() -> None:
    text = page(value=0.5)
    assert "| ≈ -50 % |" in claims(text)
    assert "None in this run." in text


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"upper": float("inf")}, "| inf |"),
        ({"error": "> 10 s"}, "| > 10 s |"),
        ({"error": "unknown: Laplace"}, "| – |"),
        ({"error": "ValueError: no"}, "| ValueError |"),
        ({"upper": 4.4}, "| × 4.4 |"),
    ],
)
def test_what_is_shown(row: dict[str, Any], shown: str) -> None:
    assert shown in claims(page(**row))


def test_a_number_that_misses_its_aim_is_named() -> None:
    row = {"run": "r", "delta": "1e-5", "direction": "add", "rare": True, "width": 1e-15}
    plain = row | {"rare": False, "ms": 5.0}
    found = {
        "certificates": [{"ms": 3.0}],
        "starts": {"import": 50.0, "command": 300.0},
        "rows": [plain, row | {"ms": 600.0}],
    }
    assert "| r | 1e-5 | add | 600 ms, width 1.0e-15 |" in numbers.told(found)
    found["rows"][1]["ms"] = 400.0
    assert "No cell misses its aim." in numbers.told(found)
    found["rows"][1] = row | {"limit": "too many nodes"}
    assert "too many nodes" in numbers.told(found)


def test_too_little_noise_is_bold() -> None:
    rows = []
    watched = (("watched", *step) for step in whole_runs.WATCHED_STEPS)
    for question, size, q in (("calibrated", "", ""), ("heterogeneous", "", ""), *watched):
        cell = {"question": question, "size": size, "q": q}
        rows.append(cell | {"tool": "bursar", "ms": 100.0, "upper": 1.0})
        rows.append(cell | {"tool": "prv_accountant", "error": "> 30 s"})
    rows[0] |= {"sigma": 2.0, "epsilon": 1.1}
    text = whole_runs.told({"limit": 30, "clock": "c", "rows": rows})
    assert "more than 30 | more than 300" in text
    assert "| 2 | **1.1000000** |" in text


def test_settings_have_names_of_their_own() -> None:
    assert len({one.name for one in ALL}) == len(ALL)
