"""Kept mistakes of Edgeworth's bound: a part left out, a sign turned, a direction swapped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flint import arb

from bursar import BursarError, Direction
from bursar.accounting import exact, remainder
from bursar.accounting.edgeworth_profile import EdgeworthProfile
from bursar.accounting.expansion import Expansion
from bursar.numerics.tilted import Tilted
from tests.accounting.test_edgeworth import both_ends_hold
from tests.sweeps import quick_first


def no_fourth(self: Tilted, honest: Any = Tilted.cumulants) -> tuple[arb, ...]:
    """The composition's fourth cumulant is taken for 0."""
    mean, second, third, _, fifth = honest(self)
    return mean, second, third, arb(0), fifth


def one_count(loss: Any, found: Any, lam: float, honest: Any = Expansion.of) -> Expansion:
    """The last factor counts once in the expansion."""
    *others, (last, _) = loss.factors
    return honest(replace(loss, factors=(*others, (last, 1))), found, lam)  # type: ignore[no-any-return]


def other_way(plan: Any, relation: Any, way: Direction, honest: Any = exact.pairs_of) -> Any:
    """The pairs of the other direction."""
    other = Direction.ADD if way is Direction.REMOVE else Direction.REMOVE
    return honest(plan, relation, other)


def top_forgotten(loss: Any, infinite: arb, honest: Any = EdgeworthProfile.of) -> EdgeworthProfile:
    """ε is taken for the location."""
    return replace(honest(loss, infinite), top=arb(0))


def finite_only(loss: Any, infinite: arb, honest: Any = EdgeworthProfile.of) -> EdgeworthProfile:
    """No loss is infinite."""
    return replace(honest(loss, infinite), infinite=arb(0))


def nothing(*_: Any) -> arb:
    """No error there."""
    return arb(0)


MUTANTS: dict[str, tuple[Any, str, Any, str]] = {
    "no error near": (remainder, "_near", nothing, "sampled"),
    "no error beyond": (remainder, "_beyond", nothing, "atoms"),
    "no later periods": (remainder, "_periods", nothing, "atoms"),
    "the error's sign turned": (
        Expansion,
        "error_at",
        lambda self, e: -self.error.total * self._weight(e),
        "sampled",
    ),
    "no fourth cumulant": (Tilted, "cumulants", no_fourth, "with gaussians"),
    "one count dropped": (Expansion, "of", one_count, "three"),
    "top forgotten": (EdgeworthProfile, "of", top_forgotten, "sampled"),
    "directions swapped": (exact, "pairs_of", other_way, "sampled"),
    "infinite losses forgotten": (EdgeworthProfile, "of", finite_only, "infinite"),
}


@pytest.mark.parametrize("name", quick_first(MUTANTS, 4))
def test_the_suite_catches_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, part, mistake, plan = MUTANTS[name]
    both_ends_hold(plan)
    monkeypatch.setattr(room, part, mistake)
    with pytest.raises((AssertionError, BursarError)):
        both_ends_hold(plan)
