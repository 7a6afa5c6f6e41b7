"""A root is between both ends, which come near in few looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flint import arb

from bursar.errors import LimitReached
from bursar.numerics.balls import precision
from bursar.numerics.roots import Bracket, bracket_root


def fading(x: arb) -> arb:
    """e^{−x²}/2."""
    return (-x * x).exp() / 2


def ending(x: arb) -> arb:
    """(1 − e^{x−1})₊: 0 from 1 on."""
    return (1 - (x - 1).exp()).max(arb(0))


def sharp(delta_at: Callable[[arb], arb], target: str) -> tuple[Bracket, int]:
    looks = 0

    def counted(x: arb) -> arb:
        nonlocal looks
        looks += 1
        return delta_at(x)

    with precision(256):
        return bracket_root(counted, arb(target)), looks


@pytest.mark.parametrize(
    ("delta_at", "target", "most"),
    [
        (fading, "0.25", 20),
        (fading, "1e-300", 40),
        (ending, "0.5", 20),
        (ending, "1e-9", 50),
        (lambda x: (-x * arb(10) ** 150).exp(), "1e-5", 50),
        (lambda x: (-x / 10**5).exp(), "1e-5", 50),
    ],
)
def test_both_ends_come_near(delta_at: Callable[[arb], arb], target: str, most: int) -> None:
    found, looks = sharp(delta_at, target)
    assert found.high is not None
    with precision(512):
        assert delta_at(found.low) > arb(target)
        assert delta_at(found.high) <= arb(target)
        assert found.high - found.low <= 1e-18 * found.high
    assert looks <= most


def test_what_balls_cannot_tell_is_between_the_ends() -> None:
    """δ is known to 1e-9 only: so are the ends, and they come as near as that."""

    def blurred(x: arb) -> arb:
        return fading(x) * arb(1, 1e-9)

    found, _ = sharp(blurred, "0.25")
    assert found.high is not None
    root = arb(2).log().sqrt()
    assert found.low < root < found.high
    assert found.high - found.low < 1e-8


def test_a_target_that_is_met_at_once() -> None:
    found, looks = sharp(fading, "0.5")
    assert found.high is not None
    assert (found.low, found.high, looks) == (0, 0, 1)


def test_a_root_beyond_the_largest_is_a_limit() -> None:
    with pytest.raises(LimitReached):
        sharp(lambda x: 1 / (1 + x), "1e-30")
