"""Mechanisms of one's own that hold a function: two densities, an RDP curve, or samples.

No text can name a function, so no plan file and no certificate holds them; `label` says in words
what they are.  What they dominate, and for which neighbours, is the user's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

from bursar.adjacency import Adjacency, Direction
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.mechanisms.base import Mechanism, fix
from bursar.privacy.densities import BallFunction, Densities
from bursar.privacy.derived_curves import ClaimedCurve
from bursar.privacy.pairs import DensitiesPair
from bursar.privacy.samples import Samples

_LONGEST = 200


@final
@dataclass(frozen=True, slots=True, init=False)
class FromDensities(Mechanism):
    """A dominating pair as two densities on [low, high]: with the person, and without.

    The functions take python-flint's balls and power series over them; `breaks` lists where they
    are not smooth.  What they lack of mass 1 counts as an infinite loss.

    >>> flat = FromDensities(label="flat", present=lambda x: 0 * x + 1, absent=lambda x: 0 * x + 1,
    ...                      low=0, high=1)
    >>> flat.label
    'flat'
    """

    name: ClassVar[str] = "densities"
    label: str
    densities: Densities

    def __init__(
        self,
        *,
        label: str,
        present: BallFunction,
        absent: BallFunction,
        low: Number,
        high: Number,
        breaks: Sequence[Number] = (),
    ) -> None:
        fix(self, {"label": labelled(label)})
        for field, function in (("present", present), ("absent", absent)):
            called(field, function)
        left, right = Exact.of(low, field="low"), Exact.of(high, field="high")
        if not left < right:
            raise InvalidParameter("it must be above low", field="high", value=right)
        turns = tuple(sorted({Exact.of(turn, field="breaks") for turn in breaks}))
        if any(not left < turn < right for turn in turns):
            need = "they must be between low and high"
            raise InvalidParameter(need, field="breaks", value=turns)
        fix(self, {"densities": Densities(present, absent, left, right, turns)})

    def canonical(self) -> dict[str, Any]:
        """Its name and label: the functions have no text."""
        return {"mechanism": self.name, "label": self.label}

    def pair(self, adjacency: Adjacency, direction: Direction) -> DensitiesPair:
        """The two densities."""
        return DensitiesPair(self.densities, direction)


@final
@dataclass(frozen=True, slots=True, init=False)
class ClaimedRenyiDP(Mechanism):
    """An RDP curve as a function of the order.  That it is one is the user's claim.

    >>> ClaimedRenyiDP(label="mine", curve=lambda order: order / 8).label
    'mine'
    """

    name: ClassVar[str] = "claimed-rdp"
    label: str
    curve: Callable[[float], float]

    def __init__(self, *, label: str, curve: Callable[[float], float]) -> None:
        fix(self, {"label": labelled(label), "curve": called("curve", curve)})

    def canonical(self) -> dict[str, Any]:
        """Its name and label: the function has no text."""
        return {"mechanism": self.name, "label": self.label}

    def rdp(self, adjacency: Adjacency) -> ClaimedCurve:
        """The claim."""
        return ClaimedCurve(self.curve)


@final
@dataclass(frozen=True, slots=True, init=False)
class FromSamples(Mechanism):
    """A dominating pair that can only be drawn from: one `Samples` for each direction.

    The Monte Carlo accountant takes it, and no other: docs/monte-carlo.md.
    """

    name: ClassVar[str] = "samples"
    label: str
    remove: Samples
    add: Samples

    def __init__(self, *, label: str, remove: Samples, add: Samples) -> None:
        fix(self, {"label": labelled(label)})
        for field, one in (("remove", remove), ("add", add)):
            if not isinstance(one, Samples):
                need = "it must have the methods sample(size, random) and log_ratio(points)"
                raise InvalidParameter(need, field=field, value=one)
            fix(self, {field: one})

    def canonical(self) -> dict[str, Any]:
        """Its name and label: the functions have no text."""
        return {"mechanism": self.name, "label": self.label}

    def samples(self, adjacency: Adjacency, direction: Direction) -> Samples:
        """What can be drawn in this direction."""
        return self.remove if direction is Direction.REMOVE else self.add


def labelled(label: str) -> str:
    """A label: a short text."""
    if not isinstance(label, str) or not 0 < len(label.strip()) <= _LONGEST:
        need = f"it must be a text of at most {_LONGEST} characters that says what this is"
        raise InvalidParameter(need, field="label", value=label)
    return label


def called(field: str, function: Any) -> Any:
    """A function."""
    if not callable(function):
        raise InvalidParameter("it must be a function", field=field, value=function)
    return function
