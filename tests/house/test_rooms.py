"""Rooms stay small, heavy packages keep to their doors, and `import bursar` opens none of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import SOURCE, files, modules, name

LONGEST = 400  # lines: an alarm; tables of numbers are data, and do not stand in modules

ANYWHERE = {"numpy", "scipy", "flint"}
DOORS = {  # the room that may import each heavy package
    "click": "cli",
    "typer": "cli",
    "rich": "cli",
    "torch": "learning machines",
    "opacus": "learning",
    "ray": "tuning machines",
    "pyspark": "queries",
    "ibis": "queries",
    "duckdb": "queries",
    "pyarrow": "queries",
    "psycopg": "ledger",
    "fastapi": "server",
    "uvicorn": "server",
    "jinja2": "server",
    "matplotlib": "reports",
}


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0] if node.level == 0 else "bursar")
    return found


@pytest.mark.parametrize("path", [p for p in files() if p.suffix == ".py"], ids=name)
def test_a_room_is_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", modules(), ids=name)
def test_heavy_packages_keep_to_their_door(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0]
    for package in imported(path) - set(sys.stdlib_module_names) - ANYWHERE - {"bursar"}:
        assert package in DOORS, f"{package} has no door"
        assert room in DOORS[package].split(), f"{package} belongs to {DOORS[package]}"


def test_import_bursar_loads_nothing_heavy() -> None:
    look = "import sys; old = set(sys.modules); import bursar; print(*set(sys.modules) - old)"
    fresh = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True)
    loaded = {module.split(".")[0] for module in fresh.stdout.split()}
    assert "bursar" in loaded
    assert loaded - set(sys.stdlib_module_names) <= {"bursar", "numpy", "flint"}


def test_the_checker_of_certificates_stands_alone() -> None:
    for path in SOURCE.rglob("checker.py"):
        assert imported(path) <= set(sys.stdlib_module_names) | {"flint"}
