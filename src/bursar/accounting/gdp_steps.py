"""μ² of one step: by its view, since it is pure, or since a person is in one of its branches.

Every ε-DP step is μ-GDP: docs/proofs/conversions.md, section 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from bursar.adjacency import Adjacency
from bursar.errors import NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.views import HasGdp, HasPure, views_of
from bursar.privacy.conversions import pure_to_gdp

V = TypeVar("V")
_PLENTY = 200  # a pure ε above which no budget is


@lru_cache(maxsize=4096)
def square_of_pure(epsilon: Fraction) -> Fraction | float:
    """A μ² that every ε-DP step satisfies: the least, but for rounding; infinite above ε = 200.

    >>> float(square_of_pure(Fraction(1)))
    1.51791...
    """
    return math.inf if epsilon > _PLENTY else Fraction(pure_to_gdp(epsilon)) ** 2


def step_square(mechanism: Mechanism, adjacency: Adjacency) -> Fraction | float:
    """μ² such that the step is μ-GDP: by its view, or since it is pure; NoProof for all others."""
    if isinstance(mechanism, Parallel):
        mechanism.proved_under(adjacency)
        sums = [plan.total(lambda m: step_square(m, adjacency)) for plan in mechanism.branches]
        return max(sums)
    known: list[Fraction | float] = []
    if isinstance(mechanism, HasGdp) and (square := said(mechanism.gdp, adjacency)) is not None:
        known.append(square)
    if isinstance(mechanism, HasPure) and (epsilon := said(mechanism.pure, adjacency)) is not None:
        known.append(square_of_pure(epsilon))
    if known:
        return min(known)
    if isinstance(mechanism, HasGdp):
        mechanism.gdp(adjacency)  # says why it refuses
    has = ", ".join(views_of(mechanism))
    raise NoProof(f"{mechanism.name} has no gdp view", hint=f"It has: {has}.")


def said(view: Callable[[Adjacency], V], adjacency: Adjacency) -> V | None:
    """What a view answers under this relation; None where nothing is proved of it there.

    A mechanism made of others has all their methods, and some of them refuse: that one does must
    not hide that another answers.
    """
    try:
        return view(adjacency)
    except NoProof:
        return None
