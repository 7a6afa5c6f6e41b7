"""Small results as JSON, with the machine beside them; and tables of a page.

Used by `bench` and by `reproduce`.  Not here: what is measured, and what a page says of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.machine import stamp

Found = dict[str, Any]
PEERS = ("dp-accounting", "prv-accountant", "opacus", "autodp", "opendp", "torch")


def keep(found: Found, path: Path, *, digits: int = 6, packages: Sequence[str] = PEERS) -> None:
    """As JSON, floats with so many digits; a list has one line for each of its entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"machine": stamp(*packages), **found}
    lines = [f"{_text(key)}: {_lines(value)}" for key, value in rounded(whole, digits).items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        return "[\n" + ",\n".join(map(_text, value)) + "\n]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> Found:
    """What was kept; "inf" and "nan" are numbers again."""
    found: Found = json.loads(path.read_text(encoding="utf-8"))
    return _numbers(found)


def rounded(value: Any, digits: int = 6) -> Any:
    """Floats with so many significant digits, and words for those that JSON has not."""
    match value:
        case bool() | int() | str() | None:
            return value
        case dict():
            return {str(key): rounded(one, digits) for key, one in value.items()}
        case list() | tuple():
            return [rounded(one, digits) for one in value]
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    return float(f"{number:.{digits}g}")


def _numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _numbers(one) for key, one in value.items()}
        case list():
            return [_numbers(one) for one in value]
        case "inf" | "-inf" | "nan":
            return float(value)
    return value


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a page; floats are shown with four digits."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
