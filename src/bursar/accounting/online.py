"""ε after every step of a run, each one proved, the work shared.

The nodes of a contour serve every number of steps near the one it was shaped for: only powers and
a few sums are new.  A contour is shaped anew when its errors have grown too large.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from flint import arb

from bursar import require
from bursar.accounting import choose, exact
from bursar.accounting.contour_profile import ContourProfile
from bursar.accounting.question import Question
from bursar.accounting.stack import Stack
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import InternalError, LimitReached
from bursar.exact import Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import float_down, float_up, precision
from bursar.numerics.propose import TOLERANCE
from bursar.privacy.pairs import Composition
from bursar.truth import About, Enclosure, Proved

_AHEAD = 1.3  # a contour serves this many times the steps at which it was shaped
_FIRST = 8  # before, few steps are nearly atoms, and each has contours of its own
_SHARPER = 18.0  # nats that it is sharper than a contour for one number of steps
_ENOUGH = 1e-12  # relative width of ε that a shared contour may have


def epsilons(
    step: Mechanism,
    *,
    steps: int,
    delta: Number | None = None,
    log_delta: float | None = None,
    adjacency: Adjacency | str = DEFAULT,
    every: int = 1,
) -> list[Proved]:
    """ε after 1, 2, … `steps` runs of a mechanism; or after every so many.

    >>> from bursar.mechanisms.gaussian import Gaussian
    >>> [round(float(e), 4) for e in epsilons(Gaussian(noise_multiplier=9), steps=3, delta=1e-5)]
    [0.3821, 0.5575, 0.6956]
    """
    given = {"delta": delta, "log_delta": log_delta, "adjacency": adjacency, "every": every}
    return [result for _, result in walk(step, steps=steps, **given)]  # type: ignore[arg-type]


def walk(
    step: Mechanism,
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
    return zip(ks, _walk(step, ks, question, relation), strict=True)


def _walk(
    step: Mechanism, ks: Iterable[int], question: Question, relation: Adjacency
) -> Iterator[Proved]:
    shared = [_Shared(views.pairs(Plan.of(step), relation, way)) for way in Direction]
    plain = question.is_zero or question.is_one or not all(each.usable for each in shared)
    with precision(256):
        target = None if plain else question.delta_ball()
    for k in ks:
        started = time.perf_counter()
        found = None if target is None or k < _FIRST else _both(shared, k, target)
        if found is None:
            given = question.delta, question.log_delta
            yield choose.epsilon(k * step, delta=given[0], log_delta=given[1], adjacency=relation)
            continue
        about = About(given=question.text, method="exact", adjacency=relation, direction="remove")
        about = replace(about, seconds=time.perf_counter() - started)
        yield Enclosure(lower=float_down(found[0]), upper=float_up(found[1]), about=about)


def _both(shared: list[_Shared], k: int, target: arb) -> tuple[arb, arb] | None:
    """The remove direction's ends, where the add direction is shown to cost less; else None."""
    remove, add = shared
    found = remove.epsilon(k, target)
    return found if found is not None and add.at_most(k, found[0], target) else None


class _Shared:
    """One direction of a run of equal steps, and the contour that is in use."""

    def __init__(self, pairs: Composition) -> None:
        self.usable = pairs.tight and isinstance(exact.profile(2 * pairs), ContourProfile)
        self.pairs = pairs
        self.stack: Stack | None = None
        self.goal = self.before = 0.0  # ε at the last two numbers of steps, less the top
        self.until = 0  # the number of steps up to which the contour is worth keeping

    def epsilon(self, k: int, target: arb) -> tuple[arb, arb] | None:
        """Both ends of ε after k steps, or None where a shared contour does not tell."""
        profile = self._profile(k)
        log_delta = float(target.log())
        for fresh in (k > self.until, True):
            if fresh:
                self.until = math.ceil(k * _AHEAD)
                self.stack = None
                with suppress(LimitReached):
                    ahead = self._profile(math.ceil(k * math.sqrt(_AHEAD)))
                    self.stack, self.goal = ahead.shaped(target, TOLERANCE + _SHARPER)
                    self.before = self.goal
            if self.stack is None:
                continue
            stack = self.stack.recomposed(profile.loss)
            near, slope = stack.newton(2 * self.goal - self.before, log_delta)
            bracket, wide, middle = profile.enclose(stack, near, slope, target)
            if (
                bracket is not None
                and bracket.low > 0
                and wide <= _ENOUGH
                and bracket.high is not None
            ):
                self.before, self.goal = self.goal, middle
                return bracket.low, bracket.high
        return None

    def at_most(self, k: int, epsilon: arb, target: arb) -> bool:
        """Whether δ(ε) ≤ target after k steps is proved."""
        profile = self._profile(k)
        location = profile.location(epsilon)
        if profile.beyond(location):
            return True
        for fresh in (k > self.until, True):
            if fresh:
                self.until = math.ceil(k * _AHEAD)
                self.stack = profile.coarse(float(location), float(target.log()))
            if self.stack is not None:
                stack = self.stack.recomposed(profile.loss)
                with precision(stack.bits):
                    if stack.upper(location) <= target:
                        return True
        return False

    def _profile(self, k: int) -> ContourProfile:
        profile = exact.profile(k * self.pairs)
        if not isinstance(profile, ContourProfile):
            raise InternalError("a run of steps changed its profile")
        return profile
