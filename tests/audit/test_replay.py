"""With the noised answers frozen, neighbours differ only in what went into the noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bursar import InvalidParameter
from bursar.audit import Tape, replay
from bursar.noise import GridSum, Release, clip_to_grid, release_gaussian, to_grid

People = list[float]
Program = Callable[[People, Tape], object]
PEOPLE, ONE_LESS = [0.5, -3.0, 9.0], [0.5, -3.0]


def clipped(people: People) -> float:
    return float(np.clip(people, -1, 1).sum()) if people else 0.0


def right(people: People, noise: Tape) -> object:
    """Clip, add noise, go on with what came out."""
    first = noise.gaussian(clipped(people), l2=1, noise_std=5)
    more = [noise.laplace(clipped(people), l1=1, scale=2) for _ in range(2 + (first > 0))]
    return first, sum(more)


def exact(people: People, noise: Tape) -> object:
    total = to_grid(np.array(people), low=-1, high=1, grid=8).total()
    return noise.release_gaussian(total, noise_multiplier=3).values


def vectors(people: People, noise: Tape) -> object:
    table = np.outer(people, [3.0, 4.0]).reshape(-1, 2)
    return noise.release_gaussian(
        clip_to_grid(table, norm=1, grid=8).total(), noise_multiplier=3
    ).units


def sampled(people: People, noise: Tape) -> object:
    """Poisson batches: coins of those who stay are the same."""
    weights = np.zeros(1)
    for _ in range(3):
        coins = noise.bernoullis(probability="0.5", size=len(people))
        batch = np.clip(np.array(people)[coins] - weights[0], -1, 1)
        weights = weights + noise.gaussian([batch.sum()], l2=1, noise_std=2)
    return weights


def selected(people: People, noise: Tape) -> object:
    scores = np.array([sum(p > 0 for p in people), sum(p < 0 for p in people)])
    return noise.exponential_mechanism(scores, epsilon=1, sensitivity=1)


RIGHT: dict[str, Program] = {
    "floats": right,
    "exact": exact,
    "vectors": vectors,
    "sampled": sampled,
    "one of many": selected,
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_show_nothing(name: str) -> None:
    for data, neighbour in ((PEOPLE, ONE_LESS), (ONE_LESS, PEOPLE)):
        found = replay(RIGHT[name], data, neighbour)
        assert not found.found, found.sentence()
        assert found.calls >= 1
        assert found.sentence().startswith("none found")


def unclipped(people: People, noise: Tape) -> object:
    return noise.gaussian(sum(people), l2=1, noise_std=5)


def clipped_after_averaging(people: People, noise: Tape) -> object:
    mean = np.clip(np.mean(people), -1, 1)
    return noise.gaussian(mean, l2=1 / 3, noise_std=5)


def scaled_by_data(people: People, noise: Tape) -> object:
    top = max(map(abs, people))
    return noise.gaussian(sum(people), l2=top, noise_std=5 * top)


def declared_by_data(people: People, noise: Tape) -> object:
    return noise.gaussian(sum(people), l2=max(map(abs, people)), noise_std=5)


def looped_by_data(people: People, noise: Tape) -> object:
    return [noise.gaussian(min(p, 1.0), l2=4, noise_std=5) for p in people]


def chosen_by_data(people: People, noise: Tape) -> object:
    if max(people) > 5:
        return noise.laplace(0.0, l1=1, scale=1)
    return noise.gaussian(0.0, l2=1, noise_std=1)


def divided_by_n(people: People, noise: Tape) -> object:
    return noise.gaussian(clipped(people), l2=1, noise_std=5) / len(people)


def without_noise(people: People, noise: Tape) -> object:
    return noise.gaussian(clipped(people), l2=1, noise_std=5), len(people)


def fails_for_some(people: People, noise: Tape) -> object:
    noised = noise.gaussian(clipped(people), l2=1, noise_std=5)
    if max(people) > 5:
        raise ValueError("out of range")
    return noised


def doubled(people: People, noise: Tape) -> object:
    total = to_grid(np.array([*people, *people]), low=-1, high=1, grid=8).total()
    return noise.release_gaussian(total, noise_multiplier=3).units


def one_unit_more(people: People, noise: Tape) -> object:
    """Whole numbers have no slack: one unit of 2^20 is seen."""
    total = to_grid(np.array(people), low=-1, high=1, grid=20).total()
    units = total.units + (len(people) == 3)
    return noise.release_gaussian(type(total)(units, l1=2**20, grid=20), noise_multiplier=3).units


def moved_scores(people: People, noise: Tape) -> object:
    scores = np.array([len(people) * 3, 0])
    return noise.exponential_mechanism(scores, epsilon=1, sensitivity=1)


BROKEN: dict[str, tuple[Program, str]] = {
    "unclipped": (unclipped, "distance in l2"),
    "clipped after averaging": (clipped_after_averaging, "distance in l2"),
    "noise scaled by the data": (scaled_by_data, "scale or shape"),
    "sensitivity read off the data": (declared_by_data, "the sensitivity"),
    "a loop over people": (looped_by_data, "the number of calls"),
    "another mechanism for some": (chosen_by_data, "the kind"),
    "divided by n": (divided_by_n, "the answer"),
    "something without noise": (without_noise, "the answer"),
    "an error for some": (fails_for_some, "the answer"),
    "everybody twice": (doubled, "distance in l1"),
    "one unit": (one_unit_more, "distance in l1"),
    "scores that move by three": (moved_scores, "distance in linf"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_programs_are_caught(name: str) -> None:
    program, word = BROKEN[name]
    found = replay(program, PEOPLE, ONE_LESS)
    assert found.found
    assert word in found.sentence()


def test_what_the_tape_gives_is_not_private() -> None:
    seen: list[Release] = []

    def run(people: People, noise: Tape) -> object:
        total = to_grid(np.array(people), low=-1, high=1).total()
        seen.append(noise.release_gaussian(total, noise_multiplier=3))
        return seen[-1].units

    replay(run, PEOPLE, ONE_LESS, runs=1)
    assert [release.private for release in seen] == [False, False]
    assert seen[0].units == seen[1].units


def test_the_tape_has_the_calls_of_noise() -> None:
    """So that a program which takes its noise as an argument runs on either."""

    def program(noise: object) -> object:
        total = to_grid(np.array([1.0]), low=-1, high=1).total()
        return noise.release_gaussian(total, noise_multiplier=2)

    import inspect

    from bursar import noise

    assert isinstance(program(noise), Release)
    for name in ("release_gaussian", "release_laplace", "exponential_mechanism", "bernoullis",
                 "rounded_gaussian", "discrete_laplace"):  # fmt: skip
        ours = inspect.signature(getattr(Tape, name)).parameters
        assert list(ours)[1:] == list(inspect.signature(getattr(noise, name)).parameters)


def test_a_float_may_exceed_by_its_rounding_and_no_more() -> None:
    def run(people: People, noise: Tape) -> object:
        return noise.laplace(0.1 * len(people), l1="0.1", scale=1)

    assert not replay(run, [1.0] * 3, [1.0] * 2).found
    assert replay(run, [1.0] * 3, [1.0] * 2, slack=0).found


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (2.0**64, 0.0),
        (-(2.0**64), 0.0),
        (float("nan"), float("inf")),
        (float("inf"), -float("inf")),
    ],
)
def test_floats_do_not_wrap_and_infinities_differ(one: float, two: float) -> None:
    """Whole numbers are sums modulo 2^64; floats are not."""
    found = replay(lambda data, noise: noise.gaussian(data, l2=1, noise_std=1), one, two)
    assert found.found
    whole = [np.array([at], np.int64) for at in (-(2**63), 2**63 - 1)]  # one apart, modulo 2^64
    sums = [GridSum(units, l1=1) for units in whole]
    assert not replay(lambda data, noise: noise.release_laplace(data, scale=5), *sums).found


def test_parameters_are_checked() -> None:
    for bad in ({"runs": 0}, {"seed": -1}, {"slack": -1}, {"runs": 1.0}):
        with pytest.raises(InvalidParameter):
            replay(right, PEOPLE, ONE_LESS, **bad)
    broken = replay(lambda _, noise: noise.gaussian(1.0, l2=0, noise_std=1), PEOPLE, ONE_LESS)
    assert not broken.found  # both refuse alike, and nothing was released
    assert release_gaussian is not None
