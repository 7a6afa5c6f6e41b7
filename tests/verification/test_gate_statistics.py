"""What a gate lets through, counted.

Every bound below is a Clopper-Pearson bound at 1e-6, so a false alarm is that rare; and each test
catches the gates that are wrong in the way it looks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from scipy.stats import beta

from bursar.exact import Exact
from bursar.numerics.wealth import Trial
from bursar.verification.attempts import Attempt
from bursar.verification.claims import Claim
from bursar.verification.sides import Care, pilot
from tests.verification.pools import EPSILON, Pool, coin, pool, verdicts

pytestmark = pytest.mark.statistical
VERDICTS = 10_000
FALSE_ALARM = 1e-6
RESERVE = 0.05  # of δ


def at_most(passed: int, count: int) -> float:
    """The largest probability that so many passes do not refute."""
    return float(beta.ppf(1 - FALSE_ALARM, passed + 1, count - passed)) if passed < count else 1.0


def at_least(passed: int, count: int) -> float:
    """The smallest."""
    return float(beta.ppf(FALSE_ALARM, passed, count - passed + 1)) if passed else 0.0


def claim(times: float) -> Claim:
    """A δ of so many times the truth."""
    return Claim(epsilon=EPSILON, delta=math.exp(pool().log_true_delta) * times)


def trial(times: float, gap: float, log_threshold: Callable[[float], float]) -> Trial:
    """The gate's own trial of that claim."""
    found = pilot(pool(), claim(times)).side(Care(gap=gap), log_threshold).trial
    assert found is not None
    return found


def bold(draws: int, stake: float, share: float) -> Trial:
    """A trial that no gate would make."""
    found = object.__new__(Trial)
    values = (("draws", draws), ("stake", stake), ("share", share), ("log_threshold", 0.0))
    for name, value in values:
        object.__setattr__(found, name, value)
    return found


def passes(one: Trial, count: int, seed: int) -> int:
    """How many of so many trials pass."""
    wealth = verdicts(pool().values, one, count, np.random.default_rng(seed))
    return int(np.sum(one.passes(wealth)))  # type: ignore[arg-type]


@pytest.mark.parametrize("times", [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
def test_false_claims_do_no_harm(times: float) -> None:
    """p·δ/δ_t ≤ 1, with no ln(1/δ): the threshold is 0."""
    found = trial(times, 0.3, lambda pull: 0.0)
    assert at_most(passes(found, VERDICTS, 1), VERDICTS) / times <= 1


def test_gates_that_are_wrong_do_harm() -> None:
    """One draw and a stake of no κ; one that forgives what its gap is; one that draws too low."""
    share = pool().share(claim(0.5).log_delta)
    shy = bold(1, 1e-3, share)
    assert at_least(passes(shy, VERDICTS, 2), VERDICTS) / 0.5 > 1
    fair = trial(0.8, 0.3, lambda pull: 0.0)
    kind = bold(fair.draws, fair.stake, fair.share * 1.43)
    assert at_least(passes(kind, VERDICTS, 3), VERDICTS) / 0.8 > 1
    low = verdicts(pool().values * 0.7, fair, VERDICTS, np.random.default_rng(4))
    passed = int(np.sum(fair.passes(low)))  # type: ignore[arg-type]
    assert at_least(passed, VERDICTS) / 0.8 > 1


def booked(times: float, number: int) -> Trial:
    """The trial of attempt number r of all, as a ledger has it."""
    asked = claim(times)
    attempt = Attempt("m", asked, 1, number)
    room = attempt.log_room(Exact(RESERVE * asked.delta))
    return trial(times, 0.3, lambda pull: max(0.0, 1e-8 - room - 1 - math.log(pull)))


def harm(
    claims: Iterable[float], number: Callable[[int], int], bound: Callable[[int, int], float]
) -> tuple[float, float]:
    """Of an analyst who tries these claims until one passes: what false ones add, bounded.

    Σ P(passes first)·δ/δ_t over the false claims, and Σ P(passes first)·(δ/δ_t − 1) in reserves.
    """
    still, total, excess = 1.0, 0.0, 0.0
    known: dict[tuple[float, int], float] = {}
    for place, times in enumerate(claims, 1):
        r = number(place)
        if (times, r) not in known:
            known[times, r] = bound(passes(booked(times, r), VERDICTS, 100 + place), VERDICTS)
        chance = known[times, r]
        total += still * chance / times
        excess += still * chance * (1 / times - 1)
        if bound is at_least:
            still *= 1 - chance
    return total, excess / RESERVE


def bisecting(tries: int) -> list[float]:
    """Halfway to the truth, and again, after each failure."""
    return [1 - 0.5 ** (1 + place / 4) for place in range(tries)]


def test_an_analyst_who_bisects_stays_within() -> None:
    """Of claims that come nearer to the truth with each failure."""
    total, excess = harm(bisecting(24), lambda place: place, at_most)
    assert total <= 1
    assert excess <= 1


def test_an_analyst_who_nudges_the_noise_stays_within() -> None:
    """The same claim of mechanisms that hardly differ, as often as it takes."""
    total, excess = harm([0.9] * 255, lambda place: 1 << place.bit_length() - 1, at_most)
    assert total <= 1
    assert excess <= 1


def test_gates_that_forget_are_caught() -> None:
    """Every attempt as if it were the first: of its claim, or of its mechanism."""
    total, excess = harm([0.9] * 255, lambda place: 1, at_least)
    assert excess > 1
    assert total > 1


def test_good_claims_pass() -> None:
    """A claim of δ/0.99, behind the trial of a first attempt: 999 of 1,000."""
    asked = claim(1 / 0.99)
    room = Attempt("m", asked, 1, 1).log_room(Exact(asked.delta / 100))
    threshold = lambda pull: max(0.0, 1e-8 - room - 1 - math.log(pull))  # noqa: E731
    found = pilot(pool(), asked).side(Care(), threshold).trial
    assert found is not None
    assert passes(found, 1000, 7) >= 999
    assert passes(trial(0.99, 0.01, lambda pull: 0.0), 300, 8) <= 1


def good(law: Pool, power: str, miss: float = 0.01) -> Trial:
    """A gate's trial of a claim of δ/0.9 that is to fail with so small a probability."""
    asked = Claim(epsilon=EPSILON, delta=math.exp(law.log_true_delta) / 0.9)
    care = Care(gap="0.1", miss=miss, power=power)
    found = pilot(law, asked).side(care, lambda pull: 0.0)
    assert found.trial is not None
    if power == "proved":
        assert 0.5 * miss / 2 < math.exp(found.log_missed) <= miss / 2
    return found.trial


def misses(law: Pool, one: Trial, seed: int) -> int:
    """How many of so many trials fail."""
    wealth = verdicts(law.values, one, VERDICTS, np.random.default_rng(seed))
    return VERDICTS - int(np.sum(one.passes(wealth)))  # type: ignore[arg-type]


def test_a_good_claim_fails_no_more_often_than_is_proved() -> None:
    """Of the design's law, and of the coin with its mean, for which the bound is not vacuous."""
    for law in (pool(), coin()):
        assert at_most(misses(law, good(law, "proved"), 9), VERDICTS) <= 0.005
    assert at_least(misses(coin(), good(coin(), "proved"), 10), VERDICTS) >= 0.005 / 100


def test_a_plan_that_trusts_another_law_fails_more_often() -> None:
    """The normal law's trial, planned for the design's law, on the coin: it promises 0.005."""
    assert at_least(misses(coin(), good(pool(), "planned"), 11), VERDICTS) > 0.005
