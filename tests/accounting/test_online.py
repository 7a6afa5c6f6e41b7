"""ε after every step: each is what the exact accountant says of so many steps."""

from __future__ import annotations

import pytest

from bursar.accounting import exact, online
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.laplace import Laplace
from bursar.mechanisms.poisson import PoissonSubsampled
from bursar.mechanisms.statements import PureDP
from bursar.truth import Enclosure

STEP = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.05")


def test_each_overlaps_the_account_of_its_own() -> None:
    found = online.epsilons(STEP, steps=60, delta="1e-6")
    assert len(found) == 60
    for k in (1, 9, 10, 13, 37, 60):
        alone = exact.epsilon(k * STEP, delta="1e-6")
        assert isinstance(alone, Enclosure)
        shared = found[k - 1]
        assert isinstance(shared, Enclosure)
        assert shared.lower <= alone.upper
        assert alone.lower <= shared.upper


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


@pytest.mark.parametrize("steps", [0, -1, 1.0, True, "3"])
def test_steps_are_whole(steps: object) -> None:
    with pytest.raises(InvalidParameter):
        online.epsilons(STEP, steps=steps, delta="1e-6")  # type: ignore[arg-type]
