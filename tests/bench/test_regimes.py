"""Where each tool fails first: each way to fail, and agreement with the page's other tables."""

from __future__ import annotations

from typing import Any

import pytest

from bench import accountants, regimes
from bench.keeping import load
from bench.page import RESULTS

EXACT = {"lower": 1.0, "upper": 1.0 + 1e-15}


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"lower": 0.99, "upper": 1.01}, None),
        ({"upper": 1.99}, None),
        ({"upper": 2.1}, "× 2.1"),
        ({"upper": 0.999}, "**false**"),
        ({"lower": 1.01, "upper": 1.02}, "**false**"),
        ({"upper": float("inf")}, "inf"),
        ({"value": float("nan")}, "nan"),
        ({"value": 0.6}, None),
        ({"value": 0.43}, "× 0.4"),
        ({"value": 3.0}, "× 3"),
        ({"error": "ValueError: floating point"}, "refuses"),
        ({"error": "> 10 s"}, "> 10 s"),
        ({"error": "unknown: Gaussian noise only"}, regimes.UNKNOWN),
    ],
)
def test_each_way_to_fail(row: dict[str, Any], shown: str | None) -> None:
    assert regimes.failure(row, EXACT) == shown


def test_where_epsilon_is_0_nothing_is_twice_it() -> None:
    assert regimes.failure({"upper": 0.1}, {"lower": 0.0, "upper": 0.0}) is None


def test_the_first_failure_counts() -> None:
    answers = {
        ("r", "1e-5"): {"exact": EXACT, "a": {"upper": 1.1}, "b": {"value": 1.0}},
        ("r", "1e-9"): {"exact": EXACT, "a": {"upper": 2.5}},
        ("r", "1e-12"): {"exact": EXACT, "a": {"upper": 0.5}},
    }
    assert regimes.first(answers, "r", "a", "exact") == "1e-9: × 2.5"
    assert regimes.first(answers, "r", "b", "exact") == "· (1e-5 alone)"
    assert regimes.told(answers, ["exact", "a", "b"], "exact").splitlines()[-1] == (
        "| fails in | 1 of 1 | 0 of 1 |"
    )


def test_what_is_kept_is_false_where_the_list_of_false_bounds_says_so() -> None:
    found = load(RESULTS / "accountants.json")
    page = accountants.told(found)
    listed = page[page.index("**Bounds that are false**") :]
    table = page[page.index("**Where each tool fails") :].split("\n\n")[1].splitlines()
    tools = table[0].split(" | ")
    false = [
        (line.split(" | ")[0].strip("| "), tools[n])
        for line in table[2:]
        for n, cell in enumerate(line.split(" | "))
        if "false" in cell
    ]
    assert false
    assert all(
        f"| {run} | " in listed and f" | {tool.strip(' |')} | " in listed for run, tool in false
    )
    assert "bursar" not in listed
