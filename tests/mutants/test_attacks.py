"""Kept mistakes of attacks and witnesses: ends, directions and laws in the wrong place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bursar.accounting import power, power_curves, witness
from bursar.accounting.lattice_profile import LatticeProfile
from bursar.accounting.power_curves import Enclosed
from tests.accounting import test_risk_lattice as tests
from tests.sweeps import quick_first

Check = Callable[[], None]


def only_false_claims() -> None:
    tests.test_a_claim_is_refuted_only_where_it_is_false("an uneven table")


def best_tests() -> None:
    tests.test_the_best_test_is_enclosed("an uneven table", "0.1")


def best_tests_below_one() -> None:
    tests.test_the_best_test_is_enclosed("a table", "0.3")


def corners() -> None:
    tests.test_the_best_test_is_enclosed("corners", "0.1")


def upper_law_below(self: LatticeProfile, law: Any, epsilon: Any) -> Any:
    """The upper law at both ends."""
    above = law.delta(epsilon, up=True)
    return above, above


def one_profile(here: Any, there: Any, pairs: Any, turned: Any, honest: Any = Enclosed.of) -> Any:
    """δ(x) at x < 1 by the profile of the same direction."""
    return honest(here, here, pairs, turned)


def infinite_turned(pairs: Any, honest: Any = power_curves._infinite) -> Any:
    """The same probability of an infinite loss in both directions."""
    return honest(type(pairs)(tests.plan("a table").total(_one)))


def _one(mechanism: Any) -> Any:
    return ((mechanism.pair(tests.Adjacency.ADD_OR_REMOVE_ONE, tests.Direction.ADD), 4),)


def ends_swapped(self: Enclosed, log_x: float, rate: Any, honest: Any = Enclosed.line) -> Any:
    """Upper for lower."""
    low, high = honest(self, log_x, rate)
    return high, low


def no_slopes(first: Any, second: Any, third: Any, last: Any) -> Any:
    """The points on both sides, as if g could not be lower between them."""
    return max(second[1], third[1]), (second[0] + third[0]) / 2


MUTANTS: dict[str, tuple[Any, str, Any, Check]] = {
    "the upper law refutes": (LatticeProfile, "_ends", upper_law_below, only_false_claims),
    "the upper end refutes": (
        witness,
        "_enclosed",
        lambda value, honest=witness._enclosed: type(honest(value))(
            lower=honest(value).upper, upper=honest(value).upper
        ),
        only_false_claims,
    ),
    "one direction's profile for both": (Enclosed, "of", one_profile, best_tests_below_one),
    "ends swapped": (Enclosed, "line", ends_swapped, best_tests),
    "the upper law bounds from below": (LatticeProfile, "_ends", upper_law_below, best_tests),
    "lines without slopes": (power, "_meeting", no_slopes, corners),
    "infinite losses of the other direction": (
        power_curves,
        "_infinite",
        infinite_turned,
        tests.test_at_rate_0_only_what_gives_the_person_away_counts,
    ),
}


@pytest.mark.parametrize("name", quick_first(MUTANTS, 4))
def test_the_suite_catches_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, part, mistake, check = MUTANTS[name]
    check()
    monkeypatch.setattr(room, part, mistake)
    with pytest.raises(AssertionError):
        check()
