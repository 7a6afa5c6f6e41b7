"""An audit that was asked for on the command line: how it runs, and how it is told."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from bursar.adjacency import Adjacency
from bursar.cli.answer import Answer
from bursar.cli.audited import Pair, Target, fingerprint, said, shown, silent
from bursar.cli.progress import counted
from bursar.errors import InvalidParameter, Refused
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.plan import Plan
from bursar.truth import number, rounded

if TYPE_CHECKING:
    from bursar.audit.findings import Looked, NoneFound, Violation
    from bursar.audit.records import Drawn

_DIGITS = 4
_LONG = 60  # letters of a data set


class Violated(Refused):
    """A claim that is broken: as JSON, the finding with the error in it."""

    kind = "Refused"

    def __init__(self, answer: Answer, hint: str) -> None:
        self.answer = answer
        super().__init__(answer.sentence, hint=hint)

    def to_json(self) -> dict[str, Any]:
        """The finding, and the error."""
        return {**self.answer.body, **super().to_json()}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is claimed, in Python, in JSON and in words."""

    claim: Mechanism | Plan
    adjacency: Adjacency
    body: dict[str, Any]
    words: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How it is looked for."""

    samples: int
    confidence: str
    grid: int | None
    vectorised: bool
    seed: int | None


@final
@dataclass(slots=True)
class Audit:
    """One audit: `run` answers; if that is stopped, `so_far` says how far it came."""

    target: Target
    pairs: Sequence[Pair]
    claimed: Claim
    manners: Manners
    record: str | None
    before: str = field(default="", init=False)
    _drawn: Drawn[Any] | None = field(default=None, init=False)

    def run(self) -> Answer:
        """None found, or Violated."""
        from bursar.audit.look import look, search
        from bursar.audit.records import Drawn

        started, how = time.perf_counter(), self.manners
        self.before = fingerprint(self.pairs)
        kept = self._kept()
        total = 2 * how.samples
        with closing(counted(range(total), total)) as line, silent():
            self._drawn = drawn = Drawn(
                _Runs(self.target, how.seed, how.vectorised),
                [data for pair in self.pairs for data in pair],
                record=kept,
                many=how.vectorised,
                tick=lambda more: sum(1 for _ in islice(line, more)),
            )
            given: dict[str, Any] = {
                "claim": self.claimed.claim,
                "adjacency": self.claimed.adjacency,
                "samples": how.samples,
                "confidence": how.confidence,
                "grid": how.grid,
            }
            places = [(2 * i, 2 * i + 1) for i in range(len(self.pairs))]
            alone = len(places) == 1
            found = look(drawn, 0, 1, **given) if alone else search(drawn, places, **given)
        if drawn.raised == drawn.outcomes:
            need = f"it gave nothing but errors: {said(drawn.error)}"
            raise InvalidParameter(need, field="mechanism", value=self.target.name)
        if fingerprint(self.pairs) != self.before:
            need = "it must leave its data as it is: its runs were not of the same data"
            hint = "Let it work on a copy."
            raise InvalidParameter(need, field="mechanism", value=self.target.name, hint=hint)
        return self._told(found, drawn, time.perf_counter() - started)

    def so_far(self) -> dict[str, Any]:
        """How many outcomes there are."""
        done = self._drawn.outcomes if self._drawn else 0
        return {"outcomes": done, "of": 2 * self.manners.samples, "record": self.record}

    def _kept(self) -> Any:
        from bursar.audit.records import Record

        how = self.manners
        return Record(
            None if self.record is None else Path(self.record),
            mechanism=self.target.name,
            fingerprint=self.target.fingerprint,
            claim=self.claimed.body,
            adjacency=self.claimed.adjacency.value,
            neighbours=self.before,
            samples=how.samples,
            confidence=how.confidence,
            grid=how.grid,
            vectorised=how.vectorised,
            seed=how.seed,
        )

    def _told(self, found: Violation | NoneFound, drawn: Drawn[Any], seconds: float) -> Answer:
        pair, worst = self.pairs[found.pair], found.worst
        sides = {"data": shown(pair[0]), "neighbour": shown(pair[1])}
        body = {
            "kind": "lower-bound",
            "epsilon": {"lower": number(worst.bound.epsilon)},
            "delta": worst.bound.delta,
            "claimed": number(worst.claimed),
            **found.to_json(),
            "mechanism": self.target.name,
            "claim": self.claimed.body,
            "pair": sides,
            "pairs": len(self.pairs),
            "errors": drawn.raised,
            "grid": self.manners.grid,
            "seed": self.manners.seed,
            "record": self.record,
            "seconds": round(seconds, 6),
        }
        on = f"{_short(sides['data'])} and {_short(sides['neighbour'])}"
        chosen = f", the most promising of {len(self.pairs)} pairs" if len(self.pairs) > 1 else ""
        rows = [
            ("claim", self.claimed.words),
            ("neighbours", f"{self.claimed.adjacency}: {on}{chosen}"),
            ("time", f"{seconds:.2f} s"),
        ]
        table = [("at δ", "ε claimed", "ε at least"), *map(_row, found.points)]
        answer = Answer(body=body, sentence=found.sentence(), rows=rows, table=table)
        if not found.found:
            return answer
        witness, tests = worst.bound.witness, self.manners.samples - self.manners.samples // 2
        hits = witness.hits if witness else (0, 0)
        past = " With --grid 20 low bits of floats are not looked at."
        raise Violated(
            answer,
            f"On {on}{chosen}: {witness.event if witness else ''}. That happened {hits[0]} times "
            f"on the first and {hits[1]} on the second, in {tests} runs each."
            f"{past if drawn.floats and self.manners.grid is None else ''}",
        )


@final
class _Runs:
    """The function as an audit calls it; with a seed, each call has one of its own."""

    def __init__(self, target: Target, seed: int | None, many: bool) -> None:
        self._target, self._seed, self._many = target, seed, many
        self._rng = np.random.default_rng() if target.takes_generator else None

    def __call__(self, data: Any, size: int, name: str) -> Any:
        """So many outcomes."""
        from bursar.noise import rehearse

        if self._seed is None:
            return self._called(data, size, self._rng)
        own = hashlib.sha256(f"{self._seed} {name}".encode()).digest()
        seed = int.from_bytes(own[:8], "little")
        rng = None if self._rng is None else np.random.default_rng(seed)
        return rehearse(lambda: self._called(data, size, rng), seed=seed).value

    def _called(self, data: Any, size: int, rng: np.random.Generator | None) -> Any:
        generator = {} if rng is None else {"rng": rng}
        if self._many:
            return self._target.run(data, size, **generator)
        return [self._target.run(data, **generator)]


def replayed(target: Target, pairs: Sequence[Pair], adjacency: Adjacency, seed: int) -> Answer:
    """Runs with the noised answers of the neighbour, and what differs all the same."""
    from bursar.audit.replay import replay

    started = time.perf_counter()
    with silent():
        found = [replay(target.run, one, two, seed=seed) for one, two in counted(pairs, len(pairs))]
    worst = next((i for i, one in enumerate(found) if one.found), len(found) - 1)
    if all(one.error is not None for one in found):
        need = f"it gave nothing but errors: {said(found[worst].error)}"
        raise InvalidParameter(need, field="mechanism", value=target.name)
    seconds = time.perf_counter() - started
    sides = {"data": shown(pairs[worst][0]), "neighbour": shown(pairs[worst][1])}
    body = {
        "kind": "replay",
        **found[worst].to_json(),
        "adjacency": adjacency.value,
        "mechanism": target.name,
        "pair": sides,
        "pairs": len(pairs),
        "seed": seed,
        "seconds": round(seconds, 6),
    }
    on = f"{_short(sides['data'])} and {_short(sides['neighbour'])}"
    rows = [
        ("neighbours", f"{adjacency}: {len(pairs)} pairs, the last {on}"),
        ("time", f"{seconds:.2f} s"),
    ]
    answer = Answer(body=body, sentence=found[worst].sentence(), rows=rows)
    if found[worst].found:
        raise Violated(answer, f"On {on}.")
    return answer


def _row(looked: Looked) -> tuple[str, str, str]:
    return (
        f"{looked.bound.delta:.6g}",
        rounded(looked.claimed, _DIGITS, up=True),
        rounded(looked.bound.epsilon, _DIGITS, up=False),
    )


def _short(data: Any) -> str:
    text = str(data)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
