"""What the pages show runs: blocks marked python, and the results they show."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import bursar
from tests.engines import missing
from tests.house.tree import ROOT, SOURCE, modules, name, pages

SECONDS = {"docs/lattice.md", "docs/monte-carlo.md"}  # pages whose examples take a few
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(path: Path, language: str) -> list[str]:
    """The blocks of a page in one language."""
    found = re.findall(
        r"^```(\w+)\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [body for mark, body in found if mark == language]


def absent(code: str) -> set[str]:
    """The public names that a block uses and bursar has not."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)]
    of = {node.attr for node in nodes if ast.unparse(node.value) == "bursar"}
    return {f"bursar.{attribute}" for attribute in of if not hasattr(bursar, attribute)}


def run(code: str, names: dict[str, Any], page: str) -> None:
    """Run a block; where it is a session (>>>), what it shows must be what comes out."""
    session = doctest.DocTestParser().get_doctest(code, names, page, page, 0)
    if gone := absent("\n".join(example.source for example in session.examples) or code):
        missing(", ".join(sorted(gone)))
    if not session.examples:
        exec(compile(code, page, "exec"), names)
        return
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    failed = runner.run(session, out=report.append, clear_globs=False).failed
    names.update(session.globs)
    assert not failed, "".join(report)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=name(p), marks=[pytest.mark.slow] if name(p) in SECONDS else [])
        for p in pages()
        if blocks(p, "python")
    ],
)
def test_the_python_of_a_page_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code in blocks(path, "python"):
        run(code, names, name(path))


@pytest.mark.parametrize("path", pages(), ids=name)
def test_a_page_links_to_what_is_there(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link


def test_the_readme_opens_with_two_commands() -> None:
    first, second = blocks(ROOT / "README.md", "sh")[:2]
    assert "bursar certify" in first
    assert "bursar check" in first
    assert "pytest" in second
    assert first.count("-c constraints.txt") == second.count("-c constraints.txt") == 1


@pytest.mark.parametrize("room", sorted({path.relative_to(SOURCE).parts[0] for path in modules()}))
def test_the_architecture_knows_every_room(room: str) -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    known = f"`{room.removesuffix('.py')}" + ("`" if room.endswith(".py") else "/`")
    assert room == "__init__.py" or known in page
    assert f"*{known}*" not in page, "it is no longer to come"
