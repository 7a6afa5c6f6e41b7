"""The page of attacks: all of them, and each with tests that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.house.tree import ROOT

PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
ATTACKS = 23
MUST_BE_CAUGHT = {*range(1, 9), 13, 14, 16, 17, 22}  # whose broken version is kept, and caught
_ROW = re.compile(r"^\| (\d+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows(page: str) -> dict[int, str]:
    return {int(number): rest for number, rest in _ROW.findall(page)}


@cache
def defined(path: Path) -> frozenset[str]:
    """The tests of a module, those in classes as well."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name in names if name.startswith("test_"))


def absent(row: str) -> list[str]:
    """The tests that a row names and nobody wrote."""
    return [
        f"{path}::{name}"
        for path, name in _TEST.findall(row)
        if not (ROOT / path).is_file() or name not in defined(ROOT / path)
    ]


def test_all_attacks_have_their_row() -> None:
    assert sorted(rows(PAGE)) == list(range(1, ATTACKS + 1))


@pytest.mark.parametrize(("number", "row"), rows(PAGE).items())
def test_the_defined_an_attack_are_there(number: int, row: str) -> None:
    assert absent(row) == []
    assert row.count("`tests/") == len(_TEST.findall(row)) >= 1
    if number in MUST_BE_CAUGHT:
        assert _TEST.findall(row.partition("caught: ")[2])


def test_a_test_that_is_gone_is_seen() -> None:
    assert absent("`tests/house/test_trust.py::test_of_nothing`") != []
    assert absent("`tests/house/no_such.py::test_all_attacks_have_their_row`") != []
    assert absent("`tests/house/test_trust.py::test_all_attacks_have_their_row`") == []
