"""The profile of subsampled and plain Gaussian steps: contours, proposed and then proved.

A contour is shaped for one location; where the first guess of δ there was far off (losses of
two humps), a second one is shaped from what the first found.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import final

import numpy as np
from flint import arb

from bursar.accounting.contour import Loss
from bursar.accounting.stack import Root, Stack
from bursar.errors import InternalError, LimitReached
from bursar.numerics.balls import precision
from bursar.numerics.levels import one_jump, propose_levels
from bursar.numerics.propose import TOLERANCE, Outer, Shape, propose
from bursar.numerics.roots import Bracket
from bursar.numerics.sketch import Cumulant, cumulant, solve_decreasing
from bursar.truth import BillLine

_ROUGH = 7.0  # nats: enough to find the place
_COARSE = 4.0  # nats: enough to show that the other direction costs less
_NEAR = 0.3  # nats: a contour that was this near its place is as sharp as the next
_MOST_SHAPES = 16  # contours that one answer may take
_FAR = 7.0  # nats: farther off, a contour says little
_SHORT = 12_000  # nodes of a contour that is not worth cutting
_RDP = "Ask for --method rdp."
_NEVER = arb(0)
_WIDE = 1e-9  # relative: quick slices may be this blunt
_FEW = 1.5  # times: a saddle point that is this far above a single jump is no guess
_SHARP = 1e-14
_ENOUGH = 1e-16  # relative error of an answer that needs no second contour


@final
@dataclass(slots=True)
class ContourProfile:
    """δ(ε) by contour integrals, and its inverse."""

    loss: Loss
    top: arb
    found: Cumulant
    infinite: arb  # the probability of an infinite loss, which the contour leaves out
    method: str = "exact"
    last: tuple[BillLine, ...] = field(default=(), init=False)
    stack: Stack | None = field(default=None, init=False)  # of the last answer

    @classmethod
    def of(cls, loss: Loss, infinite: arb = _NEVER) -> ContourProfile:
        """The profile of a composition in one direction."""
        with precision(256):
            top = loss.top()
        return cls(loss, top, cumulant(list(loss.steps), loss.factors), infinite)

    def bounded(self) -> bool:
        """Whether no loss exceeds `top`: the add direction of subsampled steps alone."""
        return not self.loss.factors and not self.loss.removes

    def location(self, epsilon: arb) -> arb:
        """Where a contour meets ε."""
        with precision(256):
            return epsilon - self.top

    def beyond(self, location: arb) -> bool:
        """Whether no finite loss exceeds this: the contour's part of δ is 0."""
        with precision(256):
            most = self.loss.most()
            return most is not None and bool(location >= most)

    def delta_at(self, epsilon: arb) -> arb:
        """A ball for δ at ε."""
        location = self.location(epsilon)
        if self.beyond(location):
            return self.infinite
        goal = float(location)
        lam = self._tilt(goal)
        log_delta, blunt = self._log_delta(lam, goal), math.inf
        for _ in range(3):
            contour = self._contour(lam, goal, log_delta, TOLERANCE)
            with precision(contour.bits):
                sum_, tail = contour.trapezoid(location), contour.tail_at(location)
                upper, lower = sum_ + tail, sum_ - tail - contour.aliases_at(location)
                value = lower.union(upper)
                wide = float((upper / lower - 1).upper()) if lower > 0 else math.inf
                if wide <= _ENOUGH or wide > 0.5 * blunt or not upper > 0:
                    break
                blunt, log_delta = wide, float(upper.log())
        self._note(contour, location, upper, sum_)
        with precision(contour.bits):
            return value + self.infinite

    def epsilon_at(self, target: arb, near: float | None = None) -> Bracket:
        """A bracket for ε, decided at both ends by contours near it; sooner where ε is known."""
        if self.infinite > target:
            return Bracket(arb("inf"), None)
        if not self.infinite < target:
            raise LimitReached("δ is too near the probability of an infinite loss")
        whole, target = target, self._finite(target)
        with precision(256):
            if self.loss.variation() <= target:
                return Bracket(arb(0), arb(0))
        log_delta = float(target.log())
        if near is None:
            lam = solve_decreasing(lambda tilt: self.found.saddle(tilt)[1] - log_delta, 1.0)
            goal = self.found.saddle(lam)[0]
        else:
            goal = near - float(self.top)
            lam = self._tilt(goal)
        if goal + float(self.top) > 0:
            found = self._located(lam, goal, log_delta, target, known=near is not None)
            if found.low > 0:
                return found
        at_zero = self.delta_at(arb(0))
        if at_zero <= whole:
            return Bracket(arb(0), arb(0))
        return self._located(lam, max(goal, -float(self.top)), log_delta, target)

    def at_most(self, epsilon: arb, target: arb) -> bool:
        """Whether a coarse contour proves δ(ε) ≤ target."""
        location, target = self.location(epsilon), self._finite(target)
        if self.beyond(location):
            return bool(target >= 0)
        found = self.coarse(float(location), float(target.log())) if target > 0 else None
        if found is None:
            return False
        with precision(found.bits):
            return bool(found.upper(location) <= target)

    def coarse(self, location: float, log_target: float, spare: float = 0.0) -> Stack | None:
        """A contour just sharp enough to prove δ ≤ target there; None where it is too near.

        With nats to spare it proves as much nearby.
        """
        lam = self._tilt(location)
        log_delta = self._log_delta(lam, location)
        room = log_target - log_delta
        if room < 0.02:
            return None
        return self._contour(
            lam, location, log_delta, _COARSE + spare - 2 * math.log(min(room, 1.0))
        )

    def _finite(self, target: arb) -> arb:
        """What δ leaves to finite losses."""
        with precision(256):
            return target - self.infinite

    def bill(self) -> tuple[BillLine, ...]:
        """The errors of the last answer, relative to δ."""
        return self.last

    def _located(
        self, lam: float, goal: float, log_delta: float, target: arb, *, known: bool = False
    ) -> Bracket:
        """The root near `goal`, from contours that are shaped anew while they are too blunt.

        Below `low` δ is above its target, above `high` it is not, as far as float64 tells.
        """
        low, high = -float(self.top), self._ceiling(lam, log_delta)
        rough, places = self._places(lam, goal, high, log_delta, known)
        goal = places.pop()
        blunt, tolerance, quick = math.inf, _ROUGH if rough else TOLERANCE, False
        found = False
        for attempt in range(_MOST_SHAPES):
            last = attempt > _MOST_SHAPES - 3
            try:
                contour = self._contour(lam, goal, log_delta, tolerance, quick=quick)
            except LimitReached:
                if attempt or not places:
                    raise
                goal = places.pop()
                continue
            if found and (root := self._settled(contour, goal, target, quick)):
                return root.bracket
            miss, slope = contour.miss(goal, log_delta)
            low, high = (max(low, goal), high) if miss < 0 else (low, min(high, goal))
            near = contour.newton(goal, log_delta)[0] if abs(miss) <= _FAR else goal
            reach = max(0.6 * (goal + float(self.top)), _FAR / -slope)
            if not (abs(miss) <= _FAR and abs(near - goal) <= reach) and not last:
                goal, tolerance = self._jump(goal, miss, slope, (low, high)), _ROUGH
                lam = self._tilt(goal)
                continue
            goal = near
            if tolerance < TOLERANCE:
                tolerance, quick, found = TOLERANCE, contour.long, True
                continue
            root = contour.enclose(goal, target, self.top)
            wide, middle = (root.wide, root.middle) if root else (math.inf, goal)
            if quick and wide > _WIDE:
                quick, goal = False, middle
                continue
            if wide > _ENOUGH and wide < 0.5 * blunt and abs(miss) > _NEAR and not last:
                blunt, goal = wide, middle
                continue
            if root is not None:
                self._note(contour, arb(middle), target, root.value)
                return root.bracket
        raise LimitReached("the contour stays too blunt to decide", hint=_RDP)

    def _places(
        self, lam: float, goal: float, high: float, log_delta: float, known: bool
    ) -> tuple[bool, list[float]]:
        """Whether to look coarsely at first, and where to begin: the last is the likeliest."""
        rough, goal = goal > high, min(goal, high)
        short = None if known else self._plain(lam, goal, log_delta, TOLERANCE)
        if known or not self.loss.removes or (short is not None and short.n <= _SHORT):
            return rough, [goal]
        single = one_jump(self.found, log_delta) if short is None else 0.0
        return True, [goal, single] if 0 < single < goal / _FEW else [goal]

    def _settled(self, contour: Stack, goal: float, target: arb, quick: bool) -> Root | None:
        """The root by a contour whose place was found before, if it is sharp and just there."""
        root = contour.enclose(goal, target, self.top)
        if root is None or root.wide > (_WIDE if quick else _SHARP):
            return None
        steepest = max(part.shape.lam for part in contour.contours)
        if abs(root.middle - goal) * steepest > _NEAR:
            return None
        self._note(contour, arb(root.middle), target, root.value)
        return root

    def _jump(self, goal: float, miss: float, slope: float, ends: tuple[float, float]) -> float:
        """A Newton step too long for one contour: log δ against log ε, or a halving."""
        top = float(self.top)
        epsilon, low, high = goal + top, ends[0] + top, ends[1] + top
        change = miss / (slope * epsilon) if epsilon > 0 else math.inf
        change = -1.5 if miss == math.inf else change
        step = epsilon * math.exp(max(-5.3, min(change, 5.3)))
        if not low < step < high:
            step = math.sqrt(max(low, 1e-3 * high) * high)
        return step - top

    def _ceiling(self, near: float, log_delta: float) -> float:
        """The location at which Chernoff's bound meets δ: never below the root."""
        most = self.loss.most()
        best = math.inf if most is None else float(most)
        for _ in range(14):
            lam = near * np.geomspace(0.1, 10, 21)
            try:
                mass = self.found.at(lam)[0] + lam * np.log(lam) - (1 + lam) * np.log1p(lam)
            except LimitReached:
                break
            bounds = (mass - log_delta) / lam
            at = int(np.argmin(bounds))
            best, near = min(best, float(bounds[at])), float(lam[at])
            if 0 < at < 20:
                break
        return best

    def _tilt(self, location: float) -> float:
        return solve_decreasing(lambda lam: location - self.found.saddle(lam)[0], 1.0)

    def _log_delta(self, lam: float, location: float) -> float:
        """log δ at a location by the saddle point λ: a first guess."""
        value, _, bend = (float(part[0]) for part in self.found.at(np.array([lam])))
        width = bend + 1 / lam**2 + 1 / (1 + lam) ** 2
        return (
            value - lam * location - math.log(lam * (1 + lam)) - 0.5 * math.log(2 * math.pi * width)
        )

    def _contour(
        self,
        lam: float,
        location: float,
        log_delta: float,
        tolerance: float,
        *,
        quick: bool = False,
    ) -> Stack:
        """One contour where it is short enough, else one for each slice of the law."""
        shapes, body = self._shapes(lam, location, log_delta, tolerance, quick)
        try:
            return Stack.of(self.loss, shapes, body)
        except InternalError as error:  # what float64 proposed is outside of a lemma
            need = f"no contour was found that can be proved: {error.need}"
            raise LimitReached(need, hint=_RDP) from error

    def _shapes(
        self, lam: float, location: float, log_delta: float, tolerance: float, quick: bool
    ) -> tuple[list[Shape], Outer | None]:
        plain = self._plain(lam, location, log_delta, tolerance)
        if plain is not None and (plain.n <= _SHORT or not (self.loss.steps and self.loss.removes)):
            return [plain], None
        if not (self.loss.steps and self.loss.removes):
            raise LimitReached("the contour would be too long", hint=_RDP)
        return propose_levels(self.found, location, log_delta, tolerance, plain, quick=quick)

    def _plain(
        self, lam: float, location: float, log_delta: float, tolerance: float
    ) -> Shape | None:
        with suppress(LimitReached):
            return propose(self.found, lam, location, log_delta, tolerance)
        return None

    def prove(self, epsilon: arb, target: arb) -> Stack:
        """Contours without aliases that prove δ(ε) ≤ target: as coarse as that allows."""
        location = self.location(epsilon)
        found = self.coarse(float(location), float(target.log()))
        if found is not None:
            with precision(found.bits):
                if found.upper(location) <= target:
                    return found
        self.epsilon_at(target)
        if self.stack is not None:
            with precision(self.stack.bits):
                if self.stack.upper(location) <= target:
                    return self.stack
        raise LimitReached("no contour proves this claim")

    def _note(self, contour: Stack, location: arb, size: arb, value: arb) -> None:
        self.stack, self.last = contour, contour.bill(location, size, value)
