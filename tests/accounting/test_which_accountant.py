"""docs/which-accountant.md is true of the registry: who stands on the tree, and who answers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import bursar
from bursar.accounting.accountants import ACCOUNTANTS
from tests.house.tree import ROOT
from tests.sweeps import quick_first

PAGE = (ROOT / "docs" / "which-accountant.md").read_text(encoding="utf-8")
TREE = PAGE.split("```")[1]


def table(head: str) -> list[list[str]]:
    """The cells under a table's head, without their marks."""
    lines = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def leaves() -> set[str]:
    """Where the branches of the tree end."""
    return set(re.findall(r"…\s+(\w[\w-]*)$", TREE, re.MULTILINE))


ANSWERS = table("| step | answered by")


@pytest.mark.parametrize("name", [one.name for one in ACCOUNTANTS])
def test_every_accountant_stands_on_the_tree(name: str) -> None:
    assert name in leaves()


def test_a_proof_stands_on_the_side_of_proofs() -> None:
    proved, guessed = TREE.split("└─ no: a picture")
    for one in ACCOUNTANTS:
        side, other = (guessed, proved) if one.kind == "estimate" else (proved, guessed)
        leaf = re.compile(rf"…\s+{one.name}$", re.MULTILINE)
        assert leaf.search(side), one.name
        assert not leaf.search(other), one.name


def test_every_accountant_is_described() -> None:
    kinds = {row[0]: row[1].split("`")[0] for row in table("| accountant | kind |")}
    assert kinds.items() >= {one.name: one.kind for one in ACCOUNTANTS}.items()


@pytest.mark.parametrize(("step", "method", "kind"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_who_answers(step: str, method: str, kind: str) -> None:
    names: dict[str, Any] = {name: getattr(bursar, name) for name in bursar.__all__}
    found = bursar.epsilon(100 * eval(step, names), delta="1e-5")
    assert (found.about.method, found.kind) == (method, kind)


BOUNDED = table("| run | δ | kind | above the truth |")


@pytest.mark.parametrize(("run", "delta", "kind", "above"), quick_first(map(tuple, BOUNDED), 3))
def test_where_edgeworth_is_proved(run: str, delta: str, kind: str, above: str) -> None:
    names: dict[str, Any] = {name: getattr(bursar, name) for name in bursar.__all__}
    plan = eval(run, names)
    found = bursar.epsilon(plan, delta=delta, method="edgeworth")
    assert found.kind == kind
    if kind == "upper-bound":
        truth = bursar.epsilon(plan, delta=delta)
        assert 0.9 * float(above) <= float(found) / float(truth) - 1 <= float(above)
