"""Outcomes that are kept while they are drawn: a long audit can be stopped and gone on with.

A record is a file of lines: first what was asked, then outcomes in the order in which they were
drawn.  An audit goes on with a record of the same question only: a record that grew with each look
at it would find, in the end, what is not there.  Outcomes are written as JSON, never as code.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast, final

import numpy as np

from bursar.audit.look import Outcomes, Source, outcome
from bursar.audit.written import read, written
from bursar.errors import CorruptBooks, InvalidParameter

D = TypeVar("D")
D_contra = TypeVar("D_contra", contravariant=True)

FORMAT = "bursar-audit-record/1"
BATCH = 10_000  # outcomes that a mechanism is asked for at once, where it gives many
_KEPT, _OFTEN = 500, 1.0  # single outcomes, or seconds, after which they are written


class Runs(Protocol[D_contra]):
    """A mechanism that gives so many outcomes, and is told their name, which a seed may use."""

    def __call__(self, data: D_contra, size: int, name: str) -> Outcomes:
        """So many independent outcomes."""


@final
class Record:
    """What was asked, and the outcomes so far: in memory, and in a file where there is one."""

    def __init__(self, path: Path | None = None, **asked: Any) -> None:
        self._path = path
        self._kept: dict[tuple[int, int], list[Outcomes]] = {}
        if path is None:
            return
        head = json.loads(json.dumps({"format": FORMAT, **asked}))
        lines = _lines(path)
        if lines and lines[0] != head:
            differs = sorted(key for key in head if lines[0].get(key) != head[key])
            raise InvalidParameter(
                f"it is the record of another audit: see its {', '.join(differs) or 'first line'}",
                field="record",
                value=str(path),
                hint="Name a file that is not there yet.",
            )
        if not lines:
            self._write(head)
        for line in lines[1:]:
            self._keep(line)

    def kept(self, place: int, turn: int) -> list[Outcomes]:
        """The outcomes that are there already, part by part."""
        return list(self._kept.get((place, turn), ()))

    def add(self, place: int, turn: int, part: Outcomes) -> Outcomes:
        """Keep a part; what comes back is what a later reader of the file will see."""
        if self._path is None or not len(part):
            return part
        line = {"place": place, "turn": turn, "outcomes": written(part)}
        self._write(line)
        return self._keep(json.loads(json.dumps(line)))

    def _keep(self, line: Mapping[str, Any]) -> Outcomes:
        try:
            part: Outcomes = read(line["outcomes"])
            self._kept.setdefault((int(line["place"]), int(line["turn"])), []).append(part)
            len(part)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise CorruptBooks(
                "a line of the record can't be read", field="record", value=str(self._path)
            ) from None
        return part

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            need = f"it must be a file that can be written: {error.strerror}"
            raise InvalidParameter(need, field="record", value=str(self._path)) from None


@final
class Drawn(Source[int], Generic[D]):
    """Outcomes on data sets that are known by their place: from a record, else by running.

    Where `many` is false, runs are asked for one outcome at a time.  `tick` is told how many more
    there are.  How many there were, and the last error of the mechanism, is remembered.
    """

    def __init__(
        self,
        runs: Runs[D],
        among: Sequence[D],
        *,
        record: Record,
        many: bool = False,
        tick: Callable[[int], object] = lambda _: None,
    ) -> None:
        self._runs, self._among, self._record = runs, among, record
        self._many, self._tick = many, tick
        self._turns = [0] * len(among)
        self.outcomes = self.raised = 0
        self.floats = False  # whether an outcome is one: then its low bits are looked at
        self.error: BaseException | None = None

    def draw(self, data: int, size: int) -> Outcomes:
        """The outcomes of the next turn of this place."""
        turn = self._turns[data]
        self._turns[data] += 1
        parts = [self._counted(part) for part in self._record.kept(data, turn)]
        while (have := sum(map(len, parts))) < size:
            parts.append(self._some(data, turn, have, size - have))
        arrays: list[Any] = [part for part in parts if isinstance(part, np.ndarray)]
        if len(arrays) == len(parts):
            joined: Any = np.concatenate(arrays)
            return cast(Outcomes, joined)
        return [one for part in parts for one in part]

    def _some(self, place: int, turn: int, start: int, most: int) -> Outcomes:
        """A batch, or some one by one, of which those that are done are kept in any case."""
        if self._many:
            found = self._asked(place, turn, start, min(BATCH, most))
            if not isinstance(found, BaseException):
                return self._counted(self._record.add(place, turn, found))
        done: list[object] = []
        kept: Outcomes = done
        until = time.monotonic() + _OFTEN
        try:
            for i in range(start, start + min(_KEPT, most)):
                found = self._asked(place, turn, i, 1)
                done.append(found if isinstance(found, BaseException) else found[0])
                if time.monotonic() > until:
                    break
        finally:
            kept = self._counted(self._record.add(place, turn, done))
        return kept

    def _asked(self, place: int, turn: int, start: int, size: int) -> Outcomes | BaseException:
        name = f"{place} {turn} {start}"
        found: Any = outcome(lambda data: self._runs(data, size, name), self._among[place])
        if isinstance(found, BaseException):
            return found
        if len(found) == size:
            whole: Outcomes = found
            return whole
        need = f"a vectorised mechanism must give {size} outcomes for that size"
        raise InvalidParameter(need, field="mechanism", value=len(found))

    def _counted(self, part: Outcomes) -> Outcomes:
        self.outcomes += len(part)
        self._tick(len(part))
        if isinstance(part, np.ndarray):
            self.floats |= part.dtype.kind == "f"
        else:
            self.floats |= any(isinstance(one, float) for one in part)
            errors = [one for one in part if isinstance(one, BaseException)]
            self.raised += len(errors)
            self.error = errors[-1] if errors else self.error
        return part


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a record; its last one is cut off if it was not written to its end.

    A file that does not begin as a record does is somebody's own, and is not touched.
    """
    opening = json.dumps({"format": FORMAT})[:-1].encode()
    try:
        body = path.read_bytes() if path.exists() else b""
        if body[: len(opening)] != opening[: len(body)]:
            raise CorruptBooks("it is no record of an audit", field="record", value=str(path))
        end = body.rfind(b"\n") + 1
        if end < len(body):
            path.write_bytes(body[:end])
    except OSError as error:
        need = f"it must be a file that can be read: {error.strerror}"
        raise InvalidParameter(need, field="record", value=str(path)) from None
    try:
        lines = [json.loads(line) for line in body[:end].splitlines()]
    except ValueError:
        lines = [None]
    if all(isinstance(line, dict) for line in lines):
        return lines
    raise CorruptBooks("a line of the record can't be read", field="record", value=str(path))
