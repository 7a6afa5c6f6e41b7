"""Every work that a docstring, a bill or a page cites stands in docs/references.bib."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.citations import cited, works
from tests.house.tree import ROOT, modules, name, pages

WORKS = works((ROOT / "docs" / "references.bib").read_text(encoding="utf-8"))
KNOWN = set().union(*WORKS.values())


def words(path: Path) -> str:
    """The text of a page, or all the strings of a module: its docstrings, and what it tells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    nodes = ast.walk(ast.parse(text))
    told = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return "\n\n".join(value for value in told if isinstance(value, str))


@pytest.mark.parametrize("path", modules() + pages(), ids=name)
def test_what_is_cited_is_in_the_bibliography(path: Path) -> None:
    assert cited(words(path)) - KNOWN == set()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("so it holds.  Mironov 2017, Cor. 3.", {"mironov-2017"}),
        ("See Zhu, Dong &\n    Wang 2022, Prop. 30.", {"zhu-dong-wang-2022"}),
        ("as Koskela, Jälkö & Honkela 2020 do", {"koskela-jalko-honkela-2020"}),
        ("Dwork, McSherry, Nissim & Smith 2006", {"dwork-mcsherry-nissim-smith-2006"}),
        ("Wang et al. 2023, (12); Balle & Wang 2018", {"wang-et-al-2023", "balle-wang-2018"}),
        ("van Erven & Harremoës 2014, Thm 9", {"van-erven-harremoes-2014"}),
        ("Mironov (2017)", {"mironov-2017"}),
        ("Bun and Steinke 2016", {"steinke-2016"}),  # not how it is written: no such key
        ("on 3 March 2026, with σ = 2000", set()),
        ("2 * Gaussian(noise_multiplier=2000) of 2018-01-01", set()),
    ],
)
def test_a_citation_is_seen(text: str, keys: set[str]) -> None:
    assert cited(text) == keys


@pytest.mark.parametrize(
    "bad",
    [
        "@article{bun-2016,\n  author = {Bun, Mark and Steinke, Thomas},\n  year = {2016},\n}",
        "@misc{mironov-2017,\n  author = {Mironov, Ilya},\n  year = {2017},\n}\n" * 2,
    ],
)
def test_a_key_is_what_is_cited_and_stands_once(bad: str) -> None:
    with pytest.raises(ValueError, match=r"should be bun-steinke-2016|stands twice"):
        works(bad)


def test_no_two_works_are_cited_alike() -> None:
    assert sum(map(len, WORKS.values())) == len(KNOWN)
