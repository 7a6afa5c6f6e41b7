"""Contours that are shaped badly on purpose: wide, or refused, and never false.

And with each error term forgotten, some bad shape tells a falsehood: no term is decoration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from flint import arb

from bursar import (
    ApproximateDP,
    Direction,
    Enclosure,
    Gaussian,
    InternalError,
    Laplace,
    Plan,
    RandomizedResponse,
)
from bursar.accounting import contour, exact
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.stack import Stack
from bursar.adjacency import DEFAULT
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.views import pairs
from bursar.numerics import lines
from bursar.numerics.balls import precision
from bursar.numerics.lines import LineSpec
from bursar.numerics.propose import Outer, Shape
from tests.laws.cases import poisson
from tests.sweeps import quick_first

CASES: dict[str, tuple[Plan, Direction, str]] = {
    "remove": (50 * poisson(1, "0.1"), Direction.REMOVE, "2"),
    "add": (50 * poisson(1, "0.1"), Direction.ADD, "1.5"),
    "mixed": (
        5 * poisson(1, "0.1") + 9 * poisson(3, "0.3") + Gaussian(noise_multiplier=5),
        Direction.REMOVE,
        "1",
    ),
    "rare": (100 * poisson("0.6", "1e-3"), Direction.REMOVE, "1"),
    "sliced": (100 * poisson("0.5", "1e-5"), Direction.REMOVE, "1"),
}


@cache
def good(case: str) -> tuple[Stack, arb, arb, arb]:
    """The proposed contours of a case, the location, and both ends of δ there."""
    plan, way, at = CASES[case]
    profile = exact.profile(pairs(plan, DEFAULT, way))
    assert isinstance(profile, ContourProfile)
    with precision(256):
        epsilon = arb(at)
        location = epsilon - profile.top
    profile.delta_at(epsilon)
    found = profile.stack
    assert found is not None
    with precision(found.bits):
        return found, location, found.lower(location), found.upper(location)


def every(shape: Shape, change: Callable[[LineSpec], LineSpec]) -> Shape:
    """The shape with all its lines changed."""

    def changed(given: tuple[LineSpec, ...]) -> tuple[LineSpec, ...]:
        return tuple(change(line) for line in given)

    def outer(given: Outer) -> Outer:
        return replace(given, lines=changed(given.lines), under=changed(given.under))

    return replace(
        shape,
        lines=changed(shape.lines),
        under=changed(shape.under),
        right=outer(shape.right),
        left=outer(shape.left) if shape.left else None,
    )


def trimmed(line: LineSpec, share: float) -> LineSpec:
    """A line that ends early on both sides."""
    middle = round((line.first + line.last) / 2)
    half = max(1, int((line.last - line.first) * share / 2))
    return replace(line, first=middle - half, last=middle + half)


SPOILS: dict[str, Callable[[Shape], Shape]] = {
    "half as long": lambda s: replace(s, n=max(2, s.n // 2)),
    "a tenth as long": lambda s: replace(s, n=max(2, s.n // 10)),
    "two nodes": lambda s: replace(s, n=2),
    "wide steps": lambda s: replace(s, tau=2 * s.tau),
    "wider steps": lambda s: replace(s, tau=8 * s.tau),
    "few bits": lambda s: replace(s, bits=40),
    "few cells": lambda s: every(s, lambda line: replace(line, cells=2)),
    "coarse": lambda s: every(s, lambda line: coarse(line, 2.0)),
    "coarse but for aliases": lambda s: replace(
        s,
        lines=tuple(coarse(line, 2.2) for line in s.lines),
        under=tuple(coarse(line, 2.2) for line in s.under),
    ),
    "coarser": lambda s: every(s, lambda line: coarse(line, 3.5)),
    "coarsest": lambda s: every(s, lambda line: coarse(line, 6)),
    "short lines": lambda s: every(s, lambda line: trimmed(line, 0.6)),
    "shorter lines": lambda s: every(s, lambda line: trimmed(line, 0.4)),
    "flat lines": lambda s: every(s, lambda line: replace(line, shift=line.shift / 4)),
    "other shifts": lambda s: replace(s, shifts=tuple(shift / 3 for shift in s.shifts)),
}


def coarse(line: LineSpec, times: float) -> LineSpec:
    """The same reach with fewer nodes."""
    first, last = round(line.first / times), round(line.last / times)
    return replace(line, eta=line.eta * times, first=first, last=max(last, first + 1))


def spoiled(case: str, kind: str) -> tuple[arb, arb] | None:
    """Both ends of δ by the case's contours with their shapes spoiled; None where refused."""
    plan, way, _ = CASES[case]
    found, location, _, _ = good(case)
    shapes = [SPOILS[kind](made.shape) for made in found.contours]
    loss = exact.loss_of(pairs(plan, DEFAULT, way))
    try:
        made = Stack.of(loss, shapes, found.body)
        with precision(made.bits):
            return made.lower(location), made.upper(location)
    except InternalError:
        return None


def false(case: str, kind: str) -> bool:
    """Whether the spoiled contours prove what is not so."""
    ends = spoiled(case, kind)
    _, _, lower, upper = good(case)
    return ends is not None and (bool(ends[0] > upper) or bool(ends[1] < lower))


@pytest.mark.parametrize("case", quick_first(CASES, 2))
def test_the_proposed_contour_is_sharp(case: str) -> None:
    _, _, lower, upper = good(case)
    assert 0 < lower < upper
    assert upper - lower < upper * arb("1e-12")


@pytest.mark.parametrize("kind", SPOILS)
@pytest.mark.parametrize("case", quick_first(CASES, 2))
def test_a_bad_shape_costs_width_or_is_refused_and_never_truth(case: str, kind: str) -> None:
    assert not false(case, kind)


def test_bad_shapes_are_not_all_refused() -> None:
    answered = {kind: ends for kind in SPOILS if (ends := spoiled("remove", kind))}
    assert len(answered) > len(SPOILS) / 2
    for kind in ("two nodes", "wider steps"):
        assert answered[kind][1] > 1.001 * good("remove")[3]


def _zero(*_: object) -> arb:
    return arb(0)


FORGOTTEN = [
    ("decay", contour, _zero, "remove", "half as long"),
    ("decay", contour, _zero, "add", "half as long"),
    ("_aliases", contour, lambda *_: (arb(0), arb(0), arb(0)), "remove", "wide steps"),
    ("_aliases", contour, lambda *_: (arb(0), arb(0), arb(0)), "add", "wide steps"),
    ("line_error", lines, lambda step, spec, _: lines.truncation(step, spec), "remove", "coarse"),
    ("line_error", lines, lambda step, spec, _: lines.truncation(step, spec), "add", "coarser"),
    ("truncation", lines, _zero, "remove", "short lines"),
    ("truncation", lines, _zero, "add", "short lines"),
]
SLOWLY = [
    ("burst", contour, _zero, "sliced", "half as long"),
    ("line_error", lines, lambda step, spec, _: lines.truncation(step, spec), "rare", "flat lines"),
    ("gap_error", lines, _zero, "sliced", "coarse but for aliases"),
]


@pytest.mark.parametrize(
    ("part", "room", "nothing", "case", "kind"), quick_first(FORGOTTEN + SLOWLY, len(FORGOTTEN))
)
def test_a_proof_that_forgets_a_part_is_caught(
    monkeypatch: pytest.MonkeyPatch, part: str, room: object, nothing: object, case: str, kind: str
) -> None:
    good(case)
    monkeypatch.setattr(room, part, nothing)
    assert false(case, kind)


# Where ε = 0 at once ----------------------------------------------------------------------------

KINDS = [
    poisson(1, "0.3"),
    poisson("0.4", "0.001"),
    Gaussian(noise_multiplier=3),
    Laplace(scale=2),
    RandomizedResponse(epsilon=1, categories=4),
    ApproximateDP(epsilon="0.3", delta="0.01"),
]


@pytest.mark.parametrize("step", KINDS, ids=repr)
def test_a_variation_is_delta_at_zero(step: Mechanism) -> None:
    """Each formula against the profile of its step alone."""
    relation = min(step.relations)
    (leaking,) = {getattr(step, "delta", 0)}
    for way in Direction:
        loss = exact.loss_of(pairs(Plan.of(step), relation, way))
        found = exact.delta(step, epsilon=0, adjacency=relation, direction=way)
        assert isinstance(found, Enclosure)
        with precision(256):
            whole = loss.variation() + arb(str(leaking))
        assert found.lower * (1 - 1e-14) <= float(whole) <= found.upper * (1 + 1e-14)


def test_many_small_steps_have_no_epsilon_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And without the sum of variations the contours say so too, where they can."""
    plan = 10 * poisson(2, "0.01") + 5 * poisson(3, "0.05")
    least = exact.delta(plan, epsilon=0).upper
    assert exact.epsilon(plan, delta="0.06").upper == 0
    assert exact.epsilon(plan, delta=least * 0.999).upper > 0
    monkeypatch.setattr(contour.Loss, "variation", lambda _: arb(9))
    assert exact.epsilon(plan, delta="0.06").upper == 0
