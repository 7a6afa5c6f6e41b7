"""Whatever is shown anywhere runs: help, the page about the command line, the README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import fields
from pathlib import Path

import pytest

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
from bursar.mechanisms.registry import MECHANISMS
from tests.cli.page import PAGE, write_files, written
from tests.cli.program import AT, ONE, bursar
from tests.house.tree import ROOT
from tests.sweeps import quick_first

EXAMPLES = {
    "epsilon": epsilon.EXAMPLES,
    "delta": delta.EXAMPLES,
    "calibrate": calibrate.EXAMPLES,
    "profile": profile.EXAMPLES,
    "steps": steps.EXAMPLES,
    "explain": explain.EXAMPLES,
    "convert": convert.EXAMPLES,
    "compare": compare.EXAMPLES,
    "certify": certify.EXAMPLES,
    "check": check.EXAMPLES,
    "refute": refute.EXAMPLES,
    "verify": verify.EXAMPLES,
    "audit": audit.EXAMPLES,
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with the files that examples read."""
    path = tmp_path_factory.mktemp("desk")
    assert {"plan.toml", "counts.py"} <= set(write_files(PAGE.read_text("utf-8"), path))
    with chdir(path):
        assert bursar("certify", *ONE, *AT, "--out", "proof.json").code == 0
        yield path


def commands(text: str) -> list[str]:
    """The commands of bursar in a text; a backslash leads to the next line."""
    found = re.findall(r"^ *(?:\$ |\S*/)?(bursar (?:.*\\\n)*.*?)(?: &&)?$", text, re.MULTILINE)
    return [re.sub(r"\s*\\\n\s*", " ", command) for command in found]


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("name", quick_first(EXAMPLES, 4))
def test_help_shows_examples_that_run(name: str) -> None:
    shown = bursar(name, "--help")
    assert shown.code == 0
    assert EXAMPLES[name]
    assert commands(shown.out.partition("Examples:")[2]) == list(EXAMPLES[name])
    for example in EXAMPLES[name]:
        program, *arguments = shlex.split(example)
        ended = bursar(*arguments)
        assert (program, arguments[0], ended.code, ended.err) == ("bursar", name, 0, "")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_command_has_the_flags_of_the_contract(name: str) -> None:
    shown = bursar(name, "--help").out
    for flag in ("--json", "--adjacency", "--timeout", "--help"):
        assert re.search(rf"^  {flag}\b", shown, re.MULTILINE)


@pytest.mark.slow
def test_the_page_shows_what_the_program_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "write it again with: python -m tests.cli.page"


def test_the_page_would_be_written_again() -> None:
    block = "```console\n$ bursar epsilon --noise-multiplier 2 --delta 1e-5\nε = 3\n```\n"
    assert "1.99309 ≤ ε ≤ 1.9931" in written(block)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_page_knows_every_mechanism(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row is not None
    for field in fields(MECHANISMS[name]):  # type: ignore[arg-type]
        assert f"`{field.name}`" in row[1]


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("command", commands((ROOT / "README.md").read_text("utf-8")))
def test_the_commands_of_the_readme_run(command: str) -> None:
    ended = bursar(*shlex.split(command)[1:])
    assert (ended.code, ended.err) == (0, "")
