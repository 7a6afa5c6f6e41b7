"""The flags that commands share, in groups: each group is a value, each field of it one option.

A command takes groups; `asks` lays their fields out as the options that typer reads.  Numbers
come in as text, because text is exact: the library reads it, and refuses it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from bursar.adjacency import Adjacency

if TYPE_CHECKING:
    from bursar.cli.answer import Answer

_STEP, _TRAINER = "What is run", "or, in a trainer's words"
ASKED, HOW = "What is asked", "How it is answered"
SAMPLERS = ("poisson", "shuffle")


def option(
    name: str,
    metavar: str,
    meaning: str,
    panel: str,
    *,
    among: Callable[[], Iterable[str]] | None = None,
) -> Any:
    """An option of text; where it is one of a closed set, the shell completes it."""

    def complete(incomplete: str) -> list[str]:
        return [one for one in among() if one.startswith(incomplete)] if among else []

    return typer.Option(
        name,
        metavar=metavar,
        help=meaning,
        rich_help_panel=panel,
        show_default=False,
        autocompletion=complete if among else None,
    )


def _accountants() -> list[str]:
    from bursar.accounting.choose import ACCOUNTANTS

    return [accountant.name for accountant in ACCOUNTANTS]


@dataclass(frozen=True, kw_only=True)
class Steps:
    """A step and how often it runs, or how a trainer's loader runs it."""

    noise_multiplier: Annotated[
        str | None,
        option(
            "--noise-multiplier",
            "NUMBER",
            "Standard deviation of the noise over one person's largest l2 norm.",
            _STEP,
        ),
    ] = None
    sampling_probability: Annotated[
        str | None,
        option(
            "--sampling-probability",
            "NUMBER",
            "Each person is in a step with this probability, independently (Poisson).  [1]",
            _STEP,
        ),
    ] = None
    steps: Annotated[
        str | None, option("--steps", "COUNT", "How often the step runs.  [1]", _STEP)
    ] = None
    examples: Annotated[
        str | None, option("--examples", "COUNT", "People in the training set.", _TRAINER)
    ] = None
    batch_size: Annotated[
        str | None, option("--batch-size", "COUNT", "People in a batch, expected.", _TRAINER)
    ] = None
    epochs: Annotated[
        str | None, option("--epochs", "COUNT", "Passes through the training set.", _TRAINER)
    ] = None
    sampler: Annotated[
        str | None,
        option(
            "--sampler",
            "poisson|shuffle",
            "How batches are drawn: each person independently, or from a shuffled list.",
            _TRAINER,
            among=lambda: SAMPLERS,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class FromFile:
    """A plan from a file."""

    plan: Annotated[
        str | None,
        option("--plan", "FILE", "Any sequence of steps, as TOML or JSON.", "or, from a file"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Who are neighbours."""

    adjacency: Annotated[
        str | None,
        option(
            "--adjacency",
            "NAME",
            "Neighbours: add-or-remove-one, replace-one or zero-out.  [add-or-remove-one]",
            ASKED,
            among=lambda: Adjacency,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class AtDelta:
    """At which δ."""

    delta: Annotated[
        str | None, option("--delta", "NUMBER", "The δ, from 0 to 1: 1e-5 is exact.", ASKED)
    ] = None
    log_delta: Annotated[
        str | None,
        option("--log-delta", "NUMBER", "Instead of --delta: its natural logarithm.", ASKED),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Method:
    """By which accountant."""

    method: Annotated[
        str | None,
        option("--method", "NAME", "One accountant, not the tightest.", HOW, among=_accountants),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How long it may take, and who reads it."""

    timeout: Annotated[
        str,
        option(
            "--timeout",
            "SECONDS",
            "Then stop, with exit code 4 and the safe answer so far.  [60]",
            HOW,
        ),
    ] = "60"
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object, with every digit.", rich_help_panel=HOW),
    ] = False


def asks(command: Callable[..., Answer]) -> Callable[..., Answer]:
    """The command with each group among its parameters laid out as options."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return")
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }
    laid: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            laid.append(parameter.replace(annotation=hints[name]))
            continue
        of = get_type_hints(groups[name], include_extras=True)
        laid += [
            inspect.Parameter(
                field.name, parameter.KEYWORD_ONLY, default=field.default, annotation=of[field.name]
            )
            for field in dataclasses.fields(groups[name])
        ]

    @functools.wraps(command)
    def flat(**given: Any) -> Answer:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            given[name] = group(**{field: given.pop(field) for field in fields})
        return command(**given)

    flat.__signature__ = inspect.Signature(laid)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in laid}
    return flat
