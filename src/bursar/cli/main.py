"""`bursar`: the program.  Flags in, one library call, one answer out; every exit has one shape.

A command is a line of `_COMMANDS`.  With --json a success is one object on stdout, and every other
exit is one object on stderr, whoever refuses: the parser, the library, the reader of the pipe.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from bursar.cli import (
    audit,
    calibrate,
    certify,
    check,
    compare,
    convert,
    delta,
    epsilon,
    explain,
    profile,
    refute,
    steps,
    verify,
)
from bursar.cli.answer import Answer
from bursar.cli.failures import Interrupted, PipeClosed, of_bug, of_parser, report
from bursar.cli.printer import show, silence, write, write_json
from bursar.cli.progress import watched
from bursar.errors import BursarError, InvalidParameter

_COMMANDS = {
    epsilon.epsilon: epsilon.EXAMPLES,
    delta.delta: delta.EXAMPLES,
    calibrate.calibrate: calibrate.EXAMPLES,
    profile.profile: profile.EXAMPLES,
    steps.steps: steps.EXAMPLES,
    compare.compare: compare.EXAMPLES,
    explain.explain: explain.EXAMPLES,
    convert.convert: convert.EXAMPLES,
    certify.certify: certify.EXAMPLES,
    check.check: check.EXAMPLES,
    refute.refute: refute.EXAMPLES,
    verify.verify: verify.EXAMPLES,
    audit.audit: audit.EXAMPLES,
}
_PARSER = cast(type[Exception], typer.BadParameter.__bases__[0])  # what every refusal of it is
_INTERRUPTED = 130  # how the parser tells Ctrl-C
_WIDTH = 72  # of an example


class _AsItIs:
    """Values stay text, or flags: no library of types is loaded to read them."""

    def coerce(self, value: object, **_: object) -> object:
        """The value."""
        return value


class _Quick:
    """Spares typer, where it would, a third of the time to start."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, which read nothing."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            parameter._runtime_param = _AsItIs()
        return parameters


class Program(_Quick, TyperGroup):
    """All commands."""


class Command(_Quick, TyperCommand):
    """A command whose help has a heading for each group of flags."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options, group by group."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panel = getattr(parameter, "rich_help_panel", None) or kind
            if record := parameter.get_help_record(ctx):
                panels.setdefault(panel, []).append(record)
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records)


def _version(wanted: bool) -> None:
    from importlib.metadata import PackageNotFoundError, version

    if wanted:
        try:
            write(f"bursar {version('bursar')}\n", sys.stdout)
        except PackageNotFoundError:
            write("bursar, not installed\n", sys.stdout)
        raise typer.Exit


@cache
def application() -> Any:
    """The parser, with all commands."""
    app = typer.Typer(name="bursar", cls=Program, rich_markup_mode=None, no_args_is_help=True)
    app.callback()(bursar)
    for run, examples in _COMMANDS.items():
        shown = "\n".join(f"  {line}" for example in examples for line in _folded(example))
        app.command(cls=Command, epilog=f"\b\nExamples:\n{shown}")(run)
    return typer.main.get_command(app)


def bursar(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_version),
    ] = False,
) -> None:
    """Differential-privacy bookkeeping: what an analysis costs, exactly and with proof.

    Exit codes: 0 done, 1 refused, 2 bad request or no proof, 3 corrupt books, 4 a limit of time or
    memory was reached, 70 a bug of ours.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program on these arguments, or on those of the process; the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    as_json = "--json" in given
    try:
        return _run(given, as_json=as_json)
    except BursarError as error:
        return report(error, as_json=as_json)
    except _PARSER as error:
        return _usage(error, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        return report(Interrupted("interrupted, and nothing was answered"), as_json=as_json)
    except BrokenPipeError:
        silence(sys.stdout)
        return report(PipeClosed("nobody reads the answer"), as_json=as_json)
    except Exception as error:  # noqa: BLE001  the outermost door: what gets here is our own bug
        return report(of_bug(error), as_json=as_json)


def _run(given: list[str], *, as_json: bool) -> int:
    flags = (text.partition("=")[0] for text in takewhile(lambda text: text != "--", given))
    for flag, times in Counter(flag for flag in flags if flag.startswith("--")).items():
        if times > 1:
            field = flag.strip("-").replace("-", "_")
            raise InvalidParameter("it may be given once only", field=field)
    with watched(quiet=as_json):
        found = application().main(given, prog_name="bursar", standalone_mode=False)
    if found == _INTERRUPTED:
        raise KeyboardInterrupt
    if not isinstance(found, Answer):  # help, or the version
        return 0
    if as_json:
        write_json(found.body, sys.stdout)
    elif found.text is not None:
        write(found.text, sys.stdout)
    else:
        show(found)
    return 0


def _usage(error: Exception, *, as_json: bool) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        write(f"{error.args[0]}\n", sys.stderr)
        return InvalidParameter.exit_code
    return report(of_parser(error), as_json=as_json)


def _folded(example: str) -> list[str]:
    """The example as lines that can be pasted, broken before a flag."""
    lines = [""]
    for part in re.split(r" (?=--)", example):
        if lines[-1] and len(lines[-1]) + len(part) > _WIDTH:
            lines.append("   ")
        lines[-1] += f" {part}" if lines[-1] else part
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]
