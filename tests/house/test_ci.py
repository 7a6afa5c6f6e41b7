"""`.ci/run` itself, in a tree of stubs: what fails is told, and the last line is the runner's.

Bash, `timeout` and the script are real; the tools that it starts are small programs that fail
where the test says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.sweeps import quick_first

README = "```sh\nmain-job\n```\n\n```sh\npython -m pytest\n```\n"
TOOLS = {
    # a virtual environment is a folder of these tools; the README is read by the real interpreter
    "python3": 'if [ "$1" = -m ]; then mkdir -p "$3/bin" && cp tools/* "$3/bin"; '
    f'else exec "{sys.executable}" "$@"; fi',
    "pip": "verdict install",
    "ruff": 'verdict "$1"',
    "mypy": "verdict mypy",
    "lint-imports": "verdict lint-imports",
    "main-job": "verdict main-job",
    "python": 'kind=quick; for word in "$@"; do kind=$word; done; '
    'case "$kind" in pytest) kind=quick;; esac; verdict "$kind"; status=$?; '
    '[ "$status" -eq 9 ] && exit 1; [ "$status" -eq 5 ] && exit 5; '
    'echo "===== $kind: 3 told in 0.10s ====="; exit "$status"',
    # what the test wants of a tool: its exit code stands in a file
    "verdict": '[ -f "wanted/$1" ] && exit "$(cat "wanted/$1")"; exit 0',
}


def run(folder: Path, **wanted: int) -> tuple[int, list[str]]:
    """The script's exit code and lines, where some tools end with another code than 0."""
    for part in (".ci", "tools", "wanted"):
        (folder / part).mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "README.md").write_text(README, encoding="utf-8")
    for name, body in TOOLS.items():
        tool = folder / "tools" / name
        tool.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        tool.chmod(0o755)
    for name, code in wanted.items():
        (folder / "wanted" / name.replace("_", "-")).write_text(str(code), encoding="utf-8")
    path = f"{folder / 'tools'}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", str(folder / ".ci" / "run")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": path, "HOME": str(folder)},
    )
    return ended.returncode, ended.stdout.splitlines()


def test_all_is_well(tmp_path: Path) -> None:
    code, lines = run(tmp_path, peers=5)
    assert (code, lines[-1]) == (0, "===== quick: 3 told in 0.10s =====")
    assert not any(line.startswith("FAILED") for line in lines)
    assert "slow         ===== slow: 3 told in 0.10s =====" in lines
    assert not any(line.startswith("peers ") for line in lines)  # there is none of that kind


QUICK = "===== quick: 3 told in 0.10s ====="
NONE = "the test runner did not get to its closing line"
FAILURES = [
    ({"check": 1}, "style", QUICK),
    ({"engines": 9}, "engines", f"engines: {NONE}"),
    ({"slow": 1}, "slow", "===== slow: 3 told in 0.10s ====="),
    ({"mypy": 2}, "types", QUICK),
    ({"lint_imports": 1}, "layers", QUICK),
    ({"install": 1}, "install", QUICK),
    ({"main_job": 70}, "main", QUICK),
    ({"quick": 5}, "quick", f"quick: {NONE}"),
]


@pytest.mark.parametrize(("wanted", "name", "last"), quick_first(FAILURES, 2))
def test_what_fails_is_told(tmp_path: Path, wanted: dict[str, int], name: str, last: str) -> None:
    code, lines = run(tmp_path, **wanted)
    assert code == 1
    assert f"FAILED: {name}" in lines
    assert lines[-1] == last


@pytest.mark.slow
def test_the_first_kind_that_failed_is_last(tmp_path: Path) -> None:
    code, lines = run(tmp_path, training=1, cluster=1)
    assert (code, lines[-1]) == (1, "===== training: 3 told in 0.10s =====")
    assert "FAILED: training cluster" in lines


@pytest.mark.slow
def test_what_is_over_its_time_has_failed(tmp_path: Path) -> None:
    """124 is what `timeout` gives."""
    code, lines = run(tmp_path, main_job=124)
    assert code == 1
    assert any(line.startswith("main is over its time") for line in lines)
