"""What the page about the command line shows is what the program says.

`python -m tests.cli.page` writes it again.  Times, and how narrow an enclosure is,
differ from run to run and are not compared.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from tests.cli.program import bursar
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "command-line.md"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^```\w+\n# ([\w.-]+)\n.*?^```$", re.MULTILINE | re.DOTALL)
_DIFFERS = re.compile(  # times, and how narrow an enclosure is on this machine
    r"""(?<=time[ ]{9})\d+\.\d\d[ ]s | (?<=time[ ]{10})\d+\.\d\d[ ]s | (?<=[ ]{3})\d+\.\d\d[ ]s$
    | (?<=an[ ]average[ ]of[ ])[\d.]+
    | (?<="seconds":[ ])[\d.e-]+ | (?<=within[ ]a[ ]relative[ ])\S+""",
    re.VERBOSE | re.MULTILINE,
)


def commands(block: str) -> Iterator[str]:
    """The commands of a block, as they stand there: a backslash leads to the next line."""
    yield from re.findall(r"^\$ (?:.*\\\n)*.*$", block, re.MULTILINE)


def said(command: str) -> str:
    """What the program answers to a command as a page shows it."""
    program, *arguments = shlex.split(command.removeprefix("$ ").replace("\\\n", " "))
    assert program == "bursar"
    with patch.dict(os.environ, {"COLUMNS": "80"}):
        ended = bursar(*arguments)
    return ended.out + ended.err


def same(one: str, other: str) -> bool:
    """Whether two texts say the same, but for what differs from run to run."""
    return _DIFFERS.sub("…", one) == _DIFFERS.sub("…", other)


def write_files(page: str, to: Path) -> list[str]:
    """The files that the page shows, written to a directory; their names."""
    files = list(_FILE.finditer(page))
    for file in files:
        body = file[0].partition("\n")[2].removesuffix("```")
        (to / file[1]).write_text(body, encoding="utf-8")
    return [file[1] for file in files]


def written(page: str) -> str:
    """The page with what the program says now; its files stand in a directory of their own."""

    def again(block: re.Match[str]) -> str:
        fresh = "\n".join(f"{command}\n{said(command)}" for command in commands(block[0]))
        return block[0] if same(fresh, block[0]) else fresh

    with tempfile.TemporaryDirectory() as directory, chdir(directory):
        write_files(page, Path(directory))
        return _BLOCK.sub(again, page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
