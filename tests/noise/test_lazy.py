"""Comparisons of noise: decided as the real numbers themselves would be."""

from __future__ import annotations

import copy
import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from bursar.errors import InternalError, InvalidParameter
from bursar.noise import lazy_gaussian, lazy_laplace, rehearse
from tests.noise import laws
from tests.noise.feed import BITS, WORDS, fed

pytestmark = pytest.mark.usefixtures("precise")

DRAWS = {
    "gaussian": (lambda s, n: lazy_gaussian(noise_std=s, size=n), laws.normal_tail),
    "laplace": (lambda s, n: lazy_laplace(scale=s, size=n), laws.laplace_tail),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(20), Fraction(10**18)], ids=str)
def test_the_probability_to_reach_a_threshold(name: str, scale: Fraction) -> None:
    """P(x ≥ T) for the upper half of the draw, from the bits that reach it."""
    make, tail = DRAWS[name]
    for many in (Fraction(1, 10), Fraction(1), Fraction(7)):
        low, high = 0, WORDS
        while high - low > 1:
            middle = (low + high) // 2
            reaches = fed(lambda m=many: make(scale, 1) >= m * scale, [(0, middle)])
            low, high = (middle, high) if reaches[0] else (low, middle)
        assert abs(tail(laws.ball(many)) * arb(2) ** (BITS + 1) - high) <= 1


def twins(nu, rho, size: int) -> list[Fraction]:
    """The draws of ν and ρ to 60 bits, by asking only where they lie."""
    found = []
    for index in range(size):
        low, high = Fraction(-(2**10)), Fraction(2**10)
        while high - low > Fraction(1, 2**50):
            middle = (low + high) / 2
            above = bool(np.asarray(nu - rho >= middle).flat[index])
            low, high = (middle, high) if above else (low, middle)
        found.append(low)
    return found


def test_answers_agree_with_one_another() -> None:
    """The same draws, asked 60 times each: what they answer is one number's answers."""
    nu, rho = lazy_gaussian(noise_std=3, size=4), lazy_laplace(scale="0.7")
    gaps = twins(nu, rho, 4)
    for scale in (1, 5, Fraction(1, 7)):
        for at in np.linspace(-8, 8, 33):
            t = Fraction(float(at))
            assert (nu + t >= rho).tolist() == [gap + t >= 0 for gap in gaps]
            assert (rho > nu + t).tolist() == [gap + t < 0 for gap in gaps]
            assert (scale * 0 + nu <= rho - t).tolist() == [gap + t <= 0 for gap in gaps]


def test_queries_are_whole_numbers_of_any_size_and_sign() -> None:
    queries = np.array([-(2**63), -1, 0, 2**63 - 1])
    nu, rho = lazy_laplace(scale=1, size=4), lazy_laplace(scale=1)
    assert (queries + nu >= 10**30 + rho).tolist() == [False] * 4
    assert (queries + nu >= -(10**30) + rho).tolist() == [True] * 4
    assert (queries - nu >= Fraction(1, 3) - rho).tolist()[0::3] == [False, True]
    assert (queries.astype(np.int8) + nu).shape == (4,)
    assert (np.array([2**64 - 1], dtype=np.uint64) + lazy_laplace(scale=1) >= 2**63).tolist() == [
        True
    ]
    assert (queries >= rho).tolist()[0::3] == [False, True]


def test_beyond_the_precision_of_floats() -> None:
    """2^62 + 1 and 2^62 + 1/2 are one float; noise of 1/100 does not turn their order."""
    queries = np.full(50, 2**62 + 1)
    assert (queries + lazy_laplace(scale="1/100", size=50) >= 2**62 + Fraction(1, 2)).all()
    assert not (queries - 1 + lazy_laplace(scale="1/100", size=50) >= 2**62 + Fraction(1, 2)).any()


def test_beyond_floats() -> None:
    nu = lazy_gaussian(noise_std=Fraction(10) ** 400, size=5)
    assert (nu + Fraction(10) ** 403 >= 0).all()
    assert not (nu - Fraction(10) ** 403 >= 0).any()
    tiny = lazy_gaussian(noise_std=Fraction(1, 10**400), size=50)
    signs = tiny >= 0
    assert 5 < signs.sum() < 45
    assert ((tiny > Fraction(-1, 10**390)) & (tiny < Fraction(1, 10**390))).all()


def test_a_tie_of_floats_is_settled_by_more_bits() -> None:
    """A median draw within 2^-95 of 0, against 0: the next bits decide which side it is on."""
    reaches = lambda: lazy_gaussian(noise_std=1, size=1) >= Fraction(1, 10**30)  # noqa: E731
    assert fed(reaches, [(0, WORDS - 1)], deep=[0]).tolist() == [True]
    assert fed(reaches, [(0, WORDS - 1)], deep=[2**64 - 1]).tolist() == [False]


def test_a_noise_against_itself() -> None:
    nu = lazy_laplace(scale=2, size=6)
    assert (nu >= nu).all()
    assert not (nu > nu).any()
    assert (nu + 1 > nu).all()
    assert (nu - nu).shape == (6,)


def test_one_and_many() -> None:
    one = lazy_gaussian(noise_std=1)
    assert one.shape == ()
    assert isinstance(bool(one >= 0), bool)
    assert (np.array([-100, 100]) + one >= 0).tolist() == [False, True]
    assert lazy_gaussian(noise_std=1, size=0).shape == (0,)
    with pytest.raises(InvalidParameter, match="one length"):
        lazy_gaussian(noise_std=1, size=2) + lazy_gaussian(noise_std=1, size=3)


def test_threads_agree_on_the_bits_of_one_draw() -> None:
    """64 threads that all force the same draw deeper see one number."""
    nu = lazy_gaussian(noise_std=1)
    draws = nu._terms[0][1]
    number = draws.uniform(0)
    start = threading.Barrier(64)

    def deepen() -> None:
        start.wait()
        number.deepen(95)

    threads = [threading.Thread(target=deepen) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert number.bits == 95 + 64
    assert draws.uniform(0) is number


def test_secrets_are_not_copied_or_stored() -> None:
    nu = lazy_gaussian(noise_std=1)
    for secret in (nu, nu._terms[0][1], nu._terms[0][1].uniform(0)):
        for store in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(InvalidParameter, match="secret"):
                store(secret)


def test_a_rehearsal_marks_what_it_draws() -> None:
    nu = rehearse(lambda: lazy_gaussian(noise_std=1), seed=1).value
    assert not nu.private
    assert not (nu + lazy_gaussian(noise_std=1)).private
    assert lazy_gaussian(noise_std=1).private


@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf"), True, None])
def test_bad_scales(bad: object) -> None:
    with pytest.raises(InvalidParameter):
        lazy_gaussian(noise_std=bad)
    with pytest.raises(InvalidParameter):
        lazy_laplace(scale=bad)


@pytest.mark.parametrize(
    "bad", [np.zeros(3), np.array([True]), np.zeros((2, 2), int), float("nan"), True]
)
def test_what_is_compared_is_exact(bad: object) -> None:
    with pytest.raises(InvalidParameter):
        bad + lazy_gaussian(noise_std=1)


def test_a_draw_that_never_settles_is_an_error_of_ours() -> None:
    nu = lazy_gaussian(noise_std=1)
    with pytest.raises(InternalError, match="entropy"):
        fed(
            lambda: lazy_gaussian(noise_std=1, size=1) >= 0, [(0, WORDS - 1)], deep=[2**64 - 1] * 99
        )
    assert bool(nu >= -100)
