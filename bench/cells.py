"""Cells of a benchmark: each question in a process of its own, within limits, kept in a log.

Times are seconds of the processor on one core, which others on the machine change least.  A cell
that hangs, crashes or wants too much memory costs its own answer and no other.  The parent
loads and warms the tools; each repetition is a new fork of it, so nothing is cached from one to the
next.  A run that was stopped goes on where it stopped: the log in `.cache/bench` is of this
machine and these versions, or it is thrown away.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench.keeping import PEERS
from bench.machine import stamp

Row = dict[str, Any]
Cell = dict[str, str | int]
LOGS = Path(__file__).parents[1] / ".cache" / "bench"
CLOCK = "the processor's clock"
MEMORY = 6 << 30  # bytes that one answer may take
SLACK = 6  # times the limit that the clock on the wall may show
SHORT = 0.25  # seconds: what takes longer is not repeated


class Answerless(Exception):
    """A cell has no answer; the message says why."""


def measured(
    name: str,
    cells: Iterable[Cell],
    ask: Callable[[Cell], Row],
    *,
    limit_s: float,
    repeats: int = 3,
    warm: Callable[[Cell], object] | None = None,
) -> list[Row]:
    """Every cell with its answer, its least time in ms and its memory in MiB; or its error.

    `warm` asks the cell's tool something else first, so that a fork's own pages are there.
    """
    log = LOGS / f"{name}.jsonl"
    rows = []
    for cell, known in _remembered(log, list(cells)):
        row = known or cell | _least(partial(once, ask, cell, limit_s, warm), repeats)
        rows.append(row)
        if known is None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(json.dumps(row, ensure_ascii=False), flush=True)
    log.unlink()
    return rows


def _remembered(log: Path, cells: list[Cell]) -> Iterator[tuple[Cell, Row | None]]:
    """Each cell with the row that the log has for it."""
    head = json.dumps(stamp(*PEERS))
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    if lines[:1] != [head]:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(head + "\n", encoding="utf-8")
        lines = []
    rows = [json.loads(line) for line in lines[1:] if line.endswith("}")]  # a torn one is not
    for cell in cells:
        known = (row for row in rows if cell.items() <= row.items())
        yield cell, next(known, None)


def _least(run: Callable[[], Row], repeats: int) -> Row:
    best = run()
    for _ in range(repeats - 1):
        if "error" in best or best["ms"] > 1e3 * SHORT:
            break
        best = min(best, run(), key=lambda row: row.get("ms", math.inf))
    return best


def once(
    ask: Callable[[Cell], Row],
    cell: Cell,
    limit_s: float,
    warm: Callable[[Cell], object] | None = None,
) -> Row:
    """One cell, in a process of its own."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(
        target=_work, args=(ask, cell, limit_s, warm, theirs)
    )
    worker.start()
    theirs.close()
    late: Row = {"error": f"> {limit_s:g} s"}
    try:
        row: Row = ours.recv() if ours.poll(SLACK * limit_s) else late
    except EOFError:
        worker.join()
        row = late if worker.exitcode == -signal.SIGXCPU else {"error": "died"}
    worker.kill()
    worker.join()
    return row


def _work(
    ask: Callable[[Cell], Row],
    cell: Cell,
    limit_s: float,
    warm: Callable[[Cell], object] | None,
    pipe: Any,
) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit_s), math.ceil(limit_s) + 5))
    try:
        before = _resident()
        if warm:
            warm(cell)
        started = time.process_time()
        row = ask(cell)
        seconds = time.process_time() - started
        row = {"ms": 1e3 * seconds, "mib": round(_resident(peak=True) - before, 1)} | row
    except Answerless as reason:
        row = {"error": str(reason)}
    except BaseException as error:  # noqa: BLE001 - a tool's failure of any kind is a result
        said = " ".join(str(error).split())
        row = {"error": f"{type(error).__name__}: {said[:80]}"}
    pipe.send({key: _plain(value) for key, value in row.items()})


def _plain(value: Any) -> Any:
    """As JSON holds it, so that a row from the log is equal to a new one."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _resident(*, peak: bool = False) -> float:
    """MiB that this process holds; or the most it held since it was last asked without `peak`."""
    if not peak:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    word = "VmHWM:" if peak else "VmRSS:"
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = (line for line in status if line.startswith(word))
    return int(line.split()[1]) / 1024
