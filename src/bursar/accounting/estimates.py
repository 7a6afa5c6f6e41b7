"""What all estimating accountants share: a guess of δ(ε) in each direction, turned into answers.

An estimating accountant is one function, from a sketch of the privacy loss and an ε to a guess of
δ; its answers are `Estimate`s, which nothing charges.  They are for plots, for searching, and to
show where each method fails.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from bursar import require
from bursar.accounting import exact
from bursar.accounting.floats import check_floats
from bursar.accounting.question import Question
from bursar.adjacency import DEFAULT, Adjacency, Direction
from bursar.errors import LimitReached, NoProof
from bursar.exact import Number
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.numerics.sketch import Cumulant, cumulant
from bursar.privacy.pairs import AtomsPair
from bursar.truth import About, Estimate

_LARGEST = 1e9
_HALVINGS = 60
_CLOSE = 1e-13  # relative: nearer than float64's δ can tell


@final
@dataclass(frozen=True, slots=True)
class Sketched:
    """The privacy loss of one direction in float64: its cumulant, and what ε exceeds it by."""

    found: Cumulant
    top: float
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)  # by a guess


Guess = Callable[[Sketched, float], float]  # δ at ε


@final
@dataclass(frozen=True, slots=True)
class Estimator:
    """An accountant without proof: its name, and its guess of δ."""

    name: str
    guess: Guess
    blur: Guess = lambda sketched, epsilon: 0.0  # δ below which the guess at ε says nothing

    def delta(
        self,
        run: Plan | Mechanism,
        *,
        epsilon: Number,
        adjacency: Adjacency | str = DEFAULT,
    ) -> Estimate:
        """An estimate of the least δ at this ε."""
        started = time.perf_counter()
        at, relation = require.nonnegative(epsilon=epsilon), Adjacency.of(adjacency)
        both = sketched(Plan.of(run), relation)
        value = self._worst(both, float(at))
        self._check(both, float(at), value)
        return self._answer(value, "delta", at.text, relation, started)

    def epsilon(
        self,
        run: Plan | Mechanism,
        *,
        delta: Number | None = None,
        log_delta: float | None = None,
        adjacency: Adjacency | str = DEFAULT,
    ) -> Estimate:
        """An estimate of the least ε at this δ."""
        started = time.perf_counter()
        question, relation = Question.of_delta(delta, log_delta), Adjacency.of(adjacency)
        target = math.exp(question.log_delta) if question.delta is None else float(question.delta)  # type: ignore[arg-type]
        both = sketched(Plan.of(run), relation)
        value = math.inf if target == 0 else self.solve(both, target)
        if target > 0:
            self._check(both, value, target)
        return self._answer(value, "epsilon", question.text, relation, started)

    def _check(self, both: list[Sketched], epsilon: float, delta: float) -> None:
        if not all(self.blur(one, epsilon) <= delta for one in both):
            raise LimitReached(
                f"{self.name} loses δ there: in the noise of float64, or of its quadrature",
                hint="Ask the exact accountant, or lattice: they enclose it.",
            )

    def _worst(self, both: list[Sketched], epsilon: float) -> float:
        try:
            guesses = [self.guess(one, epsilon) for one in both]
        except (ArithmeticError, ValueError):
            guesses = [math.nan]
        if any(math.isnan(guess) for guess in guesses):
            raise LimitReached(
                f"the numbers of {self.name} are beyond what float64 can hold",
                hint="Ask the exact accountant, or rdp.",
            )
        return min(max(0.0, *guesses), 1.0)

    def solve(self, both: list[Sketched], target: float) -> float:
        """ε at a δ, by bisection: the guess is taken to decrease."""
        if self._worst(both, 0.0) <= target:
            return 0.0
        low, high = 0.0, 1.0
        while self._worst(both, high) > target:
            low, high = high, 2 * high
            if high > _LARGEST:
                raise LimitReached(f"{self.name} finds no ε below {_LARGEST:g}")
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if high - low <= _CLOSE * high:
                break
            low, high = (middle, high) if self._worst(both, middle) > target else (low, middle)
        return (low + high) / 2

    def _answer(
        self, value: float, quantity: str, given: str, relation: Adjacency, started: float
    ) -> Estimate:
        about = About(
            quantity="delta" if quantity == "delta" else "epsilon",
            given=given,
            method=self.name,
            adjacency=relation,
            seconds=time.perf_counter() - started,
        )
        return Estimate(value=value, method=self.name, about=about)


def sketched(plan: Plan, relation: Adjacency) -> list[Sketched]:
    """The privacy loss of a plan in each direction, or NoProof where it has atoms."""
    found = []
    for way in Direction:
        pairs = exact.pairs_of(plan, relation, way)
        if any(isinstance(pair, AtomsPair) for pair, _ in pairs.parts):
            raise NoProof(
                "this estimate smooths the privacy loss, which here has atoms",
                hint="The exact accountant takes such plans: method exact.",
            )
        check_floats(pairs)
        loss = exact.loss_of(pairs)
        found.append(Sketched(cumulant(list(loss.steps), loss.factors), float(loss.top())))
    return found
