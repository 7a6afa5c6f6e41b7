"""Every other way to end: bugs, Ctrl-C, pipes and disks that take nothing, help, completion."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bursar.accounting import choose
from bursar.errors import BursarError, CorruptBooks, InternalError, Refused
from tests.cli.program import AT, ONE, RUN, bursar, process
from tests.house.tree import ROOT
from tests.sweeps import quick_first

COMMAND = [sys.executable, "-m", "bursar"]
LIGHT = ("pydantic", "scipy", "rich", "click")


def test_the_program_answers_as_its_function_does() -> None:
    ended = process("epsilon", *RUN, *AT, "--json")
    assert ended.json["epsilon"] == bursar("epsilon", *RUN, *AT, "--json").json["epsilon"]
    refused = process("epsilon", *RUN, "--delta", "nan", "--json")
    assert (refused.code, refused.error["field"]) == (2, "delta")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused("no"), 1),
        (CorruptBooks("no"), 3),
        (InternalError("no"), 70),
        (ZeroDivisionError("no"), 70),
        (RecursionError("no"), 70),
    ],
    ids=repr,
)
def test_every_error_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(choose, "epsilon", fail)
    ended = bursar("epsilon", *ONE, *AT, "--json")
    assert ended.code == code
    kind = error.kind if isinstance(error, BursarError) else "InternalError"
    assert ended.error["kind"] == kind
    assert bursar("epsilon", *ONE, *AT).err.startswith("bursar: ")


def test_a_bug_shows_its_place_and_its_traceback_only_when_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("what")

    monkeypatch.setattr(choose, "epsilon", fail)
    monkeypatch.delenv("BURSAR_DEBUG", raising=False)
    told = bursar("epsilon", *ONE, *AT).err
    assert "a bug of bursar: KeyError in test_exits.py" in told
    assert "Traceback" not in told
    monkeypatch.setenv("BURSAR_DEBUG", "1")
    assert "Traceback" in bursar("epsilon", *ONE, *AT).err


def test_an_interrupt_is_told_as_shells_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(choose, "epsilon", interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job may lack it
    try:
        ended = bursar("epsilon", *ONE, *AT, "--json")
        told = bursar("epsilon", *ONE, *AT).err
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ended.code, ended.error["kind"]) == (130, "Interrupted")
    assert told == "bursar: interrupted, and nothing was answered.\n"


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_reader_may_leave(flags: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        ended = subprocess.run(
            [*COMMAND, "epsilon", *ONE, *AT, *flags],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 141
    if flags:
        assert json.loads(ended.stderr)["error"]["kind"] == "PipeClosed"
    else:
        assert ended.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk at hand")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, "epsilon", *ONE, *AT, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    error = json.loads(ended.stderr)["error"]
    assert (ended.returncode, error["kind"]) == (2, "InvalidParameter")
    assert (error["field"], error["need"]) == (
        "stdout",
        "it must be writable: No space left on device",
    )


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor")
def test_a_closed_output_is_told() -> None:
    script = 'exec "$@" >&-'
    ended = subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND, "epsilon", *ONE, *AT],
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (2, b"bursar: stdout: it must be open.\n")


def test_starting_loads_only_what_is_needed() -> None:
    look = (
        "import sys; from bursar.cli.main import main; code = main(sys.argv[1:]);"
        "print(code, *{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    for arguments in (["epsilon", *RUN, *AT, "--json"], ["--help"], ["epsilon", "--sigma", "1"]):
        ended = subprocess.run(
            [sys.executable, "-c", look, *arguments], capture_output=True, text=True, check=True
        )
        code, *loaded = ended.stderr.splitlines()[-1].split()
        assert code == ("2" if "--sigma" in arguments else "0")
        assert "bursar" in loaded
        assert set(loaded).isdisjoint(LIGHT)


def test_the_version_is_that_of_the_project() -> None:
    ended = bursar("--version")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ended.code == 0
    assert ended.out in {f"bursar {project['version']}\n", "bursar, not installed\n"}


def test_without_a_command_it_shows_its_help() -> None:
    ended = bursar()
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: bursar [OPTIONS] COMMAND")


COMPLETED = quick_first(
    [
        ("bursar epsilon --sampler sh", {"shuffle"}),
        ("bursar epsilon --adjacency ", {"add-or-remove-one", "replace-one", "zero-out"}),
        ("bursar epsilon --method r", {"rdp"}),
        ("bursar calibrate --solve s", {"sampling-probability", "steps"}),
        ("bursar delta --samp", {"--sampling-probability", "--sampler"}),
        ("bursar ca", {"calibrate"}),
    ],
    quick=1,
)


@pytest.mark.parametrize(("words", "found"), COMPLETED)
def test_the_shell_completes(words: str, found: set[str]) -> None:
    count = len(words.split()) - (not words.endswith(" "))
    environment = {"_BURSAR_COMPLETE": "complete_bash", "COMP_WORDS": words}
    ended = process(**environment, COMP_CWORD=str(count))
    assert ended.code == 0
    assert set(ended.out.split()) == found
