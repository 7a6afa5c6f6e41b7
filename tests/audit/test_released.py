"""Everything in bursar that releases anything runs under the auditor, with its claim."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from bursar.audit import Vectorised, look
from bursar.audit.look import Source, drawn
from tests.audit.released import QUIET, RELEASED
from tests.audit.released_noise import Released
from tests.house.tree import SOURCE, modules

# The rooms from which anything leaves: those that draw noise, and those that run analyses.
ROOMS = ("noise", "filters", "screening", "queries", "learning", "tuning")


@cache
def public() -> frozenset[str]:
    """The public names of those rooms that are there, and what is called a release elsewhere."""
    named = {
        f"{room}.{name}"
        for room in ROOMS
        if find_spec(f"bursar.{room}")
        for name in importlib.import_module(f"bursar.{room}").__all__
    }
    return frozenset(named) | {
        f"{'.'.join(path.relative_to(SOURCE).with_suffix('').parts)}.{node.name}"
        for path in modules()
        if path.relative_to(SOURCE).parts[0] not in ROOMS
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("release")
    }


def unknown(names: Iterable[str]) -> set[str]:
    """The public names of which nobody has said how they are audited, or why not."""
    covered = set().union(*(one.covers for one in RELEASED.values()))
    return set(names) - covered - set(QUIET)


def test_whatever_releases_is_registered() -> None:
    assert unknown(public()) == set(), "say in tests/audit/released.py how it is audited"


def test_a_name_that_is_new_would_be_seen() -> None:
    assert unknown({*public(), "noise.release_cauchy"}) == {"noise.release_cauchy"}


def test_the_registry_has_nothing_that_is_gone() -> None:
    covered = set().union(*(one.covers for one in RELEASED.values()))
    assert not covered & set(QUIET)
    assert (covered | set(QUIET)) <= public()


class Once(Source[Any]):
    """Outcomes that are drawn once, and looked at for two claims."""

    def __init__(self, run: Callable[[Any], object] | Vectorised[Any]) -> None:
        self.run = run
        self.kept: dict[int, Sequence[object]] = {}

    def draw(self, data: Any, size: int) -> Sequence[object]:
        return self.kept.setdefault(id(data), drawn(self.run, data, size))


def keeps_its_claim_and_no_more(one: Released) -> None:
    """To the last bit: nothing is rounded before it is looked at.  A false alarm in 1e6 runs."""
    run = Once(one.run)
    for claim, broken in ((one.claim, False), (one.too_strong, True)):
        found = look(run, *one.pair, claim=claim, adjacency=one.adjacency, samples=one.samples)
        assert found.found is broken, found.sentence()
    assert len(run.kept) == 2


ONE_BY_ONE = [name for name, one in RELEASED.items() if not isinstance(one.run, Vectorised)]


@pytest.mark.statistical
@pytest.mark.parametrize("name", sorted(set(RELEASED) - set(ONE_BY_ONE)))
def test_it_keeps_its_claim_and_no_more(name: str) -> None:
    keeps_its_claim_and_no_more(RELEASED[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_it_keeps_its_claim_and_no_more_run_by_run(name: str) -> None:
    keeps_its_claim_and_no_more(RELEASED[name])
