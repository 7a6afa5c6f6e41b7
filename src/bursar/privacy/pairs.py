"""Dominating pairs: two laws (P, Q) whose profile bounds that of a mechanism, one per direction.

Frozen values of a closed family, so that an accountant can say which it takes.  `Composition`
is their formal sum with counts; it is what an accountant of profiles is given.
Not here: how δ(ε) is computed from them (accounting).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from bursar.adjacency import Direction
from bursar.exact import Exact
from bursar.privacy.densities import Densities


@final
@dataclass(frozen=True, slots=True)
class GaussianPair:
    """N(1, σ²) against N(0, σ²); both directions have the same profile."""

    noise_multiplier: Exact
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class SubsampledGaussianPair:
    """(1−q)N(0, σ²) + qN(1, σ²) against N(0, σ²) (remove), or the other way round (add).

    Zhu, Dong & Wang 2022, Prop. 30: it dominates the Poisson-subsampled Gaussian.
    """

    noise_multiplier: Exact
    sampling_probability: Exact
    direction: Direction
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class LaplacePair:
    """Laplace of scale b around 1 against around 0; both directions have the same profile."""

    scale: Exact
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class AtomsPair:
    """A loss of +ε, 0 or −ε, or infinite with probability δ: a randomized response, or a statement.

    P(+ε) = (1−δ)e^ε/(e^ε+m−1), P(−ε) = (1−δ)/(e^ε+m−1), P(0) the rest for m categories.
    Kairouz, Oh & Viswanath 2015, Thm 3.3, for m = 2: every (ε, δ) statement is dominated by it.
    """

    epsilon: Exact
    delta: Exact = Exact(0)  # noqa: RUF009 - a frozen value
    categories: int = 2
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class TablePair:
    """Finitely many outputs: the probability of each under P and under Q, both adding up to 1."""

    rows: tuple[tuple[Exact, Exact], ...]
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class DiscreteGaussianPair:
    """N_Z(0, σ²) moved by a whole number, against N_Z(0, σ²); both directions are the same.

    The noise has mass e^{−x²/2σ²} (normalised) on the integers.  Canonne, Kamath & Steinke 2020,
    Thm 7; that the largest move is the worst: docs/proofs/lattice.md, section 6.
    """

    sigma: Exact
    shift: int
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class DiscreteLaplacePair:
    """Noise of mass e^{−|x|/t} (normalised) on the integers, moved by a whole number, or not."""

    scale: Exact
    shift: int
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class MixturePair:
    """Σ wᵢN(sᵢ, σ²), all sᵢ ≥ 0, against N(0, σ²) (remove), or the other way round (add)."""

    noise_multiplier: Exact
    shifts: tuple[Exact, ...]
    weights: tuple[Exact, ...]
    direction: Direction
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class DensitiesPair:
    """Two densities on the line, as functions on balls; `direction` says which of them is P."""

    densities: Densities
    direction: Direction
    tight: bool = True


@final
@dataclass(frozen=True, slots=True)
class SampledPair:
    """(1−q)Q + qP against Q (remove), P against (1−q)P + qQ (add), for a pair (P, Q).

    The pair is the base's for the same direction.  Zhu, Dong & Wang 2022, Thm 11:
    docs/proofs/lattice.md, section 5.
    """

    base: Pair
    sampling_probability: Exact
    direction: Direction

    @property
    def tight(self) -> bool:
        """As tight as the base: both are attained where the person is alone."""
        return self.base.tight


@final
@dataclass(frozen=True, slots=True)
class LargerPair:
    """The pair whose profile is, at each ε, the largest of the branches' profiles."""

    branches: tuple[Pair, ...]

    @property
    def tight(self) -> bool:
        """Not attained by one mechanism after composition, only an upper bound there."""
        return False


Pair = (
    GaussianPair
    | SubsampledGaussianPair
    | LaplacePair
    | AtomsPair
    | TablePair
    | DiscreteGaussianPair
    | DiscreteLaplacePair
    | MixturePair
    | DensitiesPair
    | SampledPair
    | LargerPair
)


@final
@dataclass(frozen=True, slots=True)
class Composition:
    """A formal sum of pairs with counts: what is composed, in no order."""

    parts: tuple[tuple[Pair, int], ...]

    def __rmul__(self, count: int) -> Composition:
        return Composition(tuple((pair, count * n) for pair, n in self.parts))

    def __add__(self, other: Composition) -> Composition:
        counts: Counter[Pair] = Counter()
        for pair, n in self.parts + other.parts:
            counts[pair] += n
        return Composition(tuple(counts.items()))

    @property
    def tight(self) -> bool:
        """Whether every pair is attained by the mechanism it stands for."""
        return all(pair.tight for pair, _ in self.parts)


def symmetric(pair: Pair) -> bool:
    """Whether the profile of (P, Q) is known to be that of (Q, P)."""
    match pair:
        case TablePair(rows=rows):
            return Counter(rows) == Counter((q, p) for p, q in rows)
        case LargerPair(branches=branches):
            return all(symmetric(branch) for branch in branches)
        case SubsampledGaussianPair() | MixturePair() | DensitiesPair() | SampledPair():
            return False
        case _:
            return True


def subsampled(sigma: Exact, q: Exact, direction: Direction) -> Pair:
    """The subsampled pair, or the plain Gaussian one when everybody is sampled."""
    if q == Fraction(1):
        return GaussianPair(sigma)
    return SubsampledGaussianPair(sigma, q, direction)
