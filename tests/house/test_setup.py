"""What is declared, pinned and run in CI agrees."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.house.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
DECLARED = [
    *PROJECT["project"]["dependencies"],
    *(one for extra in EXTRAS.values() for one in extra),
]
PINNED = dict(
    re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M)
)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("declared", sorted(DECLARED))
def test_every_dependency_has_a_measured_version_within_its_range(declared: str) -> None:
    need = Requirement(declared)
    assert need.specifier.contains(PINNED[need.name])


def test_ci_gives_every_kind_of_test_its_time() -> None:
    marks = {mark.split(":")[0] for mark in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
    kinds = re.search(r"for kind in (.*); do", CI)
    assert kinds is not None
    times = dict(re.findall(r'"(\w+) (\d+)"', kinds[1]))
    times |= dict(re.findall(r"^(?:check|tests) (\w+) (\d+) ", CI, re.M))
    assert marks | {"quick"} <= set(times)
    assert sum(map(int, times.values())) <= 20 * 60


def test_quick_is_what_no_other_kind_is() -> None:
    options = PROJECT["tool"]["pytest"]["ini_options"]
    marks = [mark.split(":")[0] for mark in options["markers"]]
    assert options["addopts"][-1] == f"not ({' or '.join(marks)})"
