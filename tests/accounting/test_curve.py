"""The whole profile: its points are the accountant's answers, and both directions bound it."""

from __future__ import annotations

import pytest

from bursar.accounting import choose, exact
from bursar.accounting.curve import log_spaced, profile, spaced
from bursar.adjacency import Direction
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.statements import ZeroConcentratedDP
from bursar.truth import Enclosure, Estimate, UpperBound

RUN = 30 * PoissonSubsampled(Gaussian(noise_multiplier="0.9"), sampling_probability="0.1")


def test_every_point_is_an_answer() -> None:
    for point in profile(RUN, epsilons=["0.5", 1, 2]):
        alone = choose.delta(RUN, epsilon=point.given)
        assert (point.worst.upper, point.worst.about.direction) == (alone.upper, "remove")  # type: ignore[union-attr]
        assert point.remove == exact.delta(RUN, epsilon=point.given, direction=Direction.REMOVE)
        assert point.add == exact.delta(RUN, epsilon=point.given, direction=Direction.ADD)


def test_the_curve_turns_round() -> None:
    """ε at δ, and δ at that ε, lead back."""
    for point in profile(RUN, deltas=["1e-3", "1e-9"]):
        back = exact.delta(RUN, epsilon=point.worst.upper)  # type: ignore[union-attr]
        assert back.upper <= float(point.given) * (1 + 1e-9)
        assert back.upper >= float(point.given) * (1 - 1e-9)


def test_one_profile_serves_both_directions_of_a_symmetric_pair() -> None:
    (point,) = profile(Gaussian(noise_multiplier=2), epsilons=[1])
    assert point.remove is point.add


def test_what_has_no_pair_has_one_bound() -> None:
    (point,) = profile(ZeroConcentratedDP(rho="0.1"), epsilons=[1])
    assert isinstance(point.worst, UpperBound)
    assert (point.remove, point.add) == (None, None)


def test_an_estimate_stays_one() -> None:
    (point,) = profile(RUN, epsilons=[1], method="gdp")
    assert isinstance(point.worst, Estimate)
    assert point.to_json()["kind"] == "estimate"


def test_where_both_directions_meet_both_are_meant() -> None:
    (point,) = profile(RUN, epsilons=[0])
    assert isinstance(point.worst, Enclosure)
    assert point.worst.about.direction == "both"


def test_grids_are_short_decimals() -> None:
    assert [str(value) for value in spaced(0, 4, 5)] == ["0", "1", "2", "3", "4"]
    assert [str(value) for value in log_spaced(1e-9, 1e-5, 5)] == [
        f"1e-{power}" for power in (9, 8, 7, 6, 5)
    ]
    assert [str(value) for value in log_spaced(1e-300, 1e-298, 2)] == ["1e-300", "1e-298"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"epsilons": [1], "deltas": [1]},
        {"epsilons": [-1]},
        {"deltas": [2]},
        {"epsilons": ["x"]},
    ],
)
def test_questions_that_are_none(asked: dict[str, list[object]]) -> None:
    with pytest.raises(InvalidParameter):
        profile(RUN, **asked)  # type: ignore[arg-type]
