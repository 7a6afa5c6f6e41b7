"""How a table of points leaves: on the page, as CSV on stdout, or as a file by its ending."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bursar.cli.answer import Answer
from bursar.cli.flags import HOW, option
from bursar.errors import InvalidParameter

_TEXT = (".csv", ".json")
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, kw_only=True)
class Leaving:
    """As what it leaves."""

    csv: Annotated[
        bool,
        typer.Option("--csv", help="Comma-separated, with every digit.", rich_help_panel=HOW),
    ] = False
    out: Annotated[
        str | None,
        option("--out", "FILE", "Write a .csv, .json, .png, .svg or .pdf file as well.", HOW),
    ] = None

    def checked(self, *, as_json: bool) -> Leaving:
        """Refused before anything is computed, if it could not be written."""
        if self.csv and as_json:
            need = "it may not stand beside --json"
            raise InvalidParameter(need, field="csv", hint="Give one of the two.")
        if self.out is not None:
            path = Path(self.out)
            if path.suffix.lower() not in (*_TEXT, *_PICTURES):
                need = f"it must end in {', '.join((*_TEXT, *_PICTURES))}"
                raise InvalidParameter(need, field="out", value=self.out)
            if path.is_dir() or not path.parent.is_dir():
                need = "it must be a file in a directory that is there"
                raise InvalidParameter(need, field="out", value=self.out)
        return self

    def written(
        self, answer: Answer, table: Callable[[], str], picture: Callable[[], Any]
    ) -> Answer:
        """The answer, with its file written and its text chosen."""
        if self.out is not None:
            self._write(Path(self.out), answer.body, table, picture)
            answer = replace(
                answer,
                body={**answer.body, "out": self.out},
                rows=[*answer.rows, ("file", self.out)],
            )
        return replace(answer, text=table()) if self.csv else answer

    def _write(
        self,
        path: Path,
        body: Any,
        table: Callable[[], str],
        picture: Callable[[], Any],
    ) -> None:
        kind = path.suffix.lower()
        try:
            if kind == ".csv":
                path.write_text(table(), encoding="utf-8")
            elif kind == ".json":
                path.write_text(json.dumps(body, allow_nan=False) + "\n", encoding="utf-8")
            else:
                from bursar.reports.plots import save

                save(picture(), path)
        except OSError as error:
            need = f"it must be a file that can be written: {error.strerror}"
            raise InvalidParameter(need, field="out", value=str(path)) from None
