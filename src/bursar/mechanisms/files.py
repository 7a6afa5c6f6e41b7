"""Plan files: any sequence of steps, as TOML or as JSON with the same keys.

Numbers are exact: a decimal is taken as it is written, before any float is made of it.  Every key
is known or refused, with the nearest one; names lead to classes through the closed table of
`registry.py` only; size is bounded before anything is read into a plan.
"""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from bursar import require
from bursar.adjacency import Adjacency
from bursar.errors import InvalidParameter, NoProof
from bursar.mechanisms.base import Mechanism
from bursar.mechanisms.group import Group
from bursar.mechanisms.parallel import Parallel
from bursar.mechanisms.plan import Plan
from bursar.mechanisms.registry import MECHANISMS, SAMPLINGS, UNWRITTEN
from bursar.mechanisms.words import nearest

MOST_BYTES = 4_000_000
MOST_STEPS = 10_000

_DOTTED = re.compile(
    r"""(?<![\w"'-]) (?: (?: "[^"\n]*+" | '[^'\n]*+' | [\w-]++ ) [ \t]*+ \. [ \t]*+ ){9}""",
    re.VERBOSE,
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """A plan as a file says it, with the adjacency that it names, if any.

    >>> PlanFile.parse('{"step": [{"mechanism": "laplace", "scale": 10.0, "count": 50}]}').plan
    50 * Laplace(scale=10)
    """

    plan: Plan
    adjacency: Adjacency | None = None

    @classmethod
    def read(cls, path: str | Path) -> PlanFile:
        """The plan in a file of at most 4 MB; raises InvalidParameter, or NoProof from a step."""
        try:
            with Path(path).open("rb") as file:
                body = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            need = f"it must be a file that can be read: {why}"
            raise InvalidParameter(need, field="plan", value=str(path)) from None
        try:
            return cls.parse(body.decode("utf-8-sig"))
        except UnicodeDecodeError:
            need = "it must be a text in UTF-8"
            raise InvalidParameter(need, field="plan", value=str(path)) from None

    @classmethod
    def parse(cls, text: str) -> PlanFile:
        """The plan that a text says: JSON where it opens with a brace, else TOML."""
        if len(text) > MOST_BYTES:
            hint = "Say with count how often a step runs."
            raise InvalidParameter(f"a plan file has at most {MOST_BYTES:,} bytes", hint=hint)
        is_json = text.lstrip().startswith("{")
        top = _read("JSON", _json, text) if is_json else _read("TOML", _toml, text)
        _known(top, {"adjacency", "step"}, "a plan file")
        named = top.get("adjacency")
        adjacency = None if named is None else Adjacency.of(named)
        return cls(plan=plan_of(top.get("step")), adjacency=adjacency)

    def json(self) -> str:
        """The file as JSON, which says this plan again."""
        return json.dumps(self._tables(), indent=2) + "\n"

    def toml(self) -> str:
        """The file as TOML, which says this plan again."""
        named = [] if self.adjacency is None else [f'adjacency = "{self.adjacency.value}"']
        steps = [
            "\n".join(["[[step]]", *(f"{key} = {_inline(value)}" for key, value in step.items())])
            for step in self._tables()["step"]
        ]
        return "\n\n".join([*named, *steps]) + "\n"

    def _tables(self) -> dict[str, Any]:
        for step in _inside(self.plan):
            if isinstance(step, UNWRITTEN):
                need = f"a step of {step.name} holds a function, which no file can say"
                raise InvalidParameter(need, field="plan", value=step.canonical()["label"])
        named = {} if self.adjacency is None else {"adjacency": self.adjacency.value}
        return {**named, "step": self.plan.canonical()}


def plan_of(steps: object) -> Plan:
    """The plan of these steps, in the form that `Plan.canonical()` gives and files have.

    >>> plan_of([{"mechanism": "gaussian", "noise_multiplier": "1.1", "count": 3}])
    3 * Gaussian(noise_multiplier=1.1)
    """
    if not isinstance(steps, list) or not steps:
        need = "a plan has at least one step"
        raise InvalidParameter(need, field="step", value=steps, hint="Open one with [[step]].")
    if len(steps) > MOST_STEPS:
        need = f"a plan file has at most {MOST_STEPS} steps, not {len(steps)}"
        raise InvalidParameter(need, hint="Say with count how often a step runs.")
    return Plan.collected(_step(step, number) for number, step in enumerate(steps, 1))


def _step(table: object, number: int) -> tuple[Mechanism, int]:
    """One step, with its place in the hint of what it refuses."""
    try:
        if not isinstance(table, dict):
            raise InvalidParameter("it must be a table of keys", field="step", value=table)
        return _mechanism(table), require.count(count=table.get("count", 1))
    except (InvalidParameter, NoProof) as error:
        hint = " ".join(part for part in (f"See step {number}.", error.hint) if part)
        again = type(error)(error.need, field=error.field, value=error.value, hint=hint)
        raise again from None


def _mechanism(table: Mapping[str, Any]) -> Mechanism:
    step = _sampled(table)
    return Group(step, people=table["people"]) if "people" in table else step


def _sampled(table: Mapping[str, Any]) -> Mechanism:
    made = MECHANISMS[_named(MECHANISMS, mechanism=table.get("mechanism"))]
    own = inspect.signature(made).parameters
    needed = [field for field in own if own[field].default is inspect.Parameter.empty]
    sampled = [] if table.get("sampling") is None else ["sampling_probability"]
    what = f"a step of {made.name}"
    _known(table, ["mechanism", *own, "sampling", "sampling_probability", "people", "count"], what)
    for field in [*needed, *sampled]:
        if field not in table:
            raise InvalidParameter(f"{what} needs it", field=field)
    fields = {field: table[field] for field in own if field in table}
    base = Parallel(*_branches(fields["branches"])) if made is Parallel else made(**fields)
    if sampled:
        sampling = SAMPLINGS[_named(SAMPLINGS, sampling=table["sampling"])]
        return sampling(base, sampling_probability=table["sampling_probability"])
    if "sampling_probability" in table:
        hint = 'Write sampling = "poisson" if each person is drawn independently.'
        raise InvalidParameter("the kind of sampling must be said", field="sampling", hint=hint)
    return base


def _branches(plans: object) -> list[Plan]:
    """The branches of a parallel step, each a list of steps, none of them parallel."""
    if not isinstance(plans, list) or not plans or not all(isinstance(p, list) for p in plans):
        raise InvalidParameter("it must be a list of lists of steps", field="branches", value=plans)
    for step in (step for plan in plans for step in plan):
        if isinstance(step, dict) and step.get("mechanism") == Parallel.name:
            need = "a branch must not have branches of its own"
            raise InvalidParameter(need, field="branches", hint="Name all of them side by side.")
    return [plan_of(plan) for plan in plans]


def _inside(plan: Plan) -> Iterator[Mechanism]:
    """All steps of a plan, those inside of others as well."""
    for step, _ in plan.steps:
        yield step
        for branch in getattr(step, "branches", ()):
            yield from _inside(branch)
        if step.wraps and hasattr(step, "base"):
            yield from _inside(Plan.of(step.base))


def _inline(value: object) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _known(table: Mapping[str, Any], keys: Collection[str], what: str) -> None:
    for key in table:
        if key not in keys:
            near = nearest(key, keys)
            hint = f"Did you mean {near}?" if near else f"It has {', '.join(keys)}."
            raise InvalidParameter(
                f"{what} has no such key", field=key, value=table[key], hint=hint
            )


def _named(table: Collection[str], **field: object) -> str:
    """One of the names of a closed table."""
    ((key, name),) = field.items()
    if isinstance(name, str) and name not in table and (near := nearest(name, table)):
        need = f"it must be one of {', '.join(table)}"
        raise InvalidParameter(need, field=key, value=name, hint=f"Did you mean {near}?")
    return require.one_of(table, **field)


def _toml(text: str) -> dict[str, Any]:
    if _DOTTED.search(text):  # the reader's time would be quadratic in the depth of a dotted key
        raise InvalidParameter("a plan has no dotted keys", field="plan")
    return tomllib.loads(text, parse_float=lambda digits: digits.replace("_", ""))


def _json(text: str) -> dict[str, Any]:
    return dict(json.loads(text, parse_float=str, parse_constant=str, object_pairs_hook=_once))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise InvalidParameter("a key stands twice in one object", field="plan")
    return table


def _read(language: str, loads: Callable[[str], dict[str, Any]], text: str) -> dict[str, Any]:
    try:
        return loads(text)
    except InvalidParameter:
        raise
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        why = str(error)
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError:
        why = "a whole number has too many digits"
    raise InvalidParameter(f"it must be {language} that can be read: {why}", field="plan")
