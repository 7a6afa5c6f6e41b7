"""Where ε crosses a target as a parameter moves: a search whose two ends are both known.

Over the indices of a scale (`scales.py`), with the invariant: at `good` ε is proved to be at or
below the target, at `bad` it is not.  They come together until they are neighbours.  What the
parameter means is not known here: noise makes ε smaller, steps make it larger, and which it is
shows.  Where a plan does not exist, or a limit is reached, the target is not met.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

from bursar.accounting.scales import Scale
from bursar.errors import InvalidParameter, LimitReached, Unreachable
from bursar.exact import Exact, Number
from bursar.numerics.search import nearest
from bursar.truth import About, Enclosure, Proved, UpperBound

_MOST = 300  # values that are tried before giving up
_PATIENCE = 4  # turns in which the secant must halve the bracket; then 1
_BEYOND = (2, 3, 5)  # neighbours further, where the first failure is too near to be proved


@final
@dataclass(frozen=True, slots=True)
class Tried:
    """A value of the parameter, and what is proved of ε there."""

    value: float
    result: Proved

    def to_json(self) -> dict[str, Any]:
        """The value, and the numbers that are proved."""
        quantity = self.result.about.quantity
        return {"value": self.value, quantity: self.result.to_json()[quantity]}


def above(result: Proved, target: Exact) -> bool:
    """Whether ε is proved to be above the target."""
    return isinstance(result, Enclosure) and result.lower > target


@final
@dataclass(slots=True)
class Crossing:
    """What was tried, and where to look next."""

    ask: Callable[[float], Proved]
    scale: Scale
    target: Exact
    tried: dict[int, Tried] = field(default_factory=dict)
    outside: dict[int, InvalidParameter] = field(default_factory=dict)  # of the plan's domain

    def look(self, index: int) -> Tried | None:
        """What is proved at an index; None outside of what the plan allows."""
        if index in self.tried or index in self.outside:
            return self.tried.get(index)
        if len(self.tried) + len(self.outside) >= _MOST:
            raise LimitReached(f"{_MOST} values were tried", hint="Give a bracket=(low, high).")
        value = self.scale.at(index)
        try:
            self.tried[index] = Tried(value, self.ask(value))
        except InvalidParameter as error:
            self.outside[index] = error
        except LimitReached as error:
            self.tried[index] = Tried(
                value, UpperBound(upper=math.inf, about=About(reason=error.need))
            )
        return self.tried.get(index)

    def passes(self, index: int) -> bool:
        """Whether the target is proved to be met there."""
        found = self.look(index)
        return found is not None and found.result.upper <= self.target

    def upper(self, index: int) -> float:
        """The bound on ε at an index, where the plan must exist."""
        found = self.look(index)
        if found is None:
            raise self.outside[index]
        return found.result.upper

    def inside(self, bracket: tuple[Number, Number]) -> tuple[int, int] | Tried:
        """A passing and a failing end of a bracket; the end with the larger ε where both pass."""
        low, high = self.scale.within(bracket)
        at_low, at_high = self.upper(low), self.upper(high)
        if self.passes(low) != self.passes(high):
            return (low, high) if self.passes(low) else (high, low)
        if not self.passes(low):
            raise self.unreachable()
        if at_low == at_high:
            need = "the target must not be met with the same ε at both ends"
            raise InvalidParameter(need, field="bracket", value=bracket)
        return self.tried[low if at_low > at_high else high]

    def outward(self) -> tuple[int, int]:
        """A passing and a failing index, from the start both ways, until ε tells the way."""
        start = self.scale.nearest(self.scale.start)
        first, met = self.upper(start), self.passes(start)
        for log in _both_ways(self.scale):
            index = self.scale.nearest(log)
            found = self.look(index)
            if found is None:
                continue
            if self.passes(index) != met:
                return (start, index) if met else (index, start)
            if found.result.upper != first:
                rising = (found.result.upper > first) == (index > start)
                return self.march(start, 1 if rising == met else -1)
        raise self.unreachable()

    def march(self, last: int, way: int) -> tuple[int, int]:
        """From `last` one way until the target is crossed, in steps that its distance tells."""
        met, log, step = self.passes(last), math.log2(self.scale.at(last)), 1.0
        while True:
            log = min(max(log + way * step, self.scale.low), self.scale.high)
            index = self.scale.nearest(log)
            if index == last:
                raise self.unreachable()
            found = self.look(index)
            if found is None and not met:
                return self.edge(last, index)
            if self.passes(index) != met:
                return (last, index) if met else (index, last)
            need = self.secant(last, index)
            step = 2 * step if need is None else min(max(abs(need - log), 0.5), 8 * step)
            last = index

    def edge(self, bad: int, outside: int) -> tuple[int, int]:
        """A passing and a failing index, from a failing one to the end of the plan's domain."""
        while abs(outside - bad) > 1:
            middle = (bad + outside) // 2
            if self.look(middle) is None:
                outside = middle
            elif self.passes(middle):
                return middle, bad
            else:
                bad = middle
        raise self.unreachable()

    def narrowed(self, good: int, bad: int) -> tuple[int, int]:
        """Neighbours: by the secant, twice as far where an end stays, by halves where slow."""
        ends, moved, again = {True: good, False: bad}, True, False
        width, waited, patience = abs(good - bad), 0, _PATIENCE
        while (now := abs(ends[True] - ends[False])) > 1:
            width, waited = (now, 0) if 2 * now <= width else (width, waited + 1)
            low, high = sorted(ends.values())
            log = self.secant(*self.nearest_two()) if waited < patience else None
            if log is None:
                index, waited, patience = (low + high) // 2, 0, 1
            else:
                index = self.scale.nearest(log)
                index += index - ends[moved] if again else 0
                index = min(max(index, low + 1), high - 1)
            met = self.passes(index)
            moved, again = met, moved == met
            ends[met] = index
        return ends[True], ends[False]

    def witness(self, good: int, bad: int) -> Tried | None:
        """What fails beside `good`; a little beyond, where only there ε is proved to be above."""
        beside = self.look(bad)
        if beside is None or not isinstance(beside.result, Enclosure):
            return beside
        for steps in (1, *_BEYOND):
            found = self.look(good + steps * (bad - good))
            if found is not None and above(found.result, self.target):
                return found
        return beside

    def height(self, index: int) -> float | None:
        """log of ε over the target, where both say something."""
        upper, target = self.tried[index].result.upper, nearest(self.target)
        if 0 < upper < math.inf and 0 < target < math.inf:
            return math.log(upper) - math.log(target)
        return None

    def nearest_two(self) -> list[int]:
        """The two that came nearest to the target."""
        heights = {index: self.height(index) for index in self.tried}
        known = {index: abs(height) for index, height in heights.items() if height is not None}
        return sorted(known, key=known.__getitem__)[:2]

    def secant(self, *pair: int) -> float | None:
        """Where log ε, drawn as a line through two of what was tried, meets the target: a log2."""
        if len(pair) < 2:
            return None
        (x, y), (at_x, at_y) = map(self.log, pair), map(self.height, pair)
        if at_x is None or at_y is None or at_x == at_y:
            return None
        found = x - at_x * (y - x) / (at_y - at_x)
        return found if self.scale.low <= found <= self.scale.high else None

    def log(self, index: int) -> float:
        """log2 of a value."""
        return math.log2(self.scale.at(index))

    def check_monotone(self, good: int, bad: int) -> None:
        """Refuse where what is proved contradicts that ε only rises, or only falls."""
        rising = [self.tried[index] for index in sorted(self.tried, reverse=bad < good)]
        most = rising[0]
        for one in rising[1:]:
            if isinstance(most.result, Enclosure) and one.result.upper < most.result.lower:
                raise InvalidParameter(
                    "epsilon must rise or fall with it throughout",
                    field="make_plan",
                    value=f"plans with {most.value} and {one.value}",
                    hint="Give a bracket in which it does.",
                )
            most = max(most, one, key=_lower)

    def unreachable(self) -> Unreachable:
        """The error, with the best that was proved."""
        best = min(self.tried.values(), key=lambda one: one.result.upper)
        values = sorted(one.value for one in self.tried.values())
        met = best.result.upper <= self.target
        range_ = f"value from {values[0]} to {values[-1]} meets ε ≤ {self.target}"
        told = f"; the best is {best.value}, with {best.result.sentence()}"
        need = f"every {range_}" if met else f"no {range_}{told}"
        return Unreachable(need, best=best, hint="Give another bracket=(low, high).")


def _lower(one: Tried) -> float:
    return one.result.lower if isinstance(one.result, Enclosure) else 0.0


def _both_ways(scale: Scale) -> Iterator[float]:
    """1, −1, 2, −2, 4, … from the start, within the scale: logarithms to base 2."""
    reach = 1.0
    while scale.start + reach <= scale.high:
        yield scale.start + reach
        if scale.start - reach >= scale.low:
            yield scale.start - reach
        reach *= 2
