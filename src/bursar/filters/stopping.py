"""Stopping rules: looking at a filtered run while it runs (Feldman & Zrnic 2021, section 5).

Who is inside is private, so how many are is asked privately.  Each rule says at birth what it may
cost everybody (`plan`); that is charged to the data set once, before the first look, and holds for
any number of looks up to its horizon.  The samplers are passed in, so that what is drawn is exact
noise: `rounded_gaussian` and `discrete_laplace` of the room `noise` are what fits.

What is told to a rule (counts of people) is private; what it answers is not.  A rule's state is
used once: told again, it would answer more often than was paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from bursar import require
from bursar.errors import CorruptBooks, InvalidParameter
from bursar.exact import Exact, Number
from bursar.filters.individual import Inside
from bursar.filters.sealed import Array, Private, Sealed, Ticket
from bursar.mechanisms.gaussian import Gaussian
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.statements import PureDP
from bursar.numerics.balls import ball, float_up, precision


class GaussianSampler(Protocol):
    """Normal noise, rounded exactly to whole numbers."""

    def __call__(self, *, noise_std: Number, size: int) -> NDArray[np.int64]:
        """So many independent draws."""


class LaplaceSampler(Protocol):
    """Two-sided geometric noise: P(j) proportional to exp(−|j|/scale)."""

    def __call__(self, *, scale: Number, size: int) -> NDArray[np.int64]:
        """So many independent draws."""


@final
class Attendance(Sealed):
    """Who has not been left out of any question so far; being left out once counts for good.

    >>> Attendance(np.array([True, True, False]))
    <private Attendance of 3 people>
    """

    __slots__ = ()

    def after(self, inside: Inside) -> tuple[Attendance, int]:
        """Who is left after one more question, and how many finished with it: a private number."""
        staying: Array = self.reveal() & inside.reveal()
        return Attendance(staying), self.here() - int(np.count_nonzero(staying))

    def here(self) -> int:
        """How many people are left: a private number."""
        return int(np.count_nonzero(self.reveal()))


Sums = tuple[int, ...]


@final
class Tree(Private):
    """The sums of a continual count: private, but for the time; told once."""

    __slots__ = ("_noisy", "_of", "_sums", "_ticket", "time")

    def __init__(self, of: ActiveCount, time: int, sums: Sums, noisy: Sums) -> None:
        self._of, self.time, self._sums, self._noisy = of, time, sums, noisy
        self._ticket = Ticket("the count")

    def reveal(self) -> tuple[Sums, Sums]:
        """The sums without and with noise, for trusted storage."""
        return self._sums, self._noisy

    def use(self, of: ActiveCount) -> tuple[Sums, Sums]:
        """The sums, to make the next state of them; CorruptBooks if that was done before."""
        _same_rule(self._of, of)
        self._ticket.take()
        return self.reveal()

    def __repr__(self) -> str:
        return f"<private Tree at {self.time}>"


@final
@dataclass(frozen=True, slots=True, init=False)
class ActiveCount:
    """How many people are still active, told after every question, with the noise of a binary tree.

    A person enters once and finishes once, so they change two numbers of the stream by one, and
    each number stands in one sum of each level: that is as many Gaussian answers, at most.
    Dwork et al. 2010.

    >>> ActiveCount(horizon=1000, noise_std=100).plan
    20 * Gaussian(noise_multiplier=100)
    """

    horizon: int
    noise_std: Exact

    def __init__(self, *, horizon: int, noise_std: Number) -> None:
        object.__setattr__(self, "horizon", require.count(horizon=horizon))
        object.__setattr__(self, "noise_std", require.positive(noise_std=noise_std))

    @property
    def levels(self) -> int:
        """How many sums one number of the stream stands in."""
        return (self.horizon + 1).bit_length()

    @property
    def plan(self) -> Plan:
        """What everybody is charged at birth."""
        return 2 * self.levels * Gaussian(noise_multiplier=self.noise_std)

    def start(self) -> Tree:
        """Nobody has entered."""
        return Tree(self, 0, (0,) * self.levels, (0,) * self.levels)

    def tell(self, tree: Tree, change: int, sampler: GaussianSampler) -> tuple[Tree, int]:
        """The number of active people, with noise, after they changed by `change`.

        First by +n for those who enter, then by −m for those who finish with each question.
        """
        time = tree.time + 1
        if time > self.horizon + 1:
            need = f"it was made for {self.horizon} questions"
            raise InvalidParameter(need, field="horizon", value=self.horizon)
        level = (time & -time).bit_length() - 1  # the sum that ends now, of 2^level numbers
        whole = _integer(change)
        before, noisy_before = tree.use(self)
        total = sum(before[:level]) + whole
        noise = int(sampler(noise_std=self.noise_std, size=1)[0])
        sums = (0,) * level + (total,) + before[level + 1 :]
        noisy = (0,) * level + (total + noise,) + noisy_before[level + 1 :]
        return Tree(self, time, sums, noisy), sum(noisy)

    def std_at(self, time: int) -> float:
        """The noise's standard deviation in the answer after so many questions, rounded up."""
        parts = (require.count(time=time, at_least=0) + 1).bit_count()
        with precision():
            return float_up((ball(self.noise_std**2 + Fraction(1, 4)) * parts).sqrt())


@final
class Screen(Private):
    """A screen that is up: its threshold's noise is private; told once, and over after a no."""

    __slots__ = ("_noise", "_of", "_ticket", "over")

    def __init__(self, of: StillActive, noise: int, *, over: bool) -> None:
        self._of, self._noise, self.over = of, noise, over
        self._ticket = Ticket("the screen")

    def use(self, of: StillActive) -> int:
        """The threshold's noise, for one look; CorruptBooks if that was done before."""
        _same_rule(self._of, of)
        self._ticket.take()
        return self._noise

    def __repr__(self) -> str:
        return f"<private Screen, {'over' if self.over else 'up'}>"


@final
@dataclass(frozen=True, slots=True, init=False)
class StillActive:
    """Are at least `least` people active?  Any number of looks, until the first no.

    A person changes all counts of the run by one in the same direction, so that both noises need
    sensitivity 1: ε = 1/threshold_scale + 1/count_scale in all.  Lyu, Su & Li 2017.

    >>> StillActive(least=1000, threshold_scale=20, count_scale=20).plan
    1 * PureDP(epsilon=0.1)
    """

    least: int
    threshold_scale: Exact
    count_scale: Exact

    def __init__(self, *, least: int, threshold_scale: Number, count_scale: Number) -> None:
        object.__setattr__(self, "least", require.count(least=least, at_least=0))
        scale = require.positive(threshold_scale=threshold_scale)
        object.__setattr__(self, "threshold_scale", scale)
        object.__setattr__(self, "count_scale", require.positive(count_scale=count_scale))

    @property
    def plan(self) -> Plan:
        """What everybody is charged at birth."""
        return Plan.of(PureDP(epsilon=Exact(1 / self.threshold_scale + 1 / self.count_scale)))

    def start(self, sampler: LaplaceSampler) -> Screen:
        """Draw the threshold's noise, once."""
        noise = int(sampler(scale=self.threshold_scale, size=1)[0])
        return Screen(self, noise, over=False)

    def tell(self, screen: Screen, active: int, sampler: LaplaceSampler) -> tuple[Screen, bool]:
        """Whether that many people are enough, give or take the noise; after a no it is over."""
        if screen.over:
            raise CorruptBooks("this screen said no before: it is over")
        count = _integer(active)
        threshold = screen.use(self)
        noise = int(sampler(scale=self.count_scale, size=1)[0])
        enough = count + noise >= self.least + threshold
        return Screen(self, threshold, over=not enough), enough


@final
class Checks(Private):
    """The accuracies that were told so far, which are public; used once."""

    __slots__ = ("_of", "_ticket", "told")

    def __init__(self, of: AccuracyChecks, told: tuple[Exact, ...]) -> None:
        self._of, self.told, self._ticket = of, told, Ticket("the checks")

    def use(self, of: AccuracyChecks) -> tuple[Exact, ...]:
        """What was told, to add one more; CorruptBooks if that was done before."""
        _same_rule(self._of, of)
        self._ticket.take()
        return self.told

    def __repr__(self) -> str:
        return f"Checks{self.told}"


@final
@dataclass(frozen=True, slots=True, init=False)
class AccuracyChecks:
    """How many of a public number of people the model gets right, `checks` times, to a resolution.

    Each answer is within `resolution` of the truth except with probability `failure`.

    >>> rule = AccuracyChecks(people=60000, checks=8, resolution="0.01", failure="0.05")
    >>> float(rule.noise_std)
    220.7...
    """

    people: int
    checks: int
    resolution: Exact
    noise_std: Exact

    def __init__(self, *, people: int, checks: int, resolution: Number, failure: Number) -> None:
        n, times = require.count(people=people), require.count(checks=checks)
        within, fails = (
            require.probability(resolution=resolution),
            require.probability(failure=failure),
        )
        room = n * within - Fraction(1, 2)  # half a person is lost to rounding
        if not room > 0:
            raise InvalidParameter(
                "it must be finer than nothing, and coarser than half a person",
                field="resolution",
                value=within,
            )
        with precision():
            deviations = float_up((2 * (2 / ball(fails)).log()).sqrt())
        std = Exact(room / Fraction(deviations))
        for name, value in (
            ("people", n),
            ("checks", times),
            ("resolution", within),
            ("noise_std", std),
        ):
            object.__setattr__(self, name, value)

    @property
    def plan(self) -> Plan:
        """What everybody is charged at birth."""
        return self.checks * Gaussian(noise_multiplier=self.noise_std)

    def start(self) -> Checks:
        """No check was made."""
        return Checks(self, ())

    def tell(self, checks: Checks, right: int, sampler: GaussianSampler) -> Checks:
        """The accuracies told so far and one more, of `right` people, with noise."""
        if len(checks.told) >= self.checks:
            raise InvalidParameter("all checks are made", field="checks", value=self.checks)
        count = _integer(right)
        told = checks.use(self)
        noise = int(sampler(noise_std=self.noise_std, size=1)[0])
        return Checks(self, (*told, Exact(Fraction(count + noise, self.people))))

    def best(self, told: tuple[Exact, ...]) -> int:
        """Which check told the highest accuracy: the iterate to keep."""
        if not told:
            raise InvalidParameter("no check was made yet", field="told", value=told)
        return max(range(len(told)), key=lambda i: told[i])

    def plateau(self, told: tuple[Exact, ...], *, patience: int = 2) -> bool:
        """Whether the last so many checks gained less than the resolution on those before."""
        last = require.count(patience=patience)
        if len(told) <= last:
            return False
        return max(told[-last:]) < max(told[:-last]) + self.resolution


def _same_rule(mine: object, asked: object) -> None:
    if mine != asked:
        raise CorruptBooks("this is a state of another rule, which paid for itself alone")


def _integer(count: Any) -> int:
    if isinstance(count, (int, np.integer)) and not isinstance(count, bool):
        return int(count)
    raise InvalidParameter(
        "a count of people must be a whole number", field="count", value="private"
    )
