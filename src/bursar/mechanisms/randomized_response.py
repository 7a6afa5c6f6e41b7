"""Randomized response: each person tells the truth more often than each other answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.curves import AtomsCurve
from bursar.privacy.pairs import AtomsPair


@final
@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponse(Mechanism):
    """Answer truly with probability e^ε/(e^ε+m−1), else one of the other m−1 answers at random.

    >>> RandomizedResponse(epsilon=1)
    RandomizedResponse(epsilon=1, categories=2)
    """

    name: ClassVar[str] = "randomized-response"
    relations: ClassVar[frozenset[Adjacency]] = frozenset({Adjacency.REPLACE_ONE})
    epsilon: Exact
    categories: int

    def __init__(self, *, epsilon: Number, categories: int = 2) -> None:
        checked = (
            require.positive(epsilon=epsilon),
            require.count(categories=categories, at_least=2),
        )
        fix(self, dict(zip(("epsilon", "categories"), checked, strict=True)))

    def pair(self, adjacency: Adjacency, direction: Direction) -> AtomsPair:
        """The laws of the answer for two true values: a loss of ±ε, or 0 for a third answer."""
        self.proved_under(adjacency)
        return AtomsPair(self.epsilon, categories=self.categories)

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε itself: the largest ratio of two answers' probabilities."""
        self.proved_under(adjacency)
        return self.epsilon

    def rdp(self, adjacency: Adjacency) -> AtomsCurve:
        """The Rényi divergence of those laws, which are the same both ways round."""
        self.proved_under(adjacency)
        return AtomsCurve(self.epsilon, self.categories)
