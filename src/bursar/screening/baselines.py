"""What is in print and larger than what is charged here: closed forms, by name, for figures.

Floats for normal noises over the sensitivity, under add-or-remove-one; nothing here is charged.
Where a form in print is no bound, the corrected one stands here (docs/errata.md), except for
`printed_moment`, whose place is beside the right one.

Legend: σ₁ the threshold's noise, σ₂ the queries', k length, c tops, A = c/2σ₁² + 2c/σ₂² for c runs,
1/2σ₁² + 2c/σ₂² for one run with c tops.
"""

from __future__ import annotations

import math
from fractions import Fraction

from bursar.errors import InvalidParameter
from bursar.numerics import screen_moment
from bursar.privacy.screen_curve import log_outcomes
from bursar.screening.stagewise import printed_cutoff


def restarts_epsilon(
    threshold_noise: float, query_noise: float, *, length: int, runs: int, delta: float
) -> float:
    """ε of runs with one top each: A + 2√(A(log 1/δ + c log(1+k))).  Zhu & Wang 2020, Cor. 22.

    >>> round(restarts_epsilon(100, 200, length=1000, runs=5, delta=1e-6), 3)
    0.311
    """
    each = 1 / (2 * threshold_noise**2) + 2 / query_noise**2
    return _converted(runs * each, runs * math.log1p(length) - math.log(delta))


def one_run_epsilon(
    threshold_noise: float, query_noise: float, *, length: int, cutoff: int, delta: float
) -> float:
    """ε of one run with c tops: A + 2√(A(log 1/δ + log Σ C(k, j))).  Zhu & Wang 2020, App. D.2.

    In print the second term is √(2A(…)) with c·C(k, c) for the sum: both are too small.
    """
    rho = 1 / (2 * threshold_noise**2) + 2 * cutoff / query_noise**2
    return _converted(rho, float(log_outcomes(cutoff, length)) - math.log(delta))


def strong_composition(*, epsilon: float, stages: int, slack: float) -> float:
    """ε of so many (ε, δ)-private stages for a further δ of `slack`.  Zhu & Wang 2020, Lemma 16.

    >>> round(strong_composition(epsilon=0.1, stages=20, slack=1e-6), 3)
    2.451
    """
    deviation = math.sqrt(2 * stages * math.log(1 / slack)) * epsilon
    return deviation + stages * epsilon * math.tanh(epsilon / 2)


def stopping_curve(
    threshold_noise: float, query_noise: float, *, highest: float, order: float, gamma: float = 2
) -> float:
    """The curve of Zhu & Wang 2020, Thm 8 (2), with the right moment for that of Prop. 20.

    (α−(γ−1)/γ)/(α−1)·ε_ρ(γα/(γ−1)) + ε_ν(α) + log E[Q^−γ]/γ(α−1), which needs σ₂ > √γ·σ₁.
    """
    if not query_noise**2 > gamma * threshold_noise**2:
        raise InvalidParameter(
            "it must be above √gamma times threshold_noise",
            field="query_noise",
            value=query_noise,
            hint="Raise it, or lower threshold_noise or gamma.",
        )
    if not (gamma > 1 and order > 1):
        need = "gamma and the order must be above 1"
        raise InvalidParameter(need, field="order", value=(gamma, order))
    tilted = gamma * order / (gamma - 1)
    moment = stopping_moment(threshold_noise, query_noise, highest=highest, gamma=gamma)
    threshold = tilted / (2 * threshold_noise**2) * (order - (gamma - 1) / gamma) / (order - 1)
    return threshold + 2 * order / query_noise**2 + moment / (gamma * (order - 1))


def stopping_moment(
    threshold_noise: float, query_noise: float, *, highest: float, gamma: float = 2
) -> float:
    """log E[(1/Q)^γ], the moment that Zhu & Wang 2020, Prop. 20 should bound: from above."""
    laws = (Fraction(x) for x in (threshold_noise, query_noise, highest, gamma))
    return float(screen_moment.uncapped(*laws).log_bound(Fraction(0)))


def printed_moment(threshold_noise: float, *, highest: float) -> float:
    """log(1 + 2√3π(1 + 9T²/σ₁²)e^{T²/σ₁²}) of Prop. 20, for γ = 2 and σ₂ = √3σ₁: no bound at T = 0.

    >>> printed_moment(1, highest=0) < stopping_moment(1, 3**0.5, highest=0)
    True
    """
    square = (highest / threshold_noise) ** 2
    return math.log1p(2 * math.sqrt(3) * math.pi * (1 + 9 * square) * math.exp(square))


def printed_stage(
    threshold_noise: float, query_noise: float, *, length: int, cutoff: int, delta: float
) -> float:
    """ε of a stage by Zhu & Wang 2020, Thm 12: A + 2√(2A log 1/δ), where Σ C(k, j) ≤ 1/δ."""
    if cutoff > printed_cutoff(length, delta):
        raise InvalidParameter(
            "there are more outcomes than 1/delta: the theorem's cutoff is too large",
            field="cutoff",
            value=cutoff,
            hint="printed_cutoff(length, delta) is the largest that is allowed.",
        )
    rho = 1 / (2 * threshold_noise**2) + 2 * cutoff / query_noise**2
    return _converted(rho, -2 * math.log(delta))


def _converted(rho: float, logs: float) -> float:
    return rho + 2 * math.sqrt(rho * logs)
