"""The project speaks of itself alone: no machine's paths, no registry's hosts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import files, name

FOREIGN = re.compile(
    r"""(?<![\w.$}])/(?:work|root|home|farm|Users|mnt)/   # a path of somebody's machine
    | \bindex[-_]url\b | --find[-_]links\b | \btrusted[-_]host\b
    | \bregistry\s*=\s*["']?http | //[\w.-]*\b(?:pypi|npmjs|pythonhosted|jfrog|nexus)\b
    | \bfile:///""",
    re.VERBOSE,
)


@pytest.mark.parametrize("path", files(), ids=name)
def test_no_machine_and_no_registry(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    assert [found.group() for found in FOREIGN.finditer(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "see " + "/".join(["", "home", "me", "x"]),
        "pip install --index" + "-url x",
        "registry" + "=https:" + "//r.example",
        "https:" + "//files.python" + "hosted.org/x",
    ],
)
def test_it_would_be_seen(text: str) -> None:
    assert FOREIGN.search(text)
