"""Choosing one of many by score: bounded ranges, the exponential mechanism, report-noisy-max.

`epsilon` is that of the choice: the noise on a score is 2Δ/ε times a standard one, with Δ the most
by which one person, under the relation that is asked for, moves any score.  Where one person moves
all scores the same way, Δ/ε gives the same: state it with half the ε.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

from bursar import require
from bursar.adjacency import Adjacency, Direction
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.mechanisms.statements import PureDP
from bursar.numerics.balls import ball
from bursar.privacy.curve import RdpCurve
from bursar.privacy.densities import Densities
from bursar.privacy.noise_curves import BoundedRangeCurve
from bursar.privacy.pairs import DensitiesPair, Pair

NOISES = ("exponential", "gumbel")


@final
@dataclass(frozen=True, slots=True)
class _Exponential:
    """The density ∝ e^{sx} on [0, 1], s = ±ε, as a function of balls and of series."""

    rate: Exact

    def __call__(self, x: Any) -> Any:
        rate = ball(self.rate)
        return (x * rate).exp() * (rate / rate.expm1())


@final
@dataclass(frozen=True, slots=True, init=False)
class BoundedRange(Mechanism):
    """Anything whose privacy loss, for each pair of neighbours, spans an interval of length ε.

    >>> BoundedRange(epsilon=1).zcdp(Adjacency.ADD_OR_REMOVE_ONE)
    0.125
    """

    name: ClassVar[str] = "bounded-range"
    epsilon: Exact

    def __init__(self, *, epsilon: Number) -> None:
        fix(self, {"epsilon": require.positive(epsilon=epsilon)})

    def pair(self, adjacency: Adjacency, direction: Direction) -> DensitiesPair:
        """e^{εx} against e^{−εx} on [0, 1]: their profile is the largest of all at every ε.

        Dong, Durfee & Rogers 2020, for one step; docs/proofs/bounded-range.md, section 2.
        """
        present, absent = _Exponential(self.epsilon), _Exponential(Exact(-self.epsilon))
        laws = Densities(present, absent, Exact(0), Exact(1))
        return DensitiesPair(laws, direction, tight=False)

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε: the interval has 0 in it."""
        return self.epsilon

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ρ = ε²/8.  Cesar & Rogers 2021; docs/proofs/bounded-range.md, section 3."""
        return Exact(self.epsilon**2 / 8)

    def rdp(self, adjacency: Adjacency) -> BoundedRangeCurve:
        """The largest divergence of all such laws; it is below αε²/8 and below ε."""
        return BoundedRangeCurve(self.epsilon)


@final
@dataclass(frozen=True, slots=True, init=False)
class ExponentialMechanism(Mechanism):
    """Choose i with probability proportional to e^{ε·score/2Δ}: an ε-bounded range.

    McSherry & Talwar 2007, Thm 6; Dong, Durfee & Rogers 2020.  `bursar.noise` draws it.

    >>> ExponentialMechanism(epsilon="0.5")
    ExponentialMechanism(epsilon=0.5)
    """

    name: ClassVar[str] = "exponential"
    epsilon: Exact

    def __init__(self, *, epsilon: Number) -> None:
        fix(self, {"epsilon": require.positive(epsilon=epsilon)})

    @property
    def statement(self) -> BoundedRange:
        """What is used of it."""
        return BoundedRange(epsilon=self.epsilon)

    def pair(self, adjacency: Adjacency, direction: Direction) -> DensitiesPair:
        """That of a bounded range."""
        return self.statement.pair(adjacency, direction)

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε."""
        return self.epsilon

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ε²/8."""
        return self.statement.zcdp(adjacency)

    def rdp(self, adjacency: Adjacency) -> BoundedRangeCurve:
        """That of a bounded range."""
        return self.statement.rdp(adjacency)


@final
@dataclass(frozen=True, slots=True, init=False)
class ReportNoisyMax(Mechanism):
    """Release which score plus noise is the largest, and nothing else.

    With Gumbel noise it is the exponential mechanism, with exponential noise permute-and-flip
    (McKenna & Sheldon 2020; Ding et al. 2021), of which only the pure ε is used.

    >>> ReportNoisyMax(epsilon=1)
    ReportNoisyMax(epsilon=1, noise='exponential')
    """

    name: ClassVar[str] = "report-noisy-max"
    epsilon: Exact
    noise: str

    def __init__(self, *, epsilon: Number, noise: str = "exponential") -> None:
        checked = require.positive(epsilon=epsilon), require.one_of(NOISES, noise=noise)
        fix(self, dict(zip(("epsilon", "noise"), checked, strict=True)))

    @property
    def statement(self) -> BoundedRange | PureDP:
        """What is used of it."""
        made = BoundedRange if self.noise == "gumbel" else PureDP
        return made(epsilon=self.epsilon)

    def pair(self, adjacency: Adjacency, direction: Direction) -> Pair:
        """That of the statement."""
        pair = self.statement.pair(adjacency, direction)
        return pair if isinstance(pair, DensitiesPair) else replace(pair, tight=False)

    def pure(self, adjacency: Adjacency) -> Exact:
        """ε."""
        return self.epsilon

    def zcdp(self, adjacency: Adjacency) -> Exact:
        """ε²/8 with Gumbel noise, else ε²/2."""
        return self.statement.zcdp(adjacency)

    def rdp(self, adjacency: Adjacency) -> RdpCurve:
        """That of the statement."""
        return self.statement.rdp(adjacency)
