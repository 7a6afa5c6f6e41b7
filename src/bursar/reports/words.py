"""Plans in words, and what each dominating pair rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bursar.privacy.pairs import (
    AtomsPair,
    DensitiesPair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    LargerPair,
    MixturePair,
    SampledPair,
    SubsampledGaussianPair,
    TablePair,
)

_SHOWN = 6  # steps of a plan that are shown to people

DOMINATES: Final[dict[type, str]] = {
    GaussianPair: "N(1, σ²) against N(0, σ²): Balle & Wang 2018, Thm 8",
    SubsampledGaussianPair: "(1−q)N(0, σ²) + qN(1, σ²) against N(0, σ²), or the other way round: "
    "Zhu, Dong & Wang 2022, Prop. 30",
    LaplacePair: "Laplace noise around 1 against around 0: the mechanism itself at its worst",
    AtomsPair: "randomized response, infinite with probability δ: "
    "Kairouz, Oh & Viswanath 2015, Thm 3.3",
    TablePair: "its own table of outputs",
    DiscreteGaussianPair: "the discrete Gaussian, moved: Canonne, Kamath & Steinke 2020, Thm 7",
    DiscreteLaplacePair: "the discrete Laplace noise, moved",
    MixturePair: "a mixture of Gaussians against N(0, σ²), or the other way round",
    DensitiesPair: "its own two densities",
    SampledPair: "the base's pair, sampled: Zhu, Dong & Wang 2022, Thm 11",
    LargerPair: "the pair whose profile is the largest of the branches'",
}
COMPOSED = "the pairs of the steps, multiplied: Zhu, Dong & Wang 2022, Thm 10"
ADDED = "the curves of the steps add up: Mironov 2017, Prop. 1"
ACCOUNTS: Final[dict[str, str]] = {
    "exact": "contour integrals of the loss's moments in balls: docs/proofs/contour.md",
    "closed-form": "a closed form or a finite sum, in balls",
    "lattice": "two laws on a lattice, one above and one below, composed by one transform whose "
    "errors are bounded: docs/proofs/lattice.md",
    "rdp": "the best order of the Rényi curve: Canonne, Kamath & Steinke 2020, Prop. 12",
}


def steps_of(plan: Sequence[Mapping[str, Any]]) -> str:
    """A plan in words: `1000 × gaussian (noise multiplier 1)` for each step."""
    shown = plan if len(plan) <= _SHOWN + 1 else plan[:_SHOWN]
    more = [f"and {len(plan) - len(shown)} more steps"] if len(shown) < len(plan) else []
    return "\n".join([*(_step(table) for table in shown), *more])


def _step(table: Mapping[str, Any]) -> str:
    keys = [key for key in table if key not in ("mechanism", "count", "sampling")]
    words = ", ".join(f"{key.replace('_', ' ')} {_value(table[key])}" for key in keys)
    return f"{table['count']} × {table['mechanism']} ({words})"


def _value(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
