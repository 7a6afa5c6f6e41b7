"""Laws of accounts as functions that raise AssertionError: mutants are held against them too.

Two numbers are compared through what is proved: a law fails where the proofs contradict it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import mpmath

import bursar
from bursar import Adjacency, Direction, Enclosure, Gaussian, Plan, UpperBound
from bursar.accounting import exact, rdp
from tests.laws.cases import ADD, DELTAS, EPSILONS, poisson

Proved = Enclosure | UpperBound


def lower(result: Proved) -> float:
    """What is proved from below: 0 where nothing is."""
    return result.lower if isinstance(result, Enclosure) else 0.0


def not_above(less: Proved, more: Proved) -> None:
    """The truth of the first is at or below that of the second, as far as the proofs tell.

    Bounds that are not tight are functions of the plan too, and have to keep the order.
    """
    assert lower(less) <= more.upper
    if isinstance(less, UpperBound) and isinstance(more, UpperBound):
        assert less.upper <= more.upper * (1 + 1e-12)


def dearer_plans_cost_more(pairs: Iterable[tuple[Plan, Plan]], adjacency: Adjacency) -> None:
    """More steps, less noise, more sampling: never a smaller ε or δ, and somewhere a larger."""

    @cache
    def answers(plan: Plan) -> list[Proved]:
        costs = [bursar.epsilon(plan, delta=d, adjacency=adjacency) for d in ("1e-5", "0.01")]
        return [*costs, bursar.delta(plan, epsilon="0.5", adjacency=adjacency)]

    for less, more in pairs:
        both = list(zip(answers(less), answers(more), strict=True))
        for first, second in both:
            not_above(first, second)
        assert any(second.upper > first.upper for first, second in both)


def smaller_delta_costs_more(plan: Plan, adjacency: Adjacency) -> None:
    """ε falls as δ grows, and δ as ε grows."""
    answers = [bursar.epsilon(plan, delta=delta, adjacency=adjacency) for delta in DELTAS]
    for more, less in pairwise(answers):
        not_above(less, more)
    answers = [bursar.delta(plan, epsilon=epsilon, adjacency=adjacency) for epsilon in EPSILONS]
    for more, less in pairwise(answers):
        not_above(less, more)


def rdp_is_never_below(plan: Plan, adjacency: Adjacency, method: str = exact.NAME) -> None:
    """The Rényi accountant's bound is at or above what is proved from below."""
    for delta in DELTAS:
        proved = bursar.epsilon(plan, delta=delta, adjacency=adjacency, method=method)
        assert isinstance(proved, Enclosure)
        assert proved.lower <= rdp.epsilon(plan, delta=delta, adjacency=adjacency).upper
    for epsilon in EPSILONS:
        proved = bursar.delta(plan, epsilon=epsilon, adjacency=adjacency, method=method)
        assert isinstance(proved, Enclosure)
        assert proved.lower <= rdp.delta(plan, epsilon=epsilon, adjacency=adjacency).upper


def equal(first: Proved, second: Proved) -> None:
    """The same answer, or two enclosures of one truth."""
    assert lower(first) <= second.upper
    assert lower(second) <= first.upper
    assert abs(first.upper - second.upper) <= 1e-9 * second.upper


def four_of_half_are_one() -> None:
    """4 Gaussians of noise 2σ are one of noise σ; 3 steps of zCDP ρ are one of 3ρ."""
    four, one = 4 * Gaussian(noise_multiplier=3), Gaussian(noise_multiplier="1.5")
    equal(exact.epsilon(four, delta="1e-5"), exact.epsilon(one, delta="1e-5"))
    equal(exact.delta(four, epsilon=1), exact.delta(one, epsilon=1))
    equal(rdp.epsilon(four, delta="1e-5"), rdp.epsilon(one, delta="1e-5"))


def an_enclosure_holds_the_truth() -> None:
    """The pure Gaussian's formula, with 60 digits: Balle & Wang 2018, Thm 8."""
    for noise, count in ((1, 1), ("0.7", 3), (20, 100)):
        plan = count * Gaussian(noise_multiplier=noise)
        for epsilon in ("0", "0.3", "1", "7"):
            found = exact.delta(plan, epsilon=epsilon)
            assert isinstance(found, Enclosure)
            with mpmath.workdps(60):
                mu, e = mpmath.sqrt(count) / mpmath.mpf(noise), mpmath.mpf(epsilon)
                up, down = mpmath.ncdf(mu / 2 - e / mu), mpmath.ncdf(-mu / 2 - e / mu)
                truth = up - mpmath.exp(e) * down
                assert mpmath.mpf(found.lower) <= truth <= mpmath.mpf(found.upper)
                assert found.upper - found.lower <= 1e-15 * found.upper


def each_direction_is_its_own() -> None:
    """One subsampled step against a quadrature of max(P − e^ε Q, 0), from P and Q as defined."""
    step = poisson(1, "0.3")
    for epsilon in ("0.1", "0.3"):
        for way in Direction:
            found = exact.delta(step, epsilon=epsilon, direction=way)
            truth = _mixture_delta(0.3, float(epsilon), removes=way is Direction.REMOVE)
            assert lower(found) * (1 - 1e-10) <= truth <= found.upper * (1 + 1e-10)


def _mixture_delta(q: float, epsilon: float, *, removes: bool) -> mpmath.mpf:
    """∫ max(P − e^ε Q, 0), cut where the sign turns."""

    def gain(t: mpmath.mpf) -> mpmath.mpf:
        noise = mpmath.npdf(t)
        mixture = (1 - q) * noise + q * mpmath.npdf(t, 1)
        above, below = (mixture, noise) if removes else (noise, mixture)
        return above - mpmath.exp(epsilon) * below

    with mpmath.workdps(25):
        turn = mpmath.findroot(gain, (-3, 5), solver="anderson")
        ends = [turn, *(turn + n for n in (1, 3, 9, 20))]
        if not removes:
            ends = [turn, *(turn - n for n in (1, 3, 9, 20))]
        return abs(mpmath.quad(gain, ends))


def heterogeneous_plans_have_no_order() -> None:
    """a + b is b + a, as a value and in its cost."""
    parts = [10 * poisson(1, "0.1"), 5 * Gaussian(noise_multiplier=4), 20 * poisson(2, "0.05")]
    first, second = parts[0] + parts[1] + parts[2], parts[2] + parts[0] + parts[1]
    assert first == second
    assert exact.epsilon(first, delta="1e-6") == exact.epsilon(second, delta="1e-6")


def both_directions_count() -> None:
    """The answer is at or above each direction's own."""
    for plan in (30 * poisson(1, "0.1"), poisson("0.6", "0.5") + poisson(3, "0.9")):
        worst = exact.epsilon(plan, delta="1e-5", adjacency=ADD)
        ways = [exact.epsilon(plan, delta="1e-5", direction=way) for way in Direction]
        equal(worst, max(ways, key=float))
        assert float(ways[0]) != float(ways[1])
