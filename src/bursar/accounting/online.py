"""ε after every step of a run, each one proved, the work shared.

Contours know nothing of counts: those that were shaped for one number of steps serve the next
ones too, until they are too wide or too long for them.  Where to look is told by the last few ε.
In the add direction an ε that holds for more steps holds for fewer.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from flint import arb

from bursar import require
from bursar.accounting import choose, exact
from bursar.accounting.climb import Climb
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.ends import infinite, infinite_exactly
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import float_down, float_up, precision
from bursar.numerics.propose import Shape
from bursar.numerics.roots import Bracket
from bursar.privacy.pairs import Composition, symmetric
from bursar.truth import About, BillLine, Enclosure, Proved

_ENOUGH = 1e-12  # relative width of ε that a contour may have, or ten times what it had at first
_WORN = 2.0  # times the steps of its shape that a contour serves at least
_WORTH = 0.6  # times what it took to make, that a contour is used for
_SPARE = 8.0  # nats, in the add direction
_SHARP = 1e-9  # relative width of an ε from which others are told
_KNOWN = 6  # values of ε from which the next one is told
_PER_NODE, _PER_PLACE = 1.0, 30.0  # about µs, of contours and of lines


def epsilons(
    step: Mechanism | Plan,
    *,
    steps: int,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    every: int = 1,
) -> list[Proved]:
    """ε after 1, 2, … `steps` runs of a mechanism or a plan; or after every so many.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> [round(float(e), 4) for e in epsilons(Gaussian(noise_multiplier=9), steps=3, delta=1e-5)]
    [0.3821, 0.5575, 0.6956]
    """
    given = {"delta": delta, "log_delta": log_delta, "adjacency": adjacency, "every": every}
    return [result for _, result in walk(step, steps=steps, **given)]  # type: ignore[arg-type]


def walk(
    step: Mechanism | Plan,
    *,
    steps: int,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    every: int = 1,
) -> Iterator[tuple[int, Proved]]:
    """The same one by one, each with its number of steps."""
    count, pace = require.count(steps=steps), require.count(every=every)
    question, relation = Question.of_delta(delta, log_delta), Adjacency.of(adjacency)
    ks = range(pace, count + 1, pace)
    return zip(ks, _walk(Plan.of(step), ks, question, relation), strict=True)


def _walk(
    step: Plan, ks: Iterable[int], question: Question, relation: Adjacency
) -> Iterator[Proved]:
    shared = None if question.is_zero or question.is_one else _Both.of(step, question, relation)
    floor = 0.0
    for k in ks:
        started = time.perf_counter()
        found = shared.epsilon(k) if shared else None
        if shared is None or found is None:
            given = question.delta, question.log_delta
            alone = choose.epsilon(k * step, delta=given[0], log_delta=given[1], adjacency=relation)
            if isinstance(alone, Enclosure):  # more turns cost no less
                floor = max(floor, alone.lower)
                alone = replace(alone, lower=floor)
                if shared and alone.upper <= (1 + _SHARP) * floor:
                    shared.remove.learn(k, floor)
            yield alone
            continue
        (low, high), bill = found
        about = About(
            given=question.text,
            method="exact",
            adjacency=relation,
            direction="both" if shared.same else "remove",
            bill=bill,
            seconds=time.perf_counter() - started,
        )
        floor = max(floor, low)
        yield Enclosure(lower=floor, upper=high, about=about)


class _Both:
    """A run of equal turns in both directions."""

    def __init__(self, remove: _Turns, add: _Turns, *, same: bool) -> None:
        self.remove, self.add, self.same = _Remove(remove), _Add(add), same

    @classmethod
    def of(cls, step: Plan, question: Question, relation: Adjacency) -> _Both | None:
        """None where no contours are at hand."""
        with precision(256):
            delta = question.delta_ball()
        try:
            remove, add = (_Turns.of(views.pairs(step, relation, way), delta) for way in Direction)
        except (NoProof, LimitReached):
            return None
        if remove is None or add is None:
            return None
        return cls(remove, add, same=all(symmetric(pair) for pair, _ in remove.pairs.parts))

    def epsilon(self, k: int) -> tuple[tuple[float, float], tuple[BillLine, ...]] | None:
        """The ends of ε after k turns, where the add direction is shown to cost less; else None."""
        found = self.remove.epsilon(k)
        if found is None or found[0].high is None:
            return None
        (low, high), bill = (found[0].low, found[0].high), found[1]
        if not self.same and not self.add.at_most(k, low):
            return None
        return (float_down(low), float_up(high)), bill


class _Turns:
    """What one turn of a run is in one direction, and what a δ leaves to it after k turns."""

    def __init__(self, pairs: Composition, delta: arb) -> None:
        self.pairs, self.delta, self.loss = pairs, delta, exact.loss_of(pairs)
        self.sure = infinite_exactly(pairs) == 0
        with precision(256):
            self.top = self.loss.top()

    @classmethod
    def of(cls, pairs: Composition, delta: arb) -> _Turns | None:
        """None where two turns have no contours."""
        contours = pairs.tight and isinstance(exact.profile(2 * pairs), ContourProfile)
        return cls(pairs, delta) if contours else None

    def profile(self, k: int) -> ContourProfile | None:
        """After k turns; a single one may have a closed form, and too many are beyond floats."""
        with suppress(LimitReached):
            found = exact.profile(k * self.pairs)
            return found if isinstance(found, ContourProfile) else None
        return None

    def target(self, k: int) -> arb:
        """What δ leaves to finite losses."""
        if self.sure:
            return self.delta
        with precision(256):
            return self.delta - infinite(k * self.pairs)

    def top_of(self, k: int) -> arb:
        """What ε exceeds the location by."""
        with precision(256):
            return k * self.top


class _Remove:
    """ε after k turns, from the contours that are in use or from new ones."""

    def __init__(self, turns: _Turns) -> None:
        self.turns = turns
        self.climb: Climb | None = None
        self.made = 0  # the number of turns for which the contours were made
        self.enough = _ENOUGH
        self.spent = self.cost = 0.0  # about µs
        self.known = deque[tuple[float, float]](maxlen=_KNOWN)  # log k and log ε

    def epsilon(self, k: int) -> tuple[Bracket, tuple[BillLine, ...]] | None:
        """Both ends, or None where contours do not tell; and the errors."""
        near = self.guess(k)
        found = self._shared(k, near) if self.climb and near is not None else None
        found = found or self._fresh(k, near)
        if found is None:
            self.climb = None
            return None
        self.learn(k, float(found[0].low))
        return found

    def learn(self, k: int, epsilon: float) -> None:
        """What ε is after k turns, for the next guess."""
        at = math.log(k)
        if 0 < epsilon < math.inf and all(at > known for known, _ in self.known):
            self.known.append((at, math.log(epsilon)))

    def guess(self, k: int) -> float | None:
        """ε after k turns, told by a polynomial through the last few: log ε in log k."""
        if len(self.known) < 2:
            return None
        x, total = math.log(k), 0.0
        for i, (at, value) in enumerate(self.known):
            others = [other for j, (other, _) in enumerate(self.known) if j != i]
            total += value * math.prod((x - other) / (at - other) for other in others)
        return math.exp(total)

    def _shared(self, k: int, near: float) -> tuple[Bracket, tuple[BillLine, ...]] | None:
        if self.climb is None or (k >= _WORN * self.made and self.spent > _WORTH * self.cost):
            return None
        stack, target, top = self.climb.at(k), self.turns.target(k), self.turns.top_of(k)
        self.spent += sum(150 + _PER_NODE * len(each.parts.base) for each in stack.contours)
        root = stack.enclose(near - float(top), target, top)
        if root is None or not root.bracket.low > 0 or root.wide > self.enough:
            return None
        return root.bracket, stack.bill(arb(root.middle), target, root.value)

    def _fresh(self, k: int, near: float | None) -> tuple[Bracket, tuple[BillLine, ...]] | None:
        profile = self.turns.profile(k)
        if profile is None:
            return None
        try:
            bracket = profile.epsilon_at(self.turns.delta, near)
        except LimitReached:
            return None
        if profile.stack is None or bracket.high is None or not bracket.low > 0:
            return None
        self.climb, self.made, self.spent = Climb(self.turns.loss, profile.stack, k), k, 0.0
        self.cost = 5000 + sum(_cost(contour.shape) for contour in profile.stack.contours)
        wide = float((bracket.high - bracket.low) / bracket.high)
        self.enough = max(_ENOUGH, 10 * wide)
        return bracket, profile.bill()


class _Add:
    """Whether ε holds after k turns in the add direction."""

    def __init__(self, turns: _Turns) -> None:
        self.turns = turns
        self.climb: Climb | None = None
        self.until, self.held = 0, arb(0)  # at this ε it was shown for so many turns
        self.ahead = 1.1

    def at_most(self, k: int, epsilon: arb) -> bool:
        """Whether δ(ε) after k turns is proved to be at most the one that is asked for."""
        if k <= self.until and epsilon >= self.held:
            return True
        further = math.ceil(k * self.ahead)
        if self._seen(further, epsilon):
            self.until, self.ahead = further, min(2.0, 1.5 * self.ahead - 0.5)
        elif self._seen(k, epsilon) or self._shaped(k, epsilon):
            self.until, self.ahead = k, 0.5 * self.ahead + 0.5
        else:
            return False
        self.held = epsilon
        return True

    def _seen(self, k: int, epsilon: arb) -> bool:
        """By the contour that is in use, or because no loss is as large."""
        profile, target = self.turns.profile(k), self.turns.target(k)
        if profile is None or not target > 0:
            return False
        location = profile.location(epsilon)
        if profile.beyond(location):
            return True
        if self.climb is None:
            return False
        stack = self.climb.at(k)
        with precision(stack.bits):
            return bool(stack.upper(location) <= target)

    def _shaped(self, k: int, epsilon: arb) -> bool:
        """By a new contour, with some nats to spare for the next ones."""
        profile, target = self.turns.profile(k), self.turns.target(k)
        if profile is None or not target > 0:
            return False
        with suppress(LimitReached):
            location = float(profile.location(epsilon))
            coarse = profile.coarse(location, float(target.log()), _SPARE)
            self.climb = Climb(self.turns.loss, coarse, k) if coarse else None
            return self._seen(k, epsilon)
        return False


def _cost(shape: Shape) -> float:
    """About the µs that the nodes of a contour take."""
    lines = shape.lines + shape.under
    return sum(_PER_PLACE * (line.last - line.first) + 2 * _PER_NODE * shape.n for line in lines)
