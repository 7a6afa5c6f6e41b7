"""How an answer leaves: as one line of JSON, or as a page for people.

On a terminal the page has its width, and colours unless NO_COLOR says otherwise; into a pipe
lines are as long as they are, and bare.  Where ε can't be written, its name is.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

from bursar.cli.answer import Answer
from bursar.errors import InvalidParameter

if TYPE_CHECKING:
    from rich.console import RenderableType

_PLAIN = str.maketrans(
    {"ε": "epsilon", "δ": "delta", "≤": "<=", "≥": ">=", "≈": "~", "×": "x", "−": "-", "…": "..."}
)
_ENDLESS = 100_000  # columns of a pipe


def show(answer: Answer) -> None:
    """The page on stdout."""
    from rich.table import Table
    from rich.text import Text

    page: list[RenderableType] = [Text(answer.sentence, style="bold")]
    if answer.table:
        table = Table.grid(padding=(0, 3))
        for row in answer.table:
            table.add_row(*row)
        page += ["", table]
    if answer.rows:
        rows = Table.grid(padding=(0, 3))
        rows.add_column(style="cyan", no_wrap=True)
        for label, words in answer.rows:
            rows.add_row(label, Text(words))
        page += ["", rows]
    write("".join(rendered(part, sys.stdout) for part in page), sys.stdout)


def rendered(part: RenderableType, stream: TextIO) -> str:
    """A part of a page as text for this stream."""
    from rich.console import Console

    width = None if stream.isatty() else _ENDLESS
    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def write_json(body: Mapping[str, Any], stream: TextIO | None) -> None:
    """One object, on one line, in ASCII."""
    write(json.dumps(body, allow_nan=False) + "\n", stream)


def write(text: str, stream: TextIO | None) -> None:
    """The text, now; InvalidParameter where the stream does not take it."""
    if stream is None:
        raise InvalidParameter("it must be open", field="stdout")
    try:
        stream.write(writable(text, stream))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(stream)
        need = f"it must be writable: {error.strerror}"
        raise InvalidParameter(need, field="stdout") from None


def writable(text: str, stream: TextIO) -> str:
    """The text in the letters that the stream has."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def silence(stream: TextIO) -> None:
    """Let what the stream still holds go nowhere, so that the interpreter can end in peace."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
