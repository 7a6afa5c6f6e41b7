"""What an analyst sees is the same, whoever dropped out, and however many did.

Each world is a data set; in each the same questions are asked.  Everything that leaves by another
way than the answers is collected as text, and is the same text in all worlds.
"""

from __future__ import annotations

import io
import logging
import pickle
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest

from bursar.errors import BursarError, Refused
from bursar.filters.concentrated import ZcdpFilter
from bursar.filters.individual import IndividualFilter, Inside
from bursar.filters.individual_costs import given
from bursar.filters.local import LocalFilter
from bursar.filters.purse import Purse
from bursar.filters.renyi import RenyiFilter
from bursar.filters.saved import save_people
from bursar.filters.scope import IndividualScope
from bursar.mechanisms.statements import PureDP, ZeroConcentratedDP

PEOPLE = IndividualFilter.zcdp(rho=10, people=4, unit=1)
WORLDS = {
    "nobody is left out": [1, 1, 1, 1],
    "one is": [1, 1, 1, 8],
    "half of them are": [1, 8, 1, 8],
    "all are": [8, 8, 8, 8],
    "all are, at once": [11, 11, 11, 11],
}


def told(error: BaseException) -> list[str]:
    """Everything an error can say: its text, its fields, what it carries, and its traceback."""
    chain = [error, error.__cause__, error.__context__]
    lines = [repr(one) for one in chain] + traceback.format_exception(error)
    frames = traceback.walk_tb(error.__traceback__)
    for frame, _ in frames:
        own = frame.f_code.co_filename
        held = frame.f_locals if "/bursar/filters/" in own else {}
        lines += [f"{name} = {value!r}" for name, value in sorted(held.items()) if name != "self"]
    assert isinstance(error, BursarError)
    lines += [repr(error.to_json()), repr(pickle.dumps(error.args))]
    return [re.sub(" at 0x[0-9a-f]+", "", line) for line in lines]


def first_inside(inside: Inside) -> int:
    """A careless release: it fails where nobody is inside."""
    return int(np.flatnonzero(inside.reveal())[0])


def listed(inside: Inside) -> int:
    """A careless release: its error shows who is inside."""
    raise KeyError(inside.reveal().tolist())


def session(costs: list[int], release: Callable[[Inside], int]) -> list[str]:
    """What can be seen of four questions, answers apart; a failing one says that it failed."""
    purse = Purse({"census": ZcdpFilter(rho=25)})
    scope = IndividualScope.open(purse, PEOPLE, request="survey")
    seen: list[str] = []
    for i in range(4):
        try:
            scope.answer(lambda: given(PEOPLE, np.array(costs)), release, most=11, request=f"{i}")
        except Refused as error:
            seen += told(error)
    left = scope.left()
    seen += [repr(thing) for thing in (scope.standing, left, scope.failure("3"))]
    seen += [f"{scope.standing.serial}, {scope.standing.pending}, {len(left)}, {purse.history()}"]
    seen += [f"{sys.getsizeof(scope.standing)}, {sys.getsizeof(left)}, {left.reveal().nbytes}"]
    return [*seen, f"{len(save_people(PEOPLE, scope.standing))} bytes"]


def world(costs: list[int], release: Callable[[Inside], int]) -> list[str]:
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    handler, root = logging.StreamHandler(log), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error")
            seen = session(costs, release)
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
    return [*seen, out.getvalue(), err.getvalue(), log.getvalue()]


@pytest.mark.parametrize("release", [lambda _: 0, listed])
def test_nothing_that_is_seen_depends_on_who_is_inside(release: Callable[[Inside], int]) -> None:
    views = {name: world(costs, release) for name, costs in WORLDS.items()}
    first = views["nobody is left out"]
    assert all(view == first for view in views.values())
    assert ("failed" in str(first)) is (release is listed)


def test_where_a_release_fails_only_that_is_seen() -> None:
    """That it fails at all cannot be hidden: its words, and where it failed, are."""
    purse = Purse({"census": ZcdpFilter(rho=25)})
    scope = IndividualScope.open(purse, PEOPLE, request="survey")
    errors = []
    for request, costs in (("q-1", [11] * 4), ("q-2", [-3] * 4)):
        with pytest.raises(Refused) as caught:
            scope.answer(
                lambda costs=costs: given(PEOPLE, np.array(costs)),
                first_inside,
                most=1,
                request=request,
            )
        errors.append([line.replace(request, "…") for line in told(caught.value)])
        assert caught.value.__context__ is None
    assert errors[0] == errors[1]
    (release, priced) = (scope.failure(name) for name in ("q-1", "q-2"))
    assert release is not None
    assert priced is not None
    assert "IndexError" in release.reveal()
    assert "0 or above" in priced.reveal()


def test_a_device_says_the_same_whether_it_is_spent() -> None:
    machine: LocalFilter[int] = LocalFilter(RenyiFilter({2: 1}, adjacency="zero-out"), null=0)

    def seen(value: int, step: PureDP | ZeroConcentratedDP) -> tuple[object, ...]:
        device = machine.start()
        for _ in range(5):
            device, fed = machine.feed(device, step, value)
        return repr(device), sys.getsizeof(device), type(fed), device.reveal().serial

    cheap, dear = ZeroConcentratedDP(rho="0.001"), ZeroConcentratedDP(rho="0.4")
    assert seen(7, cheap) == seen(7, dear) == seen(7, PureDP(epsilon=50))
