"""Screens in stages: fresh noise after every few tops, and what such a run costs.

Each stage is a screen with its own noise and a charge of its own, open while it runs: stages in a
row are composition, and a stage that was never started is given back.  With `stages` the budget
for all of them is held at once; without, a filter grants one after another, until it refuses.

`stagewise_epsilon` is for a number of stages that is fixed in advance: the smaller of two proved
bounds, by RDP, and by the optimal composition of what each stage is for a share of δ
(Zhu & Wang 2020, Alg. 3 and Thm 12; docs/proofs/sparse-vector.md, Prop. 4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar, final

from bursar import require
from bursar.accounting import exact, rdp
from bursar.adjacency import DEFAULT, Adjacency
from bursar.errors import BudgetExceeded, InvalidParameter, Refused
from bursar.exact import Exact, Number
from bursar.filters.purse import Purse
from bursar.mechanisms.sparse_vector import Screen, SparseVector
from bursar.mechanisms.statements import ApproximateDP
from bursar.privacy.screen_curve import log_outcomes
from bursar.screening.held import Held
from bursar.screening.run import Bools, Integers, Run, checked, stopped
from bursar.truth import Enclosure, UpperBound, told

T = TypeVar("T")

_SHARES = ("1/2", "0.1", "0.01", "1e-4")  # of δ, for the stages' own


@final
class StagewiseScreen:
    """Answers as `AboveThreshold` does, with fresh noise for each stage.

    >>> from bursar.filters import AnyOrderFilter, Purse
    >>> purse = Purse({"logs": AnyOrderFilter(epsilon=1, delta=1e-6)})
    >>> stage = SparseVector(threshold_noise=90, query_noise=180, length=1000)
    >>> screen = StagewiseScreen(stage, stages=3, sensitivity=1, purse=purse, request="errors")
    >>> screen.ask(90_000, threshold=5000), screen.stage, screen.done
    (True, 1, False)
    >>> screen.close()  # two stages return
    """

    __slots__ = ("_arguments", "_held", "_run", "_waiting", "mechanism", "request", "stage")

    def __init__(
        self,
        mechanism: Screen,
        *,
        sensitivity: Number,
        purse: Purse,
        request: str,
        stages: int | None = None,
        scopes: Iterable[str] | None = None,
    ) -> None:
        self.mechanism, self.request, self.stage = checked(mechanism), request, 0
        named = None if scopes is None else tuple(scopes)
        self._arguments = purse, require.positive(sensitivity=sensitivity), named
        many = 1 if stages is None else require.count(stages=stages)
        names = [f"{request}/{n}" for n in range(1, many + 1)]
        self._run: Run | None = None
        self._held: Held | None = None
        self._waiting: list[Held] | None = []
        if not purse.may_run(many * self.mechanism, scopes=named):
            need = f"{many} stages cost more than is left"
            raise BudgetExceeded(need, hint="Nothing was charged. Ask for fewer, or for none.")
        try:
            for name in names:
                self._waiting.append(self._reserve(name, frozenset(names)))
        except Refused:
            self._give_back()
            raise
        if stages is None:
            self._held, self._waiting = self._waiting[0], None
            self._held.start()

    @property
    def done(self) -> bool:
        """Whether it has stopped; one that a filter governs may stop at its next question."""
        return self._held is None and self._waiting == []

    def ask(self, value: Number, *, threshold: Number) -> bool:
        """As `AboveThreshold.ask`; BudgetExceeded where no further stage is granted."""
        run, held = self._ready()
        return self._finish(held.keep(run.ask(value, threshold=threshold)))

    def ask_many(self, values: Integers, *, threshold: Number | Integers) -> Bools:
        """As `AboveThreshold.ask_many`: the answers of one stage, so ask again with the rest."""
        run, held = self._ready()
        return self._finish(held.keep(run.ask_many(values, threshold=threshold)))

    def close(self) -> None:
        """Ask no more: stages that were never started are given back."""
        if self._held is not None:
            self._held.close()
        self._give_back()

    def _ready(self) -> tuple[Run, Held]:
        if self.done:
            raise stopped()
        if self._held is None:
            self._next()
        if self._run is None:
            self._run = Run(self.mechanism, sensitivity=self._arguments[1])
            self.stage += 1
        if self._held is None:
            raise stopped()
        self._held.check()
        return self._run, self._held

    def _next(self) -> None:
        """Start the next stage: one that waits, or one that the filters grant now."""
        if self._waiting is None:
            name = f"{self.request}/{self.stage + 1}"
            try:
                self._held = self._reserve(name, frozenset({name}))
            except BudgetExceeded:
                self._waiting = []
                raise
        else:
            self._held = self._waiting.pop(0)
        self._held.start()

    def _reserve(self, name: str, mine: frozenset[str]) -> Held:
        purse, sensitivity, scopes = self._arguments
        return Held(
            purse,
            self.mechanism,
            request=name,
            sensitivity=sensitivity,
            scopes=scopes,
            mine=mine,
        )

    def _finish(self, answer: T) -> T:
        if self._run is not None and self._held is not None and self._run.done:
            self._held.close()
            self._run = self._held = None
        return answer

    def _give_back(self) -> None:
        for held in self._waiting or ():
            held.close()
        self._held, self._run, self._waiting = None, None, []

    def __enter__(self) -> StagewiseScreen:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if self._held is not None and kind is not None:
            self._held.close(failed=True)
        self.close()

    def __reduce__(self) -> NoReturn:
        raise InvalidParameter("it is under way, and cannot be copied or stored", field="screen")


def stagewise_epsilon(
    stage: Screen,
    *,
    stages: int,
    delta: Number,
    adjacency: Adjacency | str = DEFAULT,
) -> UpperBound:
    """ε of so many stages, fixed in advance, at this δ: the least of the bounds that are proved.

    `about.method` says which it was: "rdp", or "optimal composition" with the stages' own δ.

    >>> stage = SparseVector(threshold_noise=90, query_noise=180, length=1000)
    >>> stagewise_epsilon(stage, stages=5, delta=1e-6).about.method
    'rdp'
    """
    many, d = require.count(stages=stages), require.unit_interval(delta=delta)
    bounds = [rdp.epsilon(many * stage, delta=d, adjacency=adjacency)]
    if d > 0:
        for share in _SHARES:
            each = Exact(d * Exact.of(share) / many)
            bounds.append(composed_epsilon(stage, many, d, each, adjacency))
    return min(bounds, key=float)


def composed_epsilon(
    stage: Screen, stages: int, delta: Exact, each: Exact, adjacency: Adjacency | str = DEFAULT
) -> UpperBound:
    """ε of stages that are (ε′, `each`)-DP, as Thm 12 has them, by their optimal composition."""
    one = rdp.epsilon(stage, delta=each, adjacency=adjacency)
    whole = stages * ApproximateDP(epsilon=Exact(Fraction(float(one))), delta=each)
    found: Enclosure | UpperBound = exact.epsilon(whole, delta=delta, adjacency=adjacency)
    return told(UpperBound(upper=found.upper, about=found.about), method="optimal composition")


@final
@dataclass(frozen=True, slots=True)
class Staging:
    """How to run for so many tops: tops a stage, stages, and the ε of all of them."""

    cutoff: int
    stages: int
    epsilon: UpperBound


def best_staging(
    stage: SparseVector, *, tops: int, delta: Number, adjacency: Adjacency | str = DEFAULT
) -> Staging:
    """The cutoff a stage, of those that divide the work evenly, whose stages cost least in all.

    Stages are as long as `stage`.  Each staging answers until there are `tops` tops at least.
    """
    total = require.count(tops=tops)
    limit = total if stage.length is None else min(total, stage.length)
    found = []
    for cutoff in sorted({-(-total // n) for n in range(1, total + 1)}):
        if cutoff > limit or (stage.length is None and not _mean(stage, cutoff)):
            continue
        each, many = with_cutoff(stage, cutoff), -(-total // cutoff)
        found.append(
            Staging(
                cutoff, many, stagewise_epsilon(each, stages=many, delta=delta, adjacency=adjacency)
            )
        )
    return min(found, key=lambda one: float(one.epsilon))


def printed_cutoff(length: int, delta: Number) -> int:
    """The largest c′ with Σ_{j≤c′} C(length, j) ≤ 1/δ′, the paper's rule; 1 at least."""
    k, d = require.count(length=length), require.probability(delta=delta)
    cutoff = 1
    while cutoff < k and log_outcomes(cutoff + 1, k).exp() * (d.numerator) <= d.denominator:
        cutoff += 1
    return cutoff


def with_cutoff(stage: SparseVector, cutoff: int) -> SparseVector:
    """The same stage with another cutoff."""
    return SparseVector(
        threshold_noise=stage.threshold_noise,
        query_noise=stage.query_noise,
        threshold_law=stage.threshold_law,
        query_law=stage.query_law,
        cutoff=cutoff,
        length=stage.length,
        highest_threshold=stage.highest_threshold,
        monotone=stage.monotone,
    )


def _mean(stage: SparseVector, cutoff: int) -> bool:
    """Whether a run without a length has a bound with this cutoff."""
    bounded = "laplace" in stage.query_law
    return bounded or stage.query_noise**2 > cutoff * stage.threshold_noise**2
