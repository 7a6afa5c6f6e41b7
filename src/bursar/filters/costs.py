"""What one step costs in the measure of a filter: a proved upper bound, as an exact number.

Beside the views of the mechanisms four follow from a theorem each (docs/proofs/filters.md): every
ε-DP step is ε·tanh(ε/2)-zCDP, which is less than ε²/2; and GDP (`accounting/gdp_steps.py`); every
(ε, δ)-DP step is, except with probability δ on either side, an ε-DP one; and of parallel branches a
person is in one, so that each part of the price is the dearest branch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeVar, final

from flint import arb

from bursar.accounting.gdp_steps import said
from bursar.adjacency import Adjacency, Direction
from bursar.errors import NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.views import HasPair, HasPure, HasZcdp, views_of
from bursar.numerics.balls import ball, float_up, precision
from bursar.privacy.pairs import AtomsPair

V = TypeVar("V")


@final
@dataclass(frozen=True, slots=True)
class Amounts:
    """Costs that add up, one for each account."""

    values: tuple[Fraction | float, ...]

    def __rmul__(self, count: int) -> Amounts:
        return Amounts(tuple(count * value for value in self.values))

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(tuple(a + b for a, b in zip(self.values, other.values, strict=True)))


def up(value: arb) -> Fraction | float:
    """The least float at or above a ball, as an exact number; what is beyond floats is infinite."""
    top = float_up(value) if value.is_finite() else math.inf
    return top if top == math.inf else Fraction(top)


@lru_cache(maxsize=4096)
def rho_of_pure(epsilon: Fraction) -> Fraction | float:
    """The least ρ that every ε-DP step satisfies: ε·tanh(ε/2), rounded up.

    >>> float(rho_of_pure(Fraction(1)))
    0.4621171572600098
    """
    with precision():
        e = ball(epsilon)
        return up(e * (e / 2).tanh())


def concentrated(mechanism: Mechanism, adjacency: Adjacency) -> tuple[Fraction | float, Fraction]:
    """(ρ, δ) such that the step is δ-approximately ρ-zCDP.  Bun & Steinke 2016, Def. 8.1.

    The least of what its views say; NoProof where no view says anything under this relation.
    """
    if isinstance(mechanism, Parallel):
        most, leak = _dearest(mechanism, adjacency, concentrated)
        return most, Fraction(leak)
    known: list[Fraction | float] = []
    if isinstance(mechanism, HasZcdp) and (rho := said(mechanism.zcdp, adjacency)) is not None:
        known.append(rho)
    if isinstance(mechanism, HasPure) and (epsilon := said(mechanism.pure, adjacency)) is not None:
        known.append(rho_of_pure(epsilon))
    if known:
        return min(known), Fraction(0)
    at, delta = approximate(mechanism, adjacency)
    return rho_of_pure(at), delta


def approximate(mechanism: Mechanism, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
    """(ε, δ) such that the step is (ε, δ)-DP by its own statement; NoProof where it makes none."""
    if isinstance(mechanism, Parallel):
        most, leak = _dearest(mechanism, adjacency, approximate)
        return Fraction(most), Fraction(leak)
    if isinstance(mechanism, HasPure) and (epsilon := said(mechanism.pure, adjacency)) is not None:
        return epsilon, Fraction(0)
    if isinstance(mechanism, HasPair):
        pairs = [
            said(partial(mechanism.pair, direction=direction), adjacency) for direction in Direction
        ]
        atoms = [pair for pair in pairs if isinstance(pair, AtomsPair)]
        if len(atoms) == len(pairs):
            return max(pair.epsilon for pair in atoms), max(pair.delta for pair in atoms)
    if isinstance(mechanism, HasPure):
        mechanism.pure(adjacency)  # says why it refuses
    has = ", ".join(views_of(mechanism))
    raise NoProof(
        f"{mechanism.name} makes no statement of pure or (ε, δ)-DP", hint=f"It has: {has}."
    )


def _dearest(
    parallel: Parallel,
    adjacency: Adjacency,
    price: Callable[[Mechanism, Adjacency], tuple[Fraction | float, Fraction]],
) -> tuple[Fraction | float, Fraction | float]:
    """The largest sum of any branch, in each of the two parts of the price."""
    parallel.proved_under(adjacency)
    sums = [plan.total(lambda step: Amounts(price(step, adjacency))) for plan in parallel.branches]
    first, second = (max(column) for column in zip(*(s.values for s in sums), strict=True))
    return first, second
