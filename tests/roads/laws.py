"""Plans as the roads see them: exact laws with counts, free of any accountant's types.

`Sampled` is (1−q)N(0,σ²) + qN(1,σ²) against N(0,σ²) for "remove", the other way round for "add";
q = 1 is the plain Gaussian.  `Laplace` is Laplace(1, b) against Laplace(0, b).
The privacy loss is Y = log dP/dQ under P, and δ(ε) = E (1 − e^{ε−Y})⁺.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb, fmpq

Direction = Literal["remove", "add"]


@dataclass(frozen=True)
class Sampled:
    """The Poisson-subsampled Gaussian."""

    sigma: Fraction
    q: Fraction = Fraction(1)


@dataclass(frozen=True)
class Laplace:
    """The Laplace mechanism."""

    scale: Fraction


Law = Sampled | Laplace
Plan = tuple[tuple[Law, int], ...]


def sampled(sigma: str, q: str = "1", count: int = 1) -> Plan:
    """A plan of one step, repeated: `sampled("0.8", "256/60000", 14000)`."""
    return ((Sampled(rational(sigma), rational(q)), count),)


def laplace(scale: str, count: int = 1) -> Plan:
    """A plan of one Laplace mechanism, repeated."""
    return ((Laplace(rational(scale)), count),)


def rational(text: str) -> Fraction:
    """The exact value of a decimal or of a fraction of decimals."""
    top, _, bottom = text.partition("/")
    return Fraction(top) / Fraction(bottom or "1")


def ball(value: Fraction) -> arb:
    """An exact number as a ball at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


def ceiling(plan: Plan, direction: Direction) -> arb:
    """The largest possible loss of a plan, or +inf: above it δ is 0."""
    total = arb(0)
    for law, count in plan:
        if isinstance(law, Laplace):
            total += count / ball(law.scale)
        elif direction == "add" and law.q < 1:
            total -= count * (1 - ball(law.q)).log()
        else:
            return arb.pos_inf()
    return total


def singles(plan: Plan) -> list[Law]:
    """The laws of a plan one by one."""
    return [law for law, count in plan for _ in range(count)]
