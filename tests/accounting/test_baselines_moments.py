"""Second moments, sizes and releases of the paper's verifier, against numbers and exact sums."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

from bursar import Adjacency, Direction, Gaussian, InvalidParameter, LimitReached, PoissonSubsampled
from bursar.accounting.baselines import release
from bursar.accounting.baselines.estimators import OneTilted, payoff
from bursar.accounting.baselines.moments import Moments
from bursar.accounting.baselines.parts import parts_of, tilts
from bursar.accounting.baselines.sizes import Tolerance, gaussians_are_asymmetric
from bursar.accounting.baselines.verifier import prepared, verify
from bursar.accounting.monte_carlo_coins import Seeded
from bursar.mechanisms import views
from bursar.mechanisms.plan import Plan
from bursar.privacy.pairs import Composition


def steps(sigma: str, q: str, count: int) -> Plan:
    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


def removed(plan: Plan) -> Composition:
    return views.pairs(plan, Adjacency.ADD_OR_REMOVE_ONE, Direction.REMOVE)


@cache
def moments(count: int) -> Moments:
    return Moments(parts_of(removed(steps("0.6", "1e-3", count))), 1.5)


def test_tilts_by_name() -> None:
    ((part, _),) = parts_of(removed(steps("0.6", "1e-3", 100)))
    found = tilts(part, 1.5)
    assert found["Def. 18, printed"] == pytest.approx(3.436002, abs=1e-6)
    assert found["eq. (8)"] == pytest.approx(9.544449, abs=1e-6)
    assert found["eq. (6)"] == pytest.approx(7.657432, abs=1e-6)


@pytest.mark.parametrize(("count", "power", "value"), [(1000, 1, 5.244e-4), (1000, 2, 1.469e-4)])
def test_theorem_21(count: int, power: int, value: float) -> None:
    """Values of another program, without balls."""
    assert math.exp(moments(count).theorem_21(power)) == pytest.approx(value, rel=1e-3)


@pytest.mark.slow
def test_bounds_of_the_tilted_estimator() -> None:
    """Against another program's coarser sums; and above what a sample shows."""
    found = moments(100)
    assert math.exp(found.theorem_24(4)) == pytest.approx(2.7e-6, rel=0.05)
    assert math.exp(found.theorem_26(7.5)) == pytest.approx(2.5e-9, rel=0.1)
    assert math.exp(found.theorem_23(7.5)) == pytest.approx(7.7e-10, rel=0.1)
    assert found.theorem_26(7.5, inside=False) > found.theorem_26(7.5) + 15
    with_delta = Moments(found.parts, 1.5, math.log(6.8e-7))
    assert with_delta.importance(3.0) < found.importance(3.0)
    assert with_delta.simple() == math.log(6.8e-7) < found.simple()
    for theta in (5.0, 7.5, 9.0):
        one = OneTilted.of(removed(steps("0.6", "1e-3", 100)), Direction.REMOVE, 1.5, theta)
        losses, log_weights = one.pairs(20_000, Seeded(2).source(0))
        second = float(np.mean((payoff(losses, 1.5) * np.exp(log_weights)) ** 2))
        assert second > 0
        for bound in (found.theorem_24, found.theorem_26, found.theorem_23):
            assert math.log(second) < bound(theta)


@pytest.mark.slow
def test_bounds_of_different_steps() -> None:
    """Steps that differ by a millionth are as good as equal; others hold against a sample."""
    alike = steps("0.6", "1e-3", 50) + steps("0.6000006", "1e-3", 50)
    found, equal = Moments(parts_of(removed(alike)), 1.5), moments(100)
    for theta in (5.0, 7.0):
        assert found.theorem_26(theta) == pytest.approx(equal.theorem_26(theta), rel=1e-3)
        assert found.theorem_24(theta) == math.inf
    mixed = steps("0.6", "1e-3", 40) + steps("0.7", "2e-3", 30)
    found = Moments(parts_of(removed(mixed)), 1.5)
    one = OneTilted.of(removed(mixed), Direction.REMOVE, 1.5)
    losses, log_weights = one.pairs(20_000, Seeded(2).source(0))
    second = float(np.mean((payoff(losses, 1.5) * np.exp(log_weights)) ** 2))
    assert 0 < math.log(second) + 40 < found.importance(one.theta) + 40
    assert found.importance(one.theta) < math.log(second) + 8


def test_sizes_are_those_of_the_theorem() -> None:
    """k = 1000 of figure 6 with ν = 1.33e-7: about 1e8 draws at τ = 0.9, 1.3e10 at 0.99."""
    for tau, size in (("0.9", 1e8), ("0.99", 1.3e10)):
        claim = Tolerance(delta="7.7e-6", tau=tau)
        found = claim.size(math.log(1.33e-7))
        assert found == pytest.approx(size, rel=0.3)
        wrong = claim.log_false_positive(found, math.log(1.33e-7))
        assert (
            wrong
            <= math.log(claim.proved)
            < claim.log_false_positive(found // 2, math.log(1.33e-7))
        )


def test_refusals_of_good_claims_are_rarer_than_the_bound() -> None:
    """By exact sums: draws are 0 or 1, so their sum is binomial."""
    claim = Tolerance(delta="0.2", tau="0.5")
    truth, size = 0.2 / float(claim.rho), 400
    log_bound = claim.log_false_negative(size, math.log(truth), 0.0)
    count = math.ceil(claim.threshold * size - 1e-9)
    refused = sum(
        math.comb(size, n) * truth**n * (1 - truth) ** (size - n) for n in range(count, size + 1)
    )
    assert 0 < refused < math.exp(log_bound) < 0.5


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("delta", {"delta": 0}),
        ("tau", {"delta": "1e-5", "tau": 1}),
        ("tau", {"delta": "1e-5", "tau": "1.5"}),
        ("tau", {"delta": "0.5", "tau": "0.5"}),
        ("rho", {"delta": "1e-5", "tau": "0.9", "rho": "0.8"}),
        ("offset", {"delta": "1e-5", "tau": "0.9", "offset": "2e-5"}),
        ("offset", {"delta": "1e-5", "tau": "0.9", "offset": 0}),
    ],
)
def test_what_contradicts_itself_is_refused(field: str, given: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        Tolerance(**given)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_lemma_31() -> None:
    assert gaussians_are_asymmetric(noise_multiplier=70, steps=1200, epsilon="0.13")
    assert not gaussians_are_asymmetric(noise_multiplier=70, steps=1200, epsilon="0.12")


@pytest.mark.slow
def test_a_verdict() -> None:
    """δ(2) of figure 1's Gaussians is 7.7724e-6: half of it fails, the same passes."""
    plan = 1200 * Gaussian(noise_multiplier=70)
    for claim, passes in (("7.78e-6", True), ("3.8e-6", False)):
        tests = prepared(plan, epsilon=2, tolerance=Tolerance(delta=claim, tau="0.5"))
        assert {test.variable.direction for test in tests} == set(Direction)
        found = verify(tests, Seeded(3))
        assert found.accepted is passes
        assert all(abs(mean / 7.77235694645e-6 - 1) < 0.1 for mean in found.averages)
        assert not any(one.holds for one in found.asymmetry)
        assert found.averages[0] != found.averages[1]
    deep = prepared(plan, epsilon=2, tolerance=Tolerance(delta="7.7e-6", tau="0.9999"))
    with pytest.raises(LimitReached, match="draws"):
        verify(deep, Seeded(3))


@pytest.mark.slow
def test_a_direction_without_cost_needs_no_draws() -> None:
    (only,) = prepared(
        steps("0.6", "1e-3", 100), epsilon="1.5", tolerance=Tolerance(delta="7e-7", tau="0.5")
    )
    assert only.variable.direction is Direction.REMOVE


LAWS = [  # of a mechanism on two neighbours, over three outputs
    ((0.7, 0.3, 0.0), (0.3, 0.3, 0.4)),
    ((0.5, 0.5, 0.0), (0.5, 0.0, 0.5)),
]


def least_delta(first: dict[object, float], second: dict[object, float], epsilon: float) -> float:
    keys = {*first, *second}
    return sum(max(first.get(x, 0) - math.exp(epsilon) * second.get(x, 0), 0.0) for x in keys)


@pytest.mark.parametrize(("laws", "p"), list(itertools.product(LAWS, (0.0, 0.01, 0.3, 1.0))))
def test_wrapped_releases_by_exact_sums(laws: tuple[tuple[float, ...], ...], p: float) -> None:
    """The law of each wrapper's output on both neighbours, added up over verdicts."""
    epsilon, other = 0.5, ({"safe": 1.0}, {"safe": 1.0})
    delta = least_delta(dict(enumerate(laws[0])), dict(enumerate(laws[1])), epsilon)
    wrapped: dict[str, list[dict[object, float]]] = {"one": [], "two": [], "fallback": []}
    for which, law in enumerate(laws):
        for kind in wrapped.values():
            kind.append({})
        for x, chance in enumerate(law):
            for first, second in itertools.product((True, False), repeat=2):
                weight = chance * (p if first else 1 - p) * (p if second else 1 - p)
                out = {
                    "one": release.estimate_verify_release(accepted=first, execute=lambda x=x: x),
                    "two": release.either_of_two(first=first, second=second, execute=lambda x=x: x),
                    "fallback": release.with_fallback(
                        accepted=first, execute=lambda x=x: x, other=lambda: "safe"
                    ),
                }
                for kind, value in out.items():
                    wrapped[kind][which][value] = wrapped[kind][which].get(value, 0) + weight
    assert other[0] == other[1]
    tight = 1e-12
    assert least_delta(*wrapped["one"], epsilon) <= p * delta + tight
    failure = str(p)
    assert least_delta(*wrapped["two"], epsilon) <= float(release.proved_by_two(p * delta)) + tight
    most = release.proved_with_fallback(proved=0, failure=failure, upper=str(delta), fallback=0)
    assert least_delta(*wrapped["fallback"], epsilon) <= float(most) + tight
    if p == 1.0:
        assert least_delta(*wrapped["one"], epsilon) == pytest.approx(delta)
