"""The standard laws that noise is drawn from, as functions of a tail's probability.

A law is two tails: a number p, uniform in (0, 1/2), becomes `upper(p)` or `lower(p)`, with
probability 1/2 each.  A tail gives Taylor coefficients in p, as balls: the first alone is the
value.  For a wide ball p they enclose those at every point of it, which bounds a remainder.

Normal: with z = Q(p) and φ the density, the n-th derivative is (−1)^n H_n(z) / φ(z)^n, where
H_1 = 1 and H_{n+1} = H_n' + n z H_n (docs/proofs/rounded-gaussian.md, Lemma 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import final

from flint import arb

Tail = Callable[[arb, int], list[arb]]


@final
@dataclass(frozen=True, slots=True)
class Law:
    """A law on the line, in two halves of equal probability; `mirror` is the sign of the lower."""

    name: str
    upper: Tail
    lower: Tail
    mirror: int = 1

    def value(self, below: bool, p: arb) -> arb:
        """The value that p becomes on this side."""
        return self.mirror * self.lower(p, 1)[0] if below else self.upper(p, 1)[0]


def _normal(p: arb, terms: int) -> list[arb]:
    z = (2 * p).erfcinv() * arb(2).sqrt()
    density = (-z * z / 2).exp() / (2 * arb.pi()).sqrt()
    found, power = [z], arb(1)
    for n in range(1, terms):
        power = -power / (n * density)
        found.append(power * _polynomial(_hermite(n), z))
    return found


@cache
def _hermite(n: int) -> list[int]:
    """The coefficients of H_n, all nonnegative."""
    if n == 1:
        return [1]
    before = [*_hermite(n - 1), 0]
    slope = [*(i * c for i, c in enumerate(before) if i), 0]
    shifted = [0, *((n - 1) * c for c in before[:-1])]
    return [a + b for a, b in zip(slope, shifted, strict=True)]


def _polynomial(coefficients: list[int], z: arb) -> arb:
    value = arb(0)
    for coefficient in reversed(coefficients):
        value = value * z + coefficient
    return value


def _minus_log(p: arb, terms: int) -> list[arb]:
    return [-p.log(), *((-1 / p) ** n / n for n in range(1, terms))]


def _exponential(p: arb, terms: int) -> list[arb]:
    first, *rest = _minus_log(p, terms)
    return [first - arb(2).log(), *rest]


def _gumbel_lower(p: arb, terms: int) -> list[arb]:
    return _minus_log_of(_minus_log(p, terms))


def _gumbel_upper(p: arb, terms: int) -> list[arb]:
    q = 1 - p
    return _minus_log_of([-(-p).log1p(), *(1 / (n * q**n) for n in range(1, terms))])


def _minus_log_of(series: list[arb]) -> list[arb]:
    """−log of a Taylor series: n s_0 l_n = n s_n − Σ k l_k s_{n−k} for its logarithm l."""
    logs = [series[0].log()]
    for n in range(1, len(series)):
        known = sum((k * logs[k] * series[n - k] for k in range(1, n)), arb(0))
        logs.append((series[n] - known / n) / series[0])
    return [-term for term in logs]


NORMAL = Law("normal", _normal, _normal, mirror=-1)
LAPLACE = Law("laplace", _exponential, _exponential, mirror=-1)
EXPONENTIAL = Law("exponential", _exponential, _exponential)
GUMBEL = Law("gumbel", _gumbel_upper, _gumbel_lower)
