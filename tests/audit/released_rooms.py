"""What leaves screens, filters and the purse, each with its claim: see released.py."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import bursar
from bursar import Gaussian, Laplace, PureDP, noise, screening
from bursar.filters import (
    AccuracyChecks,
    ActiveCount,
    DpFilter,
    IndividualFilter,
    IndividualScope,
    Inside,
    LocalFilter,
    Purse,
    RenyiFilter,
    StillActive,
    ZcdpFilter,
)
from bursar.filters.individual_costs import given
from bursar.mechanisms.sparse_vector import LaplaceSparseVector, SparseVector
from bursar.verification import gate
from bursar.verification.attempts import Attempts
from bursar.verification.claims import Claim
from tests.audit.released_noise import FEW, LOW_THEN_TOP, ZERO_OUT, Array, Released

# Screens -----------------------------------------------------------------------------------------

SCREEN = LaplaceSparseVector(threshold_noise=1, query_noise=2)
HALF_AND_HALF = np.repeat([1, 0], 4), np.repeat([0, 1], 4)
STAGE = SparseVector(threshold_noise="0.25", query_noise="0.5", length=2)


def purse() -> Purse:
    return Purse({"all": RenyiFilter({2: 10**9, 16: 10**9})})


def run_alone(queries: Array) -> list[bool]:
    return screening.Run(SCREEN, sensitivity=1).ask_many(queries, threshold="1/2").tolist()


def above_threshold(queries: Array) -> list[bool]:
    asked = {"sensitivity": 1, "purse": purse(), "request": "s"}
    with screening.AboveThreshold(SCREEN, **asked) as screen:
        return screen.ask_many(queries, threshold="1/2").tolist()


def in_stages(queries: Array) -> list[bool]:
    asked = {"sensitivity": 1, "purse": purse(), "request": "s", "stages": 2}
    found: list[bool] = []
    with screening.StagewiseScreen(STAGE, **asked) as screen:
        while len(found) < len(queries) and not screen.done:
            found += screen.ask_many(queries[len(found) :], threshold=0).tolist()
    return found


def noisy_screen(queries: Array) -> list[bool]:
    asked = {"sensitivity": 1, "purse": purse(), "request": "s"}
    screen = screening.NoisyScreen(noise_multiplier=2, length=len(queries), **asked)
    return screen.ask_many(queries, threshold=0).tolist()


STABLE = screening.StableRelease(epsilon="0.5", delta="0.02")


def stable(counts: tuple[int, int]) -> str | None:
    money = Purse({"all": DpFilter(epsilon=8, delta="0.5", delta_of_steps="0.1")})
    proposed = screening.most_common(dict(zip("ab", counts, strict=True)))
    return STABLE.release(lambda: proposed, purse=money, request="s")


# Filters and stopping rules -----------------------------------------------------------------------

COUNT = ActiveCount(horizon=2, noise_std=1)
STILL = StillActive(least=2, threshold_scale="0.5", count_scale="0.5")
CHECKS = AccuracyChecks(people=4, checks=2, resolution="0.9", failure="0.01")


def active(changes: list[int]) -> list[int]:
    tree, told = COUNT.start(), []
    for change in changes:
        tree, number = COUNT.tell(tree, change, noise.rounded_gaussian)
        told.append(number)
    return told


def still_active(counts: list[int]) -> list[bool]:
    screen, told = STILL.start(noise.discrete_laplace), []
    for count in counts:
        if not screen.over:
            screen, enough = STILL.tell(screen, count, noise.discrete_laplace)
            told.append(enough)
    return told


def accuracies(right: list[int]) -> tuple[Fraction, ...]:
    told: tuple[Any, ...] = CHECKS.start()
    for count in right:
        told = CHECKS.tell(told, count, noise.rounded_gaussian)
    return told


def individually(values: list[int]) -> list[int]:
    """Six questions, each of which costs a person ρ = value²/2: who has spent 1/2 is left out."""
    people = np.array(values)
    filter_ = IndividualFilter.zcdp(rho="1/2", people=len(people), unit="1/2")

    def noised(inside: Inside) -> int:
        return int(people @ inside.reveal()) + int(noise.rounded_gaussian(noise_std=1, size=1)[0])

    scope = IndividualScope.open(Purse({"all": ZcdpFilter(rho=1)}), filter_, request="survey")
    return [
        scope.answer(lambda: given(filter_, people**2), noised, most=1, request=f"q{n}")
        for n in range(6)
    ]


def locally(value: int) -> list[int]:
    """Nine steps that cost a value 1 and the null nothing: there is room for one."""
    local = LocalFilter(RenyiFilter({2: 1}, adjacency="zero-out"), null=0)
    device, told = local.start(), []
    for _ in range(9):
        step = Gaussian(noise_multiplier=1) if value else Gaussian(noise_multiplier=10**6)
        device, fed = local.feed(device, step, value)
        told.append(fed)
    return (np.array(told) + noise.rounded_gaussian(noise_std=1, size=9)).tolist()


def charged(people: list[int]) -> int:
    step = Laplace(scale=1)
    total = noise.histogram(np.array(people, int), categories=1)
    return Purse({"all": ZcdpFilter(rho=1)}).run(
        step, lambda: int(noise.release_laplace(total, scale=1).units[0]), request="q"
    )


def gated(count: int) -> int:
    """A count that leaves only because its claim is verified, each time anew."""
    return gate.release(
        Gaussian(noise_multiplier="0.25"),
        Claim(epsilon=20, delta="1e-3"),
        lambda: count + int(noise.rounded_gaussian(noise_std="0.25", size=1)[0]),
        attempts=Attempts(reserve="1e-8"),
    ).answer


ROOMS: dict[str, Released] = {
    "one run of a screen": Released(
        run=run_alone,
        pair=HALF_AND_HALF,
        claim=SCREEN,
        too_strong=PureDP(epsilon="0.02"),
        samples=3 * FEW,
        covers=frozenset({"screening.Run"}),
    ),
    "a screen": Released(
        run=above_threshold,
        pair=HALF_AND_HALF,
        claim=SCREEN,
        too_strong=PureDP(epsilon="0.02"),
        samples=3 * FEW,
        covers=frozenset({"screening.AboveThreshold"}),
    ),
    "a screen in stages": Released(
        run=in_stages,
        pair=LOW_THEN_TOP,
        claim=2 * STAGE,
        too_strong=PureDP(epsilon="0.1"),
        samples=FEW,
        covers=frozenset({"screening.StagewiseScreen"}),
    ),
    "a screen without noise on its threshold": Released(
        run=noisy_screen,
        pair=LOW_THEN_TOP,
        claim=4 * Gaussian(noise_multiplier=2),
        too_strong=PureDP(epsilon="0.1"),
        samples=3 * FEW,
        covers=frozenset({"screening.NoisyScreen"}),
    ),
    "what is stable": Released(
        run=stable,
        pair=((9, 2), (8, 2)),
        claim=STABLE.statement,
        too_strong=bursar.ApproximateDP(epsilon="0.02", delta="0.005"),
        samples=4 * FEW,
        covers=frozenset({"screening.StableRelease", "screening.most_common"}),
    ),
    "how many are active": Released(
        run=active,
        pair=([2, -1], [1, 0]),
        claim=COUNT.plan,
        too_strong=Gaussian(noise_multiplier=20),
        samples=FEW,
        covers=frozenset({"filters.ActiveCount"}),
    ),
    "whether enough are active": Released(
        run=still_active,
        pair=([3, 2, 1], [2, 1, 0]),
        claim=STILL.plan,
        too_strong=PureDP(epsilon="0.1"),
        samples=FEW,
        covers=frozenset({"filters.StillActive"}),
    ),
    "how many are right": Released(
        run=accuracies,
        pair=([3, 3], [2, 2]),
        claim=CHECKS.plan,
        too_strong=Gaussian(noise_multiplier=50),
        adjacency=ZERO_OUT,
        samples=FEW,
        covers=frozenset({"filters.AccuracyChecks"}),
    ),
    "sums of those who are inside": Released(
        run=individually,
        pair=([1, 1], [1, 0]),
        claim=bursar.ZeroConcentratedDP(rho="1/2"),
        too_strong=PureDP(epsilon="0.05"),
        adjacency=ZERO_OUT,
        samples=FEW,
        covers=frozenset({"filters.IndividualFilter", "filters.IndividualScope"}),
    ),
    "what a device sends": Released(
        run=locally,
        pair=(1, 0),
        claim=bursar.RenyiDP(orders=[2], values=[1]),
        too_strong=PureDP(epsilon="0.05"),
        adjacency=ZERO_OUT,
        samples=FEW,
        covers=frozenset({"filters.LocalFilter"}),
    ),
    "an answer that a purse paid for": Released(
        run=charged,
        pair=([0, 0], [0]),
        claim=Laplace(scale=1),
        too_strong=Laplace(scale=4),
        samples=FEW,
        covers=frozenset({"filters.Purse"}),
    ),
    "an answer behind a gate": Released(
        run=gated,
        pair=(3, 2),
        claim=bursar.ApproximateDP(epsilon=20, delta="1e-3"),
        too_strong=PureDP(epsilon=1),
        samples=300,
        covers=frozenset({"verification.gate.release"}),
    ),
}
