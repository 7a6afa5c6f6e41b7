"""Propose, test, release: an exact answer, given only where it is stable (Dwork & Lei 2009).

The answer has no noise; what has is the test whether the data are far from any on which the answer
would be another.  The test looks at the data, so it is what is paid for, and it is paid for whether
it passes or not: (ε, δ) in all (docs/proofs/propose-test-release.md).  A release gate asks another
question, of the mechanism alone, and pays for no answer but a release: docs/propose-test-release.md
has the two side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, final

from flint import arb

from bursar import require
from bursar.errors import InvalidParameter
from bursar.exact import Exact, Number
from bursar.filters.purse import Purse
from bursar.mechanisms.base import fix
from bursar.mechanisms.statements import ApproximateDP
from bursar.noise import discrete_laplace
from bursar.numerics.balls import ball, precision

V = TypeVar("V")
K = TypeVar("K")
_LARGEST = 2**53


@final
@dataclass(frozen=True, slots=True)
class Proposal(Generic[V]):
    """An answer, and how many people would have to come or go to make it unstable.

    Data are unstable (distance 0) where one more or one less may give another answer.  Both are
    private: neither may be published, nor whether they could be computed.
    """

    value: V
    distance: int

    def __repr__(self) -> str:
        return "<private Proposal>"


@final
@dataclass(frozen=True, slots=True, init=False)
class StableRelease:
    """The test: a distance plus discrete Laplace noise of scale 1/ε has to reach `threshold`.

    `threshold` is the least whole number that noise alone reaches with probability δ at most.

    >>> StableRelease(epsilon=1, delta="1e-6").threshold
    14
    """

    epsilon: Exact
    delta: Exact
    threshold: int

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        e, d = require.positive(epsilon=epsilon), require.unit_interval(delta=delta)
        if not 0 < d < 1:
            raise InvalidParameter("a test by noise needs it inside (0, 1)", field="delta", value=d)
        fix(self, {"epsilon": e, "delta": d, "threshold": _threshold(e, d)})  # type: ignore[arg-type]

    @property
    def statement(self) -> ApproximateDP:
        """What it costs, whether it passes or not."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def passes(self, distance: int) -> bool:
        """One test, with fresh noise."""
        noise = discrete_laplace(scale=Exact(1 / self.epsilon), size=1)
        return _distance(distance) + int(noise[0]) >= self.threshold

    def release(
        self,
        propose: Callable[[], Proposal[V]],
        *,
        purse: Purse,
        request: str,
        scopes: Iterable[str] | None = None,
    ) -> V | None:
        """The proposed answer if it is stable, else None; charged before `propose` reads data.

        >>> from bursar.filters import DpFilter
        >>> purse = Purse({"shop": DpFilter(epsilon=8, delta="1e-5", delta_of_steps="5e-6")})
        >>> test = StableRelease(epsilon=1, delta="1e-6")
        >>> test.release(lambda: most_common({"tea": 90, "coffee": 40}), purse=purse, request="1")
        'tea'
        """

        def tested() -> V | None:
            found = propose()
            return found.value if self.passes(found.distance) else None

        return purse.run(self.statement, tested, request=request, scopes=scopes)


def most_common(counts: Mapping[K, int]) -> Proposal[K]:
    """The most common of categories that are fixed in advance; each person is counted once.

    Ties go to the category that was named first.  One person more or less moves one count by one.

    >>> most_common({"a": 3, "b": 9, "c": 4}).distance
    5
    """
    if not counts:
        raise InvalidParameter("there must be a category", field="counts")
    numbers = [require.count(counts=n, at_least=0) for n in counts.values()]
    best = max(range(len(numbers)), key=lambda place: (numbers[place], -place))
    needed = [
        numbers[best] - n + (place > best) for place, n in enumerate(numbers) if place != best
    ]
    value = list(counts)[best]
    return Proposal(value, min(needed) - 1 if needed else _LARGEST)


def _threshold(epsilon: Exact, delta: Exact) -> int:
    """The least t ≥ 0 with P(N ≥ t) = e^{−tε}/(1 + e^{−ε}) ≤ δ."""
    with precision():
        e, target = ball(epsilon), ball(delta)
        rest = (-e).exp()
        guess = (-(target * (1 + rest)).log() / e).upper()
        if not guess < _LARGEST:
            raise InvalidParameter(
                "no whole number is large enough for it at this δ", field="epsilon", value=epsilon
            )
        t = max(int(float(guess)) - 2, 0)
        while not (-arb(t) * e).exp() <= target * (1 + rest):
            t += 1
        return t


def _distance(distance: int) -> int:
    whole = require.count(distance=distance, at_least=0)
    return min(whole, _LARGEST)
