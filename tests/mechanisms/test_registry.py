"""The registry, the page about mechanisms, and what every mechanism promises as a value."""

from __future__ import annotations

import json
import pickle
import re

import pytest

from bursar.adjacency import Adjacency, Direction
from bursar.errors import NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.files import plan_of
from bursar.mechanisms.registry import AROUND, MECHANISMS, UNWRITTEN
from bursar.mechanisms.views import views_of
from tests.mechanisms.examples import EXAMPLES
from tests.mechanisms.page import PAGE, written

each = pytest.mark.parametrize("mechanism", EXAMPLES, ids=lambda mechanism: mechanism.name)


def test_there_is_an_example_of_each() -> None:
    every = {*MECHANISMS.values(), *AROUND, *UNWRITTEN}
    assert {type(example) for example in EXAMPLES} == every
    assert len({kind.name for kind in every}) == len(every) == len(EXAMPLES)


def test_the_page_says_what_the_mechanisms_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "write it again with: python -m tests.mechanisms.page"


@each
def test_the_page_has_a_section_for_it(mechanism: Mechanism) -> None:
    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sum(f"`{mechanism.name}`" in heading for heading in headings) == 1


@each
def test_it_is_a_value(mechanism: Mechanism) -> None:
    assert {mechanism: 1}[mechanism] == 1
    assert json.loads(json.dumps(mechanism.canonical())) == mechanism.canonical()
    if not isinstance(mechanism, UNWRITTEN):
        assert pickle.loads(pickle.dumps(mechanism)) == mechanism
        assert plan_of([mechanism.canonical()]) == 1 * mechanism


@each
def test_every_relation_is_answered_or_refused_with_a_reason(mechanism: Mechanism) -> None:
    """A view under a relation that is not proved raises NoProof; none is silently another's."""
    views = views_of(mechanism)
    assert views
    for relation in Adjacency:
        answered = [view for view in views if answers(mechanism, view, relation)]
        proved = relation in mechanism.relations
        assert bool(answered) == proved
        assert not proved or mechanism.wraps or answered == views


def answers(mechanism: Mechanism, view: str, relation: Adjacency) -> bool:
    """Whether it has this view under this relation."""
    try:
        if view in ("pair", "samples"):
            getattr(mechanism, view)(relation, Direction.ADD)
        else:
            getattr(mechanism, view)(relation)
    except NoProof as error:
        return not error.need
    return True
