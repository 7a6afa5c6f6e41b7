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


Pair = GaussianPair | SubsampledGaussianPair | LaplacePair | AtomsPair


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
    """Whether the profile of (P, Q) is that of (Q, P)."""
    return not isinstance(pair, SubsampledGaussianPair)


def subsampled(sigma: Exact, q: Exact, direction: Direction) -> Pair:
    """The subsampled pair, or the plain Gaussian one when everybody is sampled."""
    if q == Fraction(1):
        return GaussianPair(sigma)
    return SubsampledGaussianPair(sigma, q, direction)
