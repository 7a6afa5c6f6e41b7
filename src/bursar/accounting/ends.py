"""How far privacy losses reach: the largest finite one, and the probability of an infinite one.

Exactly, as rational numbers, wherever they are; else in balls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from bursar.adjacency import Direction
from bursar.errors import NoProof
from bursar.numerics.balls import ball, precision
from bursar.privacy.pairs import (
    AtomsPair,
    Composition,
    DensitiesPair,
    DiscreteLaplacePair,
    LaplacePair,
    LargerPair,
    MixturePair,
    Pair,
    SampledPair,
    SubsampledGaussianPair,
    TablePair,
)

_LONGEST = 1_000_000  # bits of a rational number
_BITS = 256

Sum = tuple[Fraction, arb]  # a rational and an irrational part


def largest_loss(pairs: Composition) -> Sum | None:
    """The largest finite loss; None where there is none.

    Raises NoProof where it is not known: densities are functions.
    """
    exactly, rest = Fraction(0), arb(0)
    with precision(_BITS):
        for pair, n in pairs.parts:
            one = _largest(pair)
            if one is None:
                return None
            exactly, rest = exactly + n * one[0], rest + n * one[1]
    return exactly, rest


def infinite_exactly(pairs: Composition) -> Fraction | None:
    """The probability that some loss is infinite; None where that is too long to write."""
    parts = [(infinite_of(pair), n) for pair, n in pairs.parts]
    if sum(n * mass.denominator.bit_length() for mass, n in parts if mass) > _LONGEST:
        return None
    return 1 - math.prod(((1 - mass) ** n for mass, n in parts if mass), start=Fraction(1))


def infinite(pairs: Composition) -> arb:
    """The same in a ball: 1 − Π (1−δ)^k."""
    with precision(_BITS):
        parts = [(infinite_of(pair), n) for pair, n in pairs.parts]
        if any(mass == 1 for mass, _ in parts):
            return arb(1)
        return -sum((n * (-ball(mass)).log1p() for mass, n in parts), arb(0)).expm1()


def infinite_of(pair: Pair) -> Fraction:
    """Of one pair: P where Q has nothing.  That of densities is what they lack, and counts as 0."""
    match pair:
        case AtomsPair(delta=delta):
            return delta
        case TablePair(rows=rows):
            return sum((Fraction(p) for p, q in rows if not q), Fraction(0))
        case SampledPair(base=base, sampling_probability=q, direction=Direction.REMOVE):
            return q * infinite_of(base)
        case LargerPair(branches=branches):
            return max(infinite_of(branch) for branch in branches)
        case _:
            return Fraction(0)


def _largest(pair: Pair) -> Sum | None:
    return _LARGEST[type(pair)](pair) if type(pair) in _LARGEST else None


def _of_normal(pair: SubsampledGaussianPair) -> Sum | None:
    if pair.direction is Direction.REMOVE:
        return None
    return Fraction(0), -(-ball(pair.sampling_probability)).log1p()


def _of_mixture(pair: MixturePair) -> Sum | None:
    parts = zip(pair.weights, pair.shifts, strict=True)
    still = sum((weight for weight, shift in parts if not shift), Fraction(0))
    if pair.direction is Direction.REMOVE or not still:
        return None
    return Fraction(0), -ball(still).log()


def _of_table(pair: TablePair) -> Sum:
    most = max((Fraction(p) / q for p, q in pair.rows if p and q), default=Fraction(1))
    return Fraction(0), arb(0) if most == 1 else ball(most).log()


def _of_densities(pair: DensitiesPair) -> Sum:
    raise NoProof("the largest loss of densities that are functions is not known")


def _of_branches(found: list[Sum | None]) -> Sum | None:
    most = arb(0)
    for one in found:
        if one is None:
            return None
        most = most.max(ball(one[0]) + one[1])
    return Fraction(0), most


def _on_sample(pair: SampledPair) -> Sum | None:
    """Losses move by a rising map, whose limit is −log(1−q) for those of a person who is added."""
    q, base = ball(pair.sampling_probability), _largest(pair.base)
    if pair.direction is Direction.ADD and (base is None or infinite_of(pair.base)):
        return Fraction(0), -(-q).log1p()
    if base is None:
        return None
    most = ball(base[0]) + base[1]
    if pair.direction is Direction.ADD:
        return Fraction(0), -(q * (-most).expm1()).log1p()
    return Fraction(0), (q * most.expm1()).log1p()


_LARGEST: dict[type, Callable[[Any], Sum | None]] = {
    AtomsPair: lambda pair: (pair.epsilon, arb(0)),
    LaplacePair: lambda pair: (1 / pair.scale, arb(0)),
    DiscreteLaplacePair: lambda pair: (pair.shift / pair.scale, arb(0)),
    SubsampledGaussianPair: _of_normal,
    MixturePair: _of_mixture,
    TablePair: _of_table,
    DensitiesPair: _of_densities,
    SampledPair: _on_sample,
    LargerPair: lambda pair: _of_branches([_largest(branch) for branch in pair.branches]),
}
