"""ε after every so many steps is what it is after every one of them."""

from __future__ import annotations

import pytest

from bursar.accounting.online import epsilons, walk
from bursar.errors import InvalidParameter
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.poisson import PoissonSubsampled

STEP = PoissonSubsampled(Gaussian(noise_multiplier=2), sampling_probability="0.01")


@pytest.mark.slow
def test_after_every_few() -> None:
    each = epsilons(STEP, steps=20, delta="1e-5")
    for k, found in walk(STEP, steps=20, every=8, delta="1e-5"):
        assert k % 8 == 0
        assert found.upper == pytest.approx(each[k - 1].upper, rel=1e-12)


@pytest.mark.parametrize("every", [0, -1, 1.0, True])
def test_a_pace_is_a_count(every: object) -> None:
    with pytest.raises(InvalidParameter):
        epsilons(STEP, steps=60, delta="1e-5", every=every)  # type: ignore[arg-type]
