"""Finite sums: randomized response, pure and (ε, δ) statements, repeated and mixed.

n steps of the same atoms have a loss jε with j from −n to n, of multinomial law; different ε
multiply out to a grid.  δ(ε) = Σ (P − e^ε Q) over the losses above ε, plus what is infinite:
Kairouz, Oh & Viswanath 2015, Thm 3.3.  Every probability is a ball.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, field
from typing import final

from flint import arb

from bursar.accounting.ends import infinite
from bursar.errors import LimitReached
from bursar.numerics.balls import ball, precision
from bursar.numerics.roots import Bracket
from bursar.privacy.pairs import AtomsPair, Composition
from bursar.truth import BillLine

_MOST_ATOMS = 400_000
_LARGEST_LOSS = 10**50  # e to it, or its inverse, still is a ball that says something
_BITS = 192

Atom = tuple[arb, arb, arb]  # the loss, and its probabilities under P and under Q


@final
@dataclass(slots=True)
class AtomsProfile:
    """The profile of a composition of atoms; both directions are the same."""

    parts: tuple[tuple[AtomsPair, int], ...]
    method: str = "closed-form"
    losses: list[float] = field(init=False)
    tails: list[tuple[arb, arb]] = field(init=False)  # P and Q of the losses from this one up
    atoms: list[Atom] = field(init=False)
    infinite: arb = field(init=False)

    def __post_init__(self) -> None:
        size = math.prod(_size(pair, count) for pair, count in self.parts)
        if size > _MOST_ATOMS:
            raise LimitReached(
                f"the finite sum has {size} terms",
                hint="Merge equal statements, or ask for --method rdp.",
            )
        if sum(n * pair.epsilon for pair, n in self.parts) > _LARGEST_LOSS:
            raise LimitReached("the largest loss is beyond the finite sum")
        with precision(_BITS):
            atoms: list[Atom] = [(arb(0), arb(1), arb(1))]
            for pair, count in self.parts:
                atoms = _product(atoms, _repeated(pair, count))
            self.infinite = infinite(Composition(self.parts))
            finite = 1 - self.infinite
            atoms.sort(key=lambda atom: float(atom[0]))
            self.atoms = atoms
            above: list[tuple[arb, arb]] = [(arb(0), arb(0))]
            for _, p, q in reversed(atoms):
                above.append((above[-1][0] + finite * p, above[-1][1] + finite * q))
            self.tails = above[::-1]
            self.losses = [float(atom[0]) for atom in atoms]

    def delta_at(self, epsilon: arb) -> arb:
        """The sum over the losses above ε; those too near to tell are summed one by one."""
        with precision(_BITS):
            if epsilon >= self.atoms[-1][0]:
                return self.infinite
            near = 1e-12 * (1 + abs(float(epsilon)))
            first = bisect.bisect_left(self.losses, float(epsilon) - near)
            sure = bisect.bisect_right(self.losses, float(epsilon) + near)
            p, q = self.tails[sure]
            total = self.infinite + p - epsilon.exp() * q
            finite = 1 - self.infinite
            for _, p, q in self.atoms[first:sure]:
                part = p - epsilon.exp() * q
                total += finite * part.nonnegative_part()
            return total

    def epsilon_at(self, target: arb) -> Bracket:
        """On the stretch between two losses δ = A − e^ε B, so ε = log((A − target)/B)."""
        with precision(_BITS):
            if self.delta_at(arb(0)) <= target:
                return Bracket(arb(0), arb(0))
            if self.infinite > target:
                return Bracket(arb("inf"), None)
            if not self.infinite <= target:
                raise LimitReached("δ is too near the probability of an infinite loss")
            low, high = 0, len(self.atoms)  # δ at the loss of `high` is known to be ≤ target
            while high - low > 1:
                middle = (low + high) // 2
                if self.delta_at(self.atoms[middle][0].upper()) <= target:
                    high = middle
                else:
                    low = middle
            return self._between(low, high, target)

    def _between(self, low: int, high: int, target: arb) -> Bracket:
        end = self.atoms[min(high, len(self.atoms) - 1)][0].upper()
        p, q = self.tails[min(high, len(self.atoms) - 1)]
        root = ((self.infinite + p - target) / q).log()
        if root.is_finite():
            slack = abs(root) * arb(2) ** -70 + arb(2) ** -150
            left, right = (root.lower() - slack).lower(), (root.upper() + slack).upper()
            if left >= 0 and self.delta_at(left) > target and self.delta_at(right) <= target:
                return Bracket(left.mid(), right.mid())
        start = self.atoms[low][0].lower()
        start = start if start > 0 and self.delta_at(start) > target else arb(0)
        return Bracket(start.mid(), end.mid())

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """By the sum."""
        return bool(self.delta_at(epsilon) <= target)

    def bill(self) -> tuple[BillLine, ...]:
        """Rounding only."""
        return (BillLine("rounding", 2.0**-52, "finite sum in ball arithmetic"),)


def _size(pair: AtomsPair, count: int) -> int:
    return 1 if pair.epsilon == 0 else (count + 1 if pair.categories == 2 else 2 * count + 1)


def _repeated(pair: AtomsPair, count: int) -> list[Atom]:
    """The atoms of `count` independent losses in {+ε, 0, −ε}, by the binomial or trinomial law."""
    if pair.epsilon == 0:
        return [(arb(0), arb(1), arb(1))]
    epsilon, m = ball(pair.epsilon), pair.categories
    high = epsilon.exp() / (epsilon.exp() + (m - 1))
    low, rest = 1 / (epsilon.exp() + (m - 1)), (m - 2) / (epsilon.exp() + (m - 1))
    found: dict[int, arb] = {}
    if m == 2:
        term = low**count
        for ups in range(count + 1):
            found[2 * ups - count] = term
            term = term * (count - ups) / (ups + 1) * (high / low)
    else:
        _check_trinomial(count)
        found = _trinomial(high, rest, low, count)
    return [(j * epsilon, p, found[-j]) for j, p in found.items()]


def _check_trinomial(count: int) -> None:
    if count > 2_000:
        raise LimitReached(
            f"{count} responses of three or more categories are too many for the finite sum",
            hint="Ask for --method rdp.",
        )


def _trinomial(high: arb, rest: arb, low: arb, count: int) -> dict[int, arb]:
    """The law of the sum of `count` steps of +1, 0, −1."""
    law = {j: arb(0) for j in range(-count, count + 1)}
    outer = rest**count  # no step moves
    for moved in range(count + 1):
        term = outer * low**moved
        for ups in range(moved + 1):
            law[2 * ups - moved] += term
            term = term * (moved - ups) / (ups + 1) * (high / low)
        outer = outer * (count - moved) / (moved + 1) / rest
    return law


def _product(left: list[Atom], right: list[Atom]) -> list[Atom]:
    return [(a + b, p * r, q * s) for a, p, q in left for b, r, s in right]
