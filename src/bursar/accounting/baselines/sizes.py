"""What the paper's verifier claims, and how many draws that takes.

Wang et al. 2023, Thms 13 and 14, Assumption 30, Lemma 31.

A claim (ε, δ_est) passes where the average is below δ_est/τ − Δ, and what is then proved is
(ε, δ_est/τ) for the release behind it.  ρ and Δ decide how often a good claim fails; the paper's
rule for Δ is a heuristic whose assumption can be checked, and beside it stands a proved bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number

_SHARE = 0.4  # of the gap between 1/τ and 1/ρ: Thm 14
_PAD = 1e-9


@final
@dataclass(frozen=True, slots=True, init=False)
class Tolerance:
    """How far a claim of δ may be off: τ, ρ, Δ.

    >>> near = Tolerance(delta="1e-5", tau="0.99")
    >>> near.rho, round(near.offset / 1e-5, 5), round(near.threshold / 1e-5, 4)
    (0.995, 0.00203, 1.0081)
    """

    delta: Exact
    tau: Exact
    rho: Exact
    offset: float

    def __init__(
        self,
        *,
        delta: Number,
        tau: Number = "0.99",
        rho: Number | None = None,
        offset: Number | None = None,
    ) -> None:
        small, low = require.probability(delta=delta), require.probability(tau=tau)
        if low == 1 and offset is None:
            raise InvalidParameter(
                "at 1 the paper's rule leaves no offset",
                field="tau",
                value=low,
                hint="Take tau below 1, or give an offset.",
            )
        if not small < low:
            raise InvalidParameter(
                f"it must be above delta = {small}, as a pass proves delta / tau",
                field="tau",
                value=low,
            )
        high = Exact((1 + low) / 2) if rho is None else require.probability(rho=rho)
        if not (low < high or low == high == 1):
            need = f"it must be above tau = {low} and at most 1"
            raise InvalidParameter(need, field="rho", value=high)
        gap = (1 / low - 1 / high) * small
        width = _SHARE * float(gap) if offset is None else float(require.positive(offset=offset))
        if not 0 < width < float(small / low):
            raise InvalidParameter(
                f"it must be above 0 and below delta / tau = {float(small / low):.6g}",
                field="offset",
                value=width,
                hint="With a larger one every claim fails.",
            )
        for name, value in (("delta", small), ("tau", low), ("rho", high), ("offset", width)):
            object.__setattr__(self, name, value)

    @property
    def proved(self) -> float:
        """δ_est/τ: what a pass proves."""
        return float(self.delta / self.tau)

    @property
    def threshold(self) -> float:
        """δ_est/τ − Δ: an average below it passes."""
        return self.proved - self.offset

    def log_size(self, log_moment: float) -> float:
        """log of the number of draws for this second moment: Thm 13, at a failure of δ_est/τ."""
        nats = -math.log(self.proved)
        return math.log(2 * nats) + log_moment - 2 * math.log(self.offset) + _PAD

    def size(self, log_moment: float) -> int:
        """That number."""
        return max(1, math.ceil(math.exp(min(self.log_size(log_moment), 700.0))))

    def log_false_positive(self, size: int, log_moment: float) -> float:
        """log of the bound on accepting a δ above δ_est/τ: e^{−mΔ²/2ν}, as X ≥ 0 (Bennett)."""
        return -math.exp(min(math.log(size) + 2 * math.log(self.offset) - log_moment, 700.0)) / 2

    def log_false_negative(self, size: int, log_moment: float, log_bound: float) -> float:
        """log of a proved bound on refusing a claim with δ_est ≥ ρδ, for draws in [0, B].

        Computes:  the least of Bennett's and Chebyshev's for a gap of δ_est(1/τ − 1/ρ) − Δ.
        Valid for: independent draws with E X² ≤ ν, 0 ≤ X ≤ B.
        Error:     upward only, up to rounding.
        Cost:      none.
        Source:    Bennett 1962; Wang et al. 2023, Lemma 19; docs/proofs/monte-carlo.md, Prop. 11.
        """
        gap = float((1 / self.tau - 1 / self.rho) * self.delta) - self.offset
        if not gap > 0:
            return 0.0
        log_gap = math.log(gap)
        x = math.exp(min(log_bound + log_gap - log_moment, 700.0))
        rate = math.log(size) + log_moment - 2 * log_bound
        bennett = -math.exp(min(rate + _log_h(x), 700.0))
        return min(bennett, log_moment - math.log(size) - 2 * log_gap, 0.0)


def _log_h(x: float) -> float:
    """log of (1+x) log(1+x) − x."""
    if x < 1e-4:
        return 2 * math.log(x) - math.log(2) + math.log1p(-x / 3)
    return math.log((1 + x) * math.log1p(x) - x)


@final
@dataclass(frozen=True, slots=True)
class Asymmetry:
    """Assumption 30, on which the rule for Δ rests: at least half of the draws are 0.

    `zeros` of `draws` were 0; `lower` is the bound on that share that fails with probability β.
    Where it holds, the rule is still a heuristic: Thm 14 is informal.
    """

    zeros: int
    draws: int
    lower: float

    @property
    def holds(self) -> bool:
        """Whether it is shown."""
        return self.lower >= 0.5


def gaussians_are_asymmetric(*, noise_multiplier: Number, steps: int, epsilon: Number) -> bool:
    """Lemma 31: Assumption 30 for plain Gaussians, and only there, where k/(2σ²) ≤ ε.

    >>> gaussians_are_asymmetric(noise_multiplier=70, steps=1200, epsilon=1)
    True
    """
    sigma, k = require.positive(noise_multiplier=noise_multiplier), require.count(steps=steps)
    return bool(k <= 2 * sigma**2 * require.nonnegative(epsilon=epsilon))
