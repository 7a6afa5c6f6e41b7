"""Numbers of Wang et al. 2023 and of its reference implementations, held against the accounts.

Certificate: an mpmath quadrature of the characteristic function at 30 digits (k = 1500, 4500), and
accounts that round losses up on a grid of 2e-4 (the figures: they are high by up to 6e-4), both
made outside of this package; READMEs of fourier-accountant as printed.
"""

from __future__ import annotations

import pytest

from bursar import Direction, Enclosure, Gaussian, Plan, PoissonSubsampled
from bursar.accounting import exact, lattice
from tests.sweeps import quick_first

EPSILONS = [  # σ, q, k, δ, ε, how far off relatively: (below, above) the truth
    ("2", "0.01", 1500, "1e-15", 1.6553534717, (1e-10, 1e-10)),
    ("2", "0.01", 4500, "1e-15", 2.8514636235, (1e-10, 1e-10)),
    ("28.914", "1", 60, "1e-5", 0.999368, (1e-6, 1e-6)),
    ("5.971", "4096/50000", 360, "1e-12", 1.80159, (1e-5, 1e-3)),
    ("5.971", "4096/50000", 360, "1e-5", 0.99056, (1e-5, 1e-3)),
    ("2", "0.01", 500, "1e-5", 0.43203, (1e-5, 1e-3)),
    ("2", "0.01", 1000, "1e-5", 0.62210, (1e-5, 1e-3)),
    ("2", "0.01", 2000, "1e-5", 0.90013, (1e-5, 1e-3)),
    ("2", "0.01", 3000, "1e-5", 1.11968, (1e-5, 1e-3)),
    ("2", "0.01", 5000, "1e-5", 1.47756, (1e-5, 1e-3)),
    ("1", "0.001", 100, "1e-9", 0.28123, (1e-5, 1e-3)),
    ("1", "0.001", 500, "1e-9", 0.36538, (1e-5, 1e-3)),
    ("1", "0.001", 1000, "1e-9", 0.41119, (1e-5, 1e-3)),
    ("0.5", "0.001", 100, "1e-5", 2.10865, (1e-5, 1e-3)),
    ("0.5", "0.001", 1000, "1e-5", 3.23889, (1e-5, 1e-3)),
    ("0.5", "0.001", 1000, "1e-13", 10.44211, (1e-5, 1e-3)),
]
DELTAS = [  # σ, q, k, ε, δ, how far off
    ("4", "0.01", 10_000, "1", 4.243484012e-6, (1e-7, 1e-7)),
    ("0.6", "0.001", 100, "1.5", 6.79348e-7, (1e-5, 1e-5)),
    ("0.6", "0.001", 1000, "1.5", 7.7059e-6, (1e-5, 1e-4)),
    ("0.6", "0.001", 200, "1.5", 1.3777e-6, (1e-4, 1e-4)),
    ("0.6", "0.001", 500, "1.5", 3.5913e-6, (1e-4, 1e-4)),
    ("0.6", "0.001", 1200, "1.5", 9.5131e-6, (1e-5, 1e-4)),
    ("0.5", "0.001", 1000, "1.5", 4.5823e-4, (1e-4, 1e-3)),
    ("0.5", "1e-5", 100, "1", 6.7809e-11, (1e-4, 1e-3)),
    ("0.5", "1e-5", 100, "3", 5.4566e-14, (1e-4, 1e-3)),
]


def run(sigma: str, q: str, count: int) -> Plan:
    return count * PoissonSubsampled(Gaussian(noise_multiplier=sigma), sampling_probability=q)


@pytest.mark.parametrize(
    ("sigma", "q", "count", "delta", "epsilon", "off"), quick_first(EPSILONS, 7)
)
def test_epsilon(
    sigma: str, q: str, count: int, delta: str, epsilon: float, off: tuple[float, float]
) -> None:
    found = exact.epsilon(run(sigma, q, count), delta=delta, direction=Direction.REMOVE)
    assert isinstance(found, Enclosure)
    assert found.lower * (1 - off[0]) <= epsilon <= found.upper * (1 + off[1])


@pytest.mark.parametrize(("sigma", "q", "count", "epsilon", "delta", "off"), quick_first(DELTAS, 2))
def test_delta(
    sigma: str, q: str, count: int, epsilon: str, delta: float, off: tuple[float, float]
) -> None:
    found = exact.delta(run(sigma, q, count), epsilon=epsilon, direction=Direction.REMOVE)
    assert isinstance(found, Enclosure)
    assert found.lower * (1 - off[0]) <= delta <= found.upper * (1 + off[1])


def test_by_the_second_road() -> None:
    for sigma, q, count, delta, epsilon, _ in EPSILONS[:2]:
        found = lattice.epsilon(run(sigma, q, count), delta=delta, direction=Direction.REMOVE)
        assert isinstance(found, Enclosure)
        assert found.lower <= epsilon <= found.upper
        assert found.upper - found.lower <= 1e-3 * found.upper
