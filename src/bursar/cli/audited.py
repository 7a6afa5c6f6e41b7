"""What `bursar audit` looks at: somebody's function, and pairs of neighbours to run it on.

The function is named as Python names it, `module:function` or `file.py:function`; whoever types
that runs it.  What it prints is let go, so that an answer stays one answer.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, final

import numpy as np
import typer

from bursar.adjacency import Adjacency
from bursar.cli.flags import option
from bursar.cli.request import must
from bursar.errors import InvalidParameter

_PAIRS = "On which neighbours"
_SHOWN = 1000  # entries of a data set
_FORM = "Write it as module:function or file.py:function."

Pair = tuple[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Two data sets, a list of pairs, or bounds between which pairs are made."""

    data: Annotated[
        str | None, option("--data", "JSON", "A data set, as JSON or @file.json.", _PAIRS)
    ] = None
    neighbour: Annotated[
        str | None, option("--neighbour", "JSON", "The same but for one person.", _PAIRS)
    ] = None
    pairs: Annotated[
        str | None,
        option("--pairs", "NAME", "A list of pairs, or a function of none that gives it.", _PAIRS),
    ] = None
    low: Annotated[
        str | None,
        option("--low", "NUMBER", "Make pairs of few people with values around these.", _PAIRS),
    ] = None
    high: Annotated[
        str | None, option("--high", "NUMBER", "The upper end of the values.", _PAIRS)
    ] = None
    whole: Annotated[
        bool, typer.Option("--whole", help="Values are whole numbers.", rich_help_panel=_PAIRS)
    ] = False

    def found(self, adjacency: Adjacency) -> list[Pair]:
        """The pairs, of which there is one at least."""
        ways = {
            "--data": (self.data, self.neighbour),
            "--pairs": (self.pairs,),
            "--low": (self.low, self.high),
        }
        said = [way for way, flags in ways.items() if any(flag is not None for flag in flags)]
        if len(said) != 1 or (self.whole and said != ["--low"]):
            need = "neighbours must be given in one way"
            raise InvalidParameter(
                need,
                field="data",
                hint="--data and --neighbour, or --pairs, or --low and --high (and --whole).",
            )
        if self.pairs is not None:
            return _listed(self.pairs)
        if said == ["--data"]:
            one = _json(data=must(data=self.data, hint="Beside --neighbour."))
            return [(one, _json(neighbour=must(neighbour=self.neighbour, hint="Beside --data.")))]
        from bursar.audit.neighbours import neighbours

        low = must(low=self.low, hint="Beside --high.")
        high = must(high=self.high, hint="Beside --low.")
        return list(neighbours(low=low, high=high, whole=self.whole, adjacency=adjacency))


@final
@dataclass(frozen=True, slots=True)
class Target:
    """A function of somebody's, and a fingerprint of the file that it stands in."""

    name: str
    run: Callable[..., Any]
    fingerprint: str | None

    @property
    def takes_generator(self) -> bool:
        """Whether it asks for a generator of numpy, by a parameter `rng`."""
        try:
            return "rng" in inspect.signature(self.run).parameters
        except (TypeError, ValueError):
            return False


def loaded(name: str, *, field: str = "mechanism") -> Target:
    """The function of this name."""
    found = _object(name, field)
    if not callable(found):
        raise InvalidParameter("it must be a function", field=field, value=name, hint=_FORM)
    return Target(name, found, _fingerprint(found))


@contextmanager
def silent() -> Iterator[None]:
    """Whatever is printed in the block goes nowhere."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        yield


def shown(data: Any) -> Any:
    """A data set as JSON shows it, if it is not large."""
    size = np.size(data) if isinstance(data, np.ndarray) else getattr(data, "__len__", int)()
    if size > _SHOWN:
        return f"{type(data).__name__} of {size} entries"
    if isinstance(data, np.ndarray):
        return shown(data.tolist())
    if isinstance(data, (list, tuple)):
        return [shown(one) for one in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data if isinstance(data, (str, int, float, bool, type(None))) else repr(data)


def _listed(name: str) -> list[Pair]:
    found = _object(name, "pairs")
    try:
        pairs = [(one, two) for one, two in (found() if callable(found) else found)]
    except Exception as error:  # noqa: BLE001 - whatever somebody's code raises
        need = f"it must be a list of pairs, or a function that gives one: {said(error)}"
        raise InvalidParameter(need, field="pairs", value=name) from None
    if not pairs:
        raise InvalidParameter("there must be a pair in it", field="pairs", value=name)
    return pairs


def _object(name: str, field: str) -> Any:
    place, colon, path = name.rpartition(":")
    if not (place and colon and path):
        raise InvalidParameter("it must name a function", field=field, value=name, hint=_FORM)
    try:
        with silent():
            module = _file(place) if place.endswith(".py") else _module(place)
            return reduce(getattr, path.split("."), module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever somebody's code raises
        need = f"it must be there and load: {said(error)}"
        raise InvalidParameter(need, field=field, value=name, hint=_FORM) from None


def _module(place: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` has it
    return importlib.import_module(place)


def _file(place: str) -> Any:
    path = Path(place).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {place}")
    name = f"_audited_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where its classes look for it
    spec.loader.exec_module(module)
    return module


def _fingerprint(run: Callable[..., Any]) -> str | None:
    try:
        file = inspect.getsourcefile(inspect.unwrap(run))
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (TypeError, ValueError, OSError):
        return None


def _json(**flag: str) -> Any:
    """A data set: lists of numbers, and tables of them, as arrays."""
    ((name, text),) = flag.items()
    try:
        body = Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
        found = json.loads(body)
    except (OSError, ValueError, RecursionError) as error:
        need = f"it must be JSON, or @ and a file of JSON: {said(error)}"
        raise InvalidParameter(
            need, field=name, value=text, hint="For instance [1, 0.5]."
        ) from None
    return _arrayed(found)


def _arrayed(found: Any) -> Any:
    if not isinstance(found, list):
        return found
    try:
        array = np.array(found)
    except ValueError:
        return found
    if not found:
        return array
    return array if array.dtype.kind in "biuf" else found


def said(error: BaseException | None) -> str:
    """An error in a few words."""
    return f"{type(error).__name__}: {error}".rstrip(": ")


def fingerprint(pairs: Sequence[Pair]) -> str:
    """A fingerprint of the pairs, to the last bit."""
    from bursar.audit.written import written

    return hashlib.sha256(json.dumps(written(list(pairs))).encode()).hexdigest()
