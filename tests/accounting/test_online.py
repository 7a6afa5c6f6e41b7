"""ε after every step: each is what the exact accountant says of so many steps."""

from __future__ import annotations

import pytest
from flint import arb

from bursar.accounting import choose, exact, online
from bursar.accounting.climb import Climb
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.stack import Stack
from bursar.adjacency import DEFAULT, Direction
from bursar.errors import InvalidParameter
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.statements import ApproximateDP, PureDP, ZeroConcentratedDP
from bursar.numerics import levels
from bursar.numerics.balls import precision
from bursar.truth import About, Enclosure, Proved

STEP = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.05")


RARE = PoissonSubsampled(Gaussian(noise_multiplier=1), sampling_probability="1e-3")


def meet(shared: Proved, alone: Proved, *, within: float = 1e-11) -> None:
    """Both enclose one number, and narrowly."""
    assert isinstance(shared, Enclosure)
    assert isinstance(alone, Enclosure)
    assert shared.lower <= alone.upper
    assert alone.lower <= shared.upper
    assert shared.upper <= (1 + within) * shared.lower


def test_each_overlaps_the_account_of_its_own() -> None:
    found = online.epsilons(STEP, steps=60, delta="1e-6")
    assert len(found) == 60
    for k in (1, 2, 3, 9, 10, 13, 37, 60):
        meet(found[k - 1], exact.epsilon(k * STEP, delta="1e-6"))


@pytest.mark.slow
def test_rare_jumps_share_their_slices() -> None:
    found = online.epsilons(RARE, steps=300, delta="1e-5")
    for k in (5, 11, 60, 100, 299):
        meet(found[k - 1], exact.epsilon(k * RARE, delta="1e-5"), within=1e-10)


@pytest.mark.parametrize(
    ("beside", "direction"),
    [
        (ApproximateDP(epsilon="0.001", delta="1e-7"), "remove"),
        (Gaussian(noise_multiplier=20), "remove"),
    ],
)
def test_a_turn_may_be_a_plan(beside: ApproximateDP | Gaussian, direction: str) -> None:
    turn = STEP + beside
    found = online.epsilons(turn, steps=9, delta="1e-6")
    for k in (8, 9):
        meet(found[k - 1], exact.epsilon(k * turn, delta="1e-6"))
        assert found[k - 1].about.direction == "remove"


def test_where_both_directions_are_near_the_worse_is_asked_for_alone() -> None:
    """So many small steps that their losses are as good as normal."""
    small = PoissonSubsampled(Gaussian(noise_multiplier=1000), sampling_probability="0.01")
    for k, found in online.walk(small, steps=2 * 10**12, every=10**12, delta="1e-5"):
        meet(found, exact.epsilon(k * small, delta="1e-5"))


def test_both_directions_of_one_law_are_one() -> None:
    turn = Gaussian(noise_multiplier=5) + Laplace(scale=9)
    for k, found in online.walk(turn, steps=9, every=3, delta="1e-6"):
        meet(found, exact.epsilon(k * turn, delta="1e-6"))
        assert found.about.direction == "both"
        assert found.about.bill


def test_a_stack_climbs_to_what_it_is_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """With slices and a body; up by one, by more, by one again, and back."""
    loud = PoissonSubsampled(Gaussian(noise_multiplier="0.5"), sampling_probability="0.01")
    pairs = views.pairs(Plan.of(loud), DEFAULT, Direction.REMOVE)
    turn, at = exact.loss_of(pairs), arb(4.8)
    profile = exact.profile(20 * pairs)
    assert isinstance(profile, ContourProfile)
    monkeypatch.setattr(levels, "_LAST", 300)
    monkeypatch.setattr(levels, "_EASY", 300)
    monkeypatch.setattr(levels, "_LAST", 300)
    shapes, body = levels.propose_levels(profile.found, 4.8, -11.5, 25.0, None)
    assert len(shapes) > 1
    assert body is not None
    climb = Climb(turn, Stack.of(turn, shapes, body), 20)
    for count in (20, 21, 22, 25, 26, 10, 26):
        alone, climbed = Stack.of(turn.times(count), shapes, body), climb.at(count)
        with precision(alone.bits):
            for bound in (Stack.trapezoid, Stack.tail_at, Stack.aliases_at):
                known, found = bound(alone, at), bound(climbed, at)
                assert found.overlaps(known)
                assert abs(found - known) < 1e-10 * known


def test_what_is_around_a_location_tells_what_is_beside_it() -> None:
    """The slope, and the second order: far enough off, a line alone would be wrong."""
    pairs = views.pairs(Plan.of(STEP), DEFAULT, Direction.REMOVE)
    profile = exact.profile(30 * pairs)
    assert isinstance(profile, ContourProfile)
    profile.epsilon_at(arb("1e-6"))
    assert profile.stack is not None
    at = arb(0.9)
    for count in (30, 45):
        (contour,) = Climb(exact.loss_of(pairs), profile.stack, 30).at(count).contours
        with precision(contour.shape.bits):
            around = contour.around(at)
            assert around[0].overlaps(contour.trapezoid(at))
            for off, sharp in ((arb(2.0**-40), 1e-16), (arb(-(2.0**-12)), 1e-3)):
                known, found = contour.trapezoid(at + off), contour.beside(around, at, off)
                assert found.contains(known.mid())
                assert found.rad() <= sharp * known
            line = (-arb(contour.shape.lam) * off).exp() * (around[0] + around[1] * off)
            assert not line.overlaps(known)


def test_what_the_add_direction_is_shown_for() -> None:
    """Above its ε it is; not below; and what was shown for more turns holds for a larger ε only."""
    pairs = views.pairs(Plan.of(STEP), DEFAULT, Direction.ADD)
    turns = online._Turns.of(pairs, arb("1e-6"))
    assert turns is not None
    found = exact.epsilon(30 * STEP, delta="1e-6", direction=Direction.ADD)
    assert isinstance(found, Enclosure)
    shown = online._Add(turns)
    assert not shown.at_most(30, arb(0.99 * found.lower))
    assert shown.at_most(30, arb(1.05 * found.upper))
    assert shown.at_most(29, arb(1.06 * found.upper))
    assert not shown.at_most(30, arb(0.99 * found.lower))
    assert not shown.at_most(60, arb(1.05 * found.upper))


def test_lower_ends_do_not_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    def wider(run: Plan, **_: object) -> Proved:
        return Enclosure(lower=1 - run.steps[0][1] / 10, upper=2, about=About())

    monkeypatch.setattr(online.choose, "epsilon", wider)
    found = online.epsilons(PureDP(epsilon=1), steps=3, delta="1e-6")
    assert [each.lower for each in found if isinstance(each, Enclosure)] == [0.9, 0.9, 0.9]


def test_they_grow() -> None:
    uppers = [each.upper for each in online.epsilons(STEP, steps=60, delta="1e-6")]
    assert uppers == sorted(uppers)


def test_a_shared_contour_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    real = online.choose.epsilon

    def counted(run: object, **rest: object) -> object:
        asked.append(run)
        return real(run, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(online.choose, "epsilon", counted)
    online.epsilons(STEP, steps=40, delta="1e-6")
    assert len(asked) < 12


@pytest.mark.parametrize(
    "step", [Gaussian(noise_multiplier=3), Laplace(scale=5), PureDP(epsilon=1)]
)
def test_other_steps_are_asked_one_by_one(step: Gaussian | Laplace | PureDP) -> None:
    found = online.epsilons(step, steps=3, delta="1e-3")
    assert [each.upper for each in found] == [
        exact.epsilon(k * step, delta="1e-3").upper for k in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    "step",
    [
        ZeroConcentratedDP(rho="0.01"),
        PoissonSubsampled(Laplace(scale=5), sampling_probability="0.1"),
    ],
)
def test_what_has_no_contour_is_asked_one_by_one(step: Mechanism) -> None:
    found = online.epsilons(step, steps=2, delta="1e-3")
    assert [each.upper for each in found] == [
        choose.epsilon(k * step, delta="1e-3").upper for k in (1, 2)
    ]


@pytest.mark.parametrize("steps", [0, -1, 1.0, True, "3"])
def test_steps_are_whole(steps: object) -> None:
    with pytest.raises(InvalidParameter):
        online.epsilons(STEP, steps=steps, delta="1e-6")  # type: ignore[arg-type]
