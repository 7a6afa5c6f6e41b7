"""The search: neighbours, one on each side of the target, whatever ε does between them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bursar import Enclosure, Exact, InvalidParameter, LimitReached, Unreachable, UpperBound
from bursar.accounting.crossing import Crossing, Tried
from bursar.accounting.scales import Decimals, Scale, Wholes
from bursar.truth import Proved

Law = Callable[[float], float]


def search(law: Law, target: object = 1, scale: Scale | None = None) -> Crossing:
    """Over a law that is known to the last digit."""

    def ask(value: float) -> Proved:
        epsilon = law(value)
        return Enclosure(lower=epsilon, upper=epsilon)

    return Crossing(ask, scale or Decimals(), Exact.of(target))  # type: ignore[arg-type]


def crossed(law: Law, target: object = 1, scale: Scale | None = None, most: int = 60) -> float:
    """The value found: proved to pass, its neighbour proved to fail, in so many trials."""
    found = search(law, target, scale)
    good, bad = found.narrowed(*found.outward())
    assert abs(good - bad) == 1
    assert found.passes(good)
    assert not found.passes(bad)
    found.check_monotone(good, bad)
    assert len(found.tried) + len(found.outside) <= most
    return found.scale.at(good)


@given(st.floats(0.01, 30), st.floats(-8, 8), st.booleans())
def test_powers(power: float, log: float, falls: bool) -> None:
    """ε = (v/v₀)^±p: on log scales a line, which the secant finds at once."""
    at = 10**log
    sign = -1 if falls else 1
    found = crossed(
        lambda v: (
            (v / at) ** (sign * power)
            if power * abs(math.log(v / at)) < 600
            else (math.inf if sign * math.log(v / at) > 0 else 0.0)
        ),
        most=100,
    )
    assert found == pytest.approx(at, rel=3e-7)
    assert found >= at * (1 - 1e-12) if falls else found <= at * (1 + 1e-12)


@pytest.mark.parametrize(
    ("law", "at"),
    [
        (lambda v: math.expm1(3 / v), 3 / math.log(2)),
        (lambda v: max(0.0, 2 - v), 1.0),
        (lambda v: 5.0 if v < 2.5 else 0.1, 2.5),
        (lambda v: math.inf if v < 2.5 else 0.0, 2.5),
        (lambda v: 0.99999999 if v > 7e5 else 1.00000001, 7e5),
        (lambda v: 1 / math.log1p(v), math.e - 1),
        (lambda v: 1e-3 / v + 1e3 / v**4, 5.6236633),
    ],
)  # fmt: skip
def test_falling_laws(law: Law, at: float) -> None:
    assert crossed(law, most=75) == pytest.approx(at, rel=1e-5)


def test_a_smooth_law_takes_few_trials() -> None:
    crossed(lambda v: math.expm1(3 / v) + 0.2 / v**2, most=12)


@given(st.integers(1, 10**9), st.floats(0.2, 2))
def test_whole_numbers(at: int, power: float) -> None:
    """The largest count that passes."""
    found = crossed(lambda k: (k / (at + 0.5)) ** power, scale=Wholes(), most=90)
    assert found == at


@given(st.lists(st.tuples(st.floats(0.5, 40), st.floats(0, 5)), min_size=1, max_size=6))
def test_stairs(steps: list[tuple[float, float]]) -> None:
    """Any law that falls in jumps: the neighbours are still found."""

    def law(v: float) -> float:
        return 0.5 + sum(height for place, height in steps if v < place)

    if law(1e-30) > 1:
        crossed(law, most=120)


def test_a_target_of_zero() -> None:
    assert crossed(lambda v: max(0.0, 3 - v), 0) == 3.0


def test_the_end_of_the_domain_is_a_failure() -> None:
    def share(q: float) -> float:
        if q > 1:
            raise InvalidParameter("it must be in (0, 1]", field="q", value=q)
        return q / 10

    found = search(share)
    good, bad = found.narrowed(*found.outward())
    assert found.scale.at(good) == 1.0
    assert found.witness(good, bad) is None

    def only_above(v: float) -> float:
        if v > 30:
            raise InvalidParameter("too large", field="v", value=v)
        return 25 / v

    assert crossed(only_above) == 25.0


def test_a_limit_is_a_failure() -> None:
    def law(v: float) -> float:
        if v < 20:
            raise LimitReached("too long")
        return 5 / v

    assert crossed(law) == 20.0


def test_an_error_at_the_start_is_told() -> None:
    def law(_: float) -> float:
        raise InvalidParameter("never", field="v", value=0)

    with pytest.raises(InvalidParameter, match="never"):
        search(law).outward()
    with pytest.raises(InvalidParameter, match="never"):
        search(law).inside((1, 2))


def test_nothing_reaches_the_target() -> None:
    def floor(v: float) -> float:
        return 2 + 1 / v

    with pytest.raises(Unreachable) as caught:
        search(floor).outward()
    assert isinstance(caught.value.best, Tried)
    assert caught.value.best.result.upper == pytest.approx(2, rel=1e-6)
    assert "the best is" in str(caught.value)
    with pytest.raises(Unreachable, match="no value from 1 to 4 meets"):
        search(lambda k: k + 1.5, scale=Wholes()).inside((1, 4))
    with pytest.raises(Unreachable, match=r"no value from 1 to"):
        search(lambda k: k + 1.5, scale=Wholes()).outward()


def test_everything_meets_the_target() -> None:
    with pytest.raises(Unreachable, match="every value"):
        search(lambda _: 0.5).outward()
    with pytest.raises(InvalidParameter, match="same ε at both ends"):
        search(lambda _: 0.5).inside((1, 2))
    found = search(lambda v: 1 / v)
    assert found.inside((2, 50)) == Tried(2.0, Enclosure(lower=0.5, upper=0.5))
    assert search(lambda v: v / 100).inside((2, 50)) == Tried(50.0, Enclosure(lower=0.5, upper=0.5))


def test_what_is_not_monotone_is_refused() -> None:
    found = search(lambda v: abs(v - 3) + 0.5)
    good, bad = found.narrowed(*found.inside((3, 20)))
    found.check_monotone(good, bad)  # what was tried does not contradict that it rises
    found.look(found.scale.nearest(math.log2(1.1)))
    with pytest.raises(InvalidParameter) as caught:
        found.check_monotone(good, bad)
    assert caught.value.field == "make_plan"


def test_the_witness_is_proved_where_one_can_be() -> None:
    """Where the first failure is undecided, the next neighbour is asked."""

    def ask(value: float) -> Proved:
        return Enclosure(lower=(1 - 3e-8) * 2 / value, upper=(1 + 3e-8) * 2 / value)

    found = Crossing(ask, Decimals(), Exact(1))
    good, bad = found.narrowed(*found.outward())
    first, witness = found.look(bad), found.witness(good, bad)
    assert first is not None
    assert witness is not None
    assert isinstance(first.result, Enclosure)
    assert isinstance(witness.result, Enclosure)
    assert first.result.lower <= 1 < witness.result.lower
    assert witness.value >= found.scale.at(good) * (1 - 1e-6)


def test_bounds_that_are_not_tight_fail_as_bounds() -> None:
    found = Crossing(lambda v: UpperBound(upper=2 / v), Decimals(), Exact(1))
    good, bad = found.narrowed(*found.outward())
    witness = found.witness(good, bad)
    assert witness is not None
    assert witness.result == UpperBound(upper=2 / witness.value)


def test_there_is_a_cap() -> None:
    found = search(lambda v: 1 / v)
    with pytest.raises(LimitReached, match="300 values"):
        deque(map(found.look, range(1000)), maxlen=0)
