"""How an accountant of profiles is asked: questions, directions, and what needs no profile.

Such an accountant says which pairs it takes and gives the profile of a composition of them, in one
direction.  Here δ = 0 and 1, losses that end or are infinite, and the worse direction are dealt
with for all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from flint import arb

from bursar import require
from bursar.accounting.ends import infinite, infinite_exactly, largest_loss
from bursar.accounting.profiles import ConstantProfile, Profile
from bursar.accounting.question import Question
from bursar.adjacency import Adjacency, Direction
from bursar.errors import NoProof
from bursar.exact import Exact, Number
from bursar.mechanisms import views
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.balls import ball, float_down, float_up, precision
from bursar.numerics.roots import Bracket
from bursar.privacy.pairs import Composition, symmetric
from bursar.truth import About, Answered, BillLine, Enclosure, Proved, UpperBound


@final
@dataclass(frozen=True, slots=True)
class _Solved:
    """ε of one direction, and how it was found."""

    bracket: Bracket
    method: str = "closed-form"
    bill: tuple[BillLine, ...] = ()
    reason: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Road:
    """One way from pairs to a profile: `taken` gives the pairs back, or raises NoProof."""

    taken: Callable[[Composition], Composition]
    profile: Callable[[Composition], Profile]

    def pairs_of(self, plan: Plan, relation: Adjacency, direction: Direction) -> Composition:
        """The dominating pairs of a plan, if this road takes them; else NoProof."""
        return self.taken(views.pairs(plan, relation, direction))

    def epsilon(
        self,
        run: Plan | Mechanism,
        delta: Number | None,
        log_delta: float | None,
        adjacency: Adjacency | str,
        direction: Direction | None,
    ) -> Proved:
        """The least ε at this δ; the worse direction unless one is asked for."""
        started = time.perf_counter()
        question = Question.of_delta(delta, log_delta)
        relation, plan = Adjacency.of(adjacency), Plan.of(run)
        about = About(quantity="epsilon", given=question.text, adjacency=relation)
        worst = self.pairs_of(plan, relation, direction or Direction.REMOVE)
        if question.is_one:
            whole = Bracket(arb(0), arb(0))
            return _answer(worst, whole, about, "δ = 1 holds for everything", started)
        with precision(256):
            target = question.delta_ball()
        first = self._solved(worst, question, target)
        both = direction is None and not all(symmetric(pair) for pair, _ in worst.parts)
        found, way = first, _answered(direction)
        if both:
            pairs = views.pairs(plan, relation, Direction.ADD)
            found, way = self._worse(first, pairs, question, target)
        told = replace(about, method=found.method, bill=found.bill, direction=way)
        return _answer(worst, found.bracket, told, found.reason, started)

    def _solved(self, pairs: Composition, question: Question, target: arb) -> _Solved:
        """One direction: by its profile, or by where its losses end."""
        if question.is_zero or question.delta == infinite_exactly(pairs):
            return _pure(pairs, zero=question.is_zero)
        profile = self.profile(pairs)
        bracket = profile.epsilon_at(target)
        return _Solved(bracket, profile.method, profile.bill())

    def delta(
        self,
        run: Plan | Mechanism,
        epsilon: Number,
        adjacency: Adjacency | str,
        direction: Direction | None,
    ) -> Proved:
        """The least δ at this ε."""
        started = time.perf_counter()
        at = require.nonnegative(epsilon=epsilon)
        relation, plan = Adjacency.of(adjacency), Plan.of(run)
        with precision(256):
            ends = ball(at).lower(), ball(at).upper()
        found: list[tuple[float, float, Direction, Profile]] = []
        pairs = self.pairs_of(plan, relation, direction or Direction.REMOVE)
        same = all(symmetric(pair) for pair, _ in pairs.parts)
        never: Profile = ConstantProfile(infinite(pairs))
        beyond = same and _beyond(pairs, at)
        for way in [direction or Direction.REMOVE] if direction or same else list(Direction):
            one = never if beyond else self.profile(views.pairs(plan, relation, way))
            below = one.delta_at(ends[0])
            above = below if ends[0] == ends[1] else one.delta_at(ends[1])
            found.append((min(1.0, float_up(below)), max(0.0, float_down(above)), way, one))
        high, _, way, one = max(found, key=lambda entry: entry[0])
        about = About(
            quantity="delta",
            given=at.text,
            method=one.method,
            adjacency=relation,
            direction="both" if same else _answered(way),
            reason="ε is at or above the largest privacy loss" if high == 0 else None,
            bill=one.bill(),
            seconds=time.perf_counter() - started,
        )
        if not pairs.tight:
            return UpperBound(upper=high, about=about)
        return Enclosure(lower=max(entry[1] for entry in found), upper=high, about=about)

    def _worse(
        self, first: _Solved, pairs: Composition, question: Question, target: arb
    ) -> tuple[_Solved, Answered]:
        """The larger direction: add is solved only where no coarse proof shows it costs less."""
        bracket = first.bracket
        if bracket.high is None and bracket.low == arb("inf"):
            return first, "both"
        ends = question.is_zero or question.delta == infinite_exactly(pairs)
        if not ends and self.profile(pairs).at_most(bracket.low, target):
            return first, "remove" if bracket.low > 0 else "both"
        second = self._solved(pairs, question, target)
        other = second.bracket
        if bracket.high is None or other.high is None:
            larger = second if other.high is None else first
            return replace(larger, bracket=Bracket(bracket.low.max(other.low), None)), "both"
        whole = Bracket(bracket.low.max(other.low), bracket.high.max(other.high))
        way: Answered = (
            "add" if other.low > bracket.high else "remove" if bracket.low > other.high else "both"
        )
        worse = second if other.high > bracket.high else first
        return replace(worse, bracket=whole), way


def _beyond(pairs: Composition, at: Exact) -> bool:
    """Whether ε is certain to be at or above the largest finite loss."""
    try:
        largest = largest_loss(pairs)
    except NoProof:
        return False
    return largest is not None and bool(ball(at - largest[0]) >= largest[1])


def _pure(pairs: Composition, *, zero: bool) -> _Solved:
    """ε where δ leaves no room for a finite loss above it: the largest one, if there is one."""
    largest = None if zero and infinite_exactly(pairs) != 0 else largest_loss(pairs)
    if largest is None:
        reason = "no finite ε holds: the privacy loss has no upper end"
        return _Solved(Bracket(arb("inf"), None), reason=reason)
    exactly, rest = largest
    with precision(256):
        found = ball(exactly) + rest
    reason = "ε is the largest privacy loss: δ leaves no room for one above it"
    return _Solved(Bracket(found.lower(), found.upper()), reason=reason)


def _answer(
    pairs: Composition, bracket: Bracket, about: About, reason: str | None, started: float
) -> Proved:
    upper = float("inf") if bracket.high is None else float_up(bracket.high)
    lower = max(0.0, float_down(bracket.low)) if bracket.low.is_finite() else float("inf")
    if upper == float("inf") and reason is None:
        sure = lower == upper
        above = "the probability of an infinite privacy loss is above δ"
        reason = above if sure else "ε is above the largest float"
    if upper == 0 and reason is None:
        reason = "δ is at or above the total variation distance, so ε = 0 holds"
    about = replace(about, reason=reason, seconds=time.perf_counter() - started)
    if not pairs.tight:
        return UpperBound(upper=upper, about=about)
    return Enclosure(lower=lower, upper=upper, about=about)


def _answered(direction: Direction | None) -> Answered:
    if direction is None:
        return "both"
    return "remove" if direction is Direction.REMOVE else "add"
